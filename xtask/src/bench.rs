//! `cargo xtask bench`: what the release server does in a second, and how much processor time each request costs.
//!
//! The load comes from wrk. Every figure stands beside that of a bare hyper server which answers the same bytes to the
//! same requests a moment later, because only such ratios mean something on another machine. Nothing is kept between
//! runs and no figure is judged here: the table is for people.

pub(crate) mod bare;
mod cases;
mod cpu;
mod explore;
mod fill;
#[path = "../../tests/it/support/postgres.rs"]
mod postgres;
mod process;
mod report;
mod wrk;

use std::error::Error;
use std::path::Path;
use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle};

use cases::Case;
use fill::{Api, Filled};
use process::{BareServer, Binaries, Database, Server};
use report::{Cell, Side};

/// Whatever went wrong, in words; the benchmark has no caller who would tell errors apart.
type Result<T> = std::result::Result<T, Box<dyn Error>>;

/// Numbers of connections that each request is measured with.
const CONNECTIONS: [usize; 2] = [1, 64];

/// Load before each measurement that is not counted.
const WARM_UP: Duration = Duration::from_secs(1);

/// Options of `cargo xtask bench`.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Seconds of load for each figure
    #[arg(long, default_value_t = 5, value_parser = clap::value_parser!(u64).range(1..=600))]
    seconds: u64,
    /// Only this request; may be given more than once
    #[arg(long, value_enum, value_name = "NAME")]
    only: Vec<Case>,
    /// Measure Explore instead, with so many public itineraries; more than once: each beside the first
    #[arg(long, value_name = "ITINERARIES", value_parser = clap::value_parser!(u32).range(600..))]
    explore: Vec<u32>,
}

/// Builds the server, measures it on SQLite and, where its programs are installed, on PostgreSQL, and prints the table.
///
/// Ends the process with exit code 2 when wrk is not installed.
pub(crate) fn run(args: &Args) -> Result<()> {
    if !wrk::is_installed() {
        eprintln!("the benchmark needs wrk, which is not installed; on Debian and Ubuntu: apt-get install wrk");
        std::process::exit(2);
    }
    let binaries = process::build()?;
    let scratch = tempfile::Builder::new().prefix("itinerary-bench-").tempdir()?;
    if !args.explore.is_empty() {
        print!("{}", explore::measure(args, &binaries, scratch.path())?);
        return Ok(());
    }
    let mut cells = Vec::new();
    for database in databases() {
        let folder = scratch.path().join(database.name);
        std::fs::create_dir(&folder)?;
        measure_database(args, &binaries, database, &folder, &mut cells)?;
    }
    print!("{}", report::markdown(&cells, args.seconds));
    Ok(())
}

/// A fresh database of each kind that there is.
fn databases() -> Vec<Database> {
    let mut databases = vec![Database::sqlite()];
    // As PostgreSQL is shipped: a benchmark that does not wait for the disk would flatter us.
    let cluster = postgres::cluster(&[]);
    databases.extend(cluster.map(|cluster| Database::postgres(cluster.create_database("template0"), &cluster.folder)));
    databases
}

fn measure_database(
    args: &Args,
    binaries: &Binaries,
    database: Database,
    folder: &Path,
    cells: &mut Vec<Cell>,
) -> Result<()> {
    let server = Server::start(binaries, database, folder)?;
    let api = Api::new(server.address.clone(), server.token()?)?;
    let filled = fill::fill(&api, server.database.name)?;
    let cases: Vec<Case> =
        Case::IN_ORDER.into_iter().filter(|case| args.only.is_empty() || args.only.contains(case)).collect();
    let bar = ProgressBar::new((cases.len() * CONNECTIONS.len()) as u64)
        .with_style(ProgressStyle::with_template("{prefix} {bar:30} {pos}/{len} {elapsed} {msg}")?)
        .with_prefix(format!("measure {}", server.database.name));
    for case in cases {
        for connections in CONNECTIONS {
            bar.set_message(format!("{} with {connections}", case.name()));
            let load = Load { case, connections, seconds: args.seconds, folder };
            cells.push(load.measure(binaries, &server, &api, &filled)?);
            bar.inc(1);
        }
    }
    bar.finish_with_message("done");
    Ok(())
}

/// One figure to be taken: a request with a number of connections.
struct Load<'a> {
    case: Case,
    connections: usize,
    seconds: u64,
    folder: &'a Path,
}

impl Load<'_> {
    fn measure(&self, binaries: &Binaries, server: &Server, api: &Api, filled: &Filled) -> Result<Cell> {
        let answer = api.send(&self.case.sample(filled))?;
        if answer.status != self.case.expected_status() {
            let (name, expected) = (self.case.name(), self.case.expected_status());
            return Err(format!("{name}: expected {expected}, got {}: {}", answer.status, answer.body).into());
        }
        let threads = wrk::threads(self.connections);
        let script = self.folder.join(format!("{}-{}.lua", self.case.name(), self.connections));
        std::fs::write(&script, self.case.script(filled, api.token(), threads, self.connections))?;
        let server_side = self.drive(&server.address, &script, threads, server)?;
        let bare = BareServer::start(binaries, &answer, self.folder)?;
        let bare_side = self.drive(&bare.address, &script, threads, &bare)?;
        Ok(Cell {
            database: server.database.name,
            request: self.case.name(),
            connections: self.connections,
            bytes: answer.body.len(),
            server: server_side,
            bare: bare_side,
        })
    }

    fn drive(&self, address: &str, script: &Path, threads: usize, measured: &dyn Measured) -> Result<Side> {
        let run = |duration: Duration| -> Result<wrk::Outcome> {
            let outcome = wrk::run(address, script, threads, self.connections, duration)?;
            let refused = self.case.expected_status() >= 400;
            outcome.check(refused).map_err(|error| format!("{} at {address}: {error}", self.case.name()))?;
            Ok(outcome)
        };
        run(WARM_UP)?;
        let before = measured.cpu();
        let outcome = run(Duration::from_secs(self.seconds))?;
        let after = measured.cpu();
        Ok(Side::new(&outcome, before, after))
    }
}

/// Something whose processor time can be read.
trait Measured {
    /// Time used until now by the server's own process, and by the database's where that is another.
    fn cpu(&self) -> cpu::Used;
}
