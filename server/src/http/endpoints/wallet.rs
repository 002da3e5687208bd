//! Wallet passes.

use dropshot::Body;
use http::Response;
use http::header::{self, HeaderValue};
use itinerary_api::error::ApiError;
use itinerary_api::extract::Conditions;
use itinerary_api::reply::{Pass, Reply};
use itinerary_api::scope::{self, Caller};
use itinerary_api::types::{ItemList, WalletPass, WalletPassPath, WalletPassQuery};
use uuid::Uuid;

use crate::app::itineraries::wallet::{self, Made};
use crate::app::itineraries::{Known, tags};
use crate::context::Service;
use crate::http::answers::{refusal, reply};

pub(super) async fn list(
    service: &Service,
    caller: &Caller,
    id: Uuid,
    conditions: &Conditions,
) -> Result<Reply<ItemList<WalletPass>>, ApiError> {
    let if_none_match = tags("If-None-Match", conditions.if_none_match.as_deref())?;
    let known = Known { if_none_match: if_none_match.as_ref(), ahead: scope::take_read_ahead() };
    wallet::list(service, caller, id, known).await.map(reply).map_err(refusal)
}

pub(super) async fn view(
    service: &Service,
    caller: &Caller,
    path: WalletPassPath,
    query: WalletPassQuery,
) -> Result<Pass, ApiError> {
    let WalletPassPath { id, kind, item_id } = path;
    let made = wallet::view(service, caller, id, (kind, &item_id), query.format.unwrap_or_default()).await;
    let (media_type, body) = match made.map_err(refusal)? {
        Made::File(bytes) => ("application/vnd.apple.pkpass", bytes),
        Made::Link(json) => ("application/json", json),
    };
    let mut response = Response::new(Body::from(body));
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(media_type));
    if media_type != "application/json" {
        headers.insert(header::CONTENT_DISPOSITION, HeaderValue::from_static("attachment; filename=\"pass.pkpass\""));
    }
    Ok(Pass(response))
}
