//! The contract of the Itinerary Planning Service.
//!
//! Wire types, error catalogue, policy table and endpoint trait, without any implementation: no I/O, no database, no clock.
//! The OpenAPI document, and from it the SDK, are generated from this crate.
//!
//! Without the feature `dropshot` it has only the wire types, for the rules and their fuzz targets.

#![warn(missing_docs)]

pub mod deprecation;
pub mod error;
pub mod oauth_error;
pub mod permission;
pub mod policy;
pub mod read;
pub mod trace;
pub mod types;
pub mod values;

#[cfg(feature = "dropshot")]
mod api;
#[cfg(feature = "dropshot")]
pub mod extract;
#[cfg(feature = "dropshot")]
pub mod reply;
#[cfg(feature = "dropshot")]
pub mod request_state;

#[cfg(feature = "dropshot")]
pub use api::{ItineraryApi, itinerary_api_mod};
