//! A Redis server for tests: on a free loopback port, in a folder of its own, without persistence.

use std::io::{self, Write as _};
use std::net::{Ipv4Addr, TcpListener};
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::Duration;

use tempfile::TempDir;

const SERVER: &str = "redis-server";
const CLIENT: &str = "redis-cli";

/// How long a start may take, in polls of 10 ms: 20 seconds.
const READY_POLLS: u32 = 2_000;

/// A Redis server, which ends when dropped.
pub(crate) struct Redis {
    port: u16,
    folder: TempDir,
    settings: Vec<String>,
    child: Option<Child>,
}

impl Redis {
    /// Starts a server with these settings. `None` if Redis is not installed.
    pub(crate) fn start(settings: &[&str]) -> Option<Self> {
        let installed = [SERVER, CLIENT].iter().all(|program| {
            let found = Command::new(program).arg("--version").stdout(Stdio::null()).status();
            found.is_ok_and(|status| status.success())
        });
        if !installed {
            let required = std::env::var_os("ITINERARY_REQUIRE_REDIS").is_some_and(|value| value == "1");
            assert!(!required, "ITINERARY_REQUIRE_REDIS=1, but Redis is not installed");
            // Bypasses the test harness, which captures the output of print macros.
            let told = io::stderr().lock().write_all(b"skipped: Redis is not installed\n");
            told.expect("standard error can be written");
            return None;
        }
        let port = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).and_then(|socket| socket.local_addr());
        let mut redis = Self {
            port: port.expect("a free port").port(),
            folder: TempDir::new().expect("a folder"),
            settings: settings.iter().map(|word| (*word).to_owned()).collect(),
            child: None,
        };
        redis.start_again();
        Some(redis)
    }

    /// Starts it again on the same port, without the data that it had.
    pub(crate) fn start_again(&mut self) {
        let mut command = Command::new(SERVER);
        command.args(["--port", &self.port.to_string(), "--bind", "127.0.0.1", "--save", "", "--appendonly", "no"]);
        command.arg("--dir").arg(self.folder.path()).arg("--logfile").arg(self.folder.path().join("log"));
        command.args(&self.settings).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        self.child = Some(command.spawn().expect("Redis starts"));
        for _ in 0..READY_POLLS {
            // With a password, it answers that it wants one.
            if ["PONG", "NOAUTH"].iter().any(|response| self.said(&["PING"]).contains(response)) {
                return;
            }
            sleep(Duration::from_millis(10));
        }
        panic!("Redis does not answer");
    }

    /// Its port.
    pub(crate) fn port(&self) -> u16 {
        self.port
    }

    /// Kills it, if it runs.
    pub(crate) fn kill(&mut self) {
        if let Some(mut child) = self.child.take() {
            child.kill().expect("it runs");
            child.wait().expect("it ends");
        }
    }

    /// Stops its process without closing its connections, or continues it.
    pub(crate) fn freeze(&self, frozen: bool) {
        let id = self.child.as_ref().expect("it runs").id().to_string();
        let signal = if frozen { "-STOP" } else { "-CONT" };
        assert!(Command::new("kill").args([signal, &id]).status().expect("kill runs").success());
    }

    /// Its address.
    pub(crate) fn url(&self) -> String {
        format!("redis://127.0.0.1:{}", self.port)
    }

    /// The address with a password.
    pub(crate) fn url_with(&self, password: &str) -> String {
        format!("redis://:{password}@127.0.0.1:{}", self.port)
    }

    /// Runs a command there, which must succeed, and returns its output.
    pub(crate) fn run(&self, words: &[&str]) -> String {
        let said = self.said(words);
        assert!(!said.starts_with("ERR") && !said.contains("Could not connect"), "{words:?}: {said}");
        said
    }

    fn said(&self, words: &[&str]) -> String {
        let mut command = Command::new(CLIENT);
        command.args(["-h", "127.0.0.1", "-p", &self.port.to_string()]).args(words);
        let output = command.stdin(Stdio::null()).output().expect("redis-cli runs");
        String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).trim_end().to_owned()
    }
}

impl Drop for Redis {
    fn drop(&mut self) {
        self.kill();
    }
}
