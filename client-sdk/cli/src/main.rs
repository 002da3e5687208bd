//! The command `itinerary`.

fn main() {}
