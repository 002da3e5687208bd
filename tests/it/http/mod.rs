//! HTTP: access, errors, headers, methods, bodies, limits, documents, and crashes. Other areas test what operations do.

mod cases;
mod compression;
mod connections;
mod cpu_time;
mod deprecation;
mod errors;
mod examples;
mod openapi_document;
mod request_bodies;

mod headers;
mod hostile;
mod late_bodies;
mod limits;
mod long_work;
mod matrix;
mod methods;
mod order;
mod panics;
mod proxies;
mod quirks;
mod reference_pages;
mod rejected_headers;
mod roles;
mod samples;
mod stored;
mod tables;
mod visibility;

use itinerary_api::types::TEST_EVENT;
use itinerary_core::clock::Clock;
use itinerary_core::ids;
use itinerary_model::{MemberRole, Plan};
use itinerary_platform::system::SystemRandom;
use itinerary_store::{
    AccessToken, Client, Idempotent, LinkOutcome, LinkedSections, NewAccount, NewGrant, NewLink, NewToken, NewWebhook,
    WebhookCreated,
};
use itinerary_tests::{RawResponse, World};
use reqwest::Method;
use serde_json::{Value, json};
use uuid::Uuid;

/// An id that does not exist.
const NOTHING: &str = "01890000-0000-7000-8000-000000000000";

/// The smallest itinerary.
pub(crate) fn lisbon() -> Value {
    json!({ "destination": { "name": "Lisbon", "coordinate": { "latitude": 38.7223, "longitude": -9.1393 } } })
}

/// The same with further fields.
fn lisbon_with(more: &Value) -> Value {
    let mut body = lisbon();
    let fields = more.as_object().expect("an object").clone();
    body.as_object_mut().expect("an object").extend(fields);
    body
}

/// Creates an itinerary.
async fn create(world: &World, token: &str) -> RawResponse {
    create_of(world, token, &lisbon()).await
}

/// Creates an itinerary with every part that the samples name, for a traveller with Pro.
async fn create_whole(world: &World, token: &str) -> RawResponse {
    let made = create_of(world, token, &samples::whole()).await;
    accompany(world, &made.json()).await;
    attach(world, made.json()["id"].as_str().expect("an id")).await;
    hook(world, token).await;
    link(world, made.json()["id"].as_str().expect("an id")).await;
    made
}

/// Makes the samples' secret link, of this itinerary.
async fn link(world: &World, itinerary: &str) {
    world.sql("DELETE FROM links").await;
    let link = NewLink {
        id: Uuid::parse_str(samples::LINK).expect("a UUID"),
        itinerary_id: Uuid::parse_str(itinerary).expect("a UUID"),
        label: "Neighbours".to_owned(),
        hash: ids::hash("itn_link_of_the_samples"),
        sections: LinkedSections::Plan,
        expires_at: None,
        created_at: world.clock.now(),
    };
    let made = world.service().store.link_create(link, None).await.expect("a database");
    assert_eq!(made, Idempotent::Executed(LinkOutcome::Created));
}

/// Makes the samples' webhook, with a delivery, for the app and the traveller of a token.
async fn hook(world: &World, token: &str) {
    let (store, now) = (&world.service().store, world.clock.now());
    let caller = store.caller(&AccessToken::OAuth(ids::hash(token)), now).await.expect("a database").expect("a token");
    world.sql("DELETE FROM webhooks").await;
    let id = Uuid::parse_str(samples::WEBHOOK).expect("a UUID");
    let webhook = NewWebhook {
        id,
        account_id: caller.account_id,
        client_id: caller.client_id.clone(),
        url: "https://hooks.example/itineraries".to_owned(),
        host: "hooks.example:443".to_owned(),
        types: "itinerary.updated itinerary.deleted".to_owned(),
        description: Some("Calendar".to_owned()),
        secret: String::new(),
        created_at: now,
    };
    assert_eq!(store.webhook_create(webhook).await.expect("a database"), WebhookCreated::Created);
    let test = (Uuid::parse_str(samples::DELIVERY).expect("a UUID"), TEST_EVENT);
    store.webhook_test(id, caller.account_id, &caller.client_id, test, now).await.expect("a database");
    // The clock of a test may stand still, so that no attempt is made meanwhile.
    world.sql("UPDATE webhooks SET due_at = NULL").await;
}

/// Adds a document directly in the database, with the itinerary's id and without a file.
async fn attach(world: &World, itinerary: &str) {
    let bytes = itinerary.replace('-', "");
    let id = if world.database_url().starts_with("sqlite") { format!("X'{bytes}'") } else { format!("'{bytes}'") };
    let document = serde_json::json!({
        "id": itinerary,
        "name": "Pass",
        "category": "boardingPass",
        "file": { "path": format!("documents/{itinerary}"), "name": "pass.age", "size": 100 },
    });
    let documents = serde_json::json!({ "documents": [document] });
    world.sql(&format!("UPDATE itineraries SET documents = '{documents}' WHERE id = {id}")).await;
    world
        .sql(&format!(
            "INSERT INTO documents (id, itinerary_id, file_name, mime_type, size, created_at) \
             VALUES ({id}, {id}, 'pass.age', 'application/pdf', 100, 0)"
        ))
        .await;
}

/// Makes the samples' companion a member of an itinerary and a follower of its owner.
async fn accompany(world: &World, itinerary: &Value) {
    let (store, now) = (&world.service().store, world.clock.now());
    let id = |value: &Value| Uuid::parse_str(value.as_str().expect("an id")).expect("a UUID");
    let companion = Uuid::parse_str(samples::COMPANION).expect("a UUID");
    // The account may already exist, or may have been removed.
    insert_companion(world).await;
    store.follow_set(companion, id(&itinerary["author"]["accountId"]), now).await.expect("a database");
    store.member_set(id(&itinerary["id"]), companion, MemberRole::Viewer, now).await.expect("a database");
}

/// Makes the account of the samples' companion.
async fn insert_companion(world: &World) {
    let account = NewAccount {
        id: Uuid::parse_str(samples::COMPANION).expect("a UUID"),
        username: "tomas".to_owned(),
        username_folded: "tomas".to_owned(),
        display_name: "Tomás Lima".to_owned(),
        password_hash: String::new(),
        plan: Plan::Free,
        created_at: world.clock.now(),
    };
    world.service().store.account_insert(&account).await.expect("a database");
}

async fn create_of(world: &World, token: &str, body: &Value) -> RawResponse {
    let response = world.call(Method::POST, "/v1/itineraries?allowDuplicate=true").token(token).json(body).send().await;
    assert_eq!(response.status, 201, "{}", response.text());
    response
}

/// Creates an itinerary and returns its address.
async fn create_at(world: &World, token: &str) -> String {
    create(world, token).await.header("location").to_owned()
}

/// An access token as sign-in would store it, for any app and optionally bound to a resource.
pub(crate) async fn token_through(
    world: &World,
    account: Uuid,
    app: &str,
    scope: &str,
    resource: Option<&str>,
) -> String {
    let (store, now) = (&world.service().store, world.clock.now());
    let client = Client {
        id: app.to_owned(),
        secret_hash: None,
        name: app.to_owned(),
        redirect_uris: "[]".to_owned(),
        metadata: "{}".to_owned(),
        auth_method: "none".to_owned(),
        created_at: now,
    };
    store.client_insert(&client).await.expect("a database");
    let token = ids::secret("itp_at_", &SystemRandom);
    let (scope, resource) = (scope.to_owned(), resource.map(str::to_owned));
    let grant = NewGrant {
        id: ids::uuid(now, &SystemRandom),
        account_id: account,
        client_id: client.id,
        scope: scope.clone(),
        resource: resource.clone(),
        created_at: now,
    };
    let expires_at = now + chrono::TimeDelta::hours(1);
    let access = NewToken { hash: ids::hash(&token), scope, resource, created_at: now, expires_at };
    store.grant_issue(&grant, &access).await.expect("a database");
    token
}

/// Pauses or resumes integrations.
pub(crate) async fn pause(world: &World, seconds: Option<u32>) {
    world.service().store.pause_set(seconds, world.clock.now()).await.expect("a database");
}

/// The rate limit headers of a response: limit, policy, remaining, reset. Empty if absent.
pub(crate) fn rate_limit(response: &RawResponse) -> [&str; 4] {
    ["ratelimit-limit", "ratelimit-policy", "ratelimit-remaining", "ratelimit-reset"].map(|name| response.header(name))
}
