//! What every part of the server uses and none of them is: the state shared by all requests ([`context`]), the clock, the
//! types of the settings, rate limits and other shares of the machine, the log, metrics, files and providers.
//!
//! It knows no use case, no page, no tool and no operation.

pub mod account_limit;
pub mod addresses;
pub mod context;
pub mod cpu_time;
pub mod error_chain;
pub mod fair_pool;
pub mod kept_calendars;
pub mod library_clock;
pub mod limits;
pub mod log;
pub mod long_work;
pub mod metrics;
pub mod passwords;
pub mod pictures;
pub mod ports;
pub mod reads;
pub mod response_budget;
pub mod settings;
pub mod system;
pub mod tls;
