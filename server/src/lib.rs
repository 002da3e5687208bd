//! The Itinerary Planning Service: the server, and the command line that runs it.
//!
//! `http` lets requests in, `app` decides, the store keeps; `oauth` signs travellers in. See `ARCHITECTURE.md`.

pub mod accounts;
pub mod answers;
pub mod app;
pub mod cli;
pub mod config;
pub mod context;
pub mod demo;
pub mod gazetteer;
pub mod http;
pub mod jobs;
pub mod limits;
mod log;
mod mcp;
pub mod metrics;
pub mod oauth;
pub mod passwords;
pub mod pictures;
pub mod ports;
pub mod serve;
pub mod system;
pub mod transfers;
pub mod views;
