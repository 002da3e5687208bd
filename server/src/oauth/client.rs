//! The client that calls the token or the revocation endpoint: reading who it says it is, proving it, and counting
//! failures to.

use std::net::IpAddr;

use http::HeaderMap;
use http::header::AUTHORIZATION;
use itinerary_api::oauth_error::{OAuthError, OAuthErrorCode};
use itinerary_core::ids;
use itinerary_core::oauth::client::{Credentials, SecretRule};
use itinerary_core::oauth::parameters::Parameters;
use itinerary_store::Client;

use super::store_failed;
use crate::context::Service;
use crate::limits::Bucket;

/// Who a request says it comes from.
pub(super) struct Claimant {
    credentials: Result<Credentials, OAuthError>,
    failures: Bucket,
}

impl Claimant {
    /// Reads the request's credentials.
    pub(super) fn read(headers: &HeaderMap, form: Parameters<'_>, address: IpAddr) -> Self {
        let credentials = authorization(headers).and_then(|header| Credentials::read(header, form));
        // What names no possible client is counted together, for its address alone.
        let id = credentials.as_ref().ok().filter(|credentials| credentials.is_plausible());
        let id = ids::hash(id.map_or("", |credentials| &credentials.client_id));
        Self { credentials, failures: Bucket::TokenFailure(id, address) }
    }

    /// Refuses when there were too many failures in this minute.
    pub(super) fn refuse_too_many(&self, service: &Service) -> Result<(), OAuthError> {
        let verdict = service.limits.peek(&self.failures, service.clock.now());
        if verdict.allowed { Ok(()) } else { Err(OAuthError::too_many("too many failed requests", verdict.reset)) }
    }

    /// Counts the outcome if the client failed to prove who it is. Codes and tokens that are not good do not count: whoever
    /// visits an app can make up as many as they like, and 256 random bits need no limit.
    pub(super) fn note<T>(&self, service: &Service, outcome: &Result<T, OAuthError>) {
        if outcome.as_ref().is_err_and(|error| error.error == OAuthErrorCode::InvalidClient) {
            service.limits.take(&self.failures, service.clock.now());
        }
    }

    /// The registered client, proven as far as the rule wants it.
    pub(super) async fn authenticate(&self, service: &Service, rule: SecretRule) -> Result<Client, OAuthError> {
        let credentials = self.credentials.as_ref().map_err(Clone::clone)?;
        if !credentials.is_plausible() {
            return Err(credentials.unknown());
        }
        let client = service.store.client(&credentials.client_id).await.map_err(store_failed)?;
        let client = client.ok_or_else(|| credentials.unknown())?;
        credentials.check(client.secret_hash.as_ref().map(|hash| &hash[..]), rule)?;
        Ok(client)
    }
}

/// The one `Authorization` header. What is not ASCII in it becomes a header that says nothing, which is refused.
fn authorization(headers: &HeaderMap) -> Result<Option<&str>, OAuthError> {
    let mut values = headers.get_all(AUTHORIZATION).iter();
    match (values.next(), values.next()) {
        (value, None) => Ok(value.map(|value| value.to_str().unwrap_or_default())),
        _ => Err(OAuthError::invalid_request("the Authorization header must not be repeated")),
    }
}
