//! Merging a change of an older version into the current one.

use std::sync::Arc;

use itinerary_api::error::MergeConflict;
use itinerary_api::values::EntityTags;
use itinerary_core::content::Content;
use itinerary_core::edit::Edit;
use itinerary_core::fill;
use itinerary_core::merge::{Merged, merge};
use itinerary_core::revision::Version;
use itinerary_model::Visibility;
use itinerary_platform::context::Service;
use serde_json::Value;
use uuid::Uuid;

use super::Loaded;
use super::content_change::{ChangeEffect, complete_places};
use crate::places::Placing;
use crate::{Error, Result};

/// The version that a change is based on.
pub(super) enum Base {
    /// The current one, or one that is not merged.
    Current,
    Older(Arc<Version>),
    /// An older one that is not kept.
    Gone,
}

impl Base {
    /// The base of a change whose caller prefers merging. `found` is what has been rebuilt before: versions that
    /// other writers make meanwhile neither cost anything nor make the base too old.
    pub(super) async fn find(
        service: &Service,
        account: Uuid,
        (loaded, content): (&Loaded, &Content),
        if_match: Option<&EntityTags>,
        found: &mut Option<Arc<Version>>,
    ) -> Result<Self> {
        let Some(version) = if_match.and_then(EntityTags::only_version).filter(|version| *version != loaded.version)
        else {
            return Ok(Self::Current);
        };
        if found.is_none() {
            *found = loaded.rebuilt(service, account, content, version).await?.map(Arc::new);
        } else if version < loaded.visible_from(service, account).await? {
            // The caller has left and joined again since.
            *found = None;
        }
        Ok(found.clone().map_or(Self::Gone, Self::Older))
    }

    /// The older version, if there is one.
    pub(super) fn older(&self) -> Option<&Version> {
        match self {
            Self::Older(version) => Some(version),
            Self::Current | Self::Gone => None,
        }
    }
}

/// Merges an edit of an older version into the current content.
pub(super) async fn merge_edit(
    service: &Service,
    edit: &Edit,
    (base, loaded): (&Version, &Loaded),
    content: &mut Content,
    placing: &mut Placing<'_>,
) -> Result<ChangeEffect> {
    let mut yours = base.content.clone();
    let scope = edit.clone().apply_alone(&mut yours)?;
    fill::complete(&mut yours, &*service.random)?;
    let stored_legs = edit.stored_legs(content)?;
    *content = match merge(&base.content, content, &yours, loaded.sections)? {
        Merged::Content(merged) => *merged,
        Merged::Conflicts(conflicts) => {
            return Err(loaded.not_merged(conflicts));
        }
        Merged::Invalid(error) => return Err(scope.relative(error).into()),
    };
    let scope = scope.found_in(&yours, content);
    complete_places(service, edit, content, (scope, stored_legs), placing).await
}

impl Loaded {
    /// Rejects a new visibility if it has changed since the older version.
    pub(super) fn check_visibility(&self, base: &Version, yours: Visibility) -> Result<()> {
        if self.visibility == base.visibility || self.visibility == yours {
            return Ok(());
        }
        let [base, current, yours] =
            [base.visibility, self.visibility, yours].map(|visibility| Value::from(visibility.as_str()));
        Err(self.not_merged(vec![MergeConflict { path: "visibility".to_owned(), base, current, yours }]))
    }

    fn not_merged(&self, conflicts: Vec<MergeConflict>) -> Error {
        Error::NotMerged { etag: self.etag(), conflicts: Some(conflicts) }
    }
}
