//! Adding, changing and removing items, the same for all lists, and the responses.

use futures::future::join_all;
use itinerary_sdk::types::{Itinerary, ItineraryCreate};
use itinerary_sdk::{Client, ErrorExt, Versioned, code};
use itinerary_tests::app::{App, Stored, attention, path};
use itinerary_tests::bodies::{full, on_day, with};
use itinerary_tests::{World, api_test};
use reqwest::Method;
use serde_json::{Value, json};

use super::{Part, done, ids_of, if_match, item, one_of_each, start};

/// Checks that a write was answered with the whole itinerary as it now reads. Returns it.
async fn as_it_reads(client: &Client, answered: Versioned<Itinerary>) -> Versioned<Itinerary> {
    let read = client.itinerary_view(answered.id).send().await.expect("read");
    assert_eq!(answered.etag(), read.etag());
    let mut expected = answered.clone().into_inner();
    expected.needs_attention.take().expect("an answer to a write says what needs attention");
    assert_eq!(expected, read.into_inner());
    answered
}

/// The ids of a list, read by its own operation.
async fn listed(part: Part, client: &Client, at: &Itinerary) -> Vec<String> {
    let list = part.sdk_list(client, at).await.expect("a list");
    let id = |item: &Value| item["id"].as_str().expect("an id").to_owned();
    list.as_array().expect("a list").iter().map(id).collect()
}

// Each response's ETag is valid for the next write.
#[api_test(limits = false)]
async fn a_list_is_added_to_changed_and_taken_from(world: World) {
    world.pro_account("ana").await;
    let client = world.client("ana").await;
    for (day, part) in (1..).zip(Part::ALL) {
        let trip: ItineraryCreate = serde_json::from_value(on_day(day)).expect("typed");
        let mut at = client.itinerary_create(trip).send().await.expect("created");
        assert!(listed(part, &client, &at).await.is_empty(), "{part:?}");
        for id in ["c", "a", "b"] {
            at = as_it_reads(&client, part.sdk_add(&client, &at, part.item(id)).await.expect("added")).await;
        }
        assert_eq!(
            (listed(part, &client, &at).await, at.etag()),
            (vec!["c".into(), "a".into(), "b".into()], "\"v4.mp\"")
        );

        // A change leaves everything else unchanged.
        let before = part.sdk_list(&client, &at).await.expect("a list");
        let patch = json!({ part.label(): "changed" });
        at = as_it_reads(&client, part.sdk_update(&client, &at, "a", patch.clone()).await.expect("changed")).await;
        let mut expected = before.clone();
        expected[1] = with(expected[1].clone(), patch);
        assert_eq!(part.sdk_list(&client, &at).await.expect("a list"), expected);

        at = as_it_reads(&client, part.sdk_remove(&client, &at, "c").await.expect("taken out")).await;
        assert_eq!(listed(part, &client, &at).await, ["a", "b"]);
        for error in [
            part.sdk_remove(&client, &at, "c").await.expect_err("it is gone"),
            part.sdk_update(&client, &at, "c", json!({})).await.expect_err("it is gone"),
            part.sdk_update(&client, &at, "A", json!({})).await.expect_err("a capital is another letter"),
        ] {
            assert!(error.is(code::NOT_FOUND), "{error:?}");
        }
        // A new item comes last.
        at = as_it_reads(&client, part.sdk_add(&client, &at, part.item("c")).await.expect("added")).await;
        assert_eq!(
            (listed(part, &client, &at).await, at.etag()),
            (vec!["a".into(), "b".into(), "c".into()], "\"v7.mp\"")
        );
    }
}

// Compares the JSON: an item is returned as it was sent, in its list and in the itinerary.
#[api_test(limits = false)]
async fn an_item_with_every_field_comes_back_as_it_was_sent(world: World) {
    let (app, mut at) = start(&world).await;
    for part in Part::ALL {
        let sent = with(part.full(), json!({ "id": format!("{}-2", part.name()) }));
        at = part.added(&app, &at, &sent).await;
        let list = part.list(&app, &at.id).await;
        assert_eq!(list.json(), json!({ "data": [part.full(), sent] }));
        assert_eq!(at.json[part.name()], list.json()["data"]);
        // An item that was read can be sent back.
        at = part.updated(&app, &at, &format!("{}-2", part.name()), &sent).await;
        assert_eq!(at.json[part.name()], list.json()["data"]);
    }
    assert_eq!(app.viewed(&at.id).await.etag, at.etag);
}

#[api_test(limits = false)]
async fn a_response_is_dated_and_says_what_needs_attention(world: World) {
    let app = App::pro(&world, "ana").await;
    let mut at = app.created(&with(one_of_each(), json!({ "days": [{ "stops": [{ "name": "s" }] }] }))).await;
    for part in Part::ALL {
        for call in part.writes(&app, &at.id, part.name()) {
            world.clock.advance(chrono::TimeDelta::seconds(1));
            let response = call.header("If-Match", &at.etag).send().await;
            assert_eq!(response.header("service-itinerary-shape"), "clean");
            assert_eq!(response.header("location"), "", "it is no address of its own");
            let now = itinerary_core::clock::Clock::now(&*world.clock);
            at = done(&response);
            assert_eq!(at.json["updatedAt"], now.to_rfc3339_opts(chrono::SecondsFormat::Millis, true));
            // Every stop, hotel and reservation without a coordinate is listed, whichever list changed.
            let unplaced = |part: Part| (0..ids_of(&at, part).len()).map(move |n| format!("{}[{n}]", part.name()));
            let bookings = unplaced(Part::Hotels).chain(unplaced(Part::Reservations));
            let expected = ["days[0].stops[0]".to_owned()].into_iter().chain(bookings);
            let expected: Vec<_> =
                expected.map(|at| (format!("{at}.place.coordinate"), "notPlaced".to_owned())).collect();
            assert_eq!(attention(&at.json), expected, "{part:?}");
        }
    }
}

#[api_test(limits = false)]
async fn an_id_is_kept_or_made_and_never_changed(world: World) {
    let (app, mut at) = start(&world).await;
    let longest = format!("{}-_", "aZ".repeat(31));
    for part in Part::ALL {
        for id in ["0", "-", "_", longest.as_str()] {
            at = part.added(&app, &at, &part.item(id)).await;
            assert_eq!(ids_of(&at, part).last(), Some(&id));
            at = part.updated(&app, &at, id, &json!({ "id": id, part.label(): "same" })).await;
            assert_eq!(item(&at, part, id)[part.label()], "same");
            at = part.removed(&app, &at, id).await;
        }
        for no_id in [part.least("n"), with(part.least("n"), json!({ "id": null }))] {
            at = part.added(&app, &at, &no_id).await;
        }
        let made = ids_of(&at, part)[1..].to_vec();
        assert!(made[0] != made[1] && made.iter().all(|id| id.len() >= 16), "{made:?}");
        for bad in [json!(""), json!("a b"), json!("a.b"), json!("\u{e9}"), json!("a".repeat(65)), json!(7), json!({})]
        {
            part.add(&app, &at, &with(part.least("n"), json!({ "id": bad }))).await.expect_invalid("id");
        }
        let own = part.full()["id"].as_str().expect("an id").to_owned();
        for other in [json!("other"), json!(made[0]), Value::Null, json!(own.to_uppercase())] {
            part.update(&app, &at, &own, &json!({ "id": other })).await.expect_invalid("id");
        }
        assert_eq!(app.viewed(&at.id).await.etag, at.etag, "nothing was changed");
    }
}

// Ids are unique among days, stops and all lists.
#[api_test(limits = false)]
async fn an_id_is_there_once_in_the_whole_itinerary(world: World) {
    let (app, mut at) = start(&world).await;
    let taken = ["day-1", "stop-1", "stop-2", "flight-1", "hotel-1", "expense-1", "packing-1"];
    for part in Part::ALL {
        for id in taken {
            part.add(&app, &at, &part.item(id)).await.expect_invalid("id");
        }
        // Ids are case-sensitive.
        at = part.added(&app, &at, &part.item("Day-1")).await;
        at = part.removed(&app, &at, "Day-1").await;
    }
    for (part, id) in
        Part::ALL.iter().zip(["flight-1", "hotel-1", "transport-1", "reservation-1", "expense-1", "packing-1"])
    {
        at = part.removed(&app, &at, id).await;
    }
    // An id that is free again can be used by another entry.
    at = Part::Hotels.added(&app, &at, &Part::Hotels.item("flight-1")).await;
    Part::Flights.add(&app, &at, &Part::Flights.item("flight-1")).await.expect_invalid("id");
}

#[api_test(limits = false)]
async fn an_address_names_an_item_of_that_list(world: World) {
    let (app, at) = start(&world).await;
    let others = ["day-1", "stop-1", "flight-1", "hotel-1", "expense-1", "packing-1", "nothing", "-"];
    for part in Part::ALL {
        let own = part.full()["id"].as_str().expect("an id").to_owned();
        for id in others.into_iter().filter(|id| *id != own) {
            for tag in [Some("*"), Some("\"v0.m\""), None] {
                let [_, update, remove] = part.writes(&app, &at.id, id);
                for call in [update, remove] {
                    let call = if_match(call, tag);
                    let response = call.send().await;
                    assert!(response.expect_error(404, "notFound").is_null(), "{part:?} {id}");
                    assert_eq!(response.header("etag"), "");
                }
            }
        }
        for bad in ["a%20b", "a.b", "%C3%A9", &"a".repeat(65)] {
            let [_, update, remove] = part.writes(&app, &at.id, bad);
            for call in [update, remove] {
                call.header("If-Match", &at.etag).send().await.expect_invalid(part.id_parameter());
            }
        }
        // An item cannot be read individually.
        let alone = app.call(Method::GET, &part.item_path(&at.id, &own)).send().await;
        alone.expect_error(405, "methodNotAllowed");
        let nowhere = "01890000-0000-7000-8000-000000000000";
        part.list(&app, nowhere).await.expect_error(404, "notFound");
        part.list(&app, "x").await.expect_invalid("id");
        for call in part.writes(&app, nowhere, &own) {
            call.header("If-Match", "*").send().await.expect_error(404, "notFound");
        }
    }
    assert_eq!(app.viewed(&at.id).await.etag, at.etag);
}

#[api_test(limits = false)]
async fn one_concurrent_add_succeeds_with_an_etag_and_all_with_star(world: World) {
    let app = App::pro(&world, "ana").await;
    let mut at = app.created(&on_day(1)).await;
    for part in Part::ALL {
        for _ in 0..5 {
            let items: Vec<_> = (0..8).map(|n| part.least(&n.to_string())).collect();
            let responses = join_all(items.iter().map(|item| part.add(&app, &at, item))).await;
            let won: Vec<_> = responses.iter().filter(|response| response.status == 200).collect();
            assert_eq!(won.len(), 1);
            for response in responses.iter().filter(|response| response.status != 200) {
                response.expect_error(409, "itineraryModified");
                assert_eq!(response.header("etag"), won[0].header("etag"));
            }
            at = done(won[0]);
        }
        assert_eq!(app.viewed(&at.id).await.json[part.name()].as_array().map(Vec::len), Some(5));
        // Also of another list, because they belong to one itinerary.
        let star = |n: usize| {
            let id = format!("{}-{n}", part.name());
            let call = part.add_call(&app, &at.id, &part.item(&id)).header("If-Match", "*");
            async move { (done(&call.send().await), id) }
        };
        for (answered, id) in join_all((0..12).map(star)).await {
            item(&answered, part, &id);
        }
        at = app.viewed(&at.id).await;
        assert_eq!(ids_of(&at, part).len(), 17);
    }
    assert!(Part::ALL.iter().all(|part| ids_of(&at, *part).len() == 17));
}

// A change of a list is a new version of the itinerary, so a write with the old ETag fails.
#[api_test(limits = false)]
async fn a_change_of_a_list_and_of_the_whole_exclude_each_other(world: World) {
    let (app, mut at) = start(&world).await;
    for round in 0..10 {
        let part = Part::ALL[round % Part::ALL.len()];
        let (title, item) = (json!({ "title": round.to_string() }), part.item(&format!("r{round}")));
        let (whole, list) = tokio::join!(app.patch(&at, &title), part.add(&app, &at, &item));
        let (won, refused) = if whole.status == 200 { (whole, list) } else { (list, whole) };
        refused.expect_error(409, "itineraryModified");
        assert_eq!(refused.header("etag"), won.header("etag"));
        at = app.viewed(&at.id).await;
        assert_eq!((at.etag.as_str(), &at.json["title"]), (won.header("etag"), &Stored::of(&won).json["title"]));
    }
    assert_eq!(at.etag, "\"v11.mpd\"");
    app.call(Method::DELETE, &path(&at.id)).header("If-Match", &at.etag).send().await;
    for part in Part::ALL {
        part.list(&app, &at.id).await.expect_error(404, "notFound");
        part.add(&app, &at, &part.least("n")).await.expect_error(404, "notFound");
    }
}

#[api_test(limits = false)]
async fn items_added_one_by_one_equal_items_sent_on_create(world: World) {
    let app = App::pro(&world, "ana").await;
    let empty =
        json!({ "flights": [], "hotels": [], "transports": [], "reservations": [], "expenses": [], "packing": [] });
    let mut at = app.created(&with(full(), empty)).await;
    let at_once = Stored::of(&app.create_call("?allowDuplicate=true", &full()).send().await);
    for part in Part::ALL {
        at = part.added(&app, &at, &part.full()).await;
    }
    for part in Part::ALL {
        assert_eq!(at.json[part.name()], at_once.json[part.name()]);
    }
}
