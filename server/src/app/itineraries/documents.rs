//! Documents: files that were sealed on the traveller's device. They are stored unchanged; the server cannot read them.
//!
//! Reading an upload's multipart form is `http::multipart`'s, recognising a sealed file `itinerary-sealed`'s.

use std::ops::Range;

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use bytes::Bytes;
use chrono::{DateTime, TimeDelta, Utc};
use futures::stream::BoxStream;
use itinerary_api::scope::Caller;
use itinerary_api::types::{
    Document, DocumentDetails, DocumentFile, DocumentLink, DocumentPatch, ListedDocument, UploadedDocument,
};
use itinerary_api::values::{ItemId, MediaType, Timestamp};
use itinerary_core::access::Act;
use itinerary_core::content::{Content, Part};
use itinerary_core::edit::{Edit, ItemEdit};
use itinerary_core::sent::Sent;
use itinerary_core::version::Tags;
use itinerary_core::{file_name, fingerprint, ids};
use itinerary_sealed::{Inspector, NotSealed};
use itinerary_store::{DocumentChange, NewDocument, Pause, Shown, Wanted};
use openssl::sha::Sha256;
use serde::Serialize;
use uuid::Uuid;

use super::{Known, Precondition, Seen, Work, change, read, see};
use crate::app::{Answer, Error, Outcome, Result};
use crate::context::Service;
use crate::ports::blobs::{BlobError, Writer};

/// Where documents are in the file store.
const FOLDER: &str = "documents";
/// How long a link is valid.
const LINK_VALID: TimeDelta = TimeDelta::minutes(10);
/// How long the file of an upload may be without its document; longer than any upload takes.
const UPLOAD_TIME: TimeDelta = TimeDelta::hours(1);
/// The media type of a file that was uploaded without one.
const UNKNOWN_TYPE: &str = "application/octet-stream";
/// What links are signed for.
const LINK: &str = "document link";

/// The name of a document's file in the file store.
fn blob(document: Uuid) -> String {
    format!("{FOLDER}/{document}")
}

fn item_id(document: Uuid) -> ItemId {
    ItemId::new(document.to_string()).expect("a UUID is an id")
}

/// A change of an itinerary's documents.
pub enum DocumentWork {
    /// Adds one, whose file is stored.
    Add {
        /// The document.
        document: Box<Document>,
        /// Its row.
        row: NewDocument,
        /// Its media type.
        mime_type: MediaType,
        /// Why its file is not taken for sealed.
        not_sealed: Option<NotSealed>,
    },
    /// Merges a patch into one.
    Update {
        /// Which one.
        id: ItemId,
        /// The patch.
        patch: DocumentPatch,
        /// Its media type.
        mime_type: MediaType,
    },
    /// Deletes one, and its file.
    Delete {
        /// Which one.
        id: Uuid,
    },
}

impl DocumentWork {
    /// What one must be allowed to do.
    pub(super) fn act(&self) -> Act {
        match self {
            Self::Add { .. } => Act::Upload,
            Self::Update { .. } | Self::Delete { .. } => Act::ChangeList(Part::Documents),
        }
    }

    /// The change of the itinerary's content that it is.
    pub(super) fn edit(&self) -> Edit {
        Edit::Document(match self {
            Self::Add { document, .. } => ItemEdit::Add { item: (**document).clone(), position: None },
            Self::Update { id, patch, .. } => ItemEdit::Update { id: id.clone(), patch: patch.clone() },
            Self::Delete { id } => ItemEdit::Remove { id: item_id(*id) },
        })
    }

    /// Changes the content.
    pub(super) fn apply(&self, content: &mut Content) -> Result<Sent> {
        if let Self::Add { not_sealed: Some(reason), .. } = self {
            return Err(Error::NotSealed(reason.clone()));
        }
        Ok(self.edit().apply(content)?)
    }

    /// What else is to be stored.
    pub(super) fn change(&self) -> DocumentChange {
        match self {
            Self::Add { row, .. } => DocumentChange::Add(row.clone()),
            Self::Update { .. } => DocumentChange::None,
            Self::Delete { id } => DocumentChange::Remove(*id),
        }
    }

    /// The answer, with the itinerary's new tag. The link of an upload is not part of it: it is made for each answer.
    pub(super) fn answer(&self, content: &Content, etag: String) -> Result<Answer> {
        let (outcome, json) = match self {
            Self::Add { document, mime_type, row, .. } => (Outcome::Created, uploaded(document, mime_type, row)),
            Self::Update { id, mime_type, .. } => {
                let is_it = |entry: &&_| itinerary_core::entry::Entry::outline(*entry).id.as_deref() == Some(&**id);
                let entry = content.sealed.documents.iter().find(is_it).ok_or(Error::NotFound)?;
                (Outcome::Done, json(&ListedDocument::new(entry.value()?.into_owned(), mime_type.clone())))
            }
            Self::Delete { .. } => (Outcome::Done, Vec::new()),
        };
        Ok(Answer::tagged(outcome, etag, vec![json.into()]))
    }
}

fn json(value: &impl Serialize) -> Vec<u8> {
    serde_json::to_vec(value).expect("wire types are plain data")
}

fn uploaded(document: &Document, mime_type: &MediaType, row: &NewDocument) -> Vec<u8> {
    json(&UploadedDocument {
        id: document.id.clone(),
        name: document.name.clone(),
        kind: document.category.unwrap_or_default(),
        mime_type: mime_type.clone(),
        size: row.size.unsigned_abs(),
        url: String::new(),
    })
}

/// Lists the documents of an itinerary.
pub async fn list(service: &Service, caller: &Caller, id: Uuid, known: Known<'_>) -> Result<Answer> {
    let act = Act::List(Part::Documents);
    let (seen, fragments) = read(service, caller, id, act, Shown::Documents, known).await?;
    let Some(fragments) = fragments else { return Ok(seen.not_modified()) };
    let documents: Vec<Document> = serde_json::from_str(fragments.list(Part::Documents)?)?;
    let rows = if documents.is_empty() { Vec::new() } else { service.store.documents(id).await? };
    let listed = |document: Document| {
        let row = rows.iter().find(|row| row.id.to_string() == *document.id);
        ListedDocument::new(document, media_type(row.map(|row| &*row.mime_type)))
    };
    let data = documents.into_iter().map(listed).collect();
    let body = json(&itinerary_api::types::ItemList { data });
    Ok(Answer::tagged(Outcome::Done, seen.etag(), vec![body.into()]))
}

fn media_type(stored: Option<&str>) -> MediaType {
    let stored = stored.and_then(|stored| MediaType::new(stored).ok());
    stored.unwrap_or_else(|| MediaType::new(UNKNOWN_TYPE).expect("a media type"))
}

/// Changes name, category or link of a document; answers with its entry.
pub async fn update(
    service: &Service,
    caller: &Caller,
    itinerary: Uuid,
    id: Uuid,
    precondition: Precondition,
    patch: DocumentPatch,
) -> Result<Answer> {
    // Only an answer to somebody who may see the itinerary tells it.
    let row = service.store.document(itinerary, id).await?;
    let mime_type = media_type(row.as_ref().map(|row| &*row.mime_type));
    let work = DocumentWork::Update { id: item_id(id), patch, mime_type };
    change(service, caller, itinerary, precondition, Work::Document(work)).await
}

/// Deletes a document; answers with the itinerary's new tag alone.
pub async fn delete(
    service: &Service,
    caller: &Caller,
    itinerary: Uuid,
    id: Uuid,
    precondition: Precondition,
) -> Result<Answer> {
    change(service, caller, itinerary, precondition, Work::Document(DocumentWork::Delete { id })).await
}

/// An upload in progress.
pub struct Upload<'s> {
    service: &'s Service,
    itinerary: Uuid,
    /// The document's id, and its file's name.
    id: Uuid,
    /// Why the caller may not upload. The body is read all the same, and not stored: its own faults are answered first.
    refused: Option<Error>,
    file: Option<File>,
    /// Whether the file was listed as loose: there may be something to delete.
    is_listed: bool,
    is_claimed: bool,
}

/// The file of an upload, as far as it has arrived.
struct File {
    /// `None` if it is not to be stored.
    writer: Option<Writer>,
    inspector: Inspector,
    not_sealed: Option<NotSealed>,
    hash: Option<Sha256>,
    size: u64,
}

/// What an upload says besides the file's content.
#[derive(Clone, Debug, Default)]
pub struct Sending {
    /// The parts besides the file, in their order, as they were sent.
    pub parts: Vec<(String, String)>,
    /// The same, checked.
    pub details: DocumentDetails,
    /// The file's name, as it was sent.
    pub file_name: String,
    /// The file's media type.
    pub file_type: Option<MediaType>,
}

impl<'s> Upload<'s> {
    /// Begins an upload. `is_claimed` if it has an idempotency key: then the file is hashed.
    pub async fn begin(service: &'s Service, caller: &Caller, itinerary: Uuid, is_claimed: bool) -> Result<Self> {
        let admitted = match see(service, caller, itinerary, Wanted::Nothing).await {
            Ok((seen, _)) => seen.allow(caller, Act::Upload),
            Err(Error::NotFound) => Err(Error::NotFound),
            Err(error) => return Err(error),
        };
        let id = ids::uuid(service.clock.now(), &*service.random);
        Ok(Self { service, itinerary, id, refused: admitted.err(), file: None, is_listed: false, is_claimed })
    }

    /// The file begins.
    pub async fn begin_file(&mut self) -> Result<()> {
        let service = self.service;
        let writer = if self.refused.is_none() {
            service.store.loose_file_add(self.id, service.clock.now() + UPLOAD_TIME).await?;
            self.is_listed = true;
            Some(service.ports.blobs.writer(&blob(self.id)))
        } else {
            None
        };
        let hash = self.is_claimed.then(Sha256::new);
        self.file = Some(File { writer, inspector: Inspector::new(), not_sealed: None, hash, size: 0 });
        Ok(())
    }

    /// Takes the next bytes of the file. They are not stored any more once the file is known not to be sealed.
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
        match &mut file.writer {
            Some(writer) => Ok(writer.write(bytes).await?),
            None => Ok(()),
        }
    }

    /// Gives up: deletes what was stored.
    pub async fn abort(mut self) {
        if let Some(writer) = self.file.take().and_then(|file| file.writer) {
            writer.abort().await;
        }
        if self.is_listed {
            delete_now(self.service, self.id).await;
        }
    }

    /// The form has arrived as a whole: adds the document. `caller` was authenticated again after its last byte.
    pub async fn finish(mut self, caller: &Caller, mut precondition: Precondition, sending: Sending) -> Result<Answer> {
        let mut file = self.file.take().expect("a form has a file");
        if let Some(refused) = self.refused.take() {
            return Err(refused);
        }
        let Self { service, itinerary, id, is_listed, .. } = self;
        let outcome = async {
            let not_sealed = file.end().await?;
            let (work, hash) = add(service, caller, id, &sending, file, not_sealed);
            if let (Some(claim), Some(hash)) = (&mut precondition.claim, hash) {
                let parts: Vec<_> = sending.parts.iter().map(|(name, value)| (&**name, &**value)).collect();
                let named = [("filename", &*sending.file_name)];
                claim.fingerprint = fingerprint::of_upload(claim.fingerprint, &[&parts[..], &named].concat(), hash);
            }
            precondition.if_match = Some(Tags::Any);
            change(service, caller, itinerary, precondition, Work::Document(work)).await
        };
        let outcome = match outcome.await {
            // The client named no version: there is none for it to read again.
            Err(Error::Modified { .. }) => Err(Error::Busy),
            outcome => outcome,
        };
        let is_added = match &outcome {
            Ok(answer) => !answer.replayed,
            // It may have been added all the same: the job finds out.
            Err(Error::Unavailable(_)) => true,
            Err(_) => false,
        };
        if is_listed && !is_added {
            delete_now(service, id).await;
        }
        signed(service, caller, outcome?)
    }
}

impl File {
    /// The file has ended: it is stored if it is sealed, otherwise this is why not.
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

/// The document of a file that has ended, and the file's hash.
fn add(
    service: &Service,
    caller: &Caller,
    id: Uuid,
    sending: &Sending,
    file: File,
    not_sealed: Option<NotSealed>,
) -> (DocumentWork, Option<[u8; 32]>) {
    let File { hash, size, .. } = file;
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
    (DocumentWork::Add { document, row, mime_type, not_sealed }, hash.map(Sha256::finish))
}

/// Deletes the file of a refused upload now rather than when it expires. A failure leaves it to the job.
async fn delete_now(service: &Service, id: Uuid) {
    if let Err(error) = delete_file(service, id).await {
        tracing::warn!(?error, "the file of a refused upload is deleted later");
    }
}

/// Adds a link to the answer to an upload.
fn signed(service: &Service, caller: &Caller, mut answer: Answer) -> Result<Answer> {
    let mut uploaded: UploadedDocument = serde_json::from_slice(&answer.body.concat())?;
    let id = Uuid::try_parse(&uploaded.id).map_err(|_| Error::Corrupt("a document without a UUID".to_owned()))?;
    uploaded.url = link_to(service, caller, id).url;
    answer.body = vec![json(&uploaded).into()];
    Ok(answer)
}

/// Makes a link to a document's file.
pub async fn link(service: &Service, caller: &Caller, itinerary: Uuid, id: Uuid) -> Result<DocumentLink> {
    let (seen, _) = see(service, caller, itinerary, Wanted::Nothing).await?;
    seen.allow(caller, Act::List(Part::Documents))?;
    service.store.document(itinerary, id).await?.ok_or(Error::NotFound)?;
    Ok(link_to(service, caller, id))
}

fn link_to(service: &Service, caller: &Caller, id: Uuid) -> DocumentLink {
    let expires_at = service.clock.now() + LINK_VALID;
    let link = Link { document: id, account: caller.account, grant: caller.grant, expires_at };
    let url = format!("{}/documents/{}", service.config.base_url, link.signed(service));
    DocumentLink { url, expires_at: Timestamp(expires_at) }
}

/// What a link says: which document, for whom, through which app, until when.
#[derive(Clone, Debug, PartialEq)]
struct Link {
    document: Uuid,
    account: Uuid,
    grant: Uuid,
    expires_at: DateTime<Utc>,
}

impl Link {
    /// The link's text: what it says, and an authentication code over it.
    fn signed(&self, service: &Service) -> String {
        let seconds = self.expires_at.timestamp().to_be_bytes();
        let ids = [self.document, self.account, self.grant].map(Uuid::into_bytes).concat();
        let said = URL_SAFE_NO_PAD.encode([&ids[..], &seconds].concat());
        let code = service.key.code(LINK, &said);
        format!("{said}.{code}")
    }

    /// Reads a link's text; `None` if this server has not signed it.
    fn read(service: &Service, signed: &str) -> Option<Self> {
        let (said, code) = signed.split_once('.')?;
        if !service.key.verifies(LINK, said, code) {
            return None;
        }
        let bytes = URL_SAFE_NO_PAD.decode(said).ok()?;
        let id = |n: usize| Uuid::from_slice(bytes.get(16 * n..16 * (n + 1))?).ok();
        let seconds = i64::from_be_bytes(bytes.get(48..)?.try_into().ok()?);
        let expires_at = DateTime::from_timestamp(seconds, 0)?;
        Some(Self { document: id(0)?, account: id(1)?, grant: id(2)?, expires_at })
    }
}

/// A document's file, for somebody who follows a link.
pub struct Followed {
    id: Uuid,
    /// What the file is called.
    pub file_name: String,
    /// Its size in bytes.
    pub size: u64,
}

/// Follows a link. Row, membership and grant are looked at now, not when the link was made.
pub async fn follow(service: &Service, signed: &str) -> Result<Followed> {
    let link = Link::read(service, signed).ok_or(Error::NotFound)?;
    if link.expires_at <= service.clock.now() {
        return Err(Error::NotFound);
    }
    let row = service.store.document_file(link.document, link.account, link.grant).await?.ok_or(Error::NotFound)?;
    if let Some(Pause(seconds)) = row.paused {
        return Err(Error::Paused(seconds));
    }
    Ok(Followed { id: link.document, file_name: row.file_name, size: row.size.unsigned_abs() })
}

impl Followed {
    /// What names the file's content, which never changes.
    pub fn etag(&self) -> String {
        format!("\"{}\"", self.id)
    }

    /// A range of the file's bytes.
    pub async fn read(
        &self,
        service: &Service,
        range: Range<u64>,
    ) -> Result<BoxStream<'static, Result<Bytes, BlobError>>> {
        service
            .ports
            .blobs
            .read(&blob(self.id), range)
            .await?
            .ok_or_else(|| Error::Corrupt(format!("the document {} has no file", self.id)))
    }
}

/// Deletes files that no document refers to; returns how many. A kill in between leaves the rest to the next run.
pub async fn delete_loose_files(service: &Service) -> Result<u64> {
    let mut deleted = 0;
    loop {
        let files = service.store.loose_files(service.clock.now()).await?;
        if files.is_empty() {
            return Ok(deleted);
        }
        for file in files {
            delete_file(service, file).await?;
            deleted += 1;
        }
    }
}

/// The file before its entry in the list: nothing that is left is forgotten.
async fn delete_file(service: &Service, document: Uuid) -> Result<()> {
    service.ports.blobs.delete(&blob(document)).await?;
    Ok(service.store.loose_file_remove(document).await?)
}

impl Seen {
    /// Why an upload that was allowed when it began is not any more.
    pub(super) async fn no_longer_allowed(&self, service: &Service, caller: &Caller) -> Error {
        let allowed = match see(service, caller, self.id, Wanted::Nothing).await {
            Ok((seen, _)) => seen.allow(caller, Act::ChangeList(Part::Documents)),
            Err(error) => return error,
        };
        let needs_pro = Error::SubscriptionRequired(itinerary_api::policy::Section::Documents);
        allowed.err().unwrap_or(needs_pro)
    }
}
