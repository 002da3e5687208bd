//! Rules between the fields of an itinerary, and the syntax of bodies: errors name the field's path, on create and on
//! change.

use itinerary_tests::{World, api_test};
use serde_json::{Value, json};

use super::fixtures::{full, minimal, on_day, with};
use super::{App, Stored, path};

/// An app with Pro, and an itinerary to change.
async fn start(world: &World) -> (App<'_>, Stored) {
    let app = App::pro(world, "ana").await;
    let stored = app.created(&full()).await;
    (app, stored)
}

/// Sends these fields in a create and in a change, and checks that the errors name a field.
async fn refused(app: &App<'_>, stored: &Stored, fields: Value, named: &str) {
    let created = app.create(&with(on_day(1), fields.clone())).await;
    let changed = app.patch(stored, &fields).await;
    for response in [created, changed] {
        assert_eq!(response.expect_error(422, "validationFailed")["field"], named, "{fields}: {}", response.text());
    }
}

fn stops(ids: &[&str]) -> Value {
    ids.iter().map(|id| json!({ "id": id, "name": "n" })).collect()
}

#[api_test(limits = false)]
async fn legs_join_a_stop_of_their_day_to_the_next(world: World) {
    let (app, stored) = start(&world).await;
    let leg = |from: &str, to: &str| json!({ "from": from, "to": to, "mode": "walk" });
    let day = |legs: Value| json!([{ "stops": stops(&["x"]) }, { "stops": stops(&["a", "b"]), "legs": legs }]);
    let gone = json!({ "expenses": [], "packing": [] });
    for (legs, named) in [
        (json!([leg("c", "b")]), "days[1].legs[0].from"),
        (json!([leg("a", "b"), leg("a", "c")]), "days[1].legs[1].to"),
        (json!([leg("x", "a")]), "days[1].legs[0].from"),
        (json!([leg("b", "b")]), "days[1].legs[0].to"),
        (json!([leg("b", "a")]), "days[1].legs[0].to"),
    ] {
        refused(&app, &stored, with(gone.clone(), json!({ "days": day(legs) })), named).await;
    }
    let good = with(gone, json!({ "days": day(json!([leg("a", "b"), leg("a", "b")])) }));
    app.patched(&stored, &good).await;
    app.created(&with(on_day(1), good)).await;
}

#[api_test(limits = false)]
async fn ids_are_unique_within_the_itinerary(world: World) {
    let (app, stored) = start(&world).await;
    let gone = json!({ "days": [], "flights": [], "hotels": [], "expenses": [], "packing": [] });
    let (cost, hotel) = (json!({ "amount": 1 }), json!({ "id": "a", "name": "n" }));
    for (fields, named) in [
        (json!({ "days": [{ "id": "a" }, { "id": "a" }] }), "days[1].id"),
        (json!({ "days": [{ "id": "a", "stops": stops(&["a"]) }] }), "days[0].stops[0].id"),
        (json!({ "days": [{ "stops": stops(&["a"]) }, { "stops": stops(&["b", "a"]) }] }), "days[1].stops[1].id"),
        (json!({ "days": [{ "id": "a" }], "flights": [{ "id": "a", "gateNumber": "1" }] }), "flights[0].id"),
        (json!({ "flights": [{ "id": "a", "gateNumber": "1" }], "hotels": [hotel] }), "hotels[0].id"),
        (json!({ "hotels": [hotel], "expenses": [{ "id": "a", "name": "n", "cost": cost }] }), "expenses[0].id"),
        (
            json!({ "packing": [{ "name": "n" }, { "id": "a", "name": "n" }, { "id": "a", "name": "n" }] }),
            "packing[2].id",
        ),
    ] {
        refused(&app, &stored, with(gone.clone(), fields), named).await;
    }
    // Ids are case-sensitive, and ids of other itineraries do not matter.
    let cases = with(gone, json!({ "days": [{ "id": "a", "stops": stops(&["A", "stop-1"]) }] }));
    app.created(&with(on_day(1), cases)).await;
    // Existing entries count as well as sent ones.
    app.patch(&stored, &json!({ "hotels": [{ "id": "stop-1", "name": "n" }] })).await.expect_invalid("hotels[0].id");
}

#[api_test(limits = false)]
async fn belongs_to_target_must_exist(world: World) {
    let (app, stored) = start(&world).await;
    let parts = json!({ "days": full()["days"], "flights": full()["flights"], "hotels": full()["hotels"] });
    let item =
        |kind: &str, id: &str| json!([{ "name": "n" }, { "name": "n", "belongsTo": { "kind": kind, "id": id } }]);
    let there = [("flight", "flight-1"), ("hotel", "hotel-1"), ("day", "day-1"), ("stop", "stop-2")];
    let mut stored = stored;
    for (kind, id) in there {
        stored = app.patched(&stored, &json!({ "packing": item(kind, id) })).await;
        let good = with(with(on_day(1), parts.clone()), json!({ "packing": item(kind, id) }));
        assert_eq!(app.create_call("?allowDuplicate=true", &good).send().await.status, 201);
        for other in there.iter().map(|(_, other)| *other).filter(|other| *other != id).chain(["nothing", "expense-1"])
        {
            let fields = with(parts.clone(), json!({ "packing": item(kind, other) }));
            refused(&app, &stored, fields, "packing[1].belongsTo.id").await;
        }
    }
    // The itinerary itself, by its id. A create accepts any id, because the new one is unknown before.
    stored = app.patched(&stored, &json!({ "packing": item("itinerary", &stored.id) })).await;
    let other = app.created(&with(on_day(2), json!({ "packing": item("itinerary", &stored.id) }))).await;
    assert_eq!(other.json["packing"][1]["belongsTo"], json!({ "kind": "itinerary", "id": other.id }));
    let response = app.patch(&stored, &json!({ "packing": item("itinerary", &other.id) })).await;
    response.expect_invalid("packing[1].belongsTo.id");
    let expense = json!([{ "name": "n", "cost": { "amount": 1 }, "belongsTo": { "kind": "flight", "id": "x" } }]);
    refused(&app, &stored, json!({ "expenses": expense }), "expenses[0].belongsTo.id").await;
}

// A caller who is not shown expenses and packing can still remove a flight.
#[api_test]
async fn removing_a_link_target_keeps_the_item_without_its_link(world: World) {
    let (app, stored) = start(&world).await;
    // A link that is sent in the same change must be valid.
    let with_section = json!({ "flights": [], "expenses": full()["expenses"] });
    app.patch(&stored, &with_section).await.expect_invalid("expenses[0].belongsTo.id");
    world.set_plan("ana", itinerary_model::Plan::Free).await;
    let stored = app.patched(&stored, &json!({ "flights": [] })).await;
    world.set_plan("ana", itinerary_model::Plan::Pro).await;
    let read = app.viewed(&stored.id).await.json;
    let mut expense = full()["expenses"][0].clone();
    expense.as_object_mut().expect("an object").remove("belongsTo");
    assert_eq!(read["expenses"], json!([expense]));
    assert_eq!(read["packing"], full()["packing"], "its stop is still there");
    let gone = app.patched(&stored, &json!({ "days": null })).await.json;
    assert_eq!((&gone["packing"][0]["name"], gone["packing"][0].get("belongsTo")), (&json!("Boots"), None));
}

// Times are compared as instants: 09:00 in Tokyo comes before 01:00 in Lisbon.
#[api_test(limits = false)]
async fn end_must_be_after_start(world: World) {
    let (app, stored) = start(&world).await;
    let flight = |from: &str, to: &str| json!([{ "id": "flight-1", "departureDate": from, "arrivalDate": to }]);
    let hotel = |from: &str, to: &str| json!([{ "name": "H", "checkInDate": from, "checkOutDate": to }]);
    let mut stored = stored;
    for (from, to) in [
        ("2027-05-01T09:00:00+09:00", "2027-05-01T01:00:00+00:00"),
        ("2027-05-01T23:00:00-10:00", "2027-05-01T23:00:00-11:00"),
        ("2027-05-01T00:00:00Z", "2027-05-01T00:00:01Z"),
    ] {
        stored = app.patched(&stored, &json!({ "flights": flight(from, to), "hotels": hotel(from, to) })).await;
        assert_eq!(stored.json["flights"][0]["departureDate"], from);
        assert_eq!(stored.json["hotels"][0]["checkOutDate"], to);
        refused(&app, &stored, json!({ "flights": flight(to, from) }), "flights[0].arrivalDate").await;
        refused(&app, &stored, json!({ "hotels": hotel(to, from) }), "hotels[0].checkOutDate").await;
    }
    let same = ("2027-05-01T10:00:00+01:00", "2027-05-01T09:00:00Z");
    refused(&app, &stored, json!({ "flights": flight(same.0, same.1) }), "flights[0].arrivalDate").await;
    refused(&app, &stored, json!({ "hotels": hotel(same.0, same.1) }), "hotels[0].checkOutDate").await;
    let alone = json!([{ "name": "H", "checkOutDate": "2027-05-01T10:00:00+01:00" }]);
    app.patched(&stored, &json!({ "hotels": alone })).await;
}

#[api_test(limits = false)]
async fn a_place_is_named_somehow_and_a_flight_says_something(world: World) {
    let (app, stored) = start(&world).await;
    let gone = json!({ "days": [], "flights": [], "hotels": [], "expenses": [], "packing": [] });
    for empty in [json!({}), json!({ "address": "Rua 1" }), json!({ "countryCode": "PT", "timeZone": "Europe/Lisbon" })]
    {
        for (fields, named) in [
            (
                json!({ "days": [{ "stops": [{ "name": "n" }, { "name": "n", "place": empty }] }] }),
                "days[0].stops[1].place",
            ),
            (json!({ "hotels": [{ "name": "n", "place": empty }] }), "hotels[0].place"),
            (
                json!({ "flights": [{ "gateNumber": "1" }, { "departureAirport": empty }] }),
                "flights[1].departureAirport",
            ),
            (json!({ "flights": [{ "arrivalAirport": empty }] }), "flights[0].arrivalAirport"),
        ] {
            refused(&app, &stored, with(gone.clone(), fields), named).await;
        }
        app.create(&with(on_day(1), json!({ "origin": empty }))).await.expect_invalid("origin");
    }
    for named in [
        json!({ "name": "A" }),
        json!({ "code": "LIS" }),
        json!({ "placeId": "x" }),
        json!({ "coordinate": { "latitude": 1, "longitude": 2 } }),
    ] {
        let body = with(on_day(1), json!({ "origin": named, "hotels": [{ "name": "n", "place": named }] }));
        assert_eq!(app.create_call("?allowDuplicate=true", &body).send().await.status, 201, "{named}");
    }
    for empty in [json!({}), json!({ "id": "f" })] {
        let fields = with(gone.clone(), json!({ "flights": [{ "seatNumber": "1A" }, empty] }));
        refused(&app, &stored, fields, "flights[1]").await;
    }
    // A merge that clears the last name leaves an empty place.
    let origin = json!({ "name": null, "code": null, "coordinate": null, "placeId": null });
    app.patch(&stored, &json!({ "origin": origin })).await.expect_invalid("origin");
}

#[api_test]
async fn a_body_is_one_json_object(world: World) {
    let app = App::of(&world, "ana").await;
    let stored = app.created(&minimal()).await;
    let whole = minimal().to_string();
    for body in [
        "",
        " ",
        "{",
        "[]",
        "null",
        "7",
        "\"text\"",
        "[{}]",
        "{\"title\": }",
        "{'title': 'T'}",
        "{\"title\": NaN}",
        &format!("{whole} {whole}"),
        &format!("{whole}x"),
        &format!("\u{feff}{whole}"),
        "{\"title\": \"a\nb\"}",
    ] {
        for call in [
            app.call(reqwest::Method::POST, "/v1/itineraries"),
            app.call(reqwest::Method::PATCH, &path(&stored.id)).header("If-Match", &stored.etag),
        ] {
            let response = call.body("application/json", body.to_owned()).send().await;
            assert_eq!(response.expect_error(422, "validationFailed"), Value::Null, "{body}: {}", response.text());
        }
    }
    let patch = |body: String| {
        let call = app.call(reqwest::Method::PATCH, &path(&stored.id)).header("If-Match", "\"v0.m\"");
        call.body("application/json", body).send()
    };
    for (body, named) in [
        (r#"{"title": "a", "title": "b"}"#, "title"),
        (r#"{"destination": {"name": "a", "name": "b"}}"#, "destination.name"),
        (r#"{"days": [{"stops": [{"name": "a", "name": "b"}]}]}"#, "days[0].stops[0].name"),
        (r#"{"title": "\ud800"}"#, "title"),
        (r#"{"travellers": 1e400}"#, "travellers"),
        (r#"{"coverImage": {"url": "https://a.example", "surprise": 1}}"#, "coverImage.surprise"),
        (r#"{"Title": "T"}"#, "Title"),
    ] {
        patch(body.to_owned()).await.expect_invalid(named);
    }
    // Nesting up to 128 is parsed. These fields are ignored, so that only the outdated ETag is an error.
    let nested = |depth: usize| format!(r#"{{"savedFrom": {}{}}}"#, "[".repeat(depth), "]".repeat(depth));
    patch(nested(127)).await.expect_error(409, "itineraryModified");
    patch(nested(128)).await.expect_error(422, "validationFailed");
    patch(nested(200_000)).await.expect_error(422, "validationFailed");
}
