//! A receiver of webhooks on loopback, which responds as the test says and keeps what arrives.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use reqwest::header::{HeaderMap, HeaderName};
use serde_json::Value;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{Semaphore, mpsc};
use tokio::task::JoinSet;
use tokio::time::timeout;

/// The longest time until a delivery that is due arrives, with room for slow machines.
const SOON: Duration = Duration::from_secs(10);

/// How long nothing must arrive: the queue is looked at once a second.
const QUIET: Duration = Duration::from_millis(2_500);

/// A response that comes once the test releases it.
pub const HANG: &str = "hang";

/// A request that has arrived.
#[derive(Clone, Debug)]
pub struct Received {
    head: String,
    pub body: String,
}

impl Received {
    /// The value of a header. Its name is in lower case.
    #[track_caller]
    pub fn header(&self, name: &str) -> &str {
        let line = self.head.lines().find_map(|line| line.strip_prefix(&format!("{name}: ")));
        line.unwrap_or_else(|| panic!("{name} in {}", self.head))
    }

    /// All headers.
    pub fn headers(&self) -> HeaderMap {
        let pairs = self.head.lines().skip(1).filter_map(|line| line.split_once(": "));
        let named = |(name, value): (&str, &str)| Some((HeaderName::try_from(name).ok()?, value.parse().ok()?));
        pairs.filter_map(named).collect()
    }

    pub fn json(&self) -> Value {
        serde_json::from_str(&self.body).expect("JSON")
    }

    /// The type and the itinerary of the event.
    pub fn event(&self) -> (String, String) {
        let json = self.json();
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        (text(&json["type"]), text(&json["data"]["itineraryId"]))
    }

    /// Whether one of its signatures was made with a secret.
    pub fn is_signed_with(&self, secret: &str) -> bool {
        let signer = standardwebhooks::Webhook::new(secret).expect("a secret");
        let at = self.header("webhook-timestamp").parse().expect("seconds");
        let expected = signer.sign(self.header("webhook-id"), at, self.body.as_bytes()).expect("a signature");
        self.header("webhook-signature").split(' ').any(|signature| signature == expected)
    }
}

/// A receiver. Responds with 204 unless it was told otherwise.
pub struct Receiver {
    pub url: String,
    arrived: mpsc::UnboundedReceiver<Received>,
    responses: Arc<Mutex<VecDeque<String>>>,
    released: Arc<Semaphore>,
    _task: JoinSet<()>,
}

impl Receiver {
    pub async fn start() -> Self {
        let listener = TcpListener::bind(("127.0.0.1", 0)).await.expect("a port");
        let url = format!("http://{}/hook", listener.local_addr().expect("an address"));
        let (sender, arrived) = mpsc::unbounded_channel();
        let responses = Arc::new(Mutex::new(VecDeque::new()));
        let released = Arc::new(Semaphore::new(0));
        let (mut task, queued, may_respond) = (JoinSet::new(), Arc::clone(&responses), Arc::clone(&released));
        task.spawn(async move {
            while let Ok((connection, _)) = listener.accept().await {
                tokio::spawn(respond(connection, sender.clone(), Arc::clone(&queued), Arc::clone(&may_respond)));
            }
        });
        Self { url, arrived, responses, released, _task: task }
    }

    /// Lets so many requests that hang succeed.
    pub fn release(&self, requests: usize) {
        self.released.add_permits(requests);
    }

    /// Says how to respond to the next requests: each a status line, headers and body, without `HTTP/1.1 `. An empty one
    /// closes the connection.
    pub fn will_respond(&self, responses: &[&str]) {
        let mut queued = self.responses.lock().expect("no panic");
        queued.extend(responses.iter().map(|&response| response.to_owned()));
    }

    /// The next request, which must arrive soon.
    pub async fn next(&mut self) -> Received {
        self.next_within(SOON).await
    }

    /// The next request, which must arrive within this time.
    pub async fn next_within(&mut self, time: Duration) -> Received {
        timeout(time, self.arrived.recv()).await.expect("a request arrives").expect("the receiver runs")
    }

    /// Checks that nothing arrives.
    pub async fn expect_nothing(&mut self) {
        let arrived = timeout(QUIET, self.arrived.recv()).await;
        assert!(arrived.is_err(), "{arrived:?}");
    }
}

async fn respond(
    mut connection: TcpStream,
    arrived: mpsc::UnboundedSender<Received>,
    responses: Arc<Mutex<VecDeque<String>>>,
    released: Arc<Semaphore>,
) {
    let Some(received) = read(&mut connection).await else { return };
    let response = responses.lock().expect("no panic").pop_front();
    let response = response.unwrap_or_else(|| "204 No Content\r\n\r\n".to_owned());
    let _ = arrived.send(received);
    if response == HANG {
        released.acquire().await.expect("it is not closed").forget();
        let _ = connection.write_all(b"HTTP/1.1 204 No Content\r\n\r\n").await;
    } else if !response.is_empty() {
        let _ = connection.write_all(format!("HTTP/1.1 {response}").as_bytes()).await;
    }
    let _ = connection.shutdown().await;
}

async fn read(connection: &mut TcpStream) -> Option<Received> {
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        head.push(connection.read_u8().await.ok()?);
    }
    let mut received = Received { head: String::from_utf8(head).ok()?, body: String::new() };
    let mut body = vec![0; received.header("content-length").parse().ok()?];
    connection.read_exact(&mut body).await.ok()?;
    received.body = String::from_utf8(body).ok()?;
    Some(received)
}
