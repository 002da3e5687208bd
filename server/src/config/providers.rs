//! Which providers are used, and how they are reached.

use clap::ValueEnum;
use serde::Deserialize;

/// A geocoder.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum GeocoderKind {
    Nominatim,
    Photon,
}

/// A route provider.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum RoutesKind {
    Osrm,
    Valhalla,
}

/// An image provider.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ImagesKind {
    Openverse,
}

/// Providers outside the server. Without one, the embedded default answers.
#[derive(Clone, Debug, Default, clap::Args, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ProviderSettings {
    /// Finds places that the gazetteer does not have. Default: none
    #[arg(long = "providers-geocoder", env = "ITINERARY_PROVIDERS_GEOCODER", value_name = "NAME")]
    pub geocoder: Option<GeocoderKind>,
    /// The geocoder's base URL. Default: its public server
    #[arg(long = "providers-geocoder-url", env = "ITINERARY_PROVIDERS_GEOCODER_URL", value_name = "URL")]
    pub geocoder_url: Option<String>,
    /// Milliseconds between two calls of the geocoder. Default: 1000, as public servers demand
    #[arg(
        long = "providers-geocoder-interval",
        env = "ITINERARY_PROVIDERS_GEOCODER_INTERVAL",
        value_name = "MILLISECONDS"
    )]
    pub geocoder_interval: Option<u64>,
    /// Computes legs. Default: none, legs are estimated
    #[arg(long = "providers-routes", env = "ITINERARY_PROVIDERS_ROUTES", value_name = "NAME")]
    pub routes: Option<RoutesKind>,
    /// The base URL of Valhalla, or of OSRM for driving
    #[arg(long = "providers-routes-url", env = "ITINERARY_PROVIDERS_ROUTES_URL", value_name = "URL")]
    pub routes_url: Option<String>,
    /// The base URL of OSRM for walking. Default: none, walks are estimated
    #[arg(long = "providers-routes-walk-url", env = "ITINERARY_PROVIDERS_ROUTES_WALK_URL", value_name = "URL")]
    pub routes_walk_url: Option<String>,
    /// The base URL of OSRM for cycling. Default: none
    #[arg(long = "providers-routes-bicycle-url", env = "ITINERARY_PROVIDERS_ROUTES_BICYCLE_URL", value_name = "URL")]
    pub routes_bicycle_url: Option<String>,
    /// Finds cover images. Default: none, covers are drawn
    #[arg(long = "providers-images", env = "ITINERARY_PROVIDERS_IMAGES", value_name = "NAME")]
    pub images: Option<ImagesKind>,
    /// The image provider's base URL. Default: its public server
    #[arg(long = "providers-images-url", env = "ITINERARY_PROVIDERS_IMAGES_URL", value_name = "URL")]
    pub images_url: Option<String>,
    /// The key for Viator, which suggests activities. Default: none, places of the gazetteer are suggested
    #[arg(
        long = "providers-viator-key",
        env = "ITINERARY_PROVIDERS_VIATOR_KEY",
        value_name = "KEY",
        hide_env_values = true
    )]
    pub viator_key: Option<String>,
    /// Viator's base URL. Default: its public server
    #[arg(long = "providers-viator-url", env = "ITINERARY_PROVIDERS_VIATOR_URL", value_name = "URL")]
    pub viator_url: Option<String>,
    /// A web or mail address that providers can turn to, sent in User-Agent. Default: the base URL
    #[arg(long = "providers-contact", env = "ITINERARY_PROVIDERS_CONTACT", value_name = "ADDRESS")]
    pub contact: Option<String>,
}

impl ProviderSettings {
    /// These settings, and `other` where nothing is said.
    #[must_use]
    pub(super) fn or(self, other: Self) -> Self {
        Self {
            geocoder: self.geocoder.or(other.geocoder),
            geocoder_url: self.geocoder_url.or(other.geocoder_url),
            geocoder_interval: self.geocoder_interval.or(other.geocoder_interval),
            routes: self.routes.or(other.routes),
            routes_url: self.routes_url.or(other.routes_url),
            routes_walk_url: self.routes_walk_url.or(other.routes_walk_url),
            routes_bicycle_url: self.routes_bicycle_url.or(other.routes_bicycle_url),
            images: self.images.or(other.images),
            images_url: self.images_url.or(other.images_url),
            viator_key: self.viator_key.or(other.viator_key),
            viator_url: self.viator_url.or(other.viator_url),
            contact: self.contact.or(other.contact),
        }
    }
}
