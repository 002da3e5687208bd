//! The settings of rate limits.

use clap::{Args, ValueEnum};

use crate::limits::CounterServer;

/// Whether rate limits apply, and where requests are counted.
#[derive(Clone, Debug)]
pub enum Limits {
    /// Limits do not apply.
    Off,
    /// Each server counts by itself.
    Own,
    /// This Redis or Valkey server counts for all servers.
    Shared(CounterServer),
}

/// What happens to requests while the shared counters cannot be reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum WhenUnavailable {
    /// Each server counts by itself.
    Allow,
    /// They are answered 503.
    Reject,
}

/// Rate limits.
#[derive(Clone, Debug, Args)]
pub struct LimitSettings {
    /// Whether rate limits and limits per account apply: on, each server counting by itself; off, for load tests; or the URL
    /// of a Redis or Valkey server that counts for all servers, redis://[USER:PASSWORD@]HOST[:PORT][/NUMBER] or rediss://…
    /// with TLS
    #[arg(id = "limits", long = "limits", value_name = "on|off|URL", default_value = "on", value_parser = parse)]
    #[arg(hide_env_values = true)]
    pub from: Limits,
    /// What happens to requests while the server of `limits` cannot be reached: they are allowed as far as each server counts
    /// by itself, or rejected with 503
    #[arg(long = "limits-unavailable", value_name = "WHAT", default_value = "allow")]
    pub unavailable: WhenUnavailable,
}

fn parse(text: &str) -> Result<Limits, String> {
    match text {
        "on" => Ok(Limits::Own),
        "off" => Ok(Limits::Off),
        url if url.contains(':') => url.parse().map(Limits::Shared).map_err(|error: &str| error.to_owned()),
        _ => Err("must be one of on, off, or a URL that starts with redis:// or rediss://".to_owned()),
    }
}
