//! Ids of days and stops: made if absent, kept if sent, unique within the itinerary, and not found under another
//! parent.

use std::collections::BTreeSet;

use itinerary_model::Plan;
use itinerary_sdk::types::{DayInput, DayPatch, StopInput, StopMove, StopPatch};

use itinerary_tests::app::App;
use itinerary_tests::{World, api_test};
use reqwest::Method;
use serde_json::{Value, json};

use super::{Trip, at, stop, three_days, typed};

#[api_test]
async fn ids_are_made_when_left_out_and_kept_when_sent(world: World) {
    let mut trip = Trip::start(&world, three_days()).await;
    let nameless = || json!({ "name": "n" });
    let day = json!({ "stops": [nameless(), stop("kept"), nameless()] });
    trip.wrote(trip.day_add(typed::<DayInput>(day)).send().await).await;
    trip.wrote(trip.stop_add("d3", typed::<StopInput>(nameless())).send().await).await;
    let replaced = typed::<DayPatch>(json!({ "stops": [stop("x"), nameless()] }));
    trip.wrote(trip.day_update("d2", replaced).send().await).await;
    let made_day = trip.days()[3].to_owned();
    assert_eq!((trip.days()[..3].to_vec(), trip.stops(&made_day)[1]), (vec!["d1", "d2", "d3"], "kept"));
    let made =
        [&made_day, trip.stops(&made_day)[0], trip.stops(&made_day)[2], trip.stops("d3")[0], trip.stops("d2")[1]];
    for id in made {
        let plain = id.chars().all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '-');
        assert!(plain && (1..=64).contains(&id.len()), "{id}");
    }
    assert_eq!(made.iter().collect::<BTreeSet<_>>().len(), made.len());
    // Made ids work like sent ones, including the longest and the strangest.
    let made_stop = trip.stops(&made_day)[0].to_owned();
    trip.wrote(trip.stop_remove(&made_day, &made_stop).send().await).await;
    for id in ["a".repeat(64), "-_-".to_owned(), "0".to_owned(), "move".to_owned()] {
        trip.wrote(trip.stop_add("d3", typed::<StopInput>(stop(&id))).send().await).await;
        trip.wrote(trip.stop_move("d3", &id, StopMove::default()).send().await).await;
        trip.wrote(trip.stop_remove("d3", &id).send().await).await;
    }
}

/// An itinerary of a traveller with Pro, with one entry of every kind.
async fn one_of_everything(world: &World) -> Trip {
    world.pro_account("ana").await;
    let fields = json!({
        "days": three_days(),
        "flights": [{ "id": "f", "gateNumber": "1" }],
        "hotels": [{ "id": "h", "name": "n" }],
        "expenses": [{ "id": "e", "name": "n", "cost": { "amount": 1 } }],
        "packing": [{ "id": "p", "name": "n" }],
    });
    Trip::with(world, fields).await
}

// Even if the other entry is in a section that the caller is not shown.
#[api_test(limits = false)]
async fn an_id_is_taken_once_in_an_itinerary(world: World) {
    let trip = one_of_everything(&world).await;
    for plan in [Plan::Pro, Plan::Free] {
        world.set_plan("ana", plan).await;
        for taken in ["d1", "d3", "a", "y", "f", "h", "e", "p"] {
            let day = |day: Value| typed::<DayInput>(day);
            let add = trip.day_add(day(json!({ "id": taken }))).position(0);
            trip.refused(add.send().await, "id").await;
            let add = trip.day_add(day(json!({ "stops": [stop("new"), stop(taken)] })));
            trip.refused(add.send().await, "stops[1].id").await;
            for position in [0, 1] {
                let add = trip.stop_add("d2", typed::<StopInput>(stop(taken))).position(position);
                trip.refused(add.send().await, "id").await;
            }
        }
        for taken in ["d1", "d2", "a", "f", "e"] {
            let stops = typed::<DayPatch>(json!({ "stops": [stop("y"), stop(taken)] }));
            trip.refused(trip.day_update("d2", stops).send().await, "stops[1].id").await;
        }
    }
    // Within one body.
    for (body, field) in [
        (json!({ "stops": [stop("n"), stop("n")] }), "stops[1].id"),
        (json!({ "id": "n", "stops": [stop("m"), stop("n")] }), "stops[1].id"),
    ] {
        trip.refused(trip.day_add(typed::<DayInput>(body)).send().await, field).await;
    }
    let twice = typed::<DayPatch>(json!({ "stops": [stop("x"), stop("n"), stop("x")] }));
    trip.refused(trip.day_update("d2", twice).send().await, "stops[2].id").await;
}

#[api_test]
async fn a_thing_keeps_its_id(world: World) {
    let mut trip = Trip::start(&world, three_days()).await;
    for other in ["other", "D1", "d2"] {
        let patch = typed::<DayPatch>(json!({ "id": other }));
        trip.refused(trip.day_update("d1", patch).send().await, "id").await;
    }
    for other in ["other", "A", "b"] {
        let patch = typed::<StopPatch>(json!({ "id": other }));
        trip.refused(trip.stop_update("d1", "a", patch).send().await, "id").await;
    }
    let app = App::of(&world, "ana").await;
    for rest in ["/days/d1", "/days/d1/stops/a"] {
        let call = at(&app, Method::PATCH, &trip.now.id.to_string(), rest).json(&json!({ "id": null }));
        call.header("If-Match", trip.now.etag()).send().await.expect_invalid("id");
    }
    trip.unchanged().await;
    let before = trip.now.days.clone();
    trip.wrote(trip.day_update("d1", typed::<DayPatch>(json!({ "id": "d1" }))).send().await).await;
    trip.wrote(trip.stop_update("d1", "a", typed::<StopPatch>(json!({ "id": "a" }))).send().await).await;
    assert_eq!(trip.now.days, before);
    // An itinerary that was read can be sent back.
    let read = serde_json::to_value(&before[0]).expect("JSON");
    trip.wrote(trip.stop_update("d1", "b", typed::<StopPatch>(read["stops"][1].clone())).send().await).await;
    trip.wrote(trip.day_update("d1", typed::<DayPatch>(read)).send().await).await;
    assert_eq!(trip.now.days, before);
}

#[api_test]
async fn a_capital_is_another_letter(world: World) {
    let mut trip = Trip::start(&world, three_days()).await;
    trip.not_found(trip.day_remove("D1").send().await).await;
    trip.not_found(trip.stop_remove("d1", "A").send().await).await;
    trip.wrote(trip.day_add(typed::<DayInput>(json!({ "id": "D1" }))).send().await).await;
    trip.wrote(trip.stop_add("D1", typed::<StopInput>(stop("A"))).send().await).await;
    let renamed = StopPatch { name: Some("Capital".to_owned()), ..StopPatch::default() };
    trip.wrote(trip.stop_update("D1", "A", renamed).send().await).await;
    assert_eq!((&*trip.stop("D1", "A").name, &*trip.stop("d1", "a").name), ("Capital", "Stop a"));
    trip.wrote(trip.day_remove("D1").send().await).await;
    assert_eq!((trip.days(), trip.stops("d1")), (vec!["d1", "d2", "d3"], vec!["a", "b", "c", "d"]));
}

// Ids that do not exist, of other kinds, and of a stop of another day.
#[api_test(limits = false)]
async fn unknown_day_and_stop_ids_are_not_found(world: World) {
    let trip = one_of_everything(&world).await;
    for day in ["d4", "a", "h", "f", "e", "d1-"] {
        trip.not_found(trip.day_update(day, DayPatch::default()).send().await).await;
        trip.not_found(trip.day_remove(day).send().await).await;
        trip.not_found(trip.stop_add(day, typed::<StopInput>(stop("new"))).send().await).await;
    }
    for (day, stop) in
        [("d1", "z"), ("d1", "x"), ("d2", "a"), ("d3", "a"), ("d4", "a"), ("a", "b"), ("d1", "d1"), ("d1", "h")]
    {
        trip.not_found(trip.stop_update(day, stop, StopPatch::default()).send().await).await;
        trip.not_found(trip.stop_remove(day, stop).send().await).await;
        let to_d1 = StopMove { day_id: Some("d1".to_owned()), position: None };
        trip.not_found(trip.stop_move(day, stop, to_d1).send().await).await;
    }
}

#[api_test(limits = false)]
async fn an_address_holds_well_formed_ids(world: World) {
    let trip = Trip::start(&world, three_days()).await;
    let (app, id) = (App::of(&world, "ana").await, trip.now.id.to_string());
    for bad in ["%20", "a%20b", "a.b", "%C3%A9", "a%2Fb", "a%00", "*", "a:b", &"a".repeat(65)] {
        let day =
            |method: Method, rest: &str| at(&app, method, &id, &format!("/days/{bad}{rest}")).header("If-Match", "*");
        let stop = |method: Method, rest: &str| {
            at(&app, method, &id, &format!("/days/d1/stops/{bad}{rest}")).header("If-Match", "*")
        };
        day(Method::PATCH, "").json(&json!({})).send().await.expect_invalid("dayId");
        day(Method::DELETE, "").send().await.expect_invalid("dayId");
        day(Method::POST, "/stops").json(&json!({ "name": "n" })).send().await.expect_invalid("dayId");
        day(Method::DELETE, "/stops/a").send().await.expect_invalid("dayId");
        stop(Method::PATCH, "").json(&json!({})).send().await.expect_invalid("stopId");
        stop(Method::DELETE, "").send().await.expect_invalid("stopId");
        stop(Method::POST, "/move").json(&json!({})).send().await.expect_invalid("stopId");
    }
    trip.unchanged().await;
}
