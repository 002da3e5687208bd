//! The list of a traveller's trips: those that they own and those that are shared with them, grouped by when they take
//! place.
//!
//! The store lists itineraries by their last change. So a page reads up to [`READ`] of them in one statement and groups
//! those; a traveller with more finds the rest, grouped in the same way, on further pages.

use std::cmp::Reverse;

use askama::Template;
use bytes::Bytes;
use chrono::{DateTime, Days, NaiveDate, Utc};
use http::{Response, StatusCode};
use itinerary_api::extract::WebRequest;
use itinerary_core::cursor;
use itinerary_export::dates;
use itinerary_model::{ListFilter, Visibility};
use itinerary_platform::context::Service;
use itinerary_store::{ListContent, ListQuery, StoreError, SummaryRow};
use jiff::Timestamp;
use jiff::tz::TimeZone;
use serde::Deserialize;
use uuid::Uuid;

use super::{After, Frame, next_page, or_unavailable, page, see_other};
use crate::forms::{self, Form};
use crate::sessions::{self, Session};

const HERE: &str = "/trips";

/// The number of itineraries that a page reads and groups.
const READ: u32 = 200;

#[derive(Template)]
#[template(path = "trips.html")]
struct TripsPage {
    frame: Frame,
    /// The number of pending invitations.
    invitations: i64,
    groups: Vec<Group>,
    /// The address of the next page.
    more: Option<String>,
    is_first: bool,
}

/// The trips that take place now, later or earlier.
struct Group {
    id: &'static str,
    heading: &'static str,
    trips: Vec<Trip>,
}

struct Trip {
    id: Uuid,
    title: String,
    place: String,
    dates: String,
    first: NaiveDate,
    last: NaiveDate,
    /// The owner, if the trip is shared with the traveller.
    owner: Option<String>,
    /// Who may see the trip besides its members.
    visibility: &'static str,
}

/// The fields of a stored card that the page shows.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct TripFields {
    title: String,
    destination: TripDestination,
    start_date: NaiveDate,
    days_count: u64,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct TripDestination {
    name: String,
    time_zone: Option<String>,
}

/// When a trip takes place, seen from today.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    Now,
    Next,
    Past,
}

/// `/trips`: everything that the traveller owns or is an accepted member of.
pub async fn trips(service: &Service, request: &WebRequest) -> Response<Bytes> {
    or_unavailable(show(service, request).await)
}

async fn show(service: &Service, request: &WebRequest) -> Result<Response<Bytes>, StoreError> {
    let Some(session) = sessions::current(service, &request.headers).await? else {
        return Ok(see_other(&forms::with_next("/sign-in", Some(HERE))));
    };
    let account = session.account.id;
    // An invalid cursor, or one of another account, shows the first page.
    let after: Option<After> =
        cursor::open(&service.key, &list_name(&session), Form::from_query(request).get("after")).ok();
    let query = ListQuery {
        account_id: account,
        content: ListContent::Library(ListFilter::All),
        updated_since: None,
        after,
        limit: READ + 1,
    };
    let mut rows = service.store.itinerary_page(&query).await?;
    let more = next_page(service, &list_name(&session), HERE, READ, &mut rows, |(at, last)| (*at, last.id));
    let now = service.clock.now();
    let trips = rows.into_iter().map(|(_, row)| read(row, account, now)).collect::<Result<_, _>>()?;
    let template = TripsPage {
        frame: Frame::of(Some(&session)),
        invitations: service.store.invitation_count(account).await?,
        groups: grouped(trips),
        more,
        is_first: after.is_none(),
    };
    Ok(page(StatusCode::OK, &template))
}

fn list_name(session: &Session) -> String {
    format!("trips {}", session.account.id)
}

/// A trip as the page shows it, and whether it takes place now.
fn read(row: SummaryRow, reader: Uuid, now: DateTime<Utc>) -> Result<(Phase, Trip), StoreError> {
    let fields: TripFields = serde_json::from_str(&row.card)
        .map_err(|error| StoreError::Corrupt(format!("the card of an itinerary: {error}")))?;
    let first = fields.start_date;
    let last = first.checked_add_days(Days::new(fields.days_count.saturating_sub(1))).unwrap_or(first);
    let today = today(now, fields.destination.time_zone.as_deref());
    let trip = Trip {
        id: row.id,
        title: fields.title,
        place: fields.destination.name,
        dates: dates(first, fields.days_count),
        first,
        last,
        owner: (row.owner_id != reader).then_some(row.display_name),
        visibility: words(row.visibility),
    };
    Ok((phase(first, last, today), trip))
}

/// The date in a time zone. In UTC if the zone is unknown.
fn today(now: DateTime<Utc>, zone: Option<&str>) -> NaiveDate {
    let zoned = || {
        let zone = TimeZone::get(zone?).ok()?;
        let offset = zone.to_offset(Timestamp::from_second(now.timestamp()).ok()?);
        let offset = chrono::FixedOffset::east_opt(offset.seconds())?;
        Some(now.with_timezone(&offset).date_naive())
    };
    zoned().unwrap_or_else(|| now.date_naive())
}

fn phase(first: NaiveDate, last: NaiveDate, today: NaiveDate) -> Phase {
    if today < first {
        Phase::Next
    } else if today > last {
        Phase::Past
    } else {
        Phase::Now
    }
}

/// The groups that have trips: current and coming trips by their first day, past ones by their last, the latest first.
fn grouped(trips: Vec<(Phase, Trip)>) -> Vec<Group> {
    let group = |id, heading| Group { id, heading, trips: Vec::new() };
    let (mut now, mut next, mut past) = (group("now", "Now"), group("next", "Next"), group("past", "Past"));
    for (phase, trip) in trips {
        match phase {
            Phase::Now => now.trips.push(trip),
            Phase::Next => next.trips.push(trip),
            Phase::Past => past.trips.push(trip),
        }
    }
    now.trips.sort_by_key(|trip| trip.first);
    next.trips.sort_by_key(|trip| trip.first);
    past.trips.sort_by_key(|trip| Reverse(trip.last));
    [now, next, past].into_iter().filter(|group| !group.trips.is_empty()).collect()
}

fn words(visibility: Visibility) -> &'static str {
    match visibility {
        Visibility::Private => "Private",
        Visibility::Followers => "Followers",
        Visibility::Unlisted => "Anyone with the link",
        Visibility::Public => "Public",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn day(text: &str) -> NaiveDate {
        text.parse().expect("a date")
    }

    #[test]
    fn today_is_the_date_at_the_destination() {
        let now = "2027-03-01T11:30:00Z".parse().expect("an instant");
        for (zone, date) in [
            (None, "2027-03-01"),
            (Some("Nowhere/Atlantis"), "2027-03-01"),
            (Some("Pacific/Auckland"), "2027-03-02"),
            (Some("Pacific/Pago_Pago"), "2027-03-01"),
        ] {
            assert_eq!(today(now, zone), day(date), "{zone:?}");
        }
    }

    #[test]
    fn first_and_last_day_belong_to_the_trip() {
        for (today, expected) in [
            ("2027-05-31", Phase::Next),
            ("2027-06-01", Phase::Now),
            ("2027-06-03", Phase::Now),
            ("2027-06-04", Phase::Past),
        ] {
            assert_eq!(phase(day("2027-06-01"), day("2027-06-03"), day(today)), expected, "{today}");
        }
    }
}
