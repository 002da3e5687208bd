use std::sync::Mutex;

use chrono::Utc;
use reqwest::Url;

use super::*;

/// Time that passes only while something waits.
struct TestTimer {
    now: Mutex<Instant>,
    random: f64,
}

impl RetryTimer for TestTimer {
    fn now(&self) -> Instant {
        *self.now.lock().unwrap()
    }

    fn sleep(&self, wait: Duration) -> BoxFuture<'static, ()> {
        *self.now.lock().unwrap() += wait;
        Box::pin(async {})
    }

    fn random(&self) -> f64 {
        self.random
    }
}

struct TestClock;

impl Clock for TestClock {
    fn now(&self) -> DateTime<Utc> {
        "2027-05-15T12:00:00Z".parse().unwrap()
    }
}

fn retries(random: f64) -> Retries {
    let timer = Arc::new(TestTimer { now: Mutex::new(Instant::now()), random });
    Retries { enabled: true, within: None, hook: None, timer, clock: Arc::new(TestClock) }
}

fn request(method: Method) -> Request {
    Request::new(method, Url::parse("https://a.example/v1/itineraries").unwrap())
}

fn busy(retry_after: Option<&str>) -> Response {
    let mut answer = hyper::Response::builder().status(503);
    if let Some(value) = retry_after {
        answer = answer.header(RETRY_AFTER, value);
    }
    answer.body("").unwrap().into()
}

/// The waits, in milliseconds, of a GET whose every attempt gets this answer.
async fn waits(random: f64, timeout: Option<Duration>, retry_after: Option<&str>) -> Vec<u128> {
    waits_of(&retries(random), timeout, retry_after).await
}

async fn waits_of(retries: &Retries, timeout: Option<Duration>, retry_after: Option<&str>) -> Vec<u128> {
    let mut attempts = retries.attempts(&request(Method::GET), "itinerary_list", timeout);
    let mut waits = Vec::new();
    while let Some(retry) = attempts.next(&Ok(busy(retry_after))) {
        waits.push(retry.wait.as_millis());
        attempts.wait(&retry).await;
    }
    waits
}

#[tokio::test]
async fn waits_double_and_half_of_each_is_random() {
    assert_eq!(waits(0.0, None, None).await, [250, 500, 1000]);
    assert_eq!(waits(1.0, None, None).await, [500, 1000, 2000]);
    assert_eq!(waits(7.0, None, None).await, [500, 1000, 2000], "a random number out of its range");
}

#[tokio::test]
async fn a_wait_is_never_shorter_than_the_service_asks() {
    assert_eq!(waits(0.0, None, Some("5")).await, [5000, 5000, 5000]);
    assert_eq!(waits(1.0, None, Some("5")).await, [5500, 5500, 5500]);
    assert_eq!(waits(1.0, None, Some("0")).await, [0, 0, 0]);
    assert_eq!(waits(0.0, None, Some("Sat, 15 May 2027 12:00:07 GMT")).await[0], 7000);
    assert_eq!(waits(0.0, None, Some("Sat, 15 May 2027 11:00:00 GMT")).await[0], 0, "a date in the past");
    for unreadable in ["soon", "-1", "1.5", ""] {
        assert_eq!(waits(0.0, None, Some(unreadable)).await, [250, 500, 1000], "{unreadable}");
    }
}

#[tokio::test]
async fn a_wait_beyond_the_limit_is_not_begun() {
    assert_eq!(waits(1.0, None, Some("30")).await, [30_000], "jitter does not exceed the limit");
    assert_eq!(waits(0.0, None, Some("31")).await, [0; 0]);
    assert_eq!(waits(0.0, None, Some("20")).await, [20_000]);
    assert_eq!(waits(0.0, None, Some("18446744073709551615")).await, [0; 0]);
    let timeout = Some(Duration::from_secs(5));
    assert_eq!(waits(0.0, timeout, Some("6")).await, [0; 0]);
    assert_eq!(waits(0.0, timeout, Some("4")).await, [4000]);
    assert_eq!(waits(0.0, Some(Duration::from_millis(800)), None).await, [250, 500]);
}

#[tokio::test]
async fn a_program_that_runs_unattended_retries_as_long_as_it_says() {
    let within = |seconds| Retries { within: Some(Duration::from_secs(seconds)), ..retries(0.0) };
    // The whole window of a rate limit.
    assert_eq!(waits_of(&within(120), None, Some("60")).await, [60_000, 60_000]);
    assert_eq!(waits_of(&within(120), None, Some("121")).await, [0; 0]);
    // An outage: waits double up to half of eight seconds at least.
    let outage = waits_of(&within(20), None, None).await;
    assert_eq!(outage, [250, 500, 1000, 2000, 4000, 4000, 4000, 4000]);
    let asked_for_none = waits_of(&within(10), None, Some("0")).await;
    assert_eq!(asked_for_none, [0, 0, 0, 2000, 4000, 4000], "no loop without waits");
    assert_eq!(waits_of(&within(120), Some(Duration::from_secs(50)), Some("60")).await, [0; 0], "the call's limit");
}

#[test]
fn the_rule_depends_on_the_method() {
    let rule = |method| Rule::of(&request(method), "itinerary_list");
    let status_only = Rule { status: true, broken_connection: false };
    assert_eq!((rule(Method::GET), rule(Method::HEAD)), (Rule::ALWAYS, Rule::ALWAYS));
    assert_eq!((rule(Method::PUT), rule(Method::DELETE)), (status_only, status_only));
    for method in [Method::POST, Method::PATCH] {
        assert_eq!(rule(method.clone()), Rule::NEVER);
        let mut keyed = request(method);
        keyed.headers_mut().insert(IDEMPOTENCY_KEY, HeaderValue::from_static("k"));
        assert_eq!(Rule::of(&keyed, "itinerary_create"), Rule::ALWAYS);
    }
    assert_eq!(Rule::of(&request(Method::GET), "health_ready"), Rule::NEVER);
    assert_eq!(rule(Method::CONNECT), Rule::NEVER);
}

#[test]
fn random_numbers_are_in_their_range() {
    let numbers: Vec<f64> = (0..100).map(|_| SystemTimer.random()).collect();
    assert!(numbers.iter().all(|number| (0.0..=1.0).contains(number)));
    assert!(numbers.iter().any(|number| *number < 0.5) && numbers.iter().any(|number| *number > 0.5));
}
