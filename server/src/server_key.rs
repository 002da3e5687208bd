//! The server's key: in a file that only its owner may read, or in the database, where all its servers find it.
//!
//! It is created at the first start, and never in one place while the other has one.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use itinerary_core::clock::{Clock, Random};
use itinerary_core::seal::Key;
use itinerary_platform::error_chain::chain;
use itinerary_platform::settings::{Access, KeyPlace, Storage};
use itinerary_platform::system::SystemClock;
use itinerary_store::{Store, StoreError};

/// Why there is no key.
#[derive(Debug, thiserror::Error)]
pub enum KeyError {
    #[error("the key file {0} cannot be used: {1}")]
    File(PathBuf, io::Error),
    #[error(
        "the key file {0} is missing, but the database has a key: set server_key = \"database\", or restore the file"
    )]
    IsInDatabase(PathBuf),
    #[error(
        "the database has no key, but there is the key file {0}: set server_key = \"file\", or move the key into the \
         database (docs/operating/postgresql.md)"
    )]
    IsInFile(PathBuf),
    #[error(
        "the key in the file {0} and the key in the database differ: remove the one that is not in use, because servers \
         with different keys reject each other's cursors and links"
    )]
    Differ(PathBuf),
    #[error("the key file {0} does not exist: check `data` and `key_file`, or create it with the command migrate")]
    NoFile(PathBuf),
    #[error("the database has no server key yet: create it with the command migrate")]
    NotInDatabase,
    #[error("the database cannot be used: {}", chain(.0))]
    Store(#[from] StoreError),
}

/// Reads the key from the place that the settings name. Creates it if it is missing and the access permits it; the database
/// must have its schema. Without access to the key it is a random one: nothing that depends on it may be stored or shown.
pub async fn load(storage: &Storage, store: &Store, random: &dyn Random) -> Result<Key, KeyError> {
    if storage.access == Access::DatabaseOnly {
        return Ok(Key::new(random.bytes()));
    }
    let file = storage.key_file();
    let failed = |error| KeyError::File(file.clone(), error);
    let creates = storage.access == Access::Create;
    let bytes = match (storage.database.server_key, file.exists(), store.server_key().await?) {
        (_, true, Some(key)) => {
            if read(&file)? != key {
                return Err(KeyError::Differ(file));
            }
            key
        }
        (KeyPlace::File, true, None) => read(&file)?,
        (KeyPlace::Database, false, Some(key)) => key,
        (KeyPlace::File, false, Some(_)) => return Err(KeyError::IsInDatabase(file)),
        (KeyPlace::Database, true, None) => return Err(KeyError::IsInFile(file)),
        (KeyPlace::File, false, None) if creates => {
            make(&file, random).map_err(failed)?;
            read(&file)?
        }
        (KeyPlace::Database, false, None) if creates => {
            store.server_key_add(&random.bytes(), SystemClock.now()).await?
        }
        (KeyPlace::File, false, None) => return Err(KeyError::NoFile(file)),
        (KeyPlace::Database, false, None) => return Err(KeyError::NotInDatabase),
    };
    let key = Key::new(bytes);
    if creates && storage.database.server_key == KeyPlace::File {
        warn_of_another(&key, &file, store).await?;
    }
    Ok(key)
}

/// Warns of a key that is not the one with which the database was last served: a lost file, or a second server with a
/// key of its own.
async fn warn_of_another(key: &Key, file: &Path, store: &Store) -> Result<(), KeyError> {
    let fingerprint = key.code("fingerprint", "");
    let last = store.server_key_fingerprint(&fingerprint, SystemClock.now()).await?;
    if last.is_some_and(|last| last != fingerprint) {
        tracing::warn!(
            key_file = %file.display(),
            "the server key is another one than at the last start with this database: cursors, links and sign-ins in \
             progress from before are rejected. If several servers use the database, give all of them the same key \
             (docs/operating/postgresql.md)"
        );
    }
    Ok(())
}

/// Whether the key has not been created yet.
pub(crate) async fn is_missing(storage: &Storage, store: &Store) -> Result<bool, KeyError> {
    Ok(match storage.database.server_key {
        KeyPlace::File => !storage.key_file().exists(),
        KeyPlace::Database => store.server_key().await?.is_none(),
    })
}

/// The key in a file.
pub(crate) fn read(file: &Path) -> Result<[u8; 32], KeyError> {
    let failed = |error| KeyError::File(file.to_owned(), error);
    let bytes = fs::read(file).map_err(failed)?;
    bytes.try_into().map_err(|_| failed(io::Error::other("it must have 32 bytes")))
}

/// Writes a new key to a temporary file and links it into place, so that readers never see half a key. If two processes
/// start together, one of them creates it.
fn make(file: &Path, random: &dyn Random) -> io::Result<()> {
    let draft = file.with_extension(itinerary_core::ids::item(random));
    let mut options = fs::OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let mut written = options.open(&draft)?;
    written.write_all(&random.bytes::<32>()).and_then(|()| written.sync_all())?;
    let linked = fs::hard_link(&draft, file);
    fs::remove_file(&draft)?;
    match linked {
        Err(error) if error.kind() != io::ErrorKind::AlreadyExists => Err(error),
        _ => Ok(()),
    }
}
