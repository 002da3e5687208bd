//! The contexts of dropshot's handlers.
//!
//! Every handler takes a `RequestContext`, which only dropshot's own server can create, one for each request that it
//! reads. Here `connections` reads requests. So dropshot's server runs for a moment, creates a few contexts, and stops.
//! A handler returns its context before it does anything else, so a few are enough for any number of requests.

use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::time::Duration;

use dropshot::{
    ApiDescription, ApiEndpoint, ApiEndpointVersions, CONTENT_TYPE_JSON, ConfigDropshot, HttpError,
    HttpResponseUpdatedNoContent, RequestContext, ServerBuilder,
};
use http::Method;
use itinerary_core::ids;
use itinerary_platform::context::Service;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use super::log::slog_to_tracing;
use super::routes::{PolicyMissing, RouteTable};
use crate::docs::Docs;

/// The number of contexts created at a time.
const BATCH: usize = 32;
/// How often contexts are created for one request while others take them all.
const ATTEMPTS: usize = 16;
/// How long creating them may take.
const LONGEST_MAKING: Duration = Duration::from_secs(10);

/// The context type of the handlers: the service, the published document, and the pool that the context returns to.
pub(crate) struct HandlerContext {
    service: Arc<Service>,
    docs: Arc<Docs>,
    contexts: Weak<Contexts>,
}

/// The pool of contexts.
pub struct Contexts {
    pub(super) service: Arc<Service>,
    pub(super) docs: Arc<Docs>,
    pub(super) routes: RouteTable,
    idle: Mutex<Vec<RequestContext<HandlerContext>>>,
    /// Held while contexts are created.
    making: tokio::sync::Mutex<()>,
}

impl Contexts {
    /// An empty pool for the operations of this service.
    pub fn new(service: Arc<Service>) -> Result<Arc<Self>, PolicyMissing> {
        let routes = RouteTable::new(service.policies)?;
        let docs = Arc::new(Docs::new(&service.config.base_url));
        Ok(Arc::new(Self { service, docs, routes, idle: Mutex::default(), making: tokio::sync::Mutex::default() }))
    }

    /// Takes a context. Creates more if there is none: a handler whose parameters are rejected does not return its own.
    pub(crate) async fn take(self: &Arc<Self>) -> io::Result<RequestContext<HandlerContext>> {
        for _ in 0..ATTEMPTS {
            if let Some(context) = self.pop() {
                return Ok(context);
            }
            let _making = self.making.lock().await;
            if let Some(context) = self.pop() {
                return Ok(context);
            }
            let made = tokio::time::timeout(LONGEST_MAKING, self.make()).await;
            made.unwrap_or_else(|elapsed| Err(elapsed.into()))?;
        }
        Err(io::Error::other("no handler context is free"))
    }

    /// Creates the first contexts at start, because a server that cannot create any could answer nothing.
    pub async fn fill(self: &Arc<Self>) -> io::Result<()> {
        let context = self.take().await?;
        self.give_back(context);
        Ok(())
    }

    fn pop(&self) -> Option<RequestContext<HandlerContext>> {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner).pop()
    }

    fn give_back(&self, context: RequestContext<HandlerContext>) {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner).push(context);
    }

    /// Runs dropshot's server on a port of its own at a secret path, and sends it a batch of requests.
    async fn make(self: &Arc<Self>) -> io::Result<()> {
        let path = format!("/{}", ids::secret("", &*self.service.random));
        let mut api = ApiDescription::new();
        let versions = ApiEndpointVersions::All;
        let mut endpoint = ApiEndpoint::new("keep".to_owned(), keep, Method::GET, CONTENT_TYPE_JSON, &path, versions);
        endpoint.visible = false;
        api.register(endpoint).map_err(io::Error::other)?;
        let (service, docs) = (Arc::clone(&self.service), Arc::clone(&self.docs));
        let handler_context = HandlerContext { service, docs, contexts: Arc::downgrade(self) };
        let bind_address = (Ipv4Addr::LOCALHOST, 0).into();
        let config = ConfigDropshot { bind_address, ..ConfigDropshot::default() };
        let server = ServerBuilder::new(api, handler_context, slog_to_tracing()).config(config).start();
        let server = server.map_err(io::Error::other)?;
        ask(server.local_addr(), &path).await
    }
}

/// Sends a batch of requests on one connection and waits until all have been answered.
async fn ask(server: SocketAddr, path: &str) -> io::Result<()> {
    let mut stream = TcpStream::connect(server).await?;
    let head = format!("GET {path} HTTP/1.1\r\nHost: localhost\r\n");
    let requests = format!("{head}\r\n").repeat(BATCH - 1) + &head + "Connection: close\r\n\r\n";
    stream.write_all(requests.as_bytes()).await?;
    stream.read_to_end(&mut Vec::new()).await?;
    Ok(())
}

/// The only endpoint that dropshot's server serves: puts each request's context into the pool.
async fn keep(context: RequestContext<HandlerContext>) -> Result<HttpResponseUpdatedNoContent, HttpError> {
    give_back(context);
    Ok(HttpResponseUpdatedNoContent())
}

/// Returns the handler's context to the pool, and the service to the handler.
pub(super) fn service(context: RequestContext<HandlerContext>) -> Arc<Service> {
    let service = Arc::clone(&context.context().service);
    give_back(context);
    service
}

/// Returns the handler's context to the pool, and what the server publishes about itself to the handler.
pub(super) fn docs(context: RequestContext<HandlerContext>) -> Arc<Docs> {
    let docs = Arc::clone(&context.context().docs);
    give_back(context);
    docs
}

/// Returns a context to the pool. `None` while the server stops.
pub(super) fn give_back(context: RequestContext<HandlerContext>) -> Option<Arc<Contexts>> {
    let contexts = context.context().contexts.upgrade()?;
    contexts.give_back(context);
    Some(contexts)
}
