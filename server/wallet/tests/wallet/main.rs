//! Tests of wallet passes.

mod apple_archive;
mod apple_content;
mod chain;
mod google;
mod items;
mod settings;
