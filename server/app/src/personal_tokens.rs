//! Personal access tokens: made on the account's page and by the operator's command.
//!
//! `http/guards.rs` authenticates requests with them.

use chrono::{DateTime, NaiveDate, NaiveTime, TimeDelta, Utc};
use itinerary_api::policy::Scope;
use itinerary_core::legible::is_legible;
use itinerary_core::oauth::scopes::ScopeList;
use itinerary_core::{ids, personal_token};
use itinerary_platform::context::Service;
use itinerary_store::{Hash, NewPersonalToken, PERSONAL_TOKENS, PersonalToken, StoreError, TokenCreated};
use uuid::Uuid;

use super::mails::{self, Notice};

/// The longest name, in characters.
pub const NAME: usize = 100;
/// The longest lifetime.
const LONGEST: TimeDelta = TimeDelta::days(366);
/// How long before its expiry a token counts as expiring.
pub const EXPIRING: TimeDelta = TimeDelta::days(7);

/// Why a token cannot be made.
#[derive(Debug, thiserror::Error)]
pub enum TokenError {
    #[error("{field}: {message}")]
    Invalid {
        /// `name`, `scopes` or `expires`.
        field: &'static str,
        /// The explanation for people, a whole sentence.
        message: String,
    },
    #[error("the account has {PERSONAL_TOKENS} personal access tokens; revoke one first")]
    Full,
    #[error("account not found")]
    NoAccount,
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// A token that was just made.
#[derive(Clone, Debug)]
pub struct MadeToken {
    pub id: Uuid,
    /// The secret, which cannot be read again.
    pub token: String,
    /// Separated by spaces.
    pub scope: String,
    pub expires_at: DateTime<Utc>,
}

/// Makes a personal access token, in a session or by the operator. Of several invalid fields, reports the first.
pub async fn create(
    service: &Service,
    account: Uuid,
    session: Option<&Hash>,
    name: &str,
    scopes: &str,
    expires_at: DateTime<Utc>,
) -> Result<MadeToken, TokenError> {
    let now = service.clock.now();
    let name = checked_name(name)?;
    let scope = checked_scopes(scopes)?;
    if expires_at <= now || expires_at > now + LONGEST {
        return invalid("expires", "Choose a date after today and within a year.");
    }
    let token = personal_token::generate(&*service.random);
    let id = ids::uuid(now, &*service.random);
    let new = NewPersonalToken {
        id,
        account_id: account,
        client_id: format!("pat_{id}"),
        hash: ids::hash(&token),
        name: name.to_owned(),
        scope: scope.clone(),
        created_at: now,
        expires_at,
        session: session.copied(),
    };
    match service.store.personal_token_create(new).await? {
        TokenCreated::Created => {
            mails::notify(service, account, Notice::TokenMade { name }).await;
            Ok(MadeToken { id, token, scope, expires_at })
        }
        TokenCreated::Full => Err(TokenError::Full),
        TokenCreated::NoAccount => Err(TokenError::NoAccount),
    }
}

/// The names of editors' tokens are shown in the history of shared itineraries.
fn checked_name(name: &str) -> Result<&str, TokenError> {
    let name = name.trim();
    if name.is_empty() {
        return invalid("name", "Enter a name, such as the program that will use the token.");
    }
    if name.chars().count() > NAME || !is_legible(name) {
        return invalid("name", "Use at most 100 characters, without invisible ones.");
    }
    Ok(name)
}

/// `offline_access` means nothing for a token that is not refreshed.
fn checked_scopes(scopes: &str) -> Result<String, TokenError> {
    let list = ScopeList::parse(scopes).or_else(|error| invalid("scopes", &error.description))?;
    let names: Vec<_> = list.scopes().map(Scope::as_str).collect();
    if names.is_empty() {
        return invalid("scopes", "Choose at least one permission.");
    }
    Ok(names.join(" "))
}

fn invalid<T>(field: &'static str, message: &str) -> Result<T, TokenError> {
    Err(TokenError::Invalid { field, message: message.to_owned() })
}

/// The instant at which a token ends that is valid through a date, in UTC.
pub fn end_of(date: NaiveDate) -> Option<DateTime<Utc>> {
    date.succ_opt().map(|next| next.and_time(NaiveTime::MIN).and_utc())
}

/// The day on which a token was last used, in UTC. `None` before the first use.
pub fn last_used_on(token: &PersonalToken) -> Option<NaiveDate> {
    let since_1970 = TimeDelta::try_days(token.last_used_day?)?;
    NaiveDate::default().checked_add_signed(since_1970)
}

/// Whether a valid token expires within a week.
pub fn is_expiring(token: &PersonalToken, now: DateTime<Utc>) -> bool {
    token.expires_at > now && token.expires_at <= now + EXPIRING
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_scopes_are_checked() {
        assert_eq!(checked_name("  backup of trips ").expect("good"), "backup of trips");
        for name in ["", " ", "a\u{202e}b", "\u{200b}", &"é".repeat(101), "a\nb"] {
            assert!(matches!(checked_name(name), Err(TokenError::Invalid { field: "name", .. })), "{name:?}");
        }
        let scopes = "documents:read itineraries:read documents:read offline_access";
        assert_eq!(checked_scopes(scopes).expect("good"), "documents:read itineraries:read");
        for scopes in ["", " ", "offline_access", "admin", "itineraries:read admin"] {
            assert!(matches!(checked_scopes(scopes), Err(TokenError::Invalid { field: "scopes", .. })), "{scopes:?}");
        }
    }

    #[test]
    fn a_token_is_valid_through_its_last_day() {
        let date = NaiveDate::from_ymd_opt(2026, 12, 31).expect("a date");
        assert_eq!(end_of(date).expect("in range").to_rfc3339(), "2027-01-01T00:00:00+00:00");
    }
}
