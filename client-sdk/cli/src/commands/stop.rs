//! The commands `stop add`, `stop move` and `stop remove`.

use itinerary_sdk::types::{Day, Itinerary};
use reqwest::Method;
use serde_json::{Value, json};

use super::write;
use crate::arguments::{AddStop, StopCommand};
use crate::failure::Failure;
use crate::output::Output;
use crate::service::{Answer, Service};
use crate::{text, trip};

pub(super) async fn run(service: &Service, output: Output, command: StopCommand) -> Result<(), Failure> {
    match command {
        StopCommand::Add(arguments) => add(service, output, arguments).await,
        StopCommand::Move { trip: name, day: number, stop, to_day, position } => {
            let trip = write::read(service, &name).await?;
            let day = trip::day(&trip.value, number)?;
            let stop = trip::stop(day, &stop)?;
            let target = to_day.unwrap_or(number);
            let body = write::body([
                ("dayId", Some(json!(trip::day(&trip.value, target)?.id))),
                ("position", position.map(|position| json!(position - 1))),
            ]);
            let path = format!("{}/move", write::path(&trip.value, &list(day), Some(&stop.id)));
            let changed = write::send(service, &trip.etag, Method::POST, &path, &[], Some(&body)).await?;
            write::print_day(output, &changed, target, &format!("Moved “{}”.", text::clean(&stop.name)))
        }
        StopCommand::Remove { trip: name, day: number, stop } => {
            let trip = write::read(service, &name).await?;
            let day = trip::day(&trip.value, number)?;
            let stop = trip::stop(day, &stop)?;
            let changed = write::remove(service, &trip, &list(day), &stop.id).await?;
            write::print_day(output, &changed, number, &format!("Removed “{}”.", text::clean(&stop.name)))
        }
    }
}

async fn add(service: &Service, output: Output, arguments: AddStop) -> Result<(), Failure> {
    let AddStop { trip: name, day: number, name: stop, position, time, minutes, category } = arguments;
    let trip = write::read(service, &name).await?;
    let day = trip::day(&trip.value, number)?;
    let query: Vec<_> = position.map(|position| ("position", (position - 1).to_string())).into_iter().collect();
    let body = write::body([
        ("name", Some(json!(stop))),
        ("startTime", time.map(Value::from)),
        ("durationMinutes", minutes.map(Value::from)),
        ("category", category.map(Value::from)),
    ]);
    let path = write::path(&trip.value, &list(day), None);
    let changed: Answer<Itinerary> = write::send(service, &trip.etag, Method::POST, &path, &query, Some(&body)).await?;
    // Notes about other stops are not news.
    let stops = changed.value.days.get(number - 1).map_or(0, |day| day.stops.len());
    let added = format!("days[{}].stops[{}].", number - 1, position.unwrap_or(stops).min(stops).saturating_sub(1));
    trip::warn(output, &changed.value, |field| field.starts_with(&added));
    write::print_day(output, &changed, number, &format!("Added “{}” to day {number}.", text::clean(&stop)))
}

/// The stops of a day, as a list of the trip.
fn list(day: &Day) -> String {
    format!("days/{}/stops", day.id)
}
