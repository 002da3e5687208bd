//! The order of an optimised day: fixed times are compared as instants, whatever the local times.
//!
//! All stops are at one place, so that only their times decide.

use itinerary_tests::{World, api_test};
use serde_json::json;

use super::{HIGH_SEA, Timetable};

/// Each case begins with its name.
const ORDERS: &[(&str, Timetable, &[&str])] = &[
    (
        "kathmandu at ten is before delhi at ten",
        Timetable::new("Asia/Kolkata", "2027-05-01", &["delhi 10:00 15 -", "kathmandu 10:00 15 Asia/Kathmandu"]),
        &["kathmandu 10:00", "delhi 10:00"],
    ),
    (
        "chatham at ten is before auckland at ten",
        Timetable::new("Pacific/Auckland", "2027-01-20", &["auckland 10:00 45 -", "chatham 10:00 45 Pacific/Chatham"]),
        &["chatham 10:00", "auckland 10:00"],
    ),
    (
        "later by the clock is earlier",
        Timetable::new("Europe/London", "2027-01-20", &["london 10:00 30 -", "paris 10:30 30 Europe/Paris"]),
        &["paris 10:30", "london 10:00"],
    ),
    (
        "earlier by the clock is later beyond the date line",
        Timetable::new("Pacific/Honolulu", "2027-05-01", &["honolulu 08:00 60 -", "tokyo 20:00 60 Asia/Tokyo"]),
        &["tokyo 20:00", "honolulu 08:00"],
    ),
    (
        "two that are yesterday in the destinations zone",
        Timetable::new("Pacific/Honolulu", "2027-05-01", &["b 11:00 60 Asia/Tokyo", "a 08:00 60 Asia/Tokyo"]),
        &["a 08:00", "b 11:00"],
    ),
    (
        "one in a gap is after the one behind it",
        Timetable::new("Europe/Lisbon", "2027-03-28", &["gap 01:30 30 -", "behind 02:00 30 -"]),
        &["behind 02:00", "gap 01:30"],
    ),
    (
        "one in a gap of half an hour is after the one behind it",
        Timetable::new("Australia/Lord_Howe", "2027-10-03", &["gap 02:15 15 -", "behind 02:30 15 -"]),
        &["behind 02:30", "gap 02:15"],
    ),
    (
        "one in an overlap is before the one behind it",
        Timetable::new("America/New_York", "2027-11-07", &["behind 02:00 30 -", "twice 01:30 90 -"]),
        &["twice 01:30", "behind 02:00"],
    ),
    (
        "a visit of an hour fits into a day of 25 hours",
        Timetable::new("Europe/Lisbon", "2027-10-31", &["noon 12:00 60 -", "free - 120 -", "first 00:30 90 -"])
            .with_request(r#"{"startAt": "00:30"}"#),
        &["first 00:30", "free 01:00?", "noon 12:00"],
    ),
    (
        "summer time in one of two neighbours",
        Timetable::new("Asia/Amman", "2027-03-28", &["rhodes 10:00 30 Europe/Athens", "cairo 09:30 30 Africa/Cairo"]),
        &["rhodes 10:00", "cairo 09:30"],
    ),
];

#[api_test(limits = false)]
async fn order_is_by_instants(world: World) {
    for &(case, day, expected) in ORDERS {
        println!("{case}");
        assert_eq!(day.optimised(&world, Some((38.7, -9.1)), json!({})).await, expected);
    }
}

#[api_test]
async fn a_cruise_without_a_zone_is_put_in_order(world: World) {
    let stops = &["dinner 19:00 90 -", "lisbon 13:30 30 Europe/Lisbon", "lunch 13:00 30 -", "free - 60 -"];
    let day = Timetable::new("", "2027-05-01", stops);
    let ordered = day.optimised(&world, Some(HIGH_SEA), json!({})).await;
    assert_eq!(ordered, ["free 09:00?", "lisbon 13:30", "lunch 13:00", "dinner 19:00"]);
}
