//! The commands `stop …`. Each reads the trip, and writes with the version that it has read: the numbers of days and
//! stops are those of that version.

use itinerary_sdk::Versioned;
use itinerary_sdk::types::{Itinerary, StopInput, StopMove};

use super::show;
use crate::arguments::StopCommand;
use crate::failure::{Exit, Failure};
use crate::output::Output;
use crate::service::Service;
use crate::{text, trip};

pub(super) async fn run(service: &Service, output: Output, command: StopCommand) -> Result<(), Failure> {
    match command {
        StopCommand::Add { trip: name, day: number, name: stop_name, position, time, minutes, category } => {
            let trip = read(service, &name).await?;
            let day = trip::day(&trip, number)?;
            let said = text::clean(&stop_name);
            let stop = StopInput {
                start_time: time,
                duration_minutes: minutes,
                category: category.map(|category| category.parse().unwrap_or_else(|never| match never {})),
                ..StopInput::new(stop_name)
            };
            let add = service.client.stop_add(trip.id, &day.id, trip.etag(), stop);
            let add = match position {
                Some(position) => add.position(index(position)?),
                None => add,
            };
            let changed = add.send().await?;
            // The notes about other stops are not news.
            let stops = changed.days.get(number - 1).map_or(0, |day| day.stops.len());
            let added = position.unwrap_or(stops).min(stops);
            trip::warn(output, &changed, &format!("days[{}].stops[{}].", number - 1, added.saturating_sub(1)));
            print(output, &changed, number, &format!("Added “{said}” to day {number}."))
        }
        StopCommand::Move { trip: name, day: number, stop, to_day, position } => {
            let trip = read(service, &name).await?;
            let day = trip::day(&trip, number)?;
            let stop = trip::stop(day, &stop)?;
            let target = to_day.unwrap_or(number);
            let to = StopMove {
                day_id: Some(trip::day(&trip, target)?.id.clone()),
                position: position.map(index).transpose()?,
            };
            let changed = service.client.stop_move(trip.id, &day.id, &stop.id, trip.etag(), to).send().await?;
            print(output, &changed, target, &format!("Moved “{}”.", text::clean(&stop.name)))
        }
        StopCommand::Remove { trip: name, day: number, stop } => {
            let trip = read(service, &name).await?;
            let day = trip::day(&trip, number)?;
            let stop = trip::stop(day, &stop)?;
            let changed = service.client.stop_remove(trip.id, &day.id, &stop.id, trip.etag()).send().await?;
            print(output, &changed, number, &format!("Removed “{}”.", text::clean(&stop.name)))
        }
    }
}

async fn read(service: &Service, name: &str) -> Result<Versioned<Itinerary>, Failure> {
    let id = trip::find(service, name).await?;
    Ok(service.client.itinerary_view(id).send().await?)
}

/// The API counts from zero.
fn index(position: usize) -> Result<i32, Failure> {
    i32::try_from(position - 1).map_err(|_| Failure::new(Exit::Usage, "the position is too large"))
}

/// Prints what was done, and the day as it is now.
fn print(output: Output, trip: &Versioned<Itinerary>, number: usize, line: &str) -> Result<(), Failure> {
    if output.json {
        return output.value(&**trip);
    }
    if output.quiet {
        return Ok(());
    }
    output.print(&format!("{line}\n\n{}", show::day(trip, number, output.width)))
}
