//! While it is being written.
#[path = "it/people/mod.rs"]
mod people;
#[path = "it/support/mod.rs"]
mod support;
