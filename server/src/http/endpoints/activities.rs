//! Activities near a stop.

use itinerary_api::error::ApiError;
use itinerary_api::reply::Reply;
use itinerary_api::scope::Caller;
use itinerary_api::types::{ItemList, Stop, StopPath};

use crate::app::itineraries::activities;
use crate::context::Service;
use crate::http::answers::refusal;

pub(super) async fn list(
    service: &Service,
    caller: &Caller,
    path: &StopPath,
) -> Result<Reply<ItemList<Stop>>, ApiError> {
    let StopPath { id, day_id, stop_id } = path;
    let data = activities::list(service, caller, *id, day_id, stop_id).await.map_err(refusal)?;
    Ok(Reply::json(&ItemList { data }))
}
