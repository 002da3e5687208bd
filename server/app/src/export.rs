//! The archive of an account's data: a ZIP file that is sent while it is written.
//!
//! Nothing is compressed: sealed files cannot be, and the rest is small. A task writes into a buffer and sends each
//! full piece, so that memory holds at most an itinerary or a piece of a document. The task waits for the reader and
//! ends when the reader is gone.

use std::io::{self, Write};
use std::mem;
use std::sync::{Arc, Mutex, PoisonError};

use bytes::Bytes;
use chrono::{DateTime, Datelike, SecondsFormat, Timelike, Utc};
use futures::channel::mpsc::{self, Sender};
use futures::stream::BoxStream;
use futures::{SinkExt, StreamExt};
use itinerary_core::file_name;
use itinerary_model::ListFilter;
use itinerary_platform::context::Service;
use itinerary_store::{Account, AccountRows, DocumentRow, IdentityRow, ListContent, ListQuery, PasskeyRow};
use serde_json::{Value, json};
use uuid::Uuid;
use zip::result::ZipError;
use zip::write::{SimpleFileOptions, StreamWriter};
use zip::{CompressionMethod, ZipWriter};

use super::itineraries::{self, documents};
use super::links::link_of;
use super::people::Side;
use super::{Error, Result};
use super::{passkeys, personal_tokens};

/// The number of rows that one statement reads.
const PAGE: u32 = 200;
/// The size of a piece, in bytes.
const PIECE: usize = 64 * 1024;

/// Starts the archive of an account. `None` if the account has too many downloads in progress.
pub fn archive(service: &Arc<Service>, account: Account) -> Option<BoxStream<'static, io::Result<Bytes>>> {
    let permit = service.exports.acquire(account.id)?;
    let (mut sender, receiver) = mpsc::channel(1);
    let service = Arc::clone(service);
    tokio::spawn(async move {
        let _permit = permit;
        let archive = Archive::new(sender.clone(), service.clock.now());
        match write(&service, &account, archive).await {
            Ok(()) => {}
            Err(ExportStop::Gone) => tracing::debug!("a data download was aborted by its reader"),
            Err(ExportStop::Failed(error)) => {
                tracing::error!(error = error.for_log(), "a data archive could not be completed");
                // Breaks the connection, so that half an archive does not pass for a whole one.
                _ = sender.send(Err(io::Error::other("the archive is incomplete"))).await;
            }
        }
    });
    Some(receiver.boxed())
}

/// Why an archive is not finished.
enum ExportStop {
    /// The reader is gone.
    Gone,
    Failed(Error),
}

impl<E: Into<Error>> From<E> for ExportStop {
    fn from(error: E) -> Self {
        Self::Failed(error.into())
    }
}

impl From<ZipError> for Error {
    fn from(error: ZipError) -> Self {
        Self::Corrupt(format!("an archive: {error}"))
    }
}

/// Bytes of the archive that have not been sent yet.
#[derive(Clone, Default)]
struct Buffer(Arc<Mutex<Vec<u8>>>);

impl Buffer {
    fn len(&self) -> usize {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).len()
    }

    fn take(&self) -> Vec<u8> {
        mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Write for Buffer {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

struct Archive {
    // Boxed because of its size, which every future that holds it would have.
    zip: Box<ZipWriter<StreamWriter<Buffer>>>,
    buffer: Buffer,
    options: SimpleFileOptions,
    sender: Sender<io::Result<Bytes>>,
}

impl Archive {
    fn new(sender: Sender<io::Result<Bytes>>, now: DateTime<Utc>) -> Self {
        let buffer = Buffer::default();
        let options = SimpleFileOptions::default()
            .compression_method(CompressionMethod::Stored)
            .last_modified_time(zip_time(now))
            .unix_permissions(0o600);
        Self { zip: Box::new(ZipWriter::new_stream(buffer.clone())), buffer, options, sender }
    }

    fn begin(&mut self, name: &str) -> Result<(), ExportStop> {
        Ok(self.zip.start_file(name, self.options).map_err(Error::from)?)
    }

    async fn write(&mut self, bytes: &[u8]) -> Result<(), ExportStop> {
        self.zip.write_all(bytes).map_err(|error| Error::from(ZipError::Io(error)))?;
        if self.buffer.len() < PIECE { Ok(()) } else { self.hand_on().await }
    }

    async fn hand_on(&mut self) -> Result<(), ExportStop> {
        let piece = Bytes::from(self.buffer.take());
        self.sender.send(Ok(piece)).await.map_err(|_| ExportStop::Gone)
    }

    async fn file(&mut self, name: &str, json: &Value) -> Result<(), ExportStop> {
        self.begin(name)?;
        let bytes = serde_json::to_vec_pretty(json).expect("JSON is plain data");
        self.write(&bytes).await
    }

    /// Writes the next entry of a JSON array.
    async fn entry(&mut self, first: &mut bool, json: &Value) -> Result<(), ExportStop> {
        self.write(if mem::take(first) { b"[\n" } else { b",\n" }).await?;
        self.write(json.to_string().as_bytes()).await
    }

    async fn end_entries(&mut self, first: bool) -> Result<(), ExportStop> {
        self.write(if first { b"[]\n" } else { b"\n]\n" }).await
    }

    async fn finish(mut self) -> Result<(), ExportStop> {
        self.hand_on().await?;
        let Self { zip, buffer, mut sender, .. } = self;
        zip.finish().map_err(Error::from)?;
        sender.send(Ok(buffer.take().into())).await.map_err(|_| ExportStop::Gone)
    }
}

/// The modification time of files in the archive. ZIP stores it without a zone, in steps of two seconds since 1980.
fn zip_time(now: DateTime<Utc>) -> zip::DateTime {
    let small = |number: u32| u8::try_from(number).unwrap_or_default();
    let year = u16::try_from(now.year()).unwrap_or_default();
    let (month, day) = (small(now.month()), small(now.day()));
    zip::DateTime::from_date_and_time(year, month, day, small(now.hour()), small(now.minute()), small(now.second()))
        .unwrap_or_default()
}

async fn write(service: &Service, account: &Account, mut archive: Archive) -> Result<(), ExportStop> {
    let identities = service.store.identities(account.id).await?;
    let email = service.store.mail_address(account.id).await?;
    let unverified = service.store.unverified_address(account.id, service.clock.now()).await?;
    let mut own = own(account, &identities)?;
    own["passkeys"] = service.store.passkeys(account.id).await?.iter().map(passkey).collect();
    own["oneTimeCodes"] = match service.store.one_time_codes(account.id).await? {
        Some(codes) => json!({ "createdAt": time(codes.created_at) }),
        None => Value::Null,
    };
    own["email"] = email.map(|row| json!({ "address": row.address, "verifiedAt": time(row.verified_at) })).into();
    own["unverifiedEmail"] = unverified.map(|row| row.address).into();
    archive.file("account.json", &own).await?;
    apps(service, account.id, &mut archive).await?;
    tokens(service, account.id, &mut archive).await?;
    people(service, account.id, Side::Following, "following.json", &mut archive).await?;
    people(service, account.id, Side::Followers, "followers.json", &mut archive).await?;
    blocked(service, account.id, &mut archive).await?;
    traces(service, account.id, AccountRows::Marks, "marks.json", &mut archive).await?;
    traces(service, account.id, AccountRows::Memberships, "shared-with-me.json", &mut archive).await?;
    traces(service, account.id, AccountRows::Reports, "reports.json", &mut archive).await?;
    let missing = own_itineraries(service, account.id, &mut archive).await?;
    if !missing.is_empty() {
        archive.file("missing-files.json", &json!(missing)).await?;
    }
    archive.finish().await
}

fn own(account: &Account, identities: &[IdentityRow]) -> Result<Value> {
    let home_place: Option<Value> = account.home_place.as_deref().map(serde_json::from_str).transpose()?;
    let identities = identities.iter().map(|identity| {
        json!({
            "provider": identity.provider,
            "issuer": identity.issuer,
            "subject": identity.subject,
            "linkedAt": time(identity.linked_at),
        })
    });
    Ok(json!({
        "accountId": account.id,
        "username": account.username,
        "displayName": account.display_name,
        "imageUrl": account.image_url,
        "plan": account.plan.as_str(),
        "homePlace": home_place,
        "createdAt": time(account.created_at),
        "identities": identities.collect::<Value>(),
    }))
}

/// A passkey without what checks its signatures.
fn passkey(row: &PasskeyRow) -> Value {
    json!({ "name": row.name, "createdAt": time(row.created_at), "lastUsedOn": passkeys::last_used_on(row) })
}

fn time(at: DateTime<Utc>) -> String {
    at.to_rfc3339_opts(SecondsFormat::Millis, true)
}

async fn apps(service: &Service, account: Uuid, archive: &mut Archive) -> Result<(), ExportStop> {
    archive.begin("connected-apps.json")?;
    let (mut first, mut after) = (true, None);
    loop {
        let apps = service.store.grant_page(account, service.clock.now(), after, PAGE).await?;
        for app in &apps {
            let app = json!({
                "name": app.client_name,
                "scope": app.scope,
                "connectedAt": time(app.created_at),
                "lastUsedAt": time(app.last_used_at),
            });
            archive.entry(&mut first, &app).await?;
        }
        match apps.last() {
            Some(app) => after = Some((app.created_at, app.grant_id)),
            None => return archive.end_entries(first).await,
        }
    }
}

async fn tokens(service: &Service, account: Uuid, archive: &mut Archive) -> Result<(), ExportStop> {
    archive.begin("personal-access-tokens.json")?;
    let mut first = true;
    for token in service.store.personal_tokens(account).await? {
        let token = json!({
            "name": token.name,
            "scope": token.scope,
            "createdAt": time(token.created_at),
            "expiresAt": time(token.expires_at),
            "lastUsedOn": personal_tokens::last_used_on(&token),
        });
        archive.entry(&mut first, &token).await?;
    }
    archive.end_entries(first).await
}

async fn people(
    service: &Service,
    account: Uuid,
    side: Side,
    name: &str,
    archive: &mut Archive,
) -> Result<(), ExportStop> {
    archive.begin(name)?;
    let (mut first, mut after) = (true, None);
    loop {
        let rows = service.store.follows_page(side, account, account, after, PAGE).await?;
        for (since, row) in &rows {
            let person = json!({ "accountId": row.id, "username": row.username, "since": time(*since) });
            archive.entry(&mut first, &person).await?;
        }
        match rows.last() {
            Some((since, row)) => after = Some((*since, row.id)),
            None => return archive.end_entries(first).await,
        }
    }
}

async fn blocked(service: &Service, account: Uuid, archive: &mut Archive) -> Result<(), ExportStop> {
    archive.begin("blocked.json")?;
    let (mut first, mut after) = (true, None);
    loop {
        let rows = service.store.block_page(account, after, PAGE).await?;
        for (since, row) in &rows {
            let person = json!({ "accountId": row.id, "username": row.username, "since": time(*since) });
            archive.entry(&mut first, &person).await?;
        }
        match rows.last() {
            Some((since, row)) => after = Some((*since, row.id)),
            None => return archive.end_entries(first).await,
        }
    }
}

async fn traces(
    service: &Service,
    account: Uuid,
    trace: AccountRows,
    name: &str,
    archive: &mut Archive,
) -> Result<(), ExportStop> {
    archive.begin(name)?;
    let what = match trace {
        AccountRows::Marks => "mark",
        AccountRows::Memberships => "role",
        AccountRows::Reports => "reason",
    };
    let (mut first, mut after) = (true, Uuid::nil());
    loop {
        let rows = service.store.traces(account, trace, after, PAGE).await?;
        for row in &rows {
            let mut entry = json!({ "itineraryId": row.itinerary_id, what: row.what, "at": time(row.created_at) });
            if let Some(note) = &row.note {
                entry["note"] = json!(note);
            }
            archive.entry(&mut first, &entry).await?;
        }
        match rows.last() {
            Some(row) => after = row.key,
            None => return archive.end_entries(first).await,
        }
    }
}

/// Writes the account's own itineraries and their documents. Returns the ids of documents whose file is missing.
async fn own_itineraries(service: &Service, account: Uuid, archive: &mut Archive) -> Result<Vec<Uuid>, ExportStop> {
    let mut query = ListQuery {
        account_id: account,
        content: ListContent::Library(ListFilter::Owned),
        updated_since: None,
        after: None,
        limit: PAGE,
    };
    let mut missing = Vec::new();
    loop {
        let rows = service.store.itinerary_page(&query).await?;
        for (_, row) in &rows {
            let whole = match itineraries::own_whole(service, account, row.id).await {
                // Deleted in the meantime.
                Err(Error::NotFound) => continue,
                whole => whole?,
            };
            archive.begin(&format!("itineraries/{}/itinerary.json", row.id))?;
            for piece in whole {
                archive.write(&piece).await?;
            }
            let links = service.store.links(row.id).await?;
            if !links.is_empty() {
                let links: Vec<_> = links.into_iter().map(link_of).collect();
                archive.file(&format!("itineraries/{}/links.json", row.id), &json!(links)).await?;
            }
            for document in service.store.documents(row.id).await? {
                if !sealed_file(service, row.id, &document, archive).await? {
                    missing.push(document.id);
                }
            }
        }
        match rows.last() {
            Some((time, row)) => query.after = Some((*time, row.id)),
            None => return Ok(missing),
        }
    }
}

/// Writes the file of a document. `false` if the file store does not have it.
async fn sealed_file(
    service: &Service,
    itinerary: Uuid,
    document: &DocumentRow,
    archive: &mut Archive,
) -> Result<bool, ExportStop> {
    let Some(mut file) = documents::read_file(service, document.id, document.size.unsigned_abs()).await? else {
        return Ok(false);
    };
    let name = file_name::clean(&document.file_name);
    archive.begin(&format!("itineraries/{itinerary}/documents/{}/{}", document.id, &*name))?;
    while let Some(piece) = file.next().await {
        archive.write(&piece?).await?;
    }
    Ok(true)
}
