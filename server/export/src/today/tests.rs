use itinerary_api::types::Itinerary;
use serde_json::{Value, json};

use super::*;
use crate::html::tests::itinerary;

fn today(itinerary: &Itinerary, now: &str) -> Option<Today> {
    let trip = Trip::new(itinerary, 1, "https://trips.example/trips/x".to_owned());
    Today::of(&trip, now.parse().expect("an instant"))
}

/// What is next as `time zone name anchor`; `-` for nothing.
fn next(itinerary: &Itinerary, now: &str) -> String {
    let Some(next) = today(itinerary, now).expect("a day of the trip").next else { return "-".to_owned() };
    let parts = [next.time, next.zone, Some(next.name), Some(next.anchor)];
    parts.into_iter().flatten().collect::<Vec<_>>().join(" ")
}

fn in_zone(zone: &str, more: Value) -> Itinerary {
    let mut json = json!({
        "destination": { "name": "D", "coordinate": { "latitude": 0.0, "longitude": 0.0 }, "timeZone": zone },
        "days": [{}, {}, {}],
    });
    let Value::Object(more) = more else { panic!("not an object") };
    json.as_object_mut().expect("an object").extend(more);
    itinerary(json)
}

fn stop(name: &str, time: Option<&str>) -> Value {
    json!({ "name": name, "startTime": time, "place": null })
}

#[test]
fn the_day_is_that_of_the_destination() {
    // The trip is from 15 to 17 May 2027.
    let kiribati = in_zone("Pacific/Kiritimati", json!({}));
    assert_eq!(today(&kiribati, "2027-05-14T09:59:59Z"), None, "the day before, there");
    let first = today(&kiribati, "2027-05-14T10:00:00Z").expect("the first day has begun there");
    assert_eq!((first.day, &*first.date), (1, "Saturday 15 May"));
    assert_eq!(today(&kiribati, "2027-05-17T09:59:59Z").map(|today| today.day), Some(3));
    assert_eq!(today(&kiribati, "2027-05-17T10:00:00Z"), None, "the day after, there");
    let honolulu = in_zone("Pacific/Honolulu", json!({}));
    assert_eq!(today(&honolulu, "2027-05-15T09:59:59Z"), None);
    assert_eq!(today(&honolulu, "2027-05-18T09:59:59Z").map(|today| today.day), Some(3));
    assert_eq!(today(&honolulu, "2027-05-18T10:00:00Z"), None);
}

#[test]
fn without_a_time_zone_no_day_is_current() {
    let mut unknown = in_zone("Europe/Lisbon", json!({}));
    unknown.destination.time_zone = None;
    assert_eq!(today(&unknown, "2027-05-16T12:00:00Z"), None);
}

#[test]
fn the_next_item_has_its_local_time() {
    let trip = in_zone(
        "Europe/Lisbon",
        json!({
            "days": [{ "stops": [stop("Castle", Some("16:00")), stop("Fado", Some("21:30"))] }, {}, {}],
            "flights": [{
                "flightNumber": "TP669",
                "departureAirport": { "code": "AMS", "timeZone": "Europe/Amsterdam" },
                "arrivalAirport": { "code": "LIS", "timeZone": "Europe/Lisbon" },
                "departureDate": "2027-05-15T11:35:00+02:00",
                "arrivalDate": "2027-05-15T13:35:00+01:00",
            }],
            "hotels": [{
                "name": "Quinta",
                "place": { "name": "Quinta", "timeZone": "Europe/Lisbon" },
                "checkInDate": "2027-05-15T15:00:00+01:00",
                "checkOutDate": "2027-05-17T11:00:00+01:00",
            }],
        }),
    );
    for (now, expected) in [
        ("2027-05-15T09:34:59Z", "11:35 Amsterdam time Flight TP669 AMS → LIS flight-1"),
        // At its very minute it is not what comes next.
        ("2027-05-15T09:35:00Z", "15:00 Check in at Quinta hotel-1"),
        ("2027-05-15T14:30:00Z", "16:00 Castle day-1"),
        ("2027-05-15T15:00:00Z", "21:30 Fado day-1"),
        ("2027-05-15T20:30:00Z", "-"),
        ("2027-05-16T12:00:00Z", "-"),
        ("2027-05-17T09:59:00Z", "11:00 Check out of Quinta hotel-1"),
        ("2027-05-17T10:00:00Z", "-"),
    ] {
        assert_eq!(next(&trip, now), expected, "{now}");
    }
}

#[test]
fn an_arrival_on_another_day_is_a_separate_item() {
    let trip = in_zone(
        "Asia/Tokyo",
        json!({ "flights": [{
            "flightNumber": "NH212",
            "departureAirport": { "code": "LHR", "timeZone": "Europe/London" },
            "arrivalAirport": { "code": "HND", "timeZone": "Asia/Tokyo" },
            "departureDate": "2027-05-15T19:00:00+01:00",
            "arrivalDate": "2027-05-16T15:50:00+09:00",
        }] }),
    );
    // In Tokyo it is the second day already, and the flight departs on the first, there.
    assert_eq!(next(&trip, "2027-05-15T17:00:00Z"), "15:50 Arrival at HND flight-1");
    assert_eq!(next(&trip, "2027-05-15T10:00:00Z"), "19:00 London time Flight NH212 LHR → HND flight-1");
}

#[test]
fn a_stop_without_a_time_follows_the_last_one_that_has_begun() {
    let stops = [stop("Market", None), stop("Castle", Some("10:00")), stop("Beach", None), stop("Park", None)];
    let trip = in_zone("Europe/Lisbon", json!({ "days": [{ "stops": stops }] }));
    // A time comes first: nobody knows whether the market is over.
    assert_eq!(next(&trip, "2027-05-15T07:00:00Z"), "10:00 Castle day-1");
    assert_eq!(next(&trip, "2027-05-15T09:00:00Z"), "Beach day-1");
    let trip = in_zone("Europe/Lisbon", json!({ "days": [{ "stops": [stop("Market", None)] }] }));
    assert_eq!(next(&trip, "2027-05-15T20:00:00Z"), "Market day-1");
}

#[test]
fn transports_and_reservations_are_next_at_their_local_times() {
    let station = |name: &str, zone: &str| json!({ "name": name, "timeZone": zone });
    let trip = in_zone(
        "Europe/Lisbon",
        json!({
            "transports": [
                {
                    "mode": "train", "number": "IC 523",
                    "departurePlace": station("Madrid", "Europe/Madrid"), "arrivalPlace": station("Lisboa", "Europe/Lisbon"),
                    "departureDate": "2027-05-15T21:00:00+02:00", "arrivalDate": "2027-05-16T07:30:00+01:00",
                },
                {
                    "mode": "car", "operator": { "name": "Hertz" },
                    "departurePlace": { "name": "Airport" }, "arrivalPlace": { "name": "Airport" },
                    "departureDate": "2027-05-16T09:00:00+01:00", "arrivalDate": "2027-05-16T22:00:00+01:00",
                },
            ],
            "reservations": [
                { "name": "Fado", "startDate": "2027-05-16T20:00:00+01:00", "endDate": "2027-05-17T01:00:00+01:00" },
            ],
        }),
    );
    for (now, expected) in [
        ("2027-05-15T12:00:00Z", "21:00 Madrid time Train IC 523 Madrid → Lisboa transport-1"),
        ("2027-05-16T00:00:00Z", "07:30 Arrival at Lisboa transport-1"),
        ("2027-05-16T07:00:00Z", "09:00 UTC+01:00 Collect the hired car at Airport transport-2"),
        ("2027-05-16T12:00:00Z", "20:00 UTC+01:00 Fado reservation-1"),
        ("2027-05-16T20:00:00Z", "22:00 UTC+01:00 Return the hired car at Airport transport-2"),
        ("2027-05-16T23:30:00Z", "01:00 UTC+01:00 End of Fado reservation-1"),
    ] {
        assert_eq!(next(&trip, now), expected, "{now}");
    }
}

#[test]
fn a_booking_without_a_time_follows_those_with_one() {
    let trip = in_zone(
        "Europe/Lisbon",
        json!({
            "days": [{ "stops": [stop("Market", None), stop("Castle", Some("16:00"))] }, {}, {}],
            "flights": [{ "flightNumber": "TP1", "departureDay": "2027-05-16" }],
            "transports": [{ "mode": "ferry", "departureDay": "2027-05-15" }],
            "reservations": [{ "name": "Tour", "startDay": "2027-05-15", "endDay": "2027-05-17" }],
        }),
    );
    for (now, expected) in [
        ("2027-05-15T12:00:00Z", "16:00 Castle day-1"),
        ("2027-05-15T15:00:00Z", "Ferry transport-1"),
        ("2027-05-16T12:00:00Z", "Flight TP1 flight-1"),
        ("2027-05-17T12:00:00Z", "End of Tour reservation-1"),
    ] {
        assert_eq!(next(&trip, now), expected, "{now}");
    }
}

#[test]
fn stage_depends_on_the_date_at_the_destination() {
    let first = "2027-05-15".parse().expect("a date");
    let stage = |days, zone, now: &str| Stage::of(first, days, zone, now.parse().expect("an instant"));
    let kiritimati = Some("Pacific/Kiritimati");
    assert_eq!(stage(3, kiritimati, "2027-05-14T09:59:59Z"), Stage::Ahead(1));
    assert_eq!(stage(3, kiritimati, "2027-05-14T10:00:00Z"), Stage::Runs(1));
    assert_eq!(stage(3, kiritimati, "2027-05-17T09:59:59Z"), Stage::Runs(3));
    assert_eq!(stage(3, kiritimati, "2027-05-17T10:00:00Z"), Stage::Over);
    assert_eq!(stage(3, None, "2027-05-14T23:59:59Z"), Stage::Ahead(1));
    assert_eq!(stage(0, None, "2027-05-15T12:00:00Z"), Stage::Runs(1));
    assert_eq!(stage(0, None, "2027-05-16T00:00:00Z"), Stage::Over);
}
