//! Fills in missing fields of a new itinerary: ids, defaults, dates, and the list `needsAttention`.
//!
//! Facts from outside (the country of a coordinate, the traveller's other itineraries) are arguments.

use chrono::{DateTime, Days as CalendarDays, NaiveDate, Utc};
use itinerary_api::read::FieldError;
use itinerary_api::types::{
    Attention, AttentionCode, BelongsTo, BelongsToKind, Day, Days, Destination, Flights, Hotels, ItineraryCreate,
    Place, Title, Travellers, Visibility,
};
use itinerary_api::values::{CountryCode, Currency, Date, ItemId, Patch, TimeZone, limits};
use uuid::Uuid;

use crate::clock::Random;
use crate::content::{BringsLists, Content, Everyone, Part};
use crate::entry::Entries;
use crate::ids;
use crate::outline::Outline;

/// Facts about a coordinate.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PlaceFacts {
    pub country: Option<CountryCode>,
    pub time_zone: Option<TimeZone>,
}

/// Facts from outside for the creation of an itinerary.
pub struct Known {
    pub now: DateTime<Utc>,
    /// The facts about the destination's coordinate.
    pub destination: PlaceFacts,
    /// The currency that a country uses.
    pub currency_of: fn(&CountryCode) -> Option<Currency>,
    /// The default origin: the traveller's home place, or the origin of the latest itinerary.
    pub origin: Option<Place>,
}

/// The content of a new itinerary, and its fields that need attention. Assigns no ids: see [`complete`].
pub fn create(mut create: ItineraryCreate, known: &Known) -> Result<(Content, Vec<Attention>), FieldError> {
    if create.documents.as_ref().is_some_and(|documents| !documents.is_empty()) {
        return Err(FieldError::new("documents", "must be absent or empty: documents are uploaded"));
    }
    if create.visibility.is_some_and(|visibility| visibility != Visibility::Private) {
        return Err(FieldError::new("visibility", "must be absent or private: a new itinerary is private"));
    }
    let mut attention = Vec::new();
    let destination = destination(create.destination.clone(), known, &mut attention);
    let origin = create.origin.take().or_else(|| known.origin.clone());
    if origin.is_none() {
        attention.push(not_filled(
            "origin",
            "No origin was given, and there is no home place or earlier itinerary to take it from.",
        ));
    }
    let start_date = create.start_date.unwrap_or_else(|| {
        first_date(&create).unwrap_or_else(|| {
            attention.push(Attention {
                field: "startDate".to_owned(),
                code: AttentionCode::Assumed,
                message: "No start date was given; it was set to thirty days from now.".to_owned(),
            });
            in_thirty_days(known.now, destination.time_zone.as_ref())
        })
    });
    create.days.get_or_insert_with(|| days_spanned(create.flights.as_ref(), create.hotels.as_ref()));
    let currency = create.currency.take().or_else(|| destination.country_code.as_ref().and_then(known.currency_of));
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
    Ok((content, attention))
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
fn first_date(create: &ItineraryCreate) -> Option<Date> {
    let departures = create.flights.iter().flatten().filter_map(|flight| flight.departure_date.as_ref());
    let check_ins = create.hotels.iter().flatten().filter_map(|hotel| hotel.check_in_date.as_ref());
    let times = departures.chain(check_ins).map(|time| time.instant().date_naive());
    let expenses = if let Patch::Value(expenses) = &create.expenses { &expenses[..] } else { &[] };
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

/// One empty day for each date from the first to the last of the flights and hotels, by their local times.
fn days_spanned(flights: Option<&Flights>, hotels: Option<&Hotels>) -> Days {
    let flown = flights.into_iter().flatten().flat_map(|flight| [&flight.departure_date, &flight.arrival_date]);
    let slept = hotels.into_iter().flatten().flat_map(|hotel| [&hotel.check_in_date, &hotel.check_out_date]);
    let dates: Vec<_> = flown.chain(slept).flatten().map(|time| time.instant().date_naive()).collect();
    let (Some(first), Some(last)) = (dates.iter().min(), dates.iter().max()) else { return Days::default() };
    let count = usize::try_from((*last - *first).num_days() + 1).unwrap_or_default().min(limits::DAYS);
    Days::new(vec![Day::default(); count]).expect("no more than the limit")
}

/// Assigns missing ids, and the itinerary's currency to expenses without one.
pub fn complete(content: &mut Content, random: &dyn Random) -> serde_json::Result<()> {
    let make = || ItemId::new(ids::item(random)).expect("made of the right characters");
    Part::ALL.into_iter().try_for_each(|part| content.list_mut(part).complete(&make))?;
    let Content { everyone, pro, .. } = content;
    for expense in pro.expenses.iter_mut().filter(|_| everyone.currency.is_some()) {
        if !expense.outline().has_currency {
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
    let is_of_itinerary = |outline: &Outline| outline.belongs_to.as_ref().is_some_and(|to| to.kind == link.kind);
    for part in Part::ALL {
        let adopted: Vec<_> = content.list(part).outlines().map(is_of_itinerary).collect();
        for (n, _) in adopted.into_iter().enumerate().filter(|(_, is_adopted)| *is_adopted) {
            content.list_mut(part).set_belongs_to(n, Some(link.clone()))?;
        }
    }
    Ok(())
}

/// The stops and hotels that have no coordinate.
pub fn not_placed(content: &Content) -> Vec<Attention> {
    let mut attention = Vec::new();
    // The message does not repeat the name: that would double the response to a write of thousands of stops.
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

/// A destination's name in the form in which duplicates are compared: without case, accents and repeated spaces.
pub fn folded(name: &str) -> String {
    let plain = deunicode::deunicode(name).to_lowercase();
    let folded = plain.split_whitespace().collect::<Vec<_>>().join(" ");
    if folded.is_empty() { name.trim().to_lowercase() } else { folded }
}
