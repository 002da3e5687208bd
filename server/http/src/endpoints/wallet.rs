//! Wallet passes as responses.

use dropshot::Body;
use http::Response;
use http::header::{self, HeaderValue};
use itinerary_api::reply::Pass;
use itinerary_app::itineraries::wallet::MadePass;

pub(super) fn pass(made: MadePass) -> Pass {
    let (media_type, body) = match made {
        MadePass::File(bytes) => ("application/vnd.apple.pkpass", bytes),
        MadePass::Link(json) => ("application/json", json),
    };
    let mut response = Response::new(Body::from(body));
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(media_type));
    if media_type != "application/json" {
        headers.insert(header::CONTENT_DISPOSITION, HeaderValue::from_static("attachment; filename=\"pass.pkpass\""));
    }
    Pass(response)
}
