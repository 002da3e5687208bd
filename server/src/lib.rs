//! The Itinerary Planning Service: the server and its command line.
//!
//! This crate starts and stops the server and runs its commands. What serves requests is in the crates below it:
//! `itinerary-http` receives requests, `itinerary-app` has the use cases, `itinerary-mcp` the tools, `itinerary-oauth` signs
//! travellers in, `itinerary-store` keeps data. See `ARCHITECTURE.md`.

mod backup;
mod check;
pub mod cli;
pub mod config;
pub mod demo;
pub mod gazetteer;
pub mod jobs;
mod metrics_server;
pub mod serve;
pub mod server_key;
mod service_manager;
