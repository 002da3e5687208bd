//! The versions of an itinerary: listing them, reading one, restoring one; for apps and for the page of a trip.

use bytes::Bytes;
use itinerary_api::request_state::{Caller, Conditions};
use itinerary_api::types::{Author, ChangeKind, Itinerary, Page, PageQuery, Revision, RevisionChange};
use itinerary_api::values::{EntityTags, Timestamp};
use itinerary_core::access::{Act, Sections, Standing};
use itinerary_core::change_text::{self, ChangeText};
use itinerary_core::content::{Content, Fragments};
use itinerary_core::merge;
use itinerary_core::revision::{Version, undo};
use itinerary_model::Plan;
use itinerary_platform::context::Service;
use itinerary_platform::fair_pool::Requester;
use itinerary_store::{Account, ContentSelection, RevisionRow};
use uuid::Uuid;

use super::change::{Writer, write, write_as};
use super::content_change::ContentChange;
use super::{Loaded, Reader, covers, load};
use crate::page::Paging;
use crate::{Error, Rendered, Result};

/// The maximum number of changes that a revision lists.
const CHANGES: usize = 20;

/// One page of an itinerary's revisions, newest first.
pub async fn list(service: &Service, caller: &Caller, id: Uuid, query: PageQuery) -> Result<Page<Revision>> {
    let paging = Paging::new(service, format!("revision_list {} {id}", caller.account), query.limit);
    let before: Option<i64> = paging.after(query.cursor.as_deref())?;
    let history = History::load(service, caller, id).await?;
    let requester = Requester::Account(caller.account);
    let wanted = paging.wanted() as usize;
    let mut revisions = service.long_work.run(requester, move || history.revisions(before, wanted)).await??;
    let next_cursor = paging.cut(&mut revisions, |revision| revision.version);
    Ok(Page { data: revisions, next_cursor })
}

/// The itinerary as it was in a version, in the sections that the caller may see, without documents.
pub async fn view(service: &Service, caller: &Caller, id: Uuid, version: i64) -> Result<Rendered<Itinerary>> {
    let (mut loaded, stored) = load(service, caller, id, ContentSelection::Everything).await?;
    loaded.allow(caller, Act::History)?;
    let row = service.store.revisions(id, version, version).await?.pop().ok_or(Error::NotFound)?;
    let content = Content::parse(&stored)?;
    let former = loaded.rebuilt(service, caller.account, &content, version).await?.ok_or(Error::NotFound)?;
    (loaded.visibility, loaded.updated_at) = (former.visibility, row.updated_at);
    loaded.sections.documents = false;
    Ok(Rendered { etag: None, ..loaded.rendered(former.content.fragments(), None) })
}

/// Gives an itinerary the content of a former version.
pub async fn restore(
    service: &Service,
    caller: &Caller,
    id: Uuid,
    conditions: Conditions,
    version: i64,
) -> Result<Rendered<Itinerary>> {
    let change = ContentChange::Restore { version, former: None, pro: caller.pro };
    write(service, caller, id, conditions, change, &|written| Ok(written.itinerary())).await
}

/// Gives an itinerary the content of a former version for a traveller on a page that shows the `current` version. Charges
/// the processor time to the account, as for an app.
pub async fn restore_on_page(
    service: &Service,
    account: &Account,
    id: Uuid,
    current: EntityTags,
    version: i64,
) -> Result<()> {
    let writer = Writer { reader: account.into(), client: None };
    let change = ContentChange::Restore { version, former: None, pro: writer.reader.pro };
    let conditions = ((Some(current), false), None);
    let requester = Requester::Account(account.id);
    service.cpu_time.admit(requester)?;
    let write = write_as(service, &writer, id, conditions, change, &|written| Ok(written.itinerary()));
    service.cpu_time.payer(requester).pays_for(write).await.map(|_| ())
}

/// The history of an itinerary for its page.
pub struct PageHistory {
    pub title: String,
    /// The tag of the current version, for restoring another.
    pub etag: String,
    /// Newest first.
    pub versions: Vec<PageVersion>,
}

/// A version, with what changed in words.
pub struct PageVersion {
    pub revision: Revision,
    pub sentences: Vec<ChangeText>,
    /// Whether more changed than the sentences say.
    pub has_more: bool,
}

/// Every version that a traveller may see, for a page.
pub async fn history(service: &Service, account: &Account, id: Uuid) -> Result<PageHistory> {
    let history = History::load(service, account, id).await?;
    service.long_work.run(Requester::Account(account.id), move || history.for_page()).await?
}

impl Loaded {
    /// The first version that an account may see.
    pub(super) async fn visible_from(&self, service: &Service, account: Uuid) -> Result<i64> {
        match self.standing {
            Standing::Owner => Ok(1),
            // No longer a member: only the current version.
            _ => Ok(service.store.member_since_version(self.id, account).await?.unwrap_or(self.version)),
        }
    }

    /// A version that is kept and that the account may see, rebuilt from the current content.
    pub(super) async fn rebuilt(
        &self,
        service: &Service,
        account: Uuid,
        content: &Content,
        version: i64,
    ) -> Result<Option<Version>> {
        if version > self.version || version < self.visible_from(service, account).await? {
            return Ok(None);
        }
        let Some(steps) = service.store.replaced_since(self.id, version, self.version).await? else { return Ok(None) };
        let mut rebuilt = Version { visibility: self.visibility, content: content.clone() };
        for step in steps {
            undo(&mut rebuilt, &step)?;
        }
        Ok(Some(rebuilt))
    }
}

/// The revisions that a reader may see, with the current content.
struct History {
    loaded: Loaded,
    stored: Fragments<Bytes>,
    /// Newest first.
    rows: Vec<RevisionRow>,
    visible_from: i64,
}

impl History {
    async fn load(service: &Service, reader: impl Into<Reader>, id: Uuid) -> Result<Self> {
        let reader = reader.into();
        let (loaded, stored) = load(service, reader, id, ContentSelection::Everything).await?;
        loaded.allow(reader, Act::History)?;
        let visible_from = loaded.visible_from(service, reader.account).await?;
        let rows = service.store.revisions(id, visible_from, loaded.version).await?;
        Ok(Self { loaded, stored, rows, visible_from })
    }

    /// At most `wanted` revisions before a version, with their changes.
    fn revisions(self, before: Option<i64>, wanted: usize) -> Result<Vec<Revision>> {
        let is_before = |row: &RevisionRow| before.is_none_or(|before| row.version < before);
        self.walk(is_before, wanted, |loaded, row, versions| {
            let mut changes =
                versions.map_or(Ok(Vec::new()), |(former, after)| changes(former, after, loaded.sections))?;
            changes.truncate(CHANGES);
            Ok(revision(loaded, row, changes))
        })
    }

    fn for_page(self) -> Result<PageHistory> {
        let (title, etag) = (self.title()?, self.loaded.etag());
        let versions = self.walk(
            |_| true,
            usize::MAX,
            |loaded, row, versions| {
                let mut changes =
                    versions.map_or(Ok(Vec::new()), |(former, after)| changes(former, after, loaded.sections))?;
                let has_more = changes.len() > CHANGES;
                changes.truncate(CHANGES);
                let sentences =
                    versions.map(|(former, after)| change_text::sentences(&changes, former, after)).unwrap_or_default();
                Ok(PageVersion { revision: revision(loaded, row, changes), sentences, has_more })
            },
        )?;
        Ok(PageHistory { title, etag, versions })
    }

    fn title(&self) -> Result<String> {
        Ok(Content::parse(&self.stored)?.everyone.title.to_string())
    }

    /// Makes something of at most `wanted` of the wanted rows: with the version before and the version itself, if what
    /// changed between them is known and may be told.
    fn walk<T>(
        self,
        is_wanted: impl Fn(&RevisionRow) -> bool,
        wanted: usize,
        make: impl Fn(&Loaded, RevisionRow, Option<(&Version, &Version)>) -> Result<T>,
    ) -> Result<Vec<T>> {
        let Self { loaded, stored, rows, visible_from } = self;
        let mut after = Version { visibility: loaded.visibility, content: Content::parse(&stored)? };
        let mut entries = Vec::new();
        for row in rows {
            let mut former = after.clone();
            if let Some(replaced) = &row.replaced {
                undo(&mut former, replaced)?;
            }
            if is_wanted(&row) {
                // An editor does not learn what the version before they joined had.
                let is_shown =
                    row.replaced.is_some() && (row.version > visible_from || loaded.standing == Standing::Owner);
                entries.push(make(&loaded, row, is_shown.then_some((&former, &after)))?);
            }
            if entries.len() == wanted {
                break;
            }
            after = former;
        }
        Ok(entries)
    }
}

/// What changed from one version to the next, in the sections that are shown. One more than [`CHANGES`] if there are more.
fn changes(before: &Version, after: &Version, shown: Sections) -> Result<Vec<RevisionChange>> {
    let visibility = (before.visibility != after.visibility)
        .then(|| RevisionChange { path: "visibility".to_owned(), kind: ChangeKind::Changed });
    // A drawn cover follows the route.
    let is_drawn = [before, after].iter().all(|version| covers::has_drawn_cover(&version.content.everyone));
    let content = merge::changes(&before.content, &after.content, shown, CHANGES + 2)?.into_iter();
    let content = content.filter(|change| !is_drawn || change.path != "coverImage");
    Ok(visibility.into_iter().chain(content).take(CHANGES + 1).collect())
}

fn revision(loaded: &Loaded, row: RevisionRow, changes: Vec<RevisionChange>) -> Revision {
    let RevisionRow {
        version,
        updated_at,
        account_id,
        username,
        display_name,
        image_url,
        plan,
        app,
        restored_from,
        ..
    } = row;
    let by = account_id.zip(username).zip(display_name).map(|((account_id, username), display_name)| Author {
        account_id,
        username,
        display_name,
        image_url,
        is_pro: plan == Some(Plan::Pro),
    });
    Revision {
        version,
        etag: loaded.etag_of(version),
        updated_at: Timestamp(updated_at),
        by,
        app,
        changes,
        restored_from,
    }
}
