//! Throw-away databases, for the tests of the store and of the server and for the benchmark: PostgreSQL clusters, and with
//! the feature `databases` an empty database with the store's schema for each test.
//!
//! It imports nothing of the server above the store, so that the store's own tests can use it.

#[cfg(feature = "databases")]
pub mod database;
pub mod postgres;
#[cfg(feature = "databases")]
pub mod reuse;
#[cfg(feature = "databases")]
pub mod sql;

/// Prints that a test is skipped and why, to standard error directly: of tests that pass, the harness shows no output of
/// print macros.
///
/// # Panics
/// When standard error cannot be written.
pub fn skipped(reason: &str) {
    let line = format!("skipped: {reason}\n");
    std::io::Write::write_all(&mut std::io::stderr().lock(), line.as_bytes()).expect("standard error can be written");
}
