//! HTTP: the request pipeline, and the handlers of the operations behind it.

mod body;
mod compression;
mod connections;
mod contexts;
mod docs;
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

pub use connections::{ConnectionLimits, Listener, Stopped};
pub use contexts::Contexts;
pub(crate) use contexts::HandlerContext;
pub use routes::PolicyMissing;
