//! Times of an optimised day: read and written in each stop's own zone, whatever the clock does that day.
//!
//! The stops have no coordinate, so that they keep their order and need no travel.

use itinerary_tests::bodies::with;
use itinerary_tests::{World, api_test};
use serde_json::json;

use super::{Timetable, body, destination_in};

const LISBON: &str = "Europe/Lisbon";

/// Each case begins with its name.
const TIMES: &[(&str, Timetable, &[&str])] = &[
    (
        "a stop in a gap is after it in lisbon",
        Timetable::new(LISBON, "2027-03-28", &["a 01:30 30 -", "b - 60 -"]),
        &["a 01:30", "b 03:00?"],
    ),
    (
        "a stop in a gap is after it in new york",
        Timetable::new("America/New_York", "2027-03-14", &["a 02:30 30 -", "b - 60 -"]),
        &["a 02:30", "b 04:00?"],
    ),
    (
        "a stop in a gap of half an hour on lord howe",
        Timetable::new("Australia/Lord_Howe", "2027-10-03", &["a 02:15 30 -", "b - 60 -"]),
        &["a 02:15", "b 03:15?"],
    ),
    (
        "a stop in a gap of its own zone",
        Timetable::new("Asia/Tokyo", "2027-03-28", &["a 01:30 30 Europe/Lisbon", "b - 60 Europe/Lisbon"]),
        &["a 01:30", "b 03:00?"],
    ),
    (
        "a stop in an overlap is the first in lisbon",
        Timetable::new(LISBON, "2027-10-31", &["a 01:30 120 -", "b - 60 -"]),
        &["a 01:30", "b 02:30?"],
    ),
    (
        "a stop in an overlap is the first in new york",
        Timetable::new("America/New_York", "2027-11-07", &["a 01:30 120 -", "b - 60 -"]),
        &["a 01:30", "b 02:30?"],
    ),
    (
        "a stop in an overlap of half an hour on lord howe",
        Timetable::new("Australia/Lord_Howe", "2027-04-04", &["a 01:45 60 -", "b - 60 -"]),
        &["a 01:45", "b 02:15?"],
    ),
    (
        "a stop over a gap ends an hour later by the clock",
        Timetable::new(LISBON, "2027-03-28", &["a 00:30 60 -", "b - 60 -"]),
        &["a 00:30", "b 02:30?"],
    ),
    ("a day of 23 hours begins at nine", Timetable::new(LISBON, "2027-03-28", &["a - 60 -"]), &["a 09:00?"]),
    ("a day of 25 hours begins at nine", Timetable::new(LISBON, "2027-10-31", &["a - 60 -"]), &["a 09:00?"]),
    (
        "a day of 23 hours and a half begins at nine",
        Timetable::new("Australia/Lord_Howe", "2027-10-03", &["a - 60 -"]),
        &["a 09:00?"],
    ),
    (
        "a day of 24 hours and a half begins at nine",
        Timetable::new("Australia/Lord_Howe", "2027-04-04", &["a - 60 -"]),
        &["a 09:00?"],
    ),
    (
        "a day of 23 hours ends at midnight",
        Timetable::new(LISBON, "2027-03-28", &["a 22:00 119 -", "b - 1 -", "c - 1 -"]),
        &["a 22:00", "b 23:59?", "c -"],
    ),
    (
        "a day of 25 hours ends at midnight",
        Timetable::new(LISBON, "2027-10-31", &["a 22:00 119 -", "b - 1 -", "c - 1 -"]),
        &["a 22:00", "b 23:59?", "c -"],
    ),
    (
        "a day without a midnight in santiago",
        Timetable::new("America/Santiago", "2027-09-05", &["a 00:30 30 -", "b - 60 -"]),
        &["a 00:30", "b 02:00?"],
    ),
    (
        "a day without a midnight begins at nine",
        Timetable::new("America/Santiago", "2027-09-05", &["a - 60 -"]),
        &["a 09:00?"],
    ),
    (
        "a day that samoa skipped has no times",
        Timetable::new("Pacific/Apia", "2011-12-30", &["a 10:00 60 -", "b - 60 -"]),
        &["a 10:00", "b -"],
    ),
    (
        "the day after the one that samoa skipped",
        Timetable::new("Pacific/Apia", "2011-12-31", &["a 10:00 60 -", "b - 60 -"]),
        &["a 10:00", "b 11:00?"],
    ),
    (
        "half and quarter hours side by side",
        Timetable::new(
            "Asia/Kolkata",
            "2027-05-01",
            &["a 10:00 60 -", "b - 60 Asia/Kathmandu", "c - 60 Asia/Dhaka", "d - 60 -"],
        ),
        &["a 10:00", "b 11:15?", "c 12:30?", "d 13:00?"],
    ),
    (
        "a fixed time beyond a quarter of an hour",
        Timetable::new("Asia/Kolkata", "2027-05-01", &["a 10:00 60 -", "b 11:20 60 Asia/Kathmandu", "c - 60 -"]),
        &["a 10:00", "b 11:20", "c 12:05?"],
    ),
    (
        "eucla between two other times",
        Timetable::new(
            "Australia/Perth",
            "2027-06-01",
            &["a - 60 -", "b - 60 Australia/Eucla", "c - 60 Australia/Adelaide"],
        ),
        &["a 09:00?", "b 10:45?", "c 12:30?"],
    ),
    (
        "a day far from the destination begins at nine there",
        Timetable::new(LISBON, "2027-05-01", &["a - 60 Asia/Tokyo", "b - 60 Asia/Tokyo"]),
        &["a 09:00?", "b 10:00?"],
    ),
    (
        "a day on the other side of the date line",
        Timetable::new("Pacific/Kiritimati", "2027-05-01", &["a 08:00 60 Pacific/Honolulu", "b - 60 Pacific/Honolulu"]),
        &["a 08:00", "b 09:00?"],
    ),
    (
        "a day over the date line has both mornings",
        Timetable::new(
            "Pacific/Honolulu",
            "2027-05-01",
            &["a 08:00 60 Asia/Tokyo", "b - 60 Asia/Tokyo", "c 07:00 60 -", "d - 60 -"],
        ),
        &["a 08:00", "b 09:00?", "c 07:00", "d 08:00?"],
    ),
    (
        "a cruise without a zone is on utc",
        Timetable::new("", "2027-03-28", &["a - 60 -", "b 12:00 60 -", "c - 60 -"]),
        &["a 09:00?", "b 12:00", "c 13:00?"],
    ),
    (
        "a cruise that calls at a port with a zone",
        Timetable::new("", "2027-05-01", &["a 10:00 60 -", "b - 60 Europe/Lisbon", "c - 60 -"]),
        &["a 10:00", "b 12:00?", "c 12:00?"],
    ),
    (
        "a cruise that begins at a port far ahead",
        Timetable::new("", "2027-05-01", &["a - 60 Pacific/Auckland", "b - 60 Pacific/Auckland"]),
        &["a 09:00?", "b 10:00?"],
    ),
    (
        "a suggested time is no fixed one",
        Timetable::new(LISBON, "2027-03-28", &["a 01:30? 30 -", "b 23:00? 60 -"]),
        &["a 09:00?", "b 09:30?"],
    ),
    (
        "a start in a gap is after it",
        Timetable::new(LISBON, "2027-03-28", &["a - 30 -", "b - 30 -"]).with_request(r#"{"startAt": "01:30"}"#),
        &["a 02:30?", "b 03:00?"],
    ),
    (
        "a start is read where the day begins",
        Timetable::new(LISBON, "2027-05-01", &["a - 60 Asia/Kathmandu", "b - 60 Asia/Kolkata"])
            .with_request(r#"{"startAt": "07:30", "endAt": "20:00"}"#),
        &["a 07:30?", "b 08:15?"],
    ),
    (
        "a fixed time that cannot be reached in its zone leaves the others",
        Timetable::new("Asia/Kolkata", "2027-05-01", &["a 10:00 60 -", "b 11:00 60 Asia/Kathmandu", "c - 60 -"]),
        &["a 10:00", "b 11:00", "c -"],
    ),
    (
        "the last minute of the last year",
        Timetable::new("Pacific/Kiritimati", "2200-12-31", &["a 23:59 60 Pacific/Pago_Pago", "b - 60 -"]),
        &["a 23:59", "b -"],
    ),
    (
        "the first day of the first year on local mean time",
        Timetable::new("Europe/Amsterdam", "1900-01-01", &["a 10:00 60 -", "b - 60 -"]),
        &["a 10:00", "b 11:00?"],
    ),
];

#[api_test(limits = false)]
async fn times_are_local(world: World) {
    for &(case, day, expected) in TIMES {
        println!("{case}");
        assert_eq!(day.optimised(&world, None, json!({})).await, expected);
    }
}

// The night before is spent in another zone than that of the day's stops and the destination.
#[api_test]
async fn a_day_begins_in_the_zone_of_the_hotel(world: World) {
    let spot = (27.0, 84.0);
    let hotel = json!({
        "name": "H", "checkInDate": "2027-04-30T23:00:00+05:45", "checkOutDate": "2027-05-01T08:00:00+05:45",
        "place": { "coordinate": { "latitude": spot.0, "longitude": spot.1 }, "timeZone": "Asia/Kathmandu" },
    });
    let day = Timetable::new("Europe/Lisbon", "2027-05-01", &["a - 60 Asia/Kolkata"]);
    let times = day.optimised(&world, Some(spot), json!({ "hotels": [hotel] })).await;
    assert_eq!(times, ["a 08:45?"], "nine o'clock at the hotel");
}

// The second day has no valid date, so its times cannot be wrong.
#[api_test]
async fn a_day_beyond_the_last_date_is_optimised(world: World) {
    let client = world.client("ana").await;
    let days = json!([{}, { "id": "beyond", "stops": [{ "name": "S", "startTime": "10:00" }, { "name": "T" }] }]);
    let sent = with(destination_in(LISBON), json!({ "startDate": "2200-12-31", "days": days }));
    let made = client.itinerary_create(body(sent)).send().await.expect("created");
    let call = client.day_optimise(made.id, "beyond", made.etag());
    let day = call.send().await.expect("optimised").into_inner().itinerary.days.swap_remove(1);
    let times: Vec<_> = day.stops.iter().map(|stop| stop.start_time.as_deref()).collect();
    assert_eq!(times, [Some("10:00"), Some("11:00")]);
}
