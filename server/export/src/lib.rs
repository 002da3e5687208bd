//! Exports an itinerary to calendars, maps, pages and JSON. Pure: reads no clock, sends no request.
//!
//! The input is an itinerary as its reader sees it: sections that the reader may not see are absent, so no format can show
//! them. [`Trip`] works out dates, times and coordinates once for all formats.

mod agenda;
mod details;
mod geojson;
mod gpx;
pub mod html;
pub mod ics;
mod kml;
mod map;
mod markdown;
mod moment;
mod text;
mod today;
mod trip;
mod words;
mod xml;

pub use html::dates;
pub use itinerary_api::types::ExportFormat;
pub use moment::{Moment, Zone};
pub use today::{Next, Stage, Today};
pub use trip::{GeoPoint, Trip, TripDay, TripFlight, TripHotel, TripReservation, TripStop, TripTransport};
pub use words::{distance, duration, leg_mode, stop_category};

/// The file of a trip in a format.
pub fn export(trip: &Trip<'_>, format: ExportFormat) -> Vec<u8> {
    match format {
        ExportFormat::Ics => ics::export(trip),
        ExportFormat::Gpx => gpx::export(trip),
        ExportFormat::Geojson => geojson::export(trip),
        ExportFormat::Kml => kml::export(trip),
        ExportFormat::Md => markdown::export(trip),
        ExportFormat::Html => html::document(trip),
        ExportFormat::Json => serde_json::to_string_pretty(trip.itinerary).expect("strings are keys") + "\n",
    }
    .into_bytes()
}
