//! Exports an itinerary to calendars, maps and pages. Pure: reads no clock, sends no request.

pub mod map;
