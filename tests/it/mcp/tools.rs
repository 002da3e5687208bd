//! The tools: planning, reading and changing.

use itinerary_sdk::types::ItineraryCreate;
use itinerary_tests::app::{App, WITH_DOCUMENTS, key};
use itinerary_tests::bodies::{full, minimal, with};
use itinerary_tests::{World, api_test};
use serde_json::{Value, json};

use super::{Assistant, result};

/// A trip to Lisbon with known ids.
pub(super) fn lisbon() -> Value {
    let at = |latitude: f64, longitude: f64| json!({ "coordinate": { "latitude": latitude, "longitude": longitude } });
    json!({
        "title": "A weekend in Lisbon",
        "destination": with(at(38.7223, -9.1393), json!({ "name": "Lisbon" })),
        "origin": { "name": "Porto" },
        "startDate": "2027-05-15",
        "days": [
            { "id": "saturday", "stops": [
                { "id": "castle", "name": "Castelo de São Jorge", "startTime": "10:00", "place": at(38.7139, -9.1334) },
                { "id": "museum", "name": "Museu do Fado", "category": "museum", "startTime": "14:00",
                  "durationMinutes": 90, "place": at(38.7112, -9.1277) },
                { "id": "dinner", "name": "Dinner in Alfama", "category": "restaurant", "startTime": "19:00",
                  "place": at(38.7118, -9.1302) },
            ] },
            { "id": "sunday", "stops": [{ "id": "tower", "name": "Torre de Belém", "place": at(38.6916, -9.216) }] },
            { "id": "monday" },
        ],
        "flights": [{
            "id": "outbound", "flightNumber": "TP1363", "departureAirport": { "code": "LHR" },
            "arrivalAirport": { "code": "LIS" }, "departureDate": "2027-05-15T06:05:00+01:00",
            "arrivalDate": "2027-05-15T08:55:00+01:00",
        }],
        "hotels": [{
            "id": "salvador", "name": "Convento do Salvador", "place": at(38.7124, -9.1296),
            "checkInDate": "2027-05-15T15:00:00+01:00", "checkOutDate": "2027-05-17T11:00:00+01:00",
        }],
    })
}

/// A successful result.
pub(super) struct Done {
    pub(super) text: String,
    pub(super) structured: Value,
}

impl Done {
    pub(super) fn id(&self) -> &str {
        self.structured["itinerary"]["id"].as_str().expect("an id")
    }

    pub(super) fn etag(&self) -> &str {
        self.structured["etag"].as_str().expect("a tag")
    }
}

/// Parses a result that must be successful.
#[track_caller]
pub(super) fn done(result: &Value) -> Done {
    assert_ne!(result["isError"], true, "{result}");
    let text = text(result);
    assert!(result["structuredContent"].is_object(), "{result}");
    Done { text, structured: result["structuredContent"].clone() }
}

/// Parses an error: its text, and the invalid field.
#[track_caller]
pub(super) fn refused(result: &Value, code: &str) -> (String, Value) {
    assert_eq!((&result["isError"], &result["_meta"]["code"]), (&json!(true), &json!(code)), "{result}");
    assert!(result["_meta"]["requestId"].as_str().is_some_and(|id| !id.is_empty()), "{result}");
    assert!(result.get("structuredContent").is_none(), "{result}");
    (text(result), result["_meta"]["details"]["field"].clone())
}

#[track_caller]
fn text(result: &Value) -> String {
    let content = result["content"].as_array().expect("content");
    assert_eq!((content.len(), &content[0]["type"]), (1, &json!("text")), "{result}");
    content[0]["text"].as_str().expect("text").to_owned()
}

/// The trip, planned by its assistant.
pub(super) async fn planned(assistant: &Assistant<'_>) -> Done {
    done(&assistant.tool("plan_itinerary", &with(lisbon(), json!({ "allowDuplicate": true }))).await)
}

fn stops(itinerary: &Value, day: usize) -> Vec<&str> {
    let stops = itinerary["days"][day]["stops"].as_array().expect("stops");
    stops.iter().map(|stop| stop["id"].as_str().expect("an id")).collect()
}

/// An itinerary without the fields of its origin: owner and times.
fn without_origin(mut itinerary: Value) -> Value {
    let fields = itinerary.as_object_mut().expect("an object");
    for name in ["id", "author", "createdAt", "updatedAt", "needsAttention"] {
        fields.remove(name);
    }
    itinerary
}

#[api_test(gazetteer = true)]
async fn a_plan_equals_the_same_post(world: World) {
    let app = App::pro(&world, "ana").await;
    App::pro(&world, "ben").await;
    let assistant = Assistant::with_scope(&world, "ben", WITH_DOCUMENTS).await;
    let mut everything = full();
    everything.as_object_mut().expect("an object").remove("visibility");
    let by_names = with(
        lisbon(),
        json!({ "coverImage": { "url": "https://images.example/1" }, "days": [{ "id": "d", "stops": [
            { "id": "a", "name": "Torre de Belém" }, { "id": "b", "name": "Casa da Tia Amélia" },
        ] }] }),
    );
    for body in [everything, by_names] {
        let posted: ItineraryCreate = serde_json::from_value(body.clone()).expect("a create of the SDK's");
        let posted = app.created(&serde_json::to_value(posted).expect("JSON")).await;
        let planned = done(&assistant.tool("plan_itinerary", &body).await);
        assert_eq!(planned.structured["needsAttention"], posted.json["needsAttention"]);
        assert_eq!(planned.etag(), posted.etag);
        assert_eq!(without_origin(planned.structured["itinerary"].clone()), without_origin(posted.json.clone()));
        // Reading returns what was planned.
        let read = done(&assistant.tool("get_itinerary", &json!({ "itineraryId": planned.id() })).await);
        let mut stored = planned.structured["itinerary"].clone();
        stored.as_object_mut().expect("an object").remove("needsAttention");
        assert_eq!(read.structured["itinerary"], stored);
        assert_eq!(read.etag(), planned.etag());
    }
}

#[api_test(gazetteer = true)]
async fn a_dry_run_stores_nothing_and_tells_what_it_would(world: World) {
    let assistant = Assistant::of(&world, "ana").await;
    let stops = json!([{ "name": "Torre de Belém" }, { "name": "Casa da Tia Amélia" }]);
    let body = with(minimal(), json!({ "startDate": "2027-05-15", "days": [{}, { "stops": stops }], "dryRun": true }));
    let dry = done(&assistant.tool("plan_itinerary", &body).await);
    assert!(dry.structured["etag"].is_null());
    assert!(dry.text.starts_with("This is what would be created."), "{}", dry.text);
    assert!(dry.text.contains("day 2, stop 2 \"Casa da Tia Amélia\""), "{}", dry.text);
    assert!(!dry.text.contains("day 2, stop 1"), "it is placed: {}", dry.text);
    let coordinate = &dry.structured["itinerary"]["days"][1]["stops"][0]["place"]["coordinate"];
    assert!(coordinate["latitude"].is_number(), "{coordinate}");
    let listed = done(&assistant.tool("list_itineraries", &json!({})).await);
    assert_eq!(listed.structured["data"], json!([]));
    assert!(listed.text.contains("plan_itinerary"), "{}", listed.text);
}

#[api_test]
async fn duplicate_error_names_the_existing_itinerary(world: World) {
    let assistant = Assistant::of(&world, "ana").await;
    let first = done(&assistant.tool("plan_itinerary", &lisbon()).await);
    let again = assistant.tool("plan_itinerary", &lisbon()).await;
    let (text, _) = refused(&again, "duplicateItinerary");
    assert!(text.contains(first.id()) && text.contains("allowDuplicate"), "{text}");
    assert_eq!(again["_meta"]["details"]["itineraryId"], first.id());
    let second = planned(&assistant).await;
    assert_ne!(second.id(), first.id());
}

#[api_test]
async fn a_retry_with_its_key_is_answered_the_same(world: World) {
    let assistant = Assistant::of(&world, "ana").await;
    let plan = with(lisbon(), json!({ "idempotencyKey": key() }));
    let first = done(&assistant.tool("plan_itinerary", &plan).await);
    let second = done(&assistant.tool("plan_itinerary", &plan).await);
    assert_eq!((first.text, first.structured.clone()), (second.text, second.structured));
    let other = with(plan, json!({ "title": "Another" }));
    let (text, _) = refused(&assistant.tool("plan_itinerary", &other).await, "idempotencyKeyReused");
    assert!(text.contains("new UUID") && text.matches("key").count() < 2, "{text}");

    let (id, etag) = (&first.structured["itinerary"]["id"], &first.structured["etag"]);
    let keyed = json!({ "itineraryId": id, "ifMatch": etag, "idempotencyKey": key() });
    for (tool, arguments) in [
        ("add_stop", json!({ "beforeStopId": "museum", "stop": { "name": "Bakery" } })),
        ("move_stop", json!({ "ifMatch": "*", "stopId": "dinner", "beforeStopId": "castle" })),
        // The stop is in another day when this is repeated.
        ("move_stop", json!({ "ifMatch": "*", "stopId": "dinner", "toDay": "sunday" })),
        ("add_day", json!({ "ifMatch": "*" })),
        ("set_hotel", json!({ "ifMatch": "*", "hotel": { "name": "Pensão" } })),
    ] {
        let arguments = with(with(keyed.clone(), json!({ "idempotencyKey": key() })), arguments);
        let first = done(&assistant.tool(tool, &arguments).await);
        let second = done(&assistant.tool(tool, &arguments).await);
        assert_eq!((first.text, first.structured), (second.text, second.structured), "{tool}");
    }
}

#[api_test(gazetteer = true)]
async fn a_destination_is_found_by_its_name(world: World) {
    let assistant = Assistant::of(&world, "ana").await;
    let plan = async |destination: Value| {
        let arguments = json!({ "destination": destination, "dryRun": true });
        assistant.tool("plan_itinerary", &arguments).await
    };
    for name in ["Lisbon", "lisboa", "Lisbon, Portugal"] {
        let trip = done(&plan(json!({ "name": name })).await);
        let destination = &trip.structured["itinerary"]["destination"];
        assert_eq!(
            (&destination["name"], &destination["countryCode"], &destination["timeZone"]),
            (&json!(name), &json!("PT"), &json!("Europe/Lisbon")),
        );
        let latitude = destination["coordinate"]["latitude"].as_f64().expect("a latitude");
        assert!((latitude - 38.72).abs() < 0.1, "{destination}");
        assert!(trip.text.contains("Destination found by its name: Lisbon, PT (38.7"), "{}", trip.text);
    }
    let spain = done(&plan(json!({ "name": "Valencia, Spain", "timeZone": "Atlantic/Canary" })).await);
    let destination = &spain.structured["itinerary"]["destination"];
    assert_eq!((&destination["countryCode"], &destination["timeZone"]), (&json!("ES"), &json!("Atlantic/Canary")));
    for (name, told) in [
        ("Valencia", "Valencia, VE (10."),
        ("Valencia", "Valencia, ES (39."),
        ("Nowhere", "no town"),
        ("Portugal", "no town"),
    ] {
        let (text, field) = refused(&plan(json!({ "name": name })).await, "validationFailed");
        assert!(field == "destination.coordinate" && text.contains(told), "{text}");
    }
    let trip = planned(&assistant).await;
    let change = json!({ "itineraryId": trip.id(), "ifMatch": trip.etag(), "destination": { "name": "Valencia, ES" } });
    let moved = done(&assistant.tool("update_itinerary", &change).await);
    assert_eq!(moved.structured["itinerary"]["destination"]["countryCode"], "ES");
    // Country and time zone follow from a coordinate.
    let place = json!({ "name": "Porto", "coordinate": { "latitude": 41.15, "longitude": -8.61 } });
    let change = json!({ "itineraryId": trip.id(), "ifMatch": moved.etag(), "destination": place });
    let porto = done(&assistant.tool("update_itinerary", &change).await).structured["itinerary"]["destination"].clone();
    assert_eq!((&porto["countryCode"], &porto["timeZone"]), (&json!("PT"), &json!("Europe/Lisbon")));
    // A name beyond the maximum length is not looked up.
    let (_, field) = refused(&plan(json!({ "name": "x ".repeat(30_000) })).await, "validationFailed");
    assert_eq!(field, "destination.coordinate");
}

#[api_test]
async fn an_itinerary_is_read_whole_in_outline_or_by_the_day(world: World) {
    let assistant = Assistant::of(&world, "ana").await;
    let trip = planned(&assistant).await;
    let read = async |arguments: Value| {
        let arguments = with(json!({ "itineraryId": trip.id() }), arguments);
        done(&assistant.tool("get_itinerary", &arguments).await)
    };
    let whole = read(json!({})).await;
    for line in [
        "Day 1 · Sat 2027-05-15 · id \"saturday\"",
        "  2. 14:00 \"Museu do Fado\" · museum · 90 min · id \"museum\" · then walk 4 min",
        "Day 3 · Mon 2027-05-17 · id \"monday\" · nothing planned",
        "Flight TP1363 · LHR 2027-05-15T06:05:00+01:00 → LIS 2027-05-15T08:55:00+01:00 · id \"outbound\"",
    ] {
        assert!(whole.text.lines().any(|have| have == line), "{line} is not in\n{}", whole.text);
    }
    let outline = read(json!({ "view": "outline" })).await;
    let first = "Day 1 · Sat 2027-05-15 · id \"saturday\" · 10:00 \"Castelo de São Jorge\"; 14:00 \"Museu do Fado\"; \
                 19:00 \"Dinner in Alfama\"";
    assert!(outline.text.lines().any(|line| line == first), "{}", outline.text);
    assert_eq!(
        outline.structured["itinerary"]["days"][1]["stops"],
        json!([{ "id": "tower", "name": "Torre de Belém" }])
    );
    assert!(outline.structured["itinerary"].get("flights").is_none());
    for day in [json!(2), json!("2"), json!("2027-05-16"), json!("sunday")] {
        let one = read(json!({ "day": day })).await;
        assert_eq!(
            (&one.structured["day"]["id"], &one.structured["day"]["number"]),
            (&json!("sunday"), &json!(2)),
            "{day}"
        );
        assert!(one.text.contains("id \"tower\"") && !one.text.contains("id \"castle\""), "{}", one.text);
    }
    for have in [&whole, &outline] {
        assert!(have.text.contains(trip.id()) && have.text.contains(trip.etag()), "{}", have.text);
    }
    for day in [json!(0), json!(4), json!("2027-05-18"), json!("2027-05-14"), json!("tuesday"), json!(1e99), json!(-1)]
    {
        let arguments = json!({ "itineraryId": trip.id(), "day": day });
        let (text, field) = refused(&assistant.tool("get_itinerary", &arguments).await, "validationFailed");
        assert!(field == "day" && text.contains("1 to 3") && text.contains("id \"sunday\""), "{day}: {text}");
    }
}

#[api_test]
async fn stop_moves_before_or_after_the_named_stop(world: World) {
    let assistant = Assistant::of(&world, "ana").await;
    for (arguments, saturday, sunday) in [
        (json!({ "beforeStopId": "museum" }), &["castle", "dinner", "museum"][..], &["tower"][..]),
        (json!({ "afterStopId": "castle" }), &["castle", "dinner", "museum"], &["tower"]),
        (json!({ "beforeStopId": "castle" }), &["dinner", "castle", "museum"], &["tower"]),
        (json!({ "afterStopId": "museum" }), &["castle", "museum", "dinner"], &["tower"]),
        (json!({ "position": 1 }), &["dinner", "castle", "museum"], &["tower"]),
        (json!({ "position": 3 }), &["castle", "museum", "dinner"], &["tower"]),
        (json!({ "beforeStopId": "tower" }), &["castle", "museum"], &["dinner", "tower"]),
        (json!({ "afterStopId": "tower", "toDay": 2 }), &["castle", "museum"], &["tower", "dinner"]),
        (json!({ "toDay": "2027-05-16" }), &["castle", "museum"], &["tower", "dinner"]),
        (json!({ "toDay": "sunday", "position": 1 }), &["castle", "museum"], &["dinner", "tower"]),
    ] {
        world.clock.advance(chrono::TimeDelta::minutes(1));
        let trip = planned(&assistant).await;
        let shared = json!({ "itineraryId": trip.id(), "ifMatch": trip.etag(), "stopId": "dinner" });
        let moved = done(&assistant.tool("move_stop", &with(shared, arguments.clone())).await);
        let itinerary = &moved.structured["itinerary"];
        assert_eq!((&*stops(itinerary, 0), &*stops(itinerary, 1)), (saturday, sunday), "{arguments}");
    }
    let trip = planned(&assistant).await;
    for (arguments, wrong) in [
        (json!({ "stopId": "dinner" }), "position"),
        (json!({ "stopId": "dinner", "position": 5 }), "position"),
        (json!({ "stopId": "dinner", "position": 1, "beforeStopId": "castle" }), "position"),
        (json!({ "stopId": "dinner", "beforeStopId": "museum", "afterStopId": "castle" }), "position"),
        (json!({ "stopId": "dinner", "beforeStopId": "dinner" }), "beforeStopId"),
        (json!({ "stopId": "dinner", "beforeStopId": "tower", "toDay": 1 }), "toDay"),
    ] {
        let shared = json!({ "itineraryId": trip.id(), "ifMatch": trip.etag() });
        let (text, field) = refused(&assistant.tool("move_stop", &with(shared, arguments)).await, "validationFailed");
        assert_eq!(field, wrong, "{text}");
    }
}

// Moving changes no times, so a later time before an earlier one is pointed out.
#[api_test]
async fn times_that_go_backwards_are_told(world: World) {
    let assistant = Assistant::of(&world, "ana").await;
    let trip = planned(&assistant).await;
    let arguments =
        json!({ "itineraryId": trip.id(), "ifMatch": trip.etag(), "stopId": "dinner", "beforeStopId": "museum" });
    let moved = done(&assistant.tool("move_stop", &arguments).await);
    let told = "Day 1: \"Dinner in Alfama\" at 19:00 now comes before \"Museu do Fado\" at 14:00.";
    assert!(moved.text.contains(told), "{}", moved.text);
    let stop = json!({ "startTime": "12:30" });
    let arguments = json!({ "itineraryId": trip.id(), "ifMatch": moved.etag(), "stopId": "dinner", "stop": stop });
    let changed = done(&assistant.tool("update_stop", &arguments).await);
    assert!(!changed.text.contains("now comes before"), "{}", changed.text);
}

// The next optimisation keeps times that the traveller set, and may change suggested ones.
#[api_test]
async fn a_time_that_is_set_is_no_suggestion(world: World) {
    let assistant = Assistant::of(&world, "ana").await;
    let trip = planned(&assistant).await;
    let at = |etag: &str, more: Value| with(json!({ "itineraryId": trip.id(), "ifMatch": etag }), more);
    let dry = done(&assistant.tool("optimise_day", &at(trip.etag(), json!({ "day": 2, "dryRun": true }))).await);
    assert!(dry.structured["etag"].is_null() && dry.text.contains(trip.etag()), "{}", dry.text);
    let optimised = done(&assistant.tool("optimise_day", &at(trip.etag(), json!({ "day": 2 }))).await);
    let tower = |done: &Done| done.structured["day"]["stops"][0].clone();
    assert_eq!(tower(&optimised), tower(&dry));
    assert_eq!(tower(&optimised)["startTimeSuggested"], true);
    assert!(optimised.text.contains('~') && optimised.structured["minutesAfter"].is_number(), "{}", optimised.text);
    let set = json!({ "stopId": "tower", "stop": { "startTime": "16:45" } });
    let set = done(&assistant.tool("update_stop", &at(optimised.etag(), set)).await);
    assert_eq!((&tower(&set)["startTime"], &tower(&set)["startTimeSuggested"]), (&json!("16:45"), &json!(false)));
    let again = done(&assistant.tool("optimise_day", &at(set.etag(), json!({ "day": 2 }))).await);
    assert_eq!(tower(&again)["startTime"], "16:45");
}

// Nothing of the previous destination remains, such as its time zone.
#[api_test]
async fn another_destination_replaces_the_one_before(world: World) {
    let assistant = Assistant::of(&world, "ana").await;
    let old = json!({ "address": "Praça", "placeId": "mine:1", "name": "Lisbon",
        "coordinate": { "latitude": 38.7, "longitude": -9.1 } });
    let trip = done(&assistant.tool("plan_itinerary", &json!({ "destination": old, "origin": old })).await);
    let place = json!({ "name": "Tokyo", "coordinate": { "latitude": 35.68, "longitude": 139.76 } });
    let at = |more: Value| with(json!({ "itineraryId": trip.id(), "ifMatch": trip.etag() }), more);
    let at_sea = json!({ "name": "The middle", "coordinate": { "latitude": 0.0, "longitude": -30.0 } });
    let (text, field) =
        refused(&assistant.tool("update_itinerary", &at(json!({ "destination": at_sea }))).await, "validationFailed");
    assert!(field == "destination.timeZone" && text.contains("countryCode"), "{text}");
    let tokyo = with(place.clone(), json!({ "countryCode": "JP", "timeZone": "Asia/Tokyo" }));
    done(
        &assistant.tool("update_itinerary", &at(json!({ "destination": place, "origin": { "name": "Porto" } }))).await,
    );
    let read = done(&assistant.tool("get_itinerary", &json!({ "itineraryId": trip.id() })).await);
    assert_eq!(read.structured["itinerary"]["destination"], tokyo);
    assert_eq!(read.structured["itinerary"]["origin"], json!({ "name": "Porto" }));
}

#[api_test]
async fn transports_and_reservations_are_planned_shown_and_removed(world: World) {
    let assistant = Assistant::of(&world, "ana").await;
    let bookings = json!({
        "transports": [{ "id": "train", "mode": "train", "number": "IC 523", "departureDate": "2027-05-16T09:39:00+01:00",
            "departurePlace": { "name": "Oriente" }, "departurePlatform": "5", "confirmationNumber": "X7KQ2P" }],
        "reservations": [{ "id": "fado", "name": "Fado", "startDay": "2027-05-16", "partySize": 2 }],
    });
    let trip = done(&assistant.tool("plan_itinerary", &with(lisbon(), bookings)).await);
    for line in [
        "Transport train \"IC 523\" · \"Oriente\" 2027-05-16T09:39:00+01:00 → · platform 5 · confirmation X7KQ2P · id \"train\"",
        "Reservation \"Fado\" · 2027-05-16 · for 2 · id \"fado\"",
    ] {
        assert!(trip.text.contains(line), "{}", trip.text);
    }
    // A list is replaced whole.
    let one =
        json!({ "itineraryId": trip.id(), "ifMatch": trip.etag(), "reservations": [{ "id": "fado", "name": "Jazz" }] });
    let changed = done(&assistant.tool("update_itinerary", &one).await);
    assert!(changed.text.contains("Reservation \"Jazz\""), "{}", changed.text);
    let gone = json!({ "itineraryId": trip.id(), "ifMatch": changed.etag(), "kind": "transport", "id": "train" });
    let left = done(&assistant.tool("remove_item", &gone).await);
    assert_eq!(left.structured["itinerary"].get("transports"), None);
}

#[api_test]
async fn a_trip_moves_with_its_bookings_if_shift_is_sent(world: World) {
    let assistant = Assistant::of(&world, "ana").await;
    let trip = planned(&assistant).await;
    let update =
        |etag: &str, more: Value| with(json!({ "itineraryId": trip.id(), "ifMatch": etag, "shift": true }), more);
    for wrong in [json!({ "title": "Later" }), json!({ "startDate": "2027-06-15", "title": "Later" })] {
        let (_, field) =
            refused(&assistant.tool("update_itinerary", &update(trip.etag(), wrong)).await, "validationFailed");
        assert_eq!(field, "shift");
    }
    let later = update(trip.etag(), json!({ "startDate": "2027-06-15" }));
    let moved = done(&assistant.tool("update_itinerary", &later).await);
    assert!(moved.text.starts_with("Moved, with its bookings."), "{}", moved.text);
    let read = done(&assistant.tool("get_itinerary", &json!({ "itineraryId": trip.id() })).await);
    let itinerary = &read.structured["itinerary"];
    assert_eq!(
        (&itinerary["startDate"], &itinerary["flights"][0]["departureDate"]),
        (&json!("2027-06-15"), &json!("2027-06-15T06:05:00+01:00"))
    );
}

/// The source of a hotel's confirmation.
const HOTEL: &str = r#"<script type="application/ld+json">{"@context": "http://schema.org", "@type": "LodgingReservation",
    "reservationNumber": "H1", "checkinTime": "2027-05-15T15:00:00+01:00", "checkoutTime": "2027-05-18T11:00:00+01:00",
    "reservationFor": {"@type": "LodgingBusiness", "name": "Pensão Amor"}}</script>"#;
/// A calendar with a table.
const TABLE: &str = "BEGIN:VCALENDAR\r\nBEGIN:VEVENT\r\nUID:1\r\nDTSTART:20270516T183000Z\r\nSUMMARY:Dinner at Taberna\r\n\
    END:VEVENT\r\nEND:VCALENDAR\r\n";

#[api_test]
async fn bookings_are_read_from_their_sources(world: World) {
    let assistant = Assistant::of(&world, "ana").await;
    let lisbon = json!({ "name": "Lisbon", "coordinate": { "latitude": 38.72, "longitude": -9.14 } });
    let plan = json!({ "destination": lisbon, "title": "Fado", "bookings": [HOTEL] });
    let planned = done(&assistant.tool("plan_itinerary", &plan).await);
    assert!(planned.text.contains("From the bookings: 1 added, 0 updated, 0 already there."), "{}", planned.text);
    let itinerary = &planned.structured["itinerary"];
    assert_eq!((&itinerary["title"], &itinerary["startDate"]), (&json!("Fado"), &json!("2027-05-15")));
    assert_eq!(itinerary["hotels"][0]["confirmationNumber"], "H1");

    let update = json!({ "itineraryId": itinerary["id"], "ifMatch": "*", "bookings": [TABLE, HOTEL, "Dear Ana"] });
    let updated = done(&assistant.tool("update_itinerary", &update).await);
    assert!(updated.text.contains("1 added, 0 updated, 1 already there."), "{}", updated.text);
    assert!(updated.text.contains("Ignored in bookings[2]:"), "{}", updated.text);
    let again = done(&assistant.tool("update_itinerary", &update).await);
    assert!(again.text.starts_with("Nothing to change."), "{}", again.text);
    assert_eq!(again.etag(), updated.etag());
    let read = done(&assistant.tool("get_itinerary", &json!({ "itineraryId": itinerary["id"] })).await);
    assert_eq!(read.structured["itinerary"]["reservations"].as_array().map(Vec::len), Some(1));

    let old = json!({ "itineraryId": itinerary["id"], "ifMatch": planned.etag(), "title": "Old", "bookings": [HOTEL] });
    refused(&assistant.tool("update_itinerary", &old).await, "itineraryModified");
    for wrong in [json!(["Dear Ana"]), json!(vec![HOTEL; 21])] {
        let plan = json!({ "destination": lisbon, "bookings": wrong });
        assert_eq!(refused(&assistant.tool("plan_itinerary", &plan).await, "validationFailed").1, "bookings");
    }
}

// M-12, X-01: the same list in both eras, in the same order, and small enough for a model.
#[api_test]
async fn the_list_takes_at_most_24_kilobytes(world: World) {
    let assistant = Assistant::of(&world, "ana").await;
    let (legacy, modern) =
        (assistant.legacy("tools/list", &json!({})).await, assistant.modern("tools/list", &json!({})).await);
    for response in [&legacy, &modern] {
        assert!(response.body.len() <= 24 * 1024, "{} bytes", response.body.len());
    }
    assert_eq!(result(&legacy)["tools"], result(&modern)["tools"]);
    assert_eq!(result(&legacy)["tools"].as_array().map(Vec::len), Some(16));
}
