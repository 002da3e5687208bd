//! The project's own commands: `cargo xtask openapi`, `cargo xtask sdk`, `cargo xtask bench`, `cargo xtask gazetteer`.

mod bench;
mod gazetteer;
mod generated;
mod openapi;
mod sdk;

use std::error::Error;
use std::process::ExitCode;

use clap::Parser;

/// The project's own commands
#[derive(Parser)]
#[command(name = "cargo xtask")]
enum Command {
    /// Write openapi/itinerary.json from the endpoint trait
    Openapi(generated::Args),
    /// Write client-sdk/src/generated.rs from openapi/itinerary.json
    Sdk(generated::Args),
    /// Write server/data/gazetteer.bin from the sources of cities and airports and from server/data/sights
    Gazetteer(gazetteer::Args),
    /// Measure the server, compared with a bare one that sends the same bytes
    Bench(bench::Args),
    /// The bare server of the benchmark
    #[command(name = bench::bare::NAME, hide = true)]
    BenchBare(bench::bare::Args),
}

fn main() -> ExitCode {
    match run(Command::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("xtask: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run(command: Command) -> Result<(), Box<dyn Error>> {
    match command {
        Command::Openapi(args) => generated::settle(&args, openapi::FILE, &openapi::text()?),
        Command::Sdk(args) => generated::settle(&args, sdk::FILE, &sdk::text()?),
        Command::Gazetteer(args) => gazetteer::run(&args),
        Command::Bench(args) => bench::run(&args),
        Command::BenchBare(args) => bench::bare::run(&args),
    }
}
