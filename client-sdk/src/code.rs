//! The error codes of the service, for [`ErrorExt::is`](crate::ErrorExt::is). A newer service may send others. Errors that
//! the service did not send have codes too: [`ErrorExt::code`](crate::ErrorExt::code) says which.
//!
//! ```no_run
//! use itinerary_sdk::{Client, ErrorExt, code};
//!
//! # async fn example(client: &Client) {
//! match client.account_self().send().await {
//!     Ok(account) => println!("Hello, {}.", account.display_name),
//!     Err(error) if error.is(code::RATE_LIMITED) => println!("try again in {:?}", error.retry_after()),
//!     Err(error) => println!("{}", error.message().unwrap_or("no response")),
//! }
//! # }
//! ```

macro_rules! codes {
    ($($(#[doc = $doc:literal])* $name:ident = $text:literal;)*) => {
        $($(#[doc = $doc])* pub const $name: &str = $text;)*

        /// All codes that this version of the SDK knows.
        ///
        /// ```
        /// assert!(itinerary_sdk::code::ALL.contains(&itinerary_sdk::code::CONFLICT));
        /// ```
        pub const ALL: &[&str] = &[$($text),*];
    };
}

codes! {
    /// 401: the access token is missing, expired or revoked.
    UNAUTHENTICATED = "unauthenticated";
    /// 403: the token lacks the scope in `details.required`, or the caller is not allowed to do this.
    FORBIDDEN = "forbidden";
    /// 403: the section in `details.section` needs the Pro subscription.
    SUBSCRIPTION_REQUIRED = "subscriptionRequired";
    /// 404: not found, or not visible to the caller.
    NOT_FOUND = "notFound";
    /// 405: the path does not support the method.
    METHOD_NOT_ALLOWED = "methodNotAllowed";
    /// 408: the body did not arrive in time.
    REQUEST_TIMEOUT = "requestTimeout";
    /// 409: the itinerary has changed since it was read; [`ErrorExt::current_etag`](crate::ErrorExt::current_etag) has
    /// its current version.
    ITINERARY_MODIFIED = "itineraryModified";
    /// 409: the caller owns an itinerary with the same destination and start date; its id is in `details.itinerary_id`.
    DUPLICATE_ITINERARY = "duplicateItinerary";
    /// 409: conflicts with the current state; the operation's description says when.
    CONFLICT = "conflict";
    /// 410: the cursor is older than the changes that are kept, or from before the service was restored. List the
    /// itineraries again, then continue from a new cursor.
    CURSOR_EXPIRED = "cursorExpired";
    /// 413: the itinerary would exceed 256 KB.
    ITINERARY_TOO_LARGE = "itineraryTooLarge";
    /// 413: the body exceeds its size limit.
    PAYLOAD_TOO_LARGE = "payloadTooLarge";
    /// 415: the operation does not accept the media type of the body.
    UNSUPPORTED_MEDIA_TYPE = "unsupportedMediaType";
    /// 416: the requested range starts beyond the end of the file; `Content-Range` has its size.
    RANGE_NOT_SATISFIABLE = "rangeNotSatisfiable";
    /// 422: the request is invalid; `details.field` names the invalid field where possible.
    VALIDATION_FAILED = "validationFailed";
    /// 422: the idempotency key was used for a different request within 24 hours.
    IDEMPOTENCY_KEY_REUSED = "idempotencyKeyReused";
    /// 422: the image cannot be used, or the search found none.
    IMAGE_REJECTED = "imageRejected";
    /// 422: the file was not encrypted before it was uploaded.
    DOCUMENT_NOT_SEALED = "documentNotSealed";
    /// 428: the header `If-Match` is missing.
    PRECONDITION_REQUIRED = "preconditionRequired";
    /// 429: too many requests. Retry after [`ErrorExt::retry_after`](crate::ErrorExt::retry_after).
    RATE_LIMITED = "rateLimited";
    /// 500: an internal error of the service.
    INTERNAL_ERROR = "internalError";
    /// 502: a system that the service depends on does not respond. Retry after
    /// [`ErrorExt::retry_after`](crate::ErrorExt::retry_after).
    UPSTREAM_FAILED = "upstreamFailed";
    /// 503: integrations are paused, or the server is not configured for this.
    FEATURE_UNAVAILABLE = "featureUnavailable";
}
