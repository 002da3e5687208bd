//! Fills in missing fields of places, and missing legs.

use itinerary_core::content::Content;
use itinerary_core::edit_scope::EditScope;
use itinerary_core::legs;
use itinerary_core::placing::{self, missing};
use itinerary_platform::context::Service;
use itinerary_platform::ports::coordinates;

use super::content_change::ChangeEffect;
use crate::localities;
use crate::places::Placing;
use crate::routes::RouteMatrix;
use crate::{Error, Result};

/// Fills in missing coordinates, ids, addresses, countries and time zones, then legs. Keeps what was sent.
pub(super) async fn refresh(
    service: &Service,
    content: &mut Content,
    placing: &mut Placing<'_>,
) -> Result<ChangeEffect> {
    let before = content.clone();
    let mut attention = placing.place(content, |_| true).await?;
    placing.complete(content).await?;
    placing::fill_facts(content, |coordinate| coordinates::facts(&coordinate))?;
    // Where a provider failed, a later refresh may find a more exact address.
    if !placing.provider_failed() {
        localities::fill(service, content).await?;
    }
    for index in 0..content.everyone.days.len() {
        let day = content.everyone.days[index].value()?;
        if legs::missing(&day).is_empty() {
            continue;
        }
        let points = day.stops.iter().filter_map(legs::coordinate).collect();
        let routes = RouteMatrix::between(service, points, None, placing.deadline()).await;
        let mut numbers = 0..;
        let numbers: Vec<_> =
            day.stops.iter().map(|stop| legs::coordinate(stop).and_then(|_| numbers.next())).collect();
        let way = |position: usize| Some(routes.route(numbers[position]?, numbers[position + 1]?));
        content.everyone.days[index].change(|day| legs::fill(day, way))?;
    }
    if *content == before && placing.provider_failed() {
        return Err(Error::ProviderFailed);
    }
    attention.extend(missing::not_filled(content)?);
    Ok(ChangeEffect { attention, ..EditScope::Nothing.into() })
}
