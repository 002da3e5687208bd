//! The server as a program: started, killed, stopped, with commands beside it.

use std::net::{Ipv4Addr, TcpListener};
use std::path::{Path, PathBuf};
use std::process::{Output, Stdio};
use std::time::Duration;

use reqwest::Method;
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader, Lines};
use tokio::process::{Child, ChildStdout, Command};

use crate::engines::Engine;
use crate::raw::{self, Call};
use crate::world::PASSWORD;

/// How long a program may take to start or to end.
const PATIENCE: Duration = Duration::from_mins(1);

/// The server's program, which cargo builds beside the folder of the test that runs.
fn server() -> PathBuf {
    let test = std::env::current_exe().expect("a test is a program");
    let folder = test.parent().and_then(Path::parent).expect("cargo puts tests in a folder of their own");
    folder.join("itinerary-server-under-test")
}

/// The program, without any setting from this process's environment.
pub fn command(arguments: impl IntoIterator<Item = impl Into<String>>) -> Command {
    isolated(Command::new(server()), arguments)
}

/// The same under strace, which writes the system calls to a file. The process id is the program's.
pub fn traced(strace: &[&str], trace: &Path, arguments: Vec<String>) -> Command {
    let mut command = Command::new("strace");
    command.arg("-D").args(strace).arg("-o").arg(trace).arg(server());
    command = isolated(command, arguments);
    // So that strace is found.
    command.envs(std::env::var_os("PATH").map(|path| ("PATH", path)));
    command
}

/// Whether strace is installed and may trace with these options.
///
/// # Panics
/// If not, although `ITINERARY_REQUIRE_STRACE=1` is set.
pub fn can_trace(options: &[&str]) -> bool {
    let probe = std::process::Command::new("strace").args(options).args(["-o", "/dev/null", "true"]).output();
    if probe.is_ok_and(|output| output.status.success()) {
        return true;
    }
    let required = std::env::var_os("ITINERARY_REQUIRE_STRACE").is_some_and(|value| value == "1");
    assert!(!required, "ITINERARY_REQUIRE_STRACE=1, but strace is not installed or may not trace");
    crate::skipped("strace is not installed or may not trace");
    false
}

fn isolated(mut command: Command, arguments: impl IntoIterator<Item = impl Into<String>>) -> Command {
    command.args(arguments.into_iter().map(Into::into)).env_clear().env("RUST_LOG", "warn");
    // Tests say which places are known.
    command.env("ITINERARY_GAZETTEER", "off");
    // A build without optimisation takes many times as long.
    command.env("ITINERARY_LIMITS_CPU", "600000");
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).kill_on_drop(true);
    command
}

/// For servers under load: other tests may keep the processors busy for longer than the default wait for a connection to
/// the database.
pub const PATIENT: [&str; 2] = ["--database-wait-seconds", "30"];

/// The engine's flags, followed by these arguments.
pub fn words(engine: &Engine, more: &[&str]) -> Vec<String> {
    engine.flags().into_iter().chain(more.iter().map(|word| (*word).to_owned())).collect()
}

/// Runs a command with this standard input.
pub async fn run(mut command: Command, input: &str) -> Output {
    let mut child = command.stdin(Stdio::piped()).spawn().expect("the program starts");
    let mut stdin = child.stdin.take().expect("it was piped");
    // A command that reads nothing may have ended already.
    let _ = stdin.write_all(input.as_bytes()).await;
    drop(stdin);
    tokio::time::timeout(PATIENCE, child.wait_with_output()).await.expect("it ends").expect("it ran")
}

/// The output of a command that must succeed.
pub async fn succeed(command: Command, input: &str) -> String {
    let output = run(command, input).await;
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).expect("text")
}

/// The standard error of a command that must fail.
pub async fn fail(command: Command) -> String {
    let output = run(command, "").await;
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(!output.status.success(), "it succeeded: {said}");
    assert!(!said.contains("panicked"), "{said}");
    said
}

pub async fn make_account(engine: &Engine, name: &str) {
    let said = succeed(command(words(engine, &["account", "create", name])), &format!("{PASSWORD}\n")).await;
    assert!(said.starts_with(&format!("Created the account {name} (")), "{said}");
}

pub async fn make_token(engine: &Engine, name: &str) -> String {
    succeed(command(words(engine, &["account", "token", name])), "").await.trim_end().to_owned()
}

/// A free address.
pub fn free_address() -> String {
    let socket = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("a free port");
    socket.local_addr().expect("an address").to_string()
}

/// A server process, which is killed when dropped.
pub struct Program {
    child: Child,
    output: Lines<BufReader<ChildStdout>>,
    /// Its output until it was ready.
    pub welcome: String,
    pub base_url: String,
    http: reqwest::Client,
}

impl Program {
    /// Starts a server on a free port and waits until it listens.
    pub async fn serve(engine: &Engine, more: &[&str]) -> Self {
        Self::serve_at(engine, &free_address(), more).await
    }

    /// Starts a server at this address and waits until it listens.
    pub async fn serve_at(engine: &Engine, address: &str, more: &[&str]) -> Self {
        let flags = words(engine, &["serve", "--listen", address]);
        Self::start(command(flags.into_iter().chain(more.iter().map(|word| (*word).to_owned())))).await
    }

    /// Starts a server and waits until it reports that it listens.
    pub async fn start(mut command: Command) -> Self {
        let mut child = command.spawn().expect("the program starts");
        let mut output = BufReader::new(child.stdout.take().expect("it was piped")).lines();
        let mut welcome = String::new();
        let mut base_url = None;
        while !welcome.contains("server key") {
            let line = tokio::time::timeout(PATIENCE, output.next_line()).await.expect("it starts").expect("text");
            let Some(line) = line else {
                let mut said = String::new();
                // Some tests have it in a file.
                if let Some(mut errors) = child.stderr.take() {
                    errors.read_to_string(&mut said).await.expect("text");
                }
                panic!("the server ended: {said}");
            };
            let address = line.strip_prefix("Itinerary Planning Service on ");
            base_url = base_url.or(address.map(str::to_owned));
            welcome = welcome + &line + "\n";
        }
        let base_url = base_url.expect("it says where it listens");
        Self { child, output, welcome, base_url, http: raw::client_builder().build().expect("a client") }
    }

    pub fn call(&self, method: Method, path: &str) -> Call {
        Call(self.http.request(method, format!("{}{path}", self.base_url)))
    }

    /// The address that it listens on.
    pub fn address(&self) -> std::net::SocketAddr {
        self.base_url.split_once("://").and_then(|(_, address)| address.parse().ok()).expect("an address")
    }

    /// Kills it without any cleanup.
    pub fn kill_now(&self) {
        self.signal("-KILL");
    }

    /// Sends the signal that service managers send.
    pub fn ask_to_stop(&self) {
        self.signal("-TERM");
    }

    /// The process id.
    pub fn id(&self) -> String {
        self.child.id().expect("it runs").to_string()
    }

    /// Asks it to read its files again.
    pub fn reload(&self) {
        self.signal("-HUP");
    }

    fn signal(&self, signal: &str) {
        let id = self.id();
        let sent = std::process::Command::new("kill").args([signal, &id]).status().expect("kill runs");
        assert!(sent.success());
    }

    /// Its next line of output.
    pub async fn next_line(&mut self) -> Option<String> {
        tokio::time::timeout(PATIENCE, self.output.next_line()).await.expect("it says something").expect("text")
    }

    /// Waits for its end and returns the exit code.
    pub async fn exit_code(mut self) -> Option<i32> {
        self.end().await
    }

    /// Waits for its end and returns the exit code. It can be replaced afterwards.
    pub async fn end(&mut self) -> Option<i32> {
        tokio::time::timeout(PATIENCE, self.child.wait()).await.expect("it ends").expect("it ran").code()
    }
}
