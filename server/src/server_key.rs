//! The server's key: in a file that only its owner may read, or in the database, where all its servers find it.
//!
//! It is created at the first start, and never in one place while the other has one.

use std::fs;
use std::io::{self, Write};
use std::path::Path;

use itinerary_core::clock::{Clock, Random};
use itinerary_core::seal::Key;
use itinerary_store::Store;

use crate::config::{Access, KeyPlace, Storage};
use crate::serve::StartError;
use crate::system::SystemClock;

/// Reads the key from the place that the settings name. Creates it if it is missing and the access permits it; the database
/// must have its schema. Without access to the key it is a random one: nothing that depends on it may be stored or shown.
pub async fn load(storage: &Storage, store: &Store, random: &dyn Random) -> Result<Key, StartError> {
    if storage.access == Access::DatabaseOnly {
        return Ok(Key::new(random.bytes()));
    }
    let file = storage.key_file();
    let failed = |error| StartError::KeyFile(file.clone(), error);
    let creates = storage.access == Access::Create;
    let bytes = match (storage.database.server_key, file.exists(), store.server_key().await?) {
        (_, true, Some(key)) => {
            if read(&file)? != key {
                return Err(StartError::KeysDiffer(file));
            }
            key
        }
        (KeyPlace::File, true, None) => read(&file)?,
        (KeyPlace::Database, false, Some(key)) => key,
        (KeyPlace::File, false, Some(_)) => return Err(StartError::KeyIsInDatabase(file)),
        (KeyPlace::Database, true, None) => return Err(StartError::KeyIsInFile(file)),
        (KeyPlace::File, false, None) if creates => {
            make(&file, random).map_err(failed)?;
            read(&file)?
        }
        (KeyPlace::Database, false, None) if creates => {
            store.server_key_add(&random.bytes(), SystemClock.now()).await?
        }
        (KeyPlace::File, false, None) => return Err(StartError::NoKey(file)),
        (KeyPlace::Database, false, None) => return Err(StartError::NoKeyInDatabase),
    };
    Ok(Key::new(bytes))
}

/// Whether the key has not been created yet.
pub(crate) async fn is_missing(storage: &Storage, store: &Store) -> Result<bool, StartError> {
    Ok(match storage.database.server_key {
        KeyPlace::File => !storage.key_file().exists(),
        KeyPlace::Database => store.server_key().await?.is_none(),
    })
}

/// The key in a file.
pub(crate) fn read(file: &Path) -> Result<[u8; 32], StartError> {
    let failed = |error| StartError::KeyFile(file.to_owned(), error);
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
