//! The audit log: who did what with an account, when, and from where.
//!
//! An account's owner sees the entries of 90 days on `/account/security-log`; the operator sees those of a year with
//! `audit`. Acts of moderation are stored with their entries in one transaction. All other entries are added after the
//! act: a crash between the two loses the entry.

use std::error::Error;
use std::net::IpAddr;

use itinerary_core::ids;
use itinerary_platform::context::Service;
use itinerary_store::NewAuditEntry;
use uuid::Uuid;

/// Who acts.
#[derive(Clone, Copy, Debug)]
pub enum Actor<'a> {
    /// The account's owner in a browser, or somebody who tries to be.
    Traveller(IpAddr),
    /// An app or a personal access token, by its client id.
    App(&'a str),
    /// A moderator, by the account.
    Moderator(Uuid, IpAddr),
    /// The operator, on the command line.
    Operator,
    /// A job of the server.
    Server,
}

macro_rules! events {
    ($($(#[$meta:meta])* $event:ident = $name:literal, $words:literal;)*) => {
        /// What happened.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum Event {
            $($(#[$meta])* $event,)*
        }

        impl Event {
            /// All events.
            pub const ALL: &'static [Self] = &[$(Self::$event),*];

            /// The name that is stored, and that commands print.
            pub fn name(self) -> &'static str {
                match self {
                    $(Self::$event => $name,)*
                }
            }

            /// The event in words, for the account's owner.
            pub fn words(self) -> &'static str {
                match self {
                    $(Self::$event => $words,)*
                }
            }
        }
    };
}

events! {
    AccountCreated = "accountCreated", "Account created";
    AccountDeleted = "accountDeleted", "Account deleted";
    AccountRenamed = "accountRenamed", "Username changed";
    SignedIn = "signedIn", "Signed in";
    SignInFailed = "signInFailed", "Sign-in failed";
    SessionsEnded = "sessionsEnded", "Signed out in every other browser";
    PasswordChanged = "passwordChanged", "Password changed";
    PasswordReset = "passwordReset", "Password reset";
    ResetLinkMade = "resetLinkMade", "Reset link made";
    SignInMethodAdded = "signInMethodAdded", "Sign-in method added";
    SignInMethodRemoved = "signInMethodRemoved", "Sign-in method removed";
    RecoveryCodeUsed = "recoveryCodeUsed", "Recovery code used";
    EmailChanged = "emailChanged", "E-mail address changed";
    TokenMade = "tokenMade", "Personal access token made";
    TokenRevoked = "tokenRevoked", "Personal access token revoked";
    AppConnected = "appConnected", "App connected";
    AppDisconnected = "appDisconnected", "App disconnected";
    SecretLinkMade = "secretLinkMade", "Secret link made";
    SecretLinkDeleted = "secretLinkDeleted", "Secret link deleted";
    CalendarAddressMade = "calendarAddressMade", "Calendar address made";
    CalendarAddressEnded = "calendarAddressEnded", "Calendar address turned off";
    DataExported = "dataExported", "Data downloaded";
    ItineraryHidden = "itineraryHidden", "Itinerary hidden from Explore";
    ItineraryKept = "itineraryKept", "Itinerary kept in Explore";
    Warned = "warned", "Warning by a moderator";
    Suspended = "suspended", "Account suspended";
    Unsuspended = "unsuspended", "Suspension ended";
    Appealed = "appealed", "Appeal sent";
    ModeratorAppointed = "moderatorAppointed", "Made a moderator";
    ModeratorDismissed = "moderatorDismissed", "No longer a moderator";
    SignUpInvited = "signUpInvited", "Invitation made";
}

impl Event {
    /// The event with this name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|event| event.name() == name)
    }
}

/// The maximum length of a detail, in characters.
const DETAIL: usize = 300;

/// An entry about an account. `detail` says more, such as a token's name.
pub fn entry(service: &Service, event: Event, account: Option<Uuid>, by: Actor<'_>, detail: &str) -> NewAuditEntry {
    let now = service.clock.now();
    let (actor, actor_id, client_id, address) = match by {
        Actor::Traveller(address) => ("traveller", None, None, Some(address)),
        Actor::App(client) => ("app", None, Some(client.to_owned()), None),
        Actor::Moderator(account, address) => ("moderator", Some(account), None, Some(address)),
        Actor::Operator => ("operator", None, None, None),
        Actor::Server => ("server", None, None, None),
    };
    NewAuditEntry {
        id: ids::uuid(now, &*service.random),
        created_at: now,
        account_id: account,
        actor,
        actor_id,
        event: event.name(),
        client_id,
        address: address.map(|address| address.to_string()),
        detail: Some(detail.chars().take(DETAIL).collect::<String>()).filter(|detail| !detail.is_empty()),
    }
}

/// Adds an entry about an act that has happened. A failure is only logged: the act cannot be undone.
pub async fn record(service: &Service, event: Event, account: Option<Uuid>, by: Actor<'_>, detail: &str) {
    add(service, entry(service, event, account, by, detail)).await;
}

/// Adds an entry about an app or a personal access token.
pub async fn record_client(service: &Service, event: Event, account: Uuid, by: Actor<'_>, client: &str) {
    let entry = entry(service, event, Some(account), by, "");
    add(service, NewAuditEntry { client_id: Some(client.to_owned()), ..entry }).await;
}

async fn add(service: &Service, entry: NewAuditEntry) {
    if let Err(error) = service.store.audit_add(&entry).await {
        tracing::error!(event = entry.event, error = &error as &dyn Error, "an entry of the audit log was not stored");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_event_has_a_name_of_its_own() {
        for event in Event::ALL {
            assert_eq!(Event::from_name(event.name()), Some(*event));
        }
        assert_eq!(Event::from_name("unknown"), None);
    }
}
