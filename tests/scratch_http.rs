//! Scratch.

#[path = "it/http/mod.rs"]
mod http;
#[path = "it/support/mod.rs"]
mod support;
