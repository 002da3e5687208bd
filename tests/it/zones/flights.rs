//! Flights across the date line and clock changes: times are compared as instants and kept as sent.

use itinerary_tests::app::App;
use itinerary_tests::bodies::{minimal, with};
use itinerary_tests::{Database, Postgres, Sqlite, World, api_test};
use rstest::rstest;
use serde_json::{Value, json};

fn flight(departs: &str, arrives: &str) -> Value {
    json!({ "flights": [{ "departureDate": departs, "arrivalDate": arrives }] })
}

/// The itinerary starts on the earlier of a flight's two dates; the flight touches this number of dates.
#[rstest]
#[case::flight_east_to_west_over_the_date_line_skips_a_day("2027-05-01T13:00:00-10:00", "2027-05-02T20:30:00+12:00", 2)]
#[case::flight_west_to_east_over_the_date_line_arrives_the_day_before(
    "2027-05-02T09:15:00+12:00",
    "2027-05-01T19:45:00-10:00",
    2
)]
#[case::flight_west_to_east_over_the_date_line_arrives_before_it_left_by_the_clock(
    "2027-05-02T23:55:00+09:00",
    "2027-05-02T17:50:00-07:00",
    1
)]
#[case::flight_over_the_date_line_skips_a_whole_day("2027-05-01T22:30:00-07:00", "2027-05-03T06:30:00+12:00", 3)]
#[case::apia_to_pago_pago_is_half_an_hour_and_a_day_back("2027-05-02T08:00:00+13:00", "2027-05-01T08:35:00-11:00", 2)]
#[case::kiritimati_to_honolulu_is_a_whole_day_back("2027-05-02T12:00:00+14:00", "2027-05-01T15:00:00-10:00", 2)]
#[case::short_flight_west_arrives_before_it_left_by_the_clock(
    "2027-05-01T10:00:00+02:00",
    "2027-05-01T09:50:00+01:00",
    1
)]
#[case::short_flight_west_arrives_at_the_minute_it_left_by_the_clock(
    "2027-05-01T10:00:00+02:00",
    "2027-05-01T10:00:00+01:00",
    1
)]
#[case::flight_at_midnight_arrives_the_evening_before("2027-05-02T00:10:00+02:00", "2027-05-01T23:55:00+01:00", 2)]
#[case::flight_while_clocks_go_forward("2027-03-28T00:50:00+00:00", "2027-03-28T02:05:00+01:00", 1)]
#[case::flight_while_clocks_go_back_arrives_before_it_left_by_the_clock(
    "2027-10-31T01:50:00+01:00",
    "2027-10-31T01:05:00+00:00",
    1
)]
#[case::flight_between_quarter_hours("2027-05-01T10:14:00+05:45", "2027-05-01T10:00:00+05:30", 1)]
#[case::flight_in_a_leap_second("2027-06-30T23:59:60Z", "2027-07-01T00:00:00Z", 2)]
#[case::flight_that_lands_in_a_leap_second("2027-06-30T23:59:59Z", "2027-06-30T23:59:60Z", 1)]
#[case::flight_with_an_unknown_local_offset("2027-05-01T10:00:00-00:00", "2027-05-01T11:00:00+00:00", 1)]
#[case::flight_with_the_farthest_offsets("2027-05-02T00:00:00+14:00", "2027-04-30T23:00:00-12:00", 3)]
#[case::flight_with_a_decimal_of_a_nanosecond("2027-05-01T10:00:00.000000000Z", "2027-05-01T10:00:00.000000001Z", 1)]
#[case::flight_in_small_letters("2027-05-01t10:00:00z", "2027-05-01t11:00:00z", 1)]
#[case::flight_on_local_mean_time("1911-03-10T10:00:00+00:09", "1911-03-10T10:00:00+00:00", 1)]
#[tokio::test(flavor = "multi_thread")]
async fn is_taken(
    #[values(Sqlite, Postgres)] database: Database,
    #[case] departs: &str,
    #[case] arrives: &str,
    #[case] days: usize,
) {
    let Some(world) = World::start(database).await else { return };
    let app = App::of(&world, "ana").await;
    let stored = app.created(&with(minimal(), flight(departs, arrives))).await;
    assert_eq!(stored.json["startDate"], (&departs[..10]).min(&arrives[..10]));
    assert_eq!(stored.json["days"].as_array().map(Vec::len), Some(days));
    for json in [&stored.json, &app.viewed(&stored.id).await.json] {
        let flight = &json["flights"][0];
        assert_eq!((&flight["departureDate"], &flight["arrivalDate"]), (&json!(departs), &json!(arrives)));
    }
}

// Although the local times are in order.
#[rstest]
#[case::flight_that_arrives_before_it_departs_in_tokyo("2027-05-01T09:00:00-07:00", "2027-05-02T01:00:00+09:00")]
#[case::flight_that_arrives_an_hour_later_by_the_clock_east("2027-05-01T10:00:00+00:00", "2027-05-01T11:00:00+01:00")]
#[case::flight_over_the_date_line_that_arrives_the_next_day("2027-05-01T23:00:00-11:00", "2027-05-02T23:30:00+14:00")]
#[case::flight_that_gains_only_the_hour_of_the_change("2027-03-28T00:59:00+00:00", "2027-03-28T01:58:00+01:00")]
#[case::flight_that_gains_only_a_quarter_of_an_hour("2027-05-01T10:00:00+05:30", "2027-05-01T10:15:00+05:45")]
#[case::flight_that_takes_no_time_in_other_words("2027-05-01T10:00:00Z", "2027-05-01t10:00:00.000-00:00")]
#[tokio::test(flavor = "multi_thread")]
async fn is_refused(#[values(Sqlite, Postgres)] database: Database, #[case] departs: &str, #[case] arrives: &str) {
    let Some(world) = World::start(database).await else { return };
    let app = App::of(&world, "ana").await;
    assert!(departs.to_uppercase()[..19] <= arrives.to_uppercase()[..19], "it looks fine");
    app.create(&with(minimal(), flight(departs, arrives))).await.expect_invalid("flights[0].arrivalDate");
    let stored = app.created(&minimal()).await;
    app.patch(&stored, &flight(departs, arrives)).await.expect_invalid("flights[0].arrivalDate");
    assert_eq!(app.viewed(&stored.id).await.etag, stored.etag);
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
