//! Places by name: built-in cities, airports and sights, and readers for files of GeoNames and `OurAirports`.
//!
//! This crate does not search, store, or look up countries and time zones by coordinate.

pub mod csv;
mod embedded;
pub mod geonames;
mod lines;
pub mod names;
pub mod ourairports;
pub mod pack;
mod place;
pub mod sights;

pub use embedded::{EMBEDDED_VERSION, embedded};
pub use lines::{Position, Refused};
pub use place::{Class, Place, distance_km};
