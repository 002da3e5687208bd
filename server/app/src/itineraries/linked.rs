//! What a secret link shows: the itinerary for its page and for downloads, without an account.
//!
//! Nobody's sections are read but those of the link, and `core::link_view` names the fields that are shown of them.

use std::net::IpAddr;

use itinerary_api::types::{ExportFormat, Itinerary, LinkSections, Visibility};
use itinerary_core::access::{Act, Sections, Standing};
use itinerary_core::content::Fragments;
use itinerary_core::{ids, link_view, schedule};
use itinerary_export::html::{Actions, Marking, PageArticle};
use itinerary_export::{Trip, html};
use itinerary_platform::context::Service;
use itinerary_platform::fair_pool::Requester;
use itinerary_store::{Account, ContentRow, LinkedItinerary};
use uuid::Uuid;

use super::exports::File;
use super::page::is_open;
use super::streets::{MapPage, streets};
use super::{Loaded, admit, loaded_as};
use crate::links::sections_of;
use crate::{Error, Result};

/// What a link shows.
pub struct Linked {
    loaded: Loaded,
    itinerary: Itinerary,
    saves: i64,
    requester: Requester,
}

/// How the page of a link lets its reader like and save the trip.
#[derive(Clone, Debug)]
pub enum LinkMarking {
    /// After signing in, at this address. `for_all` is false if the trip must be shared with the reader first.
    SignIn { address: String, for_all: bool },
    /// On the trip's own page, which the signed-in reader may see.
    OnTripPage,
    /// The signed-in reader may not see the trip otherwise.
    Never,
}

/// Reads what the link with a secret shows. `NotFound` in the same way whether the secret is unknown or its link has ended.
pub async fn read(service: &Service, secret: &str, address: IpAddr) -> Result<Linked> {
    let linked = service.store.linked(&ids::hash(secret), service.clock.now()).await?;
    let LinkedItinerary { sections, saves, itinerary, content } = linked.ok_or(Error::NotFound)?;
    let sections = sections_of(sections);
    let visible = Sections { members: sections == LinkSections::Bookings, pro: false, documents: false, source: false };
    let ContentRow { everyone, members, pro, documents } = content;
    let fragments = Fragments { everyone, members, pro, documents };
    let (loaded, fragments) = loaded_as(service, Standing::Reader, visible, itinerary, fragments);
    let parse = move || {
        let itinerary = link_view::of(loaded.parsed(fragments)?, sections);
        Ok((loaded, itinerary))
    };
    let requester = Requester::Address(address);
    let read: Result<(Loaded, Itinerary)> = service.long_work.run(requester, parse).await?;
    let (loaded, itinerary) = read?;
    Ok(Linked { loaded, itinerary, saves, requester })
}

impl Linked {
    pub fn id(&self) -> Uuid {
        self.loaded.id
    }

    /// The itinerary as the link shows it.
    pub fn itinerary(&self) -> &Itinerary {
        &self.itinerary
    }

    /// Whether everyone who has the address of the trip's own page may see that page.
    pub fn is_open(&self) -> bool {
        is_open(self.visibility())
    }

    fn visibility(&self) -> Visibility {
        self.loaded.visibility
    }

    /// Whether a signed-in reader may see the trip without the link.
    pub async fn is_shown_to(&self, service: &Service, reader: &Account) -> Result<bool> {
        match admit(service, reader, self.loaded.id, Act::Mark).await {
            Ok(()) => Ok(true),
            Err(Error::NotFound) => Ok(false),
            Err(error) => Err(error),
        }
    }

    /// The article of the page at this path, with the cover at another. Also returns the itinerary.
    pub async fn article(
        self,
        service: &Service,
        path: String,
        cover: Option<String>,
        marking: LinkMarking,
    ) -> Result<(Itinerary, PageArticle)> {
        let Self { loaded, itinerary, saves, requester } = self;
        let (base_url, maps) = (service.config.base_url.clone(), service.config.maps.clone());
        let write = move || {
            let own_page = format!("/trips/{}", loaded.id);
            let marking = match &marking {
                LinkMarking::SignIn { address, for_all: true } => Marking::SignIn(address),
                LinkMarking::SignIn { address, for_all: false } => Marking::SignInIfShared(address),
                LinkMarking::OnTripPage => Marking::Elsewhere(&own_page),
                LinkMarking::Never => Marking::Never,
            };
            let actions = Actions {
                path: &path,
                address: None,
                history: None,
                likes: loaded.likes,
                saves,
                marking,
                streets: streets(&maps, MapPage::SecretLink, false),
            };
            let trip = trip(&loaded, &base_url, &itinerary);
            let article = html::article(&trip, cover.as_deref(), actions, None);
            (itinerary, article)
        };
        Ok(service.long_work.run(requester, write).await?)
    }

    /// What the page shows as a file. It does not contain the secret: its links lead to the trip's own page.
    pub async fn file(self, service: &Service, format: ExportFormat) -> Result<File> {
        let Self { loaded, itinerary, requester, .. } = self;
        let base_url = service.config.base_url.clone();
        let write = move || File::of(&trip(&loaded, &base_url, &itinerary), format);
        Ok(service.long_work.run(requester, write).await?)
    }
}

fn trip<'i>(loaded: &Loaded, base_url: &str, itinerary: &'i Itinerary) -> Trip<'i> {
    loaded.trip(base_url, itinerary).with_late_stops(schedule::late_stops_of(itinerary))
}
