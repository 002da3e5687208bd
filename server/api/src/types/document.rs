//! Documents, and references to the part of an itinerary that something belongs to.
//!
//! Within an itinerary, documents are read-only: they can be sent back unchanged.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::Name;
use super::page::hyphenated;
use crate::values::{Change, Ignored, ItemId, MediaType, Merge, Missing, Patch, Timestamp, resource};

/// The kind of thing that an expense, packing item or document belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[allow(missing_docs, reason = "a comment on a variant would turn the schema's plain list into a oneOf")]
pub enum BelongsToKind {
    Flight,
    Hotel,
    Day,
    Stop,
    Itinerary,
    Transport,
    Reservation,
}

resource! {
    /// The part of the itinerary that an expense, packing item or document belongs to.
    BelongsTo, BelongsToPatch {
        /// The kind of thing that `id` identifies.
        required kind: BelongsToKind;
        /// The id of a flight, hotel, transport, reservation, day or stop in the same itinerary, or the itinerary's own id
        /// for the kind `itinerary`.
        required id: ItemId;
    }
}

/// The kind of document. `other` if none of the values fits.
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

/// The sealed file of a document.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct DocumentFile {
    /// An opaque identifier of the stored file. Create a link to download the file.
    pub path: String,
    /// The file name given on upload, 1 to 200 characters.
    pub name: Name,
    /// The size of the sealed file in bytes.
    pub size: u64,
}

/// A sealed document of an itinerary.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Document {
    /// The document's id, a UUID in text form.
    pub id: ItemId,
    /// The document's name, 1 to 200 characters.
    pub name: Name,
    /// The kind of document, such as `boardingPass`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub category: Option<DocumentCategory>,
    /// The sealed file: its name and size.
    pub file: DocumentFile,
    /// The part of the itinerary that the document belongs to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub belongs_to: Option<BelongsTo>,
}

/// A JSON merge patch for a document: an absent field is kept, `null` clears a field, an object merges. The file cannot
/// be changed.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct DocumentPatch {
    /// Can be sent back unchanged; a different id is rejected.
    pub id: Change<ItemId>,
    /// The document's name, 1 to 200 characters. Cannot be cleared.
    pub name: Change<Name>,
    /// The kind of document, such as `boardingPass`.
    pub category: Patch<DocumentCategory>,
    /// The part of the itinerary that the document belongs to.
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

/// A document, with the media type of its file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ListedDocument {
    /// The document's id, a UUID in text form.
    pub id: ItemId,
    /// The document's name, 1 to 200 characters.
    pub name: Name,
    /// The kind of document, such as `boardingPass`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub category: Option<DocumentCategory>,
    /// The sealed file: its name and size.
    pub file: DocumentFile,
    /// The part of the itinerary that the document belongs to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub belongs_to: Option<BelongsTo>,
    /// The media type of the file before it was sealed, as the uploader declared it.
    pub mime_type: MediaType,
}

impl ListedDocument {
    /// Joins a document and its media type.
    pub fn new(document: Document, mime_type: MediaType) -> Self {
        let Document { id, name, category, file, belongs_to } = document;
        Self { id, name, category, file, belongs_to, mime_type }
    }
}

/// The parts of an upload besides the file. All are optional.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct DocumentDetails {
    /// The document's name. Defaults to the file's name.
    pub name: Option<Name>,
    /// The kind of document. Defaults to `other`.
    pub category: Option<DocumentCategory>,
    /// The part of the itinerary that the document belongs to, as JSON.
    pub belongs_to: Option<BelongsTo>,
    /// The media type of the file before it was sealed. Defaults to the file part's Content-Type.
    pub mime_type: Option<MediaType>,
}

/// A document directly after its upload.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct UploadedDocument {
    /// The document's id, a UUID in text form.
    pub id: ItemId,
    /// The document's name, 1 to 200 characters.
    pub name: Name,
    /// The document's category, such as `boardingPass`.
    pub kind: DocumentCategory,
    /// The media type of the file before it was sealed, as the uploader declared it.
    pub mime_type: MediaType,
    /// The size of the sealed file in bytes.
    pub size: u64,
    /// A link to the file, valid for 10 minutes. It needs no token.
    #[schemars(with = "crate::values::WebUrl")]
    pub url: String,
}

/// A temporary link to a document's file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct DocumentLink {
    /// The link. It needs no token: anyone who has it can download the sealed file until it expires.
    #[schemars(with = "crate::values::WebUrl")]
    pub url: String,
    /// When the link expires: 10 minutes after it was created.
    pub expires_at: Timestamp,
}

/// The path of an operation on a document.
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct DocumentPath {
    /// The id of the itinerary, a UUID.
    #[serde(deserialize_with = "hyphenated")]
    pub id: Uuid,
    /// The id of the document, a UUID.
    #[serde(deserialize_with = "hyphenated")]
    pub document_id: Uuid,
}

/// The path of a link to a document's file.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
pub struct SignedPath {
    /// The document, the traveller, the app and the expiry, with the server's signature.
    pub signed: String,
}
