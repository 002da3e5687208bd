//! What tests of several packages use: throw-away databases, raw HTTP, bodies of requests, certificates, terminals.
//!
//! It knows the store at most; the server in the test's process is in `tests/src/world.rs`.

pub mod bodies;
pub mod certificates;
#[cfg(feature = "databases")]
pub mod database;
pub mod postgres;
pub mod raw;
#[cfg(feature = "databases")]
pub mod sql;
pub mod terminal;
