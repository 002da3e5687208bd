//! No write is answered before it is on disk. The server runs under strace, whose trace has the order of its system
//! calls: a request is read, its page is written to the write-ahead log, the log is synced, the response is sent.

use std::collections::HashMap;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use futures::future::join_all;
use itinerary_tests::bodies::{minimal, with};
use itinerary_tests::engines::Engine;
use itinerary_tests::program::{self, Program, free_address, make_account, make_token, words};
use reqwest::Method;
use serde_json::json;

const CREATES: usize = 1_000;
/// The number of concurrent clients.
const CLIENTS: usize = 16;

/// Traces all threads, prints the targets of descriptors and whole database pages, and only the calls that receive
/// requests, send responses, and write and sync files.
const STRACE: [&str; 6] = [
    "-f",
    "--seccomp-bpf",
    "-y",
    "-s20480",
    "-esignal=none",
    "-etrace=read,recvfrom,write,writev,sendto,sendmsg,pwrite64,fsync,fdatasync",
];

/// The prefix of each title, followed by a number of four digits.
const MARKER: &str = "marker";

#[tokio::test(flavor = "multi_thread")]
async fn no_write_is_answered_before_it_is_synced() {
    if !program::can_trace(&STRACE) {
        return;
    }
    let trace = trace_creates("full").await;
    let full = Order::of(&trace);
    eprintln!("full: {} answers, {} syncs, {} answered early", full.responses, full.syncs, full.early.len());
    assert_eq!((full.written.len(), full.responses, full.early.len()), (CREATES, CREATES, 0), "{:?}", full.early);

    // Proves that the test detects a server that does not wait for the disk.
    let trace = trace_creates("normal").await;
    let normal = Order::of(&trace);
    eprintln!("normal: {} answers, {} syncs, {} answered early", normal.responses, normal.syncs, normal.early.len());
    assert_eq!((normal.written.len(), normal.responses), (CREATES, CREATES));
    assert!(normal.early.len() > CREATES / 2, "{} of {CREATES}", normal.early.len());
}

/// Creates itineraries on a server with this durability. Returns the trace of its system calls.
async fn trace_creates(durability: &str) -> String {
    let engine = Engine::sqlite();
    make_account(&engine, "ana").await;
    let token = make_token(&engine, "ana").await;
    let (trace, address) = (engine.file("trace"), free_address());
    let flags = ["serve", "--listen", &address, "--limits", "off", "--sqlite-durability", durability];
    let server = Program::start(program::traced(&STRACE, &trace, words(&engine, &flags))).await;
    let next = AtomicUsize::new(0);
    join_all((0..CLIENTS).map(|_| create(&server, &token, &next))).await;
    let id = server.id();
    server.ask_to_stop();
    assert_eq!(server.exit_code().await, Some(0));
    finished(&trace, &id).await
}

/// Creates itineraries while there are any left.
async fn create(server: &Program, token: &str, next: &AtomicUsize) {
    loop {
        let n = next.fetch_add(1, Ordering::Relaxed);
        if n >= CREATES {
            return;
        }
        let body = with(minimal(), json!({ "title": format!("{MARKER}{n:04}") }));
        let call = server.call(Method::POST, "/v1/itineraries?allowDuplicate=true").token(token).json(&body);
        let response = call.send().await;
        assert_eq!(response.status, 201, "{}", response.text());
    }
}

/// The complete trace: waits for the line that says that the process has ended, because strace ends later.
async fn finished(trace: &Path, process: &str) -> String {
    let is_finished =
        |text: &str| text.lines().last().is_some_and(|line| line.starts_with(process) && line.contains("+++ exited"));
    for _ in 0..1_000 {
        let text = std::fs::read_to_string(trace).expect("a trace");
        if is_finished(&text) {
            return text;
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    panic!("strace has not ended");
}

/// The order in which a server wrote, synced and answered. The line number serves as time, because strace holds a
/// thread at the beginning and the end of each call until it has printed it. A call that others interrupt has two
/// lines.
#[derive(Default)]
struct Order<'t> {
    /// Calls in progress by thread, with the line where they began.
    begun: HashMap<&'t str, (usize, &'t str)>,
    /// The marker of the unanswered request that was last read from each socket.
    requests: HashMap<&'t str, &'t str>,
    /// The line by which the first page with each marker was in the write-ahead log.
    written: HashMap<&'t str, usize>,
    /// The log is synced as of this line.
    synced: usize,
    /// How often the log was synced.
    syncs: usize,
    /// How many requests were answered.
    responses: usize,
    /// Markers that were answered before a sync that began after their page was written.
    early: Vec<&'t str>,
}

impl<'t> Order<'t> {
    fn of(trace: &'t str) -> Self {
        let mut order = Self::default();
        for (at, line) in trace.lines().enumerate() {
            if let Some((thread, event)) = line.split_once(' ') {
                order.read(at, thread, event.trim_start());
            }
        }
        order
    }

    fn read(&mut self, at: usize, thread: &'t str, event: &'t str) {
        if let Some(call) = event.strip_suffix("<unfinished ...>") {
            self.begin(call);
            self.begun.insert(thread, (at, call));
        } else if !event.starts_with("<... ") {
            self.begin(event);
            self.end((at, event), (at, event));
        } else if let Some(begun) = self.begun.remove(thread) {
            self.end(begun, (at, event));
        }
    }

    fn begin(&mut self, call: &'t str) {
        let (name, target) = name_and_target(call);
        if !["write", "writev", "sendto", "sendmsg"].contains(&name) {
            return;
        }
        // Only the first bytes of a response count.
        let Some(marker) = self.requests.remove(target) else { return };
        self.responses += 1;
        if self.written.get(marker).is_none_or(|&written| written >= self.synced) {
            self.early.push(marker);
        }
    }

    fn end(&mut self, (begun, call): (usize, &'t str), (at, result): (usize, &'t str)) {
        let (name, target) = name_and_target(call);
        match name {
            "read" | "recvfrom" if target.starts_with("socket:") => {
                if let Some(marker) = markers(result).next() {
                    self.requests.insert(target, marker);
                }
            }
            "pwrite64" if target.ends_with("-wal") => {
                for marker in markers(call) {
                    self.written.entry(marker).or_insert(at);
                }
            }
            "fsync" | "fdatasync" if target.ends_with("-wal") && result.ends_with("= 0") => {
                self.synced = self.synced.max(begun);
                self.syncs += 1;
            }
            _ => {}
        }
    }
}

/// A call's name, and the file or socket of its descriptor.
fn name_and_target(call: &str) -> (&str, &str) {
    let (name, arguments) = call.split_once('(').unwrap_or((call, ""));
    let target = arguments.split_once('<').and_then(|(_, target)| Some(target.split_once('>')?.0));
    (name, target.unwrap_or(""))
}

/// The complete markers in a text. Rows that have moved within a page may leave partial ones.
fn markers(text: &str) -> impl Iterator<Item = &str> {
    let found = text.match_indices(MARKER).filter_map(|(at, _)| text.get(at..at + MARKER.len() + 4));
    found.filter(|marker| marker[MARKER.len()..].bytes().all(|byte| byte.is_ascii_digit()))
}
