//! What an itinerary allows a change, and what a change does to it besides its content.

use chrono::{DateTime, Utc};
use itinerary_api::read::FieldError;
use itinerary_api::types::{ItineraryPatch, Visibility};
use itinerary_api::values::Change;
use itinerary_core::access::{Act, Standing};
use itinerary_core::content::{BringsLists, Content, Everyone, Part};
use itinerary_core::fingerprint;
use itinerary_platform::context::Service;
use itinerary_store::CoverChange;
use uuid::Uuid;

use crate::itineraries::content_change::ContentChange;
use crate::itineraries::covers::{self, Made};
use crate::itineraries::create::refuse_sections;
use crate::itineraries::{Loaded, Reader};
use crate::{Error, Result};

impl Loaded {
    /// The idempotency key of a write. If the response contains the id of another person's source, that is part of the
    /// fingerprint: once the source is hidden, the stored response may no longer be shown.
    pub(super) fn claim(&self, claim: itinerary_store::Claim) -> itinerary_store::Claim {
        let is_told = self.sections.source && self.standing != Standing::Owner;
        let fingerprint = if is_told { fingerprint::told_source(claim.fingerprint) } else { claim.fingerprint };
        itinerary_store::Claim { fingerprint, ..claim }
    }

    /// Keeps the sections that the caller is not shown if the patch has null or an empty list for them, which is what
    /// clients send back for a section that they did not receive.
    pub(super) fn keep_hidden(&self, patch: &mut ItineraryPatch) {
        let hidden = Part::ALL.into_iter().filter(|part| !self.sections.show(part.fragment()));
        hidden.for_each(|part| part.keep_if_empty(patch));
    }

    /// Checks that the caller may send the patch's fields: a new visibility, which is returned, only as the owner, and Pro
    /// sections only with Pro.
    pub(super) fn allow_patch(
        &self,
        reader: Reader,
        patch: &ItineraryPatch,
        (visible, stored): (Visibility, &Content),
    ) -> Result<Option<Visibility>> {
        let shown = match patch.visibility {
            Change::Value(visibility) if visibility != visible => Some(visibility),
            _ => None,
        };
        if shown.is_some() {
            self.allow(reader, Act::Share)?;
        }
        // Without Pro, a section may still be sent back unchanged, as from a copy that was read before Pro ended.
        let is_sent_back = |part| stored.is_sent_back(patch, part);
        refuse_sections(reader.pro, |part| patch.brings(part) && !is_sent_back(part))?;
        Ok(shown)
    }

    /// Rebuilds the version that is to be restored.
    pub(super) async fn rebuild_former(
        &self,
        service: &Service,
        account: Uuid,
        change: &mut ContentChange,
        content: &Content,
    ) -> Result<()> {
        let ContentChange::Restore { version, former, .. } = change else { return Ok(()) };
        let rebuilt = self.rebuilt(service, account, content, *version).await?.ok_or(Error::NotFound)?;
        *former = Some(Box::new(rebuilt.content));
        Ok(())
    }

    /// Takes an address of this server's out of a patch.
    pub(super) async fn resolve_cover(
        &self,
        service: &Service,
        change: &mut ContentChange,
        stored: &Content,
    ) -> Result<()> {
        let Some(patch) = change.patch_mut() else { return Ok(()) };
        let has_cover = stored.everyone.cover_image.is_some();
        let shown = self.cover.as_ref().map(|cover| cover.picture);
        covers::sent_cover::on_update(service, self.id, shown, has_cover, patch).await
    }

    /// Gives the cover another picture where the change asks for it.
    pub(super) fn change_cover(
        &mut self,
        service: &Service,
        before: &Everyone,
        content: &mut Content,
        made: Option<&Made>,
        hides: bool,
    ) -> CoverChange {
        let shown = self.cover.as_ref().map(|cover| cover.picture);
        let change = covers::change(service, (shown, before), content, made, hides);
        match &change {
            CoverChange::None => {}
            CoverChange::Remove => self.cover = None,
            CoverChange::Set(picture) => self.cover = Some(covers::StoredCover::new(service, picture.id)),
        }
        change
    }

    /// Documents may be sent back unchanged by those who are shown them. For others, no response reveals whether there
    /// are any.
    pub(super) fn refuse_hidden_documents(&self, change: &ContentChange) -> Result<()> {
        match change.patch() {
            Some(patch) if !self.sections.documents && !patch.documents.is_absent() => {
                Err(FieldError::new("documents", "cannot be sent without the scope documents:read").into())
            }
            _ => Ok(()),
        }
    }

    /// Changes the visibility. Remembers when it first became `followers` or `public`.
    pub(super) fn show(&mut self, visibility: Visibility, now: DateTime<Utc>) {
        if matches!(visibility, Visibility::Followers | Visibility::Public) {
            self.published_at.get_or_insert(now);
        }
        self.visibility = visibility;
    }
}
