//! The operations on marks: likes, dislikes, saves, reports.

use itinerary_api::error::ApiError;
use itinerary_api::extract::Conditions;
use itinerary_api::reply::Reply;
use itinerary_api::scope::Caller;
use itinerary_api::types::{Itinerary, Marks, Report, ReportCreate};
use itinerary_store::Mark;
use uuid::Uuid;

use crate::app::{itineraries, marks, reports};
use crate::context::Service;
use crate::http::answers::{refusal, reply};

pub(super) async fn view(service: &Service, caller: &Caller, id: Uuid) -> Result<Reply<Marks>, ApiError> {
    marks::view(service, caller, id).await.map(|marks| Reply::json(&marks)).map_err(refusal)
}

pub(super) async fn set(service: &Service, caller: &Caller, id: Uuid, mark: Mark) -> Result<Reply<Marks>, ApiError> {
    marks::set(service, caller, id, mark).await.map(|marks| Reply::json(&marks)).map_err(refusal)
}

pub(super) async fn clear(service: &Service, caller: &Caller, id: Uuid, mark: Mark) -> Result<Reply<Marks>, ApiError> {
    marks::clear(service, caller, id, mark).await.map(|marks| Reply::json(&marks)).map_err(refusal)
}

pub(super) async fn save(
    service: &Service,
    caller: &Caller,
    id: Uuid,
    conditions: Conditions,
) -> Result<Reply<Itinerary, 201>, ApiError> {
    itineraries::save(service, caller, id, conditions.claim).await.map(reply).map_err(refusal)
}

pub(super) async fn report(
    service: &Service,
    caller: &Caller,
    id: Uuid,
    conditions: Conditions,
    body: ReportCreate,
) -> Result<Reply<Report, 201>, ApiError> {
    reports::create(service, caller, id, conditions.claim, body).await.map(reply).map_err(refusal)
}
