//! Wallet passes for a flight or a hotel: Apple Wallet files ([`Apple`]) and Google Wallet save links ([`Google`]).
//!
//! Pure: no network, no HTTP and no clock of its own; the current time is an argument. The only exception is the
//! signing time in the signature of an Apple pass, which OpenSSL takes from the system clock. A pass takes a few
//! milliseconds of CPU.
//!
//! A pass contains only data from its [`Pass`]: unknown values are omitted, and there is never a barcode.

mod apple;
mod error;
mod google;
mod pass;
mod pictures;

pub use apple::{Apple, AppleSettings};
pub use error::{Failure, Misconfigured};
pub use google::Google;
pub use pass::{Airport, Flight, Hotel, Item, MAX_SERIAL, Pass};
