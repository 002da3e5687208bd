//! Wallet passes.

use dropshot::Body;
use http::Response;
use http::header::{self, HeaderValue};
use itinerary_api::error::ApiError;
use itinerary_api::reply::{Pass, Reply};
use itinerary_api::scope::Caller;
use itinerary_api::types::{ItemList, WalletPass, WalletPassPath, WalletPassQuery};
use uuid::Uuid;

use crate::app::itineraries::wallet::{self, Made};
use crate::context::Service;
use crate::http::answers::{refusal, reply};

pub(super) async fn list(
    service: &Service,
    caller: &Caller,
    id: Uuid,
) -> Result<Reply<ItemList<WalletPass>>, ApiError> {
    wallet::list(service, caller, id).await.map(reply).map_err(refusal)
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
