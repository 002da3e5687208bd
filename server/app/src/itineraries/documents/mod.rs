//! Documents: files that were sealed on the traveller's device. They are stored unchanged; the server cannot read them.
//! This file lists, changes and deletes them.
//!
//! `itinerary-http` reads an upload's form (`multipart.rs`), `itinerary-sealed` recognises sealed files.

mod edit;
mod link;
mod upload;

use bytes::Bytes;
use chrono::TimeDelta;
use futures::stream::BoxStream;
use itinerary_api::policy::Section;
use itinerary_api::request_state::{Caller, Conditions};
use itinerary_api::types::{Document, DocumentPatch, ItemList, ListedDocument};
use itinerary_api::values::{ItemId, MediaType};
use itinerary_core::access::Act;
use itinerary_core::content::{Content, Part};
use itinerary_core::entry::Entry;
use itinerary_core::stored;
use itinerary_platform::context::Service;
use itinerary_platform::ports::blobs::BlobError;
use itinerary_store::{ContentSelection, VisibleSections};
use uuid::Uuid;

use super::change::Written;
use super::{ContentChange, Loaded, ReadConditions, Reader, load, read, write};
use crate::{Error, Outcome, Rendered, Result, to_json};

pub use edit::DocumentEdit;
pub use link::{Followed, follow, link};
pub use upload::{Sending, Upload};

/// The folder of documents in the file store.
pub const FOLDER: &str = "documents";
/// When to retry the deletion of a file that could not be deleted.
const POSTPONED_BY: TimeDelta = TimeDelta::hours(1);
/// The media type of a file that was uploaded without one.
const UNKNOWN_TYPE: &str = "application/octet-stream";

/// The name of a document's file in the file store.
pub fn blob(document: Uuid) -> String {
    format!("{FOLDER}/{document}")
}

/// Streams a document's file of this size. `None` if it does not exist.
pub(crate) async fn read_file(
    service: &Service,
    document: Uuid,
    size: u64,
) -> Result<Option<BoxStream<'static, Result<Bytes, BlobError>>>> {
    Ok(service.ports.blobs.read(&blob(document), 0..size).await?)
}

fn item_id(document: Uuid) -> ItemId {
    ItemId::new(document.to_string()).expect("a UUID is an id")
}

/// The entry of a document in a content.
fn find(content: &Content, document: Uuid) -> Option<&Entry<Document>> {
    let id = item_id(document);
    content.documents.documents.iter().find(|entry| entry.index().id.as_deref() == Some(&*id))
}

/// Lists the documents of an itinerary.
pub async fn list(
    service: &Service,
    caller: &Caller,
    id: Uuid,
    conditions: ReadConditions,
) -> Result<Rendered<ItemList<ListedDocument>>> {
    let act = Act::List(Part::Documents);
    let (loaded, fragments) = read(service, caller, id, act, VisibleSections::Documents, conditions).await?;
    let Some(fragments) = fragments else { return Ok(loaded.not_modified()) };
    let documents: Vec<Document> = stored::parse(fragments.list(Part::Documents)?.as_bytes())?;
    let rows = if documents.is_empty() { Vec::new() } else { service.store.documents(id).await? };
    let listed = |document: Document| {
        let row = rows.iter().find(|row| row.id.to_string() == *document.id);
        ListedDocument::new(document, media_type(row.map(|row| &*row.mime_type)))
    };
    let data = documents.into_iter().map(listed).collect();
    let body = to_json(&ItemList { data });
    Ok(Rendered::tagged(Outcome::Done, loaded.etag(), vec![body.into()]))
}

fn media_type(stored: Option<&str>) -> MediaType {
    let stored = stored.and_then(|stored| MediaType::new(stored).ok());
    stored.unwrap_or_else(|| MediaType::new(UNKNOWN_TYPE).expect("a media type"))
}

/// Changes name, category or link of a document. Returns its entry.
pub async fn update(
    service: &Service,
    caller: &Caller,
    itinerary: Uuid,
    id: Uuid,
    conditions: Conditions,
    patch: DocumentPatch,
) -> Result<Rendered<ListedDocument>> {
    // Read before access is checked. It becomes part of a response only if the change is allowed.
    let row = service.store.document(itinerary, id).await?;
    let mime_type = media_type(row.as_ref().map(|row| &*row.mime_type));
    let edit = ContentChange::Document(DocumentEdit::Update { id: item_id(id), patch });
    let render = |written: &Written<'_>| {
        let entry = find(written.content, id).ok_or(Error::NotFound)?;
        let listed = ListedDocument::new(entry.value()?.into_owned(), mime_type.clone());
        Ok(written.tagged(Outcome::Done, to_json(&listed)))
    };
    write(service, caller, itinerary, conditions, edit, &render).await
}

/// Deletes a document. The response has no body, only the itinerary's new ETag.
pub async fn delete(
    service: &Service,
    caller: &Caller,
    itinerary: Uuid,
    id: Uuid,
    conditions: Conditions,
) -> Result<Rendered<()>> {
    let edit = ContentChange::Document(DocumentEdit::Delete { id });
    write(service, caller, itinerary, conditions, edit, &|written| Ok(written.tagged(Outcome::Done, Vec::new()))).await
}

/// Deletes files that no document refers to. Returns how many. A crash leaves the rest to the next run, and a file that
/// cannot be deleted does not block the others.
pub async fn delete_loose_files(service: &Service) -> Result<u64> {
    let mut deleted = 0;
    loop {
        let files = service.store.loose_files(service.clock.now()).await?;
        if files.is_empty() {
            return Ok(deleted);
        }
        for file in files {
            match delete_file(service, file).await {
                Ok(()) => deleted += 1,
                Err(Error::Files(error)) => {
                    tracing::warn!(error = &error as &dyn std::error::Error, %file, "a file is deleted later");
                    service.store.loose_file_postpone(file, service.clock.now() + POSTPONED_BY).await?;
                }
                Err(error) => return Err(error),
            }
        }
    }
}

// The file is deleted before its row, so that no file is forgotten.
async fn delete_file(service: &Service, document: Uuid) -> Result<()> {
    service.ports.blobs.delete(&blob(document)).await?;
    Ok(service.store.loose_file_remove(document).await?)
}

impl Loaded {
    /// Why an upload that was allowed when it began is no longer allowed.
    pub(super) async fn no_longer_allowed(&self, service: &Service, reader: Reader) -> Error {
        let allowed = match load(service, reader, self.id, ContentSelection::Nothing).await {
            Ok((loaded, _)) => loaded.allow(reader, Act::ChangeList(Part::Documents)),
            Err(error) => return error,
        };
        let needs_pro = Error::SubscriptionRequired(Section::Documents);
        allowed.err().unwrap_or(needs_pro)
    }
}
