//! The command `create`.

use itinerary_sdk::types::Itinerary;
use reqwest::Method;
use serde_json::{Value, json};

use super::show;
use crate::arguments::CreateArguments;
use crate::destination::Located;
use crate::failure::{Exit, Failure};
use crate::output::Output;
use crate::service::{Answer, Service};
use crate::{destination, file, names, text, trip};

/// The number of days of a trip for which neither names nor a number were given.
const USUAL_DAYS: usize = 3;

pub(super) async fn run(service: &Service, output: Output, arguments: &CreateArguments) -> Result<(), Failure> {
    let body = match (&arguments.file, &arguments.destination) {
        (Some(path), _) => from_json(&file::read(path).await?)
            .map_err(|why| Failure::new(Exit::Invalid, format!("{}: {why}", file::name(path))))?,
        (None, Some(name)) => from_names(service, output, arguments, name).await?,
        (None, None) => return Err(Failure::usage("pass a file, or --destination")),
    };
    let created = send(service, body, arguments.dry_run, arguments.allow_duplicate).await?;
    if !arguments.dry_run {
        service.profile.set_last(created.value.id);
    }
    // The line below says when and where; the origin was not asked for.
    let is_news = |field: &str| arguments.file.is_some() || field.starts_with("days[");
    trip::warn(output, &created.value, is_news);
    if arguments.dry_run && !output.json {
        return if output.quiet { Ok(()) } else { output.print(&show::trip(&created.value, output.width)) };
    }
    print(output, &created)
}

/// Sends the JSON of a trip.
pub(super) async fn send(
    service: &Service,
    body: String,
    dry_run: bool,
    allow_duplicate: bool,
) -> Result<Answer<Itinerary>, Failure> {
    let mut query = Vec::new();
    if dry_run {
        query.push(("dryRun", "true".to_owned()));
    }
    if allow_duplicate {
        query.push(("allowDuplicate", "true".to_owned()));
    }
    let request = service.request(Method::POST, "/v1/itineraries", &query).header("content-type", "application/json");
    service.send(request.body(body)).await
}

/// Prints the trip that was created: as JSON with `--json`, its id with `--quiet`.
pub(super) fn print(output: Output, created: &Answer<Itinerary>) -> Result<(), Failure> {
    let trip = &created.value;
    let stops = trip.days.iter().map(|day| day.stops.len()).sum();
    let (days, stops) = (text::count(trip.days.len(), "day"), text::count(stops, "stop"));
    let (title, facts) = (text::clean(&trip.title), text::clean(&show::place_and_dates(trip)));
    let line = format!("Created “{title}” ({facts}) with {days} and {stops}: {}", trip.id);
    output.answer(&created.raw, &trip.id.to_string(), &line)
}

/// The file as it is, so that the server sees every field in it. What is not JSON is rejected here, by line.
fn from_json(text: &str) -> Result<String, String> {
    let text = text.trim_start_matches('\u{feff}');
    match serde_json::from_str::<Value>(text) {
        Ok(Value::Object(_)) => Ok(text.to_owned()),
        Ok(_) => Err("must be a JSON object".to_owned()),
        Err(error) => Err(format!("not JSON: {error}")),
    }
}

async fn from_names(
    service: &Service,
    output: Output,
    arguments: &CreateArguments,
    destination: &str,
) -> Result<String, Failure> {
    let mut days = match &arguments.names {
        Some(path) => names::days(&file::read(path).await?),
        None => Vec::new(),
    };
    if let Some(number) = arguments.days {
        if number < days.len() {
            let message = format!("--days {number}: the list has names for {} days", days.len());
            return Err(Failure::usage(message));
        }
        days.resize(number, json!({ "stops": [] }));
    }
    if days.is_empty() {
        days.resize(USUAL_DAYS, json!({ "stops": [] }));
    }
    let Located { name, latitude, longitude } = match arguments.at {
        Some((latitude, longitude)) => Located { name: destination.to_owned(), latitude, longitude },
        None => destination::locate(service, output, destination).await?,
    };
    let mut trip = json!({
        "destination": { "name": name, "coordinate": { "latitude": latitude, "longitude": longitude } },
    });
    let optional = [
        ("title", arguments.title.as_ref().map(|title| json!(title))),
        ("startDate", arguments.start.map(|date| json!(date))),
        ("travellers", arguments.travellers.map(|number| json!(number))),
        ("days", Some(json!(days))),
    ];
    for (name, value) in optional {
        if let Some(value) = value {
            trip[name] = value;
        }
    }
    Ok(trip.to_string())
}
