//! What tests of several packages use: throw-away PostgreSQL servers, and databases with the store's schema.
//!
//! It knows the store at most; the server in the test's process is in `tests/src/world.rs`.

#[cfg(feature = "databases")]
pub mod database;
pub mod postgres;
#[cfg(feature = "databases")]
pub mod sql;
