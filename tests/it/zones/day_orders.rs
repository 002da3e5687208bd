//! The order of an optimised day: fixed times are compared as instants, whatever the local times.
//!
//! All stops are at one place, so that only their times decide.

use itinerary_tests::{Database, Postgres, Sqlite, World, api_test};
use rstest::rstest;
use serde_json::json;

use super::{HIGH_SEA, Timetable};

#[rstest]
#[case::kathmandu_at_ten_is_before_delhi_at_ten(
    Timetable::new("Asia/Kolkata", "2027-05-01", &["delhi 10:00 15 -", "kathmandu 10:00 15 Asia/Kathmandu"]),
    &["kathmandu 10:00", "delhi 10:00"]
)]
#[case::chatham_at_ten_is_before_auckland_at_ten(
    Timetable::new("Pacific/Auckland", "2027-01-20", &["auckland 10:00 45 -", "chatham 10:00 45 Pacific/Chatham"]),
    &["chatham 10:00", "auckland 10:00"]
)]
#[case::later_by_the_clock_is_earlier(
    Timetable::new("Europe/London", "2027-01-20", &["london 10:00 30 -", "paris 10:30 30 Europe/Paris"]),
    &["paris 10:30", "london 10:00"]
)]
#[case::earlier_by_the_clock_is_later_beyond_the_date_line(
    Timetable::new("Pacific/Honolulu", "2027-05-01", &["honolulu 08:00 60 -", "tokyo 20:00 60 Asia/Tokyo"]),
    &["tokyo 20:00", "honolulu 08:00"]
)]
#[case::two_that_are_yesterday_in_the_destinations_zone(
    Timetable::new("Pacific/Honolulu", "2027-05-01", &["b 11:00 60 Asia/Tokyo", "a 08:00 60 Asia/Tokyo"]),
    &["a 08:00", "b 11:00"]
)]
#[case::one_in_a_gap_is_after_the_one_behind_it(
    Timetable::new("Europe/Lisbon", "2027-03-28", &["gap 01:30 30 -", "behind 02:00 30 -"]),
    &["behind 02:00", "gap 01:30"]
)]
#[case::one_in_a_gap_of_half_an_hour_is_after_the_one_behind_it(
    Timetable::new("Australia/Lord_Howe", "2027-10-03", &["gap 02:15 15 -", "behind 02:30 15 -"]),
    &["behind 02:30", "gap 02:15"]
)]
#[case::one_in_an_overlap_is_before_the_one_behind_it(
    Timetable::new("America/New_York", "2027-11-07", &["behind 02:00 30 -", "twice 01:30 90 -"]),
    &["twice 01:30", "behind 02:00"]
)]
#[case::a_visit_of_an_hour_fits_into_a_day_of_25_hours(
    Timetable::new("Europe/Lisbon", "2027-10-31", &["noon 12:00 60 -", "free - 120 -", "first 00:30 90 -"])
        .with_request(r#"{"startAt": "00:30"}"#),
    &["first 00:30", "free 01:00?", "noon 12:00"]
)]
#[case::summer_time_in_one_of_two_neighbours(
    Timetable::new("Asia/Amman", "2027-03-28", &["rhodes 10:00 30 Europe/Athens", "cairo 09:30 30 Africa/Cairo"]),
    &["rhodes 10:00", "cairo 09:30"]
)]
#[tokio::test(flavor = "multi_thread")]
async fn order(#[values(Sqlite, Postgres)] database: Database, #[case] day: Timetable, #[case] expected: &[&str]) {
    let Some(world) = World::start(database).await else { return };
    assert_eq!(day.optimised(&world, Some((38.7, -9.1)), json!({})).await, expected);
}

#[api_test]
async fn a_cruise_without_a_zone_is_put_in_order(world: World) {
    let stops = &["dinner 19:00 90 -", "lisbon 13:30 30 Europe/Lisbon", "lunch 13:00 30 -", "free - 60 -"];
    let day = Timetable::new("", "2027-05-01", stops);
    let ordered = day.optimised(&world, Some(HIGH_SEA), json!({})).await;
    assert_eq!(ordered, ["free 09:00?", "lisbon 13:30", "lunch 13:00", "dinner 19:00"]);
}
