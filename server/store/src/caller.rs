//! Authenticates a caller: the one statement before every authenticated request.
//!
//! Checks only the token itself (known, not expired, not revoked). The caller of this method checks audience, scopes
//! and the pause of integrations.

use chrono::{DateTime, Utc};
use itinerary_model::Plan;
use uuid::Uuid;

use crate::query::row::{FromColumn, row};
use crate::query::statement::statements;
use crate::query::{query, text};
use crate::settings::pause_seconds;
use crate::{Hash, Result, Store};

row! {
    /// The account, app and grant of a valid access token.
    #[derive(Clone, Debug, PartialEq, Eq)]
    pub struct CallerRow {
        pub account_id: Uuid = "u.id",
        pub client_id: String = "g.client_id",
        pub grant_id: Uuid = "g.id",
        /// Separated by spaces.
        pub scope: String = "t.scope",
        /// The resource to which the token is bound (RFC 8707).
        pub resource: Option<String> = "t.resource",
        pub plan: Plan = "u.plan",
        /// Set while integrations are paused.
        pub paused: Option<Pause> = "(SELECT value FROM settings WHERE name = 'integrations_paused')",
    }
}

/// The value of `Retry-After`, in seconds.
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

statements! {
    const CALLER = text!("SELECT ", CallerRow::COLUMNS, FROM_TOKEN, OF_A_LIVING_TOKEN);
}

impl Store {
    /// Returns `None` if the token is unknown, expired or revoked.
    pub async fn caller(&self, access_hash: &Hash, now: DateTime<Utc>) -> Result<Option<CallerRow>> {
        self.fetch_optional(&query!(CALLER, access_hash, now)).await
    }
}
