//! Enables the features of libraries that the tests or tools need, so that the server's libraries, and the server's own
//! crates, are compiled once for all of them.
//!
//! Cargo compiles a library again for each set of features. This crate has no code; `xtask/tests/dependencies` fails if
//! a feature is missing here.
