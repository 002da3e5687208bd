//! A mock service: records requests and returns the responses that a test sets. It has no itineraries.

use std::convert::Infallible;
use std::net::Ipv4Addr;
use std::sync::{Arc, Mutex};

use chrono::{DateTime, TimeDelta, Utc};
use http_body_util::{BodyExt, Full};
use hyper::body::{Bytes, Incoming};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{HeaderMap, Method, Request, Response, Uri};
use hyper_util::rt::TokioIo;
use itinerary_sdk::{Clock, Tokens};
use serde_json::{Value, json};
use tokio::net::TcpListener;
use tokio::task::JoinHandle;
use url::form_urlencoded;

/// A recorded request.
#[derive(Clone, Debug)]
pub(crate) struct Asked {
    pub(crate) method: Method,
    pub(crate) uri: Uri,
    pub(crate) headers: HeaderMap,
    pub(crate) body: String,
}

impl Asked {
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name).map(|value| value.to_str().unwrap())
    }

    /// A field of the form, or of the query.
    pub(crate) fn field(&self, name: &str) -> Option<String> {
        let text = if self.body.is_empty() { self.uri.query().unwrap_or_default() } else { &self.body };
        let found = form_urlencoded::parse(text.as_bytes()).find(|(known, _)| known == name);
        found.map(|(_, value)| value.into_owned())
    }
}

/// A response: status, headers, body.
pub(crate) type Answer = (u16, Vec<(&'static str, String)>, Value);

type Handler = dyn Fn(&Asked) -> Answer + Send + Sync;

pub(crate) struct Service {
    pub(crate) base_url: String,
    asked: Arc<Mutex<Vec<Asked>>>,
    accepting: JoinHandle<()>,
}

impl Service {
    pub(crate) async fn start(handler: impl Fn(&Asked) -> Answer + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.unwrap();
        let base_url = format!("http://{}", listener.local_addr().unwrap());
        let asked = Arc::default();
        let accepting = tokio::spawn(accept(listener, Arc::clone(&asked), Arc::new(handler)));
        Self { base_url, asked, accepting }
    }

    /// Everything that it was asked at this path.
    pub(crate) fn asked(&self, path: &str) -> Vec<Asked> {
        self.asked.lock().unwrap().iter().filter(|asked| asked.uri.path() == path).cloned().collect()
    }

    /// The tokens that the requests at this path carried.
    pub(crate) fn tokens(&self, path: &str) -> Vec<Option<String>> {
        self.asked(path).iter().map(|asked| asked.header("authorization").map(str::to_owned)).collect()
    }
}

impl Drop for Service {
    fn drop(&mut self) {
        self.accepting.abort();
    }
}

async fn accept(listener: TcpListener, asked: Arc<Mutex<Vec<Asked>>>, handler: Arc<Handler>) {
    loop {
        let (stream, _) = listener.accept().await.unwrap();
        let (asked, handler) = (asked.clone(), handler.clone());
        let service = service_fn(move |request| answer(request, asked.clone(), handler.clone()));
        tokio::spawn(http1::Builder::new().serve_connection(TokioIo::new(stream), service));
    }
}

async fn answer(
    request: Request<Incoming>,
    asked: Arc<Mutex<Vec<Asked>>>,
    handler: Arc<Handler>,
) -> Result<Response<Full<Bytes>>, Infallible> {
    let (parts, body) = request.into_parts();
    let body = String::from_utf8(body.collect().await.unwrap().to_bytes().to_vec()).unwrap();
    let request = Asked { method: parts.method, uri: parts.uri, headers: parts.headers, body };
    asked.lock().unwrap().push(request.clone());
    let (status, headers, body) = handler(&request);
    let mut response = Response::builder().status(status).header("content-type", "application/json");
    for (name, value) in headers {
        response = response.header(name, value);
    }
    let body = if body.is_null() { String::new() } else { body.to_string() };
    Ok(response.body(Full::new(Bytes::from(body))).unwrap())
}

/// A response with a body only.
pub(crate) fn plain(status: u16, body: Value) -> Answer {
    (status, Vec::new(), body)
}

/// A refusal in the API's shape.
pub(crate) fn refusal(status: u16, code: &str) -> Answer {
    plain(status, json!({ "error": { "code": code, "message": "m", "requestId": "r" } }))
}

/// The second pair of tokens, and so on.
pub(crate) fn pair(number: usize) -> Answer {
    plain(
        200,
        json!({
            "access_token": format!("access-{number}"), "refresh_token": format!("refresh-{number}"),
            "token_type": "Bearer", "expires_in": 3600, "scope": "itineraries:read",
        }),
    )
}

pub(crate) fn itinerary() -> Value {
    json!({
        "id": "0190a1b2-0000-7000-8000-000000000001", "title": "Lisbon", "startDate": "2027-05-15",
        "destination": { "name": "Lisbon", "coordinate": { "latitude": 38.7, "longitude": -9.1 } },
        "travellers": 1, "tags": [], "days": [], "visibility": "private", "role": "owner",
        "author": {
            "accountId": "0190a1b2-0000-7000-8000-000000000002", "username": "ana", "displayName": "Ana",
            "isPro": false,
        },
        "createdAt": "2027-01-01T00:00:00.000Z", "updatedAt": "2027-01-01T00:00:00.000Z",
        "likesCount": 0, "viewsCount": 0,
    })
}

/// A clock that stands still until it is set.
#[derive(Clone)]
pub(crate) struct StoppedClock(Arc<Mutex<DateTime<Utc>>>);

impl StoppedClock {
    pub(crate) fn new() -> Self {
        Self(Arc::new(Mutex::new("2027-05-15T12:00:00Z".parse().unwrap())))
    }

    pub(crate) fn advance(&self, seconds: i64) {
        *self.0.lock().unwrap() += TimeDelta::seconds(seconds);
    }
}

impl Clock for StoppedClock {
    fn now(&self) -> DateTime<Utc> {
        *self.0.lock().unwrap()
    }
}

/// The first pair of tokens, good for so many seconds more.
pub(crate) fn first_pair(clock: &StoppedClock, seconds: i64) -> Tokens {
    Tokens {
        client_id: "client".to_owned(),
        access_token: "access-1".to_owned(),
        refresh_token: Some("refresh-1".to_owned()),
        expires_at: clock.now() + TimeDelta::seconds(seconds),
        scope: "itineraries:read".to_owned(),
    }
}
