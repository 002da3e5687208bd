//! Times of an optimised day: read and written in each stop's own zone, whatever the clock does that day.
//!
//! The stops have no coordinate, so that they keep their order and need no travel.

use itinerary_tests::bodies::with;
use itinerary_tests::{Database, Postgres, Sqlite, World, api_test};
use rstest::rstest;
use serde_json::json;

use super::{Timetable, body, destination_in};

const LISBON: &str = "Europe/Lisbon";

#[rstest]
#[case::a_stop_in_a_gap_is_after_it_in_lisbon(
    Timetable::new(LISBON, "2027-03-28", &["a 01:30 30 -", "b - 60 -"]), &["a 01:30", "b 03:00?"]
)]
#[case::a_stop_in_a_gap_is_after_it_in_new_york(
    Timetable::new("America/New_York", "2027-03-14", &["a 02:30 30 -", "b - 60 -"]), &["a 02:30", "b 04:00?"]
)]
#[case::a_stop_in_a_gap_of_half_an_hour_on_lord_howe(
    Timetable::new("Australia/Lord_Howe", "2027-10-03", &["a 02:15 30 -", "b - 60 -"]), &["a 02:15", "b 03:15?"]
)]
#[case::a_stop_in_a_gap_of_its_own_zone(
    Timetable::new("Asia/Tokyo", "2027-03-28", &["a 01:30 30 Europe/Lisbon", "b - 60 Europe/Lisbon"]),
    &["a 01:30", "b 03:00?"]
)]
#[case::a_stop_in_an_overlap_is_the_first_in_lisbon(
    Timetable::new(LISBON, "2027-10-31", &["a 01:30 120 -", "b - 60 -"]), &["a 01:30", "b 02:30?"]
)]
#[case::a_stop_in_an_overlap_is_the_first_in_new_york(
    Timetable::new("America/New_York", "2027-11-07", &["a 01:30 120 -", "b - 60 -"]), &["a 01:30", "b 02:30?"]
)]
#[case::a_stop_in_an_overlap_of_half_an_hour_on_lord_howe(
    Timetable::new("Australia/Lord_Howe", "2027-04-04", &["a 01:45 60 -", "b - 60 -"]), &["a 01:45", "b 02:15?"]
)]
#[case::a_stop_over_a_gap_ends_an_hour_later_by_the_clock(
    Timetable::new(LISBON, "2027-03-28", &["a 00:30 60 -", "b - 60 -"]), &["a 00:30", "b 02:30?"]
)]
#[case::a_day_of_23_hours_begins_at_nine(Timetable::new(LISBON, "2027-03-28", &["a - 60 -"]), &["a 09:00?"])]
#[case::a_day_of_25_hours_begins_at_nine(Timetable::new(LISBON, "2027-10-31", &["a - 60 -"]), &["a 09:00?"])]
#[case::a_day_of_23_hours_and_a_half_begins_at_nine(
    Timetable::new("Australia/Lord_Howe", "2027-10-03", &["a - 60 -"]), &["a 09:00?"]
)]
#[case::a_day_of_24_hours_and_a_half_begins_at_nine(
    Timetable::new("Australia/Lord_Howe", "2027-04-04", &["a - 60 -"]), &["a 09:00?"]
)]
#[case::a_day_of_23_hours_ends_at_midnight(
    Timetable::new(LISBON, "2027-03-28", &["a 22:00 119 -", "b - 1 -", "c - 1 -"]), &["a 22:00", "b 23:59?", "c -"]
)]
#[case::a_day_of_25_hours_ends_at_midnight(
    Timetable::new(LISBON, "2027-10-31", &["a 22:00 119 -", "b - 1 -", "c - 1 -"]), &["a 22:00", "b 23:59?", "c -"]
)]
#[case::a_day_without_a_midnight_in_santiago(
    Timetable::new("America/Santiago", "2027-09-05", &["a 00:30 30 -", "b - 60 -"]), &["a 00:30", "b 02:00?"]
)]
#[case::a_day_without_a_midnight_begins_at_nine(
    Timetable::new("America/Santiago", "2027-09-05", &["a - 60 -"]), &["a 09:00?"]
)]
#[case::a_day_that_samoa_skipped_has_no_times(
    Timetable::new("Pacific/Apia", "2011-12-30", &["a 10:00 60 -", "b - 60 -"]), &["a 10:00", "b -"]
)]
#[case::the_day_after_the_one_that_samoa_skipped(
    Timetable::new("Pacific/Apia", "2011-12-31", &["a 10:00 60 -", "b - 60 -"]), &["a 10:00", "b 11:00?"]
)]
#[case::half_and_quarter_hours_side_by_side(
    Timetable::new(
        "Asia/Kolkata",
        "2027-05-01",
        &["a 10:00 60 -", "b - 60 Asia/Kathmandu", "c - 60 Asia/Dhaka", "d - 60 -"],
    ),
    &["a 10:00", "b 11:15?", "c 12:30?", "d 13:00?"]
)]
#[case::a_fixed_time_beyond_a_quarter_of_an_hour(
    Timetable::new("Asia/Kolkata", "2027-05-01", &["a 10:00 60 -", "b 11:20 60 Asia/Kathmandu", "c - 60 -"]),
    &["a 10:00", "b 11:20", "c 12:05?"]
)]
#[case::eucla_between_two_other_times(
    Timetable::new(
        "Australia/Perth",
        "2027-06-01",
        &["a - 60 -", "b - 60 Australia/Eucla", "c - 60 Australia/Adelaide"],
    ),
    &["a 09:00?", "b 10:45?", "c 12:30?"]
)]
#[case::a_day_far_from_the_destination_begins_at_nine_there(
    Timetable::new(LISBON, "2027-05-01", &["a - 60 Asia/Tokyo", "b - 60 Asia/Tokyo"]), &["a 09:00?", "b 10:00?"]
)]
#[case::a_day_on_the_other_side_of_the_date_line(
    Timetable::new("Pacific/Kiritimati", "2027-05-01", &["a 08:00 60 Pacific/Honolulu", "b - 60 Pacific/Honolulu"]),
    &["a 08:00", "b 09:00?"]
)]
#[case::a_day_over_the_date_line_has_both_mornings(
    Timetable::new(
        "Pacific/Honolulu",
        "2027-05-01",
        &["a 08:00 60 Asia/Tokyo", "b - 60 Asia/Tokyo", "c 07:00 60 -", "d - 60 -"],
    ),
    &["a 08:00", "b 09:00?", "c 07:00", "d 08:00?"]
)]
#[case::a_cruise_without_a_zone_is_on_utc(
    Timetable::new("", "2027-03-28", &["a - 60 -", "b 12:00 60 -", "c - 60 -"]), &["a 09:00?", "b 12:00", "c 13:00?"]
)]
#[case::a_cruise_that_calls_at_a_port_with_a_zone(
    Timetable::new("", "2027-05-01", &["a 10:00 60 -", "b - 60 Europe/Lisbon", "c - 60 -"]),
    &["a 10:00", "b 12:00?", "c 12:00?"]
)]
#[case::a_cruise_that_begins_at_a_port_far_ahead(
    Timetable::new("", "2027-05-01", &["a - 60 Pacific/Auckland", "b - 60 Pacific/Auckland"]), &["a 09:00?", "b 10:00?"]
)]
#[case::a_suggested_time_is_no_fixed_one(
    Timetable::new(LISBON, "2027-03-28", &["a 01:30? 30 -", "b 23:00? 60 -"]), &["a 09:00?", "b 09:30?"]
)]
#[case::a_start_in_a_gap_is_after_it(
    Timetable::new(LISBON, "2027-03-28", &["a - 30 -", "b - 30 -"]).with_request(r#"{"startAt": "01:30"}"#),
    &["a 02:30?", "b 03:00?"]
)]
#[case::a_start_is_read_where_the_day_begins(
    Timetable::new(LISBON, "2027-05-01", &["a - 60 Asia/Kathmandu", "b - 60 Asia/Kolkata"])
        .with_request(r#"{"startAt": "07:30", "endAt": "20:00"}"#),
    &["a 07:30?", "b 08:15?"]
)]
#[case::a_fixed_time_that_cannot_be_reached_in_its_zone_leaves_the_others(
    Timetable::new("Asia/Kolkata", "2027-05-01", &["a 10:00 60 -", "b 11:00 60 Asia/Kathmandu", "c - 60 -"]),
    &["a 10:00", "b 11:00", "c -"]
)]
#[case::the_last_minute_of_the_last_year(
    Timetable::new("Pacific/Kiritimati", "2200-12-31", &["a 23:59 60 Pacific/Pago_Pago", "b - 60 -"]),
    &["a 23:59", "b -"]
)]
#[case::the_first_day_of_the_first_year_on_local_mean_time(
    Timetable::new("Europe/Amsterdam", "1900-01-01", &["a 10:00 60 -", "b - 60 -"]), &["a 10:00", "b 11:00?"]
)]
#[tokio::test(flavor = "multi_thread")]
async fn times(#[values(Sqlite, Postgres)] database: Database, #[case] day: Timetable, #[case] expected: &[&str]) {
    let Some(world) = World::start(database).await else { return };
    assert_eq!(day.optimised(&world, None, json!({})).await, expected);
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
