//! Builds and runs the two compared servers; they are stopped when their values are dropped.

use std::fs::{self, File};
use std::io::{BufRead as _, BufReader, Write as _};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::Duration;

use serde_json::Value;

use super::fill::BenchResponse;
use super::{Measured, Result, bare, cpu, places};

/// The account that owns all itineraries.
const ACCOUNT: &str = "bench";

/// The maximum time for a server to start, in polls of 50 ms: two minutes, because callgrind makes it slow.
const READY_POLLS: u32 = 2_400;

/// The programs, built in the profile `release`.
#[derive(Debug)]
pub(crate) struct Binaries {
    pub(crate) servers: Vec<Program>,
    xtask: PathBuf,
}

/// A server program.
#[derive(Debug)]
pub(crate) struct Program {
    /// The name in the table.
    pub(crate) name: String,
    file: PathBuf,
    /// A program that runs the server, with its arguments. Empty: none.
    runner: Vec<String>,
}

/// Builds the server unless programs are given. Also builds this program, for its bare server, unless it is optimised:
/// an unoptimised baseline would make the figures too good. `bare` says whether it is needed.
pub(crate) fn build(given: &[PathBuf], bare: bool) -> Result<Binaries> {
    if !(given.is_empty() || bare && env!("OPT_LEVEL") == "0") {
        let servers = given.iter().map(|file| Program::new(file)).collect::<Result<_>>()?;
        return Ok(Binaries { servers, xtask: std::env::current_exe()? });
    }
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    // Always both, because a package's features depend on the packages that are built with it.
    let output = Command::new(cargo)
        .args(["build", "--release", "--package", "xtask", "--package", "itinerary-server", "--bins"])
        .arg("--message-format=json-render-diagnostics")
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .stderr(Stdio::inherit())
        .output()?;
    if !output.status.success() {
        return Err("the build failed".into());
    }
    let messages = String::from_utf8(output.stdout)?;
    let find = |name: &str| executable(&messages, name).ok_or_else(|| format!("cargo built no {name}"));
    let files = if given.is_empty() { vec![find("itinerary-server")?] } else { given.to_vec() };
    let servers = files.iter().map(|file| Program::new(file)).collect::<Result<_>>()?;
    Ok(Binaries { servers, xtask: find("xtask")? })
}

impl Program {
    fn new(file: &Path) -> Result<Self> {
        let file = file.canonicalize().map_err(|error| format!("{}: {error}", file.display()))?;
        let name = file.file_name().unwrap_or_default().to_string_lossy().into_owned();
        Ok(Self { name, file, runner: Vec::new() })
    }
}

impl Program {
    /// The same program, started as a server by another program with these first arguments.
    pub(crate) fn under(&self, runner: &[String]) -> Self {
        Self { name: self.name.clone(), file: self.file.clone(), runner: runner.to_vec() }
    }

    /// The beginning of the server's command line.
    fn server_command(&self) -> Command {
        let Some((runner, arguments)) = self.runner.split_first() else { return Command::new(&self.file) };
        let mut command = Command::new(runner);
        command.args(arguments).arg(&self.file);
        command
    }
}

/// The path of a program according to cargo's messages.
fn executable(messages: &str, name: &str) -> Option<PathBuf> {
    messages.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok()).find_map(|message| {
        let ours = message["reason"] == "compiler-artifact" && message["target"]["name"] == name;
        ours.then(|| message["executable"].as_str().map(PathBuf::from)).flatten()
    })
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Durability {
    /// At checkpoints
    Normal,
    /// At every write
    Full,
}

/// The server's database.
#[derive(Debug)]
pub(crate) struct Database {
    url: Option<String>,
    /// The database's main process, if it is separate.
    process: Option<u32>,
}

impl Database {
    /// A file in the server's data folder.
    pub(crate) fn sqlite() -> Self {
        Self { url: None, process: None }
    }

    /// A PostgreSQL database whose processes are not measured.
    pub(crate) fn elsewhere(url: String) -> Self {
        Self { url: Some(url), process: None }
    }

    /// A database in the cluster of this folder.
    pub(crate) fn postgres(url: String, cluster: &Path) -> Self {
        Self::postgres_at(url, &cluster.join("data"))
    }

    /// A database in the cluster with this data folder, which has the server's process id.
    pub(crate) fn postgres_at(url: String, data: &Path) -> Self {
        let noted = fs::read_to_string(data.join("postmaster.pid")).unwrap_or_default();
        Self { url: Some(url), process: noted.lines().next().and_then(|line| line.parse().ok()) }
    }
}

impl Durability {
    fn name(self) -> &'static str {
        match self {
            Self::Normal => "normal",
            Self::Full => "full",
        }
    }
}

/// A child process that is killed on drop.
#[derive(Debug)]
struct Running(Child);

impl Drop for Running {
    fn drop(&mut self) {
        // It may already have ended.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// The server on a new data folder.
#[derive(Debug)]
pub(crate) struct Server {
    /// Host and port where it listens.
    pub(crate) address: String,
    database: Database,
    program: PathBuf,
    pub(crate) folder: PathBuf,
    running: Running,
}

impl Server {
    /// Fills the database with this number of public itineraries, by the server's own command; then starts the server.
    pub(crate) fn start_filled(
        program: &Program,
        database: Database,
        folder: &Path,
        itineraries: usize,
    ) -> Result<Self> {
        Self::fill(program, &database, folder, &[("--itineraries", u32::try_from(itineraries)?)])?;
        Self::start(program, database, None, folder)
    }

    /// Fills a database by the server's command `demo` with these options. `false` if it was not empty.
    pub(crate) fn fill(program: &Program, database: &Database, folder: &Path, options: &[(&str, u32)]) -> Result<bool> {
        let output = command(&program.file, database, folder)
            .arg("demo")
            .args(options.iter().flat_map(|(name, number)| [(*name).to_owned(), number.to_string()]))
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()?
            .wait_with_output()?;
        let error = String::from_utf8_lossy(&output.stderr);
        if !output.status.success() && !error.contains("is not empty") {
            return Err(format!("the database could not be filled: {error}").into());
        }
        Ok(output.status.success())
    }

    /// Starts the server in a folder, with its log in `server.log`, and waits until it is ready.
    pub(crate) fn start(
        program: &Program,
        database: Database,
        durability: Option<Durability>,
        folder: &Path,
    ) -> Result<Self> {
        let address = format!("127.0.0.1:{}", TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?.local_addr()?.port());
        let log = File::create(folder.join("server.log"))?;
        let child = with_data(program.server_command(), &database, folder)
            .args(durability.map(|durability| format!("--sqlite-durability={}", durability.name())))
            .args(["serve", "--listen", &address, "--base-url", &format!("http://{address}"), "--limits", "off"])
            .stdin(Stdio::null())
            .stderr(log.try_clone()?)
            .stdout(log)
            .spawn()?;
        let (program, folder) = (program.file.clone(), folder.to_owned());
        let mut server = Self { address, database, program, folder, running: Running(child) };
        server.wait_until_ready()?;
        Ok(server)
    }

    /// Imports generated places into the gazetteer, by the server's own command.
    pub(crate) fn import_places(&self, number: u32) -> Result<()> {
        let file = self.folder.join("places.txt");
        places::write(&file, number)?;
        let status = command(&self.program, &self.database, &self.folder)
            .args(["places", "import", "geonames"])
            .arg(&file)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .status()?;
        if status.success() { Ok(()) } else { Err("the places could not be imported".into()) }
    }

    /// Creates the account that owns all itineraries and returns an access token.
    pub(crate) fn token(&self) -> Result<String> {
        self.token_of(ACCOUNT)
    }

    /// The same for an account with this name.
    pub(crate) fn token_of(&self, account: &str) -> Result<String> {
        self.account(&["create", account])?;
        self.token_for(account)
    }

    /// An access token of an account that exists.
    pub(crate) fn token_for(&self, account: &str) -> Result<String> {
        let printed = self.account(&["token", account, "--scope", "itineraries:read itineraries:write"])?;
        let token = printed.lines().rev().map(str::trim).find(|line| !line.is_empty());
        Ok(token.ok_or("`account token` printed nothing")?.to_owned())
    }

    /// Puts an account on the plan Pro.
    pub(crate) fn make_pro(&self, account: &str) -> Result<()> {
        self.account(&["plan", account, "pro"]).map(drop)
    }

    /// The id of the server's process.
    pub(crate) fn id(&self) -> u32 {
        self.running.0.id()
    }

    fn account(&self, arguments: &[&str]) -> Result<String> {
        let mut child = command(&self.program, &self.database, &self.folder)
            .arg("account")
            .args(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()?;
        // `create` reads the password; other commands may end before they read it.
        let told = child.stdin.take().ok_or("no standard input")?.write_all(b"four plain words, measured\n");
        let output = child.wait_with_output()?;
        if !output.status.success() {
            let error = String::from_utf8_lossy(&output.stderr);
            return Err(format!("account {}: {error} ({told:?})", arguments.join(" ")).into());
        }
        Ok(String::from_utf8(output.stdout)?)
    }

    fn wait_until_ready(&mut self) -> Result<()> {
        for _ in 0..READY_POLLS {
            if is_ready(&self.address) {
                return Ok(());
            }
            if let Some(status) = self.running.0.try_wait()? {
                return Err(format!("the server stopped ({status}):\n{}", self.log()).into());
            }
            sleep(Duration::from_millis(50));
        }
        Err(format!("the server did not get ready:\n{}", self.log()).into())
    }

    fn log(&self) -> String {
        fs::read_to_string(self.folder.join("server.log")).unwrap_or_default()
    }
}

impl Measured for Server {
    fn cpu(&self) -> cpu::Used {
        cpu::Used {
            server: cpu::of_process(self.running.0.id()),
            database: self.database.process.and_then(cpu::of_family),
        }
    }
}

fn command(program: &Path, database: &Database, folder: &Path) -> Command {
    with_data(Command::new(program), database, folder)
}

fn with_data(mut command: Command, database: &Database, folder: &Path) -> Command {
    command.arg("--data").arg(folder.join("data"));
    // One account creates all itineraries. A variable, because older servers reject unknown flags.
    command.env("ITINERARY_QUOTA_ITINERARIES", "1000000000");
    if let Some(url) = &database.url {
        command.args(["--database-url", url]);
    }
    command
}

/// Whether a server is ready.
fn is_ready(address: &str) -> bool {
    let asked = || -> std::io::Result<String> {
        let mut stream = TcpStream::connect(address)?;
        stream.set_read_timeout(Some(Duration::from_secs(5)))?;
        write!(stream, "GET /readyz HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n\r\n")?;
        let mut line = String::new();
        BufReader::new(stream).read_line(&mut line)?;
        Ok(line)
    };
    asked().is_ok_and(|line| line.starts_with("HTTP/1.1 200"))
}

/// The bare server in its own process.
#[derive(Debug)]
pub(crate) struct BareServer {
    /// Host and port where it listens.
    pub(crate) address: String,
    running: Running,
}

impl BareServer {
    /// Starts it with its response, which is passed in a file in this folder.
    pub(crate) fn start(binaries: &Binaries, response: &BenchResponse, folder: &Path) -> Result<Self> {
        let file = folder.join("answer.json");
        fs::write(&file, serde_json::to_vec(response)?)?;
        let mut child = Command::new(&binaries.xtask)
            .arg(bare::NAME)
            .arg(&file)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .spawn()?;
        let printed = child.stdout.take().ok_or("no standard output")?;
        let running = Running(child);
        let mut address = String::new();
        BufReader::new(printed).read_line(&mut address)?;
        if address.trim().is_empty() {
            return Err("the bare server did not start".into());
        }
        Ok(Self { address: address.trim().to_owned(), running })
    }
}

impl Measured for BareServer {
    fn cpu(&self) -> cpu::Used {
        cpu::Used { server: cpu::of_process(self.running.0.id()), database: None }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_program_is_found_among_cargos_messages() {
        let messages = concat!(
            r#"{"reason":"compiler-artifact","target":{"name":"itinerary-server"},"executable":null}"#,
            "\nnot a message\n",
            r#"{"reason":"compiler-artifact","target":{"name":"itinerary-server"},"executable":"t/itinerary-server"}"#,
        );
        assert_eq!(executable(messages, "itinerary-server"), Some(PathBuf::from("t/itinerary-server")));
        assert_eq!(executable(messages, "xtask"), None);
    }

    #[test]
    fn a_port_with_nobody_is_not_ready() {
        let taken = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("a port");
        let address = taken.local_addr().expect("its address").to_string();
        drop(taken);
        assert!(!is_ready(&address));
    }
}
