//! Pictures: checks and re-encodes uploads ([`reencode()`]), draws covers ([`draw()`]), and makes the pictures that other
//! programs show beside links ([`for_links()`]).
//!
//! Pure: no I/O, no clock, no async. All three use the processor for a noticeable time, so a server calls them on
//! a blocking thread. [`megapixels()`] says from the header how much a picture is. Nothing here stores, fetches or caches a picture.

mod caption;
mod colours;
mod draw;
mod font;
mod links;
mod probe;
mod reencode;
mod rejected;
mod resample;
mod stored;

pub use caption::Caption;
pub use draw::{Drawing, draw};
pub use links::for_links;
pub use reencode::{megapixels, reencode};
pub use rejected::{MAX_BYTES, MAX_PIXELS, MAX_SIDE, Rejected};
pub use stored::{LARGE_SIDE, SMALL_SIDE, Stored};
