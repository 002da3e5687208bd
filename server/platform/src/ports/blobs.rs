//! The file store: images and documents, which are too large for the database.
//!
//! Names are made by the server, never by a caller. Files are in a local folder or, with the feature `s3`, in an
//! S3-compatible bucket.

use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;
use std::{fs, io};

use bytes::{Bytes, BytesMut};
use chrono::{DateTime, Utc};
use futures::stream::BoxStream;
use futures::{StreamExt, TryStreamExt, stream};
use object_store::local::LocalFileSystem;
use object_store::memory::InMemory;
use object_store::{MultipartUpload, ObjectMeta, ObjectStore, ObjectStoreExt, PutPayload, path};

/// How much of a file in a folder is read at once, in bytes.
const PIECE: u64 = 64 * 1024;
/// The size of a part that is written to a folder, in bytes.
const LOCAL_PART: u64 = 256 * 1024;
/// The size of a part that is written to a bucket: S3's minimum.
const REMOTE_PART: u64 = 5 * 1024 * 1024;

/// Pieces smaller than this are joined.
const SMALL: usize = 4 * 1024;

#[derive(Clone, Debug)]
pub struct Blobs {
    store: Arc<dyn ObjectStore>,
    /// The folder, if files are local.
    folder: Option<PathBuf>,
}

/// Reading or writing a file failed.
#[derive(Debug, thiserror::Error)]
#[error("the file store failed")]
pub struct BlobError(#[from] object_store::Error);

/// A stored file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Blob {
    pub name: String,
    pub written_at: DateTime<Utc>,
    /// In bytes.
    pub size: u64,
}

fn failed(source: io::Error) -> BlobError {
    BlobError(object_store::Error::Generic { store: "local", source: Box::new(source) })
}

/// Creates a folder that only its owner can read. Leaves an existing one as it is.
pub fn make_private_folder(folder: &Path) -> io::Result<()> {
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder)
}

impl Blobs {
    /// Stores files in a folder, which is created if missing. A file is on disk before a write returns.
    pub fn in_folder(folder: &Path) -> Result<Self, BlobError> {
        make_private_folder(folder).map_err(failed)?;
        let files = LocalFileSystem::new_with_prefix(folder)?.with_fsync(true).with_automatic_cleanup(true);
        Ok(Self { store: Arc::new(files), folder: Some(folder.to_owned()) })
    }

    /// No files, for commands that use none.
    pub fn none() -> Self {
        Self { store: Arc::new(InMemory::new()), folder: None }
    }

    /// Stores files in an S3 bucket under a prefix. Region, endpoint and credentials come from the `AWS_…` environment
    /// variables.
    #[cfg(feature = "s3")]
    pub(crate) fn in_bucket(bucket: &str, prefix: &str) -> Result<Self, BlobError> {
        let store = object_store::aws::AmazonS3Builder::from_env().with_bucket_name(bucket).build()?;
        let store = object_store::prefix::PrefixStore::new(store, path::Path::from(prefix));
        Ok(Self { store: Arc::new(store), folder: None })
    }

    /// Writes a file atomically.
    pub async fn put(&self, name: &str, bytes: Bytes) -> Result<(), BlobError> {
        self.store.put(&path::Path::from(name), bytes.into()).await?;
        Ok(())
    }

    /// Writes a file piece by piece. It does not exist before [`BlobWriter::finish`].
    pub fn writer(&self, name: &str) -> BlobWriter {
        let part = if self.folder.is_some() { LOCAL_PART } else { REMOTE_PART };
        let (store, name) = (Arc::clone(&self.store), path::Path::from(name));
        BlobWriter { store, name, part, pieces: Vec::new(), joined: BytesMut::new(), gathered: 0, upload: None }
    }

    /// Reads a file. `None` if it does not exist.
    pub async fn get(&self, name: &str) -> Result<Option<Bytes>, BlobError> {
        match self.store.get(&path::Path::from(name)).await {
            Ok(found) => Ok(Some(found.bytes().await?)),
            Err(object_store::Error::NotFound { .. }) => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    /// Opens a file: its size and a stream of its bytes. `None` if it does not exist.
    pub async fn open(
        &self,
        name: &str,
    ) -> Result<Option<(u64, BoxStream<'static, Result<Bytes, BlobError>>)>, BlobError> {
        let found = match self.store.head(&path::Path::from(name)).await {
            Ok(found) => found,
            Err(object_store::Error::NotFound { .. }) => return Ok(None),
            Err(error) => return Err(error.into()),
        };
        Ok(self.read(name, 0..found.size).await?.map(|pieces| (found.size, pieces)))
    }

    /// Streams a range of a file. `None` if it does not exist. A folder is read piece by piece; a bucket answers one
    /// call with a stream. Holds at most one piece that a slow reader has not taken.
    pub async fn read(
        &self,
        name: &str,
        range: Range<u64>,
    ) -> Result<Option<BoxStream<'static, Result<Bytes, BlobError>>>, BlobError> {
        let name = path::Path::from(name);
        let first = if self.folder.is_some() { range.end.min(range.start + PIECE) } else { range.end };
        let options = object_store::GetOptions::new().with_range(Some(range.start..first));
        let found = match self.store.get_opts(&name, options).await {
            Ok(found) => found,
            Err(object_store::Error::NotFound { .. }) => return Ok(None),
            Err(error) => return Err(error.into()),
        };
        if self.folder.is_none() {
            return Ok(Some(found.into_stream().map_err(BlobError).boxed()));
        }
        let begin = found.bytes().await?;
        let store = Arc::clone(&self.store);
        let rest = stream::try_unfold(first, move |at| {
            let (store, name, end) = (Arc::clone(&store), name.clone(), range.end.min(at + PIECE));
            async move {
                if at == end {
                    return Ok(None);
                }
                Ok(Some((store.get_range(&name, at..end).await?, end)))
            }
        });
        Ok(Some(stream::once(async { Ok(begin) }).chain(rest).boxed()))
    }

    /// Deletes a file and the remains of an interrupted write. Succeeds if the file does not exist.
    pub async fn delete(&self, name: &str) -> Result<(), BlobError> {
        match self.store.delete(&path::Path::from(name)).await {
            Ok(()) | Err(object_store::Error::NotFound { .. }) => {}
            Err(error) => return Err(error.into()),
        }
        let Some(folder) = &self.folder else { return Ok(()) };
        match tokio::fs::remove_file(folder.join(format!("{name}#1"))).await {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(failed(error)),
            _ => Ok(()),
        }
    }

    /// The files of a folder, in any order.
    pub fn list(&self, folder: &str) -> BoxStream<'static, Result<Blob, BlobError>> {
        let blob = |meta: ObjectMeta| Blob {
            name: meta.location.to_string(),
            written_at: meta.last_modified,
            size: meta.size,
        };
        self.store.list(Some(&path::Path::from(folder))).map_ok(blob).map_err(BlobError).boxed()
    }

    /// Deletes the remains in a local folder of writes that were interrupted before this time. Returns how many files.
    pub async fn delete_temporaries(&self, folder: &str, before: DateTime<Utc>) -> Result<u64, BlobError> {
        let Some(files) = &self.folder else { return Ok(0) };
        let folder = files.join(folder);
        let swept = tokio::task::spawn_blocking(move || delete_temporaries(&folder, before)).await;
        swept.map_err(|panic| failed(io::Error::other(panic)))?.map_err(failed)
    }
}

// The file store writes `name#1` and renames it to `name`.
fn delete_temporaries(folder: &Path, before: DateTime<Utc>) -> io::Result<u64> {
    let entries = match fs::read_dir(folder) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(0),
        entries => entries?,
    };
    let mut deleted = 0;
    for entry in entries {
        let entry = entry?;
        let is_temporary = entry.file_name().to_string_lossy().contains('#');
        if is_temporary && entry.metadata()?.modified()? < SystemTime::from(before) {
            fs::remove_file(entry.path())?;
            deleted += 1;
        }
    }
    Ok(deleted)
}

/// Writes one file in parts. Holds at most one part in memory.
pub struct BlobWriter {
    store: Arc<dyn ObjectStore>,
    name: path::Path,
    part: u64,
    pieces: Vec<Bytes>,
    /// Small pieces after `parts`, joined, because each piece takes more memory than its bytes.
    joined: BytesMut,
    /// The number of bytes held.
    gathered: u64,
    /// Present once a part was written.
    upload: Option<Box<dyn MultipartUpload>>,
}

impl BlobWriter {
    pub async fn write(&mut self, bytes: Bytes) -> Result<(), BlobError> {
        self.gathered += bytes.len() as u64;
        if bytes.len() < SMALL {
            self.joined.extend_from_slice(&bytes);
        } else {
            self.end_joined();
            self.pieces.push(bytes);
        }
        if self.gathered < self.part {
            return Ok(());
        }
        let part = self.take();
        let upload = match &mut self.upload {
            Some(upload) => upload,
            None => self.upload.insert(self.store.put_multipart(&self.name).await?),
        };
        Ok(upload.put_part(part).await?)
    }

    /// Completes the file, which exists as a whole when this returns.
    pub async fn finish(mut self) -> Result<(), BlobError> {
        let rest = self.take();
        match self.upload {
            None => drop(self.store.put(&self.name, rest).await?),
            Some(mut upload) => {
                if rest.content_length() > 0 {
                    upload.put_part(rest).await?;
                }
                upload.complete().await?;
            }
        }
        Ok(())
    }

    /// Aborts the write and deletes its parts if the file store is reachable.
    pub async fn abort(self) {
        if let Some(mut upload) = self.upload
            && let Err(error) = upload.abort().await
        {
            tracing::warn!(error = &error as &dyn std::error::Error, "cleaning up an interrupted upload failed");
        }
    }

    fn end_joined(&mut self) {
        if !self.joined.is_empty() {
            self.pieces.push(self.joined.split().freeze());
        }
    }

    fn take(&mut self) -> PutPayload {
        self.end_joined();
        self.gathered = 0;
        self.pieces.drain(..).collect()
    }
}
