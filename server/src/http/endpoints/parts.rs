//! The operations on the parts of an itinerary: days, stops, flights, hotels, expenses, packing.
//!
//! Their changes differ in what they take: each becomes an `Edit`, and one use case makes them all.

use itinerary_api::error::ApiError;
use itinerary_api::extract::Conditions;
use itinerary_api::reply::Reply;
use itinerary_api::scope::{self, Caller};
use itinerary_api::types::ItemList;
use itinerary_core::content::Part;
use uuid::Uuid;

use crate::app;
use crate::app::itineraries::{Known, tags};
use crate::context::Service;
use crate::http::answers::{refusal, reply};

pub(super) async fn list<T>(
    service: &Service,
    caller: &Caller,
    id: Uuid,
    part: Part,
    conditions: &Conditions,
) -> Result<Reply<ItemList<T>>, ApiError> {
    let if_none_match = tags("If-None-Match", conditions.if_none_match.as_deref())?;
    let known = Known { if_none_match: if_none_match.as_ref(), ahead: scope::take_read_ahead() };
    app::itineraries::list_part(service, caller, id, part, known).await.map(reply).map_err(refusal)
}
