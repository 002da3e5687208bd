//! Documents inside an itinerary, and what things belong to.
//!
//! Documents have routes of their own; in an itinerary they can be read and sent back unchanged.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Name;
use crate::values::{Change, ItemId, resource};

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
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
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
