//! Properties of the rules, which hold for every itinerary, every change and every input.
//!
//! `PROPTEST_CASES` sets the number of inputs for each property.

mod edits;
mod frame;
mod full;
mod hostile;
mod invariants;
mod merge;
mod model;
mod optimise;
mod plain;
mod repeats;
mod responses;
mod rfc7396;
mod round_trip;
mod shape;
mod shift;
mod stored;
mod strategies;
mod support;
mod values;
