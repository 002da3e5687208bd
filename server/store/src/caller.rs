//! Who is calling: the one statement before every authenticated request.
//!
//! Judges only what the token alone decides (known, not expired, not revoked). Audience, scopes and what to
//! do while integrations are paused are for the caller of this method.

use chrono::{DateTime, Utc};
use uuid::Uuid;

use crate::query::{query, text};
use crate::row::{FromColumn, row};
use crate::settings::pause_seconds;
use crate::{Hash, Plan, Result, Store};

row! {
    /// Whom a living access token acts for.
    #[derive(Clone, Debug, PartialEq, Eq)]
    pub struct CallerRow {
        /// The traveller's account.
        pub account_id: Uuid = "u.id",
        /// The app.
        pub client_id: String = "g.client_id",
        /// The grant the token belongs to.
        pub grant_id: Uuid = "g.id",
        /// The token's scopes, separated by spaces.
        pub scope: String = "t.scope",
        /// The resource the token is for, if it is bound to one.
        pub resource: Option<String> = "t.resource",
        /// The traveller's plan.
        pub plan: Plan = "u.plan",
        /// While integrations are paused.
        pub paused: Option<Pause> = "(SELECT value FROM settings WHERE name = 'integrations_paused')",
    }
}

/// After how many seconds to come back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pause(pub u32);

impl FromColumn for Pause {
    type Stored = String;

    fn from_column(value: String) -> Result<Self> {
        pause_seconds(&value).map(Self)
    }
}

pub(crate) const FROM_TOKEN: &str =
    " FROM tokens t JOIN grants g ON g.id = t.grant_id JOIN accounts u ON u.id = g.account_id AND u.deleted_at IS NULL";
pub(crate) const OF_A_LIVING_TOKEN: &str =
    " WHERE t.hash = $1 AND t.kind = 'access' AND t.expires_at > $2 AND g.revoked_at IS NULL";

const CALLER: &str = text!("SELECT ", CallerRow::COLUMNS, FROM_TOKEN, OF_A_LIVING_TOKEN);

impl Store {
    /// Whom an access token acts for; `None` when it is unknown, expired or revoked.
    pub async fn caller(&self, access_hash: &Hash, now: DateTime<Utc>) -> Result<Option<CallerRow>> {
        self.fetch_optional(&query!(CALLER, access_hash, now)).await
    }
}
