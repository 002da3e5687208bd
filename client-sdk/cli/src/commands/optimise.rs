//! The command `optimise`.

use itinerary_sdk::types::{Itinerary, Optimisation};
use reqwest::Method;
use serde_json::Value;

use super::{show, write};
use crate::arguments::OptimiseArguments;
use crate::failure::Failure;
use crate::output::{Output, TITLE};
use crate::service::{Answer, Service};
use crate::{text, trip};

pub(super) async fn run(service: &Service, output: Output, arguments: &OptimiseArguments) -> Result<(), Failure> {
    let trip = write::read(service, &arguments.trip).await?;
    let days = match arguments.day {
        Some(number) => {
            if trip::day(&trip.value, number)?.stops.len() < 2 {
                return output.say(&format!("Day {number} has fewer than two stops: there is nothing to optimise."));
            }
            vec![number]
        }
        None => days_with_a_choice(&trip.value),
    };
    if days.is_empty() {
        return output.say("No day has two stops: there is nothing to optimise.");
    }
    let (mut etag, mut before) = (trip.etag, trip.value);
    let mut last = None;
    for (at, number) in days.into_iter().enumerate() {
        let optimised = optimise(service, &before, &etag, number, arguments).await?;
        if at > 0 {
            output.say("")?;
        }
        print(output, &before, &optimised, number)?;
        if !arguments.dry_run {
            etag.clone_from(&optimised.etag);
            before = optimised.value.itinerary.clone();
        }
        last = Some(optimised.value.itinerary);
    }
    if let Some(trip) = last {
        trip::warn(output, &trip, |_| true);
    }
    Ok(())
}

fn days_with_a_choice(trip: &Itinerary) -> Vec<usize> {
    let days = trip.days.iter().enumerate().filter(|(_, day)| day.stops.len() > 1);
    days.map(|(day, _)| day + 1).collect()
}

async fn optimise(
    service: &Service,
    trip: &Itinerary,
    etag: &str,
    number: usize,
    arguments: &OptimiseArguments,
) -> Result<Answer<Optimisation>, Failure> {
    let body = write::body([
        ("startAt", arguments.start_at.clone().map(Value::from)),
        ("endAt", arguments.end_at.clone().map(Value::from)),
        ("mode", arguments.mode.clone().map(Value::from)),
        ("dryRun", arguments.dry_run.then_some(Value::Bool(true))),
    ]);
    let day = trip::day(trip, number)?;
    let path = write::path(trip, &format!("days/{}/optimise", day.id), None);
    write::send(service, etag, Method::POST, &path, &[], Some(&body)).await
}

fn print(output: Output, before: &Itinerary, optimised: &Answer<Optimisation>, number: usize) -> Result<(), Failure> {
    if output.json {
        return output.raw(&optimised.raw);
    }
    if output.quiet {
        return Ok(());
    }
    let Optimisation { itinerary, minutes_before, minutes_after, .. } = &optimised.value;
    let ids = |trip: &Itinerary| -> Vec<String> {
        let stops = trip.days.get(number - 1).into_iter().flat_map(|day| &day.stops);
        stops.map(|stop| stop.id.clone()).collect()
    };
    let is_same = ids(before) == ids(itinerary);
    let (was, now) = (text::duration(*minutes_before), text::duration(*minutes_after));
    let line = match minutes_before - minutes_after {
        _ if is_same => format!("the order stays, with {now} on the way."),
        saved if saved > 0 => format!("{was} → {now} on the way, {} less.", text::duration(saved)),
        _ => format!("a new order, with {now} on the way instead of {was}."),
    };
    output.print(&format!("{TITLE}Day {number}{TITLE:#}: {line}\n\n{}", show::day(itinerary, number, output.width)))
}
