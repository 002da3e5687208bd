//! Tools for stops, flights and hotels, and for removing items.

use http::Method;
use serde_json::{Value, json};

use super::arguments::Arguments;
use super::days::{at, of_day};
use super::finding::{Item, OnItinerary, Write, not_there};
use super::outcome::{Done, Refusal};
use super::planning::something_to_change;
use super::text;
use super::trip::{Trip, Weekday, list_of};
use crate::mcp::operations::{Operations, segment};

/// The target of a stop: the day's id, and its index among the day's other stops.
struct Target {
    day: Option<String>,
    index: Option<usize>,
}

/// The target that the arguments name. `moved` is the stop to move, which may already be in that day.
async fn target(
    itinerary: &mut OnItinerary<'_>,
    arguments: &mut Arguments,
    day_argument: &'static str,
    moved: Option<&str>,
) -> Result<Target, Refusal> {
    let day = arguments.take(day_argument);
    let index = arguments.index("position");
    let neighbours = [("beforeStopId", 0), ("afterStopId", 1)];
    let given = neighbours.map(|(name, _)| arguments.take(name));
    let neighbour = neighbours.into_iter().zip(given).filter_map(|((name, offset), id)| Some((name, offset, id?)));
    let neighbour: Vec<_> = neighbour.collect();
    if neighbour.len() + usize::from(arguments.take("position").is_some()) > 1 {
        return Err(Refusal::invalid(
            "position",
            "cannot be combined with beforeStopId or afterStopId: send one of the three.",
        ));
    }
    let day = match day {
        // A move reads the itinerary anyway.
        Some(day) if day_argument == "toDay" => Some(itinerary.known_day(day_argument, &day).await?),
        Some(day) => Some(itinerary.day(day_argument, &day).await?),
        None => None,
    };
    let Some((name, offset, id)) = neighbour.into_iter().next() else { return Ok(Target { day, index }) };
    let id = id.as_str().unwrap_or_default();
    if moved == Some(id) {
        return Err(Refusal::invalid(name, "is the stop itself: send the id of a neighbouring stop."));
    }
    let trip = itinerary.read().await?;
    let position = trip.stop(id).ok_or_else(|| not_there(trip, "stop", id))?;
    let day_of_neighbour = trip.day_id(position.day).unwrap_or_default();
    if day.is_some_and(|day| day != day_of_neighbour) {
        let problem = format!("is another day than that of `{name}`, day {}: leave one of them out.", position.day + 1);
        return Err(Refusal::invalid(day_argument, &problem));
    }
    // The API's index leaves out the moved stop.
    let before = &trip.days()[position.day].stops[..position.stop];
    let index = before.iter().filter(|stop| Some(&*stop.id) != moved).count() + offset;
    Ok(Target { day: Some(day_of_neighbour.to_owned()), index: Some(index) })
}

pub(super) async fn add_stop(operations: &Operations, mut arguments: Arguments) -> Result<Done, Refusal> {
    let mut itinerary = OnItinerary::new(operations, "add_stop", &mut arguments)?;
    let mut stop = arguments.take_object("stop");
    if let (Some(id), None) = (itinerary.id_of_addition(), stop.get("id")) {
        stop["id"] = Value::from(id);
    }
    let Target { day, index } = target(&mut itinerary, &mut arguments, "day", stop["id"].as_str()).await?;
    let Some(day) = day else {
        let problem = "is missing: send the day's number (1 = first), date or id, or beforeStopId or afterStopId.";
        return Err(Refusal::invalid("day", problem));
    };
    let write = Write {
        method: Method::POST,
        rest: format!("/days/{}/stops", segment(&day)),
        query: at(index),
        body: Some(stop),
        within: "stop",
        item: Item::Part("day", &day),
    };
    let trip = itinerary.write(write).await?;
    Ok(of_day(&trip, "Added.", &day))
}

/// The path of a stop within its itinerary.
fn stop_path(day: &str, stop: &str) -> String {
    format!("/days/{}/stops/{}", segment(day), segment(stop))
}

pub(super) async fn update_stop(operations: &Operations, mut arguments: Arguments) -> Result<Done, Refusal> {
    let mut itinerary = OnItinerary::new(operations, "update_stop", &mut arguments)?;
    let stop = arguments.take_text("stopId");
    let mut body = arguments.take_object("stop");
    something_to_change(&body, "name or startTime")?;
    if body["startTime"].is_string() {
        // The time is now the traveller's own, so optimise_day keeps it.
        body["startTimeSuggested"] = json!(false);
    }
    let day = itinerary.day_of_stop(&stop).await?;
    let write = Write {
        method: Method::PATCH,
        rest: stop_path(&day, &stop),
        query: Vec::new(),
        body: Some(body),
        within: "stop",
        item: Item::Part("stop", &stop),
    };
    let trip = itinerary.write(write).await?;
    Ok(of_day(&trip, "Changed.", &day))
}

pub(super) async fn move_stop(operations: &Operations, mut arguments: Arguments) -> Result<Done, Refusal> {
    let mut itinerary = OnItinerary::new(operations, "move_stop", &mut arguments)?;
    let stop = arguments.take_text("stopId");
    let Target { day: to, index } = target(&mut itinerary, &mut arguments, "toDay", Some(&stop)).await?;
    if to.is_none() && index.is_none() {
        let problem = "is missing: say where to by beforeStopId, afterStopId, position or toDay.";
        return Err(Refusal::invalid("position", problem));
    }
    let from = itinerary.day_of_stop(&stop).await?;
    let to = to.unwrap_or_else(|| from.clone());
    let mut body = json!({ "dayId": to });
    if let Some(index) = index {
        body["position"] = json!(index);
    }
    let write = Write {
        method: Method::POST,
        rest: format!("{}/move", stop_path(&from, &stop)),
        query: Vec::new(),
        body: Some(body),
        within: "",
        item: Item::Part("stop", &stop),
    };
    let trip = itinerary.write(write).await?;
    Ok(of_day(&trip, "Moved.", &to))
}

pub(super) async fn remove_item(operations: &Operations, mut arguments: Arguments) -> Result<Done, Refusal> {
    let mut itinerary = OnItinerary::new(operations, "remove_item", &mut arguments)?;
    let (kind, id) = (arguments.take_text("kind"), arguments.take("id").unwrap_or_default());
    if kind == "day" {
        return remove_day(itinerary, &id).await;
    }
    // Only days have numbers.
    let id = id.as_str().map_or_else(|| id.to_string(), str::to_owned);
    let (rest, day) = if kind == "stop" {
        let day = itinerary.day_of_stop(&id).await?;
        (stop_path(&day, &id), Some(day))
    } else {
        (format!("/{}/{}", list_of(&kind), segment(&id)), None)
    };
    let write =
        Write { method: Method::DELETE, rest, query: Vec::new(), body: None, within: "", item: Item::Part(&kind, &id) };
    let trip = itinerary.write(write).await?;
    let said = format!("Removed the {kind} {}.", text::quoted(&id));
    match day {
        Some(day) => Ok(of_day(&trip, &said, &day)),
        None => Ok(Done::changed(&trip, &said, Vec::new(), None)),
    }
}

/// Removes a day by its number, date or id.
async fn remove_day(mut itinerary: OnItinerary<'_>, day: &Value) -> Result<Done, Refusal> {
    let (index, trip) = itinerary.day_to_remove("id", day).await?;
    let id = trip.day_id(index).unwrap_or_default().to_owned();
    let said = format!("Removed day {}, {} (id {}).", index + 1, Weekday(trip.date(index)), text::quoted(&id));
    let write = Write {
        method: Method::DELETE,
        rest: format!("/days/{}", segment(&id)),
        query: Vec::new(),
        body: None,
        within: "",
        item: Item::Part("day", &id),
    };
    let trip = itinerary.write(write).await?;
    // The later days have new numbers and dates.
    let lines = (0..trip.days().len()).map(|day| text::day_outline(&trip, day)).collect();
    Ok(Done::changed(&trip, &said, lines, None))
}

pub(super) async fn set_flight(operations: &Operations, mut arguments: Arguments) -> Result<Done, Refusal> {
    let itinerary = OnItinerary::new(operations, "set_flight", &mut arguments)?;
    set(itinerary, "flight", "flightId", arguments).await
}

pub(super) async fn set_hotel(operations: &Operations, mut arguments: Arguments) -> Result<Done, Refusal> {
    let itinerary = OnItinerary::new(operations, "set_hotel", &mut arguments)?;
    set(itinerary, "hotel", "hotelId", arguments).await
}

/// Adds a flight or hotel, or changes the one with the id.
async fn set(
    mut itinerary: OnItinerary<'_>,
    kind: &'static str,
    id: &str,
    mut arguments: Arguments,
) -> Result<Done, Refusal> {
    let id = arguments.take(id).and_then(|id| id.as_str().map(str::to_owned));
    let (list, body) = (list_of(kind), arguments.take_object(kind));
    let (method, rest, body, said) = match &id {
        Some(id) => (Method::PATCH, format!("/{list}/{}", segment(id)), body, "Changed."),
        None => (Method::POST, format!("/{list}"), without_nulls(body), "Added."),
    };
    something_to_change(&body, if kind == "flight" { "flightNumber or departureDate" } else { "name or checkInDate" })?;
    let item = id.as_deref().map_or(Item::Itinerary, |id| Item::Part(kind, id));
    let trip = itinerary.write(Write { method, rest, query: Vec::new(), body: Some(body), within: kind, item }).await?;
    Ok(with_entry(&trip, said, kind, list, id.as_deref()))
}

/// A change of a flight or hotel: the one with the id, or the last, which was added.
fn with_entry(trip: &Trip, said: &str, kind: &str, list: &str, id: Option<&str>) -> Done {
    let index = match id {
        Some(id) => trip.entry(list, id),
        None => trip.list(list).len().checked_sub(1),
    };
    let Some(entry) = index.map(|index| &trip.list(list)[index]) else {
        return Done::changed(trip, said, Vec::new(), None);
    };
    Done::changed(trip, said, vec![text::entry(kind, entry)], Some((kind, entry.to_string().as_bytes())))
}

/// Removes nulls, because a new item has nothing to clear.
fn without_nulls(mut body: Value) -> Value {
    if let Some(fields) = body.as_object_mut() {
        fields.retain(|_, value| !value.is_null());
    }
    body
}
