//! HTTP: the request pipeline, and the handlers of the operations behind it.

mod body;
mod compression;
mod connections;
mod contexts;
pub mod docs;
mod endpoints;
mod guards;
mod headers;
mod log;
mod multipart;
mod origins;
mod own_itinerary;
mod pipeline;
mod replies;
mod routes;

pub use connections::Stopped;
pub use connections::{ConnectionLimits, Listener};
pub use contexts::Contexts;
pub use contexts::HandlerContext;
pub use endpoints::Api;
pub use routes::PolicyMissing;
