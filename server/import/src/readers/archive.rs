//! Zip archives, read within the budget.

use std::io::Cursor;

use zip::ZipArchive;
use zip::result::ZipError;

use crate::budget::{Budget, Exceeded, InflateError, MAX_ENTRIES};
use crate::file::{Ignored, Reason};

/// A zip archive in memory.
pub(super) struct Archive<'c> {
    zip: ZipArchive<Cursor<&'c [u8]>>,
}

impl<'c> Archive<'c> {
    /// Whether the bytes begin as a zip archive.
    pub(super) fn is_one(content: &[u8]) -> bool {
        content.starts_with(b"PK\x03\x04")
    }

    /// Opens an archive. Fails if it is damaged, has entries that share bytes, or has too many.
    pub(super) fn open(content: &'c [u8]) -> Result<Self, Ignored> {
        // Refused before the directory is read: its entries take much more memory than bytes of the file. Archives in an
        // archive count too, as far as they are stored.
        if directory_entries(content) > 2 * MAX_ENTRIES as usize {
            return Err(Exceeded::Entries.into());
        }
        let mut zip = ZipArchive::new(Cursor::new(content)).map_err(|error| damaged(&error))?;
        if zip.len() > MAX_ENTRIES as usize {
            return Err(Exceeded::Entries.into());
        }
        if zip.has_overlapping_files().map_err(|error| damaged(&error))? {
            return Err(malformed("Entries of the archive share bytes."));
        }
        Ok(Self { zip })
    }

    /// The names of the files in it, in the order of the directory.
    pub(super) fn names(&self) -> Vec<String> {
        let names = self.zip.file_names().filter_map(Result::ok);
        names.filter(|name| !name.ends_with('/')).map(std::borrow::Cow::into_owned).collect()
    }

    /// The content of a file. `None` if there is no such file.
    pub(super) fn read(&mut self, name: &str, budget: &mut Budget<'_>) -> Result<Option<Vec<u8>>, Ignored> {
        let Some(index) = self.zip.index_for_name(name) else { return Ok(None) };
        budget.take_entry()?;
        let entry = self.zip.by_index(index).map_err(|error| damaged(&error))?;
        let packed = entry.compressed_size();
        match budget.inflate(packed, entry) {
            Ok(content) => Ok(Some(content)),
            Err(InflateError::Exceeded(exceeded)) => Err(exceeded.into()),
            Err(InflateError::Damaged(error)) => {
                Err(malformed(&format!("`{name}` in the archive is damaged: {error}.")))
            }
        }
    }
}

/// The number of entries of directories in the bytes, counted up to just over the limit.
fn directory_entries(content: &[u8]) -> usize {
    let signature = memchr::memmem::Finder::new(b"PK\x01\x02");
    signature.find_iter(content).take(2 * MAX_ENTRIES as usize + 1).count()
}

fn damaged(error: &ZipError) -> Ignored {
    match error {
        ZipError::UnsupportedArchive(_) => {
            Ignored { reason: Reason::Unsupported, message: format!("The archive cannot be read: {error}.") }
        }
        _ => malformed(&format!("The archive is damaged: {error}.")),
    }
}

fn malformed(message: &str) -> Ignored {
    Ignored { reason: Reason::Malformed, message: message.to_owned() }
}
