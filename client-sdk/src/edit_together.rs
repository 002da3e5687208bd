//! Changes that the service merges with those of other people.

use uuid::Uuid;

use crate::error::{ApiError, ErrorExt};
use crate::generated::Client;
use crate::types::{Itinerary, ItineraryPatch, MergeConflict, MergeReason};
use crate::update_with::{ATTEMPTS, FIRST_WAIT};
use crate::versioned::Versioned;
use crate::{code, groups};

/// Why [`edit_together`](Client::edit_together) failed.
///
/// ```
/// use itinerary_sdk::EditError;
///
/// fn explain(error: &EditError) -> String {
///     match error {
///         EditError::Conflict { conflicts, .. } => conflicts
///             .iter()
///             .map(|conflict| format!("{}: {} or {}?", conflict.path, conflict.current, conflict.yours))
///             .collect(),
///         other => other.to_string(),
///     }
/// }
/// ```
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum EditError {
    /// Somebody else has changed the same fields or items, differently. Nothing was stored.
    #[error("others have changed the same fields or items: {error}")]
    Conflict {
        /// What both have changed, at most 20 conflicts.
        conflicts: Vec<MergeConflict>,
        /// The error of the request. `ErrorExt::current_etag` returns the version with which to write the chosen values.
        #[source]
        error: ApiError,
    },
    /// A request failed for another reason.
    #[error(transparent)]
    Api(ApiError),
}

impl From<ApiError> for EditError {
    fn from(error: ApiError) -> Self {
        if reason(&error) == Some(MergeReason::Conflict) {
            Self::Conflict { conflicts: error.conflicts().to_vec(), error }
        } else {
            Self::Api(error)
        }
    }
}

impl ErrorExt for EditError {
    fn code(&self) -> &str {
        match self {
            Self::Conflict { error, .. } | Self::Api(error) => error.code(),
        }
    }

    fn api_error(&self) -> Option<&ApiError> {
        match self {
            Self::Conflict { error, .. } | Self::Api(error) => Some(error),
        }
    }
}

/// Why a change was not merged.
fn reason(error: &ApiError) -> Option<MergeReason> {
    error.details()?.reason.as_ref()?.known().copied()
}

impl Client {
    /// Reads an itinerary, makes a patch from it, and lets the service merge the patch with what others change meanwhile:
    /// field by field, and the items of lists by their ids. Returns the merged itinerary. Fails with
    /// [`EditError::Conflict`] if others have changed the same, differently.
    ///
    /// A patch that replaces a list, such as the days, is read as the additions, changes and removals that it amounts to,
    /// so keep the ids of items. The closure is called again if the version that it was called with is no longer kept; at
    /// most eight requests are sent.
    ///
    /// Unlike [`itinerary_update_with`](Client::itinerary_update_with), which applies the closure to the newest version, it
    /// does not overwrite a change that the closure has not seen.
    ///
    /// ```no_run
    /// # use itinerary_sdk::{Client, EditError, Uuid, types::ItineraryPatch};
    /// # async fn example(client: &Client, id: Uuid) -> Result<(), EditError> {
    /// let title = ItineraryPatch::default().title("A week in Lisbon");
    /// match client.edit_together(id, |_| title.clone()).await {
    ///     Ok(trip) => println!("{} is at version {}", trip.title, trip.etag()),
    ///     Err(EditError::Conflict { conflicts, .. }) => {
    ///         for conflict in conflicts {
    ///             println!("{}: theirs is {}, yours {}", conflict.path, conflict.current, conflict.yours);
    ///         }
    ///     }
    ///     Err(error) => return Err(error),
    /// }
    /// # Ok(())
    /// # }
    /// ```
    pub async fn edit_together(
        &self,
        id: Uuid,
        mut edit: impl FnMut(&Itinerary) -> ItineraryPatch,
    ) -> Result<Versioned<Itinerary>, EditError> {
        let mut base = self.itinerary_view(id).send().await?;
        let mut patch = edit(&base);
        let mut wait = FIRST_WAIT;
        for _ in 1..ATTEMPTS {
            let error = match self.itinerary_update(id, &base, patch.clone()).prefer("merge").send().await {
                Err(error) if error.is(code::ITINERARY_MODIFIED) => error,
                result => return Ok(result?),
            };
            match reason(&error) {
                Some(MergeReason::Conflict) => return Err(error.into()),
                Some(MergeReason::BaseGone) => {
                    base = self.itinerary_view(id).send().await?;
                    patch = edit(&base);
                }
                // Others were faster for two seconds. With the same base, what they have changed is still noticed.
                None => {}
            }
            tokio::time::sleep(wait).await;
            wait *= 2;
        }
        Ok(self.itinerary_update(id, &base, patch).prefer("merge").send().await?)
    }
}

impl groups::Itineraries<'_> {
    /// Same as [`Client::edit_together`].
    pub async fn edit_together(
        self,
        id: Uuid,
        edit: impl FnMut(&Itinerary) -> ItineraryPatch,
    ) -> Result<Versioned<Itinerary>, EditError> {
        self.client.edit_together(id, edit).await
    }
}
