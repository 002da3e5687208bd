//! A provider of images on 127.0.0.1 with scripted responses, which records its requests.

use std::net::SocketAddr;
use std::sync::{Arc, Mutex};

use itinerary_platform::settings::{Config, ImagesKind};
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinHandle;

pub(super) enum Reply {
    Json(Value),
    File(Vec<u8>),
    Status(u16),
    Redirect(String),
    Hang,
    /// This many bytes of JSON.
    Long(usize),
}

type Script = dyn Fn(&str, &str) -> Reply + Send + Sync;

/// The provider, which ends with the test.
pub(super) struct Stub {
    address: SocketAddr,
    asked: Arc<Mutex<Vec<String>>>,
    task: JoinHandle<()>,
}

impl Stub {
    /// Starts a provider whose responses are a function of its own address and of the requested path and query.
    pub(super) async fn start(script: impl Fn(&str, &str) -> Reply + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind(("127.0.0.1", 0)).await.expect("a port");
        let address = listener.local_addr().expect("an address");
        let (asked, script) = (Arc::<Mutex<Vec<String>>>::default(), Arc::new(script) as Arc<Script>);
        let notes = Arc::clone(&asked);
        let task = tokio::spawn(async move {
            while let Ok((connection, _)) = listener.accept().await {
                tokio::spawn(serve(connection, address, Arc::clone(&notes), Arc::clone(&script)));
            }
        });
        Self { address, asked, task }
    }

    pub(super) fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    pub(super) fn port(&self) -> u16 {
        self.address.port()
    }

    /// Configures a server to use this provider.
    pub(super) fn configure(&self) -> impl Fn(&mut Config) {
        let url = self.url();
        move |config| {
            config.limits = false;
            config.providers.images = Some(ImagesKind::Openverse);
            config.providers.images_url = Some(url.clone());
        }
    }

    /// The paths and queries requested since the last call.
    pub(super) fn asked(&self) -> Vec<String> {
        std::mem::take(&mut self.asked.lock().expect("no panic"))
    }
}

impl Drop for Stub {
    fn drop(&mut self) {
        self.task.abort();
    }
}

/// Openverse's response with one image.
pub(super) fn one(url: &str) -> Reply {
    Reply::Json(json!({ "result_count": 1, "results": [{
        "title": "Tram", "creator": "C", "license": "by", "license_version": "4.0", "url": url,
        "foreign_landing_url": "https://photos.example/tram",
    }] }))
}

/// Whether this is a search.
pub(super) fn is_search(target: &str) -> bool {
    target.starts_with("/v1/images/?")
}

async fn serve(mut connection: TcpStream, address: SocketAddr, asked: Arc<Mutex<Vec<String>>>, script: Arc<Script>) {
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        // A connection that closes without a request is irrelevant.
        let Ok(byte) = connection.read_u8().await else { return };
        head.push(byte);
    }
    let target = String::from_utf8(head).expect("text").split(' ').nth(1).expect("a request line").to_owned();
    asked.lock().expect("no panic").push(target.clone());
    let (status, more, body) = match script(&format!("http://{address}"), &target) {
        Reply::Json(body) => (200, String::new(), body.to_string().into_bytes()),
        Reply::File(body) => (200, String::new(), body),
        Reply::Status(status) => (status, String::new(), b"{}".to_vec()),
        Reply::Redirect(to) => (302, format!("Location: {to}\r\n"), Vec::new()),
        Reply::Hang => return std::future::pending().await,
        Reply::Long(length) => (200, String::new(), long(length)),
    };
    let length = body.len();
    let head = format!("HTTP/1.1 {status} S\r\nContent-Length: {length}\r\nConnection: close\r\n{more}\r\n");
    // The server stops reading a response that is too long.
    let _ = connection.write_all(&[head.as_bytes(), &body].concat()).await;
}

/// Valid JSON of this length.
fn long(length: usize) -> Vec<u8> {
    let (start, end) = (br#"{"results": [], "padding": ""#, br#""}"#);
    [start.as_slice(), &vec![b' '; length - start.len() - end.len()], end].concat()
}
