//! The command `conformance`.

use std::process::ExitCode;

use clap::Parser;
use conformance::cli::{self, Arguments};

#[tokio::main]
async fn main() -> ExitCode {
    cli::main(Arguments::parse()).await
}
