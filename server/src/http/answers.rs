//! Maps answers and errors of the use cases to HTTP.

use http::StatusCode;
use http::header::{self, HeaderName};
use itinerary_api::error::{ApiError, ErrorCode};
use itinerary_api::oauth_error::OAuthError;
use itinerary_api::reply::Reply;
use itinerary_api::values::limits;

use crate::app::{Answer, Error, Outcome};

pub(super) const IDEMPOTENCY_REPLAYED: HeaderName = HeaderName::from_static("idempotency-replayed");

pub(super) fn reply<T, const STATUS: u16>(answer: Answer) -> Reply<T, STATUS> {
    let status = match answer.outcome {
        Outcome::Done => StatusCode::OK,
        Outcome::Created => StatusCode::CREATED,
        Outcome::NotModified => StatusCode::NOT_MODIFIED,
    };
    let mut reply = Reply::stored(answer.body).with_status(status);
    for (name, value) in [(header::ETAG, answer.etag), (header::LOCATION, answer.location)] {
        if let Some(value) = value {
            reply = reply.with_header(name, &value);
        }
    }
    if answer.replayed {
        reply = reply.with_header(IDEMPOTENCY_REPLAYED, "true");
    }
    if status == StatusCode::NOT_MODIFIED { reply.without_body() } else { reply }
}

/// An error of the front door in the format of the OAuth endpoints.
pub(super) fn oauth_error(error: &ApiError) -> OAuthError {
    let status = StatusCode::from_u16(error.code.status()).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    let mut oauth = if status.is_server_error() {
        OAuthError::unavailable("internal error", 1)
    } else {
        OAuthError::invalid_request(&error.message).with_status(status)
    };
    if error.code == ErrorCode::ValidationFailed {
        oauth.status = StatusCode::BAD_REQUEST;
    }
    oauth.headers.extend(error.headers.iter().cloned());
    oauth
}

/// The error while integrations are paused.
pub(super) fn paused(seconds: u32) -> ApiError {
    let paused = ApiError::new(ErrorCode::FeatureUnavailable, "Integrations are paused. Retry later.");
    paused.with_header(header::RETRY_AFTER, &seconds.to_string())
}

/// The API's error for an error of a use case. Internal errors are logged; the caller is told no details.
pub(super) fn refusal(error: Error) -> ApiError {
    match error {
        Error::NotFound => ApiError::not_found(),
        Error::Forbidden(why) => ApiError::new(ErrorCode::Forbidden, why),
        Error::SubscriptionRequired(section) => ApiError::subscription_required(section),
        Error::Invalid(error) => error.into(),
        // Leaves the size out, because it includes sections that the caller may not see.
        Error::TooLarge => ApiError::new(
            ErrorCode::ItineraryTooLarge,
            format!("The stored itinerary must have at most {} bytes.", limits::ITINERARY),
        ),
        Error::PreconditionRequired => {
            ApiError::new(ErrorCode::PreconditionRequired, "Send the ETag that you last read in the If-Match header.")
        }
        Error::Modified { etag } => ApiError::itinerary_modified(&etag),
        Error::Duplicate(itinerary) => ApiError::duplicate(itinerary),
        Error::Conflict(why) => ApiError::new(ErrorCode::Conflict, why),
        Error::OverQuota(quota) => ApiError::new(ErrorCode::Conflict, quota.to_string()),
        Error::KeyReused => ApiError::new(
            ErrorCode::IdempotencyKeyReused,
            "This Idempotency-Key was used for a different request. Use a new one.",
        ),
        Error::Image(why) => ApiError::new(ErrorCode::ImageRejected, why),
        Error::NotSealed(reason) => ApiError::new(
            ErrorCode::DocumentNotSealed,
            format!(
                "{reason} Encrypt documents on the device before upload. Accepted: {}.",
                itinerary_sealed::ACCEPTED
            ),
        ),
        Error::TooManyTransfers => {
            let message = "Too many concurrent uploads or downloads. Wait until one has ended.";
            ApiError::new(ErrorCode::RateLimited, message).with_header(header::RETRY_AFTER, "1")
        }
        Error::Paused(seconds) => paused(seconds),
        Error::NotConfigured(message) => {
            ApiError::new(ErrorCode::FeatureUnavailable, message).with_header(header::RETRY_AFTER, "3600")
        }
        Error::ProviderFailed | Error::Busy => ApiError::upstream_failed(),
        Error::Files(error) => {
            tracing::error!(error = &error as &dyn std::error::Error, "the file store failed");
            ApiError::upstream_failed()
        }
        Error::Unavailable(error) => {
            tracing::error!(error = &error as &dyn std::error::Error, "the database failed");
            ApiError::upstream_failed()
        }
        Error::Corrupt(what) => {
            tracing::error!(what, "the stored data is corrupt");
            ApiError::internal()
        }
    }
}
