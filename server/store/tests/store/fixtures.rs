//! Fixtures.

use chrono::{DateTime, TimeDelta, Utc};
use itinerary_model::{Plan, Visibility};
use itinerary_store::{
    AccessToken, Claim, Client, Code, CodeOutcome, ConsentAnswer, CoverChange, DocumentChange, DuplicateRule,
    ExploreEntryChange, Hash, ItineraryChange, ItineraryColumns, NewAccount, NewAuditEntry, NewGrant, NewItinerary,
    NewRefresh, NewRevision, NewToken, RefreshKey, Session, Store, StoredResponse,
};
use uuid::Uuid;

pub(crate) const CLIENT: &str = "app";

/// A fixed instant plus this number of seconds.
pub(crate) fn at(seconds: i64) -> DateTime<Utc> {
    DateTime::from_timestamp(1_800_000_000, 0).expect("an instant") + TimeDelta::seconds(seconds)
}

/// An instant for a number; later for higher numbers.
pub(crate) fn instant_of(number: usize) -> DateTime<Utc> {
    at(i64::try_from(number).expect("a small number"))
}

pub(crate) fn hash(number: usize) -> Hash {
    let mut hash = [0; 32];
    hash[..8].copy_from_slice(&number.to_be_bytes());
    hash
}

/// The OAuth access token with this hash.
pub(crate) fn access(number: usize) -> AccessToken {
    AccessToken::OAuth(hash(number))
}

pub(crate) fn id(number: u128) -> Uuid {
    Uuid::from_u128(number)
}

pub(crate) async fn account(store: &Store, name: &str, account_id: Uuid) {
    let account = NewAccount {
        id: account_id,
        username: name.to_uppercase(),
        username_folded: name.to_owned(),
        display_name: format!("{name} the traveller"),
        password_hash: "old".to_owned(),
        plan: Plan::Free,
        created_at: at(0),
    };
    assert!(store.account_insert(&account).await.expect("stored"));
}

pub(crate) fn client(client_id: &str) -> Client {
    Client {
        id: client_id.to_owned(),
        secret_hash: Some(hash(77)),
        name: "An app".to_owned(),
        redirect_uris: r#"["https://app.example/back"]"#.to_owned(),
        metadata: "{}".to_owned(),
        auth_method: "client_secret_basic".to_owned(),
        created_at: at(0),
    }
}

/// Account 1 (`ana`), account 2 (`ben`) and the client.
pub(crate) async fn people(store: &Store) {
    account(store, "ana", id(1)).await;
    account(store, "ben", id(2)).await;
    assert!(store.client_insert(&client(CLIENT)).await.expect("stored"));
}

pub(crate) fn grant(grant_id: Uuid, account_id: Uuid) -> NewGrant {
    NewGrant {
        id: grant_id,
        account_id,
        client_id: CLIENT.to_owned(),
        scope: "itineraries:read itineraries:write".to_owned(),
        resource: None,
        created_at: at(0),
    }
}

pub(crate) fn key(family: usize, number: usize) -> RefreshKey {
    RefreshKey { family: hash(family), token: hash(number) }
}

/// A refresh token of a family that expires this number of seconds after `at(0)`.
pub(crate) fn refresh(family: usize, number: usize, seconds: i64) -> NewRefresh {
    NewRefresh { key: key(family, number), expires_at: at(seconds) }
}

/// The session in which an account submits consent pages.
pub(crate) async fn signed_in(store: &Store, account_id: Uuid) -> Hash {
    let mut hash = [0xff; 32];
    hash[..16].copy_from_slice(account_id.as_bytes());
    // Every test has its own time.
    if store.session(&hash, at(-1)).await.expect("read").is_none() {
        let session =
            Session { hash, account_id, created_at: at(-1), expires_at: at(1_000_000), authenticated_at: at(-1) };
        assert!(store.session_insert(&session, None).await.expect("stored"));
    }
    hash
}

/// Stores a code, for its own consent page.
pub(crate) async fn insert_code(store: &Store, code: &Code) {
    let session = signed_in(store, code.account_id).await;
    let mut page = [0; 16];
    page.copy_from_slice(&code.hash[..16]);
    let response = ConsentAnswer { page: Uuid::from_bytes(page), expires_at: at(600) };
    assert_eq!(store.code_insert(code, response, &session).await.expect("stored"), CodeOutcome::Stored);
}

/// An access token issued at `at(0)` that is valid for this number of seconds.
pub(crate) fn token(number: usize, seconds: i64) -> NewToken {
    NewToken {
        hash: hash(number),
        scope: "itineraries:read".to_owned(),
        resource: Some("https://trips.example/mcp".to_owned()),
        created_at: at(0),
        expires_at: at(seconds),
    }
}

/// A code of account 1 that is valid for five minutes.
pub(crate) fn code(number: usize) -> Code {
    Code {
        hash: hash(number),
        client_id: CLIENT.to_owned(),
        account_id: id(1),
        redirect_uri: "https://app.example/back".to_owned(),
        scope: "itineraries:read".to_owned(),
        challenge: "challenge".to_owned(),
        resource: None,
        created_at: at(0),
        expires_at: at(300),
        used_at: None,
        grant_id: None,
    }
}

/// An itinerary of account 1 to Lisbon.
pub(crate) fn itinerary(number: u128) -> NewItinerary {
    NewItinerary {
        id: id(number),
        owner_id: id(1),
        created_at: at(0),
        client_id: Some(CLIENT.to_owned()),
        columns: ItineraryColumns {
            visibility: Visibility::Private,
            published_at: None,
            start_date: "2027-05-01".to_owned(),
            destination_key: "lisbon".to_owned(),
            place_id: None,
            latitude: 38.7223,
            longitude: -9.1393,
            origin: None,
            updated_at: at(0),
            card: r#"{"title":"Lisbon"}"#.to_owned(),
            everyone: r#"{"title":"Lisbon"}"#.to_owned(),
            members: "{}".to_owned(),
            pro: "{}".to_owned(),
            documents: "[]".to_owned(),
            cover_id: None,
        },
        picture: None,
    }
}

/// A change of an itinerary's title.
pub(crate) fn change(number: u128, expected_version: i64, title: &str) -> ItineraryChange {
    let of = itinerary(number);
    ItineraryChange {
        id: of.id,
        expected_version,
        owner_id: of.owner_id,
        editor: None,
        explore_entry: ExploreEntryChange::None,
        documents: DocumentChange::None,
        cover: CoverChange::None,
        revision: NewRevision {
            account_id: of.owner_id,
            client_id: of.client_id,
            restored_from: None,
            replaced: Some(vec![0; 10]),
        },
        columns: ItineraryColumns {
            visibility: Visibility::Public,
            published_at: Some(at(9)),
            place_id: Some("place".to_owned()),
            origin: Some("{}".to_owned()),
            updated_at: at(9),
            card: format!(r#"{{"title":"{title}"}}"#),
            everyone: format!(r#"{{"title":"{title}"}}"#),
            members: r#"{"flights":[]}"#.to_owned(),
            pro: r#"{"packing":[]}"#.to_owned(),
            documents: "[1]".to_owned(),
            cover_id: None,
            ..of.columns
        },
    }
}

/// The duplicate rule of `itinerary`.
pub(crate) fn rule(of: &NewItinerary) -> DuplicateRule {
    DuplicateRule {
        owner_id: of.owner_id,
        start_date: of.columns.start_date.clone(),
        destination_key: of.columns.destination_key.clone(),
        place_id: of.columns.place_id.clone(),
        latitude: of.columns.latitude,
        longitude: of.columns.longitude,
    }
}

/// A claim of account 1 under a key, with a fingerprint of this number.
pub(crate) fn claim(key: u128, fingerprint: usize) -> Claim {
    Claim {
        account_id: id(1),
        client_id: CLIENT.to_owned(),
        operation: "POST /v1/itineraries".to_owned(),
        key: id(key),
        fingerprint: hash(fingerprint),
    }
}

pub(crate) fn response(text: &str) -> StoredResponse {
    StoredResponse {
        status: 201,
        etag: Some(r#""v1.m""#.to_owned()),
        location: None,
        body: format!("{text}\0\u{e9}").into_bytes(),
    }
}

/// An entry of the audit log by the operator.
pub(crate) fn entry(seconds: i64) -> NewAuditEntry {
    NewAuditEntry {
        id: Uuid::new_v4(),
        created_at: at(seconds),
        account_id: None,
        actor: "operator",
        actor_id: None,
        event: "itineraryKept",
        client_id: None,
        address: None,
        detail: None,
    }
}
