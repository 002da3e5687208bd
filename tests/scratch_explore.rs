//! Scratch.
#![allow(dead_code, unused_imports)]

#[path = "it/explore/mod.rs"]
mod explore;
#[path = "it/marks/mod.rs"]
mod marks;
#[path = "it/support/mod.rs"]
mod support;
