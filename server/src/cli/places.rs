//! The commands `places …`: importing places into the gazetteer.

use std::fs::File;
use std::io::{self, BufReader};
use std::path::{Path, PathBuf};

use clap::{Args, Subcommand};
use indicatif::{ProgressBar, ProgressStyle};
use itinerary_gazetteer::geonames::Geonames;
use itinerary_gazetteer::ourairports::OurAirports;
use itinerary_gazetteer::{Place, Position, Refused};

use super::{CliResult, offline};
use crate::config::Storage;
use crate::context::Service;
use crate::gazetteer::{BATCH, new_place, with_zone};

#[derive(Subcommand)]
pub(super) enum PlacesCommand {
    /// Import files into the gazetteer; a place that is there already is replaced
    #[command(subcommand)]
    Import(ImportCommand),
}

#[derive(Subcommand)]
pub(super) enum ImportCommand {
    /// Files of GeoNames, unpacked: cities500.txt, PT.txt and their like
    Geonames(Files),
    /// The file airports.csv of `OurAirports`
    Ourairports(Files),
}

#[derive(Args)]
pub(super) struct Files {
    /// The files
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
}

/// How many refused rows are printed; all are counted.
const PRINTED: u64 = 20;

pub(super) async fn run(storage: &Storage, PlacesCommand::Import(command): PlacesCommand) -> CliResult {
    let service = offline(storage).await?;
    let (files, kind) = match &command {
        ImportCommand::Geonames(files) => (files, Kind::Geonames),
        ImportCommand::Ourairports(files) => (files, Kind::OurAirports),
    };
    for file in &files.files {
        import(&service, file, kind).await.map_err(|error| format!("{}: {error}", file.display()))?;
    }
    service.store.analyse().await?;
    Ok(())
}

#[derive(Clone, Copy)]
enum Kind {
    Geonames,
    OurAirports,
}

/// The rows of a file of either kind.
enum Rows {
    Geonames(Geonames<BufReader<File>>),
    OurAirports(OurAirports<BufReader<File>>),
}

impl Rows {
    fn open(file: &Path, kind: Kind, position: Position) -> io::Result<Self> {
        let input = BufReader::new(File::open(file)?);
        Ok(match kind {
            Kind::Geonames => Self::Geonames(Geonames::open(input, position)?),
            Kind::OurAirports => Self::OurAirports(OurAirports::open(input, position)?),
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

/// Imports a file. Stopped on the way, the next import of the same file goes on where this one was.
async fn import(service: &Service, file: &Path, kind: Kind) -> CliResult {
    let size = file.metadata()?.len();
    let name = file.canonicalize()?.display().to_string();
    let position = begin(service, &name, size).await?;
    let mut rows = Rows::open(file, kind, position)?;
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
                if refused <= PRINTED {
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
            let progress = (!is_last).then(|| progress(rows.position(), size));
            service.store.gazetteer_import_set(&name, progress.as_deref(), service.clock.now()).await?;
        }
        if is_last {
            break;
        }
    }
    bar.finish_and_clear();
    let skipped = rows.skipped();
    println!("{}: {imported} places imported, {skipped} rows skipped, {refused} refused.", file.display());
    Ok(())
}

fn progress(position: Position, size: u64) -> String {
    format!("{} {} {size}", position.offset, position.lines)
}

/// Where an import begins: where an earlier one of the same file was stopped, if the file has the same size.
async fn begin(service: &Service, name: &str, size: u64) -> Result<Position, Box<dyn std::error::Error + Send + Sync>> {
    let noted = service.store.gazetteer_import(name).await?;
    let numbers = noted.as_deref().map(|noted| noted.split(' ').filter_map(|number| number.parse().ok()).collect());
    let numbers: Vec<u64> = numbers.unwrap_or_default();
    match numbers[..] {
        [offset, lines, noted_size] if noted_size == size => {
            println!("{name}: going on after line {lines}, where an earlier import was stopped.");
            Ok(Position { offset, lines })
        }
        _ => Ok(Position::default()),
    }
}
