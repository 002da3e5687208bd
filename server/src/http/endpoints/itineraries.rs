//! The operations on itineraries.

use itinerary_api::error::ApiError;
use itinerary_api::extract::Conditions;
use itinerary_api::reply::{Empty, Reply};
use itinerary_api::scope::{self, Caller};
use itinerary_api::types::{CreateQuery, Itinerary, ItineraryCreate, ListQuery, ListedItinerary, Page};
use uuid::Uuid;

use crate::app;
use crate::app::itineraries::{Known, Precondition, Work, tags};
use crate::context::Service;
use crate::http::answers::{refusal, reply};

pub(super) async fn list(
    service: &Service,
    caller: &Caller,
    query: ListQuery,
) -> Result<Reply<Page<ListedItinerary>>, ApiError> {
    app::list(service, caller, query).await.map(reply).map_err(refusal)
}

pub(super) async fn create(
    service: &Service,
    caller: &Caller,
    query: CreateQuery,
    conditions: Conditions,
    body: ItineraryCreate,
) -> Result<Reply<Itinerary, 201>, ApiError> {
    app::itineraries::create(service, caller, query, conditions.claim, body).await.map(reply).map_err(refusal)
}

pub(super) async fn view(
    service: &Service,
    caller: &Caller,
    id: Uuid,
    conditions: &Conditions,
) -> Result<Reply<Itinerary>, ApiError> {
    let if_none_match = tags("If-None-Match", conditions.if_none_match.as_deref())?;
    let known = Known { if_none_match: if_none_match.as_ref(), ahead: scope::take_read_ahead() };
    app::itineraries::view_one(service, caller, id, known).await.map(reply).map_err(refusal)
}

pub(super) async fn change<T>(
    service: &Service,
    caller: &Caller,
    id: Uuid,
    conditions: Conditions,
    work: impl Into<Work>,
) -> Result<Reply<T>, ApiError> {
    let if_match = tags("If-Match", conditions.if_match.as_deref())?;
    let precondition = Precondition { if_match, claim: conditions.claim };
    app::itineraries::change(service, caller, id, precondition, work).await.map(reply).map_err(refusal)
}

pub(super) async fn delete(
    service: &Service,
    caller: &Caller,
    id: Uuid,
    conditions: &Conditions,
) -> Result<Empty, ApiError> {
    let if_match = tags("If-Match", conditions.if_match.as_deref())?;
    app::itineraries::delete(service, caller, id, if_match.as_ref()).await.map(|()| Empty::default()).map_err(refusal)
}
