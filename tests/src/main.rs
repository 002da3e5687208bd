//! The server's program once more, so that the tests of this package know where it is. If the environment variable
//! `TEST_CLOCK` names a file, the server's clock is wrong by the seconds in it, which may change while the server runs.

use std::fs;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;

use chrono::{DateTime, TimeDelta, Utc};
use itinerary_core::clock::Clock;
use itinerary_platform::system::SystemClock;
use itinerary_server::cli;

struct WrongClock(PathBuf);

impl Clock for WrongClock {
    fn now(&self) -> DateTime<Utc> {
        let seconds = fs::read_to_string(&self.0).ok().and_then(|text| text.trim().parse().ok()).unwrap_or_default();
        SystemClock.now() + TimeDelta::seconds(seconds)
    }
}

fn main() -> ExitCode {
    match std::env::var_os("TEST_CLOCK") {
        Some(file) => cli::run_with(Arc::new(WrongClock(file.into()))),
        None => cli::run(),
    }
}
