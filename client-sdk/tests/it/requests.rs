//! The contents and targets of requests, and how their responses are handled.

use std::sync::atomic::{AtomicUsize, Ordering};

use itinerary_sdk::types::{
    DestinationInput, GrantType, Itinerary, ItineraryCreate, ItineraryPatch, ListedItinerary, TokenRequest,
};
use itinerary_sdk::{Client, Created, Error, ErrorExt, Versioned, code};
use serde_json::json;
use uuid::Uuid;

use crate::service::{Answer, Asked, Service, itinerary, plain, refusal};

const LIST: &str = "/v1/itineraries";
const ONE: &str = "/v1/itineraries/0190a1b2-0000-7000-8000-000000000001";

fn id() -> Uuid {
    "0190a1b2-0000-7000-8000-000000000001".parse().unwrap()
}

fn to_lisbon() -> ItineraryCreate {
    ItineraryCreate::new(DestinationInput::new("Lisbon", (38.7, -9.1)))
}

fn titled(title: &str) -> ItineraryPatch {
    ItineraryPatch::default().title(title)
}

/// An answer with the itinerary at this version.
fn version(status: u16, number: usize) -> Answer {
    let headers = vec![("etag", format!("\"v{number}.m\"")), ("location", ONE.to_owned())];
    (status, headers, itinerary())
}

async fn client(handler: impl Fn(&Asked) -> Answer + Send + Sync + 'static) -> (Service, Client) {
    let service = Service::start(handler).await;
    let client = Client::builder(&service.base_url).access_token("token").build().unwrap();
    (service, client)
}

#[tokio::test]
async fn the_token_goes_to_the_api_and_nowhere_else() {
    let answer = |asked: &Asked| match asked.uri.path() {
        "/healthz" => plain(200, json!({ "status": "ok" })),
        "/oauth/token" => plain(400, json!({ "error": "invalid_request", "error_description": "d" })),
        _ => version(200, 1),
    };
    let (service, client) = client(answer).await;
    client.itinerary_view(id()).send().await.unwrap();
    client.health_live().send().await.unwrap();
    client.oauth_token(TokenRequest::new(GrantType::RefreshToken)).send().await.unwrap_err();
    assert_eq!(service.tokens(ONE), [Some("Bearer token".to_owned())]);
    assert_eq!((service.tokens("/healthz"), service.tokens("/oauth/token")), (vec![None], vec![None]));
    assert_eq!(service.asked(ONE)[0].header("service-itinerary-shape"), Some("clean"));
    assert_eq!(service.asked("/healthz")[0].header("service-itinerary-shape"), None);
}

#[tokio::test]
async fn a_redirect_is_not_followed() {
    let elsewhere = Service::start(|_| version(200, 1)).await;
    let target = format!("{}{ONE}", elsewhere.base_url);
    let (_service, client) = client(move |_| (307, vec![("location", target.clone())], json!(null))).await;
    let read = client.itinerary_view(id()).send().await.unwrap_err();
    assert!(matches!(read, Error::UnexpectedResponse(answer) if answer.status() == 307));
    client.itinerary_create(to_lisbon()).send().await.unwrap_err();
    assert!(elsewhere.asked(ONE).is_empty());
}

#[tokio::test]
async fn an_own_http_client_that_follows_redirects_leaves_the_token_behind() {
    let elsewhere = Service::start(|_| version(200, 1)).await;
    let target = format!("{}{ONE}", elsewhere.base_url);
    let service = Service::start(move |_| (307, vec![("location", target.clone())], json!(null))).await;
    let builder = Client::builder(&service.base_url).access_token("token");
    let client = builder.http_client(reqwest::Client::new()).build().unwrap();
    client.itinerary_view(id()).send().await.unwrap();
    assert_eq!((service.tokens(ONE), elsewhere.tokens(ONE)), (vec![Some("Bearer token".to_owned())], vec![None]));
}

#[tokio::test]
async fn writes_carry_a_fresh_idempotency_key_unless_they_have_one() {
    let (service, client) = client(|asked| version(if asked.uri.path() == LIST { 201 } else { 200 }, 1)).await;
    let created = client.itinerary_create(to_lisbon()).send().await.unwrap();
    client.itinerary_create(to_lisbon()).send().await.unwrap();
    let own = Uuid::from_u128(7);
    client.itinerary_create(to_lisbon()).idempotency_key(own).send().await.unwrap();
    client.itinerary_update(created.id, created.etag(), titled("t")).send().await.unwrap();
    client.itinerary_view(id()).send().await.unwrap();
    let keys: Vec<_> =
        service.asked(LIST).iter().map(|asked| asked.header("idempotency-key").unwrap().parse().unwrap()).collect();
    let [first, second, third]: [Uuid; 3] = keys.try_into().unwrap();
    assert!(first != second && first.get_version_num() == 4 && third == own);
    let [update, read] = service.asked(ONE).try_into().unwrap();
    assert!(update.header("idempotency-key").is_some_and(|key| key.parse::<Uuid>().is_ok()));
    assert_eq!((update.header("if-match"), read.header("idempotency-key")), (Some("\"v1.m\""), None));
}

#[tokio::test]
async fn a_create_says_where_it_is_and_whether_it_is_a_replay() {
    let (_service, client) = client(|_| {
        let (status, mut headers, body) = version(201, 1);
        headers.push(("idempotency-replayed", "true".to_owned()));
        (status, headers, body)
    })
    .await;
    let Created { itinerary, location, replayed } =
        client.itinerary_create(to_lisbon()).send_raw().await.unwrap().try_into().unwrap();
    assert_eq!((itinerary.etag(), location.as_str(), replayed), ("\"v1.m\"", ONE, true));
}

#[tokio::test]
async fn a_dry_run_is_not_taken_for_a_create() {
    let (service, client) = client(|_| plain(200, itinerary())).await;
    assert_eq!(client.itinerary_create(to_lisbon()).send_dry_run().await.unwrap().title, "Lisbon");
    assert_eq!(service.asked(LIST)[0].uri.query(), Some("dryRun=true"));
    let answer = client.itinerary_create(to_lisbon()).send_raw().await.unwrap();
    assert!(Created::try_from(answer).is_err());
    let error = client.itinerary_create(to_lisbon()).send().await.unwrap_err();
    assert_eq!(error.to_string(), "the response has no ETag header");
}

#[tokio::test]
async fn view_if_changed_returns_none_on_304() {
    let (service, client) = client(|asked| match asked.header("if-none-match") {
        Some("\"v1.m\"") => plain(304, json!(null)),
        _ => version(200, 2),
    })
    .await;
    let known: Versioned<Itinerary> = Versioned::new(serde_json::from_value(itinerary()).unwrap(), "\"v1.m\"");
    assert_eq!(client.itinerary_view_if_changed(known.id, &known).await.unwrap(), None);
    assert_eq!(client.itinerary_view_if_changed(known.id, "\"v1.m\"").await.unwrap(), None);
    let mut entry = itinerary();
    for (field, value) in [("etag", json!("\"v1.m\"")), ("daysCount", json!(0)), ("stopsCount", json!(0))] {
        entry[field] = value;
    }
    let entry: ListedItinerary = serde_json::from_value(entry).unwrap();
    assert_eq!(client.itinerary_view_if_changed(entry.id, &entry).await.unwrap(), None);
    let changed = client.itinerary_view_if_changed(known.id, "\"v0.m\"").await.unwrap().unwrap();
    assert_eq!(changed.etag(), "\"v2.m\"");
    let asked = &service.asked(ONE)[0];
    assert_eq!(
        (asked.header("authorization"), asked.header("service-itinerary-shape")),
        (Some("Bearer token"), Some("clean"))
    );
}

#[tokio::test]
async fn a_conditional_read_fails_as_any_read_does() {
    let (_service, client) = client(|_| refusal(404, "notFound")).await;
    assert!(client.itinerary_view_if_changed(id(), "\"v1.m\"").await.unwrap_err().is(code::NOT_FOUND));
    // Not a header, so nothing is sent.
    let error = client.itinerary_view_if_changed(id(), "\"v1.m\n\"").await.unwrap_err();
    assert_eq!(error.code(), "invalidRequest");
}

#[tokio::test]
async fn lost_race_reports_the_current_version() {
    let (_service, client) = client(|_| {
        let (status, _, body) = refusal(409, "itineraryModified");
        (status, vec![("etag", "\"v9.m\"".to_owned())], body)
    })
    .await;
    let known: Versioned<Itinerary> = Versioned::new(serde_json::from_value(itinerary()).unwrap(), "\"v1.m\"");
    let error = client.itinerary_update(known.id, known.etag(), titled("t")).send().await.unwrap_err();
    assert!(error.is(code::ITINERARY_MODIFIED));
    assert_eq!(error.current_etag(), Some("\"v9.m\""));
    assert!(client.itinerary_delete(known.id, known.etag()).send().await.unwrap_err().is(code::ITINERARY_MODIFIED));
}

/// Loses so many races, then wins.
fn contended(losses: usize) -> impl Fn(&Asked) -> Answer + Send + Sync {
    let writes = AtomicUsize::new(0);
    move |asked| {
        let lost = asked.method == "PATCH" && writes.fetch_add(1, Ordering::SeqCst) < losses;
        if lost { refusal(409, "itineraryModified") } else { version(200, writes.load(Ordering::SeqCst)) }
    }
}

#[tokio::test]
async fn a_change_is_repeated_until_it_wins() {
    let (service, client) = client(contended(2)).await;
    client.itinerary_update_with(id(), |itinerary| titled(&format!("{}!", itinerary.title))).await.unwrap();
    let writes: Vec<_> = service.asked(ONE).into_iter().filter(|asked| asked.method == "PATCH").collect();
    let versions: Vec<_> = writes.iter().map(|write| write.header("if-match").unwrap()).collect();
    assert_eq!(versions, ["\"v0.m\"", "\"v1.m\"", "\"v2.m\""]);
    let keys: std::collections::BTreeSet<_> =
        writes.iter().map(|write| write.header("idempotency-key").unwrap()).collect();
    assert_eq!(keys.len(), 3, "another patch is another request");
    assert!(writes.iter().all(|write| write.body == r#"{"title":"Lisbon!"}"#));
}

#[tokio::test]
async fn a_change_is_not_repeated_for_ever_nor_for_another_error() {
    let (losing, client_of_losing) = client(contended(usize::MAX)).await;
    let error = client_of_losing.itinerary_update_with(id(), |_| titled("t")).await.unwrap_err();
    assert!(error.is(code::ITINERARY_MODIFIED));
    assert_eq!(losing.asked(ONE).iter().filter(|asked| asked.method == "PATCH").count(), 8);

    let (refusing, client) = client(|asked| match asked.method.as_str() {
        "PATCH" => refusal(409, "conflict"),
        _ => version(200, 1),
    })
    .await;
    assert!(client.itinerary_update_with(id(), |_| titled("t")).await.unwrap_err().is(code::CONFLICT));
    assert_eq!(refusing.asked(ONE).len(), 2);
}

#[tokio::test]
async fn unknown_fields_values_and_error_codes_are_accepted() {
    let (_service, client) = client(|_| {
        let mut later = itinerary();
        later["role"] = json!("guide");
        later["mood"] = json!({ "of": "the day" });
        (200, vec![("etag", "\"v1.m\"".to_owned())], later)
    })
    .await;
    let itinerary = client.itinerary_view(id()).send().await.unwrap();
    assert_eq!((itinerary.role.known(), itinerary.role.to_string()), (None, "guide".to_owned()));
    let (_service, client) = self::client(|_| refusal(403, "fullMoon")).await;
    assert!(client.itinerary_view(id()).send().await.unwrap_err().is("fullMoon"));
}
