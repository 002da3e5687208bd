//! Fills in missing fields of places, and missing legs.

use itinerary_core::content::Content;
use itinerary_core::edit_scope::EditScope;
use itinerary_core::placing::{self, missing};
use itinerary_platform::context::Service;
use itinerary_platform::ports::coordinates;

use super::content_change::ChangeEffect;
use super::legs;
use crate::localities;
use crate::places::Placing;
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
    legs::remove_estimates(service, content)?;
    legs::fill_missing(service, content, placing, legs::ON_REQUEST, |_, _| true).await?;
    if *content == before && placing.provider_failed() {
        return Err(Error::ProviderFailed);
    }
    attention.extend(missing::not_filled(content)?);
    Ok(ChangeEffect { attention, ..EditScope::Nothing.into() })
}
