//! Itineraries: reading them, and what their use cases share. Creating, changing, saving and the effect of a change on
//! Explore have files of their own.

pub mod activities;
mod change;
mod content_change;
pub mod covers;
mod create;
pub mod documents;
pub(crate) mod explore_entry;
pub mod exports;
mod finish;
pub mod imports;
mod legs;
pub mod linked;
mod merging;
mod optimise;
pub mod page;
mod refresh;
pub mod revisions;
mod save;
pub mod seed;
mod shift;
pub mod streets;
pub mod wallet;

use std::time::Duration;

use bytes::Bytes;
use chrono::{DateTime, Utc};
use itinerary_api::policy::Scope;
use itinerary_api::request_state::Caller;
use itinerary_api::types::{Attention, Author, ExportFormat, ItemList, Itinerary, Place, Role, SavedFrom, Visibility};
use itinerary_api::values::{EntityTags, Timestamp};
use itinerary_core::access::{self, Act, Relation, Sections, Standing};
use itinerary_core::content::{Content, Fragment, Fragments, PartItem};
use itinerary_core::render::{self, Head};
use itinerary_core::{fill, version};
use itinerary_model::Plan;
use itinerary_platform::context::Service;
use itinerary_store::{
    Account, ContentRow, ContentSelection, Idempotent, ItineraryColumns, ItineraryRow, KeepOutcome, SavedFromRow,
    VisibleSections,
};
use uuid::Uuid;

use super::{Error, Outcome, Rendered, Result};

use change::write;
pub use change::{change, delete, optimise, refresh_places, set_cover, shift};
use content_change::ContentChange;
pub use create::create;
pub use explore_entry::restore;
use finish::{Finished, finish};
pub use save::{save, save_copy};

/// How long a write may take to place names.
const PLACING_TIME: Duration = Duration::from_secs(2);

/// The person that a use case answers: through an app, or signed in on a page.
#[derive(Clone, Copy, Debug)]
pub struct Reader {
    pub account: Uuid,
    /// Whether the account has the Pro subscription.
    pub pro: bool,
    /// Whether the reader is shown documents. Pages never show them.
    pub documents: bool,
}

impl Reader {
    fn sections(self, standing: Standing) -> Sections {
        Sections::of(standing, self.pro, self.documents)
    }
}

impl From<&Caller> for Reader {
    fn from(caller: &Caller) -> Self {
        Self { account: caller.account, pro: caller.pro, documents: caller.scopes.contains(Scope::DocumentsRead) }
    }
}

/// The reader of a page.
impl From<&Account> for Reader {
    fn from(account: &Account) -> Self {
        Self { account: account.id, pro: account.plan == Plan::Pro, documents: false }
    }
}

/// An itinerary that the caller may see, without its content, and the caller's standing.
pub(super) struct Loaded {
    id: Uuid,
    version: i64,
    author: Author,
    visibility: Visibility,
    published_at: Option<DateTime<Utc>>,
    created_at: DateTime<Utc>,
    updated_at: DateTime<Utc>,
    standing: Standing,
    sections: Sections,
    saved_from: Option<SavedFrom>,
    /// The cover, if it is a picture of this server.
    cover: Option<covers::StoredCover>,
    /// Whether the cover may be a picture that has no row yet.
    has_cover_of_before: bool,
    likes: i64,
    views: i64,
}

/// Loads an itinerary and the wanted part of its stored content that the caller may see. `NotFound` if the caller may
/// not see the itinerary at all.
async fn load(
    service: &Service,
    reader: impl Into<Reader>,
    id: Uuid,
    selection: ContentSelection,
) -> Result<(Loaded, Fragments<Bytes>)> {
    let reader = reader.into();
    loaded(service, reader, service.store.itinerary(id, reader.account, selection).await?)
}

fn loaded(
    service: &Service,
    reader: impl Into<Reader>,
    read: Option<(ItineraryRow, ContentRow)>,
) -> Result<(Loaded, Fragments<Bytes>)> {
    let reader = reader.into();
    loaded_by(service, reader.account, |standing| reader.sections(standing), read)
}

/// An account's own itinerary for its archive: whole, including sections that its plan does not show.
pub(super) async fn own_whole(service: &Service, account: Uuid, id: Uuid) -> Result<Vec<Bytes>> {
    let read = service.store.itinerary(id, account, ContentSelection::Everything).await?;
    let (loaded, fragments) = loaded_by(service, account, |standing| Sections::of(standing, true, true), read)?;
    Ok(loaded.rendered(fragments, None).body)
}

pub(super) fn loaded_by(
    service: &Service,
    account: Uuid,
    sections: impl FnOnce(Standing) -> Sections,
    read: Option<(ItineraryRow, ContentRow)>,
) -> Result<(Loaded, Fragments<Bytes>)> {
    let (row, content) = read.ok_or(Error::NotFound)?;
    let visibility = row.visibility;
    let member = row.member_role.map(Role::from);
    let relation =
        Relation { account, owner: row.owner_id, member, follows: row.follows, invited: row.invited, visibility };
    let standing = Standing::of(&relation).ok_or(Error::NotFound)?;
    let ContentRow { everyone, members, pro, documents } = content;
    let fragments = Fragments { everyone, members, pro, documents };
    Ok(loaded_as(service, standing, sections(standing), row, fragments))
}

/// An itinerary for a reader whose standing is known, and its content.
fn loaded_as(
    service: &Service,
    standing: Standing,
    sections: Sections,
    row: ItineraryRow,
    fragments: Fragments<Bytes>,
) -> (Loaded, Fragments<Bytes>) {
    let loaded = Loaded {
        id: row.id,
        version: row.version,
        author: Author {
            account_id: row.owner_id,
            username: row.username,
            display_name: row.display_name,
            image_url: row.image_url,
            is_pro: row.plan == Plan::Pro,
        },
        visibility: row.visibility,
        published_at: row.published_at,
        created_at: row.created_at,
        updated_at: row.updated_at,
        standing,
        sections: sections.with_source(row.saved_from.is_shown),
        saved_from: saved_from(row.saved_from),
        cover: row.picture.map(|picture| covers::StoredCover::new(service, picture)),
        has_cover_of_before: row.has_cover_of_before,
        likes: row.likes,
        views: row.views,
    };
    // The stored address may be one that the server had before.
    let present = loaded.cover.as_ref().and_then(|cover| render::with_cover(&fragments.everyone, &cover.address));
    let everyone = present.map_or(fragments.everyone, Bytes::from);
    (loaded, Fragments { everyone, ..fragments })
}

fn saved_from(row: SavedFromRow) -> Option<SavedFrom> {
    let itinerary_id = row.itinerary_id?;
    Some(SavedFrom {
        itinerary_id: row.is_shown.then_some(itinerary_id),
        author: row.username,
        author_display_name: row.display_name,
        author_is_pro: row.plan.map(|plan| plan == Plan::Pro),
    })
}

/// Checks that the reader may do something with an itinerary that does not need its content.
pub async fn admit(service: &Service, reader: impl Into<Reader>, id: Uuid, act: Act) -> Result<()> {
    let reader = reader.into();
    load(service, reader, id, ContentSelection::Nothing).await?.0.allow(reader, act)
}

impl Loaded {
    /// A new itinerary as its owner sees it.
    fn new(id: Uuid, owner: &Account, now: DateTime<Utc>, reader: impl Into<Reader>) -> Self {
        Self { sections: reader.into().sections(Standing::Owner), ..Self::unread(id, owner, now) }
    }

    /// A new itinerary that is not shown yet.
    fn unread(id: Uuid, owner: &Account, now: DateTime<Utc>) -> Self {
        Self {
            id,
            version: 1,
            author: Author {
                account_id: owner.id,
                username: owner.username.clone(),
                display_name: owner.display_name.clone(),
                image_url: owner.image_url.clone(),
                is_pro: owner.plan == Plan::Pro,
            },
            visibility: Visibility::Private,
            published_at: None,
            created_at: now,
            updated_at: now,
            standing: Standing::Owner,
            sections: Sections::of(Standing::Owner, false, false),
            saved_from: None,
            cover: None,
            has_cover_of_before: false,
            likes: 0,
            views: 0,
        }
    }

    /// Rejects what the reader may not do.
    fn allow(&self, reader: impl Into<Reader>, act: Act) -> Result<()> {
        Ok(access::allow(self.standing, reader.into().pro, act)?)
    }

    fn etag(&self) -> String {
        self.etag_of(self.version)
    }

    /// The tag of a version for the same reader.
    fn etag_of(&self, version: i64) -> String {
        let etag = version::etag(version, self.sections, self.standing);
        version::marked(etag, self.cover.as_ref().map_or("", |cover| &cover.mark))
    }

    /// The itinerary with this content. `needs_attention` is present in responses to writes.
    fn rendered<T: AsRef<[u8]> + Into<Bytes>>(
        &self,
        fragments: Fragments<T>,
        needs_attention: Option<&[Attention]>,
    ) -> Rendered<Itinerary> {
        let head = Head {
            id: self.id,
            visibility: self.visibility,
            role: self.standing.role(),
            author: self.author.clone(),
            saved_from: self.saved_from.clone(),
            created_at: Timestamp(self.created_at),
            updated_at: Timestamp(self.updated_at),
            likes_count: self.likes,
            views_count: self.views,
        };
        Rendered::tagged(
            Outcome::Done,
            self.etag(),
            render::itinerary(&head, fragments, self.sections, needs_attention),
        )
    }

    /// The response to a reader who already has this version of this view.
    fn not_modified<T>(&self) -> Rendered<T> {
        Rendered::tagged(Outcome::NotModified, self.etag(), Vec::new())
    }

    /// The columns that a write stores.
    fn columns(&self, content: &Content, fragments: Fragments) -> ItineraryColumns {
        let destination = &content.everyone.destination;
        let json = |place: &Place| serde_json::to_string(place).expect("a place is plain data");
        let Fragments { everyone, members, pro, documents } = fragments;
        ItineraryColumns {
            visibility: self.visibility,
            published_at: self.published_at,
            start_date: content.everyone.start_date.to_string(),
            destination_key: fill::folded(&destination.name),
            place_id: destination.place_id.as_ref().map(ToString::to_string),
            latitude: destination.coordinate.latitude.get(),
            longitude: destination.coordinate.longitude.get(),
            origin: content.members.origin.as_ref().map(json),
            updated_at: self.updated_at,
            card: content.card(),
            everyone,
            members,
            pro,
            documents,
            cover_id: self.cover.as_ref().map(|cover| cover.picture),
        }
    }

    /// Checks that `if_match` names the current version.
    fn check_if_match(&self, if_match: Option<&EntityTags>) -> Result<()> {
        match if_match {
            None => Err(Error::PreconditionRequired),
            Some(tags) if tags.allow_write(self.version) => Ok(()),
            Some(_) => Err(Error::Modified { etag: self.etag() }),
        }
    }
}

/// The caller's own itinerary, read in the statement that looked up the caller.
pub struct Preloaded {
    /// The requested id.
    pub id: Uuid,
    /// The version in `If-None-Match`, whose content was not read.
    pub known: Option<i64>,
    /// The itinerary.
    pub itinerary: (ItineraryRow, ContentRow),
}

/// The version that the reader has, and what was already read for this request.
#[derive(Default)]
pub struct ReadConditions {
    /// The tags in `If-None-Match`.
    pub if_none_match: Option<EntityTags>,
    /// The itinerary, if it was read with the caller.
    pub preloaded: Option<Preloaded>,
    /// The format that it is exported to, whose tags differ from the itinerary's own.
    pub format: Option<ExportFormat>,
}

/// Reads an itinerary.
pub async fn view_one(
    service: &Service,
    caller: &Caller,
    id: Uuid,
    conditions: ReadConditions,
) -> Result<Rendered<Itinerary>> {
    let documents = caller.scopes.contains(Scope::DocumentsRead);
    let all = VisibleSections::All { pro: caller.pro, documents };
    let read = read(service, caller, id, Act::Read, all, conditions).await?;
    if read.0.standing != Standing::Owner {
        service.reads.note(id, caller.account, service.clock.now());
    }
    Ok(match read {
        (loaded, Some(fragments)) => loaded.rendered(fragments, None),
        (loaded, None) => loaded.not_modified(),
    })
}

/// Reads one list of an itinerary. Its ETag is the itinerary's and valid for the next write.
pub async fn list_part<T: PartItem>(
    service: &Service,
    caller: &Caller,
    id: Uuid,
    conditions: ReadConditions,
) -> Result<Rendered<ItemList<T>>> {
    let part = T::PART;
    let shown = match part.fragment() {
        Fragment::Everyone => VisibleSections::Everyone,
        Fragment::Members => VisibleSections::Members,
        Fragment::Pro => VisibleSections::Pro,
        Fragment::Documents => VisibleSections::Documents,
    };
    let (loaded, fragments) = read(service, caller, id, Act::List(part), shown, conditions).await?;
    let Some(fragments) = fragments else { return Ok(loaded.not_modified()) };
    let list = fragments.list(part)?;
    Ok(Rendered::tagged(Outcome::Done, loaded.etag(), vec![render::list(list).into()]))
}

/// Loads what a reader is shown of an itinerary; without the content if the reader has this version already.
async fn read(
    service: &Service,
    caller: &Caller,
    id: Uuid,
    act: Act,
    visible: VisibleSections,
    ReadConditions { if_none_match, preloaded, format }: ReadConditions,
) -> Result<(Loaded, Option<Fragments<Bytes>>)> {
    let known = if_none_match.as_ref().and_then(EntityTags::version);
    let (loaded, fragments) = match preloaded.filter(|preloaded| (preloaded.id, preloaded.known) == (id, known)) {
        Some(preloaded) => loaded(service, caller, Some(preloaded.itinerary))?,
        None => load(service, caller, id, ContentSelection::Sections { visible, known }).await?,
    };
    loaded.allow(caller, act)?;
    let etag = loaded.etag();
    let etag = format.map_or_else(|| etag.clone(), |format| version::export_etag(&etag, format.name()));
    if if_none_match.is_some_and(|tags| tags.includes(&etag)) {
        return Ok((loaded, None));
    }
    if known != Some(loaded.version) {
        return Ok((loaded, Some(fragments)));
    }
    // The reader has this version in another view, so its content was not read yet.
    let (loaded, fragments) = load(service, caller, id, ContentSelection::Sections { visible, known: None }).await?;
    loaded.allow(caller, act)?;
    Ok((loaded, Some(fragments)))
}

/// Stores a response under its idempotency key if the write stores nothing else.
async fn keep<T>(
    service: &Service,
    claim: Option<&itinerary_store::Claim>,
    id: Uuid,
    rendered: Rendered<T>,
) -> Result<Rendered<T>> {
    let Some(claim) = claim else { return Ok(rendered) };
    match service.store.idempotency_keep((claim, &rendered.stored()), id, service.clock.now()).await? {
        Idempotent::Executed(KeepOutcome::Kept) => Ok(rendered),
        Idempotent::Executed(KeepOutcome::Gone) => Err(Error::NotFound),
        Idempotent::Replayed(earlier) => Rendered::again(earlier),
    }
}
