//! Exports of an itinerary. `itinerary-export` decides what a file contains.

use bytes::Bytes;
use itinerary_api::policy::Scope;
use itinerary_api::request_state::Caller;
use itinerary_api::types::{ExportFormat, Itinerary};
use itinerary_core::access::{Act, Standing};
use itinerary_core::content::Fragments;
use itinerary_core::{file_name, schedule, stored, version};
use itinerary_export::Trip;
use itinerary_platform::context::Service;
use itinerary_platform::fair_pool::Requester;
use itinerary_store::VisibleSections;
use uuid::Uuid;

use super::{Loaded, ReadConditions, read};
use crate::Result;

/// An export for a reader.
pub struct Exported {
    pub etag: String,
    /// `None` if the reader has this export already.
    pub file: Option<File>,
}

pub struct File {
    /// The itinerary's title, and the format as the extension.
    pub name: String,
    pub bytes: Vec<u8>,
}

impl File {
    pub(super) fn of(trip: &Trip<'_>, format: ExportFormat) -> Self {
        let name = file_name::from_title(&trip.itinerary.title, format.name());
        Self { name, bytes: itinerary_export::export(trip, format) }
    }
}

/// Exports an itinerary. Counts as a read, like reading the itinerary itself.
pub async fn export(
    service: &Service,
    caller: &Caller,
    id: Uuid,
    format: ExportFormat,
    conditions: ReadConditions,
) -> Result<Exported> {
    let shown = VisibleSections::All { pro: caller.pro, documents: caller.scopes.contains(Scope::DocumentsRead) };
    let conditions = ReadConditions { format: Some(format), ..conditions };
    let (loaded, fragments) = read(service, caller, id, Act::Read, shown, conditions).await?;
    if loaded.standing != Standing::Owner {
        service.reads.note(id, caller.account, service.clock.now());
    }
    let etag = version::export_etag(&loaded.etag(), format.name());
    let Some(fragments) = fragments else { return Ok(Exported { etag, file: None }) };
    let base_url = service.config.base_url.clone();
    let write = move || {
        let itinerary = loaded.parsed(fragments)?;
        let trip = loaded.trip(&base_url, &itinerary).with_late_stops(schedule::late_stops_of(&itinerary));
        Ok(File::of(&trip, format))
    };
    let file: Result<File> = service.long_work.run(Requester::Account(caller.account), write).await?;
    Ok(Exported { etag, file: Some(file?) })
}

impl Loaded {
    /// The itinerary as its reader sees it, parsed.
    pub(crate) fn parsed(&self, fragments: Fragments<Bytes>) -> Result<Itinerary> {
        let body = self.rendered(fragments, None).body;
        Ok(stored::parse(&body.concat())?)
    }

    pub(crate) fn trip<'i>(&self, base_url: &str, itinerary: &'i Itinerary) -> Trip<'i> {
        Trip::new(itinerary, self.version, format!("{base_url}/trips/{}", self.id))
    }
}
