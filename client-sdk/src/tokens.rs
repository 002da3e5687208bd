//! Tokens and their stores. The keeper decides when to refresh them.

use std::fmt;
use std::fs::{self, File};
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use chrono::{DateTime, Duration, Utc};
use serde::{Deserialize, Serialize};

use crate::types;

/// The tokens of a sign-in, and the client that they were issued to.
///
/// A refresh token works once. Keep each traveller's tokens in one store only.
///
/// ```
/// use chrono::{TimeDelta, Utc};
/// use itinerary_sdk::Tokens;
///
/// /// The response of the token endpoint, as a web application receives it.
/// #[derive(serde::Deserialize)]
/// struct TokenResponse {
///     access_token: String,
///     refresh_token: String,
///     expires_in: i64,
///     scope: String,
/// }
///
/// fn tokens(client_id: &str, response: TokenResponse) -> Tokens {
///     Tokens {
///         client_id: client_id.to_owned(),
///         access_token: response.access_token,
///         refresh_token: Some(response.refresh_token),
///         expires_at: Utc::now() + TimeDelta::seconds(response.expires_in),
///         scope: response.scope,
///     }
/// }
/// ```
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tokens {
    /// The OAuth client id, which refreshing needs.
    pub client_id: String,
    /// The token that requests carry, valid for one hour.
    pub access_token: String,
    /// The token that is exchanged for the next pair, valid once and for 90 days. Without it, the sign-in ends when the
    /// access token expires.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub refresh_token: Option<String>,
    /// When the access token expires, by the local clock.
    pub expires_at: DateTime<Utc>,
    /// The approved scopes, separated by spaces.
    pub scope: String,
}

impl Tokens {
    pub(crate) fn from_answer(client_id: &str, answer: types::TokenResponse, now: DateTime<Utc>) -> Self {
        let lifetime = Duration::try_seconds(answer.expires_in).unwrap_or_default();
        Self {
            client_id: client_id.to_owned(),
            access_token: answer.access_token,
            refresh_token: Some(answer.refresh_token),
            expires_at: now.checked_add_signed(lifetime).unwrap_or(now),
            scope: answer.scope,
        }
    }
}

/// Omits the tokens.
impl fmt::Debug for Tokens {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Tokens")
            .field("client_id", &self.client_id)
            .field("expires_at", &self.expires_at)
            .field("scope", &self.scope)
            .finish_non_exhaustive()
    }
}

/// Stores the tokens of one traveller.
///
/// ```
/// use std::io;
/// use itinerary_sdk::{TokenStore, Tokens};
///
/// /// Tokens in the keychain of the operating system.
/// struct Keychain;
///
/// #[async_trait::async_trait]
/// impl TokenStore for Keychain {
///     async fn load(&self) -> io::Result<Option<Tokens>> {
///         Ok(read_secret("itinerary")?.map(|text| serde_json::from_str(&text)).transpose()?)
///     }
///
///     async fn save(&self, tokens: &Tokens) -> io::Result<()> {
///         write_secret("itinerary", &serde_json::to_string(tokens)?)
///     }
/// }
/// # fn read_secret(_: &str) -> io::Result<Option<String>> { Ok(None) }
/// # fn write_secret(_: &str, _: &str) -> io::Result<()> { Ok(()) }
/// ```
#[async_trait]
pub trait TokenStore: Send + Sync {
    /// Returns the tokens that were saved last; `None` before the first sign-in.
    async fn load(&self) -> io::Result<Option<Tokens>>;

    /// Replaces the tokens atomically. New tokens are not used before this succeeds.
    async fn save(&self, tokens: &Tokens) -> io::Result<()>;

    /// Locks the store against other processes until the returned guard is dropped. The default does nothing, for
    /// stores that no other process uses.
    async fn lock(&self) -> io::Result<Box<dyn Send>> {
        Ok(Box::new(()))
    }
}

#[async_trait]
impl<S: TokenStore + ?Sized> TokenStore for Arc<S> {
    async fn load(&self) -> io::Result<Option<Tokens>> {
        (**self).load().await
    }

    async fn save(&self, tokens: &Tokens) -> io::Result<()> {
        (**self).save(tokens).await
    }

    async fn lock(&self) -> io::Result<Box<dyn Send>> {
        (**self).lock().await
    }
}

/// Stores tokens in memory, until the process ends.
///
/// ```
/// use itinerary_sdk::{Client, MemoryTokenStore, Tokens};
///
/// fn client(tokens: Tokens) -> Result<Client, itinerary_sdk::BuildError> {
///     Client::builder("https://trips.example").token_store(MemoryTokenStore::new(tokens)).build()
/// }
/// ```
#[derive(Debug, Default)]
pub struct MemoryTokenStore(Mutex<Option<Tokens>>);

impl MemoryTokenStore {
    /// Creates a store that holds these tokens.
    ///
    /// ```
    /// # fn example(tokens: itinerary_sdk::Tokens) -> Result<(), itinerary_sdk::BuildError> {
    /// use itinerary_sdk::{Client, MemoryTokenStore};
    ///
    /// let client = Client::builder("https://trips.example").token_store(MemoryTokenStore::new(tokens)).build()?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn new(tokens: Tokens) -> Self {
        Self(Mutex::new(Some(tokens)))
    }
}

#[async_trait]
impl TokenStore for MemoryTokenStore {
    async fn load(&self) -> io::Result<Option<Tokens>> {
        Ok(self.0.lock().map_err(|_| io::Error::other("the store's lock is poisoned"))?.clone())
    }

    async fn save(&self, tokens: &Tokens) -> io::Result<()> {
        *self.0.lock().map_err(|_| io::Error::other("the store's lock is poisoned"))? = Some(tokens.clone());
        Ok(())
    }
}

/// Stores tokens in a file that only its owner can read. Several processes can share it: a lock file next to it ensures
/// that only one of them refreshes at a time.
///
/// ```no_run
/// use itinerary_sdk::{FileTokenStore, TokenStore};
///
/// # async fn example() -> std::io::Result<()> {
/// let store = FileTokenStore::new("tokens.json");
/// if store.load().await?.is_none() {
///     println!("please sign in");
/// }
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct FileTokenStore {
    path: PathBuf,
}

impl FileTokenStore {
    /// Uses this file. The file and its folder are created when tokens are first saved.
    ///
    /// ```
    /// let store = itinerary_sdk::FileTokenStore::new("tokens.json");
    /// ```
    pub fn new(path: impl Into<PathBuf>) -> Self {
        Self { path: path.into() }
    }
}

#[async_trait]
impl TokenStore for FileTokenStore {
    async fn load(&self) -> io::Result<Option<Tokens>> {
        let path = self.path.clone();
        blocking(move || read(&path)).await
    }

    async fn save(&self, tokens: &Tokens) -> io::Result<()> {
        let (path, tokens) = (self.path.clone(), tokens.clone());
        blocking(move || replace(&path, &tokens)).await
    }

    async fn lock(&self) -> io::Result<Box<dyn Send>> {
        let path = self.path.clone();
        blocking(move || lock(&path)).await
    }
}

async fn blocking<T: Send + 'static>(work: impl FnOnce() -> io::Result<T> + Send + 'static) -> io::Result<T> {
    tokio::task::spawn_blocking(work).await.map_err(io::Error::other)?
}

fn read(path: &Path) -> io::Result<Option<Tokens>> {
    match fs::read(path) {
        Ok(text) => Ok(Some(serde_json::from_slice(&text)?)),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

/// Writes a new file and renames it, so that a crash leaves either the old tokens or the new ones.
fn replace(path: &Path, tokens: &Tokens) -> io::Result<()> {
    let folder = folder(path);
    fs::create_dir_all(folder)?;
    // Temporary files are readable by their owner only.
    let mut file = tempfile::NamedTempFile::new_in(folder)?;
    file.write_all(&serde_json::to_vec_pretty(tokens)?)?;
    file.as_file().sync_all()?;
    file.persist(path)?;
    sync_folder(folder)
}

fn lock(path: &Path) -> io::Result<Box<dyn Send>> {
    fs::create_dir_all(folder(path))?;
    let mut name = path.as_os_str().to_owned();
    name.push(".lock");
    let file = File::options().create(true).append(true).open(name)?;
    match file.lock() {
        // Some network file systems have no locks; a single process needs none.
        Err(error) if error.kind() != ErrorKind::Unsupported => Err(error),
        _ => Ok(Box::new(file)),
    }
}

fn folder(path: &Path) -> &Path {
    match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    }
}

/// Makes the rename survive a power failure. Only Unix can open folders as files.
fn sync_folder(folder: &Path) -> io::Result<()> {
    if cfg!(unix) { File::open(folder)?.sync_all() } else { Ok(()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tokens(access: &str) -> Tokens {
        Tokens {
            client_id: "client".to_owned(),
            access_token: access.to_owned(),
            refresh_token: Some("refresh".to_owned()),
            expires_at: DateTime::UNIX_EPOCH,
            scope: "itineraries:read".to_owned(),
        }
    }

    #[tokio::test]
    async fn a_file_keeps_the_last_tokens() {
        let folder = tempfile::tempdir().unwrap();
        let store = FileTokenStore::new(folder.path().join("new").join("tokens.json"));
        assert_eq!(store.load().await.unwrap(), None);
        store.save(&tokens("one")).await.unwrap();
        store.save(&tokens("two")).await.unwrap();
        assert_eq!(store.load().await.unwrap(), Some(tokens("two")));
        assert_eq!(fs::read_dir(folder.path().join("new")).unwrap().count(), 1, "no temporary file is left");
    }

    #[cfg(unix)]
    #[tokio::test]
    async fn only_the_owner_may_read_the_file() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("tokens.json");
        fs::write(&path, "{}").unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o644)).unwrap();
        FileTokenStore::new(&path).save(&tokens("one")).await.unwrap();
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
    }

    #[tokio::test]
    async fn a_file_that_is_not_tokens_is_an_error_and_not_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("tokens.json");
        fs::write(&path, "{").unwrap();
        FileTokenStore::new(&path).load().await.unwrap_err();
    }

    #[tokio::test]
    async fn a_lock_is_held_until_it_is_dropped() {
        let folder = tempfile::tempdir().unwrap();
        let store = FileTokenStore::new(folder.path().join("tokens.json"));
        let held = store.lock().await.unwrap();
        let other = File::options().append(true).open(folder.path().join("tokens.json.lock")).unwrap();
        assert!(other.try_lock().is_err());
        drop(held);
        assert!(other.try_lock().is_ok());
    }

    #[test]
    fn tokens_are_not_shown() {
        let shown = format!("{:?}", tokens("hush"));
        assert!(shown.contains("client") && !shown.contains("hush") && !shown.contains("\"refresh\""), "{shown}");
    }
}
