//! Scratch root while the area is written.
mod support;
