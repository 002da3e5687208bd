//! The feed of changes: pages, then events, and again after each end. The service is scripted.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use futures::{StreamExt, TryStreamExt};
use itinerary_sdk::types::ChangeType;
use itinerary_sdk::{ApiError, ChangeFeed, ErrorExt, FeedChange, FeedError, MemoryTokenStore, Paged, Retry, code};
use serde_json::{Value, json};

use crate::scripted::{Scripted, Step, Waits, busy};
use crate::service::{StoppedClock, first_pair, pair, plain};

const NEW: &str = "retry: 3000\nid: c3\n\n";

fn id(number: u8) -> String {
    format!("0190a1b2-0000-7000-8000-0000000000{number:02}")
}

fn change(number: u8) -> Value {
    json!({ "type": "itinerary.updated", "itineraryId": id(number), "etag": "\"v1.m\"", "at": "2027-01-10T12:00:00.000Z" })
}

fn page(changes: impl IntoIterator<Item = u8>, next: &str, has_more: bool) -> Step {
    let changes: Vec<_> = changes.into_iter().map(change).collect();
    Step::Answer(plain(200, json!({ "data": changes, "nextCursor": next, "hasMore": has_more })))
}

/// The text of an event, which lives as long as the tests.
fn event(cursor: &str, number: u8) -> String {
    format!("id: {cursor}\nevent: itinerary.updated\ndata: {}\n\n", change(number))
}

fn text(text: String) -> &'static str {
    Box::leak(text.into_boxed_str())
}

/// The number of the itinerary and the cursor of the next change.
async fn next(feed: &mut ChangeFeed) -> (String, String) {
    let FeedChange { change, cursor, .. } = feed.try_next().await.unwrap().expect("a feed goes on");
    assert_eq!(feed.cursor(), cursor);
    (change.itinerary_id.to_string()[34..].to_owned(), cursor)
}

async fn expect(feed: &mut ChangeFeed, expected: impl IntoIterator<Item = (&str, &str)>) {
    for (number, cursor) in expected {
        assert_eq!(next(feed).await, (number.to_owned(), cursor.to_owned()));
    }
}

/// What a request asks for, and where it continues.
fn asked(request: &str) -> (&str, Option<&str>) {
    let line = request.lines().next().unwrap().trim_start_matches("GET /v1/changes").trim_end_matches(" HTTP/1.1");
    (line, request.lines().find_map(|line| line.strip_prefix("last-event-id: ")))
}

#[tokio::test]
async fn pages_come_first_then_events_and_again_after_the_end() {
    let events = text(format!("{NEW}:\n\n{}{}", event("c4", 4), event("c5", 5)));
    let service = Scripted::start([
        page([1, 2], "c2", true),
        page([3], "c3", false),
        Step::Events(events),
        page([], "c6", false),
        Step::OpenEvents(text(event("c7", 7))),
    ])
    .await;
    let waits = Waits::default();
    let mut feed = service.client(&waits).changes().from("c0");
    let expected = [("01", "c0"), ("02", "c2"), ("03", "c3"), ("04", "c4"), ("05", "c5"), ("07", "c7")];
    expect(&mut feed, expected).await;
    let requests = service.requests();
    let asked: Vec<_> = requests.iter().map(|request| asked(request)).collect();
    let page = |cursor: &str| format!("?cursor={cursor}&limit=100");
    assert_eq!(
        asked,
        [(&*page("c0"), None), (&*page("c2"), None), ("", Some("c3")), (&*page("c5"), None), ("", Some("c6"))]
    );
    assert!(
        requests[2].contains("accept: text/event-stream\r\n") && requests[2].contains("authorization: Bearer token")
    );
    assert_eq!(waits.recorded(), [Duration::from_secs(3)], "as long as the service asks");
}

#[tokio::test]
async fn the_cursor_advances_without_changes() {
    let service = Scripted::start([page([], "c1", false), Step::Events(NEW), page([1], "c9", false)]).await;
    let mut feed = service.client(&Waits::default()).changes().from("c0");
    assert_eq!(feed.cursor(), "c0");
    assert_eq!(next(&mut feed).await, ("01".to_owned(), "c9".to_owned()));
    assert!(service.requests()[2].contains("cursor=c3"), "after the id of an event without data");
}

#[tokio::test]
async fn an_event_that_breaks_off_is_read_again() {
    let whole = event("c4", 4);
    let broken = text(format!("{NEW}{}", &whole[..whole.len() - 1]));
    let service =
        Scripted::start([page([], "c3", false), Step::Events(broken), page([4, 5], "c5", false), Step::Silence]).await;
    let mut feed = service.client(&Waits::default()).changes().from("c0");
    expect(&mut feed, [("04", "c3"), ("05", "c5")]).await;
    assert!(service.requests()[2].contains("cursor=c3"));
}

#[tokio::test]
async fn an_expired_cursor_ends_the_feed() {
    let expired = || {
        let error = json!({ "code": "cursorExpired", "message": "m", "requestId": "r" });
        Step::Answer(plain(410, json!({ "error": error })))
    };
    for steps in [vec![expired()], vec![page([], "c1", false), expired()]] {
        let service = Scripted::start(steps).await;
        let mut feed = service.client(&Waits::default()).changes().from("c0");
        let error = feed.try_next().await.unwrap_err();
        assert!(matches!(&error, FeedError::CursorExpired(_)) && error.is(code::CURSOR_EXPIRED), "{error}");
        assert_eq!(
            (error.request_id(), error.to_string().as_str()),
            (Some("r"), "changes may be missing: 410 cursorExpired: m (request r)")
        );
        assert!(feed.next().await.is_none());
    }
}

#[tokio::test]
async fn failures_that_pass_are_outlasted() {
    let busy = || busy(503, None);
    // The request itself is retried three times, then the feed waits.
    let failing = [busy(), busy(), busy(), busy()];
    let mut steps = failing.to_vec();
    steps.extend([page([1], "c1", false)]);
    steps.extend(failing.clone());
    steps.extend([page([2], "c2", false), Step::OpenEvents(text(event("c3", 3)))]);
    let service = Scripted::start(steps).await;
    let retries = Arc::<Mutex<Vec<Retry>>>::default();
    let seen = retries.clone();
    let waits = Waits::default();
    let client = service.builder(&waits).on_retry(move |retry| seen.lock().unwrap().push(retry.clone()));
    let mut feed = client.build().unwrap().changes().from("c0");
    expect(&mut feed, [("01", "c1"), ("02", "c2"), ("03", "c3")]).await;
    let milliseconds: Vec<_> = waits.recorded().iter().map(Duration::as_millis).collect();
    assert_eq!(milliseconds, [250, 500, 1000, 1000, 250, 500, 1000, 2000], "the feed waits longer each time");
    let retries = retries.lock().unwrap();
    let numbers: Vec<_> = retries.iter().map(|retry| (retry.operation, retry.number)).collect();
    assert_eq!(numbers[3..5], [("change_list", 1), ("change_list", 1)]);
    assert_eq!(numbers[7], ("change_list", 2));
}

#[tokio::test]
async fn a_retry_after_is_respected() {
    let service = Scripted::start([page([], "c1", false), busy(429, Some("90")), page([1], "c2", false)]).await;
    let waits = Waits::default();
    let mut feed = service.client(&waits).changes().from("c0");
    assert_eq!(next(&mut feed).await.0, "01");
    assert_eq!(waits.recorded(), [Duration::from_secs(90)]);
}

#[tokio::test]
async fn without_retries_the_first_failure_is_final() {
    for (step, status) in [(Step::Cut, None), (busy(503, None), Some(503))] {
        let service = Scripted::start([step]).await;
        let mut feed = service.builder(&Waits::default()).no_retries().build().unwrap().changes().from("c0");
        let error = feed.try_next().await.unwrap_err();
        let FeedError::Api(error) = error else { panic!("{error}") };
        assert_eq!(error.status().map(|status| status.as_u16()), status);
        assert!(feed.next().await.is_none());
    }
}

#[tokio::test]
async fn failures_that_do_not_pass_end_the_feed() {
    let unknown = text(format!("{NEW}data: {{}}\n\n"));
    for (second, expected) in [
        (busy(401, None), "busy"),
        (busy(500, None), "busy"),
        (Step::Answer(plain(200, json!({}))), "unexpectedResponse"),
        (Step::Events(unknown), "invalidResponsePayload"),
    ] {
        let service = Scripted::start([page([], "c1", false), second]).await;
        let waits = Waits::default();
        let mut feed = service.client(&waits).changes().from("c0");
        let error = feed.try_next().await.unwrap_err();
        assert_eq!((error.code(), waits.recorded().len()), (expected, 0));
    }
}

// The service ends a stream with its token.
#[tokio::test]
async fn a_stream_that_ended_with_its_token_goes_on_with_the_next() {
    let service = Scripted::start([
        page([], "c1", false),
        Step::Events(text(format!("{NEW}{}", event("c4", 4)))),
        Step::Answer(pair(2)),
        page([], "c4", false),
        Step::OpenEvents(text(event("c5", 5))),
    ])
    .await;
    let clock = StoppedClock::new();
    let store = MemoryTokenStore::new(first_pair(&clock, 3600));
    let client = itinerary_sdk::Client::builder(&service.base_url).token_store(store);
    let client = client.clock(clock.clone()).retry_timer(Waits::default()).build().unwrap();
    let mut feed = client.changes().from("c0");
    assert_eq!(next(&mut feed).await.0, "04");
    clock.advance(3600);
    assert_eq!(next(&mut feed).await.0, "05");
    let tokens: Vec<_> = service.requests().into_iter().map(|it| it.contains("Bearer access-2")).collect();
    assert_eq!(tokens, [false, false, false, true, true]);
}

#[tokio::test]
async fn a_feed_that_is_polled_in_pieces_loses_nothing() {
    let service =
        Scripted::start([page([1], "c1", false), Step::OpenEvents(text(event("c2", 2))), Step::Silence]).await;
    let mut feed = service.client(&Waits::default()).changes().from("c0");
    let mut seen = Vec::new();
    while seen.len() < 2 {
        // Each attempt is dropped unless the change has arrived.
        tokio::select! {
            biased;
            change = next(&mut feed) => seen.push(change.0),
            () = tokio::task::yield_now() => {}
        }
    }
    assert_eq!(seen, ["01", "02"]);
    assert_eq!(service.requests().len(), 2);
}

#[tokio::test]
async fn pages_end_where_there_are_no_more_changes() {
    let service = Scripted::start([page([], "c0", false), page([1, 2], "c2", true), page([3], "c3", false)]).await;
    let client = service.client(&Waits::default());
    let cursor = client.changes().now().await.unwrap();
    let pages: Vec<_> = client.changes().list().cursor(cursor).pages().try_collect().await.unwrap();
    let kinds = pages.iter().flat_map(|page| &page.data).all(|change| change.type_ == ChangeType::ItineraryUpdated);
    assert_eq!((pages.len(), &*pages[1].next_cursor, kinds), (2, "c3", true));
    let none: Result<Vec<_>, ApiError> = client.changes().list().cursor("c3").stream().try_collect().await;
    assert!(matches!(none, Ok(changes) if changes.len() == 1), "the last step is repeated");
}
