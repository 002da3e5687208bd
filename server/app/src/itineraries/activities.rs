//! Suggestions of activities near a stop: from a provider, or places of the gazetteer.

use std::collections::HashSet;

use itinerary_api::request_state::Caller;
use itinerary_api::types::{Activity, Coordinate, Label, Name, Place, Stop, StopCategory, StopSuggestion};
use itinerary_api::values::{ItemId, Latitude, Longitude, OffsetTime, Rating, Timestamp, WebUrl, Whole};
use itinerary_core::access::Act;
use itinerary_core::content::Everyone;
use itinerary_core::edit::find_day;
use itinerary_core::{geo, legs, stored};
use itinerary_platform::context::Service;
use itinerary_platform::gazetteer::Area;
use itinerary_providers::Nearby;
use itinerary_store::{ContentSelection, GazetteerRow, VisibleSections};
use tokio::time::Instant;
use uuid::Uuid;

use super::load;
use crate::routes::provider_point;
use crate::{Error, Result, places};

/// The maximum number of suggestions.
const SUGGESTED: usize = 20;
/// The maximum distance of suggested places of the gazetteer, in metres.
const WITHIN: f64 = 3_000.0;
/// The `provider` of suggestions from the gazetteer.
const LOCAL: &str = "local";

/// Lists activities near a stop, or near the destination if the stop has no coordinate.
pub async fn list(
    service: &Service,
    caller: &Caller,
    id: Uuid,
    day: &ItemId,
    stop: &ItemId,
) -> Result<Vec<StopSuggestion>> {
    let selection = ContentSelection::Sections { visible: VisibleSections::Everyone, known: None };
    let (loaded, fragments) = load(service, caller, id, selection).await?;
    loaded.allow(caller, Act::Read)?;
    let everyone: Everyone = stored::parse(&fragments.everyone)?;
    let index = find_day(&everyone.days, day).ok_or(Error::NotFound)?;
    let day = everyone.days[index].value()?;
    let stop = day.stops.iter().find(|other| other.id.as_ref() == Some(stop)).ok_or(Error::NotFound)?;
    let point = legs::coordinate(stop).unwrap_or(everyone.destination.coordinate);
    match &service.ports.activities {
        Some(_) => from_provider(service, stop, point, &everyone.destination.name).await,
        None => from_gazetteer(service, &everyone, stop, point).await,
    }
}

/// The provider's activities for the stop's name, or for the destination's name if there are none.
async fn from_provider(
    service: &Service,
    stop: &Stop,
    point: Coordinate,
    destination: &str,
) -> Result<Vec<StopSuggestion>> {
    let Some(provider) = &service.ports.activities else { return Ok(Vec::new()) };
    let deadline = Instant::now() + itinerary_providers::REFRESH_TIMEOUT;
    // The provider searches by name only, so the query names the destination: many towns have an Old Town.
    for name in [format!("{} {destination}", &*stop.name), destination.to_owned()] {
        let question = Nearby { name: &name, point: provider_point(point), limit: SUGGESTED };
        let found = provider.near(&question, deadline).await.map_err(|failure| {
            tracing::warn!(failure = failure.for_log(), provider = provider.name(), "no activities were found");
            Error::ProviderFailed
        })?;
        if !found.is_empty() {
            let checked_at = now(service);
            return Ok(found
                .into_iter()
                .filter_map(|one| offered(one, provider.name(), checked_at.as_ref()))
                .collect());
        }
    }
    Ok(Vec::new())
}

fn now(service: &Service) -> Option<OffsetTime> {
    let now = serde_json::to_value(Timestamp(service.clock.now())).ok()?;
    OffsetTime::new(now.as_str()?).ok()
}

/// A provider's activity.
fn offered(
    found: itinerary_providers::Activity,
    provider: &str,
    checked_at: Option<&OffsetTime>,
) -> Option<StopSuggestion> {
    let coordinate = found.point.and_then(|point| {
        Some(Coordinate { latitude: Latitude::new(point.latitude)?, longitude: Longitude::new(point.longitude)? })
    });
    Some(StopSuggestion {
        name: Name::truncated(&found.name),
        category: StopCategory::Activity,
        place: coordinate.map(|coordinate| Place { coordinate: Some(coordinate), ..Place::default() }),
        activity: Activity {
            provider: Label::new(provider).ok()?,
            product_code: Label::new(found.product_code).ok(),
            rating: found.rating.and_then(Rating::new),
            review_count: found.review_count.and_then(|count| Whole::new(i64::from(count)).ok()),
            booking_url: found.booking_url.and_then(|url| WebUrl::new(url).ok()),
            last_checked_at: checked_at.cloned(),
        },
    })
}

/// Sights nearby that the itinerary does not contain, nearest first.
async fn from_gazetteer(
    service: &Service,
    everyone: &Everyone,
    near: &Stop,
    point: Coordinate,
) -> Result<Vec<StopSuggestion>> {
    let area = Area::around(point.latitude.get(), point.longitude.get(), WITHIN);
    let rows = service.gazetteer().around(area).await?;
    let mut taken = HashSet::from([near.name.to_lowercase()]);
    for day in &everyone.days {
        for stop in &day.value()?.stops {
            taken.insert(stop.name.to_lowercase());
            taken.extend(stop.place.as_ref().and_then(|place| place.place_id.as_ref()).map(ToString::to_string));
        }
    }
    let checked_at = now(service);
    let mut found: Vec<_> = rows
        .iter()
        .filter(|row| !taken.contains(&row.id))
        .filter(|row| row.names.lines().all(|name| !taken.contains(&name.to_lowercase())))
        .filter_map(|row| {
            let distance = geo::metres(point, places::coordinate(row)?);
            let is_near = (1.0..=WITHIN).contains(&distance);
            Some((distance, suggested(row, checked_at.as_ref())?)).filter(|_| is_near)
        })
        .collect();
    found.sort_by(|(one, _), (other, _)| one.total_cmp(other));
    Ok(found.into_iter().take(SUGGESTED).map(|(_, suggestion)| suggestion).collect())
}

/// A place of the gazetteer. `None` if it is not a sight.
fn suggested(row: &GazetteerRow, checked_at: Option<&OffsetTime>) -> Option<StopSuggestion> {
    use StopCategory as C;
    let category = places::category(&row.class)?;
    if matches!(category, C::Airport | C::Station | C::Transport | C::Lodging | C::Other) {
        return None;
    }
    let found = places::found(row)?;
    let mut place = Place::default();
    found.fill(&mut place);
    Some(StopSuggestion {
        name: Name::truncated(&found.name?),
        category,
        place: Some(place),
        activity: Activity {
            provider: Label::new(LOCAL).ok()?,
            product_code: Label::new(row.id.clone()).ok(),
            rating: None,
            review_count: None,
            booking_url: None,
            last_checked_at: checked_at.cloned(),
        },
    })
}
