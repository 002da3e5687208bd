//! The Itinerary Planning Service: the server and its command line.
//!
//! `http` receives requests, `app` has the use cases, the store keeps data, `oauth` signs travellers in. See
//! `ARCHITECTURE.md`.

pub mod account_limit;
pub mod addresses;
pub mod app;
mod backup;
mod check;
pub mod cli;
pub mod config;
pub mod context;
pub mod cpu_time;
pub mod demo;
pub mod docs;
mod error_chain;
pub mod fair_pool;
pub mod gazetteer;
pub mod http;
pub mod jobs;
pub mod kept_calendars;
pub mod library_clock;
pub mod limits;
mod log;
pub mod long_work;
mod mcp;
pub mod metrics;
mod metrics_server;
pub mod oauth;
pub mod passwords;
pub mod pictures;
pub mod ports;
pub mod reads;
pub mod response_budget;
pub mod serve;
pub mod server_key;
mod service_manager;
pub mod system;
mod tls;
