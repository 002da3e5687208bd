//! The command `documents`, and `documents add`, `get` and `delete`. Files are sealed and opened on this machine; the
//! server has no key.

use std::fs;
use std::io::{self, BufReader};
use std::path::Path;

use futures::TryStreamExt as _;
use itinerary_sdk::types::{ListedDocument, ListedDocumentList};
use itinerary_sdk::{FileSource, Seal, SealingError, Unseal, UploadDetails, age, code};
use reqwest::Method;
use serde_json::json;
use tempfile::NamedTempFile;
use tokio::io::AsyncWriteExt as _;
use uuid::Uuid;

use crate::arguments::{AddDocument, DocumentsArguments, DocumentsCommand, GetDocument};
use crate::failure::{Exit, Failure};
use crate::output::{DIM, Output, TITLE};
use crate::service::{Answer, Service};
use crate::table::{Cell, Column, Table};
use crate::{text, trip};

pub(super) async fn run(service: &Service, output: Output, arguments: DocumentsArguments) -> Result<(), Failure> {
    match (arguments.command, arguments.trip) {
        (Some(DocumentsCommand::Add(arguments)), _) => add(service, output, arguments).await,
        (Some(DocumentsCommand::Get(arguments)), _) => get(service, output, &arguments).await,
        (Some(DocumentsCommand::Delete { trip, document }), _) => delete(service, output, &trip, &document).await,
        (None, trip) => list(service, output, &trip.unwrap_or_default()).await,
    }
}

async fn read(service: &Service, name: &str) -> Result<(Uuid, Answer<ListedDocumentList>), Failure> {
    let id = trip::find(service, name).await?;
    let request = service.request(Method::GET, &format!("/v1/itineraries/{id}/documents"), &[]);
    Ok((id, service.send(request).await?))
}

fn find<'a>(documents: &'a ListedDocumentList, name: &str) -> Result<&'a ListedDocument, Failure> {
    trip::item(&documents.data, name, "document", |document| &document.id, |document| &document.name)
}

async fn list(service: &Service, output: Output, name: &str) -> Result<(), Failure> {
    let (_, documents) = read(service, name).await?;
    let documents = &documents.value.data;
    for document in documents {
        if output.json {
            output.value(document)?;
        } else if output.quiet {
            output.print(&format!("{}\n", text::clean(&document.id)))?;
        }
    }
    if output.json || output.quiet {
        return Ok(());
    }
    if documents.is_empty() {
        return output.say("No documents. Add one with `itinerary documents add TRIP FILE`.");
    }
    let mut table = Table::new([
        Column::right(""),
        Column::wrapped("DOCUMENT"),
        Column::left("KIND"),
        Column::left("FILE"),
        Column::right("BYTES"),
    ]);
    for (at, document) in documents.iter().enumerate() {
        table.row([
            Cell::styled((at + 1).to_string(), DIM),
            Cell::styled(&document.name, TITLE),
            Cell::new(document.category.as_ref().map(|kind| text::words(&kind.to_string())).unwrap_or_default()),
            Cell::new(&document.file.name),
            Cell::new(document.file.size.to_string()),
        ]);
    }
    output.print(&table.render(output.width))
}

async fn add(service: &Service, output: Output, arguments: AddDocument) -> Result<(), Failure> {
    let AddDocument { trip: name, file: path, recipient: recipients, name: title, category } = arguments;
    // Fails before anything is sent; the error names the file.
    fs::File::open(&path).map_err(|error| Failure::new(Exit::Failure, format!("{}: {error}", path.display())))?;
    let id = trip::find(service, &name).await?;
    let file_name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let is_sealed = recipients.is_empty();
    let details = UploadDetails {
        name: title.or_else(|| Some(file_name.clone())),
        category,
        ..UploadDetails::named(if is_sealed { file_name } else { format!("{file_name}.age") })
    };
    let file = FileSource::path(&path);
    let document = if is_sealed {
        service.client.document_upload(id, file, details).await.map_err(|error| unsealed(error.into()))?
    } else {
        let recipients = recipients.into_iter().map(|recipient| Box::new(recipient) as _).collect();
        service.client.seal_and_upload(id, file, Seal::Recipients(recipients), details, |_| ()).await?
    };
    let line = format!("Added “{}”, {} bytes sealed.", text::clean(&document.name), document.size);
    output.outcome(&*document, &document.id, &line)
}

/// The service stores sealed files only, so the failure says how to seal one.
fn unsealed(failure: Failure) -> Failure {
    if failure.code.as_deref() == Some(code::DOCUMENT_NOT_SEALED) {
        return failure.and("seal it with --recipient age1…, or with age before");
    }
    failure
}

async fn get(service: &Service, output: Output, arguments: &GetDocument) -> Result<(), Failure> {
    // Read before anything is fetched.
    let key = arguments.identity.as_deref().map(identities).transpose()?;
    let (id, documents) = read(service, &arguments.trip).await?;
    let document = find(&documents.value, &arguments.document)?;
    let path = match &arguments.output {
        Some(path) => path.clone(),
        None => default_path(&document.file.name, key.is_some())?,
    };
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let named = |error: io::Error| Failure::new(Exit::Failure, format!("{}: {error}", path.display()));
    // Only its owner can read it, and a failed transfer leaves nothing.
    let temporary = NamedTempFile::new_in(folder).map_err(named)?;
    let mut writer = tokio::fs::File::from_std(temporary.as_file().try_clone()?);
    let written = match key {
        Some(key) => service.client.download_and_open(id, &document.id, key, &mut writer, |_| ()).await?,
        None => download(service, id, &document.id, &mut writer).await?,
    };
    writer.sync_all().await?;
    // Another program may have written the file meanwhile: only the path that was asked for is replaced.
    let placed = if arguments.output.is_some() { temporary.persist(&path) } else { temporary.persist_noclobber(&path) };
    placed.map_err(|error| named(error.error))?;
    let name = path.display().to_string();
    let line = format!("Wrote {written} bytes to {}.", text::clean(&name));
    output.outcome(&json!({ "id": document.id, "file": name, "bytes": written }), &name, &line)
}

async fn download(service: &Service, trip: Uuid, id: &str, writer: &mut tokio::fs::File) -> Result<u64, Failure> {
    let link = service.client.document_link(trip, id).send().await?;
    let mut download = service.client.document_download(&link.url).await?;
    let mut written = 0;
    while let Some(block) =
        download.try_next().await.map_err(|error| Failure::new(Exit::Unavailable, error.to_string()))?
    {
        writer.write_all(&block).await?;
        written += block.len() as u64;
    }
    writer.flush().await?;
    Ok(written)
}

/// The identities in a file of age. Lines that begin with `#` are comments.
fn identities(path: &Path) -> Result<Unseal, Failure> {
    let named = |problem: &str| Failure::usage(format!("--identity {}: {problem}", path.display()));
    let text = fs::File::open(path).and_then(|file| io::read_to_string(BufReader::new(file)));
    let text = text.map_err(|error| named(&error.to_string()))?;
    let mut keys: Vec<Box<dyn age::Identity + Send + Sync>> = Vec::new();
    for line in text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#')) {
        // The line is a secret, so the error does not repeat it.
        let key = line.parse::<age::x25519::Identity>().map_err(|_| named("not an identity of age"))?;
        keys.push(Box::new(key));
    }
    if keys.is_empty() {
        return Err(named("has no identity of age"));
    }
    Ok(Unseal::Identities(keys))
}

/// The name that the file was uploaded with, in this folder; without `.age` if it is opened. The name is the uploader's, so
/// it must not lead to another folder, nor replace a file.
fn default_path(name: &str, is_opened: bool) -> Result<std::path::PathBuf, Failure> {
    let name = text::clean(name);
    let name = if is_opened { name.strip_suffix(".age").unwrap_or(&name) } else { &name };
    if name.is_empty() || name.starts_with('.') || name.contains(['/', '\\', ':']) {
        return Err(Failure::usage(format!("“{name}” is no name for a file: pass --output")));
    }
    let path = Path::new(name);
    if path.exists() {
        return Err(Failure::usage(format!("“{name}” exists: pass --output")));
    }
    Ok(path.to_owned())
}

async fn delete(service: &Service, output: Output, trip: &str, document: &str) -> Result<(), Failure> {
    let (id, documents) = read(service, trip).await?;
    let document = find(&documents.value, document)?;
    service.client.document_delete(id, &document.id, &documents.etag).send().await?;
    let line = format!("Deleted “{}”.", text::clean(&document.name));
    output.outcome(&json!({ "deleted": document.id }), &document.id, &line)
}

impl From<SealingError> for Failure {
    fn from(error: SealingError) -> Self {
        let exit = match error {
            SealingError::Api(error) => return (*error).into(),
            SealingError::Download(_) => Exit::Unavailable,
            SealingError::NotAge | SealingError::WrongKey | SealingError::Truncated | SealingError::Damaged => {
                Exit::Invalid
            }
            _ => Exit::Failure,
        };
        Self::new(exit, error.to_string())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_uploaders_name_stays_in_the_folder() {
        assert_eq!(default_path("pass.pdf.age", true).unwrap(), Path::new("pass.pdf"));
        assert_eq!(default_path("pass.pdf.age", false).unwrap(), Path::new("pass.pdf.age"));
        for name in ["", ".age", ".bashrc", "../pass", "a/b", "a\\b", "C:pass", "Cargo.toml"] {
            assert_eq!(default_path(name, true).unwrap_err().exit, Exit::Usage, "{name}");
        }
    }
}
