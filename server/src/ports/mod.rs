//! Ports to services outside, each with an embedded default.
//!
//! The interfaces of providers and their adapters are in `itinerary-providers`.

pub mod blobs;
pub mod coordinates;
pub(crate) mod providers;
pub mod wallets;

use std::sync::Arc;

use itinerary_providers::{Activities, ClientDocuments, Geocoder, Images, Routes};

use blobs::Blobs;
use wallets::Wallets;

/// The configured providers and the file store. Without a provider, the embedded default answers.
pub struct Ports {
    /// Finds places that the gazetteer does not have.
    pub geocoder: Option<Arc<dyn Geocoder>>,
    /// Travel times. Default: estimates.
    pub routes: Option<Arc<dyn Routes>>,
    /// Cover images. Default: drawn covers.
    pub images: Option<Arc<dyn Images>>,
    /// Activities. Default: places of the gazetteer.
    pub activities: Option<Arc<dyn Activities>>,
    /// Fetches metadata documents of OAuth clients.
    pub client_documents: Arc<dyn ClientDocuments>,
    pub blobs: Blobs,
    pub wallets: Wallets,
}
