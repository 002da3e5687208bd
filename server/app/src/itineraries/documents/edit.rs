//! The changes that a write makes to the documents of an itinerary.

use itinerary_api::types::{Document, DocumentPatch};
use itinerary_api::values::ItemId;
use itinerary_core::access::Act;
use itinerary_core::content::{Content, Part};
use itinerary_core::edit::{Edit, ItemEdit};
use itinerary_core::edit_scope::EditScope;
use itinerary_sealed::NotSealed;
use itinerary_store::{DocumentChange, NewDocument};
use uuid::Uuid;

use super::item_id;
use crate::{Error, Result};

/// A change of an itinerary's documents.
pub enum DocumentEdit {
    /// Adds one, whose file is stored.
    Add {
        /// The document.
        document: Box<Document>,
        /// Its row.
        row: NewDocument,
        /// The reason why its file is not sealed; `None` if it is.
        not_sealed: Option<NotSealed>,
    },
    /// Merges a patch into one.
    Update {
        /// Which one.
        id: ItemId,
        /// The patch.
        patch: DocumentPatch,
    },
    /// Deletes one, and its file.
    Delete {
        /// Which one.
        id: Uuid,
    },
}

impl DocumentEdit {
    /// The action that the caller must be allowed to do.
    pub fn act(&self) -> Act {
        match self {
            Self::Add { .. } => Act::Upload,
            Self::Update { .. } | Self::Delete { .. } => Act::ChangeList(Part::Documents),
        }
    }

    /// The change of the itinerary's content.
    pub fn edit(&self) -> Edit {
        Edit::Document(match self {
            Self::Add { document, .. } => ItemEdit::Add { item: (**document).clone(), position: None },
            Self::Update { id, patch, .. } => ItemEdit::Update { id: id.clone(), patch: patch.clone() },
            Self::Delete { id } => ItemEdit::Remove { id: item_id(*id) },
        })
    }

    /// Changes the content.
    pub fn apply(&self, content: &mut Content) -> Result<EditScope> {
        if let Self::Add { not_sealed: Some(reason), .. } = self {
            return Err(Error::NotSealed(reason.clone()));
        }
        Ok(self.edit().apply(content)?)
    }

    /// The rows to store besides the content.
    pub fn change(&self) -> DocumentChange {
        match self {
            Self::Add { row, .. } => DocumentChange::Add(row.clone()),
            Self::Update { .. } => DocumentChange::None,
            Self::Delete { id } => DocumentChange::Remove(*id),
        }
    }
}
