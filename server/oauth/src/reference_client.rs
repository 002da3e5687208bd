//! The client with which the reference pages sign in.
//!
//! It is built in: its metadata is constant, apart from the server's address. It is stored like the client of a metadata
//! document when it is used, so that grants, tokens, revocation and the page of connected apps treat it like any other.

use chrono::TimeDelta;
use itinerary_api::oauth_error::OAuthError;
use itinerary_api::types::oauth::{ClientAuthMethod, RegistrationRequest};
use itinerary_core::oauth::registration;
use itinerary_platform::context::Service;
use itinerary_reference::{CLIENT_ID, CLIENT_NAME, REDIRECT_PATH};
use itinerary_store::Client;

use super::{client_documents, store_failed};

/// The names of the built-in clients.
pub(super) const BUILT_IN: [&str; 1] = [CLIENT_NAME];

/// How long its row is not written again. Much shorter than the time after which the row of an unused client expires.
const FRESH: TimeDelta = TimeDelta::days(1);

/// The address of the page that ends its sign-ins.
fn redirect_uri(service: &Service) -> String {
    format!("{}{REDIRECT_PATH}", service.config.base_url)
}

/// Whether an authorisation request comes from this server's reference pages. Its client alone does not tell: on
/// loopback any port is accepted, where another program may listen.
pub(super) fn leads_to_reference(service: &Service, client: &Client, address: &str) -> bool {
    client.id == CLIENT_ID && address == redirect_uri(service)
}

/// The row of the client. Written if it is missing, old, or from a time when the server had another address.
pub(super) async fn client(service: &Service) -> Result<Client, OAuthError> {
    let now = service.clock.now();
    let request = RegistrationRequest {
        redirect_uris: vec![redirect_uri(service)],
        client_name: Some(CLIENT_NAME.to_owned()),
        token_endpoint_auth_method: Some(ClientAuthMethod::None),
        ..RegistrationRequest::default()
    };
    let registration = registration::accept(request, CLIENT_ID.to_owned(), None, now);
    let client = client_documents::stored(&registration, now, FRESH);
    let known = service.store.client(CLIENT_ID).await.map_err(store_failed)?;
    let is_current = |known: &Client| {
        known.redirect_uris == client.redirect_uris
            && known.name == client.name
            && client_documents::is_fresh(known, now)
    };
    if let Some(known) = known.filter(is_current) {
        return Ok(known);
    }
    service.store.client_put(&client, now).await.map_err(store_failed)?;
    Ok(client)
}
