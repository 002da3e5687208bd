//! A provider on 127.0.0.1 with scripted responses, which records its requests.

use std::fmt::Write as _;
use std::sync::{Arc, Mutex};

use itinerary_platform::settings::{Config, GeocoderKind, RoutesKind};
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinHandle;

#[derive(Clone, Debug)]
pub(super) enum Reply {
    Json(Value),
    Text(&'static str),
    Status(u16),
    /// To an address inside the operator's network.
    Redirect,
    /// Ten megabytes without Content-Length.
    Huge,
    /// Accepts the request and never answers.
    Hang,
}

/// Every kind of failure.
pub(super) const FAULTS: [Reply; 5] =
    [Reply::Hang, Reply::Status(500), Reply::Huge, Reply::Text("[{\"lat\": oh no"), Reply::Redirect];

type Script = dyn Fn(&str) -> Reply + Send + Sync;

/// The provider, which stops when dropped.
pub(super) struct Stub {
    url: String,
    asked: Arc<Mutex<Vec<String>>>,
    task: JoinHandle<()>,
}

impl Stub {
    /// A provider whose responses depend on the request: line, headers and body.
    pub(super) async fn start(script: impl Fn(&str) -> Reply + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind(("127.0.0.1", 0)).await.expect("a port");
        let url = format!("http://{}", listener.local_addr().expect("an address"));
        let (asked, script) = (Arc::new(Mutex::new(Vec::new())), Arc::new(script) as Arc<Script>);
        let record = Arc::clone(&asked);
        let task = tokio::spawn(async move {
            while let Ok((connection, _)) = listener.accept().await {
                tokio::spawn(serve(connection, Arc::clone(&record), Arc::clone(&script)));
            }
        });
        Self { url, asked, task }
    }

    /// A provider that always gives the same response.
    pub(super) async fn always(reply: Reply) -> Self {
        Self::start(move |_| reply.clone()).await
    }

    /// The requests so far, from the request line to the body.
    pub(super) fn asked(&self) -> Vec<String> {
        self.asked.lock().expect("no panic").clone()
    }

    /// Configures it as the geocoder.
    pub(super) fn geocodes(&self) -> impl Fn(&mut Config) + use<> {
        let url = self.url.clone();
        move |config| {
            config.providers.geocoder = Some(GeocoderKind::Nominatim);
            config.providers.geocoder_url = Some(url.clone());
            config.providers.geocoder_interval = 0;
        }
    }

    /// Configures it for routes on foot and by car.
    pub(super) fn routes(&self) -> impl Fn(&mut Config) + use<> {
        let url = self.url.clone();
        move |config| {
            config.providers.routes = Some(RoutesKind::Osrm);
            config.providers.routes_url = Some(format!("{url}/drive"));
            config.providers.routes_walk_url = Some(format!("{url}/walk"));
        }
    }

    /// Configures it for activities.
    pub(super) fn suggests(&self) -> impl Fn(&mut Config) + use<> {
        let url = self.url.clone();
        move |config| {
            config.providers.viator_key = Some("the-key".to_owned());
            config.providers.viator_url = Some(url.clone());
        }
    }
}

impl Drop for Stub {
    fn drop(&mut self) {
        self.task.abort();
    }
}

/// Reads one request and answers it. Ignores errors, which the server has to handle.
async fn serve(mut connection: TcpStream, asked: Arc<Mutex<Vec<String>>>, script: Arc<Script>) {
    let Some(request) = read(&mut connection).await else { return };
    asked.lock().expect("no panic").push(request.clone());
    let (status, location, body) = match script(&request) {
        Reply::Json(json) => (200, "", json.to_string()),
        Reply::Text(text) => (200, "", text.to_owned()),
        Reply::Status(status) => (status, "", "{}".to_owned()),
        Reply::Redirect => (302, "location: http://169.254.169.254/latest\r\n", String::new()),
        Reply::Huge => (200, "", " ".repeat(10_000_000)),
        Reply::Hang => return std::future::pending().await,
    };
    let head = format!("HTTP/1.1 {status} X\r\ncontent-type: application/json\r\n{location}connection: close\r\n\r\n");
    let _ = connection.write_all(head.as_bytes()).await;
    let _ = connection.write_all(body.as_bytes()).await;
    let _ = connection.shutdown().await;
}

async fn read(connection: &mut TcpStream) -> Option<String> {
    let mut bytes = Vec::new();
    loop {
        let text = String::from_utf8_lossy(&bytes).into_owned();
        if let Some((head, body)) = text.split_once("\r\n\r\n") {
            let length =
                head.lines().find_map(|line| line.to_lowercase().strip_prefix("content-length:")?.trim().parse().ok());
            if body.len() >= length.unwrap_or(0) {
                return Some(text);
            }
        }
        if connection.read_buf(&mut bytes).await.ok()? == 0 {
            return None;
        }
    }
}

/// A place in Nominatim's format.
pub(super) fn nominatim(name: &str, (latitude, longitude): (f64, f64), id: u64) -> Value {
    json!([{
        "place_id": id, "osm_type": "node", "osm_id": id, "lat": latitude.to_string(), "lon": longitude.to_string(),
        "category": "amenity", "type": "restaurant", "name": name, "display_name": format!("{name}, Rua 1, Lisboa"),
        "address": { "country_code": "pt" }, "namedetails": { "name": name },
    }])
}

/// A table in OSRM's format for the points of the request, the same for every pair.
pub(super) fn osrm(request: &str, seconds: f64, metres: f64) -> Value {
    let line = request.lines().next().unwrap_or_default();
    let size =
        line.split('?').next().unwrap_or_default().rsplit('/').next().map_or(0, |points| points.split(';').count());
    let table = |value: f64| -> Value {
        let cell = |row: usize, column: usize| if row == column { 0.0 } else { value };
        (0..size).map(|row| (0..size).map(|column| cell(row, column)).collect::<Vec<_>>()).collect::<Vec<_>>().into()
    };
    json!({ "code": "Ok", "durations": table(seconds), "distances": table(metres) })
}

/// A name as it is encoded in a query.
pub(super) fn in_query(name: &str) -> String {
    let mut query = String::new();
    for byte in name.bytes() {
        match byte {
            b' ' => query.push('+'),
            _ if byte.is_ascii_alphanumeric() => query.push(byte.into()),
            _ => write!(query, "%{byte:02X}").expect("memory"),
        }
    }
    query
}
