//! One module for each format. Each turns text or bytes into bookings, and says what it had to leave out.

mod archive;
pub mod boarding_pass;
pub mod calendar;
pub mod exports;
pub mod gpx;
pub mod html;
pub(crate) mod json;
pub mod json_ld;
pub mod kml;
mod labels;
pub mod mail;
pub(crate) mod number;
pub mod pass;
pub mod schema_org;
mod text;
mod when;
mod xml;
