//! Whether the server runs, and whether it can work.

use itinerary_api::error::ApiError;
use itinerary_api::reply::Reply;
use itinerary_api::types::Health;

use crate::app::Error;
use crate::context::Service;
use crate::http::answers::refusal;

pub(super) fn live() -> Reply<Health> {
    Reply::json(&Health { status: "ok".to_owned() })
}

pub(super) async fn ready(service: &Service) -> Result<Reply<Health>, ApiError> {
    service.store.ping().await.map_err(|error| refusal(Error::from(error)))?;
    Ok(live())
}
