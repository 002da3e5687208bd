//! Bookings from files.

mod extractor;
mod import_read;
mod import_read_bodies;
