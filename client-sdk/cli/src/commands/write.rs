//! Changes of a trip. Each reads the trip, and writes with the version that it has read, so that the numbers of days and
//! items are those of that version.

use itinerary_sdk::types::Itinerary;
use reqwest::Method;
use serde_json::{Value, json};

use super::show;
use crate::failure::Failure;
use crate::moment::Moment;
use crate::output::Output;
use crate::service::{Answer, Service};
use crate::trip;

pub(super) async fn read(service: &Service, name: &str) -> Result<Answer<Itinerary>, Failure> {
    let id = trip::find(service, name).await?;
    service.trip(id).await
}

/// The path of a list of a trip, such as its flights, or of an item in it. Ids consist of letters, digits, `_` and `-`;
/// the functions of [`trip`] that find items check that.
pub(super) fn path(trip: &Itinerary, list: &str, item: Option<&str>) -> String {
    let item = item.map(|id| format!("/{id}")).unwrap_or_default();
    format!("/v1/itineraries/{}/{list}{item}", trip.id)
}

/// The fields that have a value, as JSON.
pub(super) fn body<const N: usize>(fields: [(&str, Option<Value>); N]) -> Value {
    let fields = fields.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?)));
    Value::Object(fields.collect())
}

/// A time in RFC 3339, with the offset of its zone. `hour` is for a date alone; `no_zone` is the error if the time is local
/// and its zone is not known.
pub(super) fn time(
    time: Option<&Moment>,
    zone: Option<&str>,
    hour: i8,
    no_zone: impl FnOnce() -> String,
) -> Result<Option<Value>, Failure> {
    let Some(time) = time else { return Ok(None) };
    let time = time.in_zone(zone, hour).ok_or_else(|| Failure::usage(no_zone()))?;
    Ok(Some(json!(time)))
}

/// Sends a change on the condition that the trip has not changed since it was read.
pub(super) async fn send<T: serde::de::DeserializeOwned>(
    service: &Service,
    etag: &str,
    method: Method,
    path: &str,
    query: &[(&str, String)],
    body: Option<&Value>,
) -> Result<Answer<T>, Failure> {
    let content_type = if method == Method::PATCH { "application/merge-patch+json" } else { "application/json" };
    let mut request = service.request(method, path, query).header("if-match", etag);
    if let Some(body) = body {
        request = request.header("content-type", content_type).body(body.to_string());
    }
    service.send(request).await
}

/// Adds an item to a list of the trip.
pub(super) async fn add(
    service: &Service,
    trip: &Answer<Itinerary>,
    list: &str,
    body: &Value,
) -> Result<Answer<Itinerary>, Failure> {
    send(service, &trip.etag, Method::POST, &path(&trip.value, list, None), &[], Some(body)).await
}

/// Removes an item from a list of the trip.
pub(super) async fn remove(
    service: &Service,
    trip: &Answer<Itinerary>,
    list: &str,
    id: &str,
) -> Result<Answer<Itinerary>, Failure> {
    send(service, &trip.etag, Method::DELETE, &path(&trip.value, list, Some(id)), &[], None).await
}

/// Prints what was done, and the text below it if there is any: the trip as JSON with `--json`, nothing with `--quiet`.
pub(super) fn print(output: Output, trip: &Answer<Itinerary>, line: &str, below: &str) -> Result<(), Failure> {
    if output.json {
        return output.raw(&trip.raw);
    }
    if output.quiet {
        return Ok(());
    }
    let gap = if below.is_empty() { "" } else { "\n" };
    output.print(&format!("{line}\n{gap}{below}"))
}

/// The same with a day of the trip below.
pub(super) fn print_day(output: Output, trip: &Answer<Itinerary>, day: usize, line: &str) -> Result<(), Failure> {
    print(output, trip, line, &show::day(&trip.value, day, output.width))
}
