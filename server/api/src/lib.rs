//! The contract of the Itinerary Planning Service.
//!
//! Wire types, error catalogue, policy table and endpoint trait: what the service promises, and nothing of how it keeps
//! it. No I/O, no database, no clock. The document and through it the SDK are generated from this crate.
//!
//! Without the feature `dropshot` there are the wire types alone, for the rules and their fuzz targets.

#![warn(missing_docs)]

pub mod error;
pub mod oauth_error;
pub mod permission;
pub mod policy;
pub mod read;
pub mod types;
pub mod values;

#[cfg(feature = "dropshot")]
mod api;
#[cfg(feature = "dropshot")]
pub mod extract;
#[cfg(feature = "dropshot")]
pub mod reply;
#[cfg(feature = "dropshot")]
pub mod scope;

#[cfg(feature = "dropshot")]
pub use api::{ItineraryApi, itinerary_api_mod};
