//! The settings of imports.

use std::path::PathBuf;

use clap::Args;

/// What reads files besides the server.
#[derive(Clone, Debug, Default, Args)]
pub struct ImportSettings {
    /// A program that reads what the server does not recognise, such as PDFs: kitinerary-extractor of Debian's package
    /// libkpimitinerary-bin, or one that reads a file from standard input and writes schema.org reservations as JSON-LD. Runs in
    /// a sandbox without network, which needs bubblewrap. Default: none
    #[arg(long = "import-extractor", value_name = "FILE")]
    pub extractor: Option<PathBuf>,
}
