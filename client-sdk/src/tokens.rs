//! Tokens and where they are kept. When they are renewed is the keeper's business.

use std::fmt;
use std::fs::{self, File};
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use chrono::{DateTime, Duration, Utc};
use serde::{Deserialize, Serialize};

use crate::types;

/// What a sign-in gives: the tokens, and the client that they were given to.
///
/// A refresh token works once, so there must be one place only where a traveller's tokens are kept.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tokens {
    /// The client's id, which a refresh names.
    pub client_id: String,
    /// What requests carry.
    pub access_token: String,
    /// What gives the next pair. Without it the sign-in ends with the access token.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub refresh_token: Option<String>,
    /// When the access token expires.
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

/// Shows everything but the tokens.
impl fmt::Debug for Tokens {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Tokens")
            .field("client_id", &self.client_id)
            .field("expires_at", &self.expires_at)
            .field("scope", &self.scope)
            .finish_non_exhaustive()
    }
}

/// Keeps one traveller's tokens.
#[async_trait]
pub trait TokenStore: Send + Sync {
    /// The tokens that were saved last; nothing before the first sign-in.
    async fn load(&self) -> io::Result<Option<Tokens>>;

    /// Replaces the tokens, wholly or not at all. They are used only after this has succeeded.
    async fn save(&self, tokens: &Tokens) -> io::Result<()>;

    /// Holds off other processes that use the same store, until what it answers is dropped. A store that no other
    /// process uses needs none.
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

/// Keeps tokens as long as the process lives.
#[derive(Debug, Default)]
pub struct MemoryTokenStore(Mutex<Option<Tokens>>);

impl MemoryTokenStore {
    /// A store that holds these tokens.
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

/// Keeps tokens in a file that only its owner may read. Several processes may share it: a lock file beside it makes
/// sure that one of them renews at a time.
#[derive(Clone, Debug)]
pub struct FileTokenStore {
    path: PathBuf,
}

impl FileTokenStore {
    /// A store in this file. It and its folder are made when tokens are saved.
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

/// Writes a new file beside the old one and puts it in its place: a crash leaves the one or the other.
fn replace(path: &Path, tokens: &Tokens) -> io::Result<()> {
    let folder = folder(path);
    fs::create_dir_all(folder)?;
    // A temporary file is made for its owner alone.
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
        // Some network folders know no locks; alone on its file, a process needs none.
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

/// Makes the new name last through a power cut. Only Unix opens folders as files.
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
