//! The change that a write makes to an itinerary's content: an edit from the request, or one that the server computes.

use std::time::Duration;

use itinerary_api::types::{Attention, Day, ItineraryPatch, OptimiseRequest};
use itinerary_api::values::ItemId;
use itinerary_core::access::Act;
use itinerary_core::content::{Content, Part};
use itinerary_core::edit::{Edit, find_day};
use itinerary_core::edit_scope::EditScope;
use itinerary_core::entry::Entry;
use itinerary_core::entry_path::EntryPath;
use itinerary_core::placing::drop_empty_place;
use itinerary_platform::context::Service;
use itinerary_store::DocumentChange;
use uuid::Uuid;

use super::covers::{self, Cover, Made};
use super::documents::DocumentEdit;
use super::{PLACING_TIME, legs, optimise, refresh};
use crate::Result;
use crate::places::Placing;

/// A change to apply.
pub(super) enum ContentChange {
    /// A change that was sent.
    Edit(Box<Edit>),
    /// Fills in missing fields of places, and missing legs.
    RefreshPlaces,
    /// Puts a day's stops in the best order.
    Optimise {
        /// The day.
        day: ItemId,
        request: OptimiseRequest,
    },
    /// Sets the cover image.
    Cover {
        /// Where the image comes from.
        cover: Cover,
        /// The account that asks for it.
        account: Uuid,
        /// The picture, once its files are stored.
        made: Option<Made>,
    },
    /// Changes the documents.
    Document(DocumentEdit),
}

/// The effect of a change.
pub(super) struct ChangeEffect {
    /// The parts that the request contained.
    pub(super) scope: EditScope,
    /// Fields that need attention, other than entries without a coordinate.
    pub(super) attention: Vec<Attention>,
    /// Minutes of travel before and after.
    pub(super) minutes: Option<(u32, u32)>,
}

impl From<EditScope> for ChangeEffect {
    fn from(scope: EditScope) -> Self {
        Self { scope, attention: Vec::new(), minutes: None }
    }
}

impl ContentChange {
    /// The patch of the whole itinerary, if the change is one.
    pub(super) fn patch(&self) -> Option<&ItineraryPatch> {
        match self {
            Self::Edit(edit) => match &**edit {
                Edit::Itinerary(patch) => Some(patch),
                _ => None,
            },
            _ => None,
        }
    }

    /// The same, for changing it.
    pub(super) fn patch_mut(&mut self) -> Option<&mut ItineraryPatch> {
        match self {
            Self::Edit(edit) => match &mut **edit {
                Edit::Itinerary(patch) => Some(patch),
                _ => None,
            },
            _ => None,
        }
    }

    /// The picture that it has made.
    pub(super) fn made(&self) -> Option<&Made> {
        match self {
            Self::Cover { made, .. } => made.as_ref(),
            _ => None,
        }
    }

    /// The action that the caller must be allowed to do.
    pub(super) fn act(&self) -> Act {
        match self {
            Self::Edit(edit) => edit.part().map_or(Act::Change, Act::ChangeList),
            Self::Optimise { .. } => Act::ChangeList(Part::Days),
            Self::RefreshPlaces | Self::Cover { .. } => Act::Change,
            Self::Document(edit) => edit.act(),
        }
    }

    /// Whether its target exists.
    pub(super) fn finds(&self, content: &Content) -> bool {
        match self {
            Self::Edit(edit) => edit.finds(content),
            Self::Optimise { day, .. } => find_day(&content.everyone.days, day).is_some(),
            Self::RefreshPlaces | Self::Cover { .. } => true,
            Self::Document(edit) => edit.edit().finds(content),
        }
    }

    /// The time limit.
    pub(super) fn time(&self) -> Duration {
        match self {
            Self::Edit(_) | Self::Document(_) => PLACING_TIME,
            Self::RefreshPlaces | Self::Optimise { .. } | Self::Cover { .. } => itinerary_providers::REFRESH_TIMEOUT,
        }
    }

    /// Whether the outcome is stored.
    pub(super) fn is_stored(&self) -> bool {
        !matches!(self, Self::Optimise { request, .. } if request.dry_run == Some(true))
    }

    /// The change of documents' rows and files that belongs to it.
    pub(super) fn documents(&self) -> DocumentChange {
        match self {
            Self::Document(edit) => edit.change(),
            _ => DocumentChange::None,
        }
    }

    /// Applies the change to the content.
    pub(super) async fn apply(
        &mut self,
        service: &Service,
        content: &mut Content,
        placing: &mut Placing<'_>,
    ) -> Result<ChangeEffect> {
        match self {
            Self::Edit(edit) => {
                let places_anew = edit.places_anew();
                let stored_legs = edit.stored_legs(content)?;
                let scope = (**edit).clone().apply(content)?;
                if let EditScope::Item(path) = scope
                    && places_anew
                {
                    drop_empty_place(content, path)?;
                }
                let sent = edit.days_with_legs(content, &scope, &stored_legs);
                let attention = placing.place(content, |path: EntryPath| scope.contains(path)).await?;
                let filter = |day: usize, entry: &Entry<Day>| entry.touched().is_some() && !sent.contains(&day);
                legs::fill_missing(service, content, placing, legs::BY_WRITES, filter).await?;
                Ok(ChangeEffect { scope, attention, minutes: None })
            }
            Self::RefreshPlaces => refresh::refresh(service, content, placing).await,
            Self::Optimise { day, request } => optimise::optimise(service, content, day, request, placing).await,
            Self::Cover { cover, account, made } => {
                let made = match made {
                    Some(made) => made,
                    None => made.insert(covers::make(service, *account, cover, content, placing.deadline()).await?),
                };
                content.everyone.cover_image = Some(made.image.clone());
                Ok(EditScope::Nothing.into())
            }
            Self::Document(edit) => Ok(edit.apply(content)?.into()),
        }
    }
}
