//! Properties of the rules: what holds for every itinerary, every change and every input, not for chosen examples alone.
//!
//! `PROPTEST_CASES` sets how many inputs each property is tried with.

mod answers;
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
mod rfc7396;
mod round_trip;
mod shape;
mod stored;
mod strategies;
mod support;
mod values;
