//! Tools for stops, flights and hotels, and for removing items.

use std::borrow::Cow;

use itinerary_api::policy::Policy;
use itinerary_api::types::{Flight, FlightPatch, Hotel, HotelPatch, Stop, StopMove, StopPatch};
use itinerary_api::values::{ItemId, Patch};
use itinerary_core::content::Part;
use itinerary_core::edit::{Edit, ItemEdit};
use schemars::JsonSchema;
use schemars::r#gen::SchemaGenerator;
use schemars::schema::Schema;
use serde::de::{DeserializeOwned, Error as _};
use serde::{Deserialize, Deserializer};
use serde_json::json;

use super::arguments::{self, ChangeTarget, Position, Reference, RetriableTarget, Unparsed};
use super::days::changed_day;
use super::finding::{About, OnItinerary, not_there};
use super::items;
use super::outcome::{Done, Refusal};
use super::planning::nothing_to_change;
use super::text;
use super::trip::{Trip, Weekday, lists, part_of};
use crate::ToolContext;

/// Where a stop goes: the day's id, and its index among the day's other stops.
struct Target {
    day: Option<ItemId>,
    index: Option<usize>,
}

/// The arguments that say where a stop goes.
struct Where {
    day_argument: &'static str,
    day: Option<Reference>,
    before_stop: Option<String>,
    after_stop: Option<String>,
    position: Option<Position>,
}

impl Where {
    /// The target that the arguments name. `moved` is the stop to move, which may already be in that day.
    async fn resolve(self, itinerary: &mut OnItinerary<'_>, moved: Option<&str>) -> Result<Target, Refusal> {
        let Self { day_argument, day, before_stop, after_stop, position } = self;
        let neighbours = [("beforeStopId", 0, before_stop), ("afterStopId", 1, after_stop)];
        let named = neighbours.into_iter().filter_map(|(name, offset, id)| Some((name, offset, id?)));
        let named: Vec<_> = named.collect();
        if named.len() + usize::from(position.is_some()) > 1 {
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
        let Some((name, offset, id)) = named.into_iter().next() else {
            return Ok(Target { day, index: position.map(arguments::index) });
        };
        if moved == Some(&id) {
            return Err(Refusal::invalid(name, "is the stop itself: send the id of a neighbouring stop."));
        }
        let trip = itinerary.read().await?;
        let neighbour = trip.stop(&id).ok_or_else(|| not_there(trip, "stop", &id))?;
        let neighbour_day = &trip.days()[neighbour.day];
        if day.is_some_and(|day| day != neighbour_day.id) {
            let number = neighbour.day + 1;
            let problem = format!("is another day than that of `{name}`, day {number}: leave one of them out.");
            return Err(Refusal::invalid(day_argument, &problem));
        }
        // The API's index leaves out the moved stop.
        let before = &neighbour_day.stops[..neighbour.stop];
        let index = before.iter().filter(|stop| Some(&*stop.id) != moved).count() + offset;
        Ok(Target { day: Some(neighbour_day.id.clone()), index: Some(index) })
    }
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct AddStop {
    day: Option<Reference>,
    before_stop_id: Option<String>,
    after_stop_id: Option<String>,
    /// 1 = first
    position: Option<Position>,
    stop: Stop,
}

pub(super) async fn add_stop(
    context: &ToolContext,
    (target, arguments): (RetriableTarget, AddStop),
) -> Result<Done, Refusal> {
    let mut itinerary = OnItinerary::retriable(context, "add_stop", target);
    let AddStop { day, before_stop_id, after_stop_id, position, mut stop } = arguments;
    if stop.id.is_none() {
        stop.id = itinerary.id_of_addition();
    }
    let place = Where { day_argument: "day", day, before_stop: before_stop_id, after_stop: after_stop_id, position };
    let Target { day, index } = place.resolve(&mut itinerary, stop.id.as_deref()).await?;
    let Some(day) = day else {
        let problem = "is missing: send the day's number (1 = first), date or id, or beforeStopId or afterStopId.";
        return Err(Refusal::invalid("day", problem));
    };
    let about = About { within: "stop", item: Some(("day", &day)) };
    let edit = Edit::Stop(day.clone(), ItemEdit::Add { item: stop, position: index });
    let trip = itinerary.change("stop_add", edit, about).await?;
    Ok(changed_day(&trip, "Added.", &day))
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct UpdateStop {
    stop_id: String,
    stop: StopPatch,
}

pub(super) async fn update_stop(
    context: &ToolContext,
    (target, UpdateStop { stop_id, stop: mut patch }): (RetriableTarget, UpdateStop),
) -> Result<Done, Refusal> {
    let mut itinerary = OnItinerary::retriable(context, "update_stop", target);
    if patch == StopPatch::default() {
        return Err(nothing_to_change("name or startTime"));
    }
    if matches!(patch.start_time, Patch::Value(_)) {
        // The time is now the traveller's own, so optimise_day keeps it.
        patch.start_time_suggested = Patch::Value(false);
    }
    let stop = itinerary.item("stop", &stop_id).await?;
    let day = itinerary.day_of_stop(&stop).await?;
    let about = About { within: "stop", item: Some(("stop", &stop_id)) };
    let edit = Edit::Stop(day.clone(), ItemEdit::Update { id: stop, patch });
    let trip = itinerary.change("stop_update", edit, about).await?;
    Ok(changed_day(&trip, "Changed.", &day))
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct MoveStop {
    stop_id: String,
    to_day: Option<Reference>,
    before_stop_id: Option<String>,
    after_stop_id: Option<String>,
    /// 1 = first
    position: Option<Position>,
}

pub(super) async fn move_stop(
    context: &ToolContext,
    (target, arguments): (RetriableTarget, MoveStop),
) -> Result<Done, Refusal> {
    let mut itinerary = OnItinerary::retriable(context, "move_stop", target);
    let MoveStop { stop_id, to_day: day, before_stop_id, after_stop_id, position } = arguments;
    let place = Where { day_argument: "toDay", day, before_stop: before_stop_id, after_stop: after_stop_id, position };
    let Target { day: to, index } = place.resolve(&mut itinerary, Some(&stop_id)).await?;
    if to.is_none() && index.is_none() {
        let problem = "is missing: say where to by beforeStopId, afterStopId, position or toDay.";
        return Err(Refusal::invalid("position", problem));
    }
    let stop = itinerary.item("stop", &stop_id).await?;
    let from = itinerary.day_of_stop(&stop).await?;
    let to = to.unwrap_or_else(|| from.clone());
    let position = index.and_then(|index| i64::try_from(index).ok()).map(itinerary_api::types::Position::new);
    let position = position.transpose().map_err(|problem| Refusal::invalid("position", &format!("{problem}.")))?;
    let edit = Edit::StopMove { day: from, stop, to: StopMove { day_id: Some(to.clone()), position } };
    let about = About { item: Some(("stop", &stop_id)), ..About::default() };
    let trip = itinerary.change("stop_move", edit, about).await?;
    Ok(changed_day(&trip, "Moved.", &to))
}

/// The kind of an item that can be removed.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Kind {
    Stop,
    Part(Part),
}

impl Kind {
    const STOP: &'static str = "stop";

    fn all() -> impl Iterator<Item = Self> {
        [Self::Part(Part::Days), Self::Stop].into_iter().chain(lists().map(Self::Part))
    }

    fn name(self) -> &'static str {
        match self {
            Self::Stop => Self::STOP,
            Self::Part(part) => part.kind(),
        }
    }
}

impl<'de> Deserialize<'de> for Kind {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let name = Cow::<str>::deserialize(deserializer)?;
        Self::all().find(|kind| kind.name() == name).ok_or_else(|| {
            let names: Vec<_> = Self::all().map(Self::name).collect();
            D::Error::custom(format_args!("must be one of {}", names.join(", ")))
        })
    }
}

impl JsonSchema for Kind {
    fn schema_name() -> String {
        "Kind".to_owned()
    }

    fn is_referenceable() -> bool {
        false
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        let names: Vec<_> = Self::all().map(Self::name).collect();
        arguments::schema(json!({ "type": "string", "enum": names }))
    }
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct RemoveItem {
    kind: Kind,
    id: Reference,
}

pub(super) async fn remove_item(
    context: &ToolContext,
    (target, RemoveItem { kind, id }): (ChangeTarget, RemoveItem),
) -> Result<Done, Refusal> {
    let mut itinerary = OnItinerary::changing(context, "remove_item", target);
    // Only days have numbers.
    let text = id.0.as_str().map_or_else(|| id.0.to_string(), str::to_owned);
    let summary = format!("Removed the {} {}.", kind.name(), text::quoted(&text));
    let about = About { item: Some((kind.name(), &text)), ..About::default() };
    match kind {
        Kind::Part(Part::Days) => remove_day(itinerary, &id).await,
        Kind::Stop => {
            let stop = itinerary.item(Kind::STOP, &text).await?;
            let day = itinerary.day_of_stop(&stop).await?;
            let edit = Edit::Stop(day.clone(), ItemEdit::Remove { id: stop });
            let trip = itinerary.change("stop_remove", edit, about).await?;
            Ok(changed_day(&trip, &summary, &day))
        }
        Kind::Part(part) => {
            let id = itinerary.item(kind.name(), &text).await?;
            let trip = itinerary.change(removal_of(part), Edit::removal(part, id), about).await?;
            Ok(Done::changed(&trip, &summary, Vec::new(), None))
        }
    }
}

/// The operation that removes an item of a part which tools show.
fn removal_of(part: Part) -> &'static str {
    Policy::of(&format!("{}_remove", part.kind())).map_or("", |policy| policy.operation)
}

/// Removes a day by its number, date or id.
async fn remove_day(mut itinerary: OnItinerary<'_>, day: &Reference) -> Result<Done, Refusal> {
    let (index, trip) = itinerary.day_to_remove("id", day).await?;
    let id = trip.days()[index].id.clone();
    let summary = format!("Removed day {}, {} (id {}).", index + 1, Weekday(trip.date(index)), text::quoted(&id));
    let about = About { item: Some(("day", &id)), ..About::default() };
    let edit = Edit::removal(Part::Days, id.clone());
    let trip = itinerary.change("day_remove", edit, about).await?;
    // The later days have new numbers and dates.
    let lines = (0..trip.days().len()).map(|day| text::day_outline(&trip, day)).collect();
    Ok(Done::changed(&trip, &summary, lines, None))
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct SetFlight {
    flight_id: Option<String>,
    flight: Unparsed<FlightPatch>,
}

pub(super) async fn set_flight(
    context: &ToolContext,
    (target, SetFlight { flight_id, flight }): (RetriableTarget, SetFlight),
) -> Result<Done, Refusal> {
    if flight.fields.is_empty() {
        return Err(nothing_to_change("flightNumber or departureDate"));
    }
    let mut itinerary = OnItinerary::retriable(context, "set_flight", target);
    let edit = edit::<Flight, _>(&mut itinerary, "flight", flight_id.as_deref(), flight).await?;
    set(itinerary, ["flight_add", "flight_update"], "flight", flight_id.as_deref(), Edit::Flight(edit)).await
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct SetHotel {
    hotel_id: Option<String>,
    hotel: Unparsed<HotelPatch>,
}

pub(super) async fn set_hotel(
    context: &ToolContext,
    (target, SetHotel { hotel_id, hotel }): (RetriableTarget, SetHotel),
) -> Result<Done, Refusal> {
    if hotel.fields.is_empty() {
        return Err(nothing_to_change("name or checkInDate"));
    }
    let mut itinerary = OnItinerary::retriable(context, "set_hotel", target);
    let edit = edit::<Hotel, _>(&mut itinerary, "hotel", hotel_id.as_deref(), hotel).await?;
    set(itinerary, ["hotel_add", "hotel_update"], "hotel", hotel_id.as_deref(), Edit::Hotel(edit)).await
}

/// The edit that adds an item, or changes the one with the id.
async fn edit<T, P>(
    itinerary: &mut OnItinerary<'_>,
    kind: &'static str,
    id: Option<&str>,
    mut fields: Unparsed<P>,
) -> Result<ItemEdit<T>, Refusal>
where
    T: itinerary_core::edit::Item<Patch = P> + DeserializeOwned,
    P: DeserializeOwned,
{
    if let Some(id) = id {
        return Ok(ItemEdit::Update { id: itinerary.item(kind, id).await?, patch: itinerary.parse(kind, fields)? });
    }
    // A new item has nothing to clear.
    fields.fields.retain(|_, value| !value.is_null());
    Ok(ItemEdit::Add { item: itinerary.parse(kind, fields.into_unparsed::<T>())?, position: None })
}

/// Adds an item or changes the one with the id. The operations are those for adding and changing.
async fn set(
    mut itinerary: OnItinerary<'_>,
    [add, update]: [&'static str; 2],
    kind: &'static str,
    id: Option<&str>,
    edit: Edit,
) -> Result<Done, Refusal> {
    let (operation, summary) = if id.is_some() { (update, "Changed.") } else { (add, "Added.") };
    let about = About { within: kind, item: id.map(|id| (kind, id)) };
    let trip = itinerary.change(operation, edit, about).await?;
    Ok(with_item(&trip, summary, kind, id))
}

/// A change of a flight or hotel: the one with the id, or the last, which was added.
fn with_item(trip: &Trip, summary: &str, kind: &str, id: Option<&str>) -> Done {
    let Some(part) = part_of(kind) else { return Done::changed(trip, summary, Vec::new(), None) };
    let of_part = trip.list(part);
    let index = match id {
        Some(id) => of_part.iter().position(|item| item.id == id),
        None => of_part.len().checked_sub(1),
    };
    let Some(index) = index else { return Done::changed(trip, summary, Vec::new(), None) };
    let line = items::entry(kind, &of_part[index]);
    Done::changed(trip, summary, vec![line], Some((kind, &trip.item_json(part, index))))
}
