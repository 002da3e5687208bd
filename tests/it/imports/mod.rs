//! Bookings from files.

mod import_read;
mod import_read_bodies;
