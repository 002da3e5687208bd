//! The content of a copy: everything public of its source and nothing else, whoever copies it and however large it is.

use itinerary_tests::app::{App, Stored, WITH_DOCUMENTS};
use itinerary_tests::bodies::{full, minimal, to, with};
use itinerary_tests::{World, api_test};
use serde_json::{Value, json};

use super::{changed, save, saved, seen};
use crate::explore::{account, published};

/// The fields that a copy has.
const TAKEN: [&str; 9] =
    ["title", "summary", "destination", "startDate", "travellers", "tags", "coverImage", "currency", "days"];

/// The lists that a copy does not have.
const LISTS: [&str; 5] = ["flights", "hotels", "expenses", "packing", "documents"];

/// Days without their titles and notes, and without the notes of their stops; any other field as it is.
fn without_notes(field: &Value) -> Value {
    let mut field = field.clone();
    for day in field.as_array_mut().into_iter().flatten().filter_map(Value::as_object_mut) {
        day.remove("title");
        day.remove("notes");
        for stop in day.get_mut("stops").and_then(Value::as_array_mut).into_iter().flatten() {
            stop.as_object_mut().and_then(|stop| stop.remove("notes"));
        }
    }
    field
}

// Copies of a stranger, a member and the owner are equal, even with Pro and every scope: nothing private is copied.
#[api_test(limits = false)]
async fn copy_has_only_the_public_sections(world: World) {
    let ana = App::pro(&world, "ana").await;
    let source = published(&ana, &full()).await;
    let file = json!({ "path": "p", "name": "n", "size": 3 });
    let document = json!([{ "id": "d", "name": "Passport", "category": "passport", "file": file }]);
    let documents = json!({ "documents": document }).to_string();
    world.sql(&format!("UPDATE itineraries SET documents = '{documents}'")).await;
    let source = ana.viewed(&source.id).await;
    for list in LISTS {
        assert_eq!(source.json[list].as_array().map(Vec::len), Some(1), "{list}: there is something to leave out");
    }
    for name in ["sam", "vic", "eva", "ana"] {
        let app = if name == "ana" { ana.clone() } else { App::pro(&world, name).await };
        for (member, role) in [("vic", "viewer"), ("eva", "editor")] {
            if member == name {
                world.member(&source.id, account(&world, name).await, role).await;
                assert_eq!(app.viewed(&source.id).await.json["packing"].as_array().map(Vec::len), Some(1));
            }
        }
        let copy = saved(&app, &source.id).await;
        for field in TAKEN {
            assert_eq!(copy.json[field], without_notes(&source.json[field]), "{name}: {field}");
        }
        let read = app.viewed(&copy.id).await;
        for stored in [&copy, &read] {
            assert_eq!(stored.json.get("origin"), None, "{name}: where the author lives");
            for list in LISTS {
                assert_eq!(stored.json[list], json!([]), "{name}: {list}");
            }
            let text = stored.json.to_string();
            for secret in ["TP1689", "Quinta", "Boots", "Seat", "Passport", "Humberto"] {
                assert!(!text.contains(secret), "{name}: {secret}");
            }
        }
        assert_eq!(copy.json["author"]["username"], name);
        // Nor is it stored where no response shows it.
        let (_, content) = world.stored(&copy.id).await.expect("it is there");
        let stored = [content.everyone, content.members, content.pro, content.documents].concat();
        let stored = String::from_utf8(stored).expect("UTF-8");
        for secret in ["TP1689", "Quinta", "Boots", "Passport", "Humberto", "Lisboa"] {
            assert!(!stored.contains(secret), "{name}: {secret}");
        }
    }
}

// The copy is an ordinary itinerary: everything can be added, according to its owner's plan.
#[api_test(limits = false)]
async fn a_copy_is_changed_like_any_itinerary(world: World) {
    let ana = App::pro(&world, "ana").await;
    let source = published(&ana, &full()).await;
    let ben = App::with_scope(&world, "ben", WITH_DOCUMENTS).await;
    let copy = saved(&ben, &source.id).await;
    assert_eq!((copy.json.get("expenses"), copy.json.get("packing")), (None, None), "ben has no Pro");
    assert_eq!(copy.etag, "\"v1.mds\"");
    let flights = json!({ "flights": full()["flights"], "hotels": full()["hotels"], "origin": full()["origin"] });
    let changed = ben.patched(&copy, &flights).await;
    assert_eq!(changed.json["flights"], source.json["flights"]);
    ben.patch(&changed, &json!({ "packing": [{ "name": "Hat" }] })).await.expect_error(403, "subscriptionRequired");
    let moved = ben.call(reqwest::Method::POST, &format!("/v1/itineraries/{}/days/day-1/stops/stop-1/move", copy.id));
    let moved = moved.json(&json!({ "position": 1 })).header("If-Match", &changed.etag).send().await;
    assert_eq!(Stored::of(&moved).json["days"][0]["stops"][1]["id"], "stop-1");
    assert_eq!(ana.viewed(&source.id).await.json["days"], source.json["days"], "the source stays as it was");
}

// Also the smallest itinerary, and one at sea.
#[api_test(limits = false)]
async fn the_least_is_copied_too(world: World) {
    let (ana, ben) = (App::of(&world, "ana").await, App::of(&world, "ben").await);
    for body in [
        minimal(),
        to("Sea", -40.0, -120.0),
        with(minimal(), json!({ "days": [{ "stops": [{ "name": "Nowhere" }] }] })),
    ] {
        let source = published(&ana, &body).await;
        let copy = saved(&ben, &source.id).await;
        // The copy's cover has its own address.
        for field in TAKEN.into_iter().filter(|field| *field != "coverImage") {
            assert_eq!(copy.json.get(field), source.json.get(field), "{field}");
        }
        assert_eq!(copy.json["coverImage"]["source"], source.json["coverImage"]["source"]);
        let not_placed = body["days"].is_array();
        let attention = &copy.json["needsAttention"];
        let fields: Vec<&Value> = attention.as_array().expect("a list").iter().map(|entry| &entry["field"]).collect();
        assert_eq!(fields, if not_placed { vec!["days[0].stops[0].place.coordinate"] } else { vec![] });
    }
}

/// Days with this many stops in total, fifty per day.
fn days(stops: usize) -> Value {
    let stop = |n: &usize| json!({ "id": format!("stop-{n:04}"), "name": format!("{n:04}{}", "n".repeat(196)) });
    let all: Vec<_> = (0..stops).collect();
    let day = |of: &[usize]| json!({ "stops": of.iter().map(stop).collect::<Vec<_>>() });
    all.chunks(50).map(day).collect()
}

/// How many things are there.
fn count(list: &Value) -> usize {
    list.as_array().expect("a list").len()
}

// A source of 250 KB is copied whole. The private part of a full source leaves room in the copy.
#[api_test(limits = false)]
async fn a_large_source_is_copied_whole(world: World) {
    let (ana, ben) = (App::pro(&world, "ana").await, App::of(&world, "ben").await);
    let measure = published(&ana, &with(minimal(), json!({ "days": days(500) }))).await;
    let most = 500 * 255_000 / world.stored_bytes(&measure.id).await;
    let large = published(&ana, &with(minimal(), json!({ "days": days(most) }))).await;
    let bytes = world.stored_bytes(&large.id).await;
    assert!((250_000..=262_144).contains(&bytes), "{bytes}");
    let copy = saved(&ben, &large.id).await;
    assert_eq!(copy.json["days"], large.json["days"]);
    assert_eq!(ben.viewed(&copy.id).await.json["days"], large.json["days"]);
    assert!(world.stored_bytes(&copy.id).await <= bytes);
    assert_eq!(save(&ben, &large.id).await.json()["days"], large.json["days"]);
    changed(&ben, &copy.id, &json!({ "title": "A title" })).await;
    assert_eq!(seen(&ben, &large.id).await.saves_count, 1);

    let packing: Vec<_> = (0..400).map(|n| json!({ "id": format!("p{n}"), "name": "n".repeat(200) })).collect();
    let full = published(&ana, &with(minimal(), json!({ "days": days(most / 2), "packing": packing }))).await;
    let more = json!({ "days": days(most) });
    ana.patch(&full, &more).await.expect_error(413, "itineraryTooLarge");
    let copy = saved(&ben, &full.id).await;
    assert!(world.stored_bytes(&copy.id).await < 135_000);
    let patched = ben.patched(&copy, &more).await;
    assert_eq!(count(&patched.json["days"]), count(&more["days"]));
    let too_much = json!({ "days": days(most + 100) });
    ben.patch(&patched, &too_much).await.expect_error(413, "itineraryTooLarge");
}
