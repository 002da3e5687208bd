//! Dynamic client registration (RFC 7591): open to anyone, ten times an hour for each address.

use std::net::IpAddr;

use itinerary_api::oauth_error::OAuthError;
use itinerary_api::types::oauth::{ClientAuthMethod, Registration, RegistrationRequest};
use itinerary_core::ids;
use itinerary_core::oauth::registration;
use itinerary_platform::context::Service;
use itinerary_platform::limits::{Bucket, Verdict};
use itinerary_store::Client;

use super::reference_client::BUILT_IN;
use super::{refuse_while_paused, store_failed, too_many};

/// Registers a client, and says what is left of the limit. Requests that are rejected as invalid do not count against it.
pub async fn register(
    service: &Service,
    address: IpAddr,
    request: RegistrationRequest,
) -> Result<(Registration, Verdict), OAuthError> {
    refuse_while_paused(service).await?;
    let now = service.clock.now();
    let bucket = [Bucket::Registration(address)];
    refuse_too_many(service.limits.peek(&bucket, now).await)?;
    registration::check(&request, &BUILT_IN)?;
    let verdict = refuse_too_many(service.limits.take(&bucket, now).await)?;

    // The prefix keeps ids of registered clients apart from ids that are URLs.
    let client_id = format!("app_{}", ids::uuid(now, &*service.random).simple());
    let confidential = registration::auth_method(&request) != ClientAuthMethod::None;
    let secret = confidential.then(|| ids::secret("itp_cs_", &*service.random));
    let registration = registration::accept(request, client_id, secret, now);
    service.store.client_insert(&stored(&registration, now)).await.map_err(store_failed)?;
    Ok((registration, verdict))
}

fn refuse_too_many(verdict: Verdict) -> Result<Verdict, OAuthError> {
    if verdict.allowed { Ok(verdict) } else { Err(too_many("too many registrations from this address", verdict)) }
}

/// The row of a client.
pub(super) fn stored(registration: &Registration, now: chrono::DateTime<chrono::Utc>) -> Client {
    let json = |value: Result<String, serde_json::Error>| value.expect("text serialises");
    let metadata = Registration { client_secret: None, ..registration.clone() };
    Client {
        id: registration.client_id.clone(),
        secret_hash: registration.client_secret.as_deref().map(ids::hash),
        name: registration.client_name.clone(),
        redirect_uris: json(serde_json::to_string(&registration.redirect_uris)),
        metadata: json(serde_json::to_string(&metadata)),
        auth_method: registration.token_endpoint_auth_method.as_str().to_owned(),
        created_at: now,
    }
}
