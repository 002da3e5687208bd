//! The commands `places …`, which import places into the gazetteer.

use std::fs::File;
use std::io::{self, BufReader};
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

use clap::{Args, Subcommand};
use indicatif::{ProgressBar, ProgressStyle};
use itinerary_gazetteer::geonames::Geonames;
use itinerary_gazetteer::ourairports::OurAirports;
use itinerary_gazetteer::{Place, Position, Refused};
use itinerary_platform::context::Service;
use itinerary_platform::settings::Storage;
use serde_json::json;

use super::output::Output;
use super::{CliResult, offline_database};
use crate::gazetteer::{BATCH, new_place, with_zone};

#[derive(Subcommand)]
pub(super) enum PlacesCommand {
    /// Import files into the gazetteer; existing places are replaced
    #[command(subcommand)]
    Import(ImportCommand),
}

#[derive(Subcommand)]
pub(super) enum ImportCommand {
    /// Unpacked files of GeoNames, such as cities500.txt or PT.txt
    Geonames(PlaceFiles),
    /// The file airports.csv of `OurAirports`
    Ourairports(PlaceFiles),
}

#[derive(Args)]
pub(super) struct PlaceFiles {
    /// The files
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
}

/// The maximum number of rejected rows that are printed. All are counted.
const PRINTED: u64 = 20;

pub(super) async fn run(storage: &Storage, PlacesCommand::Import(command): PlacesCommand, output: Output) -> CliResult {
    let service = offline_database(storage).await?;
    let (files, kind) = match &command {
        ImportCommand::Geonames(files) => (files, PlaceSource::Geonames),
        ImportCommand::Ourairports(files) => (files, PlaceSource::OurAirports),
    };
    for file in &files.files {
        import(&service, file, kind, output).await.map_err(|error| format!("{}: {error}", file.display()))?;
    }
    service.store.analyse().await?;
    Ok(())
}

#[derive(Clone, Copy, Debug)]
enum PlaceSource {
    Geonames,
    OurAirports,
}

enum PlaceRows {
    Geonames(Geonames<BufReader<File>>),
    OurAirports(OurAirports<BufReader<File>>),
}

impl PlaceRows {
    fn open(file: &Path, kind: PlaceSource, position: Position) -> io::Result<Self> {
        let input = BufReader::new(File::open(file)?);
        Ok(match kind {
            PlaceSource::Geonames => Self::Geonames(Geonames::open(input, position)?),
            PlaceSource::OurAirports => Self::OurAirports(OurAirports::open(input, position)?),
        })
    }

    fn next(&mut self) -> Option<io::Result<Result<Place, Refused>>> {
        match self {
            Self::Geonames(rows) => rows.next(),
            Self::OurAirports(rows) => rows.next(),
        }
    }

    fn position(&self) -> Position {
        match self {
            Self::Geonames(rows) => rows.position(),
            Self::OurAirports(rows) => rows.position(),
        }
    }

    fn skipped(&self) -> u64 {
        match self {
            Self::Geonames(rows) => rows.skipped(),
            Self::OurAirports(rows) => rows.skipped(),
        }
    }
}

/// Imports a file. If interrupted, the next import of the same file resumes there.
async fn import(service: &Service, file: &Path, kind: PlaceSource, output: Output) -> CliResult {
    let size = file.metadata()?.len();
    let name = file.canonicalize()?.display().to_string();
    let version = version(file, kind)?;
    let position = begin(service, &name, &version, output).await?;
    let mut rows = PlaceRows::open(file, kind, position)?;
    let bar = ProgressBar::new(size).with_position(position.offset);
    bar.set_style(ProgressStyle::with_template("{bar:40} {bytes}/{total_bytes} {eta} {msg}")?);
    let (mut imported, mut refused, mut batch) = (0, 0, Vec::with_capacity(BATCH));
    loop {
        let row = rows.next().transpose()?;
        let is_last = row.is_none();
        match row {
            Some(Ok(place)) => batch.push(new_place(with_zone(place))),
            Some(Err(row)) => {
                refused += 1;
                if refused <= PRINTED && !output.quiet {
                    bar.suspend(|| eprintln!("refused: {}: {row}", file.display()));
                }
            }
            None => {}
        }
        if batch.len() == BATCH || is_last {
            service.store.gazetteer_put(&batch).await?;
            imported += batch.len();
            batch.clear();
            bar.set_position(rows.position().offset);
            let progress = (!is_last).then(|| progress(rows.position(), &version));
            service.store.gazetteer_import_set(&name, progress.as_deref(), service.clock.now()).await?;
        }
        if is_last {
            break;
        }
    }
    bar.finish_and_clear();
    let skipped = rows.skipped();
    let text = format!("{}: {imported} places imported, {skipped} rows skipped, {refused} refused.", file.display());
    let file = file.display().to_string();
    output.print(&json!({ "file": file, "imported": imported, "skipped": skipped, "refused": refused }), "", &text)
}

fn progress(position: Position, version: &str) -> String {
    format!("{version} {} {}", position.offset, position.lines)
}

/// Identifies a version of a file: its kind, size and modification time.
fn version(file: &Path, kind: PlaceSource) -> io::Result<String> {
    let metadata = file.metadata()?;
    let written = metadata.modified()?.duration_since(UNIX_EPOCH).unwrap_or_default();
    Ok(format!("{kind:?} {} {}", metadata.len(), written.as_nanos()))
}

/// The offset to start at: where an interrupted import of the same file stopped.
async fn begin(
    service: &Service,
    name: &str,
    version: &str,
    output: Output,
) -> Result<Position, Box<dyn std::error::Error + Send + Sync>> {
    let noted = service.store.gazetteer_import(name).await?.unwrap_or_default();
    let position = noted.strip_prefix(version).unwrap_or_default();
    let numbers: Vec<u64> = position.split_whitespace().filter_map(|number| number.parse().ok()).collect();
    match numbers[..] {
        [offset, lines] => {
            output.say(&format!("{name}: resuming the interrupted import after line {lines}."))?;
            Ok(Position { offset, lines })
        }
        _ => Ok(Position::default()),
    }
}
