//! The settings of rate limits.

use std::fmt::{self, Debug, Formatter};
use std::time::Duration;

use clap::{Args, ValueEnum};

/// Whether rate limits apply, and where requests are counted.
#[derive(Clone, PartialEq, Eq)]
pub enum Limits {
    /// Limits do not apply.
    Off,
    /// Each server counts by itself.
    Own,
    /// The Redis or Valkey server at this URL counts for all servers.
    Shared(String),
}

/// Without the URL, which may contain a password.
impl Debug for Limits {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Off => "off",
            Self::Own => "on",
            Self::Shared(_) => "URL",
        })
    }
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
    /// of a Redis or Valkey server that counts for all servers, `redis://[USER:PASSWORD@]HOST[:PORT][/NUMBER]`, of its
    /// Sentinels, `redis+sentinel://[USER:PASSWORD@]HOST[:PORT],…/SERVICE[/NUMBER]`, or with TLS `rediss…`
    #[arg(id = "limits", long = "limits", value_name = "on|off|URL", default_value = "on", value_parser = parse)]
    #[arg(hide_env_values = true)]
    pub from: Limits,
    /// What happens to requests while the server of `limits` cannot be reached: `allow` lets each server count by itself,
    /// `reject` answers 503
    #[arg(long = "limits-unavailable", value_name = "WHAT", default_value = "allow")]
    pub unavailable: WhenUnavailable,
    /// How long a request waits for the server of `limits`
    #[arg(long = "limits-timeout", value_name = "MILLISECONDS", default_value = "100", value_parser = milliseconds)]
    pub timeout: Duration,
    /// The processor time that the requests of one account may take in a minute, in milliseconds. Further ones are answered
    /// 429. Counted by each server for itself
    #[arg(long = "limits-cpu", value_name = "MILLISECONDS", default_value = "3000", value_parser = cpu_milliseconds)]
    pub cpu: Duration,
}

fn milliseconds(text: &str) -> Result<Duration, &'static str> {
    let number: Option<u32> = text.parse().ok().filter(|number| (1..=10_000).contains(number));
    number.map(|number| Duration::from_millis(number.into())).ok_or("must be a number of milliseconds from 1 to 10000")
}

fn cpu_milliseconds(text: &str) -> Result<Duration, &'static str> {
    let number: Option<u32> = text.parse().ok().filter(|number| (100..=600_000).contains(number));
    number
        .map(|number| Duration::from_millis(number.into()))
        .ok_or("must be a number of milliseconds from 100 to 600000")
}

fn parse(text: &str) -> Result<Limits, &'static str> {
    match text {
        "on" => Ok(Limits::Own),
        "off" => Ok(Limits::Off),
        // Checked at start, because an error here would show the password.
        url if url.contains(':') => Ok(Limits::Shared(url.to_owned())),
        _ => Err(
            "must be one of on, off, or a URL that starts with redis://, rediss://, redis+sentinel:// or rediss+sentinel://",
        ),
    }
}
