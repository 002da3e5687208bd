//! Filling in what places lack, and the legs between them.

use itinerary_api::types::Day;
use itinerary_core::content::Content;
use itinerary_core::legs;
use itinerary_core::placing;
use itinerary_core::sent::Sent;
use tokio::time::Instant;

use super::work::Worked;
use crate::app::places::Placing;
use crate::app::routes::Ways;
use crate::app::{Error, Result};
use crate::context::Service;
use crate::ports::coordinates;

/// Fills in coordinates, ids, addresses, countries and time zones that are missing, then legs. What was sent is kept.
pub(super) async fn refresh(service: &Service, content: &mut Content, placing: &mut Placing<'_>) -> Result<Worked> {
    let before = content.clone();
    let attention = placing.place(content, |_| true).await?;
    placing.complete(content).await?;
    placing::fill_facts(content, |coordinate| coordinates::facts(&coordinate))?;
    for index in 0..content.everyone.days.len() {
        let day = content.everyone.days[index].value()?;
        let missing = legs::missing(&day);
        if missing.is_empty() {
            continue;
        }
        let new = ways(service, &day, placing.deadline()).await;
        content.everyone.days[index].change(|day| legs::insert(day, new))?;
    }
    if *content == before && placing.provider_failed() {
        return Err(Error::ProviderFailed);
    }
    Ok(Worked { attention, ..Sent::Nothing.into() })
}

/// The missing legs of a day.
async fn ways(
    service: &Service,
    day: &Day,
    deadline: Instant,
) -> Vec<(usize, itinerary_api::types::LegMode, legs::Estimate, String)> {
    let missing = legs::missing(day);
    let points: Vec<_> = day.stops.iter().filter_map(legs::coordinate).collect();
    let number = |position: usize| day.stops[..position].iter().filter_map(legs::coordinate).count();
    let ways = Ways::between(service, points, None, deadline).await;
    let new = missing.into_iter().map(|(position, _, _)| {
        let way = ways.way(number(position), number(position + 1));
        (position, way.mode, way.estimate, way.source.clone())
    });
    new.collect()
}
