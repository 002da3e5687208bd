//! Documents: their scopes, addresses and files. What uploads consist of is in `forms` and `sealed_files`.

use crate::app::path;

/// All scopes for documents.
pub const SCOPE: &str = "itineraries:read itineraries:write documents:read documents:write";

/// The address of an itinerary's documents.
pub fn documents(id: &str) -> String {
    format!("{}/documents", path(id))
}

/// The sorted names of the documents' files in a data folder.
pub fn files(data: &std::path::Path) -> Vec<String> {
    let Ok(folder) = std::fs::read_dir(data.join("files/documents")) else { return Vec::new() };
    let name = |entry: std::io::Result<std::fs::DirEntry>| entry.expect("a file").file_name();
    let mut names: Vec<_> = folder.map(|entry| name(entry).into_string().expect("text")).collect();
    names.sort_unstable();
    names
}
