//! Errors of use cases as the API reports them.

use http::header;
use itinerary_api::error::{ApiError, ErrorCode, MergeReason};
use itinerary_api::values::limits;
use itinerary_platform::log::without_quotes;

use super::{Error, admission};

/// Internal errors are logged; the response has no details of them.
impl From<Error> for ApiError {
    fn from(error: Error) -> Self {
        match error {
            Error::NotFound => Self::not_found(),
            Error::Forbidden(why) => Self::new(ErrorCode::Forbidden, why),
            Error::SubscriptionRequired(section) => Self::subscription_required(section),
            Error::Invalid(error) => error.into(),
            // Without the actual size, which includes sections that the caller may not see.
            Error::TooLarge => Self::new(
                ErrorCode::ItineraryTooLarge,
                format!("The itinerary must have at most {} bytes when stored.", limits::ITINERARY),
            ),
            Error::PreconditionRequired => {
                Self::new(ErrorCode::PreconditionRequired, "Send the ETag that you last read in the header If-Match.")
            }
            Error::Modified { etag } => Self::itinerary_modified(&etag),
            Error::NotMerged { etag, conflicts } => {
                let reason = if conflicts.is_some() { MergeReason::Conflict } else { MergeReason::BaseGone };
                Self::not_merged(&etag, reason, conflicts)
            }
            Error::Duplicate(itinerary) => Self::duplicate(itinerary),
            Error::Conflict(why) => Self::new(ErrorCode::Conflict, why),
            Error::Taken { field, message } => Self::taken(field, message),
            Error::OverQuota(quota) => Self::new(ErrorCode::Conflict, quota.to_string()),
            Error::CursorExpired => Self::cursor_expired(),
            Error::KeyReused => Self::new(
                ErrorCode::IdempotencyKeyReused,
                "This Idempotency-Key was used for another request. Use a new key.",
            ),
            Error::Image(why) => Self::new(ErrorCode::ImageRejected, why),
            Error::NotSealed(reason) => Self::new(
                ErrorCode::DocumentNotSealed,
                format!(
                    "{reason} Encrypt documents on the device before upload. Accepted: {}.",
                    itinerary_sealed::ACCEPTED
                ),
            ),
            Error::TooManyTransfers => {
                let message = "Too many uploads or downloads at once. Wait until one has ended.";
                Self::new(ErrorCode::RateLimited, message).with_header(header::RETRY_AFTER, "1")
            }
            Error::TooManyStreams(most) => {
                let message = format!("An app can have {most} streams open for a traveller. Close one first.");
                Self::new(ErrorCode::RateLimited, message).with_header(header::RETRY_AFTER, "5")
            }
            Error::NoRoomForStreams => {
                let message = "The server has too many open streams. Retry after the seconds in Retry-After.";
                Self::new(ErrorCode::FeatureUnavailable, message).with_header(header::RETRY_AFTER, "10")
            }
            Error::Stopping => Self::stopping(),
            Error::TooManyWaiting => {
                let message = "Too many of your requests are waiting for their turn. Wait until one has been answered.";
                Self::new(ErrorCode::RateLimited, message).with_header(header::RETRY_AFTER, "1")
            }
            Error::OverLimit { verdict, limit } => admission::over_limit(verdict, limit),
            Error::OverShare(seconds) => {
                let message = "Your requests have taken as much of the processor as one account may take in a minute. \
                     Retry after the seconds in Retry-After.";
                Self::new(ErrorCode::RateLimited, message).with_header(header::RETRY_AFTER, &seconds.to_string())
            }
            Error::Paused(seconds) => paused(seconds),
            Error::NotConfigured(message) => {
                Self::new(ErrorCode::FeatureUnavailable, message).with_header(header::RETRY_AFTER, "3600")
            }
            Error::ProviderFailed | Error::Busy => Self::upstream_failed(),
            Error::Files(error) => {
                tracing::error!(error = &error as &dyn std::error::Error, "the file store did not answer");
                Self::upstream_failed()
            }
            Error::Unavailable(error) => {
                tracing::error!(error = &error as &dyn std::error::Error, "the database did not answer");
                Self::upstream_failed()
            }
            Error::Corrupt(what) => {
                tracing::error!(what = without_quotes(&what), "the stored data is corrupt");
                Self::internal()
            }
        }
    }
}

/// The error while integrations are paused.
pub fn paused(seconds: u32) -> ApiError {
    let paused = ApiError::new(
        ErrorCode::FeatureUnavailable,
        "Integrations are paused. Retry after the seconds in Retry-After.",
    );
    paused.with_header(header::RETRY_AFTER, &seconds.to_string())
}
