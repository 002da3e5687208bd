//! Creating and listing links: what is stored and returned, limits, retries.

use chrono::{Months, SecondsFormat, TimeDelta};
use futures::future::join_all;
use itinerary_core::clock::Clock;
use itinerary_sdk::types::{LinkCreate, LinkSections};
use itinerary_sdk::{ErrorExt, code};
use itinerary_tests::app::{App, key};
use itinerary_tests::bodies::{minimal, on_day};
use itinerary_tests::{World, api_test, sql};
use reqwest::Method;
use serde_json::json;

use super::{create_call, created, labelled, links_of, listed, read};

fn uuid(id: &str) -> uuid::Uuid {
    id.parse().expect("a UUID")
}

// W-14: the address is shown once.
#[api_test]
async fn a_link_is_created_with_its_address_and_listed_without(world: World) {
    let (app, client) = (App::of(&world, "ana").await, world.client("ana").await);
    let trip = app.created(&minimal()).await;
    let id = uuid(&trip.id);
    let plan = client.links().create(id, LinkCreate::new("Parents")).send().await.expect("created");
    let url = plan.url.clone().expect("the address");
    assert!(url.starts_with(&format!("{}/t/itn_link_", world.base_url)), "{url}");
    assert_eq!((plan.label.as_str(), plan.expires_at), ("Parents", None));
    assert_eq!(plan.sections, LinkSections::Plan);
    assert_eq!(plan.created_at.to_utc(), world.clock.now());
    world.clock.advance(TimeDelta::seconds(1));
    let end = world.clock.now() + TimeDelta::days(30);
    let body = LinkCreate::new("Neighbours").sections(LinkSections::Bookings).expires_at(end);
    let bookings = client.links().create(id, body).send_raw().await.expect("created");
    assert_eq!(bookings.status().as_u16(), 201);
    assert!(bookings.headers().get("etag").is_none() && bookings.headers().get("location").is_none());
    assert_eq!(bookings.expires_at.map(|end| end.to_utc()), Some(end));
    assert_ne!(bookings.url, plan.url);

    let list = client.links().list(id).send().await.expect("listed").data;
    let told: Vec<_> = list.iter().map(|link| (link.id, link.label.as_str(), link.url.clone())).collect();
    assert_eq!(told, [(plan.id, "Parents", None), (bookings.id, "Neighbours", None)], "oldest first");
    assert_eq!(list[1].sections, LinkSections::Bookings);
    assert_eq!(app.viewed(&trip.id).await.etag, trip.etag, "a link is no change");
    let rows = sql::dump(world.database_url()).await;
    let secret = url.rsplit('/').next().expect("a secret");
    assert!(rows.iter().any(|(table, _)| table == "links"));
    assert!(!rows.iter().any(|(_, row)| row.contains(secret)), "only its hash is stored");

    let offset = json!({ "label": "Offset", "expiresAt": "2028-02-29T01:30:00.5+02:00", "sections": null });
    let (link, _) = created(&app, &trip.id, &offset).await;
    assert_eq!((&link["expiresAt"], &link["sections"]), (&json!("2028-02-28T23:30:00.500Z"), &json!("plan")));
    let (link, _) = created(&app, &trip.id, &json!({ "label": "é".repeat(100), "expiresAt": null })).await;
    assert!(link.get("expiresAt").is_none(), "{link}");
}

#[api_test(limits = false)]
async fn invalid_links_are_rejected_by_field(world: World) {
    let app = App::of(&world, "ana").await;
    let trip = app.created(&minimal()).await;
    let now = world.clock.now();
    let at = |time: chrono::DateTime<chrono::Utc>| time.to_rfc3339_opts(SecondsFormat::Millis, true);
    let latest = now.checked_add_months(Months::new(120)).expect("a time");
    for (body, field) in [
        (json!({}), "label"),
        (json!({ "label": null }), "label"),
        (json!({ "label": "" }), "label"),
        (json!({ "label": "é".repeat(101) }), "label"),
        (json!({ "label": "a\u{0}" }), "label"),
        (json!({ "label": 1 }), "label"),
        (json!({ "label": "a", "sections": "all" }), "sections"),
        (json!({ "label": "a", "sections": "Plan" }), "sections"),
        (json!({ "label": "a", "sections": ["plan"] }), "sections"),
        (json!({ "label": "a", "expiresAt": "tomorrow" }), "expiresAt"),
        (json!({ "label": "a", "expiresAt": "2028-02-30T00:00:00Z" }), "expiresAt"),
        (json!({ "label": "a", "expiresAt": "2028-02-01T00:00:00" }), "expiresAt"),
        (json!({ "label": "a", "expiresAt": 1_900_000_000 }), "expiresAt"),
        (json!({ "label": "a", "expiresAt": at(now) }), "expiresAt"),
        (json!({ "label": "a", "expiresAt": at(now - TimeDelta::seconds(1)) }), "expiresAt"),
        (json!({ "label": "a", "expiresAt": at(latest + TimeDelta::milliseconds(1)) }), "expiresAt"),
        (json!({ "label": "a", "url": "https://itineraries.example/t/x" }), "url"),
        (json!({ "label": "a", "id": key() }), "id"),
    ] {
        let response = create_call(&app, &trip.id, &body).send().await;
        assert_eq!(response.status, 422, "{body}: {}", response.text());
        response.expect_invalid(field);
    }
    for body in ["", "[]", "null", "{", r#"{"label":"a","label":"b"}"#] {
        let call = app.call(Method::POST, &links_of(&trip.id)).body("application/json", body);
        call.send().await.expect_error(422, "validationFailed");
    }
    assert_eq!(listed(&app, &trip.id).await.len(), 0);
    created(&app, &trip.id, &json!({ "label": "soon", "expiresAt": at(now + TimeDelta::milliseconds(1)) })).await;
    created(&app, &trip.id, &json!({ "label": "late", "expiresAt": at(latest) })).await;
}

#[api_test]
async fn labels_tell_the_links_of_an_itinerary_apart(world: World) {
    let (app, client) = (App::of(&world, "ana").await, world.client("ana").await);
    let (trip, other) = (app.created(&on_day(1)).await, app.created(&on_day(2)).await);
    let (first, path) = created(&app, &trip.id, &json!({ "label": "Parents" })).await;
    let taken = create_call(&app, &trip.id, &json!({ "label": "Parents", "sections": "bookings" })).send().await;
    assert_eq!(taken.expect_error(409, "conflict")["field"], "label");
    let error = client.link_create(uuid(&trip.id), LinkCreate::new("Parents")).send().await.expect_err("taken");
    assert!(error.is(code::CONFLICT));
    labelled(&app, &trip.id, "parents", "plan").await;
    labelled(&app, &other.id, "Parents", "plan").await;
    assert_eq!(read(&world, &path).await.status, 200, "the link that has the label is unchanged");
    let delete = app.call(Method::DELETE, &format!("{}/{}", links_of(&trip.id), first["id"].as_str().expect("an id")));
    assert_eq!(delete.send().await.status, 204);
    labelled(&app, &trip.id, "Parents", "plan").await;
}

// Ended links count until they are deleted.
// W-15: at most 20 links, told apart by their labels.
#[api_test(limits = false)]
async fn an_itinerary_has_at_most_twenty_links(world: World) {
    let app = App::of(&world, "ana").await;
    let (trip, other) = (app.created(&on_day(1)).await, app.created(&on_day(2)).await);
    let end = (world.clock.now() + TimeDelta::seconds(1)).to_rfc3339();
    for n in 0..8 {
        created(&app, &trip.id, &json!({ "label": format!("ended {n}"), "expiresAt": end })).await;
    }
    world.clock.advance(TimeDelta::seconds(2));
    let bodies: Vec<_> = (0..24).map(|n| json!({ "label": format!("link {n}") })).collect();
    let calls = bodies.iter().map(|body| create_call(&app, &trip.id, body).send());
    let responses = join_all(calls).await;
    assert_eq!(responses.iter().filter(|response| response.status == 201).count(), 12);
    for refused in responses.iter().filter(|response| response.status != 201) {
        assert!(refused.expect_error(409, "conflict").is_null(), "{}", refused.text());
        let message = refused.json()["error"]["message"].as_str().expect("a message").to_owned();
        assert!(message.contains("quota of 20 secret links"), "{message}");
    }
    assert_eq!(listed(&app, &trip.id).await.len(), 20);
    created(&app, &other.id, &json!({ "label": "link 0" })).await;
    let ended = listed(&app, &trip.id).await[0]["id"].as_str().expect("an id").to_owned();
    assert_eq!(app.call(Method::DELETE, &format!("{}/{ended}", links_of(&trip.id))).send().await.status, 204);
    created(&app, &trip.id, &json!({ "label": "one more" })).await;
    create_call(&app, &trip.id, &json!({ "label": "too many" })).send().await.expect_error(409, "conflict");
}

#[api_test(limits = false)]
async fn one_of_equal_labels_at_once_is_created(world: World) {
    let app = App::of(&world, "ana").await;
    let trip = app.created(&minimal()).await;
    let body = json!({ "label": "Parents" });
    let responses = join_all((0..24).map(|_| create_call(&app, &trip.id, &body).send())).await;
    assert_eq!(responses.iter().filter(|response| response.status == 201).count(), 1);
    for refused in responses.iter().filter(|response| response.status != 201) {
        assert_eq!(refused.expect_error(409, "conflict")["field"], "label");
    }
}

#[api_test(limits = false)]
async fn a_retry_gets_the_link_without_its_address(world: World) {
    let app = App::of(&world, "ana").await;
    let trip = app.created(&minimal()).await;
    let (key, body) = (key(), json!({ "label": "Parents", "sections": "bookings" }));
    let send = |body| create_call(&app, &trip.id, body).header("Idempotency-Key", &key).send();
    let first = send(&body).await;
    let url = first.json()["url"].as_str().expect("an address").to_owned();
    let secret = url.rsplit('/').next().expect("a secret");
    let rows = sql::dump(world.database_url()).await;
    assert!(!rows.iter().any(|(_, row)| row.contains(secret)), "no stored response has it");
    for _ in 0..2 {
        let again = send(&body).await;
        assert_eq!((again.status.as_u16(), again.header("idempotency-replayed")), (201, "true"));
        let mut expected = first.json();
        expected.as_object_mut().expect("an object").remove("url");
        assert_eq!(again.json(), expected);
    }
    send(&json!({ "label": "Others" })).await.expect_error(422, "idempotencyKeyReused");
    assert_eq!(listed(&app, &trip.id).await.len(), 1);
    // A retry while the first request runs.
    let twice = itinerary_tests::app::key();
    let body = json!({ "label": "Neighbours" });
    let calls = (0..8).map(|_| create_call(&app, &trip.id, &body).header("Idempotency-Key", &twice).send());
    let responses = join_all(calls).await;
    assert!(responses.iter().all(|response| response.status == 201));
    assert_eq!(responses.iter().filter(|response| response.json().get("url").is_some()).count(), 1);
    // A rejected request stores nothing.
    let third = itinerary_tests::app::key();
    let send = |body| create_call(&app, &trip.id, body).header("Idempotency-Key", &third).send();
    send(&body).await.expect_error(409, "conflict");
    assert!(send(&json!({ "label": "Uncle" })).await.json()["url"].is_string());
}
