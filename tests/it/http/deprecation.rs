//! The headers of a deprecated operation. No operation is deprecated, so the server runs with a row of the test's own.

use std::sync::LazyLock;

use chrono::NaiveDate;
use itinerary_api::deprecation::Deprecation;
use itinerary_api::policy::{POLICIES, Policy};
use itinerary_tests::{RawResponse, Sqlite, World};
use reqwest::Method;

/// The row of `marks_view` as a deprecated operation, and that of `member_list` without a date for its end.
static ROWS: LazyLock<Vec<Policy>> = LazyLock::new(|| {
    let since = NaiveDate::from_ymd_opt(2027, 1, 1).expect("a date");
    let deprecated = |row: &Policy| match row.operation {
        "marks_view" => Some(Deprecation { since, sunset: NaiveDate::from_ymd_opt(2027, 7, 1) }),
        "member_list" => Some(Deprecation { since, sunset: None }),
        _ => None,
    };
    POLICIES.iter().map(|row| Policy { deprecation: deprecated(row), ..*row }).collect()
});

const ITINERARY: &str = "/v1/itineraries/0190b5a0-7f3e-7c55-9a2e-6d1c0f4b8e21";

async fn get(world: &World, path: &str) -> RawResponse {
    world.call(Method::GET, path).send().await
}

#[tokio::test(flavor = "multi_thread")]
async fn a_deprecated_operation_says_so_in_every_response() {
    let world = World::start_with_policies(Sqlite, &ROWS).await.expect("SQLite is always there");
    world.account("ana").await;
    let token = world.token("ana", "itineraries:read").await;
    let link = format!("<{}/docs/deprecation>; rel=\"deprecation\"; type=\"text/html\"", world.base_url);
    let path = format!("{ITINERARY}/marks");
    let missing = world.call(Method::GET, &path).token(&token).send().await;
    let unauthenticated = get(&world, &path).await;
    for (response, status) in [(missing, 404), (unauthenticated, 401)] {
        assert_eq!(response.status, status);
        assert_eq!(response.header("deprecation"), "@1798761600");
        assert_eq!(response.header("sunset"), "Thu, 01 Jul 2027 00:00:00 GMT");
        assert_eq!(response.header("link"), link);
    }
    let undecided = get(&world, &format!("{ITINERARY}/members")).await;
    assert_eq!((undecided.header("deprecation"), undecided.header("sunset")), ("@1798761600", ""));
    assert_eq!(undecided.header("link"), link);
    let other = get(&world, ITINERARY).await;
    for name in ["deprecation", "sunset", "link"] {
        assert_eq!(other.header(name), "", "{name} of an operation that is not deprecated");
    }
    assert_eq!(get(&world, "/docs/deprecation").await.status, 200, "the link leads somewhere");
}
