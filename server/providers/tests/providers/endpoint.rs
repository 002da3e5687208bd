//! Rate limit and circuit breaker of an endpoint.

use std::time::Duration;

use itinerary_providers::{Endpoint, Failure, Geocoder, Http, Limiter, Nominatim, Point, Question};

use crate::stub::{Reply, Stub, USER_AGENT, later};

const QUESTION: Question<'_> = Question {
    name: "Belém",
    near: Point { latitude: 38.7, longitude: -9.1 },
    radius_km: 60.0,
    country: None,
    language: "en",
};

fn once_an_hour(stub: &Stub, limiter: &Limiter) -> Nominatim {
    let http = Http::new(USER_AGENT).expect("a client");
    Nominatim::new(Endpoint::new(http, &stub.url(), limiter.clone()).expect("an endpoint"))
}

async fn fail(geocoder: &Nominatim, times: usize) -> Vec<Failure> {
    let mut failures = Vec::new();
    for _ in 0..times {
        failures.push(geocoder.search(&QUESTION, later()).await.expect_err("a failure"));
    }
    failures
}

#[tokio::test]
async fn the_rate_is_shared_by_all_clones_and_endpoints_of_a_limiter() {
    let stub = Stub::always("[]").await;
    let limiter = Limiter::new(Duration::from_hours(1));
    let first = once_an_hour(&stub, &limiter);
    assert_eq!(first.search(&QUESTION, later()).await, Ok(vec![]));
    for geocoder in [first.clone(), once_an_hour(&stub, &limiter)] {
        assert_eq!(geocoder.search(&QUESTION, later()).await, Err(Failure::RateLimited));
    }
    assert_eq!(stub.seen().len(), 1);
}

#[tokio::test]
async fn a_retry_keeps_to_the_rate() {
    let stub = Stub::always(Reply::Status(500)).await;
    let geocoder = once_an_hour(&stub, &Limiter::new(Duration::from_hours(1)));
    assert_eq!(geocoder.search(&QUESTION, later()).await, Err(Failure::Status(500)));
    assert_eq!(stub.seen().len(), 1);
}

#[tokio::test]
async fn calls_wait_for_their_turn() {
    let stub = Stub::always("[]").await;
    let interval = Duration::from_millis(200);
    let geocoder = once_an_hour(&stub, &Limiter::new(interval));
    let start = std::time::Instant::now();
    for _ in 0..3 {
        geocoder.search(&QUESTION, later()).await.expect("no places");
    }
    assert!(start.elapsed() >= interval * 2, "{:?}", start.elapsed());
}

#[tokio::test]
async fn a_provider_that_keeps_failing_is_not_called() {
    for reply in [Reply::Status(500), Reply::Status(429), Reply::Status(302), Reply::Close, "{".into()] {
        let stub = Stub::always(reply.clone()).await;
        let geocoder = Nominatim::new(stub.endpoint());
        let failures = fail(&geocoder, 5).await;
        assert!(!failures.contains(&Failure::BreakerOpen), "{reply:?}: {failures:?}");
        let requests = stub.seen().len();
        assert_eq!(fail(&geocoder.clone(), 2).await, [Failure::BreakerOpen, Failure::BreakerOpen], "{reply:?}");
        assert_eq!(stub.seen().len(), requests, "{reply:?}");
    }
}

#[tokio::test]
async fn a_provider_that_rejects_single_questions_is_still_called() {
    for status in [400, 404, 422] {
        let stub = Stub::always(Reply::Status(status)).await;
        let failures = fail(&Nominatim::new(stub.endpoint()), 10).await;
        assert_eq!(failures, vec![Failure::Status(status); 10]);
    }
}

#[tokio::test]
async fn a_caller_that_gives_up_does_not_count_against_the_provider() {
    let stub = Stub::start(|_, index| if index < 10 { Reply::Hang } else { "[]".into() }).await;
    let geocoder = Nominatim::new(stub.endpoint());
    for index in 0..10 {
        let call = geocoder.search(&QUESTION, later());
        let arrived = async {
            while stub.seen().len() <= index {
                tokio::time::sleep(Duration::from_millis(1)).await;
            }
        };
        tokio::select! {
            _ = call => panic!("the provider hangs"),
            () = arrived => {}
        }
    }
    assert_eq!(geocoder.search(&QUESTION, later()).await, Ok(vec![]));
}
