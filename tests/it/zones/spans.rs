//! How many days flights and hotels span: dates as written, each in the local time of its place.

use rstest::rstest;
use serde_json::json;

use crate::support::app::App;
use crate::support::bodies::{minimal, with};
use crate::support::{Database, Postgres, Sqlite, World};

/// Stays from check-in to check-out, the itinerary's start, and its number of days.
#[rstest]
#[case::stay_over_the_change_to_summer_time(
    &[("2027-03-27T23:00:00+00:00", "2027-03-28T23:00:00+01:00")], "2027-03-27", 2
)]
#[case::stay_over_the_change_to_winter_time(
    &[("2027-10-30T23:30:00+01:00", "2027-10-31T23:30:00+00:00")], "2027-10-30", 2
)]
#[case::stay_of_a_week_over_a_change(&[("2027-03-25T15:00:00+00:00", "2027-04-01T11:00:00+01:00")], "2027-03-25", 8)]
#[case::stay_in_the_hour_that_is_there_twice(
    &[("2027-10-31T01:30:00+01:00", "2027-10-31T01:15:00+00:00")], "2027-10-31", 1
)]
#[case::stay_that_is_on_another_date_in_utc(
    &[("2027-05-02T00:30:00+14:00", "2027-05-03T10:00:00+14:00")], "2027-05-02", 2
)]
#[case::stay_in_the_evening_that_is_tomorrow_in_utc(
    &[("2027-05-01T22:00:00-10:00", "2027-05-02T22:00:00-10:00")], "2027-05-01", 2
)]
#[case::stays_on_both_sides_of_the_date_line(
    &[("2027-05-01T15:00:00+13:00", "2027-05-03T08:00:00+13:00"),
      ("2027-05-02T12:00:00-11:00", "2027-05-04T08:00:00-11:00")],
    "2027-05-01", 4
)]
#[case::stays_that_have_the_earliest_date_later(
    &[("2027-05-03T01:00:00+14:00", "2027-05-03T09:00:00+14:00"),
      ("2027-05-02T15:00:00-11:00", "2027-05-04T08:00:00-11:00")],
    "2027-05-02", 3
)]
#[case::stay_over_the_day_that_samoa_skipped(
    &[("2011-12-29T15:00:00-10:00", "2011-12-31T11:00:00+14:00")], "2011-12-29", 3
)]
#[tokio::test(flavor = "multi_thread")]
async fn spans(
    #[values(Sqlite, Postgres)] database: Database,
    #[case] stays: &[(&str, &str)],
    #[case] start: &str,
    #[case] days: usize,
) {
    let Some(world) = World::start(database).await else { return };
    let app = App::of(&world, "ana").await;
    let stay = |(from, to): &(&str, &str)| json!({ "name": "H", "checkInDate": from, "checkOutDate": to });
    let hotels: Vec<_> = stays.iter().map(stay).collect();
    let stored = app.created(&with(minimal(), json!({ "hotels": hotels }))).await;
    assert_eq!((&stored.json["startDate"], stored.json["days"].as_array().map(Vec::len)), (&json!(start), Some(days)));
    for (kept, (from, to)) in stored.json["hotels"].as_array().expect("hotels").iter().zip(stays) {
        assert_eq!((&kept["checkInDate"], &kept["checkOutDate"]), (&json!(from), &json!(to)));
    }
}

// The first night is across the date line, a day before the flight by its date.
#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn a_journey_back_over_the_date_line_starts_with_its_first_date(#[values(Sqlite, Postgres)] database: Database) {
    let Some(world) = World::start(database).await else { return };
    let app = App::of(&world, "ana").await;
    let flights = [
        ("2027-05-02T09:15:00+12:00", "2027-05-01T19:45:00-10:00"),
        ("2027-05-06T13:00:00-10:00", "2027-05-07T20:30:00+12:00"),
    ];
    let flights = flights.map(|(departs, arrives)| json!({ "departureDate": departs, "arrivalDate": arrives }));
    let hotel = json!({
        "name": "H", "checkInDate": "2027-05-01T21:00:00-10:00", "checkOutDate": "2027-05-06T11:00:00-10:00",
    });
    let made = app.created(&with(minimal(), json!({ "flights": flights, "hotels": [hotel] }))).await.json;
    assert_eq!((&made["startDate"], made["days"].as_array().map(Vec::len)), (&json!("2027-05-01"), Some(7)));
}

#[rstest]
#[case::check_out_an_hour_later_by_the_clock_in_another_zone("2027-05-01T10:00:00+01:00", "2027-05-01T11:00:00+02:00")]
#[case::check_out_in_the_same_night_over_the_change("2027-03-28T00:30:00+00:00", "2027-03-28T01:30:00+01:00")]
#[case::check_out_the_next_day_beyond_the_date_line("2027-05-01T23:00:00-11:00", "2027-05-02T12:00:00+14:00")]
#[tokio::test(flavor = "multi_thread")]
async fn is_refused(#[values(Sqlite, Postgres)] database: Database, #[case] from: &str, #[case] to: &str) {
    let Some(world) = World::start(database).await else { return };
    let app = App::of(&world, "ana").await;
    let hotels = json!([{ "name": "H", "checkInDate": from, "checkOutDate": to }]);
    app.create(&with(minimal(), json!({ "hotels": hotels }))).await.expect_invalid("hotels[0].checkOutDate");
}
