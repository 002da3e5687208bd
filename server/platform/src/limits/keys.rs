//! The keys of windows in Redis.
//!
//! A key tells no one without the server's key whose window it is: usernames, accounts, apps and addresses are hashed with
//! a key that is derived from it.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use itinerary_api::policy::LimitKind;
use itinerary_core::ids;
use itinerary_core::seal::Key;

use super::Bucket;

/// Characters of a code in a key: 132 bits.
const CODE: usize = 22;

/// Makes the keys. Servers whose keys are equal count together.
pub(super) struct Keys(Key);

impl Keys {
    pub(super) fn new(key: &Key) -> Self {
        Self(Key::new(ids::hash(&key.code("rate limits", ""))))
    }

    /// The key of a window.
    pub(super) fn of(&self, bucket: &Bucket) -> String {
        let (name, who) = match bucket {
            Bucket::Calls { account, client, kind } => ("calls", format!("{} {account} {client}", kind_name(*kind))),
            Bucket::AccountCalls { account, kind } => ("account-calls", format!("{} {account}", kind_name(*kind))),
            Bucket::Registration(address) => ("registration", address.to_string()),
            Bucket::ClientDocument(address) => ("client-document", address.to_string()),
            Bucket::TripPage(address) => ("trip-page", address.to_string()),
            Bucket::SecretLink(address) => ("secret-link", address.to_string()),
            Bucket::Calendar(address) => ("calendar", address.to_string()),
            Bucket::AccountCalendar(account) => ("account-calendar", account.to_string()),
            Bucket::DecodedMegapixels(account) => ("decoded-megapixels", account.to_string()),
            Bucket::DrawnCover(address) => ("drawn-cover", address.to_string()),
            Bucket::SignUp(address) => ("sign-up", address.to_string()),
            Bucket::MailTo(address) => ("mail-to", URL_SAFE_NO_PAD.encode(address)),
            Bucket::MailFrom(address) => ("mail-from", address.to_string()),
            Bucket::SignInToAccount(name, address) => ("sign-in-account", format!("{address} {name}")),
            Bucket::SignInFromAddress(address) => ("sign-in-address", address.to_string()),
            Bucket::SignedInToAccount(name) => ("signed-in-account", name.clone()),
            Bucket::SignedInFromAddress(address) => ("signed-in-address", address.to_string()),
            Bucket::SecondStep(account) => ("second-step", account.to_string()),
            Bucket::TokenFailure(client, address) => {
                ("token-failure", format!("{} {address}", URL_SAFE_NO_PAD.encode(client)))
            }
        };
        let code = self.0.code(name, &who);
        format!("itinerary:{name}:{}", &code[..CODE])
    }
}

/// Servers of different versions share keys, so a name must not change.
fn kind_name(kind: LimitKind) -> &'static str {
    match kind {
        LimitKind::Read => "read",
        LimitKind::Search => "search",
        LimitKind::Write => "write",
        LimitKind::Image => "image",
        LimitKind::Document => "document",
        LimitKind::Delivery => "delivery",
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use uuid::Uuid;

    use super::*;

    #[test]
    fn keys_differ_by_bucket_and_server_key_and_contain_nothing_of_either() {
        let (keys, others) = (Keys::new(&Key::new([1; 32])), Keys::new(&Key::new([2; 32])));
        let address = "192.0.2.7".parse().expect("an address");
        let account = Uuid::from_u128(7);
        let calls = |client: &str, kind| Bucket::Calls { account, client: client.to_owned(), kind };
        let buckets = [
            calls("app", LimitKind::Read),
            calls("app", LimitKind::Write),
            calls("https://app.example/client", LimitKind::Read),
            Bucket::AccountCalls { account, kind: LimitKind::Read },
            Bucket::AccountCalls { account: Uuid::from_u128(8), kind: LimitKind::Read },
            Bucket::AccountCalendar(account),
            Bucket::DecodedMegapixels(account),
            Bucket::DrawnCover(address),
            Bucket::SignInToAccount("ana".to_owned(), address),
            Bucket::SignInToAccount("ben".to_owned(), address),
            Bucket::SignInFromAddress(address),
            Bucket::MailTo([7; 32]),
            Bucket::MailFrom(address),
            Bucket::SignedInToAccount("ana".to_owned()),
            Bucket::SignedInToAccount("ben".to_owned()),
            Bucket::SignedInFromAddress(address),
            Bucket::SecondStep(account),
            Bucket::TokenFailure([7; 32], address),
            Bucket::TripPage(address),
            Bucket::SecretLink(address),
            Bucket::Calendar(address),
        ];
        let all: BTreeSet<String> = buckets.iter().flat_map(|bucket| [keys.of(bucket), others.of(bucket)]).collect();
        assert_eq!(all.len(), 2 * buckets.len());
        for key in &all {
            assert!(key.starts_with("itinerary:") && key.len() <= 64, "{key}");
            assert!(
                ["192.0.2.7", "app.example", "0000", "ana", ":ben"].iter().all(|text| !key.contains(text)),
                "{key}"
            );
        }
        assert_eq!(keys.of(&buckets[0]), Keys::new(&Key::new([1; 32])).of(&buckets[0]));
    }
}
