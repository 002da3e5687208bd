//! Places by name: built-in cities, airports and sights, and readers for files of GeoNames and `OurAirports`.
//!
//! [`index`] finds the built-in places without a database. This crate does not score matches, store places, or look up
//! countries and time zones by coordinate.

pub mod area;
pub mod csv;
mod embedded;
pub mod geonames;
pub mod index;
mod lines;
pub mod names;
pub mod ourairports;
mod place;
pub mod sights;

pub use area::Area;
pub use embedded::{built_in, embedded};
pub use lines::{Position, Refused};
pub use place::{Class, Place, distance_km};
