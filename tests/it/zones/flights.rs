//! Flights across the date line and clock changes: times are compared as instants and kept as sent.

use itinerary_tests::app::{App, Stored};
use itinerary_tests::bodies::{minimal, with};
use itinerary_tests::{World, api_test};
use serde_json::{Value, json};

fn flight(departs: &str, arrives: &str) -> Value {
    json!({ "flights": [{ "departureDate": departs, "arrivalDate": arrives }] })
}

/// Each case begins with its name.
const FLIGHTS: &[(&str, &str, &str, usize)] = &[
    ("flight east to west over the date line skips a day", "2027-05-01T13:00:00-10:00", "2027-05-02T20:30:00+12:00", 2),
    (
        "flight west to east over the date line arrives the day before",
        "2027-05-02T09:15:00+12:00",
        "2027-05-01T19:45:00-10:00",
        2,
    ),
    (
        "flight west to east over the date line arrives before it left by the clock",
        "2027-05-02T23:55:00+09:00",
        "2027-05-02T17:50:00-07:00",
        1,
    ),
    ("flight over the date line skips a whole day", "2027-05-01T22:30:00-07:00", "2027-05-03T06:30:00+12:00", 3),
    ("apia to pago pago is half an hour and a day back", "2027-05-02T08:00:00+13:00", "2027-05-01T08:35:00-11:00", 2),
    ("kiritimati to honolulu is a whole day back", "2027-05-02T12:00:00+14:00", "2027-05-01T15:00:00-10:00", 2),
    (
        "short flight west arrives before it left by the clock",
        "2027-05-01T10:00:00+02:00",
        "2027-05-01T09:50:00+01:00",
        1,
    ),
    (
        "short flight west arrives at the minute it left by the clock",
        "2027-05-01T10:00:00+02:00",
        "2027-05-01T10:00:00+01:00",
        1,
    ),
    ("flight at midnight arrives the evening before", "2027-05-02T00:10:00+02:00", "2027-05-01T23:55:00+01:00", 2),
    ("flight while clocks go forward", "2027-03-28T00:50:00+00:00", "2027-03-28T02:05:00+01:00", 1),
    (
        "flight while clocks go back arrives before it left by the clock",
        "2027-10-31T01:50:00+01:00",
        "2027-10-31T01:05:00+00:00",
        1,
    ),
    ("flight between quarter hours", "2027-05-01T10:14:00+05:45", "2027-05-01T10:00:00+05:30", 1),
    ("flight in a leap second", "2027-06-30T23:59:60Z", "2027-07-01T00:00:00Z", 2),
    ("flight that lands in a leap second", "2027-06-30T23:59:59Z", "2027-06-30T23:59:60Z", 1),
    ("flight with an unknown local offset", "2027-05-01T10:00:00-00:00", "2027-05-01T11:00:00+00:00", 1),
    ("flight with the farthest offsets", "2027-05-02T00:00:00+14:00", "2027-04-30T23:00:00-12:00", 3),
    ("flight with a decimal of a nanosecond", "2027-05-01T10:00:00.000000000Z", "2027-05-01T10:00:00.000000001Z", 1),
    ("flight in small letters", "2027-05-01t10:00:00z", "2027-05-01t11:00:00z", 1),
    ("flight on local mean time", "1911-03-10T10:00:00+00:09", "1911-03-10T10:00:00+00:00", 1),
];

// The itinerary starts on the earlier of a flight's two dates; the flight touches this number of dates.
#[api_test(limits = false)]
async fn flights_over_changes_of_the_clock_are_accepted(world: World) {
    for &(case, departs, arrives, days) in FLIGHTS {
        println!("{case}");
        let app = App::of(&world, "ana").await;
        let made = app.create_call("?allowDuplicate=true", &with(minimal(), flight(departs, arrives))).send().await;
        let stored = Stored::of(&made);
        assert_eq!(stored.json["startDate"], (&departs[..10]).min(&arrives[..10]));
        assert_eq!(stored.json["days"].as_array().map(Vec::len), Some(days));
        for json in [&stored.json, &app.viewed(&stored.id).await.json] {
            let flight = &json["flights"][0];
            assert_eq!((&flight["departureDate"], &flight["arrivalDate"]), (&json!(departs), &json!(arrives)));
        }
    }
}

/// Each case begins with its name.
const REFUSED_FLIGHTS: &[(&str, &str, &str)] = &[
    ("flight that arrives before it departs in tokyo", "2027-05-01T09:00:00-07:00", "2027-05-02T01:00:00+09:00"),
    ("flight that arrives an hour later by the clock east", "2027-05-01T10:00:00+00:00", "2027-05-01T11:00:00+01:00"),
    ("flight over the date line that arrives the next day", "2027-05-01T23:00:00-11:00", "2027-05-02T23:30:00+14:00"),
    ("flight that gains only the hour of the change", "2027-03-28T00:59:00+00:00", "2027-03-28T01:58:00+01:00"),
    ("flight that gains only a quarter of an hour", "2027-05-01T10:00:00+05:30", "2027-05-01T10:15:00+05:45"),
    ("flight that takes no time in other words", "2027-05-01T10:00:00Z", "2027-05-01t10:00:00.000-00:00"),
];

// Although the local times are in order.
#[api_test(limits = false)]
async fn flight_must_arrive_after_it_departs(world: World) {
    for &(case, departs, arrives) in REFUSED_FLIGHTS {
        println!("{case}");
        let app = App::of(&world, "ana").await;
        assert!(departs.to_uppercase()[..19] <= arrives.to_uppercase()[..19], "it looks fine");
        app.create(&with(minimal(), flight(departs, arrives))).await.expect_invalid("flights[0].arrivalDate");
        let stored = Stored::of(&app.create_call("?allowDuplicate=true", &minimal()).send().await);
        app.patch(&stored, &flight(departs, arrives)).await.expect_invalid("flights[0].arrivalDate");
        assert_eq!(app.viewed(&stored.id).await.etag, stored.etag);
    }
}

/// Invalid times with an offset.
const NO_TIMES: [(&str, &str); 14] = [
    ("without an offset", "2027-05-01T10:00:00"),
    ("with a zone for an offset", "2027-05-01T10:00:00[Europe/Lisbon]"),
    ("with an offset and a zone", "2027-05-01T10:00:00+01:00[Europe/Lisbon]"),
    ("with an offset of a day", "2027-05-01T10:00:00+24:00"),
    ("with an offset of sixty minutes", "2027-05-01T10:00:00+01:60"),
    ("with an offset far out", "2027-05-01T10:00:00+99:99"),
    ("with an offset without a colon", "2027-05-01T10:00:00+0100"),
    ("with an offset of hours alone", "2027-05-01T10:00:00+01"),
    ("with an offset in seconds", "1911-03-10T10:00:00+00:09:21"),
    ("of 24 hours", "2027-05-01T24:00:00Z"),
    ("of 61 seconds", "2027-05-01T10:00:61Z"),
    ("without seconds", "2027-05-01T10:00Z"),
    ("with a comma", "2027-05-01T10:00:00,5Z"),
    ("on a day that is not", "2027-02-29T10:00:00Z"),
];

#[api_test(limits = false)]
async fn no_time_with_an_offset_is_refused(world: World) {
    let app = App::of(&world, "ana").await;
    for (name, time) in NO_TIMES {
        for (list, field) in [("flights", "departureDate"), ("flights", "arrivalDate"), ("hotels", "checkInDate")] {
            let mut item = json!({ field: time });
            if list == "hotels" {
                item["name"] = json!("H");
            }
            let response = app.create(&with(minimal(), json!({ list: [item] }))).await;
            assert_eq!(response.status, 422, "a time {name} in {list}");
            response.expect_invalid(&format!("{list}[0].{field}"));
        }
    }
}
