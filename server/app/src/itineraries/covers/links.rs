//! The pictures that other programs show beside links to the pages of itineraries: the cover with title, place and dates.

use std::net::IpAddr;

use bytes::BytesMut;
use futures::TryStreamExt;
use itinerary_api::types::Itinerary;
use itinerary_core::ids;
use itinerary_export::html;
use itinerary_pictures::{Caption, Rejected};
use itinerary_platform::context::Service;
use itinerary_platform::fair_pool::Requester;
use tokio::time::Instant;
use uuid::Uuid;

use super::route::CoverRoute;
use super::{FOLDER, OpenImage, Size, decoding, open, view_by};
use crate::{Error, Result};

/// How the file of a picture for links ends.
const FOR_LINKS: &str = "-links.jpg";

/// The picture of an itinerary for links to it.
pub(crate) struct LinkPicture {
    /// The cover that it shows, if that is an image of this server.
    cover: Option<Uuid>,
    caption: Caption,
    /// Names what it shows: the same name is the same picture.
    name: String,
}

impl LinkPicture {
    /// The picture of a version of an itinerary, made from its cover if that is an image of this server, otherwise drawn.
    pub(crate) fn of(service: &Service, itinerary: &Itinerary, version: i64) -> Self {
        let cover = itinerary.cover_image.as_ref().and_then(|image| service.addresses.picture_at(&image.url));
        let caption = Caption {
            title: html::title(itinerary),
            place: itinerary.destination.name.to_string(),
            dates: html::dates(itinerary.start_date.day(), itinerary.days.len() as u64),
        };
        let shown = cover.map_or_else(|| format!("{}-v{version}", itinerary.id), |cover| cover.to_string());
        let hash = ids::short_hash(&format!("{} {caption:?}", env!("CARGO_PKG_VERSION")));
        Self { cover, caption, name: format!("{shown}-{hash}") }
    }

    /// Its ETag.
    pub(crate) fn etag(&self) -> String {
        format!("\"{}\"", self.name)
    }

    /// Opens it for a reader at this address. Makes it if this is the first time, or if it was not read for an hour.
    pub(crate) async fn open(self, service: &Service, itinerary: &Itinerary, address: IpAddr) -> Result<OpenImage> {
        // The name is not that of a picture in use, so the job deletes the file after an hour.
        let file = format!("{FOLDER}/{}{FOR_LINKS}", self.name);
        if let Some(image) = open(service, &file).await? {
            return Ok(image);
        }
        let (deadline, caption) = (decoding::longest_wait(), self.caption);
        if let Some(cover) = self.cover {
            match view_by(service, cover, Size::Large, address, deadline).await {
                Ok(image) => {
                    let large = image.pieces.try_collect::<BytesMut>().await?;
                    let make = move || itinerary_pictures::for_links(&large, &caption);
                    return kept_for_links(service, &file, (address, deadline), make).await;
                }
                // The address was made up, or its image is gone.
                Err(Error::NotFound) => {}
                Err(error) => return Err(error),
            }
        }
        let drawing = CoverRoute::from_itinerary(itinerary).into();
        let make = move || itinerary_pictures::for_links(&itinerary_pictures::draw(&drawing).large, &caption);
        kept_for_links(service, &file, (address, deadline), make).await
    }
}

/// Makes a picture for links, unless a concurrent request has made it.
async fn kept_for_links(
    service: &Service,
    file: &str,
    (address, deadline): (IpAddr, Instant),
    make: impl FnOnce() -> std::result::Result<Vec<u8>, Rejected> + Send + 'static,
) -> Result<OpenImage> {
    decoding::count_first_read(service, address).await?;
    let turn = service.pictures.turn(Requester::Address(address), deadline).await?;
    if let Some(image) = open(service, file).await? {
        return Ok(image);
    }
    // Kept until the picture is stored, so that it is made once.
    let (picture, _turn) = turn.run_part(make).await;
    let picture = picture.map_err(|rejected| Error::Corrupt(format!("the image of a cover: {rejected}")))?;
    service.ports.blobs.put(file, picture.into()).await?;
    open(service, file).await?.ok_or(Error::NotFound)
}
