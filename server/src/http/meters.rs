//! The metrics of requests. Their handles are cached, because creating one takes several allocations.

use std::cell::RefCell;
use std::collections::HashMap;
use std::time::Duration;

use metrics::{Counter, Histogram};

struct Meters {
    requests: Counter,
    seconds: Histogram,
}

thread_local! {
    /// By operation and status.
    static METERS: RefCell<HashMap<(&'static str, u16), Meters>> = RefCell::default();
}

/// Counts a request. A recorder must be installed before the server starts.
pub(super) fn record(operation: &'static str, status: u16, took: Duration) {
    METERS.with_borrow_mut(|meters| {
        let meters = meters.entry((operation, status)).or_insert_with(|| Meters {
            requests: metrics::counter!("http_requests_total", "operation" => operation, "status" => status.to_string()),
            seconds: metrics::histogram!("http_request_seconds", "operation" => operation),
        });
        meters.requests.increment(1);
        meters.seconds.record(took);
    });
}
