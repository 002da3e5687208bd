//! Providers with which travellers sign in.

use schemars::JsonSchema;
use serde::Deserialize;

/// The path of an OpenID Connect provider.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
pub struct ProviderPath {
    /// The provider's name in addresses, from the settings.
    pub provider: String,
}
