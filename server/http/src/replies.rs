//! Converts results and errors of use cases to HTTP responses.

use http::StatusCode;
use http::header::{self, HeaderName};
use itinerary_api::error::{ApiError, ErrorCode};
use itinerary_api::oauth_error::OAuthError;
use itinerary_api::reply::{Empty, Reply};
use itinerary_app::{Outcome, Rendered};

pub(super) const IDEMPOTENCY_REPLAYED: HeaderName = HeaderName::from_static("idempotency-replayed");

const PREFERENCE_APPLIED: HeaderName = HeaderName::from_static("preference-applied");

/// The response that a use case has rendered.
pub(super) fn rendered<T, const STATUS: u16>(rendered: Rendered<T>) -> Reply<T, STATUS> {
    let status = match rendered.outcome {
        Outcome::Done => StatusCode::OK,
        Outcome::Created => StatusCode::CREATED,
        Outcome::NotModified => StatusCode::NOT_MODIFIED,
    };
    let mut reply = Reply::stored(rendered.body).with_status(status);
    for (name, value) in [(header::ETAG, rendered.etag), (header::LOCATION, rendered.location)] {
        if let Some(value) = value {
            reply = reply.with_header(name, &value);
        }
    }
    if rendered.merged {
        reply = reply.with_header(PREFERENCE_APPLIED, "merge");
    }
    if rendered.replayed {
        reply = reply.with_header(IDEMPOTENCY_REPLAYED, "true");
    }
    if status == StatusCode::NOT_MODIFIED { reply.without_body() } else { reply }
}

/// The response of a use case without a body.
#[expect(clippy::needless_pass_by_value, reason = "it is given to map")]
pub(super) fn without_body(rendered: Rendered<()>) -> Empty {
    rendered.etag.as_deref().map_or_else(Empty::default, Empty::tagged)
}

/// An error of the request pipeline in the format of the OAuth endpoints.
pub(super) fn oauth_error(error: &ApiError) -> OAuthError {
    let status = StatusCode::from_u16(error.code.status()).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    let mut oauth = if status.is_server_error() {
        OAuthError::unavailable("internal error; try again in a second", 1)
    } else {
        OAuthError::invalid_request(&error.message).with_status(status)
    };
    if error.code == ErrorCode::ValidationFailed {
        oauth.status = StatusCode::BAD_REQUEST;
    }
    oauth.headers.extend(error.headers.iter().cloned());
    oauth
}
