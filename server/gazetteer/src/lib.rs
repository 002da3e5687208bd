//! Places by name: the cities, airports and sights in the program, and readers for files of GeoNames and `OurAirports`.
//!
//! Places are facts with names. This crate does not search among them and stores none; it looks up no country and no
//! time zone by coordinate either.

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
