//! Which requests are sent again, after which failures, and what is logged about it.

use std::io;
use std::sync::{Arc, Mutex, OnceLock};
use std::time::Duration;

use futures::future::BoxFuture;
use itinerary_sdk::types::{AccountPatch, DestinationInput, GrantType, ItineraryCreate, ItineraryPatch, TokenRequest};
use itinerary_sdk::{
    ApiError, Client, ClientInfo, Error, ErrorExt, FileSource, ImportFile, ImportOptions, MemoryTokenStore, Retry,
    RetryReason, TokenStore, Tokens, UploadDetails,
};
use serde_json::json;
use tracing_subscriber::fmt::MakeWriter;
use tracing_subscriber::fmt::format::FmtSpan;
use uuid::Uuid;

use crate::scripted::{Scripted, Step, Waits, busy};
use crate::service::{Service, StoppedClock, first_pair, itinerary, pair, plain, refusal};

fn id() -> Uuid {
    "0190a1b2-0000-7000-8000-000000000001".parse().unwrap()
}

/// A call, of which only success matters here.
type Call = for<'a> fn(&'a Client) -> BoxFuture<'a, Result<(), ApiError>>;

fn get(client: &Client) -> BoxFuture<'_, Result<(), ApiError>> {
    Box::pin(async { client.itinerary_view(id()).send().await.map(drop) })
}

fn post(client: &Client) -> BoxFuture<'_, Result<(), ApiError>> {
    let lisbon = ItineraryCreate::new(DestinationInput::new("Lisbon", (38.7, -9.1)));
    Box::pin(async { client.itinerary_create(lisbon).send().await.map(drop) })
}

/// With a body that is sent by the client for transfers.
fn large_post(client: &Client) -> BoxFuture<'_, Result<(), ApiError>> {
    let body = json!({
        "destination": { "name": "Lisbon", "coordinate": { "latitude": 38.7, "longitude": -9.1 } },
        "summary": "s".repeat(70_000),
    });
    let lisbon: ItineraryCreate = serde_json::from_value(body).unwrap();
    Box::pin(async { client.itinerary_create(lisbon).send().await.map(drop) })
}

fn patch(client: &Client) -> BoxFuture<'_, Result<(), ApiError>> {
    let patch = ItineraryPatch { title: Some("t".to_owned()), ..ItineraryPatch::default() };
    Box::pin(async { client.itinerary_update(id(), "\"v1.m\"", patch).send().await.map(drop) })
}

fn put(client: &Client) -> BoxFuture<'_, Result<(), ApiError>> {
    Box::pin(async { client.like_set(id()).send().await.map(drop) })
}

fn delete(client: &Client) -> BoxFuture<'_, Result<(), ApiError>> {
    Box::pin(async { client.itinerary_delete(id(), "\"v1.m\"").send().await.map(drop) })
}

fn patch_without_key(client: &Client) -> BoxFuture<'_, Result<(), ApiError>> {
    Box::pin(async { client.account_self_update(AccountPatch::default()).send().await.map(drop) })
}

fn post_without_key(client: &Client) -> BoxFuture<'_, Result<(), ApiError>> {
    Box::pin(async {
        let sent = client.oauth_token(TokenRequest::new(GrantType::RefreshToken)).send().await;
        sent.map(drop).map_err(|error| Error::Custom(error.to_string()))
    })
}

fn upload(client: &Client) -> BoxFuture<'_, Result<(), ApiError>> {
    let file = FileSource::from("-- sealed --");
    Box::pin(async { client.document_upload(id(), file, UploadDetails::named("a.age")).await.map(drop) })
}

/// Stores nothing, so that it can be repeated without a key.
fn import(client: &Client) -> BoxFuture<'_, Result<(), ApiError>> {
    let file = ImportFile::new("booking.eml", "From: hotel@example.org");
    Box::pin(async { client.import_read([file], ImportOptions::default()).await.map(drop) })
}

fn download(client: &Client) -> BoxFuture<'_, Result<(), ApiError>> {
    let link = format!("{}/documents/link", client.baseurl());
    Box::pin(async move { client.document_download(&link).await.map(drop) })
}

fn ready(client: &Client) -> BoxFuture<'_, Result<(), ApiError>> {
    Box::pin(async { client.health_ready().send().await.map(drop).map_err(|e| Error::Custom(e.to_string())) })
}

/// The answer that every call here understands.
fn good() -> Step {
    Step::Answer((200, vec![("etag", "\"v2.m\"".to_owned())], itinerary()))
}

/// How often a call is sent if the first attempt fails like this, and the second would succeed.
async fn sent(call: Call, first: Step) -> usize {
    let (service, waits) = (Scripted::start([first, good()]).await, Waits::default());
    let _ = call(&service.client(&waits)).await;
    assert_eq!(service.requests().len() - 1, waits.recorded().len(), "a wait before each retry");
    service.requests().len()
}

const TEMPORARY: [u16; 3] = [429, 502, 503];

#[tokio::test]
async fn a_temporary_status_is_retried_if_the_request_can_be_repeated() {
    for status in TEMPORARY {
        for call in [get as Call, post, patch, put, delete, download, import] {
            assert_eq!(sent(call, busy(status, None)).await, 2, "{status}");
        }
        for call in [post_without_key as Call, patch_without_key, upload, ready] {
            assert_eq!(sent(call, busy(status, None)).await, 1, "{status}");
        }
    }
}

#[tokio::test]
async fn a_broken_connection_is_retried_if_the_request_can_be_repeated_blindly() {
    let Step::Answer(answer) = good() else { unreachable!() };
    assert_eq!(sent(download, Step::Cut).await, 2);
    assert_eq!(sent(download, Step::Half(answer.clone())).await, 1, "its response has begun");
    for step in [Step::Cut, Step::Half(answer)] {
        for call in [get as Call, post, large_post, patch, import] {
            assert_eq!(sent(call, step.clone()).await, 2);
        }
        for call in [put as Call, delete, post_without_key, patch_without_key, upload, ready] {
            assert_eq!(sent(call, step.clone()).await, 1);
        }
    }
}

#[tokio::test]
async fn other_statuses_are_final() {
    for status in [400, 401, 403, 404, 408, 409, 412, 413, 415, 422, 428, 500, 501, 504] {
        for call in [get as Call, post, delete] {
            assert_eq!(sent(call, busy(status, Some("0"))).await, 1, "{status}");
        }
    }
}

#[tokio::test]
async fn a_repeated_write_is_the_same_request() {
    for call in [post as Call, patch] {
        let (service, waits) = (Scripted::start([Step::Cut, busy(503, None), good()]).await, Waits::default());
        call(&service.client(&waits)).await.unwrap();
        let requests = service.requests();
        assert!(requests[0].contains("idempotency-key: "), "{}", requests[0]);
        assert!(requests.len() == 3 && requests.iter().all(|request| *request == requests[0]), "{requests:#?}");
    }
}

#[tokio::test]
async fn the_last_of_four_attempts_is_final() {
    let (service, waits) = (Scripted::start([busy(503, None)]).await, Waits::default());
    let error = service.client(&waits).itinerary_view(id()).send().await.unwrap_err();
    assert!(error.is("busy"), "the error is the last response: {error}");
    assert_eq!(service.requests().len(), 4);
    assert_eq!(waits.recorded(), [250, 500, 1000].map(Duration::from_millis));

    let (service, waits) = (Scripted::start([Step::Cut]).await, Waits::default());
    let error = service.client(&waits).itinerary_view(id()).send().await.unwrap_err();
    assert!(matches!(error, Error::CommunicationError(_)) && service.requests().len() == 4, "{error}");
}

#[tokio::test]
async fn nobody_listening_is_a_broken_connection() {
    let waits = Waits::default();
    let service = Scripted::start([good()]).await;
    let client = service.client(&waits);
    drop(service);
    // The task ends soon, and its socket is closed with it.
    tokio::task::yield_now().await;
    get(&client).await.unwrap_err();
    assert_eq!(waits.recorded().len(), 3);
}

#[tokio::test]
async fn the_service_says_how_long_to_wait_within_the_limit() {
    let sent = async |steps: Vec<Step>| {
        let (service, waits) = (Scripted::start(steps).await, Waits::default());
        let result = get(&service.client(&waits)).await;
        (result.err().and_then(|error| error.retry_after()), waits.recorded())
    };
    let seconds = Duration::from_secs;
    assert_eq!(sent(vec![busy(429, Some("7")), good()]).await, (None, vec![seconds(7)]));
    assert_eq!(sent(vec![busy(429, Some("31")), good()]).await, (Some(seconds(31)), vec![]));
    assert_eq!(sent(vec![busy(503, Some("20")), busy(503, Some("11"))]).await, (Some(seconds(11)), vec![seconds(20)]));
    assert_eq!(sent(vec![busy(503, Some("20")), busy(503, Some("10")), good()]).await.1, [seconds(20), seconds(10)]);
}

#[tokio::test]
async fn retries_can_be_switched_off() {
    let (service, waits) = (Scripted::start([busy(503, Some("0")), good()]).await, Waits::default());
    let client = service.builder(&waits).no_retries().build().unwrap();
    assert!(get(&client).await.unwrap_err().is("busy"));
    assert_eq!(service.requests().len(), 1);
}

#[tokio::test]
async fn every_retry_is_told_before_its_wait() {
    let (service, waits) = (Scripted::start([busy(502, Some("2")), Step::Cut, good()]).await, Waits::default());
    let told = Arc::new(Mutex::new(Vec::new()));
    let (list, before) = (told.clone(), waits.clone());
    let hook = move |retry: &Retry| list.lock().unwrap().push((retry.clone(), before.recorded().len()));
    get(&service.builder(&waits).on_retry(hook).build().unwrap()).await.unwrap();
    let told = told.lock().unwrap();
    let shown: Vec<_> = told.iter().map(|(retry, waits)| (retry.number, retry.reason, retry.wait, *waits)).collect();
    let expected = [
        (1, RetryReason::Status(502), Duration::from_secs(2), 0),
        (2, RetryReason::Connection, Duration::from_millis(500), 1),
    ];
    assert_eq!(shown, expected);
    assert!(told.iter().all(|(retry, _)| retry.operation == "itinerary_view"));
}

#[tokio::test]
async fn a_service_that_stays_silent_is_not_asked_again() {
    let limits: [fn(itinerary_sdk::ClientBuilder) -> itinerary_sdk::ClientBuilder; 2] = [
        |builder| builder.idle_timeout(Duration::from_millis(20)),
        |builder| builder.timeout(Duration::from_millis(20)),
    ];
    for limit in limits {
        let (service, waits) = (Scripted::start([Step::Silence]).await, Waits::default());
        let client = limit(service.builder(&waits)).build().unwrap();
        let error = client.itinerary_view(id()).send().await.unwrap_err();
        assert!(matches!(&error, Error::CommunicationError(error) if error.is_timeout()), "{error}");
        assert_eq!(waits.recorded().len(), 0);
    }
}

#[tokio::test]
async fn the_idle_limit_does_not_apply_while_a_file_is_sent() {
    let (service, waits) = (Scripted::start([Step::Silence]).await, Waits::default());
    let client = service.builder(&waits).idle_timeout(Duration::from_millis(1)).build().unwrap();
    let call = tokio::time::timeout(Duration::from_millis(50), upload(&client)).await;
    assert!(call.is_err(), "the upload ended: {call:?}");
}

#[tokio::test]
async fn the_time_limit_includes_the_waits() {
    let (service, waits) = (Scripted::start([busy(503, Some("4")), Step::Silence]).await, Waits::default());
    let client = service.builder(&waits).timeout(Duration::from_millis(4020)).build().unwrap();
    let error = client.itinerary_view(id()).send().await.unwrap_err();
    assert!(matches!(&error, Error::CommunicationError(error) if error.is_timeout()), "{error}");
    assert_eq!(waits.recorded(), [Duration::from_secs(4)]);
}

#[tokio::test]
async fn a_retry_carries_a_token_that_is_still_valid() {
    let clock = StoppedClock::new();
    let late = clock.clone();
    let service = Service::start(move |asked| match (asked.uri.path(), asked.header("authorization")) {
        ("/oauth/token", _) => pair(2),
        (_, Some("Bearer access-1")) => {
            late.advance(3600);
            refusal(503, "busy")
        }
        (_, _) => (200, vec![("etag", "\"v1.m\"".to_owned())], itinerary()),
    })
    .await;
    let store = MemoryTokenStore::new(first_pair(&clock, 3600));
    let builder = Client::builder(&service.base_url).token_store(store).clock(clock);
    get(&builder.retry_timer(Waits::default()).build().unwrap()).await.unwrap();
    let path = format!("/v1/itineraries/{}", id());
    let sent = ["Bearer access-1", "Bearer access-2"].map(|token| Some(token.to_owned()));
    assert_eq!(service.tokens(&path), sent);
}

/// Everything that is logged, by all tests.
#[derive(Clone, Default)]
struct Log(Arc<Mutex<Vec<u8>>>);

impl io::Write for Log {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap().extend(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl<'a> MakeWriter<'a> for Log {
    type Writer = Self;

    fn make_writer(&'a self) -> Self {
        self.clone()
    }
}

impl Log {
    /// Starts recording every level. One subscriber for all threads, because what another thread has found to be disabled is
    /// cached.
    fn record() -> &'static Self {
        static LOG: OnceLock<Log> = OnceLock::new();
        LOG.get_or_init(|| {
            let log = Self::default();
            let subscriber = tracing_subscriber::fmt()
                .with_writer(log.clone())
                .with_max_level(tracing::Level::TRACE)
                .with_span_events(FmtSpan::CLOSE)
                .with_ansi(false);
            tracing::subscriber::set_global_default(subscriber.finish()).unwrap();
            tracing::callsite::rebuild_interest_cache();
            log
        })
    }

    fn text(&self) -> String {
        String::from_utf8(self.0.lock().unwrap().clone()).unwrap()
    }
}

#[tokio::test]
async fn a_span_names_the_operation_and_an_event_each_retry() {
    let log = Log::record();
    let (service, waits) = (Scripted::start([busy(503, Some("3")), good()]).await, Waits::default());
    get(&service.client(&waits)).await.unwrap();
    let text = log.text();
    let expect = |parts: &[&str]| {
        let found = text.lines().any(|line| parts.iter().all(|part| line.contains(part)));
        assert!(found, "no line with {parts:?} in:\n{text}");
    };
    expect(&[
        "close",
        "itinerary_request",
        "operation=\"itinerary_view\"",
        "method=GET",
        "path=\"/v1/itineraries/{id}\"",
        "status=200",
        "attempts=2",
    ]);
    expect(&[
        "WARN",
        "retrying a request",
        "operation=\"itinerary_view\"",
        "retry=1",
        "wait_ms=3000",
        "reason=status 503",
    ]);
}

#[tokio::test]
async fn no_secret_is_logged() {
    let log = Log::record();
    let clock = StoppedClock::new();
    let service = Service::start(|asked| match (asked.uri.path(), asked.header("authorization")) {
        ("/oauth/token", _) => {
            let (status, headers, mut body) = pair(2);
            body["access_token"] = json!("secret-access-2");
            body["refresh_token"] = json!("secret-refresh-2");
            (status, headers, body)
        }
        ("/documents/secret-link", _) => refusal(503, "busy"),
        (path, Some("Bearer secret-access-2")) if path.ends_with("/link") => {
            plain(200, json!({ "url": "secret-link", "expiresAt": "2027-01-01T00:00:00.000Z" }))
        }
        (_, Some("Bearer secret-access-2")) => refusal(502, "busy"),
        _ => refusal(401, "unauthenticated"),
    })
    .await;
    let tokens = Tokens {
        access_token: "secret-access-1".to_owned(),
        refresh_token: Some("secret-refresh-1".to_owned()),
        ..first_pair(&clock, 3600)
    };
    let store = Arc::new(MemoryTokenStore::new(tokens));
    let builder = Client::builder(&service.base_url).token_store(store.clone()).client_secret("secret-client");
    let client = builder.clock(clock).retry_timer(Waits::default()).build().unwrap();
    get(&client).await.unwrap_err();
    post(&client).await.unwrap_err();
    assert_eq!(store.load().await.unwrap().unwrap().access_token, "secret-access-2");
    client.document_link(id(), id()).send().await.unwrap();
    client.document_download(&format!("{}/documents/secret-link", service.base_url)).await.unwrap_err();
    let form = TokenRequest::new(GrantType::AuthorizationCode).code("secret-code").code_verifier("secret-verifier");
    client.oauth_token(form).send().await.unwrap();
    let text = log.text();
    assert!(text.contains("retrying a request") && text.contains("operation=\"document_download\""), "{text}");
    for secret in ["secret-", &id().to_string()] {
        let line = text.lines().find(|line| line.contains(secret));
        assert!(line.is_none(), "{secret} in {line:?}");
    }
}
