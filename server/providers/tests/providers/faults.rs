//! Every fault of a provider results in the right failure by the deadline.

use std::time::Duration;

use hyper::body::Bytes;
use itinerary_providers::{Failure, Geocoder, Nominatim, Point, Question};
use tokio::net::TcpListener;

use crate::stub::{Reply, Stub, endpoint, later, soon};

const QUESTION: Question<'_> = Question {
    name: "Belém",
    near: Point { latitude: 38.7, longitude: -9.1 },
    radius_km: 60.0,
    country: None,
    language: "en",
};

/// The result of a search, and the number of requests.
async fn search(stub: &Stub) -> (Result<usize, Failure>, usize) {
    let result = Nominatim::new(stub.endpoint()).search(&QUESTION, later()).await;
    (result.map(|found| found.len()), stub.seen().len())
}

/// Sends these responses in turn, and then always the last one.
async fn in_turn(replies: impl Into<Vec<Reply>>) -> Stub {
    let replies = replies.into();
    Stub::start(move |_, index| replies[index.min(replies.len() - 1)].clone()).await
}

#[tokio::test]
async fn a_provider_that_hangs_times_out_without_a_retry() {
    let stub = Stub::always(Reply::Hang).await;
    let result = Nominatim::new(stub.endpoint()).search(&QUESTION, soon()).await;
    assert_eq!(result, Err(Failure::TimedOut));
    assert_eq!(stub.seen().len(), 1);
}

#[tokio::test]
async fn a_slow_drip_times_out() {
    let stub = Stub::always(Reply::Endless { piece: 1, pause: Duration::from_millis(20) }).await;
    let result = Nominatim::new(stub.endpoint()).search(&QUESTION, soon()).await;
    assert_eq!(result, Err(Failure::TimedOut));
}

#[tokio::test]
async fn a_call_after_its_deadline_is_not_made() {
    let stub = Stub::always(Reply::Hang).await;
    let deadline = itinerary_providers::Instant::now();
    assert_eq!(Nominatim::new(stub.endpoint()).search(&QUESTION, deadline).await, Err(Failure::RateLimited));
}

#[tokio::test]
async fn a_5xx_is_retried_once() {
    assert_eq!(search(&in_turn([Reply::Status(500), "[]".into()]).await).await, (Ok(0), 2));
    assert_eq!(search(&in_turn([Reply::Status(503), Reply::Status(404)]).await).await, (Err(Failure::Status(404)), 2));
    assert_eq!(search(&in_turn([Reply::Status(500)]).await).await, (Err(Failure::Status(500)), 2));
}

#[tokio::test]
async fn a_lost_connection_is_retried_once() {
    assert_eq!(search(&in_turn([Reply::Close, "[]".into()]).await).await, (Ok(0), 2));
    assert_eq!(search(&in_turn([Reply::Close]).await).await, (Err(Failure::Unreachable), 2));
}

#[tokio::test]
async fn a_retry_that_hangs_reports_the_first_failure() {
    let stub = in_turn([Reply::Status(502), Reply::Hang]).await;
    let deadline = itinerary_providers::Instant::now() + Duration::from_secs(3);
    let result = Nominatim::new(stub.endpoint()).search(&QUESTION, deadline).await;
    assert_eq!((result, stub.seen().len()), (Err(Failure::Status(502)), 2));
}

#[tokio::test]
async fn other_statuses_are_not_retried() {
    for status in [204, 301, 400, 401, 404, 429] {
        let expected = if status == 204 { None } else { Some(Failure::Status(status)) };
        let (result, requests) = search(&in_turn([Reply::Status(status)]).await).await;
        match expected {
            Some(failure) => assert_eq!((result, requests), (Err(failure), 1), "{status}"),
            // A success without a body.
            None => assert!(matches!((result, requests), (Err(Failure::Malformed(_)), 1)), "{status}"),
        }
    }
}

#[tokio::test]
async fn a_closed_port_is_unreachable() {
    let address = {
        let listener = TcpListener::bind(("127.0.0.1", 0)).await.expect("a port");
        listener.local_addr().expect("an address")
    };
    let result = Nominatim::new(endpoint(&format!("http://{address}"))).search(&QUESTION, later()).await;
    assert_eq!(result, Err(Failure::Unreachable));
}

#[tokio::test]
async fn a_provider_without_tls_is_unreachable_by_https() {
    let stub = Stub::always("[]").await;
    let result = Nominatim::new(endpoint(&format!("https://{}", stub.address))).search(&QUESTION, later()).await;
    assert_eq!(result, Err(Failure::Unreachable));
}

#[tokio::test]
async fn a_response_of_more_than_2_mb_is_too_large() {
    let padded = |size: usize| Reply::from(format!("[]{}", " ".repeat(size - 2)));
    assert_eq!(search(&in_turn([padded(2_000_000)]).await).await, (Ok(0), 1));
    assert_eq!(search(&in_turn([padded(2_000_001)]).await).await, (Err(Failure::TooLarge), 1));
    let large = Reply::Body(Bytes::from(vec![b' '; 10_000_000]));
    assert_eq!(search(&in_turn([large]).await).await, (Err(Failure::TooLarge), 1));
}

#[tokio::test]
async fn an_announced_length_of_more_than_2_mb_is_refused_before_it_arrives() {
    assert_eq!(search(&in_turn([Reply::Announced(10_000_000)]).await).await, (Err(Failure::TooLarge), 1));
}

#[tokio::test]
async fn an_endless_response_is_too_large() {
    let endless = Reply::Endless { piece: 64 * 1024, pause: Duration::ZERO };
    assert_eq!(search(&in_turn([endless]).await).await, (Err(Failure::TooLarge), 1));
}

#[tokio::test]
async fn bad_json_is_malformed_and_not_repeated_at_length() {
    let deep = "[".repeat(1_000_000);
    let long = format!(r#"{{"{}": 1"#, "x".repeat(1_000_000));
    let wrong = format!(r#"["{}"]"#, "x".repeat(1_000_000));
    for body in ["{".to_owned(), "nonsense".to_owned(), "\u{0}".to_owned(), deep, long, wrong] {
        let (result, requests) = search(&Stub::always(body).await).await;
        let Err(failure @ Failure::Malformed(_)) = result else { panic!("{result:?}") };
        assert!(failure.to_string().len() < 300, "{failure}");
        assert_eq!(requests, 1);
    }
    let (result, _) = search(&Stub::always(Reply::Body(Bytes::from_static(b"[\"\xff\xfe\"]"))).await).await;
    assert!(matches!(result, Err(Failure::Malformed(_))), "{result:?}");
}

#[tokio::test]
async fn no_failure_shows_a_key_of_the_url() {
    let address = {
        let listener = TcpListener::bind(("127.0.0.1", 0)).await.expect("a port");
        listener.local_addr().expect("an address")
    };
    let stub = in_turn([Reply::Status(403)]).await;
    let bad = in_turn(["{".into()]).await;
    for base in [address, stub.address, bad.address] {
        let endpoint = endpoint(&format!("http://{base}/?api_key=secret"));
        let failure = Nominatim::new(endpoint).search(&QUESTION, later()).await.expect_err("a failure");
        assert!(!format!("{failure} {failure:?}").contains("secret"), "{failure:?}");
        assert!(failure.to_string().ends_with('.'), "{failure}");
    }
}
