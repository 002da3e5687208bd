//! Which trip, day and stop an argument names.

use futures::TryStreamExt as _;
use itinerary_sdk::Paged as _;
use itinerary_sdk::types::{Day, Itinerary, ListedItinerary, Stop};
use uuid::Uuid;

use crate::failure::{Exit, Failure};
use crate::output::Output;
use crate::service::{LARGEST_PAGE, Service};

/// How many candidates an error names.
const NAMED: usize = 4;

/// Finds a trip by its id, by `last`, or by the beginning of its title among the caller's trips. Remembers it.
pub(crate) async fn find(service: &Service, name: &str) -> Result<Uuid, Failure> {
    let id = if let Ok(id) = name.parse() {
        id
    } else if name == "last" {
        let message = "there is no last trip: name one by its id or title";
        service.profile.last().ok_or_else(|| Failure::new(Exit::NotFound, message))?
    } else {
        by_title(service, name).await?
    };
    service.profile.set_last(id);
    Ok(id)
}

async fn by_title(service: &Service, name: &str) -> Result<Uuid, Failure> {
    if name.trim().is_empty() {
        return Err(Failure::usage("TRIP must not be empty"));
    }
    let trips: Vec<ListedItinerary> =
        service.client.itinerary_list().limit(i32::from(LARGEST_PAGE)).stream().try_collect().await?;
    let found = by_prefix(&trips, name, |trip| &trip.title);
    match found[..] {
        [trip] => Ok(trip.id),
        [] => {
            let message = format!("no trip of yours has a title that begins with “{name}”: see `itinerary list`");
            Err(Failure::new(Exit::NotFound, message))
        }
        _ => {
            let named = found.iter().take(NAMED).map(|trip| format!("“{}” {}", trip.title, trip.id));
            let more = if found.len() > NAMED { ", …" } else { "" };
            let named = named.collect::<Vec<_>>().join(", ");
            Err(Failure::usage(format!("“{name}” begins {} titles: {named}{more}", found.len())))
        }
    }
}

/// The items whose name begins with a text, ignoring case; only those with exactly this name if there are any.
pub(crate) fn by_prefix<'a, T>(items: &'a [T], text: &str, name: impl Fn(&T) -> &str) -> Vec<&'a T> {
    let text = text.to_lowercase();
    let named = |is_match: fn(&str, &str) -> bool| -> Vec<&'a T> {
        items.iter().filter(|item| is_match(&name(item).to_lowercase(), &text)).collect()
    };
    let exact = named(|name, text| name == text);
    if exact.is_empty() { named(|name, text| name.starts_with(text)) } else { exact }
}

/// A day by its number, from 1.
pub(crate) fn day(trip: &Itinerary, number: usize) -> Result<&Day, Failure> {
    let day = trip.days.get(number - 1).ok_or_else(|| {
        let days = crate::text::count(trip.days.len(), "day");
        Failure::new(Exit::NotFound, format!("there is no day {number}: the trip has {days}"))
    })?;
    check_id(&day.id)?;
    Ok(day)
}

/// Ids become parts of paths, so those of a strange server must not change which path it is.
fn check_id(id: &str) -> Result<(), Failure> {
    if !id.is_empty() && id.chars().all(|it| it.is_ascii_alphanumeric() || it == '-' || it == '_') {
        return Ok(());
    }
    Err(Failure::new(Exit::Failure, format!("the server sent an invalid id: “{id}”")))
}

/// A stop of a day by its number from 1, its id, or the beginning of its name.
pub(crate) fn stop<'a>(day: &'a Day, name: &str) -> Result<&'a Stop, Failure> {
    match meant(&day.stops, name, |stop| &stop.id, |stop| &stop.name)[..] {
        [stop] => check_id(&stop.id).map(|()| stop),
        [] => {
            let stops = crate::text::count(day.stops.len(), "stop");
            Err(Failure::new(Exit::NotFound, format!("no stop “{name}” on this day, which has {stops}")))
        }
        ref found => {
            Err(Failure::usage(format!("“{name}” begins the names of {} stops: give the number", found.len())))
        }
    }
}

/// An item of a list by its number from 1, its id, or the beginning of its name. `noun` is for errors.
pub(crate) fn item<'a, T>(
    items: &'a [T],
    text: &str,
    noun: &str,
    id: impl Fn(&T) -> &str,
    name: impl Fn(&T) -> &str,
) -> Result<&'a T, Failure> {
    match meant(items, text, &id, name)[..] {
        [item] => check_id(id(item)).map(|()| item),
        [] => {
            let count = crate::text::count(items.len(), noun);
            Err(Failure::new(Exit::NotFound, format!("no {noun} “{text}” on this trip, which has {count}")))
        }
        ref found => {
            Err(Failure::usage(format!("“{text}” begins the names of {} {noun}s: give the number", found.len())))
        }
    }
}

/// The items that a text means: the one with this number or id, otherwise those whose name begins with it. A number
/// that no item has does not mean a name that begins with it.
fn meant<'a, T>(items: &'a [T], text: &str, id: impl Fn(&T) -> &str, name: impl Fn(&T) -> &str) -> Vec<&'a T> {
    let number = text.parse::<usize>().ok();
    let by_number = number.and_then(|number| items.get(number.checked_sub(1)?));
    match by_number.or_else(|| items.iter().find(|item| id(item) == text)) {
        Some(item) => vec![item],
        None if number.is_some() => items.iter().filter(|item| name(item) == text).collect(),
        None if text.trim().is_empty() => Vec::new(),
        None => by_prefix(items, text, name),
    }
}

/// Prints what the server could not fill in, for the fields that are news.
pub(crate) fn warn(output: Output, trip: &Itinerary, is_news: impl Fn(&str) -> bool) {
    let entries: Vec<_> = trip.needs_attention.iter().flatten().filter(|entry| is_news(&entry.field)).collect();
    for entry in entries.iter().take(NAMED) {
        output.warn(&format!("{}: {}", told(trip, &entry.field), entry.message));
    }
    if entries.len() > NAMED {
        output.warn(&format!("and {} more", entries.len() - NAMED));
    }
}

/// A field as people count: `days[0].stops[1].place` as `day 1, stop 2 “Sé”`, `hotels[0].place` as `hotel 1 “Pensão”`.
pub(crate) fn told(trip: &Itinerary, field: &str) -> String {
    let index = |text: &str, list: &str| text.strip_prefix(list)?.split(']').next()?.parse::<usize>().ok();
    let of_stop = || {
        let day = index(field, "days[")?;
        let (_, stop) = field.split_once("].")?;
        let stop = index(stop, "stops[")?;
        let name = &trip.days.get(day)?.stops.get(stop)?.name;
        Some(format!("day {}, stop {} “{name}”", day + 1, stop + 1))
    };
    let of_hotel = || {
        let hotel = index(field, "hotels[")?;
        let name = &trip.hotels.as_ref()?.get(hotel)?.name;
        Some(format!("hotel {} “{name}”", hotel + 1))
    };
    let of_flight = || {
        let flight = index(field, "flights[")?;
        let number = trip.flights.as_ref()?.get(flight)?.flight_number.as_deref().unwrap_or("flight");
        Some(format!("flight {} “{number}”", flight + 1))
    };
    let of_transport = || {
        let transport = index(field, "transports[")?;
        let found = trip.transports().get(transport)?;
        let operator = || found.operator.as_ref().and_then(|operator| operator.name.clone());
        let mode = || found.mode.as_ref().map(|mode| crate::text::words(&mode.to_string()));
        let name = found.number.clone().or_else(operator).or_else(mode);
        Some(format!("transport {} “{}”", transport + 1, name.as_deref().unwrap_or("transport")))
    };
    let of_reservation = || {
        let reservation = index(field, "reservations[")?;
        let name = &trip.reservations().get(reservation)?.name;
        Some(format!("reservation {} “{name}”", reservation + 1))
    };
    let of_booking = || of_hotel().or_else(of_flight).or_else(of_transport).or_else(of_reservation);
    of_stop().or_else(of_booking).unwrap_or_else(|| field.to_owned())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn lisbon() -> Day {
        let stop = |id: &str, name: &str| json!({ "id": id, "name": name, "startTimeSuggested": false });
        let stops = [stop("a", "Castelo"), stop("b", "Café"), stop("c", "café A Brasileira"), stop("7", "Sé")];
        serde_json::from_value(json!({ "id": "d", "stops": stops, "legs": [] })).unwrap()
    }

    #[test]
    fn fields_are_counted_from_one() {
        let trip: Itinerary = serde_json::from_value(json!({
            "id": "00000000-0000-7000-8000-000000000001", "title": "t", "role": "owner", "visibility": "private",
            "author": { "accountId": "00000000-0000-7000-8000-000000000002", "username": "ana", "displayName": "Ana",
                "isPro": false },
            "createdAt": "2027-01-01T00:00:00Z", "updatedAt": "2027-01-01T00:00:00Z", "likesCount": 0, "viewsCount": 0,
            "destination": { "name": "Lisbon", "coordinate": { "latitude": 38.7, "longitude": -9.1 } },
            "startDate": "2027-05-15", "tags": [], "travellers": 1, "days": [lisbon()],
        }))
        .unwrap();
        assert_eq!(told(&trip, "days[0].stops[1].place.coordinate"), "day 1, stop 2 “Café”");
        for field in [
            "origin",
            "days[0].image",
            "days[1].stops[0].name",
            "days[0].stops[9]",
            "days[",
            "hotels[0].place",
            "flights[0]",
        ] {
            assert_eq!(told(&trip, field), field);
        }
    }

    #[test]
    fn a_stop_has_a_number_an_id_and_a_name() {
        let day = lisbon();
        for (name, id) in
            [("1", "a"), ("4", "7"), ("7", "7"), ("c", "c"), ("CAST", "a"), ("café", "b"), ("café a", "c")]
        {
            assert_eq!(stop(&day, name).unwrap().id, id, "{name}");
        }
        for (name, exit) in [("0", Exit::NotFound), ("5", Exit::NotFound), ("", Exit::NotFound), ("ca", Exit::Usage)] {
            assert_eq!(stop(&day, name).unwrap_err().exit, exit, "{name}");
        }
    }
}
