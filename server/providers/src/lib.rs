//! Providers of places, routes, images and activities, over HTTP.
//!
//! Four ports ([`Geocoder`], [`Routes`], [`Images`], [`Activities`]) and their adapters, and two for addresses that apps
//! name ([`ClientDocuments`], [`WebhookSender`]). [`IdentityProvider`] signs people in by OpenID Connect. Every adapter of
//! the four calls its provider through an [`Endpoint`], which checks the address, limits time and size, keeps to the provider's rate limit
//! and stops calling a provider that keeps failing. Every call returns a value or a [`Failure`] by its deadline.
//!
//! The crate depends neither on the database nor on the API's types. It does not score candidates or decode images, and
//! callers decide how to handle a failure.

mod activities;
mod address;
mod breaker;
mod cache;
mod client_documents;
mod endpoint;
mod failure;
mod geocoder;
mod http;
mod identity;
mod images;
mod limiter;
mod nominatim;
mod openverse;
mod osrm;
mod photon;
mod routes;
mod text;
mod valhalla;
mod viator;
mod webhooks;

pub use activities::{Activities, Activity, Nearby};
pub use cache::{Cache, Cached, CachedValue};
pub use client_documents::{ClientDocument, ClientDocuments, HttpsClientDocuments, MAX_CLIENT_DOCUMENT_BYTES};
pub use endpoint::{Endpoint, Observer};
pub use failure::{Failure, Misconfigured};
pub use geocoder::{Found, Geocoder, Point, Question};
pub use http::{Http, MoreHeaders, REFRESH_TIMEOUT, WRITE_TIMEOUT};
pub use identity::{Callback, ClientRegistration, Identity, IdentityFailure, IdentityProvider, SignInRequest};
pub use images::{Images, Picture};
pub use limiter::Limiter;
pub use nominatim::Nominatim;
pub use openverse::Openverse;
pub use osrm::Osrm;
pub use photon::Photon;
pub use routes::{MAX_POINTS, Matrix, Mode, Routes, Travel};
pub use tokio::time::Instant;
pub use valhalla::Valhalla;
pub use viator::{Viator, ViatorOptions};
pub use webhooks::{HttpWebhookSender, Reach, WEBHOOK_RESPONSE_BYTES, WebhookResponse, WebhookSender};

/// The attribution that OpenStreetMap's licence (`ODbL`) requires. Applies to Nominatim, Photon, OSRM and Valhalla.
pub const OPENSTREETMAP_ATTRIBUTION: &str = "© OpenStreetMap contributors";
