//! Throw-away databases, for the tests of the store and of the server and for the benchmark: PostgreSQL clusters, and with
//! the feature `databases` a new database with the store's schema for each test.
//!
//! It imports nothing of the server above the store, so that the store's own tests can use it.

#[cfg(feature = "databases")]
pub mod database;
pub mod postgres;
#[cfg(feature = "databases")]
pub mod reuse;
#[cfg(feature = "databases")]
pub mod sql;
