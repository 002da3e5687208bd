//! Documents, and what things belong to.
//!
//! Documents have operations of their own; in an itinerary they can be read and sent back unchanged.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::Name;
use super::page::hyphenated;
use crate::values::{Change, Ignored, ItemId, MediaType, Merge, Missing, Patch, Timestamp, resource};

/// What an expense, a packing item or a document can belong to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[allow(missing_docs, reason = "a comment on a variant would turn the schema's plain list into a oneOf")]
pub enum BelongsToKind {
    Flight,
    Hotel,
    Day,
    Stop,
    Itinerary,
}

resource! {
    /// The part of the itinerary that something belongs to.
    BelongsTo, BelongsToPatch {
        /// What kind of part.
        required kind: BelongsToKind;
        /// Its id, which exists in the itinerary; the itinerary's own for the kind `itinerary`.
        required id: ItemId;
    }
}

/// What kind of document it is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[allow(missing_docs, reason = "a comment on a variant would turn the schema's plain list into a oneOf")]
pub enum DocumentCategory {
    BoardingPass,
    Ticket,
    Lodging,
    Passport,
    Visa,
    Insurance,
    Vaccination,
    Itinerary,
    Receipt,
    #[default]
    Other,
}

/// The file of a document.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct DocumentFile {
    /// An opaque name.
    pub path: String,
    /// The name that the traveller gave the file.
    pub name: Name,
    /// Its size in bytes.
    pub size: u64,
}

/// A sealed document of an itinerary.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Document {
    /// Its id.
    pub id: ItemId,
    /// Its name.
    pub name: Name,
    /// What kind of document it is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub category: Option<DocumentCategory>,
    /// Its file.
    pub file: DocumentFile,
    /// What it belongs to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub belongs_to: Option<BelongsTo>,
}

/// A merge patch for a document: absent keeps, null clears, a value replaces. Its file cannot be changed.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct DocumentPatch {
    /// May be sent back; it cannot be changed.
    pub id: Change<ItemId>,
    /// Its name.
    pub name: Change<Name>,
    /// What kind of document it is.
    pub category: Patch<DocumentCategory>,
    /// What it belongs to.
    pub belongs_to: Patch<BelongsToPatch>,
    #[schemars(skip)]
    file: Ignored,
    #[schemars(skip)]
    mime_type: Ignored,
}

impl Merge for Document {
    type Patch = DocumentPatch;

    fn merge(&mut self, patch: DocumentPatch) -> Result<(), Missing> {
        let DocumentPatch { id: _, name, category, belongs_to, file: _, mime_type: _ } = patch;
        if let Change::Value(name) = name {
            self.name = name;
        }
        match category {
            Patch::Absent => {}
            Patch::Null => self.category = None,
            Patch::Value(category) => self.category = Some(category),
        }
        BelongsTo::merge_optional(&mut self.belongs_to, belongs_to).map_err(|missing| missing.within("belongsTo"))
    }

    fn from_patch(_: DocumentPatch) -> Result<Self, Missing> {
        Err(Missing("file".to_owned()))
    }
}

/// A document in the list of an itinerary's documents.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ListedDocument {
    /// Its id.
    pub id: ItemId,
    /// Its name.
    pub name: Name,
    /// What kind of document it is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub category: Option<DocumentCategory>,
    /// Its file.
    pub file: DocumentFile,
    /// What it belongs to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub belongs_to: Option<BelongsTo>,
    /// The media type of the file before it was sealed, as the uploader declared it.
    pub mime_type: MediaType,
}

impl ListedDocument {
    /// A document with its media type.
    pub fn new(document: Document, mime_type: MediaType) -> Self {
        let Document { id, name, category, file, belongs_to } = document;
        Self { id, name, category, file, belongs_to, mime_type }
    }
}

/// The parts of an upload besides the file.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct DocumentDetails {
    /// Its name. Defaults to the file's name.
    pub name: Option<Name>,
    /// What kind of document it is. Defaults to `other`.
    pub category: Option<DocumentCategory>,
    /// What it belongs to, as JSON.
    pub belongs_to: Option<BelongsTo>,
    /// The media type of the file before it was sealed. Defaults to the file part's Content-Type.
    pub mime_type: Option<MediaType>,
}

/// A document that was uploaded.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct UploadedDocument {
    /// Its id.
    pub id: ItemId,
    /// Its name.
    pub name: Name,
    /// Its category.
    pub kind: DocumentCategory,
    /// The media type of the file before it was sealed, as the uploader declared it.
    pub mime_type: MediaType,
    /// The size of the sealed file in bytes.
    pub size: u64,
    /// A link to the file, valid for 10 minutes.
    #[schemars(with = "crate::values::WebUrl")]
    pub url: String,
}

/// A link to a document's file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct DocumentLink {
    /// The link. It needs no token; anyone who has it can download the sealed file until it expires.
    #[schemars(with = "crate::values::WebUrl")]
    pub url: String,
    /// When it expires: 10 minutes after it was made.
    pub expires_at: Timestamp,
}

/// Names a document of an itinerary, in an address.
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct DocumentPath {
    /// The itinerary's id.
    #[serde(deserialize_with = "hyphenated")]
    pub id: Uuid,
    /// The document's id.
    #[serde(deserialize_with = "hyphenated")]
    pub document_id: Uuid,
}

/// A link's signed part, in an address.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
pub struct SignedPath {
    /// What is signed, and the signature.
    pub signed: String,
}
