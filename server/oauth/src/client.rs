//! Authentication of clients at the token and revocation endpoints, with a limit on failures.

use std::net::IpAddr;

use http::HeaderMap;
use http::header::AUTHORIZATION;
use itinerary_api::oauth_error::{OAuthError, OAuthErrorCode};
use itinerary_core::ids;
use itinerary_core::oauth::client::{Credentials, SecretRule};
use itinerary_core::oauth::parameters::Parameters;
use itinerary_platform::context::Service;
use itinerary_platform::limits::Bucket;
use itinerary_store::Client;

use super::{store_failed, too_many, with_remaining};

/// The client that a request claims to come from.
pub(super) struct Claimant {
    credentials: Result<Credentials, OAuthError>,
    failures: Bucket,
}

impl Claimant {
    pub(super) fn read(headers: &HeaderMap, form: Parameters<'_>, address: IpAddr) -> Self {
        let credentials = authorization(headers).and_then(|header| Credentials::read(header, form));
        // Ids that cannot exist share one bucket for each address.
        let id = credentials.as_ref().ok().filter(|credentials| credentials.is_plausible());
        let id = ids::hash(id.map_or("", |credentials| &credentials.client_id));
        Self { credentials, failures: Bucket::TokenFailure(id, address) }
    }

    /// Rejects the request if the failures of this minute reach the limit.
    pub(super) async fn refuse_too_many(&self, service: &Service) -> Result<(), OAuthError> {
        let verdict = service.limits.peek(std::slice::from_ref(&self.failures), service.clock.now()).await;
        if verdict.allowed {
            Ok(())
        } else {
            Err(too_many("too many requests failed client authentication; retry later", verdict))
        }
    }

    /// Counts the outcome if client authentication failed, and says what is left of the limit. Invalid codes and tokens are not counted: anyone who uses an
    /// app can send any number of them, and guessing 256 random bits is hopeless.
    pub(super) async fn count<T>(&self, service: &Service, outcome: Result<T, OAuthError>) -> Result<T, OAuthError> {
        match outcome {
            Err(error) if error.error == OAuthErrorCode::InvalidClient => {
                let verdict = service.limits.take(std::slice::from_ref(&self.failures), service.clock.now()).await;
                Err(with_remaining(error, verdict))
            }
            outcome => outcome,
        }
    }

    /// Returns the registered client if its credentials satisfy the rule.
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

/// The `Authorization` header, which must not be repeated. A value that is not ASCII reads as an empty one, which is
/// rejected.
fn authorization(headers: &HeaderMap) -> Result<Option<&str>, OAuthError> {
    let mut values = headers.get_all(AUTHORIZATION).iter();
    match (values.next(), values.next()) {
        (value, None) => Ok(value.map(|value| value.to_str().unwrap_or_default())),
        _ => Err(OAuthError::invalid_request("the Authorization header must not be repeated")),
    }
}
