//! `cargo xtask bench`: measures requests per second and CPU time per request of the server, in the profile `release`.
//!
//! wrk makes the load. Each figure is compared with that of a bare hyper server that sends the same bytes for the same
//! requests, measured immediately after, because only such ratios can be transferred to another machine. Two programs
//! are measured alternately, figure by figure, so that other load on the machine affects both. Nothing is stored
//! between runs, and no figure is asserted.

pub(crate) mod bare;
mod cases;
mod cpu;
mod explore;
mod fill;
mod instructions;
mod long_reads;
pub(crate) mod places;
pub(crate) mod process;
mod report;
mod scale;
mod wrk;

use std::error::Error;
use std::path::{Path, PathBuf};
use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle};
use test_support::postgres;

use cases::Case;
use fill::{Api, Filled};
use process::{BareServer, Binaries, Database, Durability, Program, Server};
use report::{Cell, Side};

/// Any error; nothing distinguishes errors of the benchmark.
type Result<T> = std::result::Result<T, Box<dyn Error>>;

/// The warm-up before each measurement.
const WARM_UP: Duration = Duration::from_secs(1);

/// Options of `cargo xtask bench`.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Seconds of load for each figure
    #[arg(long, default_value_t = 5, value_parser = clap::value_parser!(u64).range(1..=600))]
    seconds: u64,
    /// Measure only this request; may be given more than once
    #[arg(long, value_enum, value_name = "NAME")]
    only: Vec<Case>,
    /// Number of concurrent connections; may be given more than once
    #[arg(long, value_name = "NUMBER", default_values_t = [1, 64])]
    connections: Vec<usize>,
    /// Measure this server program instead of building one; given twice, measures both alternately
    #[arg(long, value_name = "FILE")]
    server: Vec<PathBuf>,
    /// When SQLite waits for the disk. Default: as the server does
    #[arg(long, value_enum, value_name = "WHEN")]
    durability: Option<Durability>,
    /// Import this number of generated places into the gazetteer first, one in a thousand of them around Lisbon
    #[arg(long, value_name = "NUMBER", default_value_t = 0)]
    places: u32,
    /// Measure Explore instead, with this number of public itineraries; may be given more than once, to compare with
    /// the first
    #[arg(long, value_name = "ITINERARIES", value_parser = clap::value_parser!(u32).range(600..))]
    explore: Vec<u32>,
    /// Measure the latency of a short read during long searches instead
    #[arg(long, conflicts_with = "explore")]
    long_reads: bool,
    /// Measure reads, changes, lists and Explore instead, with this number of itineraries of a tenth as many accounts; may
    /// be given more than once, to compare with the first
    #[arg(long, value_name = "ITINERARIES", value_parser = clap::value_parser!(u32).range(1000..), conflicts_with_all = ["explore", "long_reads"])]
    scale: Vec<u32>,
    /// Count the instructions of each request by callgrind instead, and compare them with the recorded numbers
    #[arg(long, conflicts_with_all = ["explore", "long_reads", "scale"])]
    instructions: bool,
    /// With --instructions: record the numbers
    #[arg(long, requires = "instructions", conflicts_with = "only")]
    record: bool,
    /// With --instructions: write a profile of each request to this folder, for `callgrind_annotate`
    #[arg(long, value_name = "FOLDER", requires = "instructions")]
    profiles: Option<PathBuf>,
    /// With --scale: keep the filled SQLite databases in this folder, and use those that are there
    #[arg(long, value_name = "FOLDER", requires = "scale")]
    keep: Option<PathBuf>,
    /// With --scale: a running PostgreSQL cluster on this machine with databases named `itinerary_` and the number of
    /// itineraries, which are filled if they are empty. Default: a temporary cluster
    #[arg(long, value_name = "URL", requires_all = ["scale", "postgres_data"])]
    postgres: Option<String>,
    /// Measure this database only
    #[arg(long, value_enum, value_name = "NAME", conflicts_with_all = ["explore", "long_reads", "instructions"])]
    database: Option<Kind>,
    /// The data folder of that cluster, to read its CPU time
    #[arg(long, value_name = "FOLDER")]
    postgres_data: Option<PathBuf>,
}

/// Builds the server, measures it on SQLite and, if it is installed, on PostgreSQL, and prints the table.
///
/// Exits with code 2 if wrk is needed and not installed.
pub(crate) fn run(args: &Args) -> Result<()> {
    let loads = args.explore.is_empty() && args.scale.is_empty() && !args.long_reads && !args.instructions;
    if loads && !wrk::is_installed() {
        eprintln!("the benchmark needs wrk, which is not installed; on Debian and Ubuntu: apt-get install wrk");
        std::process::exit(2);
    }
    let binaries = process::build(&args.server, loads)?;
    let scratch = tempfile::Builder::new().prefix("itinerary-bench-").tempdir()?;
    let table = if args.instructions {
        instructions::run(args, &binaries, scratch.path())?
    } else if args.long_reads {
        long_reads::measure(args, &binaries, scratch.path())?
    } else if !args.scale.is_empty() {
        scale::measure(args, &binaries, scratch.path())?
    } else if loads {
        let cells = measure(args, &binaries, scratch.path())?;
        report::markdown(&cells, args.seconds)
    } else {
        explore::measure(args, &binaries, scratch.path())?
    };
    print!("{table}");
    Ok(())
}

/// The databases on this machine. PostgreSQL with its default settings: without waiting for the disk the figures would
/// be too good.
fn engines(only: Option<Kind>) -> Vec<Engine> {
    let sqlite = (only != Some(Kind::Postgres)).then_some(Engine::Sqlite);
    let postgres = (only != Some(Kind::Sqlite)).then(|| postgres::cluster(&[]).map(Engine::Postgres)).flatten();
    sqlite.into_iter().chain(postgres).collect()
}

/// A kind of database.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Kind {
    Sqlite,
    Postgres,
}

#[derive(Clone, Copy)]
enum Engine {
    Sqlite,
    Postgres(&'static postgres::Cluster),
}

impl Engine {
    fn name(self) -> &'static str {
        match self {
            Self::Sqlite => "sqlite",
            Self::Postgres(_) => "postgres",
        }
    }

    /// A new, empty database of this kind.
    fn fresh(self) -> Database {
        match self {
            Self::Sqlite => Database::sqlite(),
            Self::Postgres(cluster) => Database::postgres(cluster.create_database("template0"), &cluster.folder),
        }
    }
}

fn measure(args: &Args, binaries: &Binaries, scratch: &Path) -> Result<Vec<Cell>> {
    let chosen = |case: &Case| args.only.is_empty() || args.only.contains(case);
    let cases: Vec<Case> = Case::IN_ORDER.into_iter().filter(chosen).collect();
    let mut cells = Vec::new();
    let engines = engines(args.database);
    if engines.is_empty() {
        return Err("PostgreSQL is not installed".into());
    }
    for engine in engines {
        let bench = Bench { args, binaries, engine, scratch };
        let stages: Vec<Stage> = binaries.servers.iter().map(|program| bench.filled(program)).collect::<Result<_>>()?;
        let bar = ProgressBar::new((cases.len() * args.connections.len()) as u64)
            .with_style(ProgressStyle::with_template("{prefix} {bar:30} {pos}/{len} {elapsed} {msg}")?)
            .with_prefix(format!("measure {}", engine.name()));
        for case in &cases {
            for connections in &args.connections {
                bar.set_message(format!("{} with {connections}", case.name()));
                cells.extend(bench.cells(&stages, *case, *connections)?);
                bar.inc(1);
            }
        }
        bar.finish_with_message("done");
    }
    Ok(cells)
}

/// The measurements on one kind of database.
struct Bench<'a> {
    args: &'a Args,
    binaries: &'a Binaries,
    engine: Engine,
    scratch: &'a Path,
}

/// A server with data.
struct Stage<'a> {
    program: &'a Program,
    server: Server,
    api: Api,
    filled: Filled,
}

impl Bench<'_> {
    /// A server on an empty database, in its own folder.
    fn empty<'a>(&self, program: &'a Program) -> Result<Stage<'a>> {
        let folder = tempfile::Builder::new().prefix(self.engine.name()).tempdir_in(self.scratch)?.keep();
        let server = Server::start(program, self.engine.fresh(), self.args.durability, &folder)?;
        if self.args.places > 0 {
            server.import_places(self.args.places)?;
        }
        let api = Api::new(server.address.clone(), server.token()?)?;
        Ok(Stage { program, server, api, filled: Filled::default() })
    }

    /// A server on a database with itineraries of every size.
    fn filled<'a>(&self, program: &'a Program) -> Result<Stage<'a>> {
        let mut stage = self.empty(program)?;
        stage.filled = fill::fill(&stage.api, self.engine.name())?;
        Ok(stage)
    }

    /// Measures one figure on every server, then on the bare one.
    fn cells(&self, stages: &[Stage], case: Case, connections: usize) -> Result<Vec<Cell>> {
        let mut sides = Vec::new();
        let mut last = None;
        for stage in stages {
            // Created itineraries would make later creates slower.
            let fresh = if case.creates() && self.args.places == 0 { Some(self.empty(stage.program)?) } else { None };
            let load = Load { case, connections, seconds: self.args.seconds, stage: fresh.as_ref().unwrap_or(stage) };
            let (response, script) = load.prepare()?;
            let server = &load.stage.server;
            sides.push((stage, response.body.len(), load.drive(&server.address, &script, server)?));
            last = Some((fresh, response, script));
        }
        let Some((fresh, response, script)) = last else { return Ok(Vec::new()) };
        let bare = BareServer::start(self.binaries, &response, self.scratch)?;
        let stage = fresh.as_ref().or(stages.last()).ok_or("no server")?;
        let load = Load { case, connections, seconds: self.args.seconds, stage };
        let bare_side = load.drive(&bare.address, &script, &bare)?;
        let cell = |(stage, bytes, server): (&Stage, usize, Side)| Cell {
            database: self.engine.name(),
            program: stage.program.name.clone(),
            request: case.name(),
            connections,
            bytes,
            server,
            bare: bare_side.clone(),
        };
        Ok(sides.into_iter().map(cell).collect())
    }
}

/// One figure: a request with a number of connections.
struct Load<'a> {
    case: Case,
    connections: usize,
    seconds: u64,
    stage: &'a Stage<'a>,
}

impl Load<'_> {
    /// The response to one such request, and the script that sends them.
    fn prepare(&self) -> Result<(fill::BenchResponse, PathBuf)> {
        let Stage { api, filled, server, .. } = self.stage;
        let response = api.send(&self.case.sample(filled))?;
        if response.status != self.case.expected_status() {
            let (name, expected) = (self.case.name(), self.case.expected_status());
            return Err(format!("{name}: expected {expected}, got {}: {}", response.status, response.body).into());
        }
        let script = server.folder.join(format!("{}-{}.lua", self.case.name(), self.connections));
        let threads = wrk::threads(self.connections);
        std::fs::write(&script, self.case.script(filled, api.token(), threads, self.connections))?;
        Ok((response, script))
    }

    fn drive(&self, address: &str, script: &Path, measured: &dyn Measured) -> Result<Side> {
        let threads = wrk::threads(self.connections);
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

/// A process whose CPU time can be read.
trait Measured {
    /// The CPU time used so far by the server's process, and by the database's processes if they are separate.
    fn cpu(&self) -> cpu::Used;
}
