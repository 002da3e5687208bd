//! Authenticates a caller: the one statement before every authenticated request.
//!
//! Checks only the token itself (known, not expired, not revoked). The caller of this method checks audience, scopes
//! and the pause of integrations.

use std::fmt::Write as _;

use chrono::{DateTime, Utc};
use itinerary_model::Plan;
use uuid::Uuid;

use crate::query::row::{FromColumn, row};
use crate::query::statement::{Texts, statements};
use crate::query::{query, text};
use crate::settings::pause_seconds;
use crate::{Hash, Result, Store};

row! {
    /// The account, app and grant of a valid token.
    #[derive(Clone, Debug, PartialEq, Eq)]
    pub struct CallerRow {
        pub account_id: Uuid = "u.id",
        pub client_id: String = "g.client_id",
        /// Of a personal access token: its own id.
        pub grant_id: Uuid = "g.id",
        /// Separated by spaces.
        pub scope: String = "t.scope",
        /// The resource to which the token is bound (RFC 8707).
        pub resource: Option<String> = "t.resource",
        pub plan: Plan = "u.plan",
        /// Set while integrations are paused.
        pub paused: Option<Pause> = "(SELECT value FROM settings WHERE name = 'integrations_paused')",
        /// The day of a personal access token's last recorded use, in days since 1970-01-01.
        pub last_used_day: Option<i64> = "CAST(NULL AS BIGINT)",
    }
}

/// A token that authenticates requests, by the hash that is stored of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AccessToken {
    /// An OAuth access token.
    OAuth(Hash),
    /// A personal access token.
    Personal(Hash),
}

impl AccessToken {
    pub fn hash(&self) -> &Hash {
        match self {
            Self::OAuth(hash) | Self::Personal(hash) => hash,
        }
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

/// The select list for a personal access token, from one for an OAuth access token.
pub(crate) fn personal_token_columns(columns: &str) -> String {
    [
        ("g.client_id", "t.client_id"),
        ("g.id", "t.id"),
        ("t.resource", "NULL"),
        ("CAST(NULL AS BIGINT)", "t.last_used_day"),
    ]
    .iter()
    .fold(columns.to_owned(), |columns, (oauth, personal)| columns.replace(oauth, personal))
}

pub(crate) const FROM_PERSONAL_TOKEN: &str = " FROM personal_tokens t JOIN accounts u ON u.id = t.account_id AND u.deleted_at IS NULL AND u.suspended_at IS NULL";
pub(crate) const OF_A_VALID_PERSONAL_TOKEN: &str = " WHERE t.hash = $1 AND t.expires_at > $2";

pub(crate) const FROM_TOKEN: &str = " FROM tokens t JOIN grants g ON g.id = t.grant_id JOIN accounts u ON u.id = g.account_id \
     AND u.deleted_at IS NULL AND u.suspended_at IS NULL";
pub(crate) const OF_A_LIVING_TOKEN: &str =
    " WHERE t.hash = $1 AND t.kind = 'access' AND t.expires_at > $2 AND g.revoked_at IS NULL";

/// The numbers of the tokens in the JSON array $1 that are not valid at the time $2, and -1 while integrations are paused.
/// Subqueries of their own, so that each token is looked up by its hash.
macro_rules! ended {
    ($number:literal, $from:literal, $hash:literal) => {
        text!(
            "SELECT ",
            $number,
            " FROM ",
            $from,
            " WHERE (SELECT TRUE",
            FROM_TOKEN,
            " WHERE t.hash = ",
            $hash,
            " AND t.kind = 'access' AND t.expires_at > $2 AND g.revoked_at IS NULL) IS NOT TRUE AND (SELECT TRUE",
            FROM_PERSONAL_TOKEN,
            " WHERE t.hash = ",
            $hash,
            " AND t.expires_at > $2) IS NOT TRUE \
             UNION ALL SELECT -1 FROM settings WHERE name = 'integrations_paused'"
        )
    };
}

statements! {
    const CALLER = text!("SELECT ", CallerRow::COLUMNS, FROM_TOKEN, OF_A_LIVING_TOKEN);

    const CALLER_OF_PERSONAL_TOKEN = format!(
        "SELECT {}{FROM_PERSONAL_TOKEN}{OF_A_VALID_PERSONAL_TOKEN}",
        personal_token_columns(CallerRow::COLUMNS)
    );

    const ENDED = Texts::for_engines(ended!("h.key", "json_each($1) AS h", "unhex(h.value)"), ended!(
            "h.number - 1",
            "json_array_elements_text($1::json) WITH ORDINALITY AS h (value, number)",
            "decode(h.value, 'hex')"
        ));
}

/// Which of some access tokens are not valid any more.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EndedTokens {
    pub ended: Vec<Hash>,
    /// Whether integrations are paused.
    pub paused: bool,
}

impl Store {
    /// Returns `None` if the token is unknown, expired or revoked.
    pub async fn caller(&self, token: &AccessToken, now: DateTime<Utc>) -> Result<Option<CallerRow>> {
        match token {
            AccessToken::OAuth(hash) => self.fetch_optional(&query!(CALLER, hash, now)).await,
            AccessToken::Personal(hash) => self.fetch_optional(&query!(CALLER_OF_PERSONAL_TOKEN, hash, now)).await,
        }
    }

    /// Which of these tokens are expired, revoked or unknown.
    pub async fn tokens_ended(&self, tokens: &[Hash], now: DateTime<Utc>) -> Result<EndedTokens> {
        let numbers: Vec<i64> = self.fetch_page(query!(ENDED, json(tokens), now)).await?;
        let ended = numbers.iter().filter_map(|number| tokens.get(usize::try_from(*number).ok()?).copied());
        Ok(EndedTokens { ended: ended.collect(), paused: numbers.contains(&-1) })
    }
}

/// A JSON array of the hashes in hexadecimal.
fn json(hashes: &[Hash]) -> String {
    let mut text = String::with_capacity(hashes.len() * 67 + 2);
    for hash in hashes {
        text.push_str(if text.is_empty() { "[\"" } else { ",\"" });
        for byte in hash {
            write!(text, "{byte:02x}").expect("a string takes everything");
        }
        text.push('"');
    }
    if text.is_empty() { "[]".to_owned() } else { text + "]" }
}
