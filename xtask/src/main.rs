//! The project's own commands: `cargo xtask openapi`, `sdk`, `public-api`, `release`, `release-document`, `bench`, `soak`,
//! `gazetteer`, `land`.

mod bench;
mod gazetteer;
mod generated;
mod land;
mod openapi;
mod public_api;
mod release;
mod sdk;
mod soak;

use std::error::Error;
use std::process::ExitCode;

use clap::Parser;

/// The project's own commands
#[derive(Parser)]
#[command(name = "cargo xtask")]
enum Command {
    /// Write openapi/itinerary.json from the endpoint trait; with --check, also compare it with the last released document
    Openapi(generated::Args),
    /// Write openapi/itinerary.progenitor.json and, in client-sdk/src, generated.rs, groups.rs and paths.rs from openapi/itinerary.json
    Sdk(generated::Args),
    /// Write client-sdk/public-api.txt, the public API of the SDK, from its sources
    PublicApi(generated::Args),
    /// Write openapi/released/VERSION.json, with which later documents are compared
    ReleaseDocument,
    /// Release a version: prepare its commit, then tag it
    #[command(subcommand)]
    Release(release::Release),
    /// Write server/data/gazetteer.bin from the sources of cities and airports and from server/data/sights
    Gazetteer(gazetteer::Args),
    /// Write server/land/data/land.bin from Natural Earth's files
    Land(land::Args),
    /// Measure the server, compared with a bare one that sends the same bytes
    Bench(bench::Args),
    /// Drive a server for a long time, and watch its memory, files and answers
    Soak(soak::Args),
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
        Command::Openapi(args) => {
            generated::settle(&args, openapi::FILE, &openapi::text()?)?;
            if args.check { openapi::released::check() } else { Ok(()) }
        }
        Command::Sdk(args) => {
            generated::settle(&args, sdk::DERIVED_FILE, &sdk::derived_text()?)?;
            generated::settle(&args, sdk::paths::FILE, &sdk::paths::text()?)?;
            generated::settle(&args, sdk::groups::FILE, &sdk::groups::text()?)?;
            generated::settle(&args, sdk::FILE, &sdk::text()?)
        }
        Command::PublicApi(args) => generated::settle(&args, public_api::FILE, &public_api::text()?),
        Command::ReleaseDocument => openapi::released::release(),
        Command::Release(command) => release::run(&command),
        Command::Gazetteer(args) => gazetteer::run(&args),
        Command::Land(args) => land::run(&args),
        Command::Bench(args) => bench::run(&args),
        Command::Soak(args) => soak::run(&args).map_err(|error| -> Box<dyn Error> { error }),
        Command::BenchBare(args) => bench::bare::run(&args),
    }
}
