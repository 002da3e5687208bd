//! Changing: the effect of absent, null and a value for each kind of field; visibility; the plan.

use itinerary_sdk::{Nullable, types};
use itinerary_tests::{World, api_test};
use serde_json::{Value, json};

use super::fixtures::{assert_holds, full, lisbon, minimal, on_day, with};
use super::{App, Stored, WITH_DOCUMENTS, attention, path};

/// An itinerary without the fields that every write changes.
fn content(json: &Value) -> Value {
    let mut content = json.clone();
    let fields = content.as_object_mut().expect("an object");
    fields.remove("needsAttention");
    fields.remove("updatedAt");
    content
}

/// The previous content with these fields replaced.
fn but(stored: &Stored, fields: Value) -> Value {
    with(content(&stored.json), fields)
}

#[api_test(limits = false)]
async fn absent_keeps_null_clears_and_a_value_replaces(world: World) {
    let app = App::pro(&world, "ana").await;
    let mut stored = app.created(&full()).await;
    for (patch, now) in [
        (json!({ "title": "U" }), json!({ "title": "U" })),
        (json!({ "startDate": "2027-10-01", "travellers": 1 }), json!({ "startDate": "2027-10-01", "travellers": 1 })),
        (json!({ "tags": ["z"] }), json!({ "tags": ["z"] })),
        (json!({ "summary": "" }), json!({ "summary": "" })),
        (json!({ "currency": "JPY" }), json!({ "currency": "JPY" })),
        (json!({ "hotels": [{ "id": "h", "name": "n" }] }), json!({ "hotels": [{ "id": "h", "name": "n" }] })),
    ] {
        let changed = app.patched(&stored, &patch).await;
        assert_eq!(content(&changed.json), but(&stored, now), "{patch}");
        assert_eq!(content(&app.viewed(&stored.id).await.json), content(&changed.json), "{patch}");
        stored = changed;
    }
    // Optional fields become absent, and lists empty.
    let optional = ["summary", "origin", "coverImage", "currency"];
    for name in optional {
        let changed = app.patched(&stored, &json!({ name: null })).await;
        let mut expected = content(&stored.json);
        expected.as_object_mut().expect("an object").remove(name).expect("it was there");
        assert_eq!(content(&changed.json), expected, "{name}");
        stored = changed;
    }
    for name in ["tags", "packing", "expenses", "hotels", "flights", "days"] {
        let changed = app.patched(&stored, &json!({ name: null })).await;
        assert_eq!(content(&changed.json), but(&stored, json!({ name: [] })), "{name}");
        stored = changed;
    }
    for name in ["title", "destination", "startDate", "travellers", "visibility"] {
        app.patch(&stored, &json!({ name: null })).await.expect_invalid(name);
    }
}

#[api_test(limits = false)]
async fn objects_merge_and_arrays_replace(world: World) {
    let app = App::pro(&world, "ana").await;
    let mut stored = app.created(&full()).await;
    let nested = |stored: &Stored, pointer: &str, value: Value| {
        let mut json = content(&stored.json);
        *json.pointer_mut(pointer).expect("it is there") = value;
        json
    };
    let latitude = json!({ "destination": { "coordinate": { "latitude": 1.5 } } });
    let changed = app.patched(&stored, &latitude).await;
    assert_eq!(content(&changed.json), nested(&stored, "/destination/coordinate/latitude", json!(1.5)));
    stored = changed;
    let changed = app.patched(&stored, &json!({ "origin": { "address": "Rua 2" } })).await;
    assert_eq!(content(&changed.json), nested(&stored, "/origin/address", json!("Rua 2")));
    stored = changed;
    let changed = app.patched(&stored, &json!({ "coverImage": { "source": "S" } })).await;
    assert_eq!(content(&changed.json), nested(&stored, "/coverImage/source", json!("S")));
    stored = changed;

    // Null inside an object clears optional fields, and is rejected for required ones.
    let patch = json!({ "destination": { "countryCode": null, "address": null }, "coverImage": { "source": null } });
    let changed = app.patched(&stored, &patch).await;
    let mut expected = content(&stored.json);
    for pointer in ["/destination/countryCode", "/destination/address", "/coverImage/source"] {
        let (parent, name) = pointer.rsplit_once('/').expect("a pointer");
        let holder = expected.pointer_mut(parent).and_then(Value::as_object_mut).expect("an object");
        holder.remove(name).expect("it was there");
    }
    assert_eq!(content(&changed.json), expected);
    stored = changed;
    for (patch, named) in [
        (json!({ "destination": { "name": null } }), "destination.name"),
        (json!({ "destination": { "coordinate": null } }), "destination.coordinate"),
        (json!({ "destination": { "coordinate": { "longitude": null } } }), "destination.coordinate.longitude"),
        (json!({ "coverImage": { "url": null } }), "coverImage.url"),
        (json!({ "origin": { "coordinate": { "latitude": null } } }), "origin.coordinate.latitude"),
        (json!({ "destination": [] }), "destination"),
        (json!({ "destination": { "coordinate": { "latitude": 91 } } }), "destination.coordinate.latitude"),
        (json!({ "origin": { "surprise": 1 } }), "origin.surprise"),
    ] {
        app.patch(&stored, &patch).await.expect_invalid(named);
    }

    // A new object must be sent whole.
    stored = app.patched(&stored, &json!({ "origin": null, "coverImage": null })).await;
    app.patch(&stored, &json!({ "coverImage": { "source": "S" } })).await.expect_invalid("coverImage.url");
    let half = json!({ "origin": { "name": "A", "coordinate": { "latitude": 1 } } });
    app.patch(&stored, &half).await.expect_invalid("origin.coordinate.longitude");
    let patch = json!({ "origin": { "name": "A", "code": null }, "coverImage": { "url": "https://a.example" } });
    let changed = app.patched(&stored, &patch).await;
    let whole = json!({ "origin": { "name": "A" }, "coverImage": { "url": "https://a.example" } });
    assert_eq!(content(&changed.json), but(&stored, whole));
    stored = changed;

    // Array entries are replaced, not merged: fields that are not sent are gone.
    let flights = json!([{ "id": "flight-1", "gateNumber": "9" }]);
    let changed = app.patched(&stored, &json!({ "flights": flights })).await;
    assert_eq!(content(&changed.json), but(&stored, json!({ "flights": flights })));
}

#[api_test]
async fn patch_with_the_read_itinerary_keeps_its_content(world: World) {
    for (name, body) in [("ana", full()), ("ben", lisbon())] {
        let app = if name == "ana" { App::pro(&world, name).await } else { App::of(&world, name).await };
        let created = app.created(&body).await;
        let read = app.viewed(&created.id).await;
        let again = app.patched(&read, &read.json).await;
        assert_eq!(content(&again.json), content(&read.json));
        // Also in the response to a write, and with the other media type.
        let call = app.call(reqwest::Method::PATCH, &path(&again.id)).header("If-Match", &again.etag);
        let response = call.body("application/merge-patch+json", again.json.to_string()).send().await;
        assert_eq!(content(&Stored::of(&response).json), content(&read.json));
    }
}

#[api_test]
async fn documents_are_not_changed_by_a_change(world: World) {
    let app = App::with_scope(&world, "ana", WITH_DOCUMENTS).await;
    let stored = app.created(&minimal()).await;
    let stored = app.patched(&stored, &json!({ "documents": [] })).await;
    let document = json!({ "id": "d", "name": "Pass", "file": { "path": "p", "name": "n", "size": 1 } });
    app.patch(&stored, &json!({ "documents": [document] })).await.expect_invalid("documents");
    assert_eq!(app.viewed(&stored.id).await.json["documents"], json!([]));
}

#[api_test]
async fn the_sdk_says_null_and_absent(world: World) {
    let client = world.client("ana").await;
    let trip: types::ItineraryCreate = serde_json::from_value(lisbon()).expect("typed");
    let created = client.itinerary_create(trip).send().await.expect("created");
    let patch = types::ItineraryPatch {
        summary: Some(Nullable::Null),
        origin: Some(Nullable::Value(types::PlacePatch { address: Some(Nullable::Null), ..Default::default() })),
        travellers: Some(5),
        ..Default::default()
    };
    let changed = client.itinerary_update(created.id, created.etag(), patch).send().await.expect("changed");
    assert_eq!((changed.summary.as_ref(), changed.travellers), (None, 5));
    let origin = changed.origin.as_ref().expect("an origin");
    assert_eq!((origin.name.as_deref(), origin.address.as_ref()), (Some("Amsterdam"), None));
    assert_eq!((changed.days.len(), &changed.title), (7, &created.title));
}

#[api_test(limits = false)]
async fn without_pro_its_sections_come_back_as_they_are(world: World) {
    let app = App::pro(&world, "ana").await;
    let sections = json!({ "expenses": full()["expenses"], "packing": full()["packing"] });
    let stored = app.created(&full()).await;
    world.set_plan("ana", itinerary_model::Plan::Free).await;
    let read = app.viewed(&stored.id).await;
    assert_eq!((read.json.get("expenses"), read.json.get("packing")), (None, None));
    let mut at = app.patched(&read, &read.json).await;
    // An app may send back sections that it has kept, but unchanged.
    at = app.patched(&at, &with(sections.clone(), json!({ "title": "T" }))).await;
    assert_eq!(at.json.get("expenses"), None);
    let mut changed = sections.clone();
    changed["packing"][0]["quantity"] = json!(9);
    let refused = app.patch(&at, &changed).await;
    assert_eq!(refused.expect_error(403, "subscriptionRequired")["section"], "packing");
    // Nothing, which is what it receives now, is no change.
    for value in [json!([]), Value::Null] {
        at = app.patched(&at, &json!({ "expenses": value, "packing": value })).await;
    }
    // The data survives all changes and is shown again with Pro.
    at = app.patched(&at, &json!({ "summary": "changed while free" })).await;
    world.set_plan("ana", itinerary_model::Plan::Pro).await;
    let back = app.viewed(&at.id).await;
    assert_holds(&back.json, &sections);
    assert_eq!(back.json["summary"], "changed while free");
    app.patched(&back, &json!({ "expenses": [], "packing": null })).await;

    // The responses are the same where nothing is stored, so that they do not reveal whether something is.
    let free = App::of(&world, "ben").await;
    let mut stored = free.created(&minimal()).await;
    for value in [json!([]), Value::Null] {
        stored = free.patched(&stored, &json!({ "expenses": value, "packing": value, "documents": value })).await;
    }
    for section in ["expenses", "packing"] {
        let refused = free.patch(&stored, &json!({ section: full()[section] })).await;
        assert_eq!(refused.expect_error(403, "subscriptionRequired")["section"], section);
    }
}

#[api_test]
async fn the_owner_says_who_sees_it_and_the_first_showing_is_remembered(world: World) {
    let app = App::of(&world, "ana").await;
    let mut stored = app.created(&minimal()).await;
    let entry = || async { app.list("").await.json()["data"][0].clone() };
    assert_eq!(entry().await.get("publishedAt"), None);
    let mut shown = None;
    for (visibility, first_shown) in [
        ("private", None),
        ("unlisted", None),
        ("followers", Some("2027-01-10T12:02:00.000Z")),
        ("private", None),
        ("public", None),
        ("unlisted", None),
    ] {
        stored = app.patched(&stored, &json!({ "visibility": visibility })).await;
        assert_eq!((&stored.json["visibility"], &stored.json["role"]), (&json!(visibility), &json!("owner")));
        shown = shown.or(first_shown);
        let entry = entry().await;
        assert_eq!(entry["visibility"], visibility);
        assert_eq!(entry.get("publishedAt").and_then(Value::as_str), shown, "{visibility}");
        world.clock.advance(chrono::TimeDelta::minutes(1));
    }
    assert_eq!(stored.etag, "\"v6.m\"", "the first changes nothing");
    app.patch(&stored, &json!({ "visibility": "everyone" })).await.expect_invalid("visibility");
}

#[api_test]
async fn others_who_see_it_may_not_change_it(world: World) {
    let (app, other) = (App::of(&world, "ana").await, App::of(&world, "ben").await);
    let stored = app.created(&minimal()).await;
    let stored = app.patched(&stored, &json!({ "visibility": "public" })).await;
    let read = other.viewed(&stored.id).await;
    assert_eq!((read.json["role"].as_str(), read.etag.as_str()), (Some("viewer"), "\"v2.e\""));
    for body in [json!({ "title": "T" }), json!({}), json!({ "visibility": "public" }), read.json.clone()] {
        other.patch(&read, &body).await.expect_error(403, "forbidden");
    }
    other.delete(&read).await.expect_error(403, "forbidden");
    assert_eq!(app.viewed(&stored.id).await.etag, stored.etag);
    // The ETag of any view names the version, so an owner may use another reader's.
    app.patched(&read, &json!({ "title": "T" })).await;
}

#[api_test]
async fn a_change_is_dated_and_the_response_says_what_needs_attention(world: World) {
    let app = App::of(&world, "ana").await;
    let stored = app.created(&on_day(1)).await;
    world.clock.advance(chrono::TimeDelta::milliseconds(61_250));
    let changed = app.patched(&stored, &json!({ "days": [{ "stops": [{ "name": "A" }] }] })).await;
    assert_eq!(changed.json["createdAt"], "2027-01-10T12:00:00.000Z");
    assert_eq!(changed.json["updatedAt"], "2027-01-10T12:01:01.250Z");
    assert_eq!(attention(&changed.json), [("days[0].stops[0].place.coordinate".to_owned(), "notPlaced".to_owned())]);
    assert_eq!(app.viewed(&stored.id).await.json["updatedAt"], "2027-01-10T12:01:01.250Z");
}
