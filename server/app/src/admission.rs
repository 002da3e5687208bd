//! The checks that every request passes, whatever it came over: scope, rate limit, memory for its response.
//!
//! The caller is authenticated before them.

use http::header;
use itinerary_api::error::{ApiError, ErrorCode};
use itinerary_api::policy::{LimitKind, Policy, Scope};
use itinerary_api::request_state::Caller;
use itinerary_platform::context::Service;
use itinerary_platform::limits::{Bucket, Verdict};
use itinerary_platform::response_budget::ReservedMemory;
use uuid::Uuid;

/// Operations whose responses may be several megabytes. Memory is reserved before they run.
const LARGE: [&str; 3] = ["itinerary_list", "account_itinerary_list", "explore_list"];
/// The maximum size of a page of a hundred itineraries.
const LARGEST: usize = 3 * 1024 * 1024;

/// The pages in the counters of apps. No client has this id.
const PAGES: &str = "pages";

/// The limit that a request counts against, and the verdict if it was counted. A response that carries this was counted
/// by its handler.
#[derive(Clone, Copy, Debug)]
pub struct Counted {
    pub kind: LimitKind,
    pub verdict: Option<Verdict>,
}

/// Checks that the caller has the scope that the operation needs.
pub fn check_scope(scope: Option<Scope>, caller: &Caller) -> Result<(), ApiError> {
    match scope {
        Some(scope) if !caller.scopes.contains(scope) => Err(ApiError::missing_scope(scope)),
        _ => Ok(()),
    }
}

/// Counts the request for its app and, if allowed, for all apps of its traveller. Returns the tighter verdict.
pub async fn count(service: &Service, kind: LimitKind, caller: &Caller) -> Verdict {
    count_app(service, kind, caller.account, &caller.client).await
}

/// Counts a change that a traveller makes on a page, with the limits of an app. All pages are one app.
pub async fn count_on_page(service: &Service, kind: LimitKind, account: Uuid) -> Verdict {
    count_app(service, kind, account, PAGES).await
}

async fn count_app(service: &Service, kind: LimitKind, account: Uuid, client: &str) -> Verdict {
    let app = Bucket::Calls { account, client: client.to_owned(), kind };
    let all_apps = Bucket::AccountCalls { account, kind };
    service.limits.take(&[app, all_apps], service.clock.now()).await
}

/// The error for a request over the rate limit, or that cannot be counted.
pub fn rate_limited(verdict: Verdict) -> ApiError {
    let limit = format!("The limit is {} requests of this kind per minute.", verdict.limit);
    over_limit(verdict, &limit)
}

/// The error for work over a limit, which a sentence states, or that cannot be counted.
pub(crate) fn over_limit(verdict: Verdict, limit: &str) -> ApiError {
    if !verdict.counted {
        let message = "Requests cannot be counted at the moment. Retry after the seconds in Retry-After.";
        let error = ApiError::new(ErrorCode::FeatureUnavailable, message);
        return error.with_header(header::RETRY_AFTER, &verdict.reset.to_string());
    }
    let message = format!("{limit} Retry after the seconds in Retry-After.");
    ApiError::new(ErrorCode::RateLimited, message).with_header(header::RETRY_AFTER, &verdict.reset.to_string())
}

/// The error when responses in progress leave no room for another.
pub fn too_many_responses() -> ApiError {
    let message = "Too many answers are in progress. Finish reading yours, then retry.";
    ApiError::new(ErrorCode::RateLimited, message).with_header(header::RETRY_AFTER, "1")
}

/// Reserves memory for a response that may be large.
pub async fn reserve_memory(
    service: &Service,
    policy: &Policy,
    account: Uuid,
) -> Result<Option<ReservedMemory>, ApiError> {
    if !LARGE.contains(&policy.operation) {
        return Ok(None);
    }
    let memory = service.responses.reserve_memory(Some(account), LARGEST).await;
    memory.map(Some).ok_or_else(too_many_responses)
}

/// Notes that the account has changed something, so that its next reads do not come from a replica without it. Also
/// after an error, whose change may have been stored.
pub async fn note_write(service: &Service, account: Uuid) {
    if let Err(error) = service.store.write_noted(account).await {
        let error = &error as &dyn std::error::Error;
        tracing::warn!(error, "a write was not noted; a replica may not show it yet");
    }
}
