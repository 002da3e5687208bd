//! What programs read to find their way: the OAuth metadata and the OpenAPI document.

use itinerary_api::reply::Reply;
use itinerary_api::types::oauth::{AuthorisationServerMetadata, ProtectedResourceMetadata};
use serde_json::{Map, Value};

use crate::context::Service;
use crate::oauth::discovery;

pub(super) fn authorisation_server(service: &Service) -> Reply<AuthorisationServerMetadata> {
    Reply::json(&discovery::authorisation_server(service))
}

pub(super) fn protected_resource(service: &Service) -> Reply<ProtectedResourceMetadata> {
    Reply::json(&discovery::protected_resource(service))
}

pub(super) fn protected_resource_mcp(service: &Service) -> Reply<ProtectedResourceMetadata> {
    Reply::json(&discovery::protected_resource_mcp(service))
}

/// The published document, with this server's address in it.
pub(super) fn document(service: &Service) -> Reply<Map<String, Value>> {
    Reply::stored(vec![service.document.clone()])
}
