//! Reads the settings from flags, environment variables and the config file. Their types are in `itinerary_platform::settings`.
//!
//! A setting has one name: `base_url` is `--base-url`, `ITINERARY_BASE_URL` and `base_url = …` in the config file (see
//! `names.rs`). A flag takes precedence over the variable, the variable over the file, the file over the default.

mod effective;
mod file;
mod names;
mod parse;
mod variables;

pub use effective::{Effective, Setting, Source};
pub use parse::{ConfigError, Parsed, command, parse};
pub use variables::unknown_variables;

#[cfg(test)]
mod tests;
