//! Filling what a new itinerary was not given: ids, defaults, dates, and the list of what needs attention.
//!
//! Facts from outside (the country of a coordinate, the traveller's other itineraries) are arguments.

use chrono::{DateTime, Days as CalendarDays, NaiveDate, Utc};
use itinerary_api::read::FieldError;
use itinerary_api::types::{
    Attention, AttentionCode, BelongsTo, BelongsToKind, Day, Days, Destination, Expenses, Flights, Hotels,
    ItineraryCreate, Place, Title, Travellers, Visibility,
};
use itinerary_api::values::{CountryCode, Currency, Date, ItemId, Patch, TimeZone, limits};
use uuid::Uuid;

use crate::clock::Random;
use crate::content::{Content, Everyone, Members, Pro, Sealed};
use crate::entry::{Entry, Listed};
use crate::ids;

/// What is known about a coordinate.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PlaceFacts {
    /// The country it is in.
    pub country: Option<CountryCode>,
    /// The time zone it is in.
    pub time_zone: Option<TimeZone>,
}

/// What is known when an itinerary is created.
pub struct Known {
    /// The time now.
    pub now: DateTime<Utc>,
    /// About the destination's coordinate.
    pub destination: PlaceFacts,
    /// The currency that a country uses.
    pub currency_of: fn(&CountryCode) -> Option<Currency>,
    /// Where the traveller's journeys start: the home place, or the latest itinerary's origin.
    pub origin: Option<Place>,
}

/// The content of a new itinerary, and what needs attention in it. Ids are not made yet: see [`complete`].
pub fn create(create: ItineraryCreate, known: &Known) -> Result<(Content, Vec<Attention>), FieldError> {
    if create.documents.is_some_and(|documents| !documents.is_empty()) {
        return Err(FieldError::new("documents", "must be absent or empty: documents are uploaded"));
    }
    if create.visibility.is_some_and(|visibility| visibility != Visibility::Private) {
        return Err(FieldError::new("visibility", "must be absent or private: a new itinerary is private"));
    }
    let mut attention = Vec::new();
    let destination = destination(create.destination, known, &mut attention);
    let flights = create.flights.unwrap_or_default();
    let hotels = create.hotels.unwrap_or_default();
    let expenses = sent(create.expenses);
    let origin = create.origin.or_else(|| known.origin.clone());
    if origin.is_none() {
        attention.push(not_filled(
            "origin",
            "No origin was given, and there is no home place or earlier itinerary to take it from.",
        ));
    }
    let start_date = create.start_date.unwrap_or_else(|| {
        first_date(&flights, &hotels, &expenses).unwrap_or_else(|| {
            attention.push(Attention {
                field: "startDate".to_owned(),
                code: AttentionCode::Assumed,
                message: "No start date was given; it was set to thirty days from now.".to_owned(),
            });
            in_thirty_days(known.now, destination.time_zone.as_ref())
        })
    });
    let currency = create.currency.or_else(|| destination.country_code.as_ref().and_then(known.currency_of));
    let everyone = Everyone {
        title: create.title.unwrap_or_else(|| Title::truncated(&format!("Trip to {}", &*destination.name))),
        summary: create.summary,
        days: create.days.unwrap_or_else(|| days_spanned(&flights, &hotels)).map(Entry::from),
        destination,
        start_date,
        travellers: create.travellers.unwrap_or(Travellers::new(1).expect("1 is within the limits")),
        tags: create.tags.unwrap_or_default(),
        cover_image: create.cover_image,
        currency,
    };
    let pro = Pro { expenses: expenses.map(Entry::from), packing: sent(create.packing).map(Entry::from) };
    let members = Members { origin, flights: flights.map(Entry::from), hotels: hotels.map(Entry::from) };
    Ok((Content { everyone, members, pro, sealed: Sealed::default() }, attention))
}

fn sent<T: Default>(field: Patch<T>) -> T {
    match field {
        Patch::Value(value) => value,
        Patch::Absent | Patch::Null => T::default(),
    }
}

fn not_filled(field: &str, message: &str) -> Attention {
    Attention { field: field.to_owned(), code: AttentionCode::NotFilled, message: message.to_owned() }
}

fn destination(mut destination: Destination, known: &Known, attention: &mut Vec<Attention>) -> Destination {
    destination.country_code = destination.country_code.or_else(|| known.destination.country.clone());
    destination.time_zone = destination.time_zone.or_else(|| known.destination.time_zone.clone());
    if destination.country_code.is_none() {
        attention.push(not_filled("destination.countryCode", "No country was found at the coordinate."));
    }
    if destination.time_zone.is_none() {
        attention.push(not_filled("destination.timeZone", "No time zone was found at the coordinate."));
    }
    destination
}

/// The earliest departure, check-in or expense.
fn first_date(flights: &Flights, hotels: &Hotels, expenses: &Expenses) -> Option<Date> {
    let departures = flights.iter().filter_map(|flight| flight.departure_date.as_ref());
    let check_ins = hotels.iter().filter_map(|hotel| hotel.check_in_date.as_ref());
    let times = departures.chain(check_ins).map(|time| time.instant().date_naive());
    let spent = expenses.iter().filter_map(|expense| expense.date).map(Date::day);
    times.chain(spent).min().and_then(Date::new)
}

fn in_thirty_days(now: DateTime<Utc>, time_zone: Option<&TimeZone>) -> Date {
    let today = time_zone.and_then(|zone| local_date(now, zone)).unwrap_or_else(|| now.date_naive());
    Date::new(today + CalendarDays::new(30)).expect("the clock is between the years 1900 and 2200")
}

fn local_date(now: DateTime<Utc>, zone: &TimeZone) -> Option<NaiveDate> {
    let zoned = jiff::Timestamp::from_millisecond(now.timestamp_millis()).ok()?.in_tz(zone).ok()?;
    NaiveDate::from_ymd_opt(zoned.year().into(), zoned.month().unsigned_abs().into(), zoned.day().unsigned_abs().into())
}

/// As many empty days as flights and hotels span, each in the local time that it is written in.
fn days_spanned(flights: &Flights, hotels: &Hotels) -> Days {
    let flown = flights.iter().flat_map(|flight| [&flight.departure_date, &flight.arrival_date]);
    let slept = hotels.iter().flat_map(|hotel| [&hotel.check_in_date, &hotel.check_out_date]);
    let dates: Vec<_> = flown.chain(slept).flatten().map(|time| time.instant().date_naive()).collect();
    let (Some(first), Some(last)) = (dates.iter().min(), dates.iter().max()) else { return Days::default() };
    let count = usize::try_from((*last - *first).num_days() + 1).unwrap_or_default().min(limits::DAYS);
    Days::new(vec![Day::default(); count]).expect("no more than the limit")
}

/// Gives an id to everything that has none, and expenses the itinerary's currency when they name none.
pub fn complete(content: &mut Content, random: &dyn Random) -> serde_json::Result<()> {
    let Content { everyone, members, pro, .. } = content;
    let make = |id: &mut Option<ItemId>| {
        id.get_or_insert_with(|| ItemId::new(ids::item(random)).expect("made of the right characters"));
    };
    for day in &mut everyone.days {
        let outline = day.outline();
        if outline.id.is_none() || outline.stops.iter().any(|stop| stop.id.is_none()) {
            day.change(|day| {
                make(&mut day.id);
                day.stops.iter_mut().for_each(|stop| make(&mut stop.id));
            })?;
        }
    }
    identify(&mut members.flights, |flight| make(&mut flight.id))?;
    identify(&mut members.hotels, |hotel| make(&mut hotel.id))?;
    identify(&mut pro.packing, |item| make(&mut item.id))?;
    identify(&mut pro.expenses, |expense| make(&mut expense.id))?;
    for expense in pro.expenses.iter_mut().filter(|_| everyone.currency.is_some()) {
        if !expense.outline().has_currency {
            expense.change(|expense| expense.cost.currency.clone_from(&everyone.currency))?;
        }
    }
    Ok(())
}

/// Makes the ids that are missing in a list.
fn identify<T: Listed>(list: &mut [Entry<T>], make: impl Fn(&mut T)) -> serde_json::Result<()> {
    list.iter_mut().filter(|entry| entry.outline().id.is_none()).try_for_each(|entry| entry.change(&make))
}

/// On create: what belongs to the itinerary belongs to this one, whatever id it had where it was read.
pub fn adopt(content: &mut Content, itinerary: Uuid) -> serde_json::Result<()> {
    let id = ItemId::new(itinerary.to_string()).expect("a UUID has the right characters");
    let adopt = |link: &mut Option<BelongsTo>| {
        if let Some(link) = link.as_mut().filter(|link| link.kind == BelongsToKind::Itinerary) {
            link.id = id.clone();
        }
    };
    let Pro { expenses, packing } = &mut content.pro;
    expenses.iter_mut().try_for_each(|item| item.change(|item| adopt(&mut item.belongs_to)))?;
    packing.iter_mut().try_for_each(|item| item.change(|item| adopt(&mut item.belongs_to)))
}

/// The stops and hotels that have no coordinate.
pub fn not_placed(content: &Content) -> Vec<Attention> {
    let mut attention = Vec::new();
    // The message does not repeat the name: the answer to a write of thousands of stops would double.
    let mut report = |path: String| {
        attention.push(Attention {
            field: format!("{path}.place.coordinate"),
            code: AttentionCode::NotPlaced,
            message: "No coordinate was found.".to_owned(),
        });
    };
    for (d, day) in content.everyone.days.iter().enumerate() {
        for (s, _) in day.outline().stops.iter().enumerate().filter(|(_, stop)| !stop.is_placed) {
            report(format!("days[{d}].stops[{s}]"));
        }
    }
    for (h, _) in content.members.hotels.iter().enumerate().filter(|(_, hotel)| !hotel.outline().is_placed) {
        report(format!("hotels[{h}]"));
    }
    attention
}

/// A destination's name as duplicates are compared: without case, accents and doubled blanks.
pub fn folded(name: &str) -> String {
    let plain = deunicode::deunicode(name).to_lowercase();
    let folded = plain.split_whitespace().collect::<Vec<_>>().join(" ");
    if folded.is_empty() { name.trim().to_lowercase() } else { folded }
}
