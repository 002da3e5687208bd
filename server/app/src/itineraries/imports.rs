//! Reading bookings from files, for a new itinerary or one that exists. `itinerary-import` decides what a file contains.
//!
//! Stores nothing: the caller reviews the result and writes it like any other change.

mod extracted;

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use chrono::NaiveDate;
use itinerary_api::policy::Scope;
use itinerary_api::read::FieldError;
use itinerary_api::request_state::Caller;
use itinerary_api::types::{
    Coordinate, ImportIgnored, ImportIgnoredCode, ImportQuery, ImportResult, Itinerary, ItineraryDraft,
};
use itinerary_api::values::{Date, Latitude, Longitude, limits};
use itinerary_core::access::Act;
use itinerary_import::file::{Ignored, Reason};
use itinerary_import::{Budget, Context, File, Import, Lookup, PlaceFacts, Reading, Source, Wanted};
use itinerary_platform::context::Service;
use itinerary_platform::fair_pool::Requester;
use itinerary_platform::ports::coordinates;
use itinerary_store::{GazetteerRow, VisibleSections, thread_time};
use tokio::time::Instant;

use super::{ReadConditions, read};
use crate::destinations::{self, Destination, Town};
use crate::{Error, Result};

/// How long an import waits for its turn.
const LONGEST_WAIT: Duration = Duration::from_secs(10);
/// How much processor time reading the files may take. Drafting comes on top: at most 0.15 seconds, for 2,000 bookings.
const READING_TIME: Duration = Duration::from_millis(350);

/// A file to read.
#[derive(Clone, Debug)]
pub struct ImportFile {
    /// Its name, for the result. May be empty.
    pub name: String,
    /// Its media type as it was sent.
    pub media_type: Option<String>,
    /// Its bytes. `None` if it is larger than [`limits::IMPORT_FILE`].
    pub content: Option<Bytes>,
}

/// The itinerary to import into, and its version.
struct Target {
    itinerary: Itinerary,
    etag: String,
}

/// Checks that the caller may import into the itinerary of the query, before its files are received.
pub async fn admit(service: &Service, caller: &Caller, query: &ImportQuery) -> Result<()> {
    match query.itinerary_id {
        Some(id) => super::admit(service, caller, id, Act::Change).await,
        None => Ok(()),
    }
}

/// Reads files.
pub async fn import(
    service: &Service,
    caller: &Caller,
    query: &ImportQuery,
    files: Vec<ImportFile>,
) -> Result<ImportResult> {
    let requester = Requester::Account(caller.account);
    // What is read of files takes more memory than the files.
    let _turn = service.imports.turn(requester, Instant::now() + LONGEST_WAIT).await?;
    let target = target(service, caller, query).await?;
    let as_of = query.as_of.map_or_else(|| service.clock.now().date_naive(), Date::day);
    let files = Arc::new(files);
    let read = Arc::clone(&files);
    let mut sources = service.long_work.run(requester, move || sources(&read, as_of)).await?;
    extracted::add(service, requester, &files, &mut sources, as_of).await?;
    let wanted = itinerary_import::wanted_by(sources.iter().map(|source| &source.reading));
    let places = Places::find(service, wanted).await?;
    let (is_pro, overwrite) = (caller.pro, query.overwrite == Some(true));
    let import = move || {
        let context = Context { lookup: &places, is_pro };
        match target {
            Some(Target { itinerary, etag }) => {
                (itinerary_import::into_trip(&sources, context, &itinerary, overwrite), Some(etag))
            }
            None => (itinerary_import::draft(&sources, context), None),
        }
    };
    let (import, etag) = service.long_work.run(requester, import).await?;
    if !is_usable(&import) {
        return Err(nothing_usable(&import.ignored));
    }
    let Import { itinerary, items, ignored } = import;
    Ok(ImportResult { itinerary, etag, items, ignored })
}

async fn target(service: &Service, caller: &Caller, query: &ImportQuery) -> Result<Option<Target>> {
    let Some(id) = query.itinerary_id else { return Ok(None) };
    let documents = caller.scopes.contains(Scope::DocumentsRead);
    let visible = VisibleSections::All { pro: caller.pro, documents };
    let (loaded, fragments) = read(service, caller, id, Act::Change, visible, ReadConditions::default()).await?;
    // Read without conditions, so the content is there.
    let fragments = fragments.ok_or(Error::NotFound)?;
    let etag = loaded.etag();
    Ok(Some(Target { itinerary: loaded.parsed(fragments)?, etag }))
}

/// Reads all files within one limit of processor time.
fn sources(files: &[ImportFile], as_of: NaiveDate) -> Vec<Source> {
    let should_stop = stops_after();
    let read = |file: &ImportFile| match &file.content {
        None => too_large(),
        Some(content) => {
            let file = File { name: &file.name, media_type: file.media_type.as_deref(), content };
            itinerary_import::read(&file, as_of, &mut Budget::new(&should_stop))
        }
    };
    files.iter().map(|file| Source { file: file.name.clone(), reading: read(file) }).collect()
}

/// Whether this thread has read for long enough since this call.
fn stops_after() -> impl Fn() -> bool {
    let began = thread_time();
    move || thread_time().saturating_sub(began) > READING_TIME
}

fn too_large() -> Reading {
    let message = format!("The file has more than 5 MB ({} bytes).", limits::IMPORT_FILE);
    Reading { ignored: vec![Ignored { reason: Reason::TooLarge, message }], ..Reading::default() }
}

/// Whether something was found, even if it is not imported, such as a cancelled booking.
fn is_usable(import: &Import) -> bool {
    let is_found = |code| matches!(code, ImportIgnoredCode::Cancelled | ImportIgnoredCode::NeedsPro);
    !import.items.is_empty()
        || import.itinerary != ItineraryDraft::default()
        || import.ignored.iter().any(|ignored| is_found(ignored.code))
}

/// The error for files without anything to import. Says why of the first one.
fn nothing_usable(ignored: &[ImportIgnored]) -> Error {
    // The error's message ends with a full stop of its own.
    let reason = ignored.first().map_or("", |ignored| ignored.message.trim_end_matches('.'));
    FieldError::new("file", format!("has nothing to import. {reason}").trim_end()).into()
}

/// What the gazetteer knows of the places that the files name.
#[derive(Default)]
struct Places {
    airports: HashMap<String, PlaceFacts>,
    towns: HashMap<(String, Option<String>), PlaceFacts>,
}

impl Places {
    async fn find(service: &Service, wanted: Wanted) -> Result<Self> {
        let mut places = Self::default();
        if !wanted.airports.is_empty() {
            let rows = service.gazetteer().airports(&wanted.airports).await?;
            places.airports.extend(rows.iter().filter_map(|row| Some((row.code.clone()?, airport(row)))));
        }
        for (name, country) in wanted.towns {
            let asked = country.as_ref().map_or_else(|| name.clone(), |country| format!("{name}, {country}"));
            if let Destination::Town { town, .. } = destinations::find(service, &asked).await? {
                places.towns.insert((name, country), facts_of(town));
            }
        }
        Ok(places)
    }
}

impl Lookup for Places {
    fn airport(&self, code: &str) -> Option<&PlaceFacts> {
        self.airports.get(code)
    }

    fn town(&self, name: &str, country: Option<&str>) -> Option<&PlaceFacts> {
        self.towns.get(&(name.to_owned(), country.map(str::to_owned)))
    }

    fn zone_at(&self, latitude: f64, longitude: f64) -> Option<String> {
        let coordinate = Coordinate { latitude: Latitude::new(latitude)?, longitude: Longitude::new(longitude)? };
        coordinates::time_zone(&coordinate).map(|zone| zone.to_string())
    }
}

fn airport(row: &GazetteerRow) -> PlaceFacts {
    PlaceFacts {
        name: row.names.lines().next().unwrap_or_default().to_owned(),
        country: Some(row.country.clone()),
        time_zone: Some(row.time_zone.clone()).filter(|zone| !zone.is_empty()),
        coordinate: Some((row.latitude, row.longitude)),
    }
}

fn facts_of(Town { name, coordinate, country, time_zone }: Town) -> PlaceFacts {
    PlaceFacts {
        name,
        country: Some(country),
        time_zone: Some(time_zone).filter(|zone| !zone.is_empty()),
        coordinate: Some((coordinate.latitude.get(), coordinate.longitude.get())),
    }
}
