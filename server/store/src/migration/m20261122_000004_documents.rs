//! Documents: fields of a sealed file that are not in the itinerary, and the storage that accounts use.

use super::Migration;

pub(super) const MIGRATION: Migration =
    Migration { name: "m20261122_000004_documents", both: SCHEMA, postgres: &[], sqlite: &[] };

/// `loose_files` lists files without a document: of uploads in progress and of deleted documents.
const SCHEMA: &str = "
CREATE TABLE documents (
    id {uuid} NOT NULL PRIMARY KEY,
    itinerary_id {uuid} NOT NULL REFERENCES itineraries (id) ON DELETE CASCADE,
    file_name TEXT NOT NULL,
    mime_type TEXT NOT NULL,
    size {int} NOT NULL,
    created_at {int} NOT NULL
) {end};
CREATE INDEX documents_itinerary ON documents (itinerary_id);

CREATE TABLE document_usage (
    account_id {uuid} NOT NULL PRIMARY KEY REFERENCES accounts (id) ON DELETE CASCADE,
    bytes {int} NOT NULL
) {end};

CREATE TABLE loose_files (
    document_id {uuid} NOT NULL PRIMARY KEY,
    delete_at {int} NOT NULL
) {end};
CREATE INDEX loose_files_age ON loose_files (delete_at);
";
