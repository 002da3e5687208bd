//! What all parts of the server share: its state ([`context`]), the system's clock, the types of the settings, rate limits
//! and other limits on resources, the log, metrics, and the ports to files and providers.
//!
//! It contains no use case, no HTML, no MCP tool and no handler.

pub mod account_limit;
pub mod addresses;
pub mod change_streams;
pub mod content_cache;
pub mod context;
pub mod cpu_time;
pub mod error_chain;
pub mod fair_pool;
pub mod gazetteer;
pub mod kept_calendars;
pub mod library_clock;
pub mod limits;
pub mod log;
pub mod long_work;
pub mod mail_address;
pub mod memory_cache;
pub mod metrics;
pub mod passwords;
pub mod pictures;
pub mod ports;
pub mod reads;
pub mod response_budget;
pub mod settings;
pub mod system;
pub mod tls;
pub mod turns;
