//! The time of a call through the SDK, compared with reqwest and serde alone: reading and creating an itinerary of 27 KB.
//!
//! `cargo bench --release -p itinerary-sdk --bench overhead`. A server on loopback returns recorded bytes. Calls of both
//! alternate, so that a busy machine slows both; the medians are compared.

use std::convert::Infallible;
use std::net::Ipv4Addr;
use std::time::{Duration, Instant};

use bytes::Bytes;
use http_body_util::{BodyExt, Full};
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Request, Response};
use hyper_util::rt::TokioIo;
use itinerary_sdk::Client;
use itinerary_sdk::types::{Itinerary, ItineraryCreate};
use reqwest::header::{ACCEPT, ETAG, HeaderMap};
use serde_json::{Value, json};
use tokio::net::TcpListener;
use tokio::runtime::{Builder, Runtime};
use uuid::Uuid;

const LISBON: &str = include_str!("../examples/lisbon.json");
const ID: &str = "0190a1b2-0000-7000-8000-000000000001";
const TOKEN: &str = "an-access-token-of-an-ordinary-length-of-43";
const CALLS: usize = 6_000;

fn main() {
    let trip: Bytes = response().to_string().into();
    let base_url = serve(trip.clone());
    let runtime = runtime();
    let raw = Raw::new(&base_url);
    let sdk = Client::builder(&base_url).access_token(TOKEN).build().expect("a client");
    let (id, body): (Uuid, ItineraryCreate) = (ID.parse().expect("an id"), body());

    println!("an itinerary of {} bytes, {CALLS} calls of each", trip.len());
    let view = async || drop(sdk.itinerary_view(id).send().await.expect("an itinerary"));
    compare(&runtime, "GET", async || drop(raw.view().await), view);
    let create = async || drop(sdk.itinerary_create(body.clone()).send().await.expect("an itinerary"));
    compare(&runtime, "POST", async || drop(raw.create(&body.clone()).await), create);
}

/// The median of each, and their ratio.
fn compare(runtime: &Runtime, name: &str, raw: impl AsyncFn(), sdk: impl AsyncFn()) {
    let (mut raw_times, mut sdk_times) = (Vec::with_capacity(CALLS), Vec::with_capacity(CALLS));
    runtime.block_on(async {
        for _ in 0..CALLS {
            raw_times.push(timed(&raw).await);
            sdk_times.push(timed(&sdk).await);
        }
    });
    let (raw, sdk) = (median(raw_times), median(sdk_times));
    println!("{name:5} reqwest and serde {raw:7.1} µs, SDK {sdk:7.1} µs, ratio {:.3}", sdk / raw);
}

async fn timed(call: &impl AsyncFn()) -> Duration {
    let start = Instant::now();
    call().await;
    start.elapsed()
}

/// In microseconds.
fn median(mut times: Vec<Duration>) -> f64 {
    times.sort_unstable();
    times[times.len() / 2].as_secs_f64() * 1e6
}

fn runtime() -> Runtime {
    Builder::new_current_thread().enable_all().build().expect("a runtime")
}

/// The calls as a program without an SDK makes them.
struct Raw {
    http: reqwest::Client,
    base_url: String,
}

impl Raw {
    fn new(base_url: &str) -> Self {
        let http = reqwest::Client::builder().timeout(Duration::from_mins(1)).read_timeout(Duration::from_secs(30));
        Self { http: http.build().expect("a client"), base_url: base_url.to_owned() }
    }

    async fn view(&self) -> (HeaderMap, Itinerary) {
        let url = format!("{}/v1/itineraries/{ID}", self.base_url);
        Self::send(self.http.get(url)).await
    }

    async fn create(&self, body: &ItineraryCreate) -> (HeaderMap, Itinerary) {
        let request = self.http.post(format!("{}/v1/itineraries", self.base_url)).json(body);
        Self::send(request.header("idempotency-key", Uuid::new_v4().to_string())).await
    }

    async fn send(request: reqwest::RequestBuilder) -> (HeaderMap, Itinerary) {
        let request = request.bearer_auth(TOKEN).header(ACCEPT, "application/json");
        let answer = request.header("service-itinerary-shape", "clean").send().await.expect("a response");
        let headers = answer.headers().clone();
        (headers, answer.json().await.expect("an itinerary"))
    }
}

fn body() -> ItineraryCreate {
    serde_json::from_str(LISBON).expect("an itinerary")
}

/// The itinerary as the service returns it.
fn response() -> Value {
    let mut trip: Value = serde_json::from_str(LISBON).expect("JSON");
    let more = json!({
        "id": ID, "title": "Lisbon", "travellers": 1, "tags": [], "visibility": "private", "role": "owner",
        "author": { "accountId": ID, "username": "ana", "displayName": "Ana", "isPro": false },
        "createdAt": "2027-01-01T00:00:00.000Z", "updatedAt": "2027-01-01T00:00:00.000Z",
        "likesCount": 0, "viewsCount": 0,
    });
    for (name, value) in more.as_object().expect("an object") {
        trip[name] = value.clone();
    }
    trip
}

/// Serves the itinerary in a thread of its own, and returns the base URL.
fn serve(trip: Bytes) -> String {
    let runtime = runtime();
    let listener = runtime.block_on(TcpListener::bind((Ipv4Addr::LOCALHOST, 0))).expect("a port");
    let base_url = format!("http://{}", listener.local_addr().expect("an address"));
    std::thread::spawn(move || runtime.block_on(accept(listener, trip)));
    base_url
}

async fn accept(listener: TcpListener, trip: Bytes) {
    loop {
        let (stream, _) = listener.accept().await.expect("a connection");
        stream.set_nodelay(true).expect("a socket");
        let trip = trip.clone();
        let service = service_fn(move |request| answer(request, trip.clone()));
        tokio::spawn(http1::Builder::new().serve_connection(TokioIo::new(stream), service));
    }
}

async fn answer(request: Request<Incoming>, trip: Bytes) -> Result<Response<Full<Bytes>>, Infallible> {
    let status = if request.method() == "POST" { 201 } else { 200 };
    request.into_body().collect().await.expect("a body");
    let response = Response::builder().status(status).header("content-type", "application/json");
    let response = response.header(ETAG, "\"v1.m\"").header("location", "/v1/itineraries/1");
    Ok(response.header("x-request-id", ID).body(Full::new(trip)).expect("a response"))
}
