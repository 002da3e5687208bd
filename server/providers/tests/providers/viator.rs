//! Viator: the documented request, and the result for a recorded response.

use itinerary_providers::{Activities, Activity, Endpoint, Failure, Nearby, Point, Viator, ViatorOptions};
use serde_json::{Value, json};

use crate::stub::{Stub, USER_AGENT, later};

const KEY: &str = "bcac8986-4c33-4fa0-ad3f-75409487026c";

const SYDNEY: Nearby<'_> =
    Nearby { name: "Sydney Harbour", point: Point { latitude: -33.86, longitude: 151.21 }, limit: 3 };

fn options() -> ViatorOptions {
    ViatorOptions { api_key: KEY.into(), language: "en-US".into(), currency: "EUR".into() }
}

fn viator(endpoint: Endpoint) -> Viator {
    Viator::new(endpoint, options()).expect("an adapter")
}

#[tokio::test]
async fn viator_is_asked_as_documented() {
    let stub = Stub::always(include_str!("../recorded/viator.json")).await;
    viator(stub.endpoint()).near(&SYDNEY, later()).await.expect("activities");
    let seen = stub.only();
    assert_eq!(seen.line, "POST /search/freetext");
    assert_eq!(seen.header("exp-api-key"), Some(KEY));
    assert_eq!(seen.header("accept"), Some("application/json;version=2.0"));
    assert_eq!(seen.header("accept-language"), Some("en-US"));
    assert_eq!(seen.header("content-type"), Some("application/json"));
    assert_eq!(seen.header("user-agent"), Some(USER_AGENT));
    let body: Value = serde_json::from_str(&seen.body).expect("JSON");
    let expected = json!({
        "searchTerm": "Sydney Harbour",
        "searchTypes": [{"searchType": "PRODUCTS", "pagination": {"start": 1, "count": 3}}],
        "currency": "EUR",
    });
    assert_eq!(body, expected);
}

#[tokio::test]
async fn viator_is_parsed() {
    let stub = Stub::always(include_str!("../recorded/viator.json")).await;
    let activities = viator(stub.endpoint()).near(&SYDNEY, later()).await.expect("activities");
    let bus = Activity {
        name: "Big Bus Sydney and Bondi Hop-on Hop-off Tour".into(),
        point: None,
        product_code: "5010SYDNEY".into(),
        rating: Some(4.151_515),
        review_count: Some(404),
        booking_url: Some(
            "https://www.viator.com/tours/Sydney/Big-Bus/d357-5010SYDNEY\
             ?mcid=42383&pid=P00012345&medium=api&api_version=2.0"
                .into(),
        ),
    };
    let walk = Activity {
        name: "New Harbour Walk".into(),
        point: None,
        product_code: "5020P1".into(),
        rating: None,
        review_count: Some(0),
        booking_url: None,
    };
    let private =
        Activity { name: "Private Tour".into(), product_code: "5030P2".into(), review_count: None, ..walk.clone() };
    assert_eq!(activities, [bus, walk, private]);
}

#[tokio::test]
async fn the_limit_holds_whatever_is_answered() {
    let stub = Stub::always(include_str!("../recorded/viator.json")).await;
    let viator = viator(stub.endpoint());
    assert_eq!(viator.near(&Nearby { limit: 0, ..SYDNEY }, later()).await, Ok(vec![]));
    assert!(stub.seen().is_empty());
    let one = viator.near(&Nearby { limit: 1, ..SYDNEY }, later()).await.expect("activities");
    assert_eq!(one.len(), 1);
    viator.near(&Nearby { limit: 1_000, ..SYDNEY }, later()).await.expect("activities");
    assert!(stub.seen()[1].body.contains(r#""count":50"#), "{}", stub.seen()[1].body);
}

#[tokio::test]
async fn wrong_shapes_are_malformed_and_wrong_ratings_are_left_out() {
    for response in ["{}", "[]", r#"{"products": {}}"#, r#"{"products": {"results": [{"title": "A"}]}}"#] {
        let stub = Stub::always(response).await;
        let result = viator(stub.endpoint()).near(&SYDNEY, later()).await;
        assert!(matches!(result, Err(Failure::Malformed(_))), "{response}: {result:?}");
    }
    for rating in ["-1", "5.1", "1e300", "null"] {
        let response = format!(
            r#"{{"products": {{"results": [{{"productCode": "P", "title": "T",
                "reviews": {{"totalReviews": 7, "combinedAverageRating": {rating}}}}}]}}}}"#
        );
        let stub = Stub::always(response).await;
        let activities = viator(stub.endpoint()).near(&SYDNEY, later()).await.expect("activities");
        assert_eq!((activities[0].rating, activities[0].review_count), (None, Some(7)), "{rating}");
    }
}

#[tokio::test]
async fn options_that_are_no_header_values_are_rejected_without_showing_the_key() {
    let stub = Stub::always("{}").await;
    for (api_key, language) in [("secret\n", "en"), ("", "en"), ("secret", "en\r\nhost: x"), ("secret", "")] {
        let options = ViatorOptions { api_key: api_key.into(), language: language.into(), ..options() };
        let error = Viator::new(stub.endpoint(), options).err().expect("an error").to_string();
        assert!(error.ends_with("must be one line of visible ASCII characters."), "{error}");
        assert!(!error.contains("secret"), "{error}");
    }
}
