//! What is stored for each profile in the configuration folder: the server, the tokens for it, and the last trip.

use std::fmt::Write as _;
use std::fs;
use std::io::{self, ErrorKind};
use std::path::PathBuf;

use etcetera::BaseStrategy as _;
use itinerary_sdk::FileTokenStore;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::failure::Failure;
use crate::file;

pub(crate) struct Profile {
    folder: PathBuf,
}

#[derive(Serialize, Deserialize)]
struct Settings {
    server: String,
}

impl Profile {
    pub(crate) fn open(name: &str) -> Result<Self, Failure> {
        Ok(Self { folder: base()?.config_dir().join("itinerary").join(name) })
    }

    /// The server of the last sign-in.
    pub(crate) fn server(&self) -> Result<Option<String>, Failure> {
        let path = self.folder.join("profile.json");
        match fs::read(&path) {
            Ok(text) => {
                let settings: Settings = serde_json::from_slice(&text)
                    .map_err(|error| io::Error::other(format!("{}: {error}", path.display())))?;
                Ok(Some(settings.server))
            }
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    pub(crate) fn set_server(&self, server: &str) -> Result<(), Failure> {
        file::create_private_folder(&self.folder)?;
        let settings = serde_json::to_vec(&Settings { server: server.to_owned() }).map_err(io::Error::from)?;
        Ok(file::replace(&self.folder.join("profile.json"), &settings, true)?)
    }

    /// The file with the tokens for a server. Each server has its own, so that no token is ever sent to another one.
    pub(crate) fn token_file(&self, server: &str) -> PathBuf {
        let mut name = String::from("tokens-");
        for byte in server.bytes() {
            if byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'-') {
                name.push(char::from(byte));
            } else {
                // Writing to a String cannot fail.
                let _ = write!(name, "%{byte:02X}");
            }
        }
        self.folder.join(name + ".json")
    }

    pub(crate) fn tokens(&self, server: &str) -> Result<FileTokenStore, Failure> {
        file::create_private_folder(&self.folder)?;
        Ok(FileTokenStore::new(self.token_file(server)))
    }

    /// The trip that the previous command was about.
    pub(crate) fn last(&self) -> Option<Uuid> {
        fs::read_to_string(self.folder.join("last")).ok()?.trim().parse().ok()
    }

    /// Remembers a trip. That is a convenience, so failures are ignored.
    pub(crate) fn set_last(&self, id: Uuid) {
        let write = || {
            file::create_private_folder(&self.folder)?;
            file::replace(&self.folder.join("last"), id.to_string().as_bytes(), true)
        };
        let _: io::Result<()> = write();
    }
}

/// The folder for texts that are being edited.
pub(crate) fn edits() -> Result<PathBuf, Failure> {
    let base = base()?;
    let state = base.state_dir().unwrap_or_else(|| base.data_dir());
    let folder = state.join("itinerary").join("edits");
    file::create_private_folder(&folder)?;
    Ok(folder)
}

fn base() -> Result<impl etcetera::BaseStrategy, Failure> {
    etcetera::choose_base_strategy().map_err(|_| Failure::usage("no home folder: set HOME"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_server_has_its_own_tokens() {
        let profile = Profile { folder: PathBuf::from("p") };
        let name = |server: &str| profile.token_file(server).display().to_string();
        assert_eq!(name("https://trips.example"), "p/tokens-https%3A%2F%2Ftrips.example.json");
        assert_ne!(name("https://a.example/b"), name("https://a.example%2Fb"));
        assert!(!name("https://a.example/../b").trim_start_matches("p/").contains('/'));
    }
}
