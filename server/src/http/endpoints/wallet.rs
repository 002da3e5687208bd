//! Wallet passes as responses.

use dropshot::Body;
use http::Response;
use http::header::{self, HeaderValue};
use itinerary_api::reply::Pass;

use crate::app::itineraries::wallet::Made;

pub(super) fn pass(made: Made) -> Pass {
    let (media_type, body) = match made {
        Made::File(bytes) => ("application/vnd.apple.pkpass", bytes),
        Made::Link(json) => ("application/json", json),
    };
    let mut response = Response::new(Body::from(body));
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(media_type));
    if media_type != "application/json" {
        headers.insert(header::CONTENT_DISPOSITION, HeaderValue::from_static("attachment; filename=\"pass.pkpass\""));
    }
    Pass(response)
}
