//! What bookings have in common: tickets, days without times, places, and that empty lists are left out.

use itinerary_sdk::types::{
    ItineraryCreate, TicketCodeFormat, TicketCodeInput, TicketInput, TransportInput, TransportMode,
};
use itinerary_tests::app::{App, attention};
use itinerary_tests::bodies::{minimal, with};
use itinerary_tests::{World, api_test};
use serde_json::{Value, json};

use super::{Part, item, start};

const BOOKINGS: [Part; 4] = [Part::Flights, Part::Hotels, Part::Transports, Part::Reservations];

#[api_test(limits = false)]
async fn a_code_has_either_text_or_data_and_neither_is_trimmed(world: World) {
    let (app, mut at) = start(&world).await;
    let code = |fields: Value| with(json!({ "format": "qr" }), fields);
    let tickets = |code: Value| json!({ "tickets": [{ "holder": "Ana" }, { "code": code }] });
    for part in BOOKINGS {
        let id = at.json[part.name()][0]["id"].as_str().expect("an id").to_owned();
        for good in [json!({ "text": "  M1 \t\n" }), json!({ "data": "AA==" }), json!({ "text": "x".repeat(2_000) })] {
            at = part.updated(&app, &at, &id, &tickets(code(good.clone()))).await;
            assert_eq!(item(&at, part, &id)["tickets"][1]["code"], code(good));
        }
        for (bad, field) in [
            (json!({}), "tickets[1].code"),
            (json!({ "text": "a", "data": "AA==" }), "tickets[1].code"),
            (json!({ "text": "" }), "tickets[1].code.text"),
            (json!({ "text": "x".repeat(2_001) }), "tickets[1].code.text"),
            (json!({ "text": "\u{1d}" }), "tickets[1].code.text"),
            (json!({ "data": "A" }), "tickets[1].code.data"),
            (json!({ "data": "AA=" }), "tickets[1].code.data"),
            (json!({ "data": "AA" }), "tickets[1].code.data"),
            (json!({ "data": "A".repeat(4_004) }), "tickets[1].code.data"),
            (json!({ "text": "a", "format": "ean" }), "tickets[1].code.format"),
        ] {
            part.update(&app, &at, &id, &tickets(code(bad))).await.expect_invalid(field);
        }
        part.update(&app, &at, &id, &json!({ "tickets": [{}] })).await.expect_invalid("tickets[0]");
        let many = vec![json!({ "holder": "Ana" }); 21];
        part.update(&app, &at, &id, &json!({ "tickets": many })).await.expect_invalid("tickets");
        for none in [json!([]), Value::Null] {
            at = part.updated(&app, &at, &id, &json!({ "tickets": none })).await;
            assert_eq!(item(&at, part, &id).get("tickets"), None);
        }
    }
}

#[api_test(limits = false)]
async fn an_itinerary_without_them_is_as_it_was_before_they_existed(world: World) {
    let app = App::of(&world, "ana").await;
    let new = ["transports", "reservations"];
    let stored = app.created(&minimal()).await;
    assert!(new.iter().all(|name| stored.json.get(name).is_none()));
    let stored =
        app.patched(&stored, &json!({ "transports": [{ "number": "1" }], "reservations": [{ "name": "n" }] })).await;
    assert!(new.iter().all(|name| stored.json[name].as_array().is_some_and(|list| list.len() == 1)));
    let stored = app.patched(&stored, &json!({ "transports": [], "reservations": null })).await;
    assert!(new.iter().all(|name| stored.json.get(name).is_none()));
    for part in [Part::Transports, Part::Reservations] {
        assert_eq!(part.list(&app, &stored.id).await.text(), r#"{"data":[]}"#);
    }
}

#[api_test(limits = false)]
async fn a_booking_ends_after_it_starts(world: World) {
    let (app, at) = start(&world).await;
    let [early, late] = ["2027-05-01T09:00:00Z", "2027-05-01T11:00:00+01:00"];
    for (part, id, from, to) in [
        (Part::Transports, "transport-1", "departureDate", "arrivalDate"),
        (Part::Reservations, "reservation-1", "startDate", "endDate"),
    ] {
        part.update(&app, &at, id, &json!({ from: late, to: early })).await.expect_invalid(to);
        part.update(&app, &at, id, &json!({ from: early, to: early })).await.expect_invalid(to);
        for wrong in super::NO_TIMES {
            part.update(&app, &at, id, &json!({ from: wrong })).await.expect_invalid(from);
        }
    }
    let days = json!({ "name": "n", "startDay": "2027-05-02", "endDay": "2027-05-01" });
    Part::Reservations.add(&app, &at, &days).await.expect_invalid("endDay");
    let mixed = json!({ "name": "n", "startDate": "2027-05-02T20:00:00+01:00", "endDay": "2027-05-01" });
    Part::Reservations.add(&app, &at, &mixed).await.expect_invalid("endDay");
    for size in [json!(0), json!(1_000), json!(1.5)] {
        Part::Reservations.add(&app, &at, &json!({ "name": "n", "partySize": size })).await.expect_invalid("partySize");
    }
    for nothing in [json!({}), json!({ "id": "t" }), json!({ "operator": {} }), json!({ "tickets": [] })] {
        let response = Part::Transports.add(&app, &at, &nothing).await;
        assert_eq!(response.expect_error(422, "validationFailed"), Value::Null, "{nothing}");
    }
    Part::Transports.add(&app, &at, &json!({ "departurePlace": {} })).await.expect_invalid("departurePlace");
}

// Local dates at the places, or the days where no time is known.
#[api_test]
async fn they_decide_when_a_new_trip_begins_and_ends(world: World) {
    let client = world.client("ana").await;
    let trip: ItineraryCreate = serde_json::from_value(with(
        minimal(),
        json!({
            "transports": [{ "mode": "train", "departureDay": "2027-05-16" }],
            "reservations": [{
                "name": "Show", "endDate": "2027-05-18T23:30:00Z",
                "place": { "name": "Kabuki", "coordinate": { "latitude": 35.67, "longitude": 139.77 } },
            }],
        }),
    ))
    .expect("typed");
    let trip = ItineraryCreate { start_date: None, days: None, ..trip };
    let created = client.itinerary_create(trip).send().await.expect("created");
    // 23:30 UTC is the next morning in Tokyo.
    assert_eq!((created.start_date.to_string().as_str(), created.days.len()), ("2027-05-16", 4));
}

#[api_test]
async fn the_sdk_sends_tickets(world: World) {
    let client = world.client("ana").await;
    let trip: ItineraryCreate = serde_json::from_value(minimal()).expect("typed");
    let created = client.itinerary_create(trip).send().await.expect("created");
    let code = TicketCodeInput::new(TicketCodeFormat::Aztec).text(" M1 ");
    let train = TransportInput::new(TransportMode::Train).tickets([TicketInput::default().holder("Ana").code(code)]);
    let now = client.transport_add(created.id, &created, train).send().await.expect("added");
    let tickets = now.transports()[0].tickets.as_ref().expect("tickets");
    assert_eq!(tickets[0].code.as_ref().and_then(|code| code.text.as_deref()), Some(" M1 "));
}

// Members see bookings; a public reader sees titles and notes of days and stops, and a saved copy has neither.
#[api_test(limits = false)]
async fn notes_of_days_are_as_visible_as_the_days_and_not_copied(world: World) {
    let (app, at) = start(&world).await;
    app.patched(&at, &json!({ "visibility": "public" })).await;
    let ben = App::of(&world, "ben").await;
    let shown = ben.viewed(&at.id).await.json;
    let day = &shown["days"][0];
    assert_eq!((&day["title"], &day["notes"]), (&at.json["days"][0]["title"], &at.json["days"][0]["notes"]));
    assert_eq!(day["stops"][0]["notes"], at.json["days"][0]["stops"][0]["notes"]);
    assert!(BOOKINGS.iter().all(|part| shown.get(part.name()).is_none()));
    let saved = ben.call(reqwest::Method::POST, &format!("{}/saves", itinerary_tests::app::path(&at.id))).send().await;
    assert_eq!(saved.status, 201, "{}", saved.text());
    let copy: Value = serde_json::from_str(&saved.text()).expect("JSON");
    assert!(!saved.text().contains("notes"), "{copy}");
    assert_eq!(copy["days"][0].get("title"), None);
    assert!(BOOKINGS.iter().all(|part| copy.get(part.name()).is_none_or(|list| list == &json!([]))));
}

#[api_test(gazetteer = true)]
async fn a_day_without_a_time_at_an_unknown_place_needs_attention(world: World) {
    let app = App::of(&world, "ana").await;
    let body = with(
        minimal(),
        json!({
            "flights": [
                { "departureAirport": { "code": "LIS" }, "departureDay": "2027-05-15" },
                { "departureAirport": { "code": "QQQ" }, "departureDay": "2027-05-15" },
                { "departureAirport": { "code": "QQQ" }, "departureDay": "2027-05-15",
                    "departureDate": "2027-05-15T08:00:00Z" },
            ],
            "transports": [
                { "departurePlace": { "name": "Nowhere Junction" }, "departureDay": "2027-05-15" },
                { "departurePlace": { "name": "Elsewhere Junction", "timeZone": "Europe/Lisbon" }, "departureDay": "2027-05-15" },
            ],
            "reservations": [{ "name": "Dinner at Xyqz", "startDay": "2027-05-15" }],
        }),
    );
    let unknown = |itinerary: &Value| -> Vec<String> {
        let all = attention(itinerary).into_iter().filter(|(_, code)| code == "timeZoneUnknown");
        all.map(|(field, _)| field).collect()
    };
    let created = app.created(&body).await;
    let expected = ["flights[1].departureDay", "transports[0].departureDay", "reservations[0].startDay"];
    assert_eq!(unknown(&created.json), expected);
    let changed = app.patched(&created, &json!({ "title": "Other" })).await;
    assert!(unknown(&changed.json).is_empty(), "the write has not touched them");
}
