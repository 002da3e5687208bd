//! The archive of a pass and its manifest.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io::{Cursor, Write};

use openssl::sha::sha1;
use zip::result::ZipResult;
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, DateTime, ZipWriter};

/// Lists each file's SHA-1, the only digest that manifests support.
pub(super) fn manifest(files: &[(&str, &[u8])]) -> serde_json::Result<Vec<u8>> {
    let digests: BTreeMap<&str, String> = files.iter().map(|(name, bytes)| (*name, hex(&sha1(bytes)))).collect();
    serde_json::to_vec(&digests)
}

/// Archives the files in this order, with a fixed time stamp: the same files give the same archive.
pub(super) fn zip(files: &[(&str, &[u8])]) -> ZipResult<Vec<u8>> {
    let mut archive = ZipWriter::new(Cursor::new(Vec::new()));
    let options = SimpleFileOptions::default()
        .compression_method(CompressionMethod::Deflated)
        .last_modified_time(DateTime::default())
        .unix_permissions(0o644);
    for (name, bytes) in files {
        archive.start_file(*name, options)?;
        archive.write_all(bytes)?;
    }
    Ok(archive.finish()?.into_inner())
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}
