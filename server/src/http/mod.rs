//! HTTP: the front door, and the handlers of the operations behind it.

mod body;
mod compression;
mod connections;
mod contexts;
mod endpoints;
mod front_door;
mod gate;
mod headers;
mod log;
mod multipart;
mod origins;
mod own_itinerary;
mod replies;
mod routes;

pub use connections::Stopped;
pub(crate) use connections::{Listener, Seats};
pub(crate) use contexts::Contexts;
pub use contexts::Door;
pub use endpoints::Api;
pub use routes::PolicyMissing;
