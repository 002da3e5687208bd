//! The dates of flights and hotels: local at their places where the time zone is known, otherwise as written. They give a
//! new itinerary its start date and its number of days.

use itinerary_tests::app::{App, Stored};
use itinerary_tests::bodies::{minimal, with};
use itinerary_tests::{Database, Postgres, Sqlite, World, api_test};
use rstest::rstest;
use serde_json::{Value, json};

use super::create;

/// The first and the last time of each stay.
type Stays = &'static [(&'static str, &'static str)];

/// Each case begins with its name.
const STAYS: &[(&str, Stays, &str, usize)] = &[
    (
        "stay over the change to summer time",
        &[("2027-03-27T23:00:00+00:00", "2027-03-28T23:00:00+01:00")],
        "2027-03-27",
        2,
    ),
    (
        "stay over the change to winter time",
        &[("2027-10-30T23:30:00+01:00", "2027-10-31T23:30:00+00:00")],
        "2027-10-30",
        2,
    ),
    ("stay of a week over a change", &[("2027-03-25T15:00:00+00:00", "2027-04-01T11:00:00+01:00")], "2027-03-25", 8),
    (
        "stay in the hour that is there twice",
        &[("2027-10-31T01:30:00+01:00", "2027-10-31T01:15:00+00:00")],
        "2027-10-31",
        1,
    ),
    (
        "stay that is on another date in utc",
        &[("2027-05-02T00:30:00+14:00", "2027-05-03T10:00:00+14:00")],
        "2027-05-02",
        2,
    ),
    (
        "stay in the evening that is tomorrow in utc",
        &[("2027-05-01T22:00:00-10:00", "2027-05-02T22:00:00-10:00")],
        "2027-05-01",
        2,
    ),
    (
        "stays on both sides of the date line",
        &[
            ("2027-05-01T15:00:00+13:00", "2027-05-03T08:00:00+13:00"),
            ("2027-05-02T12:00:00-11:00", "2027-05-04T08:00:00-11:00"),
        ],
        "2027-05-01",
        4,
    ),
    (
        "stays that have the earliest date later",
        &[
            ("2027-05-03T01:00:00+14:00", "2027-05-03T09:00:00+14:00"),
            ("2027-05-02T15:00:00-11:00", "2027-05-04T08:00:00-11:00"),
        ],
        "2027-05-02",
        3,
    ),
    (
        "stay over the day that samoa skipped",
        &[("2011-12-29T15:00:00-10:00", "2011-12-31T11:00:00+14:00")],
        "2011-12-29",
        3,
    ),
];

// Stays from check-in to check-out, the itinerary's start, and its number of days.
#[api_test(limits = false)]
async fn stays_set_start_and_number_of_days(world: World) {
    for &(case, stays, start, days) in STAYS {
        println!("{case}");
        let app = App::of(&world, "ana").await;
        let stay = |(from, to): &(&str, &str)| json!({ "name": "H", "checkInDate": from, "checkOutDate": to });
        let hotels: Vec<_> = stays.iter().map(stay).collect();
        let stored = Stored::of(
            &app.create_call("?allowDuplicate=true", &with(minimal(), json!({ "hotels": hotels }))).send().await,
        );
        assert_eq!(
            (&stored.json["startDate"], stored.json["days"].as_array().map(Vec::len)),
            (&json!(start), Some(days))
        );
        for (kept, (from, to)) in stored.json["hotels"].as_array().expect("hotels").iter().zip(stays) {
            assert_eq!((&kept["checkInDate"], &kept["checkOutDate"]), (&json!(from), &json!(to)));
        }
    }
}

// The first night is across the date line, a day before the flight by its date.
#[api_test]
async fn a_journey_back_over_the_date_line_starts_with_its_first_date(world: World) {
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

/// The start date and the number of days of a new itinerary with these flights and hotels.
async fn dates(world: &World, items: Value) -> (String, usize) {
    let made = create(&world.client("ana").await, with(minimal(), items)).await.expect("created");
    (made.start_date.to_string(), made.days.len())
}

// Times in UTC, airports by their codes.
#[rstest]
#[case::evening_in_san_francisco(("SFO", "2027-05-10T01:25:00Z"), ("LIS", "2027-05-10T14:00:00Z"), "2027-05-09", 2)]
#[case::date_line_eastwards(("APW", "2027-06-30T19:00:00Z"), ("PPG", "2027-06-30T19:35:00Z"), "2027-06-30", 2)]
#[case::date_line_westwards(("PPG", "2027-06-30T19:00:00Z"), ("APW", "2027-06-30T19:35:00Z"), "2027-06-30", 2)]
#[tokio::test(flavor = "multi_thread")]
async fn dates_of_a_flight_are_local_at_its_airports(
    #[values(Sqlite, Postgres)] database: Database,
    #[case] (from, departs): (&str, &str),
    #[case] (to, arrives): (&str, &str),
    #[case] start: &str,
    #[case] days: usize,
) {
    let Some(world) = World::start_with(database, |config| config.gazetteer = true).await else { return };
    let flight = json!({
        "departureAirport": { "code": from }, "departureDate": departs,
        "arrivalAirport": { "code": to }, "arrivalDate": arrives,
    });
    assert_eq!(dates(&world, json!({ "flights": [flight] })).await, (start.to_owned(), days));
}

#[api_test(limits = false)]
async fn dates_of_a_hotel_are_local_at_its_place(world: World) {
    let cases: &[(&str, Value, &str)] = &[
        ("zone of the place", json!({ "name": "H", "timeZone": "America/Los_Angeles" }), "2027-05-09"),
        ("zone at the coordinate", json!({ "coordinate": { "latitude": 37.77, "longitude": -122.42 } }), "2027-05-09"),
        (
            "zone that differs from the coordinates",
            json!({ "coordinate": { "latitude": 37.77, "longitude": -122.42 }, "timeZone": "Asia/Tokyo" }),
            "2027-05-10",
        ),
        ("zone that is not known", json!({ "name": "H" }), "2027-05-10"),
    ];
    for (case, place, start) in cases {
        println!("{case}");
        let hotel = json!({ "name": "H", "place": place, "checkInDate": "2027-05-10T01:25:00Z" });
        assert_eq!(dates(&world, json!({ "hotels": [hotel] })).await, ((*start).to_owned(), 1));
    }
}

// 366 days by the offsets that were sent, 367 at the airports.
#[api_test]
async fn more_days_than_an_itinerary_may_have_are_refused(world: World) {
    let app = App::of(&world, "ana").await;
    let flights = |first: &str| {
        let zone = json!({ "code": "SFO", "timeZone": "America/Los_Angeles" });
        json!({ "flights": [
            { "departureAirport": zone, "departureDate": first }, { "departureDate": "2028-05-09T12:00:00Z" },
        ] })
    };
    app.create(&with(minimal(), flights("2027-05-10T01:25:00Z"))).await.expect_invalid("days");
    assert_eq!(app.listed("").await, Vec::<String>::new());
    let made = app.created(&with(minimal(), flights("2027-05-10T12:00:00Z"))).await.json;
    assert_eq!(made["days"].as_array().map(Vec::len), Some(366));
}

/// Each case begins with its name.
const REFUSED_STAYS: &[(&str, &str, &str)] = &[
    ("check out an hour later by the clock in another zone", "2027-05-01T10:00:00+01:00", "2027-05-01T11:00:00+02:00"),
    ("check out in the same night over the change", "2027-03-28T00:30:00+00:00", "2027-03-28T01:30:00+01:00"),
    ("check out the next day beyond the date line", "2027-05-01T23:00:00-11:00", "2027-05-02T12:00:00+14:00"),
];

#[api_test(limits = false)]
async fn stay_must_end_after_it_begins(world: World) {
    for &(case, from, to) in REFUSED_STAYS {
        println!("{case}");
        let app = App::of(&world, "ana").await;
        let hotels = json!([{ "name": "H", "checkInDate": from, "checkOutDate": to }]);
        app.create(&with(minimal(), json!({ "hotels": hotels }))).await.expect_invalid("hotels[0].checkOutDate");
    }
}
