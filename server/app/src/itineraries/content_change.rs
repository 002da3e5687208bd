//! The change that a write makes to an itinerary's content: an edit from the request, or one that the server computes.

use std::time::Duration;

use itinerary_api::types::{Attention, Day, ItineraryPatch, Leg, OptimiseRequest};
use itinerary_api::values::ItemId;
use itinerary_core::access::Act;
use itinerary_core::content::{Content, Part};
use itinerary_core::edit::{Edit, find_day};
use itinerary_core::edit_scope::EditScope;
use itinerary_core::entry::Entry;
use itinerary_core::entry_path::EntryPath;
use itinerary_core::place_path::PlacePath;
use itinerary_core::placing::drop_empty_place;
use itinerary_core::revision;
use itinerary_platform::context::Service;
use itinerary_store::DocumentChange;
use uuid::Uuid;

use super::covers::{self, Cover, Made};
use super::documents::DocumentEdit;
use super::shift::Shift;
use super::{PLACING_TIME, legs, optimise, refresh};
use crate::places::Placing;
use crate::{Error, Result};

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
    /// Moves the itinerary to other dates.
    Shift(Shift),
    /// Changes the documents.
    Document(DocumentEdit),
    /// Restores the content of a former version.
    Restore {
        version: i64,
        /// Its content, once it is rebuilt.
        former: Option<Box<Content>>,
        /// Whether the caller may change the Pro sections.
        pro: bool,
    },
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
    /// The edit from the request, if the change is one.
    pub(super) fn edit(&self) -> Option<&Edit> {
        match self {
            Self::Edit(edit) => Some(edit),
            _ => None,
        }
    }

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
            Self::RefreshPlaces | Self::Shift(_) | Self::Cover { .. } | Self::Restore { .. } => Act::Change,
            Self::Document(edit) => edit.act(),
        }
    }

    /// Whether its target exists.
    pub(super) fn finds(&self, content: &Content) -> bool {
        match self {
            Self::Edit(edit) => edit.finds(content),
            Self::Optimise { day, .. } => find_day(&content.everyone.days, day).is_some(),
            Self::RefreshPlaces | Self::Shift(_) | Self::Cover { .. } | Self::Restore { .. } => true,
            Self::Document(edit) => edit.edit().finds(content),
        }
    }

    /// The time limit.
    pub(super) fn time(&self) -> Duration {
        match self {
            Self::Edit(_) | Self::Shift(_) | Self::Document(_) | Self::Restore { .. } => PLACING_TIME,
            Self::RefreshPlaces | Self::Optimise { .. } | Self::Cover { .. } => itinerary_providers::REFRESH_TIMEOUT,
        }
    }

    /// Whether the outcome is stored.
    pub(super) fn is_stored(&self) -> bool {
        match self {
            Self::Optimise { request, .. } => request.dry_run != Some(true),
            Self::Shift(shift) => !shift.dry_run,
            _ => true,
        }
    }

    /// The version whose content it restores.
    pub(super) fn restored_from(&self) -> Option<i64> {
        match self {
            Self::Restore { version, .. } => Some(*version),
            _ => None,
        }
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
                let stored_legs = edit.stored_legs(content)?;
                let scope = (**edit).clone().apply(content)?;
                complete_places(service, edit, content, (scope, stored_legs), placing).await
            }
            Self::Shift(shift) => shift.apply(content),
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
            Self::Restore { former, pro, .. } => {
                let former = former.take().ok_or_else(|| Error::Corrupt("a version was not rebuilt".to_owned()))?;
                revision::restore(content, *former, *pro)?;
                Ok(EditScope::Nothing.into())
            }
        }
    }
}

/// After an edit: looks up places, and computes missing legs of the days that it changed. `stored_legs` are those before it.
pub(super) async fn complete_places(
    service: &Service,
    edit: &Edit,
    content: &mut Content,
    (scope, stored_legs): (EditScope, Vec<Leg>),
    placing: &mut Placing<'_>,
) -> Result<ChangeEffect> {
    if let EditScope::Item(entry) = scope {
        for field in edit.places_anew() {
            drop_empty_place(content, PlacePath { entry, field })?;
        }
    }
    let sent = edit.days_with_legs(content, &scope, &stored_legs);
    let attention = placing.place(content, |path: EntryPath| scope.contains(path)).await?;
    let filter = |day: usize, entry: &Entry<Day>| entry.touched().is_some() && !sent.contains(&day);
    legs::fill_missing(service, content, placing, legs::BY_WRITES, filter).await?;
    Ok(ChangeEffect { scope, attention, minutes: None })
}
