//! The OpenID Connect providers by which travellers sign in.

use std::fs;

use itinerary_providers::{ClientRegistration, Http, IdentityProvider};

use super::PortsError;
use crate::settings::{Config, OidcProvider, OidcSecret};

/// A provider: its settings, and the protocol.
pub struct SignInProvider {
    pub settings: OidcProvider,
    pub protocol: IdentityProvider,
}

/// The providers that the configuration names. Reads the files with secrets, and calls no provider.
pub fn configured(config: &Config, http: &Http) -> Result<Vec<SignInProvider>, PortsError> {
    let providers = config.sign_in.oidc.iter().flat_map(|oidc| &oidc.0);
    providers.map(|settings| provider(config, http, settings)).collect()
}

fn provider(config: &Config, http: &Http, settings: &OidcProvider) -> Result<SignInProvider, PortsError> {
    let client_secret = match &settings.client_secret {
        OidcSecret::Text(secret) => secret.clone(),
        OidcSecret::File(file) => {
            let text = fs::read_to_string(file).map_err(|error| PortsError::OidcSecret(file.clone(), error))?;
            let secret = text.trim_end_matches(['\r', '\n']).to_owned();
            if secret.is_empty() {
                return Err(PortsError::NoOidcSecret(file.clone()));
            }
            secret
        }
    };
    let registration = ClientRegistration {
        issuer: settings.issuer.clone(),
        client_id: settings.client_id.clone(),
        client_secret,
        redirect_uri: format!("{}/sign-in/{}/callback", config.base_url, settings.slug),
    };
    let protocol = IdentityProvider::new(http.clone(), registration)?;
    Ok(SignInProvider { settings: settings.clone(), protocol })
}
