//! Fills in the missing legs of days, from the route provider or estimated.

use itinerary_api::types::Day;
use itinerary_api::values::limits;
use itinerary_core::content::Content;
use itinerary_core::entry::Entry;
use itinerary_core::{fill, legs};
use itinerary_platform::context::Service;

use crate::Result;
use crate::places::Placing;
use crate::routes::Way;

/// Bytes of an itinerary that are left free: a cover image may still change its length.
const RESERVE: usize = 4_096;

/// Fills in the legs that are missing between neighbours with a coordinate, on the days for which `filter` is true. Legs
/// that would make the itinerary too large are left out, so that a write does not fail because of them.
pub(super) async fn fill_missing(
    service: &Service,
    content: &mut Content,
    placing: &mut Placing<'_>,
    filter: impl Fn(usize, &Entry<Day>) -> bool,
) -> Result<()> {
    // A leg names the ids of its stops.
    fill::complete(content, &*service.random)?;
    let mut room = None;
    for index in 0..content.everyone.days.len() {
        let day = &content.everyone.days[index];
        if !filter(index, day) || day.index().stops.len() < 2 {
            continue;
        }
        let ways = missing_ways(&*day.value()?);
        if ways.is_empty() {
            continue;
        }
        let routes = placing.routes(&ways).await;
        let room = room.get_or_insert_with(|| self::room(content));
        content.everyone.days[index].change(|day| legs::fill(day, room, |stop| routes.get(&stop).cloned()))?;
    }
    Ok(())
}

/// The bytes of JSON that legs may add to an itinerary.
pub(super) fn room(content: &Content) -> usize {
    limits::ITINERARY.saturating_sub(content.fragments().size() + RESERVE)
}

/// The ways that have no leg yet, each with the index of the stop where it begins.
fn missing_ways(day: &Day) -> Vec<(usize, Way)> {
    let way = |stop: usize| Some((legs::coordinate(&day.stops[stop])?, legs::coordinate(&day.stops[stop + 1])?));
    legs::missing(day).into_iter().filter_map(|stop| Some((stop, way(stop)?))).collect()
}
