//! Pictures: checks and re-encodes uploads ([`reencode()`]), and draws covers ([`draw()`]).
//!
//! Pure: no I/O, no clock, no async. Both functions use the processor for a noticeable time, so a server calls them on
//! a blocking thread. [`megapixels()`] says from the header how much a picture is. Nothing here stores, fetches or caches a picture.

mod colours;
mod draw;
mod links;
mod probe;
mod reencode;
mod rejected;
mod resample;
mod stored;

pub use draw::{Drawing, draw};
pub use links::for_links;
pub use reencode::{megapixels, reencode};
pub use rejected::{MAX_BYTES, MAX_PIXELS, MAX_SIDE, Rejected};
pub use stored::{LARGE_SIDE, SMALL_SIDE, Stored};
