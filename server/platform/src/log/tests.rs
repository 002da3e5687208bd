//! Checks that lines equal those of tracing-subscriber for events within a span `request{id=…}`.

use std::io::{self, Write};
use std::net::{IpAddr, Ipv4Addr};
use std::sync::{Arc, Mutex};

use itinerary_api::request_state::{self, RequestState};
use tracing::Subscriber;
use tracing::field::display;
use tracing::subscriber::with_default;
use tracing_subscriber::fmt::MakeWriter;
use tracing_subscriber::fmt::format::JsonFields;
use uuid::Uuid;

use super::format::{Json, Text};

const ID: &str = "2afcbd61-d64f-4257-b7aa-3cc290d0dd34";

#[derive(Clone, Default)]
struct Sink(Arc<Mutex<Vec<u8>>>);

impl Write for Sink {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().expect("no panic").write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl MakeWriter<'_> for Sink {
    type Writer = Self;

    fn make_writer(&self) -> Self {
        self.clone()
    }
}

/// The lines of some events, without their times.
fn lines<S: Subscriber + Send + Sync>(subscriber: impl FnOnce(Sink) -> S, events: impl FnOnce()) -> Vec<String> {
    let sink = Sink::default();
    with_default(subscriber(sink.clone()), events);
    let text = String::from_utf8(sink.0.lock().expect("no panic").clone()).expect("text");
    let untimed = |line: &str| {
        let (start, end) = if line.starts_with('{') { (14, 41) } else { (0, 27) };
        let time = &line[start..end];
        assert!(time.ends_with('Z') && time.starts_with("20") && time.as_bytes()[19] == b'.', "{line}");
        line.replace(time, "TIME")
    };
    text.lines().map(untimed).collect()
}

/// The event as the request pipeline emits it.
fn access(client: Option<&str>) {
    let (method, path, account) = ("GET", "/v1/a\"b", client.map(|_| display(Uuid::nil())));
    tracing::info!(target: "access", method, path, status = 404_u16, operation = "none", micros = 7_u64, client, account);
}

/// The event as the library formats it.
fn access_of_the_library(client: Option<&str>) {
    let (method, path, account) = ("GET", "/v1/a\"b", client.map(|_| display(Uuid::nil())));
    let (status, operation, micros) = (404_u16, "none", 7_u64);
    tracing::info!(target: "access", %method, %path, status, operation, micros, client, account);
}

fn others() {
    let error = io::Error::other("it \"broke\"");
    tracing::warn!(error = &error as &dyn std::error::Error, rows = 3, "the database failed");
    tracing::error!(target: "dropshot", "no fields: {}", "{}");
}

#[expect(clippy::disallowed_methods, reason = "as the request pipeline does")]
fn ours() {
    let state = RequestState::new(ID.to_owned(), IpAddr::V4(Ipv4Addr::LOCALHOST));
    let runtime = tokio::runtime::Builder::new_current_thread().build().expect("a runtime");
    runtime.block_on(request_state::enter(state, async {
        access(None);
        access(Some("an \"app\""));
        others();
    }));
    others();
}

fn theirs() {
    tracing::info_span!("request", id = %ID).in_scope(|| {
        access_of_the_library(None);
        access_of_the_library(Some("an \"app\""));
        others();
    });
    others();
}

#[test]
fn text_is_as_the_library_writes_it() {
    let subscriber = |sink| tracing_subscriber::fmt().with_ansi(false).with_writer(sink);
    let ours = lines(|sink| subscriber(sink).event_format(Text::default()).finish(), ours);
    assert_eq!(ours.len(), 6);
    assert!(ours[0].contains(ID) && !ours[5].contains(ID));
    assert_eq!(ours, lines(|sink| subscriber(sink).finish(), theirs));
}

#[test]
fn json_is_as_the_library_writes_it() {
    let subscriber = |sink| tracing_subscriber::fmt().with_writer(sink);
    let own = |sink| subscriber(sink).fmt_fields(JsonFields::new()).event_format(Json::default()).finish();
    let ours = lines(own, ours);
    assert!(ours.iter().all(|line| serde_json::from_str::<serde_json::Value>(line).is_ok()), "{ours:?}");
    assert_eq!(ours, lines(|sink| subscriber(sink).json().finish(), theirs));
}

#[test]
fn a_panic_is_logged_without_values() {
    for (message, shown) in [
        ("a date in range: ParseError(\"x\")", "a date in range"),
        ("called `Result::unwrap()` on an `Err` value: \"secret\"", "called"),
        ("start byte index 3 is out of bounds of `secret`", "start byte index 3 is out of bounds of"),
        ("the semaphore is never closed", "the semaphore is never closed"),
    ] {
        assert_eq!(super::without_values(message), shown);
    }
}
