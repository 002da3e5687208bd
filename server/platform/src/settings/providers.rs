//! The settings of providers.

use clap::{Args, ValueEnum};

/// A geocoder.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
#[expect(missing_docs, reason = "names of programs")]
pub enum GeocoderKind {
    Nominatim,
    Photon,
}

/// A route provider.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
#[expect(missing_docs, reason = "names of programs")]
pub enum RoutesKind {
    Osrm,
    Valhalla,
}

/// An image provider.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
#[expect(missing_docs, reason = "names of services")]
pub enum ImagesKind {
    Openverse,
}

/// Providers outside the server. Without a provider, the embedded default is used.
#[derive(Clone, Debug, Args)]
pub struct ProviderSettings {
    /// Finds places that the gazetteer does not have. Default: none
    #[arg(long = "providers-geocoder", value_name = "NAME")]
    pub geocoder: Option<GeocoderKind>,
    /// The geocoder's base URL. Default: its public server
    #[arg(long = "providers-geocoder-url", value_name = "URL")]
    pub geocoder_url: Option<String>,
    /// Milliseconds between two calls of the geocoder. Public servers require at least the default
    #[arg(long = "providers-geocoder-interval", value_name = "MILLISECONDS", default_value_t = 1000)]
    pub geocoder_interval: u64,
    /// Computes legs. Default: none, legs are estimated
    #[arg(long = "providers-routes", value_name = "NAME")]
    pub routes: Option<RoutesKind>,
    /// The base URL of Valhalla, or of OSRM for driving
    #[arg(long = "providers-routes-url", value_name = "URL")]
    pub routes_url: Option<String>,
    /// The base URL of OSRM for walking. Default: none, walks are estimated
    #[arg(long = "providers-routes-walk-url", value_name = "URL")]
    pub routes_walk_url: Option<String>,
    /// The base URL of OSRM for cycling. Default: none
    #[arg(long = "providers-routes-bicycle-url", value_name = "URL")]
    pub routes_bicycle_url: Option<String>,
    /// Finds cover images. Default: none, covers are drawn
    #[arg(long = "providers-images", value_name = "NAME")]
    pub images: Option<ImagesKind>,
    /// The image provider's base URL. Default: its public server
    #[arg(long = "providers-images-url", value_name = "URL")]
    pub images_url: Option<String>,
    /// The key for Viator, which suggests activities. Default: none, places of the gazetteer are suggested
    #[arg(long = "providers-viator-key", value_name = "KEY", hide_env_values = true)]
    pub viator_key: Option<String>,
    /// Viator's base URL. Default: its public server
    #[arg(long = "providers-viator-url", value_name = "URL")]
    pub viator_url: Option<String>,
    /// A web or mail address at which providers can reach the operator, sent in User-Agent. Default: the base URL
    #[arg(long = "providers-contact", value_name = "ADDRESS")]
    pub contact: Option<String>,
}
