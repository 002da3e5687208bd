//! The service under test: sends requests to it, waits as it asks, and remembers what was created.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use reqwest::redirect::Policy;
use serde_json::Value;
use tokio::sync::Semaphore;

use crate::call::Call;
use crate::declared::undeclared;
use crate::outcome::{Checked, Stop};
use crate::response::{ReceivedResponse, Sent};

/// The longest `Retry-After` that is honoured.
const LONGEST_WAIT: u64 = 90;
/// The number of requests at the same time.
const REQUESTS: usize = 8;
/// How often a request is repeated after a 429.
const REPEATS: usize = 5;
const BETWEEN_ANNOUNCEMENTS: Duration = Duration::from_secs(10);
const REQUEST_TIMEOUT: Duration = Duration::from_mins(1);

/// The service under test.
pub struct Service {
    pub(crate) http: reqwest::Client,
    /// The address of the sign-in pages, followed by further addresses of the same service.
    addresses: Vec<String>,
    turn: AtomicUsize,
    record: Arc<Record>,
    requests: Arc<Semaphore>,
}

/// What happened during the run.
#[derive(Default)]
struct Record {
    /// The seconds spent waiting for rate limits.
    waited: AtomicU64,
    /// When a wait was announced.
    announced: Mutex<Option<Instant>>,
    /// Token and id of each itinerary that was created.
    made: Mutex<BTreeSet<(String, String)>>,
    /// The id of each client that was registered.
    registered: Mutex<BTreeSet<String>>,
    /// The fields of responses that the OpenAPI document does not declare.
    undeclared: Mutex<BTreeSet<String>>,
}

impl Record {
    /// Counts a wait, and announces it unless another one was just announced.
    fn say_waiting(&self, seconds: u64, call: &Call) {
        self.waited.fetch_add(seconds, Ordering::Relaxed);
        let mut announced = self.announced.lock().unwrap_or_else(PoisonError::into_inner);
        if announced.is_none_or(|last| last.elapsed() > BETWEEN_ANNOUNCEMENTS) {
            eprintln!("Rate limit reached: waiting {seconds} s before {} {}, and others alike", call.method, call.path);
            *announced = Some(Instant::now());
        }
    }
}

impl Service {
    /// The service at an address; requests to `/v1` take turns between it and its replicas.
    pub fn new(base_url: &str, replicas: &[String]) -> Result<Arc<Self>, String> {
        let addresses = [base_url].into_iter().chain(replicas.iter().map(String::as_str));
        let addresses: Vec<String> = addresses.map(|address| address.trim_end_matches('/').to_owned()).collect();
        for address in &addresses {
            let url = reqwest::Url::parse(address).map_err(|error| format!("{address} is not a URL: {error}"))?;
            if !matches!(url.scheme(), "http" | "https") || url.host_str().is_none() {
                return Err(format!("{address} is not an http or https URL"));
            }
        }
        let http = client().build().map_err(|error| format!("no HTTP client: {error}"))?;
        let requests = Arc::new(Semaphore::new(REQUESTS));
        Ok(Arc::new(Self { http, addresses, turn: AtomicUsize::new(0), record: Arc::default(), requests }))
    }

    /// The same service through a client with its own cookies, whose paths begin at the root of this origin.
    pub(crate) fn with_client(&self, http: reqwest::Client, origin: &str) -> Arc<Self> {
        let (addresses, record) = (vec![origin.to_owned()], Arc::clone(&self.record));
        Arc::new(Self { http, addresses, turn: AtomicUsize::new(0), record, requests: Arc::clone(&self.requests) })
    }

    /// The base URL without a slash at its end.
    pub fn base_url(&self) -> &str {
        &self.addresses[0]
    }

    /// The seconds spent waiting for rate limits.
    pub(crate) fn waited(&self) -> u64 {
        self.record.waited.load(Ordering::Relaxed)
    }

    /// Token and id of each itinerary that was created.
    pub(crate) fn made(&self) -> BTreeSet<(String, String)> {
        self.record.made.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    pub(crate) async fn send(&self, call: &Call) -> Checked<ReceivedResponse> {
        for _ in 0..REPEATS {
            let response = self.send_once(call).await?;
            if response.status != 429 || !call.waits {
                return Ok(response);
            }
            let Some(seconds) = response.header("retry-after").parse::<u64>().ok().filter(|wait| *wait <= LONGEST_WAIT)
            else {
                return Err(response.unlike(format!("a Retry-After of at most {LONGEST_WAIT} seconds with a 429")));
            };
            self.record.say_waiting(seconds, call);
            tokio::time::sleep(Duration::from_secs(seconds)).await;
        }
        self.send_once(call).await
    }

    async fn send_once(&self, call: &Call) -> Checked<ReceivedResponse> {
        // A client uses whichever replica it reaches. Pages stay with the first: their cookies belong to its address.
        let turn = if call.path.starts_with("/v1") { self.turn.fetch_add(1, Ordering::Relaxed) } else { 0 };
        // The addresses of files are absolute.
        let is_absolute = call.path.starts_with("http://") || call.path.starts_with("https://");
        let address = if is_absolute { "" } else { &self.addresses[turn % self.addresses.len()] };
        let url = format!("{address}{}", call.path);
        let mut request = self.http.request(call.method.clone(), &url).body(call.body.clone());
        for (name, value) in &call.headers {
            request = request.header(name, value);
        }
        if let Some(token) = &call.token {
            request = request.header("Authorization", format!("Bearer {token}"));
        }
        let sent = Arc::new(Sent::of(call, &url));
        let _permit = self.requests.acquire().await;
        let response = ReceivedResponse::read(request.send().await, Arc::clone(&sent)).await?;
        self.remember(call, &response);
        self.compare(call, &response);
        Ok(response)
    }

    /// The fields of responses that the OpenAPI document does not declare, each with its operation and status.
    pub(crate) fn undeclared(&self) -> BTreeSet<String> {
        self.record.undeclared.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Compares the fields of a response with the OpenAPI document, which leaves MCP's messages to its specification.
    fn compare(&self, call: &Call, response: &ReceivedResponse) {
        // Files such as GeoJSON are JSON too.
        let is_json = response.header("content-type").split(';').next() == Some("application/json");
        if !is_json || !call.path.starts_with("/v1/") {
            return;
        }
        let Ok(body) = response.json() else { return };
        let found = undeclared(call.method.as_str(), &call.path, response.status, &body);
        if !found.is_empty() {
            self.record.undeclared.lock().unwrap_or_else(PoisonError::into_inner).extend(found);
        }
    }

    /// The id of each client that was registered.
    pub(crate) fn registered(&self) -> BTreeSet<String> {
        self.record.registered.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Remembers an itinerary or a client that the request created.
    fn remember(&self, call: &Call, response: &ReceivedResponse) {
        let path = call.path.split('?').next().unwrap_or_default();
        // A tool that only reads an itinerary is not told apart: checks read through tools what they created.
        let id = match path {
            "/oauth/register" => "/client_id",
            "/mcp" => "/result/structuredContent/itinerary/id",
            _ if path == "/v1/itineraries" || path.ends_with("/saves") => "/id",
            _ => return,
        };
        if call.method != reqwest::Method::POST || !matches!(response.status, 200 | 201) {
            return;
        }
        let body = serde_json::from_slice::<Value>(&response.body).unwrap_or_default();
        let Some(id) = body.pointer(id).and_then(Value::as_str).map(str::to_owned) else { return };
        if path == "/oauth/register" {
            self.record.registered.lock().unwrap_or_else(PoisonError::into_inner).insert(id);
        } else if let Some(token) = &call.token {
            self.record.made.lock().unwrap_or_else(PoisonError::into_inner).insert((token.clone(), id));
        }
    }

    /// Checks that the service answers at all.
    pub(crate) async fn reach(self: &Arc<Self>) -> Result<(), String> {
        let response = Call::new(self, reqwest::Method::GET, "/v1/itineraries").send().await;
        match response {
            Ok(response) if response.status == 401 => Ok(()),
            Ok(response) => {
                let url = self.base_url();
                Err(format!(
                    "GET {url}/v1/itineraries without a token gives {} and not 401: not this API?",
                    response.status
                ))
            }
            Err(Stop::Failed(failure)) => Err(failure.expected),
            Err(Stop::Skipped(reason)) => Err(reason),
        }
    }
}

/// An HTTP client that follows no redirects.
pub(crate) fn client() -> reqwest::ClientBuilder {
    reqwest::Client::builder()
        .redirect(Policy::none())
        .timeout(REQUEST_TIMEOUT)
        // A connection that the server closes while idle would fail a request.
        .pool_idle_timeout(Duration::from_secs(5))
        .user_agent(concat!("conformance/", env!("CARGO_PKG_VERSION")))
}
