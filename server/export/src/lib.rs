//! Exports an itinerary to calendars, maps and pages. Pure: reads no clock, sends no request.

pub mod html;
pub mod map;
mod words;

pub use words::dates;
