//! Clients whose id is the URL of their metadata document.
//!
//! The document is fetched for the client's first authorisation request, and again when the stored one is no longer
//! fresh. It is stored like a registered client, so that tokens, revocation and the page of connected apps treat both
//! alike. These never fetch it: while the client's site is down, its tokens remain valid.

use std::net::IpAddr;
use std::time::Duration;

use chrono::{DateTime, TimeDelta, Utc};
use itinerary_api::oauth_error::OAuthError;
use itinerary_api::types::oauth::Registration;
use itinerary_core::oauth::{client_document, registration};
use itinerary_platform::context::Service;
use itinerary_platform::limits::Bucket;
use itinerary_providers::{ClientDocument, Failure, Instant};
use itinerary_store::Client;
use serde::{Deserialize, Serialize};

use super::reference_client::BUILT_IN;
use super::{refuse_while_paused, register, store_failed, too_many};

/// How long a fetch may take.
const FETCH_TIMEOUT: Duration = Duration::from_secs(2);

/// The `metadata` column of such a client.
#[derive(Serialize)]
struct Metadata<'a> {
    fresh_until: DateTime<Utc>,
    #[serde(flatten)]
    registration: &'a Registration,
}

/// The part of it that is read back.
#[derive(Deserialize)]
struct Freshness {
    fresh_until: DateTime<Utc>,
}

/// The client at a URL. `address` is the address of the request, which may cause 60 fetches an hour.
pub(super) async fn client(service: &Service, url: &str, address: IpAddr) -> Result<Client, OAuthError> {
    let known = service.store.client(url).await.map_err(store_failed)?;
    if let Some(client) = known.filter(|client| is_fresh(client, service.clock.now())) {
        return Ok(client);
    }
    refuse_while_paused(service).await?;
    let verdict = service.limits.take(&[Bucket::ClientDocument(address)], service.clock.now()).await;
    if !verdict.allowed {
        let message = "too many client metadata documents were fetched for your address; retry later";
        return Err(too_many(message, verdict));
    }
    let _turn = service
        .document_fetches
        .try_acquire()
        .map_err(|_| OAuthError::unavailable("too many client metadata documents are being fetched; retry", 1))?;
    let document = service.ports.client_documents.fetch(url, Instant::now() + FETCH_TIMEOUT).await;
    let client = document.map_err(|failure| refused(url, &failure)).and_then(|it| read(service, url, &it))?;
    service.store.client_put(&client, service.clock.now()).await.map_err(store_failed)?;
    Ok(client)
}

/// Unreadable metadata counts as expired.
pub(super) fn is_fresh(client: &Client, now: DateTime<Utc>) -> bool {
    serde_json::from_str::<Freshness>(&client.metadata).is_ok_and(|metadata| now < metadata.fresh_until)
}

fn read(service: &Service, url: &str, document: &ClientDocument) -> Result<Client, OAuthError> {
    let now = service.clock.now();
    let request = client_document::read(url, &document.json, &BUILT_IN)?;
    let registration = registration::accept(request, url.to_owned(), None, now);
    Ok(stored(&registration, now, client_document::fresh_for(&document.cache_control)))
}

/// The row of a client whose metadata is fresh for a while.
pub(super) fn stored(registration: &Registration, now: DateTime<Utc>, fresh_for: TimeDelta) -> Client {
    let metadata = Metadata { fresh_until: now + fresh_for, registration };
    let metadata = serde_json::to_string(&metadata).expect("plain data");
    Client { metadata, ..register::stored(registration, now) }
}

/// The error for a failed fetch. It does not distinguish a private address from one without a server, because that
/// would reveal the operator's network.
fn refused(url: &str, failure: &Failure) -> OAuthError {
    let host = url::Url::parse(url).ok().and_then(|url| url.host_str().map(str::to_owned));
    tracing::info!(host, failure = failure.for_log(), "fetching a client metadata document failed");
    let status;
    client_document::refused(match failure {
        Failure::TimedOut => "it did not arrive within 2 seconds",
        Failure::TooLarge => "it is longer than 5 KB",
        Failure::Malformed(_) => "its content type must be application/json",
        Failure::Status(code) => {
            status = format!("its HTTP status must be 200, and is {code}");
            &status
        }
        _ => "it cannot be fetched from a public address",
    })
}
