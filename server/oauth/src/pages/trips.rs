//! The list of a traveller's trips: those that they own and those that are shared with them, grouped by when they take
//! place.
//!
//! The store lists itineraries by their last change. So a page reads up to [`READ`] of them in one statement and groups
//! those; a traveller with more finds the rest, grouped in the same way, on further pages.

use std::cmp::Reverse;

use askama::Template;
use bytes::Bytes;
use chrono::{DateTime, NaiveDate, Utc};
use http::{Response, StatusCode};
use itinerary_api::extract::WebRequest;
use itinerary_core::cursor;
use itinerary_export::Stage;
use itinerary_model::{ListFilter, Visibility};
use itinerary_platform::context::Service;
use itinerary_store::{ListContent, ListQuery, StoreError, SummaryRow};
use uuid::Uuid;

use super::cards::Card;
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

/// A trip as the page shows it, and its stage.
fn read(row: SummaryRow, reader: Uuid, now: DateTime<Utc>) -> Result<(Stage, Trip), StoreError> {
    let card = Card::of(&row)?;
    let (stage, dates, first, last) = (card.stage(now), card.dates(), card.start_date, card.last_date());
    let trip = Trip {
        id: row.id,
        title: card.title,
        place: card.destination.name,
        dates,
        first,
        last,
        owner: (row.owner_id != reader).then_some(row.display_name),
        visibility: words(row.visibility),
    };
    Ok((stage, trip))
}

/// The groups that have trips: current and coming trips by their first day, past ones by their last, the latest first.
fn grouped(trips: Vec<(Stage, Trip)>) -> Vec<Group> {
    let group = |id, heading| Group { id, heading, trips: Vec::new() };
    let (mut now, mut next, mut past) = (group("now", "Now"), group("next", "Next"), group("past", "Past"));
    for (stage, trip) in trips {
        match stage {
            Stage::Runs(_) => now.trips.push(trip),
            Stage::Ahead(_) => next.trips.push(trip),
            Stage::Over => past.trips.push(trip),
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
