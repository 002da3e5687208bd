//! The commands `flight add` and `flight remove`.

use itinerary_sdk::types::{Flight, Itinerary, Place};
use reqwest::Method;
use serde_json::{Value, json};

use super::{show, write};
use crate::arguments::{AddFlight, FlightCommand};
use crate::failure::Failure;
use crate::moment::Moment;
use crate::output::Output;
use crate::service::Service;
use crate::{text, trip};

/// Flights have times, so the hour of a date alone is never used.
const NO_HOUR: i8 = 0;

pub(super) async fn run(service: &Service, output: Output, command: FlightCommand) -> Result<(), Failure> {
    match command {
        FlightCommand::Add(arguments) => add(service, output, &arguments).await,
        FlightCommand::Remove { trip: name, flight } => {
            let trip = write::read(service, &name).await?;
            let flights = trip.value.flights.as_deref().unwrap_or_default();
            let flight = trip::item(flights, &flight, "flight", |flight| &flight.id, number)?;
            let changed = write::remove(service, &trip, "flights", &flight.id).await?;
            let line = format!("Removed the flight {}.", text::clean(number(flight)));
            write::print(output, &changed, &line, &show::flights(&changed.value, output.width))
        }
    }
}

fn number(flight: &Flight) -> &str {
    flight.flight_number.as_deref().unwrap_or_default()
}

/// An airport by its code.
fn airport(code: Option<&String>) -> Option<Value> {
    code.map(|code| json!({ "code": code }))
}

async fn add(service: &Service, output: Output, arguments: &AddFlight) -> Result<(), Failure> {
    let trip = write::read(service, &arguments.trip).await?;
    let zones = zones(service, &trip.value, arguments).await?;
    let body = write::body([
        ("flightNumber", Some(json!(arguments.number))),
        ("departureAirport", airport(arguments.from.as_ref())),
        ("arrivalAirport", airport(arguments.to.as_ref())),
        ("departureDate", time(arguments.departs.as_ref(), zones.from.as_deref(), "--departs", "--from")?),
        ("arrivalDate", time(arguments.arrives.as_ref(), zones.to.as_deref(), "--arrives", "--to")?),
        ("departureTerminal", arguments.departure_terminal.clone().map(Value::from)),
        ("arrivalTerminal", arguments.arrival_terminal.clone().map(Value::from)),
        ("flightAirline", arguments.airline.as_ref().map(|name| json!({ "name": name }))),
        ("cabinClass", arguments.cabin.clone().map(Value::from)),
        ("seatNumber", arguments.seat.clone().map(Value::from)),
        ("gateNumber", arguments.gate.clone().map(Value::from)),
    ]);
    let changed = write::add(service, &trip, "flights", &body).await?;
    let flights = changed.value.flights.as_deref().unwrap_or_default();
    let at = format!("flights[{}]", flights.len().saturating_sub(1));
    trip::warn(output, &changed.value, |field| field.starts_with(&at));
    let line = format!("Added the flight {}.", text::clean(&arguments.number));
    write::print(output, &changed, &line, &show::flights(&changed.value, output.width))
}

/// The time zones of the airports.
#[derive(Default)]
struct Zones {
    from: Option<String>,
    to: Option<String>,
}

/// Asks the server for the time zones of the airports, if local times need them. A dry run of a create fills in the places
/// of airports, and stores nothing.
async fn zones(service: &Service, trip: &Itinerary, arguments: &AddFlight) -> Result<Zones, Failure> {
    let is_local = |time: &Option<Moment>| time.as_ref().is_some_and(Moment::needs_zone);
    if !is_local(&arguments.departs) && !is_local(&arguments.arrives) {
        return Ok(Zones::default());
    }
    let flight = write::body([
        ("flightNumber", Some(json!(arguments.number))),
        ("departureAirport", airport(arguments.from.as_ref())),
        ("arrivalAirport", airport(arguments.to.as_ref())),
    ]);
    let plan = json!({ "destination": trip.destination, "startDate": trip.start_date, "flights": [flight] });
    let query = [("dryRun", "true".to_owned()), ("allowDuplicate", "true".to_owned())];
    let request = service.request(Method::POST, "/v1/itineraries", &query).header("content-type", "application/json");
    let planned = service
        .send::<Itinerary>(request.body(plan.to_string()))
        .await
        .map_err(|failure| failure.below("flights[0]"))?;
    let flight = planned.value.flights.into_iter().flatten().next();
    let zone = |airport: Option<Place>| airport.and_then(|airport| airport.time_zone);
    Ok(flight.map_or_else(Zones::default, |flight| Zones {
        from: zone(flight.departure_airport),
        to: zone(flight.arrival_airport),
    }))
}

/// A time in the time zone of its airport.
fn time(time: Option<&Moment>, zone: Option<&str>, flag: &str, airport: &str) -> Result<Option<Value>, Failure> {
    write::time(time, zone, NO_HOUR, || {
        format!(
            "{flag} is a local time, and the server knows no time zone for it: pass {airport} with an airport's code, or add \
             the offset, such as 2027-05-15T07:00+01:00"
        )
    })
}
