//! Who is calling: the one statement before every authenticated request.
//!
//! Judges only what the token alone decides (known, not expired, not revoked). Audience, scopes and what to
//! do while integrations are paused are for the caller of this method.

use chrono::{DateTime, Utc};
use sea_orm::ConnectionTrait;
use uuid::Uuid;

use crate::row::{Columns, bytes, millis};
use crate::settings::pause_seconds;
use crate::{Hash, Plan, Result, Store};

/// Whom a living access token acts for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CallerRow {
    /// The traveller's account.
    pub account_id: Uuid,
    /// The traveller's username.
    pub username: String,
    /// The app.
    pub client_id: String,
    /// The grant the token belongs to.
    pub grant_id: Uuid,
    /// The token's scopes, separated by spaces.
    pub scope: String,
    /// The resource the token is for, if it is bound to one.
    pub resource: Option<String>,
    /// The traveller's plan.
    pub plan: Plan,
    /// While integrations are paused: after how many seconds to come back.
    pub paused: Option<u32>,
}

const CALLER: &str = "SELECT a.id, a.username, g.client_id, g.id, t.scope, t.resource, a.plan, \
     (SELECT value FROM settings WHERE name = 'integrations_paused') \
     FROM tokens t JOIN grants g ON g.id = t.grant_id JOIN accounts a ON a.id = g.account_id \
     WHERE t.hash = $1 AND t.kind = 'access' AND t.expires_at > $2 AND g.revoked_at IS NULL";

impl Store {
    /// Whom an access token acts for; `None` when it is unknown, expired or revoked.
    pub async fn caller(&self, access_hash: &Hash, now: DateTime<Utc>) -> Result<Option<CallerRow>> {
        let statement = self.statement(CALLER, [bytes(access_hash), millis(now).into()]);
        let Some(row) = self.reader.query_one_raw(statement).await? else { return Ok(None) };
        let mut columns = Columns::of(&row);
        Ok(Some(CallerRow {
            account_id: columns.take()?,
            username: columns.take()?,
            client_id: columns.take()?,
            grant_id: columns.take()?,
            scope: columns.take()?,
            resource: columns.take()?,
            plan: Plan::from_column(&columns.take::<String>()?)?,
            paused: columns.take::<Option<String>>()?.as_deref().map(pause_seconds).transpose()?,
        }))
    }
}
