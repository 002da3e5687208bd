//! Files that are too large for the database: cover images.
//!
//! Names are made by the server, never by a caller.

use std::path::Path;
use std::sync::Arc;

use bytes::Bytes;
use chrono::{DateTime, Utc};
use futures::stream::BoxStream;
use futures::{StreamExt, TryStreamExt};
use object_store::local::LocalFileSystem;
use object_store::{ObjectMeta, ObjectStore, ObjectStoreExt, path};

/// Where files are kept.
#[derive(Clone, Debug)]
pub struct Blobs(Arc<dyn ObjectStore>);

/// A file cannot be read or written.
#[derive(Debug, thiserror::Error)]
#[error("the file store failed")]
pub struct BlobError(#[from] object_store::Error);

/// A file that is there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Blob {
    /// Its name.
    pub name: String,
    /// When it was written.
    pub written_at: DateTime<Utc>,
}

impl Blobs {
    /// Files in a folder, which is made when it is missing. A file is on the disk before a write returns.
    pub fn in_folder(folder: &Path) -> Result<Self, BlobError> {
        std::fs::create_dir_all(folder)
            .map_err(|source| object_store::Error::Generic { store: "local", source: Box::new(source) })?;
        let files = LocalFileSystem::new_with_prefix(folder)?.with_fsync(true).with_automatic_cleanup(true);
        Ok(Self(Arc::new(files)))
    }

    /// Writes a file, as a whole or not at all.
    pub async fn put(&self, name: &str, bytes: Bytes) -> Result<(), BlobError> {
        self.0.put(&path::Path::from(name), bytes.into()).await?;
        Ok(())
    }

    /// Reads a file, if it is there.
    pub async fn get(&self, name: &str) -> Result<Option<Bytes>, BlobError> {
        match self.0.get(&path::Path::from(name)).await {
            Ok(found) => Ok(Some(found.bytes().await?)),
            Err(object_store::Error::NotFound { .. }) => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    /// Deletes a file. One that is not there is as good as deleted.
    pub async fn delete(&self, name: &str) -> Result<(), BlobError> {
        match self.0.delete(&path::Path::from(name)).await {
            Ok(()) | Err(object_store::Error::NotFound { .. }) => Ok(()),
            Err(error) => Err(error.into()),
        }
    }

    /// The files of a folder, in no order.
    pub fn list(&self, folder: &str) -> BoxStream<'static, Result<Blob, BlobError>> {
        let blob = |meta: ObjectMeta| Blob { name: meta.location.to_string(), written_at: meta.last_modified };
        self.0.list(Some(&path::Path::from(folder))).map_ok(blob).map_err(BlobError).boxed()
    }
}
