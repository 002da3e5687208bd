//! The changes that a write makes to the documents of an itinerary.

use itinerary_api::types::{Document, DocumentPatch, ListedDocument, UploadedDocument};
use itinerary_api::values::{ItemId, MediaType};
use itinerary_core::access::Act;
use itinerary_core::content::{Content, Part};
use itinerary_core::edit::{Edit, ItemEdit};
use itinerary_core::sent::Sent;
use itinerary_sealed::NotSealed;
use itinerary_store::{DocumentChange, NewDocument};
use uuid::Uuid;

use super::{item_id, json};
use crate::app::{Answer, Error, Outcome, Result};

/// A change of an itinerary's documents.
pub enum DocumentWork {
    /// Adds one, whose file is stored.
    Add {
        /// The document.
        document: Box<Document>,
        /// Its row.
        row: NewDocument,
        /// Its media type.
        mime_type: MediaType,
        /// The reason why its file is not sealed; `None` if it is.
        not_sealed: Option<NotSealed>,
    },
    /// Merges a patch into one.
    Update {
        /// Which one.
        id: ItemId,
        /// The patch.
        patch: DocumentPatch,
        /// Its media type.
        mime_type: MediaType,
    },
    /// Deletes one, and its file.
    Delete {
        /// Which one.
        id: Uuid,
    },
}

impl DocumentWork {
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
    pub fn apply(&self, content: &mut Content) -> Result<Sent> {
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

    /// The answer, with the itinerary's new tag. The link of an upload is not part of it: it is made for each answer.
    pub fn answer(&self, content: &Content, etag: String) -> Result<Answer> {
        let (outcome, json) = match self {
            Self::Add { document, mime_type, row, .. } => (Outcome::Created, uploaded(document, mime_type, row)),
            Self::Update { id, mime_type, .. } => {
                let is_it = |entry: &&_| itinerary_core::entry::Entry::outline(*entry).id.as_deref() == Some(&**id);
                let entry = content.sealed.documents.iter().find(is_it).ok_or(Error::NotFound)?;
                (Outcome::Done, json(&ListedDocument::new(entry.value()?.into_owned(), mime_type.clone())))
            }
            Self::Delete { .. } => (Outcome::Done, Vec::new()),
        };
        Ok(Answer::tagged(outcome, etag, vec![json.into()]))
    }
}

fn uploaded(document: &Document, mime_type: &MediaType, row: &NewDocument) -> Vec<u8> {
    json(&UploadedDocument {
        id: document.id.clone(),
        name: document.name.clone(),
        kind: document.category.unwrap_or_default(),
        mime_type: mime_type.clone(),
        size: row.size.unsigned_abs(),
        url: String::new(),
    })
}
