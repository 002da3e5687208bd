//! Fills a new server with trips of a given size, through its API.

use http_body_util::{BodyExt as _, Full};
use hyper::Method;
use hyper::body::Bytes;
use hyper::client::conn::http1;
use hyper_util::rt::TokioIo;
use indicatif::{ProgressBar, ProgressStyle};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use tokio::net::TcpStream;

use super::Result;

/// Size of a small trip's JSON in bytes, and the number of them.
const SMALL: (usize, usize) = (8 * 1024, 200);

/// The same for large trips, near the service's limit.
const LARGE: (usize, usize) = (250 * 1024, 20);

/// Stops on a full day.
const STOPS_A_DAY: usize = 8;

/// Places to walk between: name, category, latitude, longitude.
const PLACES: [(&str, &str, f64, f64); 8] = [
    ("Miradouro das Portas do Sol", "viewpoint", 38.7122, -9.1303),
    ("Sé de Lisboa", "religious", 38.7098, -9.1327),
    ("Praça do Comércio", "landmark", 38.7077, -9.1365),
    ("Museu Arqueológico do Carmo", "museum", 38.712, -9.1405),
    ("A Brasileira", "cafe", 38.7107, -9.1422),
    ("Mercado da Ribeira", "market", 38.707, -9.1459),
    ("Jardim da Estrela", "park", 38.7146, -9.1597),
    ("Cervejaria Ramiro", "restaurant", 38.7203, -9.1356),
];

/// The words of a trip's summary, repeated to reach its size.
const SUMMARY: &str =
    "We walk where the trams climb, rest where there is shade and a view, and eat when it smells good. ";

/// A trip with all kinds of parts: 27 KB. Stored several times, so that few writes conflict.
const LISBON: (&str, usize) = (include_str!("../../../client-sdk/examples/lisbon.json"), 200);

/// Ids of the stored itineraries.
#[derive(Debug, Default)]
pub(crate) struct Filled {
    /// Those of 8 KB.
    pub(crate) small: Vec<String>,
    /// Those of 250 KB.
    pub(crate) large: Vec<String>,
    /// Those of the trip to Lisbon.
    pub(crate) lisbon: Vec<String>,
    /// The `ETag` of the first small one, until it is changed.
    pub(crate) tag: String,
}

impl Filled {
    /// Reads the tag again, which depends on the server's base URL.
    pub(crate) fn read_tag(&mut self, api: &Api) -> Result<()> {
        let first = api.send(&Request::new(Method::GET, format!("/v1/itineraries/{}", self.small[0])))?;
        let tag = first.headers.into_iter().find(|(name, _)| name == "etag");
        self.tag = tag.ok_or("an itinerary has no tag")?.1;
        Ok(())
    }
}

/// A request.
#[derive(Debug)]
pub(crate) struct Request {
    method: Method,
    path: String,
    /// JSON text.
    pub(crate) body: Option<String>,
    headers: Vec<(&'static str, String)>,
    token: Option<&'static str>,
}

impl Request {
    /// A request without a body, with the caller's own token.
    pub(crate) fn new(method: Method, path: String) -> Self {
        Self { method, path, body: None, headers: Vec::new(), token: None }
    }

    /// With JSON text as its body.
    pub(crate) fn body(mut self, json: &str) -> Self {
        self.body = Some(json.to_owned());
        self
    }

    /// With one more header.
    pub(crate) fn header(mut self, name: &'static str, value: &str) -> Self {
        self.headers.push((name, value.to_owned()));
        self
    }

    /// With another token than the caller's.
    pub(crate) fn token(mut self, token: &'static str) -> Self {
        self.token = Some(token);
        self
    }
}

/// A complete response; the bare server repeats it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct BenchResponse {
    /// Status code.
    pub(crate) status: u16,
    /// Every header in the order sent, values as text.
    pub(crate) headers: Vec<(String, String)>,
    /// The body.
    pub(crate) body: String,
}

/// A client of a server's API with a token; uses a new connection for each request unless one is kept.
pub(crate) struct Api {
    address: String,
    token: String,
    runtime: tokio::runtime::Runtime,
}

impl Api {
    /// Connects on first use; the address is host and port.
    pub(crate) fn new(address: String, token: String) -> Result<Self> {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        Ok(Self { address, token, runtime })
    }

    /// A client for another thread.
    pub(crate) fn again(&self) -> Result<Self> {
        Self::new(self.address.clone(), self.token.clone())
    }

    /// The access token.
    pub(crate) fn token(&self) -> &str {
        &self.token
    }

    /// Sends one request and reads the whole response, with any status.
    pub(crate) fn send(&self, request: &Request) -> Result<BenchResponse> {
        self.connect()?.send(request)
    }

    /// Keeps a connection for several requests.
    pub(crate) fn connect(&self) -> Result<Connection<'_>> {
        Ok(Connection { api: self, sender: self.runtime.block_on(connect(&self.address))? })
    }

    fn message(&self, request: &Request, token: &str) -> Result<hyper::Request<Full<Bytes>>> {
        let mut builder = hyper::Request::builder()
            .method(&request.method)
            .uri(&request.path)
            .header("Host", &self.address)
            .header("Authorization", format!("Bearer {token}"));
        for (name, value) in &request.headers {
            builder = builder.header(*name, value);
        }
        if request.body.is_some() {
            builder = builder.header("Content-Type", "application/json");
        }
        Ok(builder.body(Full::new(Bytes::from(request.body.clone().unwrap_or_default())))?)
    }
}

/// A connection to a server.
pub(crate) struct Connection<'a> {
    api: &'a Api,
    sender: http1::SendRequest<Full<Bytes>>,
}

impl Connection<'_> {
    /// Sends one request and reads the whole response, with any status.
    pub(crate) fn send(&mut self, request: &Request) -> Result<BenchResponse> {
        self.send_as(request, request.token.unwrap_or(&self.api.token))
    }

    /// The same with this token.
    pub(crate) fn send_as(&mut self, request: &Request, token: &str) -> Result<BenchResponse> {
        let message = self.api.message(request, token)?;
        self.api.runtime.block_on(exchange(&mut self.sender, message))
    }
}

async fn connect(address: &str) -> Result<http1::SendRequest<Full<Bytes>>> {
    let stream = TcpStream::connect(address).await?;
    stream.set_nodelay(true)?;
    let (sender, connection) = http1::handshake(TokioIo::new(stream)).await?;
    // Drives the connection; errors reach the sender. Ends with the sender.
    tokio::spawn(connection);
    Ok(sender)
}

async fn exchange(
    sender: &mut http1::SendRequest<Full<Bytes>>,
    request: hyper::Request<Full<Bytes>>,
) -> Result<BenchResponse> {
    sender.ready().await?;
    let response = sender.send_request(request).await?;
    let status = response.status().as_u16();
    let headers = response
        .headers()
        .iter()
        .map(|(name, value)| Ok((name.as_str().to_owned(), value.to_str()?.to_owned())))
        .collect::<Result<_>>()?;
    let body = response.into_body().collect().await?.to_bytes();
    Ok(BenchResponse { status, headers, body: String::from_utf8(body.to_vec())? })
}

/// Stores the trips, with a progress bar. The list shows the last stored first.
pub(crate) fn fill(api: &Api, database: &str) -> Result<Filled> {
    let bar = ProgressBar::new((LISBON.1 + SMALL.1 + LARGE.1) as u64)
        .with_style(ProgressStyle::with_template("{prefix} {bar:30} {pos}/{len} {elapsed} {msg}")?)
        .with_prefix(format!("fill {database}"));
    let store = |count: usize, trip: &dyn Fn(usize) -> String| -> Result<Vec<String>> {
        bar.wrap_iter(0..count).map(|number| create(api, &trip(number))).collect()
    };
    let sized = |bytes: usize| move |number: usize| trip(&format!("Trip {} {number}", bytes / 1024), bytes);
    let mut filled = Filled {
        lisbon: store(LISBON.1, &|_| LISBON.0.to_owned())?,
        small: store(SMALL.1, &sized(SMALL.0))?,
        large: store(LARGE.1, &sized(LARGE.0))?,
        tag: String::new(),
    };
    filled.read_tag(api)?;
    bar.finish_with_message("done");
    Ok(filled)
}

/// Stores one trip and returns its id.
pub(crate) fn create(api: &Api, trip: &str) -> Result<String> {
    let path = "/v1/itineraries?allowDuplicate=true".to_owned();
    let answer = api.send(&Request::new(Method::POST, path).body(trip))?;
    if answer.status != 201 {
        return Err(format!("creating an itinerary: {}: {}", answer.status, answer.body).into());
    }
    let itinerary: Value = serde_json::from_str(&answer.body)?;
    Ok(itinerary["id"].as_str().ok_or("the created itinerary has no id")?.to_owned())
}

/// A trip whose JSON has exactly this number of bytes, at least 2,000.
///
/// All fields with defaults are set, so that the stored JSON is as long as the request.
fn trip(destination: &str, bytes: usize) -> String {
    let mut days: Vec<Value> = Vec::new();
    let mut size = with_summary(destination, &days, 0).len();
    loop {
        let mut day = json!({"id": format!("day-{}", days.len() + 1), "stops": [], "legs": []});
        while count(&day, "stops") < STOPS_A_DAY {
            let mut longer = day.clone();
            add_stop(&mut longer, days.len() + 1);
            if size + length(&longer) > bytes {
                if count(&day, "stops") > 0 {
                    days.push(day);
                }
                let missing = bytes - with_summary(destination, &days, 0).len();
                return with_summary(destination, &days, missing);
            }
            day = longer;
        }
        size += length(&day);
        days.push(day);
    }
}

/// The size of a day in the list of days, including its comma.
fn length(day: &Value) -> usize {
    day.to_string().len() + 1
}

fn with_summary(destination: &str, days: &[Value], summary: usize) -> String {
    json!({
        "title": format!("Seven days, {destination}"),
        "summary": SUMMARY.chars().cycle().take(summary).collect::<String>(),
        "destination": {
            "name": destination,
            "coordinate": {"latitude": 38.7223, "longitude": -9.1393},
            "countryCode": "PT",
            "timeZone": "Europe/Lisbon",
        },
        "startDate": "2027-05-15",
        "travellers": 2,
        "currency": "EUR",
        "tags": ["walking", "food"],
        "days": days,
    })
    .to_string()
}

/// Adds a stop to a day, with the leg from the previous one.
fn add_stop(day: &mut Value, day_number: usize) {
    let number = count(day, "stops");
    let (name, category, latitude, longitude) = PLACES[number % PLACES.len()];
    let id = |number: usize| format!("stop-{day_number}-{number}");
    push(
        day,
        "stops",
        json!({
            "id": id(number),
            "name": name,
            "category": category,
            "place": {
                "name": name,
                "address": format!("{name}, Lisboa"),
                "coordinate": {"latitude": latitude, "longitude": longitude},
                "countryCode": "PT",
            },
            "startTime": format!("{:02}:15", 9 + number),
            "startTimeSuggested": true,
            "durationMinutes": 40,
        }),
    );
    if number > 0 {
        let (from, to) = (id(number - 1), id(number));
        let leg =
            json!({"from": from, "to": to, "mode": "walk", "minutes": 12.5, "metres": 990.5, "source": "estimate"});
        push(day, "legs", leg);
    }
}

fn push(day: &mut Value, list: &str, item: Value) {
    day[list].as_array_mut().expect("a day's lists are arrays").push(item);
}

fn count(day: &Value, list: &str) -> usize {
    day[list].as_array().expect("a day's lists are arrays").len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn trips_have_the_size_that_was_asked_for() {
        for bytes in [2_000, SMALL.0, SMALL.0 + 1, LARGE.0] {
            let text = trip("Trip 1", bytes);
            assert_eq!(text.len(), bytes);
            let parsed: Value = serde_json::from_str(&text).expect("JSON");
            assert!(parsed["summary"].as_str().expect("a summary").len() < 2_000);
        }
    }

    #[test]
    fn a_large_trip_keeps_within_the_limits_of_the_service() {
        let trip: Value = serde_json::from_str(&trip("Trip 1", LARGE.0)).expect("JSON");
        let days = trip["days"].as_array().expect("days");
        assert!((20..=366).contains(&days.len()));
        for day in &days[..days.len() - 1] {
            assert_eq!((count(day, "stops"), count(day, "legs")), (STOPS_A_DAY, STOPS_A_DAY - 1));
        }
        let ids: std::collections::BTreeSet<&str> = days
            .iter()
            .flat_map(|day| day["stops"].as_array().expect("stops"))
            .map(|stop| stop["id"].as_str().expect("an id"))
            .collect();
        assert_eq!(ids.len(), days.iter().map(|day| count(day, "stops")).sum::<usize>());
    }
}
