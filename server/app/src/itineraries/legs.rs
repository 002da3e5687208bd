//! Fills in the missing legs of days, from the route provider or estimated.

use std::collections::HashMap;

use itinerary_api::types::{Coordinate, Day, Leg};
use itinerary_api::values::{ItemId, limits};
use itinerary_core::content::Content;
use itinerary_core::entry::Entry;
use itinerary_core::{fill, geo, legs};
use itinerary_platform::context::Service;

use crate::Result;
use crate::places::Placing;
use crate::routes::RouteEnds;

/// Up to this size of an itinerary, in bytes of JSON, writes of days fill in legs: travellers will add more.
pub(super) const BY_WRITES: usize = limits::ITINERARY / 2;
/// Up to this size, a refresh and an optimised day, which ask for legs, fill them in: a cover image may still change its
/// length.
pub(super) const ON_REQUEST: usize = limits::ITINERARY - 4_096;

/// Fills in the legs that are missing between neighbours with a coordinate, on the days for which `filter` is true. Legs
/// beyond the limit are left out, so that no write fails because of them.
pub(super) async fn fill_missing(
    service: &Service,
    content: &mut Content,
    placing: &mut Placing<'_>,
    limit: usize,
    filter: impl Fn(usize, &Entry<Day>) -> bool,
) -> Result<()> {
    let mut room = None;
    for index in 0..content.everyone.days.len() {
        let day = &content.everyone.days[index];
        if !filter(index, day) || day.index().stops.len() < 2 {
            continue;
        }
        let missing = missing_routes(&*day.value()?);
        if missing.is_empty() {
            continue;
        }
        let routes = placing.routes(&missing).await;
        if room.is_none() {
            // A leg names the ids of its stops.
            fill::complete(content, &*service.random)?;
        }
        let room = room.get_or_insert_with(|| self::room(content, limit));
        content.everyone.days[index].change(|day| legs::fill(day, room, |stop| routes.get(&stop).cloned()))?;
    }
    Ok(())
}

/// Removes the estimated legs that the route provider may compute: those of the usual mode, so that a mode that was asked
/// for stays.
pub(super) fn remove_estimates(service: &Service, content: &mut Content) -> Result<()> {
    if service.ports.routes.is_none() {
        return Ok(());
    }
    let speeds = &service.config.legs.speeds;
    for day in &mut content.everyone.days {
        let points = day_points(&*day.value()?);
        let is_usual = |leg: &Leg| {
            let ends = points.get(&leg.from).zip(points.get(&leg.to));
            ends.is_some_and(|(from, to)| speeds.usual_mode(geo::metres(*from, *to)) == leg.mode)
        };
        let is_outdated = |leg: &Leg| leg.source.as_deref() == Some(legs::ESTIMATE) && is_usual(leg);
        if day.value()?.legs.iter().any(is_outdated) {
            day.change(|day| day.legs.retain(|leg| !is_outdated(leg)))?;
        }
    }
    Ok(())
}

/// The coordinates of a day's stops, by their ids.
fn day_points(day: &Day) -> HashMap<ItemId, Coordinate> {
    day.stops.iter().filter_map(|stop| Some((stop.id.clone()?, legs::coordinate(stop)?))).collect()
}

/// The bytes of JSON that legs may add to an itinerary up to this size.
pub(super) fn room(content: &Content, limit: usize) -> usize {
    limit.saturating_sub(content.size())
}

/// The ends of the legs that are missing, each with the index of the stop where it begins.
fn missing_routes(day: &Day) -> Vec<(usize, RouteEnds)> {
    let ends = |stop: usize| Some((legs::coordinate(&day.stops[stop])?, legs::coordinate(&day.stops[stop + 1])?));
    legs::missing(day).into_iter().filter_map(|stop| Some((stop, ends(stop)?))).collect()
}
