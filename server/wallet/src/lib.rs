//! Wallet passes for flights, hotels, transports and reservations: Apple Wallet files ([`Apple`]) and Google Wallet save
//! links ([`Google`]).
//!
//! Pure: no network, no HTTP and no clock of its own; the current time is an argument. The only exception is the
//! signing time in the signature of an Apple pass, which OpenSSL takes from the system clock. A pass takes a few
//! milliseconds of CPU.
//!
//! A pass contains only data from its [`Pass`]: unknown values are omitted, and its barcode is the ticket's own.

mod apple;
mod barcode;
mod error;
mod google;
mod pass;
mod pictures;

pub use apple::{Apple, AppleSettings};
pub use barcode::{Barcode, BarcodeContent, BarcodeFormat};
pub use error::{Failure, Misconfigured};
pub use google::Google;
pub use pass::{
    Airport, Flight, Hotel, Item, MAX_SERIAL, Pass, Reservation, Station, Ticket, Transport, TransportMode, When,
};
pub use pictures::logo;
