//! The commands `stop …`. Each reads the trip, and writes with the version that it has read: the numbers of days and
//! stops are those of that version.

use itinerary_sdk::types::{Day, Itinerary};
use reqwest::{Method, RequestBuilder};
use serde_json::{Value, json};

use super::show;
use crate::arguments::StopCommand;
use crate::failure::Failure;
use crate::output::Output;
use crate::service::{Answer, Service};
use crate::{text, trip};

pub(super) async fn run(service: &Service, output: Output, command: StopCommand) -> Result<(), Failure> {
    match command {
        StopCommand::Add { trip: name, day: number, name: stop, position, time, minutes, category } => {
            let trip = read(service, &name).await?;
            let day = trip::day(&trip.value, number)?;
            let query: Vec<_> = position.map(|position| ("position", (position - 1).to_string())).into_iter().collect();
            let body = body([
                ("name", Some(json!(stop))),
                ("startTime", time.map(Value::from)),
                ("durationMinutes", minutes.map(Value::from)),
                ("category", category.map(Value::from)),
            ]);
            let request = service.request(Method::POST, &path(&trip.value, day), &query).body(body);
            let changed = send(service, &trip, request).await?;
            // Notes about other stops are not news.
            let stops = changed.value.days.get(number - 1).map_or(0, |day| day.stops.len());
            let added = position.unwrap_or(stops).min(stops).saturating_sub(1);
            trip::warn(output, &changed.value, &format!("days[{}].stops[{added}].", number - 1));
            print(output, &changed, number, &format!("Added “{}” to day {number}.", text::clean(&stop)))
        }
        StopCommand::Move { trip: name, day: number, stop, to_day, position } => {
            let trip = read(service, &name).await?;
            let day = trip::day(&trip.value, number)?;
            let stop = trip::stop(day, &stop)?;
            let target = to_day.unwrap_or(number);
            let body = body([
                ("dayId", Some(json!(trip::day(&trip.value, target)?.id))),
                ("position", position.map(|position| json!(position - 1))),
            ]);
            let path = format!("{}/{}/move", path(&trip.value, day), stop.id);
            let changed = send(service, &trip, service.request(Method::POST, &path, &[]).body(body)).await?;
            print(output, &changed, target, &format!("Moved “{}”.", text::clean(&stop.name)))
        }
        StopCommand::Remove { trip: name, day: number, stop } => {
            let trip = read(service, &name).await?;
            let day = trip::day(&trip.value, number)?;
            let stop = trip::stop(day, &stop)?;
            let path = format!("{}/{}", path(&trip.value, day), stop.id);
            let changed = send(service, &trip, service.request(Method::DELETE, &path, &[])).await?;
            print(output, &changed, number, &format!("Removed “{}”.", text::clean(&stop.name)))
        }
    }
}

async fn read(service: &Service, name: &str) -> Result<Answer<Itinerary>, Failure> {
    let id = trip::find(service, name).await?;
    service.trip(id).await
}

/// The path of a day's stops. Ids consist of letters, digits, `_` and `-`; [`trip::day`] and [`trip::stop`] check that.
fn path(trip: &Itinerary, day: &Day) -> String {
    format!("/v1/itineraries/{}/days/{}/stops", trip.id, day.id)
}

/// The fields that have a value, as JSON.
fn body<const N: usize>(fields: [(&str, Option<Value>); N]) -> String {
    let fields = fields.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?)));
    Value::Object(fields.collect()).to_string()
}

async fn send(
    service: &Service,
    trip: &Answer<Itinerary>,
    request: RequestBuilder,
) -> Result<Answer<Itinerary>, Failure> {
    let request = request.header("content-type", "application/json").header("if-match", &trip.etag);
    service.send(request).await
}

/// Prints what was done, and the day as it is now.
fn print(output: Output, trip: &Answer<Itinerary>, number: usize, line: &str) -> Result<(), Failure> {
    if output.json {
        return output.raw(&trip.raw);
    }
    if output.quiet {
        return Ok(());
    }
    output.print(&format!("{line}\n\n{}", show::day(&trip.value, number, output.width)))
}
