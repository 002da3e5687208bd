//! Fills in missing fields of a new itinerary: ids, defaults, dates, and the list `needsAttention`.
//!
//! Facts from outside (the country of a coordinate, the traveller's other itineraries) are arguments. Dates are filled in
//! after flights and hotels have been placed, because they are local dates there: [`MissingDates`].

use chrono::{DateTime, Days as CalendarDays, NaiveDate, Utc};
use itinerary_api::read::FieldError;
use itinerary_api::types::{
    Attention, AttentionCode, BelongsTo, BelongsToKind, Coordinate, Day, Destination, Flight, Hotel, ItineraryCreate,
    Place, Reservation, Title, Transport, Travellers, Visibility,
};
use itinerary_api::values::{CountryCode, Currency, Date, ItemId, OffsetTime, TimeZone, limits};
use uuid::Uuid;

use crate::clock::Random;
use crate::content::{BringsLists, Content, Everyone, Members, Part};
use crate::daytime;
use crate::entry::{Entries, Entry, ListItem};
use crate::ids;
use crate::item_index::ItemIndex;
use crate::place_path::{self, PlacePath};

/// Facts about a coordinate.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PlaceFacts {
    pub country: Option<CountryCode>,
    pub time_zone: Option<TimeZone>,
}

/// Facts from outside for the creation of an itinerary.
pub struct CreateFacts {
    pub now: DateTime<Utc>,
    /// The facts about the destination's coordinate.
    pub destination: PlaceFacts,
    /// The currency that a country uses.
    pub currency_of: fn(&CountryCode) -> Option<Currency>,
    /// The time zone at a coordinate.
    pub time_zone_at: fn(&Coordinate) -> Option<TimeZone>,
    /// The default origin: the traveller's home place, or the origin of the latest itinerary.
    pub origin: Option<Place>,
}

/// A new itinerary whose dates may still be missing.
pub struct Draft {
    pub content: Content,
    /// The fields that need attention.
    pub attention: Vec<Attention>,
    pub dates: MissingDates,
}

/// The content of a new itinerary. Assigns no ids: see [`complete`].
pub fn create(mut create: ItineraryCreate, facts: &CreateFacts) -> Result<Draft, FieldError> {
    if create.documents.as_ref().is_some_and(|documents| !documents.is_empty()) {
        return Err(FieldError::new("documents", "must be absent or empty: documents are uploaded"));
    }
    if create.visibility.is_some_and(|visibility| visibility != Visibility::Private) {
        return Err(FieldError::new("visibility", "must be absent or private: a new itinerary is private"));
    }
    let mut attention = Vec::new();
    let destination = destination(create.destination.clone(), facts, &mut attention);
    let origin = create.origin.take().or_else(|| facts.origin.clone());
    if origin.is_none() {
        attention.push(not_filled(
            "origin",
            "No origin was given, and there is no home place or earlier itinerary to take it from.",
        ));
    }
    let dates = MissingDates { start: create.start_date.is_none(), days: create.days.is_none() };
    let start_date = create.start_date.unwrap_or_else(|| in_thirty_days(facts.now, destination.time_zone.as_ref()));
    let currency = create.currency.take().or_else(|| destination.country_code.as_ref().and_then(facts.currency_of));
    let mut content = Content::public(Everyone {
        title: create.title.take().unwrap_or_else(|| Title::truncated(&format!("Trip to {}", &*destination.name))),
        summary: create.summary.take(),
        destination,
        start_date,
        travellers: create.travellers.unwrap_or(Travellers::new(1).expect("1 is within the limits")),
        tags: create.tags.take().unwrap_or_default(),
        cover_image: create.cover_image.take(),
        currency,
        days: Entries::default(),
    });
    content.members.origin = origin;
    create.move_lists(&mut content);
    Ok(Draft { content, attention, dates })
}

fn not_filled(field: &str, message: &str) -> Attention {
    Attention { field: field.to_owned(), code: AttentionCode::NotFilled, message: message.to_owned() }
}

fn destination(mut destination: Destination, facts: &CreateFacts, attention: &mut Vec<Attention>) -> Destination {
    destination.country_code = destination.country_code.or_else(|| facts.destination.country.clone());
    destination.time_zone = destination.time_zone.or_else(|| facts.destination.time_zone.clone());
    if destination.country_code.is_none() {
        attention.push(not_filled("destination.countryCode", "No country was found at the coordinate."));
    }
    if destination.time_zone.is_none() {
        attention.push(not_filled("destination.timeZone", "No time zone was found at the coordinate."));
    }
    destination
}

/// The dates that a create did not contain.
#[derive(Clone, Copy, Debug)]
pub struct MissingDates {
    start: bool,
    days: bool,
}

impl MissingDates {
    /// Whether none is missing.
    pub fn is_empty(self) -> bool {
        !self.start && !self.days
    }

    /// Fills them in: the start date with the earliest of all bookings and expenses, and as many empty days as the bookings
    /// span. Dates are local at their places. Returns the start date for attention if it is a guess.
    pub fn fill(self, content: &mut Content, facts: &CreateFacts) -> Result<Option<Attention>, FieldError> {
        let stays = stays(content, facts.time_zone_at);
        if self.days {
            content.everyone.days = days_spanned(&stays)?;
        }
        if !self.start {
            return Ok(None);
        }
        let expenses = content.pro.expenses.iter().filter_map(Entry::touched).filter_map(|expense| expense.date);
        // A flight across the date line may arrive on the day before its departure.
        let begun = stays.iter().filter_map(|(from, to)| Some((*from)?.min(to.unwrap_or(NaiveDate::MAX))));
        match begun.filter_map(Date::new).chain(expenses).min() {
            Some(first) => content.everyone.start_date = first,
            None => return Ok(Some(assumed_start())),
        }
        Ok(None)
    }
}

fn assumed_start() -> Attention {
    Attention {
        field: "startDate".to_owned(),
        code: AttentionCode::Assumed,
        message: "No start date was given; it was set to thirty days from now.".to_owned(),
    }
}

/// The first and last dates of a booking, as far as they are known.
type Stay = (Option<NaiveDate>, Option<NaiveDate>);

/// The dates of flights, hotels, transports and reservations, each at its place.
fn stays(content: &Content, time_zone_at: fn(&Coordinate) -> Option<TimeZone>) -> Vec<Stay> {
    let date = |time: &Option<OffsetTime>, place: &Option<Place>| {
        let zone = || {
            let place = place.as_ref()?;
            place.time_zone.clone().or_else(|| time_zone_at(place.coordinate.as_ref()?))
        };
        Some(daytime::date_at(time.as_ref()?, zone().as_ref()))
    };
    let day = |day: Option<Date>| day.map(Date::day);
    let flight = |flight: &Flight| {
        let departs = date(&flight.departure_date, &flight.departure_airport).or(day(flight.departure_day));
        (departs, date(&flight.arrival_date, &flight.arrival_airport))
    };
    let hotel = |hotel: &Hotel| (date(&hotel.check_in_date, &hotel.place), date(&hotel.check_out_date, &hotel.place));
    let transport = |transport: &Transport| {
        let departs = date(&transport.departure_date, &transport.departure_place).or(day(transport.departure_day));
        (departs, date(&transport.arrival_date, &transport.arrival_place))
    };
    let reservation = |reservation: &Reservation| {
        let starts = date(&reservation.start_date, &reservation.place).or(day(reservation.start_day));
        (starts, date(&reservation.end_date, &reservation.place).or(day(reservation.end_day)))
    };
    let Members { flights, hotels, transports, reservations, origin: _ } = &content.members;
    let ways = sent(flights).map(flight).chain(sent(transports).map(transport));
    ways.chain(sent(hotels).map(hotel)).chain(sent(reservations).map(reservation)).collect()
}

/// The entries that were sent.
fn sent<T: ListItem>(list: &[Entry<T>]) -> impl Iterator<Item = &T> {
    list.iter().filter_map(Entry::touched)
}

/// One empty day for each date from the first to the last.
fn days_spanned(stays: &[Stay]) -> Result<Entries<Day, { limits::DAYS }>, FieldError> {
    let dates = || stays.iter().flat_map(|(from, to)| [*from, *to]).flatten();
    let (Some(first), Some(last)) = (dates().min(), dates().max()) else { return Ok(Entries::default()) };
    let count = usize::try_from((last - first).num_days() + 1).unwrap_or(usize::MAX);
    if count > limits::DAYS {
        let limit = limits::DAYS;
        let message = format!(
            "would be {count}, from {first} to {last}, the dates of the bookings; at most {limit} are allowed. \
             Correct the dates, or send `days`"
        );
        return Err(FieldError::new("days", message));
    }
    Ok(Entries::new(vec![Entry::from(Day::default()); count]).expect("no more than the limit"))
}

fn in_thirty_days(now: DateTime<Utc>, time_zone: Option<&TimeZone>) -> Date {
    let today = time_zone.and_then(|zone| local_date(now, zone)).unwrap_or_else(|| now.date_naive());
    Date::new(today + CalendarDays::new(30)).expect("the clock is between the years 1900 and 2200")
}

fn local_date(now: DateTime<Utc>, zone: &TimeZone) -> Option<NaiveDate> {
    let zoned = jiff::Timestamp::from_millisecond(now.timestamp_millis()).ok()?.in_tz(zone).ok()?;
    NaiveDate::from_ymd_opt(zoned.year().into(), zoned.month().unsigned_abs().into(), zoned.day().unsigned_abs().into())
}

/// Assigns missing ids, and the itinerary's currency to expenses without one.
pub fn complete(content: &mut Content, random: &dyn Random) -> serde_json::Result<()> {
    let make = || ItemId::new(ids::item(random)).expect("made of the right characters");
    Part::ALL.into_iter().try_for_each(|part| content.list_mut(part).complete(&make))?;
    let Content { everyone, pro, .. } = content;
    for expense in pro.expenses.iter_mut().filter(|_| everyone.currency.is_some()) {
        if !expense.index().has_currency {
            expense.change(|expense| expense.cost.currency.clone_from(&everyone.currency))?;
        }
    }
    Ok(())
}

/// On create: makes items that belong to an itinerary belong to the new one, whatever id they contain, because the body
/// may be a copy of another itinerary.
pub fn adopt(content: &mut Content, itinerary: Uuid) -> serde_json::Result<()> {
    let id = ItemId::new(itinerary.to_string()).expect("a UUID has the right characters");
    let link = BelongsTo { kind: BelongsToKind::Itinerary, id };
    let is_of_itinerary = |index: &ItemIndex| index.belongs_to.as_ref().is_some_and(|to| to.kind == link.kind);
    for part in Part::ALL {
        let adopted: Vec<_> = content.list(part).indexes().map(is_of_itinerary).collect();
        for (n, _) in adopted.into_iter().enumerate().filter(|(_, is_adopted)| *is_adopted) {
            content.list_mut(part).set_belongs_to(n, Some(link.clone()))?;
        }
    }
    Ok(())
}

/// Drops the titles and notes of days, and the notes of stops: their author's words, which a saved copy does not take over.
pub fn drop_notes(content: &mut Content) -> serde_json::Result<()> {
    for day in &mut content.everyone.days {
        let value = day.value()?;
        let has_notes = value.stops.iter().any(|stop| stop.notes.is_some());
        if has_notes || value.title.is_some() || value.notes.is_some() {
            day.change(|day| {
                (day.title, day.notes) = (None, None);
                day.stops.iter_mut().for_each(|stop| stop.notes = None);
            })?;
        }
    }
    Ok(())
}

/// The places that have no coordinate.
pub fn not_placed(content: &Content) -> Vec<Attention> {
    // The message does not repeat the name: that would double the response to a write of thousands of stops.
    let report = |path: PlacePath| Attention {
        field: format!("{path}.coordinate"),
        code: AttentionCode::NotPlaced,
        message: "No coordinate was found.".to_owned(),
    };
    place_path::unplaced(content).map(report).collect()
}

/// A destination's name in the form in which duplicates are compared: without case, accents and repeated spaces.
pub fn folded(name: &str) -> String {
    let plain = deunicode::deunicode(name).to_lowercase();
    let folded = plain.split_whitespace().collect::<Vec<_>>().join(" ");
    if folded.is_empty() { name.trim().to_lowercase() } else { folded }
}
