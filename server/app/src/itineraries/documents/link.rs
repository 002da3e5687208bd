//! Signed links to documents' files: for one document, one traveller and one app, valid for ten minutes.

use std::ops::Range;

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use bytes::Bytes;
use chrono::{DateTime, SubsecRound, TimeDelta, Utc};
use futures::StreamExt;
use futures::stream::BoxStream;
use itinerary_api::request_state::Caller;
use itinerary_api::types::DocumentLink;
use itinerary_api::values::Timestamp;
use itinerary_core::access::Act;
use itinerary_core::content::Part;
use itinerary_platform::account_limit::TransferPermit;
use itinerary_platform::context::Service;
use itinerary_platform::ports::blobs::BlobError;
use itinerary_store::{ContentSelection, Pause};
use uuid::Uuid;

use super::blob;
use crate::itineraries::load;
use crate::{Error, Result};

/// How long a link is valid.
const LINK_VALID: TimeDelta = TimeDelta::minutes(10);
/// The purpose of the signatures.
const LINK: &str = "document link";

/// Creates a link to a document's file.
pub async fn link(service: &Service, caller: &Caller, itinerary: Uuid, id: Uuid) -> Result<DocumentLink> {
    let (loaded, _) = load(service, caller, itinerary, ContentSelection::Nothing).await?;
    loaded.allow(caller, Act::List(Part::Documents))?;
    service.store.document(itinerary, id).await?.ok_or(Error::NotFound)?;
    Ok(link_to(service, caller, id))
}

pub(super) fn link_to(service: &Service, caller: &Caller, id: Uuid) -> DocumentLink {
    // Links contain whole seconds.
    let expires_at = (service.clock.now() + LINK_VALID).trunc_subsecs(0);
    let link = LinkContent { document: id, account: caller.account, grant: caller.grant, expires_at };
    let url = format!("{}/documents/{}", service.config.base_url, link.signed(service));
    DocumentLink { url, expires_at: Timestamp(expires_at) }
}

/// The content of a link: document, traveller, app and expiry.
#[derive(Clone, Debug, PartialEq)]
struct LinkContent {
    document: Uuid,
    account: Uuid,
    grant: Uuid,
    expires_at: DateTime<Utc>,
}

impl LinkContent {
    /// The link's text: its content and an authentication code.
    fn signed(&self, service: &Service) -> String {
        let seconds = self.expires_at.timestamp().to_be_bytes();
        let ids = [self.document, self.account, self.grant].map(Uuid::into_bytes).concat();
        let said = URL_SAFE_NO_PAD.encode([&ids[..], &seconds].concat());
        let code = service.key.code(LINK, &said);
        format!("{said}.{code}")
    }

    /// Parses a link's text. `None` if this server has not signed it.
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

/// A document's file, opened by a link.
pub struct Followed {
    id: Uuid,
    /// Held while the file is sent.
    permit: Option<TransferPermit>,
    /// The file name for the download.
    pub file_name: String,
    /// In bytes.
    pub size: u64,
}

/// Opens the file of a link. Checks row, membership and grant as they are now, not as they were when the link was
/// created.
pub async fn follow(service: &Service, signed: &str) -> Result<Followed> {
    let link = LinkContent::read(service, signed).ok_or(Error::NotFound)?;
    if link.expires_at <= service.clock.now() {
        return Err(Error::NotFound);
    }
    let row = service.store.document_file(link.document, link.account, link.grant).await?.ok_or(Error::NotFound)?;
    if let Some(Pause(seconds)) = row.paused {
        return Err(Error::Paused(seconds));
    }
    let permit = service.responses.slot(link.account).await.ok_or(Error::TooManyTransfers)?;
    Ok(Followed { id: link.document, permit: Some(permit), file_name: row.file_name, size: row.size.unsigned_abs() })
}

impl Followed {
    /// The ETag of the file's content, which never changes.
    pub fn etag(&self) -> String {
        format!("\"{}\"", self.id)
    }

    /// A range of the file's bytes.
    pub async fn read(
        &mut self,
        service: &Service,
        range: Range<u64>,
    ) -> Result<BoxStream<'static, Result<Bytes, BlobError>>> {
        let file = service.ports.blobs.read(&blob(self.id), range).await?;
        let file = file.ok_or_else(|| Error::Corrupt(format!("the document {} has no file", self.id)))?;
        let permit = self.permit.take();
        Ok(file.inspect(move |_| _ = &permit).boxed())
    }
}
