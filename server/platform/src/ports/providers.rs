//! Builds the configured providers.

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use itinerary_api::request_state;
use itinerary_api::trace::Trace;
use itinerary_core::clock::{Clock, Random};
use itinerary_providers::{
    Activities, Cache, Cached, CachedValue, Endpoint, Geocoder, Http, HttpWebhookSender, HttpsClientDocuments, Images,
    Limiter, Misconfigured, Mode, MoreHeaders, Nominatim, Openverse, Osrm, Photon, Reach, Routes, Valhalla, Viator,
    ViatorOptions,
};
use itinerary_store::Store;

use super::blobs::Blobs;
use super::extractor::Extractor;
use super::identity;
use super::mail::Mailer;
use super::wallets::Wallets;
use super::{Ports, PortsError};
use crate::metrics::ProviderCalls;
use crate::settings::{Access, Config, GeocoderKind, ImagesKind, ProviderSettings, RoutesKind, Storage};

/// The public servers.
const NOMINATIM: &str = "https://nominatim.openstreetmap.org";
const PHOTON: &str = "https://photon.komoot.io";
const OSRM: &str = "https://router.project-osrm.org";
const VALHALLA: &str = "https://valhalla1.openstreetmap.de";
const OPENVERSE: &str = "https://api.openverse.org";
const VIATOR: &str = "https://api.viator.com/partner";

/// Milliseconds between two calls of a public server.
const INTERVAL: u64 = 1_000;

impl Ports {
    /// Builds the providers that the configuration names.
    pub fn configured(
        config: &Config,
        storage: &Storage,
        store: &Store,
        clock: &Arc<dyn Clock>,
        random: &Arc<dyn Random>,
        calls: &ProviderCalls,
    ) -> Result<Self, PortsError> {
        let settings = &config.providers;
        let ProviderClient { http, calls } = client(config, calls)?;
        let sign_in_providers = identity::configured(config, &http)?;
        let client = ProviderClient { http: http.with_headers(trace_headers(random)), calls };
        let responses = KeptResponses { store: store.clone(), clock: Arc::clone(clock) };
        Ok(Self {
            geocoder: client.geocoder(settings, responses)?,
            routes: client.routes(settings)?,
            images: client.images(settings)?,
            activities: client.activities(settings)?,
            client_documents: Arc::new(HttpsClientDocuments::new(client.http)),
            sign_in_providers,
            webhooks: Arc::new(webhook_sender(config)?),
            mailer: Mailer::configured(config)?,
            blobs: blobs(storage)?,
            wallets: Wallets::configured(&config.wallet, &config.base_url)?,
            extractor: Extractor::configured(&config.import)?,
        })
    }

    /// Whether the providers, the file store and the wallets can be built. Calls none of them, and creates nothing.
    pub fn check(config: &Config, storage: &Storage) -> Result<(), PortsError> {
        let client = client(config, &ProviderCalls::default())?;
        client.geocoder(&config.providers, NoResponses)?;
        client.routes(&config.providers)?;
        client.images(&config.providers)?;
        client.activities(&config.providers)?;
        identity::configured(config, &client.http)?;
        Mailer::configured(config)?;
        if let Some((bucket, prefix)) = bucket(storage)? {
            in_bucket(&bucket, &prefix)?;
        }
        Wallets::configured(&config.wallet, &config.base_url)?;
        Extractor::configured(&config.import)?;
        Ok(())
    }
}

fn client(config: &Config, calls: &ProviderCalls) -> Result<ProviderClient, PortsError> {
    Ok(ProviderClient { http: Http::new(&user_agent(config))?, calls: calls.clone() })
}

/// How the server identifies itself.
fn user_agent(config: &Config) -> String {
    let contact = config.providers.contact.as_deref().unwrap_or(&config.base_url);
    format!("ItineraryPlanningService/{} (+{contact})", env!("CARGO_PKG_VERSION"))
}

fn webhook_sender(config: &Config) -> Result<HttpWebhookSender, Misconfigured> {
    let reach = if config.webhooks.private_addresses { Reach::Any } else { Reach::Public };
    HttpWebhookSender::new(&user_agent(config), reach)
}

/// The configured file store. Creates its folder if it is missing and the access permits it.
pub fn blobs(storage: &Storage) -> Result<Blobs, PortsError> {
    if let Some((bucket, prefix)) = bucket(storage)? {
        return in_bucket(&bucket, &prefix);
    }
    let folder = storage.files_folder();
    match storage.access {
        Access::DatabaseOnly => Ok(Blobs::none()),
        Access::Existing if !folder.exists() => Err(PortsError::NoFiles(folder)),
        Access::Existing | Access::Create => Ok(Blobs::in_folder(&folder)?),
    }
}

/// The bucket for files and the prefix in it. `None` if files are in a folder.
fn bucket(storage: &Storage) -> Result<Option<(String, String)>, PortsError> {
    let Some(address) = &storage.files_url else { return Ok(None) };
    // The log shows the URL.
    let is_plain = |url: &url::Url| url.scheme() == "s3" && url.username().is_empty() && url.password().is_none();
    let url = url::Url::parse(address).ok().filter(is_plain).ok_or(PortsError::FilesUrl)?;
    let bucket = url.host_str().ok_or(PortsError::FilesUrl)?;
    Ok(Some((bucket.to_owned(), url.path().trim_matches('/').to_owned())))
}

#[cfg(feature = "s3")]
fn in_bucket(bucket: &str, prefix: &str) -> Result<Blobs, PortsError> {
    Ok(Blobs::in_bucket(bucket, prefix)?)
}

#[cfg(not(feature = "s3"))]
fn in_bucket(_: &str, _: &str) -> Result<Blobs, PortsError> {
    Err(PortsError::NoS3)
}

/// The headers that put a call into the trace of the request that causes it. A request without a trace begins one with
/// its first call.
fn trace_headers(random: &Arc<dyn Random>) -> MoreHeaders {
    let random = Arc::clone(random);
    Arc::new(move || {
        let begin = || Trace::begin(random.bytes());
        let of_request = request_state::with(|state| state.trace().get_or_init(begin).headers());
        of_request.unwrap_or_else(|| begin().headers())
    })
}

struct ProviderClient {
    http: Http,
    calls: ProviderCalls,
}

impl ProviderClient {
    /// The provider's endpoint: the configured address, or its public server.
    fn endpoint(
        &self,
        name: &'static str,
        url: Option<&String>,
        public: &str,
        interval: u64,
    ) -> Result<Endpoint, Misconfigured> {
        let limiter = Limiter::new(Duration::from_millis(interval));
        let endpoint = Endpoint::new(self.http.clone(), url.map_or(public, String::as_str), limiter)?;
        let calls = self.calls.clone();
        Ok(endpoint.observed_by(Arc::new(move |failure| calls.ended(name, failure))))
    }

    fn geocoder(
        &self,
        settings: &ProviderSettings,
        responses: impl Cache + 'static,
    ) -> Result<Option<Arc<dyn Geocoder>>, Misconfigured> {
        let Some(kind) = settings.geocoder else { return Ok(None) };
        let interval = settings.geocoder_interval;
        let at = |name, public| self.endpoint(name, settings.geocoder_url.as_ref(), public, interval);
        Ok(Some(match kind {
            GeocoderKind::Nominatim => Arc::new(Cached::new(Nominatim::new(at("nominatim", NOMINATIM)?), responses)),
            GeocoderKind::Photon => Arc::new(Cached::new(Photon::new(at("photon", PHOTON)?), responses)),
        }))
    }

    fn routes(&self, settings: &ProviderSettings) -> Result<Option<Arc<dyn Routes>>, Misconfigured> {
        let Some(kind) = settings.routes else { return Ok(None) };
        let at = |name, url: Option<&String>, public| {
            self.endpoint(name, url, public, if url.is_some() { 0 } else { INTERVAL })
        };
        Ok(Some(match kind {
            RoutesKind::Valhalla => Arc::new(Valhalla::new(at("valhalla", settings.routes_url.as_ref(), VALHALLA)?)),
            RoutesKind::Osrm => {
                let mut osrm = Osrm::new().with(Mode::Drive, at("osrm", settings.routes_url.as_ref(), OSRM)?);
                for (mode, url) in
                    [(Mode::Walk, &settings.routes_walk_url), (Mode::Bicycle, &settings.routes_bicycle_url)]
                {
                    if url.is_some() {
                        osrm = osrm.with(mode, at("osrm", url.as_ref(), OSRM)?);
                    }
                }
                Arc::new(osrm)
            }
        }))
    }

    fn images(&self, settings: &ProviderSettings) -> Result<Option<Arc<dyn Images>>, Misconfigured> {
        let Some(ImagesKind::Openverse) = settings.images else { return Ok(None) };
        let url = settings.images_url.as_ref();
        let interval = if url.is_some() { 0 } else { INTERVAL };
        Ok(Some(Arc::new(Openverse::new(self.endpoint("openverse", url, OPENVERSE, interval)?))))
    }

    fn activities(&self, settings: &ProviderSettings) -> Result<Option<Arc<dyn Activities>>, Misconfigured> {
        let Some(key) = &settings.viator_key else { return Ok(None) };
        let endpoint = self.endpoint("viator", settings.viator_url.as_ref(), VIATOR, 0)?;
        let options = ViatorOptions { api_key: key.clone(), language: "en-US".to_owned(), currency: "EUR".to_owned() };
        Ok(Some(Arc::new(Viator::new(endpoint, options)?)))
    }
}

/// The database's cache of geocoder results.
struct KeptResponses {
    store: Store,
    clock: Arc<dyn Clock>,
}

#[async_trait]
impl Cache for KeptResponses {
    async fn get(&self, key: &str) -> Option<CachedValue> {
        let kept = self.store.provider_answer(key).await;
        let (json, fetched_at) =
            kept.inspect_err(|error| tracing::warn!(%error, "reading cached provider answers failed")).ok()??;
        Some(CachedValue { json, age: (self.clock.now() - fetched_at).to_std().unwrap_or_default() })
    }

    async fn put(&self, key: &str, json: &str) {
        if let Err(error) = self.store.provider_answer_put(key, json, self.clock.now()).await {
            tracing::warn!(%error, "caching a provider answer failed");
        }
    }
}

/// No cache.
struct NoResponses;

#[async_trait]
impl Cache for NoResponses {
    async fn get(&self, _: &str) -> Option<CachedValue> {
        None
    }

    async fn put(&self, _: &str, _: &str) {}
}
