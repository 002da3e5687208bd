//! Discovery: the metadata of the authorisation server and of the protected resources.
//!
//! `issuer` is the configured base URL, the same everywhere, because clients compare it as a string.

use itinerary_api::policy::Scope;
use itinerary_api::types::oauth::{AuthorisationServerMetadata, ClientAuthMethod, ProtectedResourceMetadata};
use itinerary_core::oauth::pkce;
use itinerary_core::oauth::resource::Resource;
use itinerary_platform::context::Service;

const NAME: &str = "Itinerary Planning Service";

/// Authorisation server metadata (RFC 8414).
pub fn authorisation_server(service: &Service) -> AuthorisationServerMetadata {
    let base_url = &service.config.base_url;
    AuthorisationServerMetadata {
        issuer: base_url.clone(),
        authorization_endpoint: format!("{base_url}/oauth/authorise"),
        token_endpoint: format!("{base_url}/oauth/token"),
        registration_endpoint: format!("{base_url}/oauth/register"),
        revocation_endpoint: format!("{base_url}/oauth/revoke"),
        scopes_supported: names(&Scope::ALL),
        response_types_supported: vec!["code".to_owned()],
        response_modes_supported: vec!["query".to_owned()],
        grant_types_supported: vec!["authorization_code".to_owned(), "refresh_token".to_owned()],
        token_endpoint_auth_methods_supported: ClientAuthMethod::ALL.to_vec(),
        revocation_endpoint_auth_methods_supported: ClientAuthMethod::ALL.to_vec(),
        code_challenge_methods_supported: vec![pkce::METHOD.to_owned()],
        authorization_response_iss_parameter_supported: true,
        client_id_metadata_document_supported: service.config.oauth_client_documents,
    }
}

/// Protected resource metadata of the whole service (RFC 9728).
pub fn protected_resource(service: &Service) -> ProtectedResourceMetadata {
    resource(service, service.config.base_url.clone(), &Scope::ALL)
}

/// Protected resource metadata of the MCP endpoint (RFC 9728). Names the scopes to begin with; a tool that needs
/// another asks for it when it is called.
pub fn protected_resource_mcp(service: &Service) -> ProtectedResourceMetadata {
    let address = Resource::mcp_address(&service.config.base_url);
    resource(service, address, &[Scope::ItinerariesRead, Scope::ItinerariesWrite])
}

fn resource(service: &Service, resource: String, scopes: &[Scope]) -> ProtectedResourceMetadata {
    ProtectedResourceMetadata {
        resource,
        resource_name: NAME.to_owned(),
        authorization_servers: vec![service.config.base_url.clone()],
        scopes_supported: names(scopes),
        bearer_methods_supported: vec!["header".to_owned()],
    }
}

fn names(scopes: &[Scope]) -> Vec<String> {
    scopes.iter().map(ToString::to_string).collect()
}
