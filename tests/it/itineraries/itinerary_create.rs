//! Creating: the response has what was sent and what the server adds; dry runs; fields that a create may not contain.

use itinerary_sdk::{ApiError, Created, ErrorExt, code, types};
use itinerary_tests::{World, api_test};
use serde_json::{Value, json};

use super::fixtures::{assert_holds, full, lisbon, minimal, on_day, with};
use super::{App, Stored, WITH_DOCUMENTS, attention, ids, key, path};

// H-05, H-36: the response has everything that the next write needs.
#[api_test]
async fn the_lisbon_trip_is_created_in_one_request_and_its_tag_is_good_for_the_next_write(world: World) {
    let client = world.client("ana").await;
    let trip: types::ItineraryCreate = serde_json::from_value(lisbon()).expect("the example is typed");
    let response = client.itinerary_create(trip.clone()).send_raw().await.expect("created");
    let created = Created::try_from(response).expect("a place and a version");
    assert_eq!((created.itinerary.etag(), created.replayed), ("\"v1.m\"", false));
    assert_eq!(created.location, path(&created.itinerary.id.to_string()));
    let read = client.itinerary_view(created.itinerary.id).send().await.expect("read");
    assert_eq!(read.etag(), created.itinerary.etag());
    let text = |value: &types::Itinerary| serde_json::to_value(value).expect("plain data");
    let mut answered = text(&created.itinerary);
    assert_eq!(attention(&answered), []);
    answered.as_object_mut().expect("an object").remove("needsAttention");
    assert_eq!(text(&read), answered);
    assert_holds(&answered, &serde_json::to_value(&trip).expect("plain data"));

    let patch = types::ItineraryPatch { title: Some("Lisboa".to_owned()), ..Default::default() };
    let changed =
        client.itinerary_update(created.itinerary.id, created.itinerary.etag(), patch).send().await.expect("changed");
    assert_eq!((changed.etag(), changed.title.as_str()), ("\"v2.m\"", "Lisboa"));
    client.itinerary_delete(changed.id, changed.etag()).send().await.expect("its tag is good too");

    // Compares the JSON: offsets as they were sent, and nothing added but what the server fills in.
    let app = App::of(&world, "ana").await;
    let response = app.create(&lisbon()).await;
    let stored = Stored::of(&response);
    assert_eq!(response.header("location"), path(&stored.id));
    let read = app.viewed(&stored.id).await.json;
    assert_holds(&read, &lisbon());
    let mut added: Vec<_> = read.as_object().expect("an object").keys().collect();
    added.retain(|name| lisbon().get(name.as_str()).is_none());
    let server =
        ["author", "coverImage", "createdAt", "id", "likesCount", "role", "updatedAt", "viewsCount", "visibility"];
    assert_eq!(added, server);
    for part in ["destination", "origin", "days", "flights", "hotels", "tags"] {
        assert_eq!(sorted(&read[part]), sorted(&lisbon()[part]), "{part}");
    }
}

/// JSON with numbers as doubles, so that 5 equals 5.0.
fn sorted(value: &Value) -> Value {
    match value {
        Value::Number(number) => json!(number.as_f64()),
        Value::Array(items) => items.iter().map(sorted).collect(),
        Value::Object(fields) => fields.iter().map(|(name, field)| (name.clone(), sorted(field))).collect(),
        other => other.clone(),
    }
}

#[api_test]
async fn ids_are_made_where_none_were_sent_and_kept_where_they_were(world: World) {
    let app = App::pro(&world, "ana").await;
    let mut body = full();
    let places =
        ["/days/0", "/days/0/stops/0", "/days/0/stops/1", "/flights/0", "/hotels/0", "/expenses/0", "/packing/0"];
    for place in places {
        let item = body.pointer_mut(place).and_then(Value::as_object_mut).expect("an item");
        item.remove("id");
        item.remove("belongsTo");
    }
    body["days"][0]["legs"] = json!([]);
    let stored = app.created(&body).await;
    let made: std::collections::BTreeSet<_> = places
        .iter()
        .map(|place| stored.json.pointer(place).expect("an item")["id"].as_str().expect("an id"))
        .collect();
    assert_eq!(made.len(), places.len(), "{made:?}");
    let good =
        |id: &&str| (1..=64).contains(&id.len()) && id.bytes().all(|b| b.is_ascii_alphanumeric() || b"_-".contains(&b));
    assert!(made.iter().all(good), "{made:?}");
    assert_eq!(app.viewed(&stored.id).await.json["days"][0]["stops"], stored.json["days"][0]["stops"]);
    // Defaults of absent fields.
    let packing = json!([{ "name": "Hat" }]);
    let packing = &app.patched(&stored, &json!({ "packing": packing })).await.json["packing"][0];
    assert_eq!((&packing["quantity"], &packing["isPacked"]), (&json!(1), &json!(false)));
}

#[api_test]
async fn a_dry_run_checks_and_fills_everything_and_stores_nothing(world: World) {
    let app = App::of(&world, "ana").await;
    let key = key();
    let dry = app.create_call("?dryRun=true", &minimal()).header("Idempotency-Key", &key).send().await;
    assert_eq!(dry.status, 200, "{}", dry.text());
    assert_eq!((dry.header("etag"), dry.header("location")), ("", ""));
    assert_eq!(dry.json()["title"], "Trip to Lisbon");
    assert!(attention(&dry.json()).contains(&("startDate".to_owned(), "assumed".to_owned())));
    assert!(app.listed("").await.is_empty());
    app.view(dry.json()["id"].as_str().expect("an id")).await.expect_error(404, "notFound");

    // A dry run uses no key, and returns the errors that a create would.
    let stored = app.create_call("?dryRun=false", &minimal()).header("Idempotency-Key", &key).send().await;
    assert_eq!((stored.status.as_u16(), stored.header("idempotency-replayed")), (201, ""));
    let refused = app.create_call("?dryRun=true", &minimal()).send().await;
    assert_eq!(refused.expect_error(409, "duplicateItinerary")["itineraryId"], stored.json()["id"]);
    app.create_call("?dryRun=true", &json!({})).send().await.expect_invalid("destination");
    let plan = app.create_call("?dryRun=true", &with(on_day(2), json!({ "packing": [] }))).send().await;
    assert_eq!(plan.expect_error(403, "subscriptionRequired")["section"], "packing");
    app.create_call("?dryRun=perhaps", &on_day(2)).send().await.expect_invalid("dryRun");
    app.create_call("?allowDuplicate=yes", &on_day(2)).send().await.expect_invalid("allowDuplicate");
    for spelling in ["1", "True"] {
        let dry = app.create_call(&format!("?dryRun={spelling}"), &on_day(2)).send().await;
        assert_eq!(dry.status, 200, "{spelling}: {}", dry.text());
    }
    app.create_call("?dryRun=true&dryRun=true", &on_day(2)).send().await.expect_invalid("dryRun");
    let unknown = app.create_call("?surprise=1&surprise=2", &on_day(2)).send().await;
    assert_eq!(unknown.status, 201, "unknown parameters are ignored: {}", unknown.text());
}

#[api_test]
async fn a_new_itinerary_has_no_documents_and_is_private(world: World) {
    let app = App::with_scope(&world, "ana", WITH_DOCUMENTS).await;
    let document = json!({ "id": "d", "name": "Pass", "file": { "path": "p", "name": "n", "size": 1 } });
    app.create(&with(minimal(), json!({ "documents": [document] }))).await.expect_invalid("documents");
    app.create(&with(minimal(), json!({ "documents": [{}] }))).await.expect_invalid("documents[0].id");
    let stored = app.created(&with(minimal(), json!({ "documents": [], "visibility": "private" }))).await;
    assert_eq!((&stored.json["documents"], stored.etag.as_str()), (&json!([]), "\"v1.md\""));
    for visibility in ["followers", "unlisted", "public"] {
        app.create(&with(on_day(2), json!({ "visibility": visibility }))).await.expect_invalid("visibility");
    }
}

#[api_test]
async fn create_accepts_a_read_itinerary_and_ignores_read_only_fields(world: World) {
    let app = App::pro(&world, "ana").await;
    let first = app.viewed(&app.created(&full()).await.id).await;
    world.clock.advance(chrono::TimeDelta::minutes(5));
    let mut body = first.json.clone();
    body["likesCount"] = json!(-7);
    body["savedFrom"] = json!({ "itineraryId": first.id, "author": ["x"] });
    body["needsAttention"] = json!([1, { "a": null }]);
    body["viewsCount"] = json!("many");
    let response = app.create_call("?allowDuplicate=true", &body).send().await;
    let second = Stored::of(&response);
    assert_ne!(second.id, first.id);
    assert_eq!(second.json["createdAt"], "2027-01-10T12:05:00.000Z");
    assert_eq!((&second.json["likesCount"], &second.json["viewsCount"]), (&json!(0), &json!(0)));
    assert_eq!(second.json.get("savedFrom"), None);
    assert_eq!(attention(&second.json), []);
    assert_eq!(ids(&app.list("").await.json()), [second.id, first.id]);
}

#[api_test]
async fn expenses_and_packing_need_pro_even_when_they_are_empty(world: World) {
    let app = App::of(&world, "ana").await;
    let some = |section: &str| full()[section].clone();
    for section in ["expenses", "packing"] {
        for value in [json!([]), Value::Null, some(section)] {
            let response = app.create(&with(minimal(), json!({ section: value }))).await;
            assert_eq!(response.expect_error(403, "subscriptionRequired")["section"], section);
        }
    }
    let both = app.create(&with(minimal(), json!({ "packing": [], "expenses": [] }))).await;
    assert_eq!(both.expect_error(403, "subscriptionRequired")["section"], "expenses");
    assert!(app.listed("").await.is_empty());
    let client = world.client("ana").await;
    let trip = with(lisbon(), json!({ "packing": some("packing") }));
    let trip: types::ItineraryCreate = serde_json::from_value(trip).expect("typed");
    let error: ApiError = client.itinerary_create(trip).send().await.expect_err("not Pro");
    assert!(error.is(code::SUBSCRIPTION_REQUIRED));

    // A change of plan takes effect with the next request, with the same token.
    world.set_plan("ana", itinerary_model::Plan::Pro).await;
    let stored = app.created(&with(minimal(), json!({ "packing": [], "expenses": null }))).await;
    assert_eq!((&stored.json["expenses"], &stored.json["packing"]), (&json!([]), &json!([])));
    assert_eq!(stored.etag, "\"v1.mp\"");
}
