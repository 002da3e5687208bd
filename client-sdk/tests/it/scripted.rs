//! A service that follows a script, step by step, and can break connections.

use std::net::Ipv4Addr;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use futures::future::BoxFuture;
use itinerary_sdk::{Client, ClientBuilder, RetryTimer};
use serde_json::Value;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinHandle;

use crate::service::{Answer, refusal};

/// What happens to a request.
#[derive(Clone)]
pub(crate) enum Step {
    Answer(Answer),
    /// The connection is closed without a response.
    Cut,
    /// The connection is closed in the middle of this response's body.
    Half(Answer),
    /// A stream of these events, which ends after them.
    Events(&'static str),
    /// The same, but the connection stays open.
    OpenEvents(&'static str),
    /// No response, and the connection stays open.
    Silence,
}

/// A refusal with this status and this `Retry-After`.
pub(crate) fn busy(status: u16, retry_after: Option<&str>) -> Step {
    let (status, mut headers, body) = refusal(status, "busy");
    headers.extend(retry_after.map(|value| ("retry-after", value.to_owned())));
    Step::Answer((status, headers, body))
}

pub(crate) struct Scripted {
    pub(crate) base_url: String,
    requests: Arc<Mutex<Vec<String>>>,
    serving: JoinHandle<()>,
}

impl Scripted {
    /// Starts a service that does these steps in order. The last one is repeated.
    pub(crate) async fn start(steps: impl IntoIterator<Item = Step>) -> Self {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.unwrap();
        let base_url = format!("http://{}", listener.local_addr().unwrap());
        let requests = Arc::<Mutex<Vec<String>>>::default();
        let (steps, seen) = (steps.into_iter().collect::<Vec<_>>(), requests.clone());
        let serving = tokio::spawn(async move {
            let mut silent = Vec::new();
            loop {
                let (mut stream, _) = listener.accept().await.unwrap();
                // One request for each connection.
                let Some(request) = read(&mut stream).await else { continue };
                let number = {
                    let mut seen = seen.lock().unwrap();
                    seen.push(request);
                    seen.len() - 1
                };
                match &steps[number.min(steps.len() - 1)] {
                    Step::Answer(answer) => stream.write_all(&bytes(answer)).await.unwrap(),
                    Step::Cut => {}
                    Step::Half(answer) => {
                        let bytes = bytes(answer);
                        stream.write_all(&bytes[..bytes.len() - 10]).await.unwrap();
                    }
                    Step::Events(text) => stream.write_all(&events(text)).await.unwrap(),
                    Step::OpenEvents(text) => {
                        stream.write_all(&events(text)).await.unwrap();
                        silent.push(stream);
                    }
                    Step::Silence => silent.push(stream),
                }
            }
        });
        Self { base_url, requests, serving }
    }

    /// The requests so far, as text.
    pub(crate) fn requests(&self) -> Vec<String> {
        self.requests.lock().unwrap().clone()
    }

    /// A client whose waits take no time.
    pub(crate) fn client(&self, waits: &Waits) -> Client {
        self.builder(waits).build().unwrap()
    }

    pub(crate) fn builder(&self, waits: &Waits) -> ClientBuilder {
        Client::builder(&self.base_url).access_token("token").retry_timer(waits.clone())
    }
}

impl Drop for Scripted {
    fn drop(&mut self) {
        self.serving.abort();
    }
}

/// Reads a request to the end of its body.
async fn read(stream: &mut TcpStream) -> Option<String> {
    let mut text = Vec::new();
    loop {
        if stream.read_buf(&mut text).await.ok()? == 0 {
            return None;
        }
        let known = String::from_utf8_lossy(&text);
        let Some((head, body)) = known.split_once("\r\n\r\n") else { continue };
        let head = head.to_ascii_lowercase();
        let length = head.split_once("content-length: ").map_or("0", |(_, rest)| rest.lines().next().unwrap());
        if body.len() >= length.parse().unwrap() {
            return Some(known.into_owned());
        }
    }
}

fn bytes((status, headers, body): &Answer) -> Vec<u8> {
    let body = if *body == Value::Null { String::new() } else { body.to_string() };
    let headers: Vec<_> = headers.iter().map(|(name, value)| format!("{name}: {value}\r\n")).collect();
    let headers = headers.concat();
    let length = body.len();
    format!(
        "HTTP/1.1 {status} Status\r\ncontent-type: application/json\r\ncontent-length: {length}\r\n\
         connection: close\r\n{headers}\r\n{body}"
    )
    .into_bytes()
}

/// A response without a length: it ends with the connection.
fn events(text: &str) -> Vec<u8> {
    format!("HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n{text}").into_bytes()
}

/// A timer that records the waits instead of waiting. Its time passes with them.
#[derive(Clone, Default)]
pub(crate) struct Waits(Arc<Mutex<Vec<Duration>>>);

impl Waits {
    pub(crate) fn recorded(&self) -> Vec<Duration> {
        self.0.lock().unwrap().clone()
    }
}

impl RetryTimer for Waits {
    fn now(&self) -> Instant {
        static START: std::sync::OnceLock<Instant> = std::sync::OnceLock::new();
        *START.get_or_init(Instant::now) + self.recorded().iter().sum::<Duration>()
    }

    fn sleep(&self, wait: Duration) -> BoxFuture<'static, ()> {
        self.0.lock().unwrap().push(wait);
        Box::pin(async {})
    }

    fn random(&self) -> f64 {
        0.0
    }
}
