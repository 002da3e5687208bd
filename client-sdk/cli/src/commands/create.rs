//! The command `create`.

use futures::TryStreamExt as _;
use itinerary_sdk::Paged as _;
use itinerary_sdk::types::{Coordinate, Destination, Itinerary, ListedItinerary};
use reqwest::Method;
use serde_json::{Value, json};

use super::show;
use crate::arguments::CreateArguments;
use crate::failure::{Exit, Failure};
use crate::output::Output;
use crate::service::Service;
use crate::{file, names, text, trip};

/// How many public trips are searched for a destination.
const SEARCHED: usize = 20;
/// Trips to the same place differ by less than this, in degrees.
const NEAR: f64 = 0.5;

pub(super) async fn run(service: &Service, output: Output, arguments: &CreateArguments) -> Result<(), Failure> {
    let body = match (&arguments.file, &arguments.destination) {
        (Some(path), _) => from_json(&file::read(path).await?)
            .map_err(|why| Failure::new(Exit::Invalid, format!("{}: {why}", file::name(path))))?,
        (None, Some(name)) => from_names(service, output, arguments, name).await?,
        (None, None) => return Err(Failure::usage("pass a file, or --destination")),
    };
    let mut query = Vec::new();
    if arguments.dry_run {
        query.push(("dryRun", "true".to_owned()));
    }
    if arguments.allow_duplicate {
        query.push(("allowDuplicate", "true".to_owned()));
    }
    let request = service.request(Method::POST, "/v1/itineraries", &query).header("content-type", "application/json");
    let created = service.send::<Itinerary>(request.body(body)).await?;
    if !arguments.dry_run {
        service.profile.set_last(created.value.id);
    }
    trip::warn(output, &created.value, "");
    if output.json {
        output.raw(&created.raw)
    } else if arguments.dry_run {
        if output.quiet { Ok(()) } else { output.print(&show::trip(&created.value, output.width)) }
    } else if output.quiet {
        output.print(&format!("{}\n", created.value.id))
    } else {
        let trip = &created.value;
        let stops = trip.days.iter().map(|day| day.stops.len()).sum();
        let (days, stops) = (text::count(trip.days.len(), "day"), text::count(stops, "stop"));
        output.print(&format!("Created “{}” with {days} and {stops}: {}\n", text::clean(&trip.title), trip.id))
    }
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
    let (name, (latitude, longitude)) = match arguments.at {
        Some(at) => (destination.to_owned(), at),
        None => locate(service, output, destination).await?,
    };
    let mut trip = json!({
        "destination": { "name": name, "coordinate": { "latitude": latitude, "longitude": longitude } },
    });
    let optional = [
        ("title", arguments.title.as_ref().map(|title| json!(title))),
        ("startDate", arguments.start.map(|date| json!(date))),
        ("travellers", arguments.travellers.map(|number| json!(number))),
        ("days", (!days.is_empty()).then(|| json!(days))),
    ];
    for (name, value) in optional {
        if let Some(value) = value {
            trip[name] = value;
        }
    }
    Ok(trip.to_string())
}

/// A destination's name and coordinate: those in one of the caller's trips to it, or in public ones if they agree.
async fn locate(service: &Service, output: Output, name: &str) -> Result<(String, (f64, f64)), Failure> {
    let mut mine = service.client.itinerary_list().stream();
    while let Some(trip) = mine.try_next().await? {
        if is_named(&trip.destination, name) {
            return Ok((trip.destination.name, degrees(&trip.destination.coordinate)));
        }
    }
    let (found, _) = service.list("/v1/explore", &[("q", name.to_owned())], SEARCHED).await?;
    let found: Vec<ListedItinerary> = super::list::parse(&found)?;
    let found: Vec<_> = found.iter().filter(|trip| is_named(&trip.destination, name)).collect();
    let unknown = || Failure::usage(format!("where is “{name}”? Pass --at LATITUDE,LONGITUDE"));
    let first = found.first().ok_or_else(unknown)?;
    let (latitude, longitude) = degrees(&first.destination.coordinate);
    let is_near = |trip: &&ListedItinerary| {
        let other = degrees(&trip.destination.coordinate);
        (other.0 - latitude).abs() < NEAR && (other.1 - longitude).abs() < NEAR
    };
    if !found.iter().all(is_near) {
        return Err(unknown());
    }
    let (title, author) = (&first.title, &first.author.username);
    output.warn(&format!("{name} is at {latitude},{longitude}, as in “{title}” by @{author}; --at sets another place"));
    Ok((first.destination.name.clone(), (latitude, longitude)))
}

fn is_named(destination: &Destination, name: &str) -> bool {
    destination.name.to_lowercase() == name.trim().to_lowercase()
}

fn degrees(coordinate: &Coordinate) -> (f64, f64) {
    (coordinate.latitude, coordinate.longitude)
}
