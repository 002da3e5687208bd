//! Changing and deleting an itinerary.

mod checks;
mod merge;

use std::sync::Arc;

use bytes::Bytes;
use itinerary_api::request_state::{Caller, Conditions};
use itinerary_api::types::{Attention, Itinerary, ItineraryShift, Optimisation, OptimiseRequest, Visibility};
use itinerary_api::values::{EntityTags, ItemId};
use itinerary_core::access::{Act, Standing};
use itinerary_core::content::{Content, Fragments};
use itinerary_core::edit::Edit;
use itinerary_core::revision;
use itinerary_core::revision::Version;
use itinerary_platform::context::Service;
use itinerary_store::{ContentSelection, CoverChange, Idempotent, ItineraryChange, NewRevision, WriteOutcome};
use tokio::time::Instant;
use uuid::Uuid;

use super::content_change::{ChangeEffect, ContentChange};
use super::covers::Cover;
use super::documents::DocumentEdit;
use super::merging::{Base, merge_edit};
use super::shift::Shift;
use super::{Finished, Loaded, Reader, covers, explore_entry, finish, keep, load};
use crate::places::Placing;
use crate::{Error, Outcome, Rendered, Result, backoff, replay, store_claim};

/// How often a write with `If-Match: *` is attempted if concurrent writes win.
const ATTEMPTS: u32 = 16;
/// The same for an upload, which names no version. Rejecting it would waste the megabytes that were sent.
const UPLOAD_ATTEMPTS: u32 = 200;

/// Changes an itinerary: as a whole, or one item of one of its lists.
pub async fn change(
    service: &Service,
    caller: &Caller,
    id: Uuid,
    conditions: Conditions,
    edit: Edit,
) -> Result<Rendered<Itinerary>> {
    let change = ContentChange::Edit(Box::new(edit));
    write(service, caller, id, conditions, change, &|written| Ok(written.itinerary())).await
}

/// Fills in missing fields of places, and missing legs.
pub async fn refresh_places(
    service: &Service,
    caller: &Caller,
    id: Uuid,
    conditions: Conditions,
) -> Result<Rendered<Itinerary>> {
    write(service, caller, id, conditions, ContentChange::RefreshPlaces, &|written| Ok(written.itinerary())).await
}

/// Moves an itinerary to other dates.
pub async fn shift(
    service: &Service,
    caller: &Caller,
    id: Uuid,
    conditions: Conditions,
    request: ItineraryShift,
) -> Result<Rendered<Itinerary>> {
    let change = ContentChange::Shift(Shift::new(&request)?);
    write(service, caller, id, conditions, change, &|written| Ok(written.itinerary())).await
}

/// Sets the cover image.
pub async fn set_cover(
    service: &Service,
    caller: &Caller,
    id: Uuid,
    conditions: Conditions,
    cover: Cover,
) -> Result<Rendered<Itinerary>> {
    let change = ContentChange::Cover { cover, account: caller.account, made: None };
    write(service, caller, id, conditions, change, &|written| Ok(written.itinerary())).await
}

/// Puts a day's stops in the best order.
pub async fn optimise(
    service: &Service,
    caller: &Caller,
    id: Uuid,
    conditions: Conditions,
    day: ItemId,
    request: OptimiseRequest,
) -> Result<Rendered<Optimisation>> {
    let change = ContentChange::Optimise { day, request };
    write(service, caller, id, conditions, change, &|written| Ok(written.optimisation())).await
}

/// Renders the response to a write before it is stored, because an idempotency key is stored with the response.
pub(super) type Render<'r, T> = dyn Fn(&Written<'_>) -> Result<Rendered<T>> + Sync + 'r;

/// Who writes: an app's caller, or a traveller on a page.
pub(super) struct Writer {
    pub(super) reader: Reader,
    /// The app. `None` on a page.
    pub(super) client: Option<String>,
}

impl From<&Caller> for Writer {
    fn from(caller: &Caller) -> Self {
        Self { reader: caller.into(), client: Some(caller.client.clone()) }
    }
}

/// Does the work of an app's write and stores the outcome.
pub(super) async fn write<T>(
    service: &Service,
    caller: &Caller,
    id: Uuid,
    conditions: Conditions,
    change: ContentChange,
    render: &Render<'_, T>,
) -> Result<Rendered<T>> {
    let claim = conditions.key.map(|key| store_claim(caller, key));
    let version = (conditions.if_match, conditions.prefers_merge);
    write_as(service, &caller.into(), id, (version, claim), change, render).await
}

/// The version that a write names, and whether it prefers a merge; the idempotency key.
type WriteConditions = ((Option<EntityTags>, bool), Option<itinerary_store::Claim>);

/// Does the work of a write and stores the outcome.
pub(super) async fn write_as<T>(
    service: &Service,
    writer: &Writer,
    id: Uuid,
    conditions: WriteConditions,
    mut change: ContentChange,
    render: &Render<'_, T>,
) -> Result<Rendered<T>> {
    let outcome = write_with(service, writer, id, conditions, &mut change, render).await;
    if let Err(error) = &outcome {
        discard(service, &change, error).await;
    }
    outcome
}

async fn write_with<T>(
    service: &Service,
    writer: &Writer,
    id: Uuid,
    ((if_match, prefers_merge), claim): WriteConditions,
    change: &mut ContentChange,
    render: &Render<'_, T>,
) -> Result<Rendered<T>> {
    let placing = Placing::new(service, writer.reader.account, Instant::now() + change.time());
    let merges = prefers_merge && if_match.as_ref().is_some_and(|tags| tags.only_version().is_some());
    let mut attempts = Attempts { service, writer, id, if_match, merges, base: None, claim, placing };
    if merges {
        return attempts.merge(change, render).await;
    }
    if attempts.if_match == Some(EntityTags::Any) {
        let is_upload = matches!(change, ContentChange::Document(DocumentEdit::Add { .. }));
        let most = if is_upload { UPLOAD_ATTEMPTS } else { ATTEMPTS };
        for number in 1..most {
            match attempts.attempt(change, render).await {
                Err(Error::Modified { .. }) => backoff(service, number).await,
                outcome => return outcome,
            }
        }
    }
    attempts.attempt(change, render).await
}

/// Deletes a new picture that was not stored with its itinerary. After a failure of the database that is not known.
async fn discard(service: &Service, change: &ContentChange, error: &Error) {
    if let ContentChange::Cover { made: Some(made), .. } = change
        && !matches!(error, Error::Unavailable(_))
    {
        covers::discard(service, made).await;
    }
}

/// A write and its attempts, which share the places that were looked up.
struct Attempts<'s> {
    service: &'s Service,
    writer: &'s Writer,
    id: Uuid,
    if_match: Option<EntityTags>,
    /// Whether a change of an older version is merged into the current one.
    merges: bool,
    /// The older version, once it has been rebuilt.
    base: Option<Arc<Version>>,
    claim: Option<itinerary_store::Claim>,
    placing: Placing<'s>,
}

impl Attempts<'_> {
    /// One attempt, from the current version.
    async fn attempt<T>(&mut self, change: &mut ContentChange, render: &Render<'_, T>) -> Result<Rendered<T>> {
        let (service, caller) = (self.service, self.writer.reader);
        let (mut loaded, mut stored) = load(service, caller, self.id, ContentSelection::Everything).await?;
        if loaded.has_cover_of_before && covers::adoption::adopt(service, self.id).await? > 0 {
            (loaded, stored) = load(service, caller, self.id, ContentSelection::Everything).await?;
        }
        let claim = self.claim.clone().map(|claim| loaded.claim(claim));
        let claim = claim.as_ref();
        loaded.allow(caller, change.act())?;
        if let Some(patch) = change.patch_mut() {
            loaded.keep_hidden(patch);
        }
        let mut content = service.contents.get_or_parse(self.id, &stored, service.clock.now())?;
        let tags = self.if_match.as_ref().filter(|_| self.merges);
        let base = Base::find(service, caller.account, (&loaded, &content), tags, &mut self.base).await?;
        let basis = base.older().map_or((loaded.visibility, &content), |base| (base.visibility, &base.content));
        let shown = match change.patch() {
            Some(patch) => loaded.allow_patch(caller, patch, basis)?,
            None => None,
        };
        if let Some(earlier) = replay(service, claim).await? {
            return Ok(earlier);
        }
        loaded.rebuild_former(service, caller.account, change, &content).await?;
        if !change.finds(basis.1) {
            return Err(Error::NotFound);
        }
        match &base {
            Base::Current => loaded.check_if_match(self.if_match.as_ref())?,
            Base::Older(base) => shown.map_or(Ok(()), |shown| loaded.check_visibility(base, shown))?,
            Base::Gone => return Err(Error::NotMerged { etag: loaded.etag(), conflicts: None }),
        }
        loaded.refuse_hidden_documents(change)?;
        loaded.resolve_cover(service, change, basis.1).await?;
        let before_change = content.clone();
        let ChangeEffect { scope, mut attention, minutes } = match (&base, change.edit()) {
            (Base::Older(base), Some(edit)) => {
                merge_edit(service, edit, (base, &loaded), &mut content, &mut self.placing).await?
            }
            _ => change.apply(service, &mut content, &mut self.placing).await?,
        };
        let (now, before) = (service.library_now().await?.max(loaded.updated_at), loaded.visibility);
        if let Some(visibility) = shown {
            loaded.show(visibility, now);
        }
        let hides = shown.is_some_and(|shown| before != Visibility::Private && shown != Visibility::Public);
        let cover = if change.is_stored() {
            loaded.change_cover(service, &before_change.everyone, &mut content, change.made(), hides)
        } else {
            CoverChange::None
        };
        let Finished { content, fragments, attention: of_content } = finish(service, content, self.id, &scope)?;
        attention.extend(of_content);
        let (expected_version, current_etag) = (loaded.version, loaded.etag());
        let changes = shown.is_some() || !fragments.is_same_as(&stored);
        if changes {
            (loaded.version, loaded.updated_at) = (expected_version + 1, now);
        }
        let written =
            Written { loaded: &loaded, content: &content, fragments: &fragments, attention: &attention, minutes };
        let mut rendered = render(&written)?;
        rendered.merged = base.older().is_some();
        if !change.is_stored() {
            // The next write names the version that is stored.
            let etag = matches!(change, ContentChange::Shift(_)).then_some(current_etag);
            return Ok(Rendered { etag, ..rendered });
        }
        if !changes {
            return keep(service, claim, self.id, rendered).await;
        }
        let explore_entry = explore_entry::change(service, before, &loaded, &content);
        let kept = fragments.clone();
        let columns = loaded.columns(&content, fragments);
        let (id, owner_id) = (loaded.id, loaded.author.account_id);
        let was_visible = (before != loaded.visibility).then_some(before);
        let replaced = revision::replaced(&before_change, &content, was_visible)?;
        let revision = revision(self.writer, change, replaced);
        let documents = change.documents();
        let editor = (loaded.standing != Standing::Owner).then_some(caller.account);
        let update = ItineraryChange {
            id,
            expected_version,
            owner_id,
            editor,
            columns,
            explore_entry,
            documents,
            cover,
            revision,
        };
        let stored = claim.map(|_| rendered.stored());
        let outcome = service.store.itinerary_update(update, claim.zip(stored.as_ref()), service.clock.now()).await?;
        if let Idempotent::Executed(WriteOutcome::Written) = &outcome {
            service.contents.insert(id, kept, content, service.clock.now());
        }
        match outcome {
            Idempotent::Executed(WriteOutcome::NotAllowed) => Err(loaded.no_longer_allowed(service, caller).await),
            Idempotent::Executed(outcome) => loaded.check_outcome(outcome).map(|()| rendered),
            Idempotent::Replayed(earlier) => Rendered::again(earlier),
        }
    }
}

fn revision(writer: &Writer, change: &ContentChange, replaced: Vec<u8>) -> NewRevision {
    NewRevision {
        account_id: writer.reader.account,
        client_id: writer.client.clone(),
        restored_from: change.restored_from(),
        replaced: Some(replaced),
    }
}

/// What a write has made of an itinerary.
pub(super) struct Written<'w> {
    loaded: &'w Loaded,
    pub(super) content: &'w Content,
    fragments: &'w Fragments,
    attention: &'w [Attention],
    /// Minutes of travel before and after, if a day was optimised.
    minutes: Option<(u32, u32)>,
}

impl Written<'_> {
    /// A response with the new ETag.
    pub(super) fn tagged<T>(&self, outcome: Outcome, json: Vec<u8>) -> Rendered<T> {
        Rendered::tagged(outcome, self.loaded.etag(), vec![json.into()])
    }

    /// The itinerary.
    pub(super) fn itinerary(&self) -> Rendered<Itinerary> {
        self.loaded.rendered(self.fragments.clone(), Some(self.attention))
    }

    /// The itinerary, with the minutes of travel before and after.
    fn optimisation(&self) -> Rendered<Optimisation> {
        let (before, after) = self.minutes.expect("optimising counts minutes");
        let Rendered { mut body, .. } = self.itinerary();
        body.insert(0, Bytes::from_static(b"{\"itinerary\":"));
        body.push(format!(",\"minutesBefore\":{before},\"minutesAfter\":{after}}}").into());
        Rendered::tagged(Outcome::Done, self.loaded.etag(), body)
    }
}

/// Permanently deletes an itinerary for everyone.
pub async fn delete(service: &Service, caller: &Caller, id: Uuid, if_match: Option<&EntityTags>) -> Result<()> {
    for number in 1.. {
        let (loaded, _) = load(service, caller, id, ContentSelection::Nothing).await?;
        loaded.allow(caller, Act::Delete)?;
        loaded.check_if_match(if_match)?;
        let outcome = service.store.itinerary_delete(id, loaded.version, service.clock.now()).await?;
        match loaded.check_outcome(outcome) {
            Err(Error::Modified { .. }) if if_match == Some(&EntityTags::Any) && number < ATTEMPTS => {
                backoff(service, number).await;
            }
            outcome => return outcome,
        }
    }
    unreachable!("the loop ends by returning")
}

impl Loaded {
    /// Turns the outcome of a failed write into its error.
    fn check_outcome(&self, outcome: WriteOutcome) -> Result<()> {
        match outcome {
            WriteOutcome::Written => Ok(()),
            WriteOutcome::Gone => Err(Error::NotFound),
            WriteOutcome::NotAllowed => Err(Error::Forbidden("You may no longer change this itinerary.")),
            WriteOutcome::OverQuota => Err(Error::Conflict(
                "The file exceeds the storage quota for documents of the itinerary's owner. The owner must delete \
                 documents first.",
            )),
            // The file's row expired or never existed. A repeated upload inserts a new one.
            WriteOutcome::FileGone => Err(Error::Busy),
            WriteOutcome::Stale(version) => Err(Error::Modified { etag: self.etag_of(version) }),
        }
    }
}
