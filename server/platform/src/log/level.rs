//! Which lines are logged: the setting `log_level`, or `RUST_LOG`. The level can change while the server runs.

use std::env;

use tracing::Level;
use tracing_subscriber::Registry;
use tracing_subscriber::filter::{LevelFilter, Targets};
use tracing_subscriber::reload::Handle;

/// Reads `debug`, or levels of targets: `info,access=off`. Without a level for all, it is `info`.
///
/// A name alone is an error, unlike in `RUST_LOG`, because it is a mistyped level more often than a target.
pub fn parse(text: &str) -> Result<Targets, String> {
    let mut targets = usual();
    for part in text.split(',').map(str::trim) {
        let (target, level) = part.split_once('=').map_or((None, part), |(target, level)| (Some(target), level));
        let filter: LevelFilter = match level.to_ascii_lowercase().as_str() {
            name @ ("off" | "error" | "warn" | "info" | "debug" | "trace") => {
                name.parse().map_err(|_| expected(part))?
            }
            _ => return Err(expected(part)),
        };
        let is_name = |name: &str| {
            !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b':'))
        };
        targets = match target {
            None => targets.with_default(filter),
            Some(target) if is_name(target) => targets.with_target(target, filter),
            Some(_) => return Err(expected(part)),
        };
    }
    Ok(targets)
}

/// The text of the setting, if it is valid.
pub(crate) fn checked(text: &str) -> Result<String, String> {
    parse(text).map(|_| text.to_owned())
}

fn expected(part: &str) -> String {
    format!("{part:?} must be off, error, warn, info, debug or trace, or such a level after TARGET=")
}

/// What is logged if nobody says otherwise.
fn usual() -> Targets {
    // Invalid certificates of other sites are not errors of this server.
    Targets::new().with_default(Level::INFO).with_target("rustls_platform_verifier", LevelFilter::OFF)
}

/// The filter at start: the setting if it is given, otherwise `RUST_LOG`.
pub(super) fn at_start(setting: Option<&str>) -> Targets {
    let setting = setting.and_then(|setting| parse(setting).ok());
    let of_variable = || env::var("RUST_LOG").ok().and_then(|wanted| wanted.parse().ok());
    setting.or_else(of_variable).unwrap_or_else(usual)
}

/// Changes the level of the running log.
#[derive(Clone, Debug)]
pub struct Levels(pub(super) Handle<Targets, Registry>);

impl Levels {
    /// Changes the level to that of the setting. Logs what has happened.
    pub fn set(&self, setting: Option<&str>) {
        match self.0.reload(at_start(setting)) {
            Ok(()) => tracing::info!(level = setting.unwrap_or("the default"), "log level read again"),
            Err(error) => tracing::error!(%error, "the log level cannot be changed"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn enabled(text: &str, target: &str, level: Level) -> bool {
        parse(text).expect("a level").would_enable(target, &level)
    }

    #[test]
    fn levels_are_for_all_or_for_a_target() {
        assert!(enabled("debug", "itinerary_server", Level::DEBUG));
        assert!(!enabled("warn", "access", Level::INFO));
        assert!(enabled("WARN , access=info", "access", Level::INFO));
        assert!(!enabled("access=off", "access", Level::ERROR));
        assert!(enabled("access=off", "itinerary_server", Level::INFO), "info unless it says otherwise");
        assert!(!enabled("debug", "rustls_platform_verifier", Level::ERROR), "as by default");
        assert!(enabled("rustls_platform_verifier=error", "rustls_platform_verifier", Level::ERROR));
    }

    #[test]
    fn mistyped_levels_are_refused() {
        for text in ["", "debgu", "5", "access", "access=", "=info", "info,,warn", "a b=info", "info;warn", "[x]=info"]
        {
            assert!(parse(text).is_err(), "{text}");
        }
    }
}
