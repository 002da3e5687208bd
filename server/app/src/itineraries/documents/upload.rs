//! Uploads: a file is inspected and stored while it arrives, and added to the itinerary after the whole form has
//! arrived.

use bytes::Bytes;
use chrono::TimeDelta;
use itinerary_api::request_state::{Caller, Conditions, IdempotencyKey};
use itinerary_api::types::{Document, DocumentDetails, DocumentFile, UploadedDocument};
use itinerary_api::values::{EntityTags, MediaType};
use itinerary_core::access::Act;
use itinerary_core::{file_name, fingerprint, ids};
use itinerary_platform::account_limit::TransferPermit;
use itinerary_platform::context::Service;
use itinerary_platform::ports::blobs::BlobWriter;
use itinerary_sealed::{Inspector, NotSealed};
use itinerary_store::{ContentSelection, NewDocument};
use openssl::sha::Sha256;
use uuid::Uuid;

use super::link::link_to;
use super::{DocumentEdit, blob, delete_file, item_id, media_type};
use crate::itineraries::change::Written;
use crate::itineraries::{ContentChange, load, write};
use crate::{Error, Outcome, Rendered, Result, to_json};

/// How long a file may exist without its document; longer than any upload takes.
const UPLOAD_TIME: TimeDelta = TimeDelta::hours(1);

/// An upload in progress.
pub struct Upload<'s> {
    service: &'s Service,
    itinerary: Uuid,
    /// The id of the document, which also names its file.
    id: Uuid,
    /// Why the caller may not upload. The body is still read, but not stored, because its own errors take precedence.
    refused: Option<Error>,
    file: Option<ReceivedFile>,
    /// Whether a rejected upload deletes its file at once: from when the file is listed as loose until the file store
    /// fails. After that, what is stored is unknown, and the job deletes it.
    is_deleted_at_once: bool,
    is_claimed: bool,
    /// Whether the quota has room for the file, as far as is known. If not, nothing is stored, and only a replay can
    /// succeed.
    has_room: bool,
    _permit: TransferPermit,
}

/// The part of the file that has arrived.
struct ReceivedFile {
    /// `None` if the file is not stored.
    writer: Option<BlobWriter>,
    inspector: Inspector,
    not_sealed: Option<NotSealed>,
    hash: Option<Sha256>,
    size: u64,
}

/// The form besides the file's content.
#[derive(Clone, Debug, Default)]
pub struct Sending {
    /// The fields besides the file, in order, as they were sent.
    pub parts: Vec<(String, String)>,
    /// The same, checked.
    pub details: DocumentDetails,
    /// The file's name, as it was sent.
    pub file_name: String,
    /// The file's media type.
    pub file_type: Option<MediaType>,
}

impl<'s> Upload<'s> {
    /// Begins an upload of at least `length` bytes. `is_claimed` is whether it has an idempotency key, which requires a
    /// hash.
    pub async fn begin(
        service: &'s Service,
        caller: &Caller,
        itinerary: Uuid,
        is_claimed: bool,
        length: u64,
    ) -> Result<Self> {
        let permit = service.uploads.acquire(caller.account).ok_or(Error::TooManyTransfers)?;
        let mut has_room = true;
        let admitted = match load(service, caller, itinerary, ContentSelection::Nothing).await {
            Ok((loaded, _)) => {
                let used = service.store.document_usage(loaded.author.account_id).await?;
                let length = i64::try_from(length).unwrap_or(i64::MAX).max(1);
                has_room = used.saturating_add(length) <= service.config.document_quota;
                loaded.allow(caller, Act::Upload)
            }
            Err(Error::NotFound) => Err(Error::NotFound),
            Err(error) => return Err(error),
        };
        let id = ids::uuid(service.clock.now(), &*service.random);
        Ok(Self {
            service,
            itinerary,
            id,
            refused: admitted.err(),
            file: None,
            is_deleted_at_once: false,
            is_claimed,
            has_room,
            _permit: permit,
        })
    }

    /// Fails if the caller may not upload, before the body is read.
    pub fn refuse(&mut self) -> Result<()> {
        self.refused.take().map_or(Ok(()), Err)
    }

    /// Begins the file.
    pub async fn begin_file(&mut self) -> Result<()> {
        let service = self.service;
        let writer = if self.refused.is_none() && self.has_room {
            service.store.loose_file_add(self.id, service.clock.now() + UPLOAD_TIME).await?;
            self.is_deleted_at_once = true;
            Some(service.ports.blobs.writer(&blob(self.id)))
        } else {
            None
        };
        let hash = self.is_claimed.then(Sha256::new);
        self.file = Some(ReceivedFile { writer, inspector: Inspector::new(), not_sealed: None, hash, size: 0 });
        Ok(())
    }

    /// Inspects and stores the next bytes of the file. Stops storing once the file is known not to be sealed.
    pub async fn write(&mut self, bytes: Bytes) -> Result<()> {
        let Some(file) = &mut self.file else { return Ok(()) };
        file.size += bytes.len() as u64;
        if let Some(hash) = &mut file.hash {
            hash.update(&bytes);
        }
        if file.not_sealed.is_none()
            && let Err(reason) = file.inspector.push(&bytes)
        {
            file.not_sealed = Some(reason);
            if let Some(writer) = file.writer.take() {
                writer.abort().await;
            }
        }
        let Some(writer) = &mut file.writer else { return Ok(()) };
        writer.write(bytes).await.map_err(|error| {
            self.is_deleted_at_once = false;
            error.into()
        })
    }

    /// Aborts the upload and deletes what was stored.
    pub async fn abort(mut self) {
        if let Some(writer) = self.file.take().and_then(|file| file.writer) {
            writer.abort().await;
        }
        if self.is_deleted_at_once {
            delete_now(self.service, self.id).await;
        }
    }

    /// Adds the document after the whole form has arrived. `caller` was authenticated again after the last byte.
    pub async fn finish(
        mut self,
        caller: &Caller,
        mut key: Option<IdempotencyKey>,
        sending: Sending,
    ) -> Result<Rendered<UploadedDocument>> {
        let mut file = self.file.take().expect("a form has a file");
        self.refuse()?;
        let Self { service, itinerary, id, is_deleted_at_once, .. } = self;
        let outcome = async {
            let not_sealed = file.end().await?;
            let (edit, uploaded, hash) = add(service, caller, id, &sending, file, not_sealed);
            if let (Some(key), Some(hash)) = (&mut key, hash) {
                let mut parts: Vec<_> = sending.parts.iter().map(|(name, value)| (&**name, &**value)).collect();
                parts.sort_unstable();
                key.fingerprint = fingerprint::of_upload(key.fingerprint, &parts, hash);
            }
            let conditions = Conditions { if_match: Some(EntityTags::Any), key, ..Conditions::default() };
            let render = |written: &Written<'_>| Ok(written.tagged(Outcome::Created, to_json(&uploaded)));
            write(service, caller, itinerary, conditions, ContentChange::Document(edit), &render).await
        };
        let outcome = match outcome.await {
            // The client named no version, so it has nothing to read again.
            Err(Error::Modified { .. }) => Err(Error::Busy),
            outcome => outcome,
        };
        let is_added = match &outcome {
            Ok(rendered) => !rendered.replayed,
            // The document may have been added, or the file stored, nevertheless: the job finds out.
            Err(Error::Unavailable(_) | Error::Files(_)) => true,
            Err(_) => false,
        };
        if is_deleted_at_once && !is_added {
            delete_now(service, id).await;
        }
        signed(service, caller, outcome?)
    }
}

impl ReceivedFile {
    /// Ends the file. Stores it if it is sealed, otherwise returns why it is not.
    async fn end(&mut self) -> Result<Option<NotSealed>> {
        let inspector = std::mem::take(&mut self.inspector);
        let not_sealed = self.not_sealed.take().or_else(|| inspector.finish().err());
        match self.writer.take() {
            Some(writer) if not_sealed.is_none() => writer.finish().await?,
            Some(writer) => writer.abort().await,
            None => {}
        }
        Ok(not_sealed)
    }
}

/// The document of a complete file, what an upload responds with, and the file's hash.
fn add(
    service: &Service,
    caller: &Caller,
    id: Uuid,
    sending: &Sending,
    file: ReceivedFile,
    not_sealed: Option<NotSealed>,
) -> (DocumentEdit, UploadedDocument, Option<[u8; 32]>) {
    let ReceivedFile { hash, size, .. } = file;
    let file_name = file_name::clean(&sending.file_name);
    let DocumentDetails { name, category, belongs_to, mime_type } = sending.details.clone();
    let mime_type = mime_type.or_else(|| sending.file_type.clone()).unwrap_or_else(|| media_type(None));
    let row = NewDocument {
        id,
        file_name: file_name.to_string(),
        mime_type: mime_type.to_string(),
        size: i64::try_from(size).unwrap_or(i64::MAX),
        uploader: caller.account,
        quota: service.config.document_quota,
    };
    let document = Box::new(Document {
        id: item_id(id),
        name: name.unwrap_or_else(|| file_name.clone()),
        category: Some(category.unwrap_or_default()),
        file: DocumentFile { path: blob(id), name: file_name, size },
        belongs_to,
    });
    let uploaded = UploadedDocument {
        id: document.id.clone(),
        name: document.name.clone(),
        kind: document.category.unwrap_or_default(),
        mime_type,
        size,
        // A link is valid for minutes, so it is made for each response and not stored with an idempotency key.
        url: String::new(),
    };
    (DocumentEdit::Add { document, row, not_sealed }, uploaded, hash.map(Sha256::finish))
}

/// Deletes the file of a rejected upload at once. If that fails, the job deletes it when it expires.
async fn delete_now(service: &Service, id: Uuid) {
    if let Err(error) = delete_file(service, id).await {
        tracing::warn!(error = error.for_log(), "the file of a refused upload is deleted later");
    }
}

/// Adds a link to the response to an upload.
fn signed(
    service: &Service,
    caller: &Caller,
    mut rendered: Rendered<UploadedDocument>,
) -> Result<Rendered<UploadedDocument>> {
    let mut uploaded: UploadedDocument = serde_json::from_slice(&rendered.body.concat())?;
    let id = Uuid::try_parse(&uploaded.id).map_err(|_| Error::Corrupt("a document without a UUID".to_owned()))?;
    uploaded.url = link_to(service, caller, id).url;
    rendered.body = vec![to_json(&uploaded).into()];
    Ok(rendered)
}
