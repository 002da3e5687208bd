//! The operation that finds public itineraries.

use itinerary_api::error::ApiError;
use itinerary_api::reply::Reply;
use itinerary_api::scope::Caller;
use itinerary_api::types::{ExploreQuery, ListedItinerary, Page};

use crate::app::explore::explore;
use crate::context::Service;
use crate::http::answers::{refusal, reply};

pub(super) async fn list(
    service: &Service,
    caller: &Caller,
    query: ExploreQuery,
) -> Result<Reply<Page<ListedItinerary>>, ApiError> {
    explore(service, caller, query).await.map(reply).map_err(refusal)
}
