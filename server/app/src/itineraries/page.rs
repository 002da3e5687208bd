//! The page of an itinerary, and the picture for links to it.
//!
//! Signed in, a traveller sees on the page what an app with the scope `itineraries:read` reads. Without signing in,
//! everyone who has the address sees a public or unlisted itinerary, unless moderation has hidden it.

use std::net::IpAddr;

use itinerary_api::types::{ExportFormat, Itinerary, Visibility};
use itinerary_api::values::EntityTags;
use itinerary_core::access::{Act, Sections, Standing};
use itinerary_core::{ids, schedule};
use itinerary_export::html::{Actions, Marking, PageArticle};
use itinerary_export::{Today, Trip, html};
use itinerary_model::Plan;
use itinerary_platform::context::Service;
use itinerary_platform::fair_pool::Requester;
use itinerary_store::{Account, ContentSelection, MarksRow, VisibleSections};
use uuid::Uuid;

use super::covers::{LinkPicture, OpenImage};
use super::exports::File;
use super::streets::{MapPage, streets};
use super::{Loaded, admit, loaded_by};
use crate::{Error, Result};

/// The id in the address of a page. A UUID in another spelling than ours is no id.
pub fn id(text: &str) -> Option<Uuid> {
    let id = Uuid::try_parse(text).ok()?;
    text.eq_ignore_ascii_case(&id.to_string()).then_some(id)
}

/// What a page shows.
pub struct Shared {
    pub visibility: Visibility,
    pub etag: String,
    /// `None` if the reader has this page already.
    pub itinerary: Option<Itinerary>,
    marks: MarksRow,
    /// What the owner and members see of the current day while the trip runs.
    today: Option<Today>,
    /// Whether the reader may see the former versions.
    sees_history: bool,
    version: i64,
    address: String,
    requester: Requester,
}

/// How a page lets its reader like and save the trip.
pub enum PageMarking {
    /// At this address a visitor can sign in.
    SignIn(String),
    /// The code of the forms of a signed-in reader.
    Forms { guard: String },
}

impl Shared {
    /// The page's article, with the cover at this path, and with streets if the reader has asked for them. Also returns the
    /// itinerary.
    pub async fn article(
        &self,
        service: &Service,
        itinerary: Itinerary,
        cover: Option<String>,
        marking: PageMarking,
        asks_for_streets: bool,
    ) -> Result<(Itinerary, PageArticle)> {
        let (version, address, is_open) = (self.version, self.address.clone(), is_open(self.visibility));
        let (marks, today) = (self.marks, self.today.clone());
        let sees_history = self.sees_history;
        let (maps, page) = (service.config.maps.clone(), MapPage::Trip(self.visibility));
        let write = move || {
            let path = format!("/trips/{}", itinerary.id);
            let history = sees_history.then(|| format!("{path}/history"));
            let copy = marks.copy.map(|copy| format!("/trips/{copy}"));
            let marking = match &marking {
                PageMarking::SignIn(address) => Marking::SignIn(address),
                PageMarking::Forms { guard } => Marking::Forms { guard, is_liked: marks.liked, copy: copy.as_deref() },
            };
            let (likes, saves) = (marks.likes, marks.saves);
            let streets = streets(&maps, page, asks_for_streets);
            let address_to_copy = is_open.then_some(&*address);
            let history = history.as_deref();
            let actions = Actions { path: &path, address: address_to_copy, history, likes, saves, marking, streets };
            let late = schedule::late_stops_of(&itinerary);
            let trip = Trip::new(&itinerary, version, address.clone()).with_late_stops(late);
            let article = html::article(&trip, cover.as_deref(), actions, today.as_ref());
            (itinerary, article)
        };
        Ok(service.long_work.run(self.requester, write).await?)
    }

    /// The address of the page, if everyone who has it may see the page.
    pub fn open_address(&self) -> Option<&str> {
        is_open(self.visibility).then_some(&*self.address)
    }
}

/// Reads an itinerary for its page. A visit of a signed-in reader counts as a read, like reading it with an app. `edition`
/// names everything besides the itinerary that the page depends on.
pub async fn view(
    service: &Service,
    reader: Option<&Account>,
    id: Uuid,
    known: Option<&EntityTags>,
    edition: &str,
    address: IpAddr,
) -> Result<Shared> {
    let requester = reader.map_or(Requester::Address(address), |reader| Requester::Account(reader.id));

    if reader.is_none() && !service.store.itinerary_is_open(id).await? {
        return Err(Error::NotFound);
    }
    let version = known.and_then(EntityTags::version);
    let (loaded, mut itinerary) = read(service, reader, id, version, requester).await?;
    if itinerary.is_none() && loaded.standing.is_member() {
        // What is next depends on the content and on the time, not on the version.
        itinerary = read(service, reader, id, None, requester).await?.1;
    }
    let address = format!("{}/trips/{id}", service.config.base_url);
    let mut today = None;
    if let Some(read) = itinerary.take() {
        let (now, version, address) = (service.clock.now(), loaded.version, address.clone());
        let is_member = loaded.standing.is_member();
        let work = move || {
            let today = if is_member { Today::of(&Trip::new(&read, version, address), now) } else { None };
            (read, today)
        };
        let (read, found) = service.long_work.run(requester, work).await?;
        (itinerary, today) = (Some(read), found);
    }
    let marks = service.store.marks(id, reader.map_or(Uuid::nil(), |reader| reader.id)).await?;
    // The author's names, the marks and the day are on the page, but do not change the version.
    let shown = format!("{edition}\n{}\n{marks:?}\n{today:?}", loaded.author.display_name);
    let etag = format!("{}.page-{}\"", loaded.etag().trim_end_matches('"'), ids::short_hash(&shown));
    let is_known = known.is_some_and(|tags| tags.includes(&etag));
    if is_known {
        itinerary = None;
    } else if itinerary.is_none() {
        // The reader has this version on a page that differs otherwise.
        itinerary = read(service, reader, id, None, requester).await?.1;
    }
    if let Some(reader) = reader.filter(|_| loaded.standing != Standing::Owner) {
        service.reads.note(id, reader.id, service.clock.now());
    }
    Ok(Shared {
        visibility: loaded.visibility,
        etag,
        itinerary,
        marks,
        today,
        sees_history: reader.is_some_and(|reader| loaded.allow(reader, Act::History).is_ok()),
        version: loaded.version,
        address,
        requester,
    })
}

/// Exports what the page shows its reader.
pub async fn export(
    service: &Service,
    reader: Option<&Account>,
    id: Uuid,
    format: ExportFormat,
    address: IpAddr,
) -> Result<File> {
    let requester = reader.map_or(Requester::Address(address), |reader| Requester::Account(reader.id));
    if reader.is_none() && !service.store.itinerary_is_open(id).await? {
        return Err(Error::NotFound);
    }
    let (loaded, itinerary) = read(service, reader, id, None, requester).await?;
    let itinerary = itinerary.ok_or(Error::NotFound)?;
    let base_url = service.config.base_url.clone();
    let write = move || {
        let late = schedule::late_stops_of(&itinerary);
        File::of(&loaded.trip(&base_url, &itinerary).with_late_stops(late), format)
    };
    Ok(service.long_work.run(requester, write).await?)
}

/// The reader's saved copy of an itinerary, if there is one.
pub async fn copy(service: &Service, reader: &Account, id: Uuid) -> Result<Option<Uuid>> {
    admit(service, reader, id, Act::Mark).await?;
    Ok(service.store.marks(id, reader.id).await?.copy)
}

pub(super) fn is_open(visibility: Visibility) -> bool {
    matches!(visibility, Visibility::Public | Visibility::Unlisted)
}

/// The picture of a public or unlisted itinerary for links to its page.
pub struct PagePicture {
    pub etag: String,
    /// `None` if the reader has this picture already.
    pub image: Option<OpenImage>,
}

/// Reads the picture of a public or unlisted itinerary, with its title as it is now.
pub async fn picture(service: &Service, id: Uuid, known: Option<&EntityTags>, address: IpAddr) -> Result<PagePicture> {
    if !service.store.itinerary_is_open(id).await? {
        return Err(Error::NotFound);
    }
    let (loaded, itinerary) = read(service, None, id, None, Requester::Address(address)).await?;
    let itinerary = itinerary.ok_or(Error::NotFound)?;
    let picture = LinkPicture::of(service, &itinerary, loaded.version);
    let etag = picture.etag();
    if known.is_some_and(|tags| tags.includes(&etag)) {
        return Ok(PagePicture { etag, image: None });
    }
    Ok(PagePicture { etag, image: Some(picture.open(service, &itinerary, address).await?) })
}

/// Reads what somebody is shown; without the content if the version is the one that they know.
async fn read(
    service: &Service,
    reader: Option<&Account>,
    id: Uuid,
    known: Option<i64>,
    requester: Requester,
) -> Result<(Loaded, Option<Itinerary>)> {
    // Nobody has the nil UUID, so it has no role anywhere and follows nobody.
    let account = reader.map_or(Uuid::nil(), |reader| reader.id);
    let pro = reader.is_some_and(|reader| reader.plan == Plan::Pro);
    let visible =
        if reader.is_some() { VisibleSections::All { pro, documents: false } } else { VisibleSections::Everyone };
    let row = service.store.itinerary(id, account, ContentSelection::Sections { visible, known }).await?;
    let (loaded, fragments) = loaded_by(service, account, |standing| Sections::of(standing, pro, false), row)?;
    if reader.is_none() && !is_open(loaded.visibility) {
        return Err(Error::NotFound);
    }
    if known == Some(loaded.version) {
        return Ok((loaded, None));
    }
    let parse = move || loaded.parsed(fragments).map(|itinerary| (loaded, Some(itinerary)));
    service.long_work.run(requester, parse).await?
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_ordinary_spelling_of_a_uuid_is_an_id() {
        let text = "0190b5a0-0000-7000-8000-00000000c0de";
        assert_eq!(id(text).map(|id| id.to_string()).as_deref(), Some(text));
        assert_eq!(id(&text.to_uppercase()), id(text));
        for other in ["", "x", "{0190b5a0-0000-7000-8000-00000000c0de}", "0190b5a00000700080000000000000de"] {
            assert_eq!(id(other), None, "{other}");
        }
    }
}
