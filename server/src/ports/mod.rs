//! What lies outside the service, each behind an interface of its own with an embedded default.
//!
//! The interfaces of providers and their adapters are in `itinerary-providers`.

pub mod blobs;
pub mod coordinates;
mod providers;
pub mod wallets;

use std::sync::Arc;

use itinerary_providers::{Activities, ClientDocuments, Geocoder, Images, Routes};

use blobs::Blobs;
use wallets::Wallets;

/// The providers that are configured, and where files are kept. Without providers the embedded defaults answer.
pub struct Ports {
    /// Finds places by name, after the gazetteer.
    pub geocoder: Option<Arc<dyn Geocoder>>,
    /// Travel times; estimated without it.
    pub routes: Option<Arc<dyn Routes>>,
    /// Cover images; drawn without it.
    pub images: Option<Arc<dyn Images>>,
    /// Activities; places of the gazetteer without it.
    pub activities: Option<Arc<dyn Activities>>,
    /// Metadata documents of OAuth clients.
    pub client_documents: Arc<dyn ClientDocuments>,
    /// Files.
    pub blobs: Blobs,
    /// What wallet passes are signed with.
    pub wallets: Wallets,
}
