//! HTTP: the front door that every request goes through, and the handlers behind it.

mod answers;
mod body;
mod endpoints;
mod front_door;
mod gate;
mod headers;
mod log;
mod meters;
mod multipart;
mod routes;

pub use endpoints::Api;
pub use front_door::{Door, api};
pub(crate) use log::slog_to_tracing;
pub use routes::PolicyMissing;
