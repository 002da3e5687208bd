//! The default start date: thirty days from today at the destination.

use chrono::{DateTime, Utc};
use itinerary_core::clock::Clock as _;
use itinerary_tests::bodies::to;
use itinerary_tests::{Database, Postgres, Sqlite, World};
use rstest::rstest;
use serde_json::json;

use super::{HIGH_SEA, create};

// Created a minute before, and at, the change of the date at the destination.
#[rstest]
#[case::kiritimati_is_a_day_ahead_from_ten_o_clock((1.8721, -157.4278), "", "2027-01-11T10:00:00Z", "2027-02-11")]
#[case::honolulu_is_a_day_behind_until_ten_o_clock((21.3069, -157.8583), "", "2027-01-11T10:00:00Z", "2027-02-10")]
#[case::pago_pago_is_the_last((-14.2756, -170.702), "", "2027-01-11T11:00:00Z", "2027-02-10")]
#[case::apia_is_a_day_ahead_of_pago_pago((-13.8333, -171.7667), "", "2027-01-11T11:00:00Z", "2027-02-11")]
#[case::chatham_in_summer_is_at_a_quarter_past((-43.9535, -176.5597), "", "2027-01-11T10:15:00Z", "2027-02-11")]
#[case::kathmandu_is_at_a_quarter_past((27.7172, 85.324), "", "2027-01-11T18:15:00Z", "2027-02-11")]
#[case::st_johns_is_at_half_past((47.5615, -52.7126), "", "2027-01-11T03:30:00Z", "2027-02-10")]
#[case::lisbon_in_summer_is_an_hour_ahead((38.7223, -9.1393), "", "2027-07-01T23:00:00Z", "2027-08-01")]
#[case::lord_howe_in_its_half_hour_of_summer((-31.527, 159.068), "", "2027-11-01T13:00:00Z", "2027-12-02")]
#[case::at_sea_it_is_utc(HIGH_SEA, "", "2027-01-11T00:00:00Z", "2027-02-10")]
#[case::the_zone_that_was_sent_decides((38.7223, -9.1393), "Asia/Calcutta", "2027-01-11T18:30:00Z", "2027-02-11")]
#[case::a_zone_sent_for_the_sea_decides(HIGH_SEA, "Pacific/Honolulu", "2027-01-11T10:00:00Z", "2027-02-10")]
#[case::thirty_days_end_in_a_leap_day((38.7223, -9.1393), "", "2028-01-30T00:00:00Z", "2028-02-29")]
#[tokio::test(flavor = "multi_thread")]
async fn a_guessed_start_is_a_date_there(
    #[values(Sqlite, Postgres)] database: Database,
    #[case] (latitude, longitude): (f64, f64),
    #[case] zone: &str,
    #[case] midnight: DateTime<Utc>,
    #[case] start: chrono::NaiveDate,
) {
    let Some(world) = World::start(database).await else { return };
    let minute = chrono::TimeDelta::minutes(1);
    let mut body = to("Here", latitude, longitude);
    if !zone.is_empty() {
        body["destination"]["timeZone"] = json!(zone);
    }
    world.clock.advance(midnight - minute - world.clock.now());
    let client = world.client("ana").await;
    for (expected, when) in [(start - chrono::Days::new(1), "before"), (start, "after")] {
        let made = create(&client, body.clone()).await.expect("created");
        assert_eq!(made.start_date, expected, "{when} midnight");
        let attention = made.needs_attention.expect("the answer to a write has it");
        let assumed =
            attention.iter().filter(|entry| entry.field == "startDate" && entry.code.to_string() == "assumed");
        assert_eq!(assumed.count(), 1);
        world.clock.advance(minute);
    }
}
