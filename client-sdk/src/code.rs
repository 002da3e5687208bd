//! The words in an error's `code`, for [`ErrorExt::is`](crate::ErrorExt::is). A service that is newer than this version
//! may answer others.

macro_rules! codes {
    ($($(#[doc = $doc:literal])* $name:ident = $text:literal;)*) => {
        $($(#[doc = $doc])* pub const $name: &str = $text;)*

        #[cfg(test)]
        const ALL: &[&str] = &[$($text),*];
    };
}

codes! {
    /// 401: the token is missing, expired or revoked.
    UNAUTHENTICATED = "unauthenticated";
    /// 403: the token lacks a scope (`details.required`), or the caller may not see or change that.
    FORBIDDEN = "forbidden";
    /// 403: Pro is needed; `details.section` says for what.
    SUBSCRIPTION_REQUIRED = "subscriptionRequired";
    /// 404: it does not exist, or the traveller cannot see it.
    NOT_FOUND = "notFound";
    /// 405: the address does not take this method.
    METHOD_NOT_ALLOWED = "methodNotAllowed";
    /// 408: the body stopped arriving.
    REQUEST_TIMEOUT = "requestTimeout";
    /// 409: the version is out of date; the answer carries the current one.
    ITINERARY_MODIFIED = "itineraryModified";
    /// 409: the caller has an itinerary to the same destination on the same day; `details.itineraryId` names it.
    DUPLICATE_ITINERARY = "duplicateItinerary";
    /// 409: it conflicts with the current state.
    CONFLICT = "conflict";
    /// 413: the itinerary is over 256 KB.
    ITINERARY_TOO_LARGE = "itineraryTooLarge";
    /// 413: the body is over its limit.
    PAYLOAD_TOO_LARGE = "payloadTooLarge";
    /// 415: the body is of another type than the address takes.
    UNSUPPORTED_MEDIA_TYPE = "unsupportedMediaType";
    /// 416: the file has no such range; the answer carries its size.
    RANGE_NOT_SATISFIABLE = "rangeNotSatisfiable";
    /// 422: the input is bad; `details.field` names where, when possible.
    VALIDATION_FAILED = "validationFailed";
    /// 422: the idempotency key came with another body before.
    IDEMPOTENCY_KEY_REUSED = "idempotencyKeyReused";
    /// 422: the image could not be used.
    IMAGE_REJECTED = "imageRejected";
    /// 422: the document was not encrypted before it was sent.
    DOCUMENT_NOT_SEALED = "documentNotSealed";
    /// 428: no version was sent with a write.
    PRECONDITION_REQUIRED = "preconditionRequired";
    /// 429: too many requests; wait as long as the answer says.
    RATE_LIMITED = "rateLimited";
    /// 500: the service failed.
    INTERNAL_ERROR = "internalError";
    /// 502: something behind the service did not answer.
    UPSTREAM_FAILED = "upstreamFailed";
    /// 503: integrations are paused.
    FEATURE_UNAVAILABLE = "featureUnavailable";
}

#[cfg(test)]
mod tests {
    use super::ALL;

    #[test]
    fn these_are_the_documents_codes() {
        let document = include_str!("../../openapi/itinerary.json");
        let document: serde_json::Value = serde_json::from_str(document).unwrap();
        let codes = document.pointer("/components/schemas/ErrorCode/x-extensible-enum").unwrap();
        assert_eq!(codes, &serde_json::json!(ALL));
    }
}
