//! Cover images: uploaded, found by a provider, or drawn.
//!
//! An image's address is `/images/{id}` of this server. A drawn image is created when it is first read, from an
//! itinerary that shows it; its id marks it as drawn. A job deletes images that no itinerary refers to.

use std::net::IpAddr;

use bytes::{Bytes, BytesMut};
use chrono::TimeDelta;
use futures::TryStreamExt;
use futures::stream::BoxStream;
use itinerary_api::read::{self, FieldError};
use itinerary_api::types::{Coordinate, CoverImageQuery, Image, Itinerary, Label};
use itinerary_api::values::WebUrl;
use itinerary_core::content::{Content, Everyone};
use itinerary_core::legs;
use itinerary_pictures::{Drawing, Rejected, Stored};
use tokio::time::{Instant, timeout_at};
use uuid::Uuid;

use crate::app::{Error, Result};
use crate::context::Service;
use crate::fair_pool::Requester;
use crate::pictures;
use crate::ports::blobs::BlobError;

/// The `source` of a drawn image.
const DRAWN: &str = "generated";
/// The `source` of an uploaded image.
const UPLOADED: &str = "upload";
/// The folder of images in the file store.
const FOLDER: &str = "images";
/// How the file of a small image ends.
const SMALL: &str = "-small.jpg";
/// How the file of a picture for links ends.
const FOR_LINKS: &str = "-links.jpg";
/// How long an unused image is kept, because a write that refers to it may be in progress.
const UNUSED_FOR: TimeDelta = TimeDelta::hours(1);

/// The source of a cover image.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Cover {
    /// An uploaded image.
    Uploaded(Bytes),
    /// The first image that a provider finds for a query.
    Found(String),
    /// The server's choice.
    Any,
}

impl Cover {
    /// Reads a body: empty, JSON with a query, or an image.
    pub fn read(body: Bytes, is_json: Option<bool>) -> Result<Self, FieldError> {
        let looks_like_json = || body.iter().find(|byte| !byte.is_ascii_whitespace()) == Some(&b'{');
        if body.is_empty() {
            Ok(Self::Any)
        } else if is_json.unwrap_or_else(looks_like_json) {
            let CoverImageQuery { query } = read::json(&body)?;
            Ok(Self::Found(query.to_string()))
        } else {
            Ok(Self::Uploaded(body))
        }
    }
}

/// The size in which an image is served.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Size {
    /// At most 2,048 pixels on each side.
    Large,
    /// At most 640 pixels on each side.
    Small,
}

impl Size {
    fn file(self, id: Uuid) -> String {
        match self {
            Self::Large => format!("{FOLDER}/{id}.jpg"),
            Self::Small => format!("{FOLDER}/{id}{SMALL}"),
        }
    }
}

impl From<BlobError> for Error {
    fn from(error: BlobError) -> Self {
        Self::Files(error)
    }
}

/// The id of this server's image at an address. Ignores the host, because the server may have had another one when the
/// address was stored, and an image in use must not be deleted as unused.
pub(crate) fn id(url: &str) -> Option<Uuid> {
    let (_, rest) = url.split_once("://")?;
    let (_, path) = rest.split_once('/')?;
    Uuid::try_parse(path.strip_prefix("images/")?).ok()
}

/// The cover image of a new itinerary: only its address. It is drawn later.
pub(super) fn drawn(service: &Service) -> Image {
    let id = uuid::Builder::from_custom_bytes(service.random.bytes::<16>()).into_uuid();
    image(service, id, DRAWN)
}

/// The names in the file store of an image in its sizes.
pub(crate) fn files(id: Uuid) -> [String; 2] {
    [Size::Large.file(id), Size::Small.file(id)]
}

/// Whether the image is a drawn one. Its `source` does not tell, because travellers may change it.
pub(crate) fn is_drawn(id: Uuid) -> bool {
    id.get_version() == Some(uuid::Version::Custom)
}

/// An id for an image that is stored at once.
fn new_id(service: &Service) -> Uuid {
    // Random instead of ordered by time, so that no address can be guessed from another.
    uuid::Builder::from_random_bytes(service.random.bytes::<16>()).into_uuid()
}

fn image(service: &Service, id: Uuid, source: &str) -> Image {
    let url = WebUrl::new(format!("{}/images/{id}", service.config.base_url)).expect("the base URL is a URL");
    Image { url, source: Some(Label::truncated(source)) }
}

/// Creates and stores a cover image, for the account that asks for it.
pub(super) async fn make(
    service: &Service,
    account: Uuid,
    cover: &Cover,
    content: &Content,
    deadline: Instant,
) -> Result<Image> {
    match cover {
        Cover::Uploaded(bytes) => store(service, account, bytes.clone(), UPLOADED, pictures::longest_wait()).await,
        Cover::Found(query) if service.ports.images.is_some() => {
            let found = found(service, account, query, deadline).await?;
            found.ok_or_else(|| Error::Image("No image matches the query.".to_owned()))
        }
        Cover::Found(_) => Ok(drawn(service)),
        Cover::Any => pick(service, account, content, deadline).await,
    }
}

/// A provider's image of the destination if one is found in time, otherwise a drawn one.
pub(super) async fn pick(service: &Service, account: Uuid, content: &Content, deadline: Instant) -> Result<Image> {
    let found = timeout_at(deadline, found(service, account, &content.everyone.destination.name, deadline)).await;
    match found.unwrap_or(Err(Error::ProviderFailed)) {
        Ok(Some(image)) => Ok(image),
        Ok(None)
        | Err(
            Error::ProviderFailed | Error::Image(_) | Error::Busy | Error::TooManyTransfers | Error::OverLimit { .. },
        ) => Ok(drawn(service)),
        Err(error) => Err(error),
    }
}

/// Asks the image provider, if one is configured.
async fn found(service: &Service, account: Uuid, query: &str, deadline: Instant) -> Result<Option<Image>> {
    let Some(provider) = &service.ports.images else { return Ok(None) };
    let picture = provider.find(query, deadline).await.map_err(|failure| {
        tracing::warn!(failure = failure.for_log(), provider = provider.name(), "no cover image was found");
        Error::ProviderFailed
    })?;
    let Some(picture) = picture else { return Ok(None) };
    match store(service, account, picture.bytes, &picture.source, deadline).await {
        // The provider sent the unusable image, not the caller.
        Err(Error::Image(_)) => Err(Error::ProviderFailed),
        outcome => outcome.map(Some),
    }
}

/// Re-encodes an image and stores it.
async fn store(service: &Service, account: Uuid, bytes: Bytes, source: &str, deadline: Instant) -> Result<Image> {
    let stored = pictures::reencode(service, account, bytes, deadline).await?;
    let id = new_id(service);
    keep(service, id, stored).await?;
    Ok(image(service, id, source))
}

async fn keep(service: &Service, id: Uuid, stored: Stored) -> Result<()> {
    // The large one last: if it exists, both do.
    service.ports.blobs.put(&Size::Small.file(id), stored.small.into()).await?;
    service.ports.blobs.put(&Size::Large.file(id), stored.large.into()).await?;
    Ok(())
}

/// An open image.
pub struct OpenImage {
    /// In bytes.
    pub size: u64,
    /// The bytes as a stream, so that a slow reader holds one piece in memory.
    pub pieces: BoxStream<'static, std::result::Result<Bytes, BlobError>>,
}

/// Opens an image that an itinerary shows, for a reader at this address. Draws it if this is the first time.
pub async fn view(service: &Service, id: Uuid, size: Size, address: IpAddr) -> Result<OpenImage> {
    view_by(service, id, size, address, pictures::longest_wait()).await
}

/// The same, and waits for a turn until the deadline.
async fn view_by(service: &Service, id: Uuid, size: Size, address: IpAddr, deadline: Instant) -> Result<OpenImage> {
    let everyone = service.store.cover_shown_by(id).await?.ok_or(Error::NotFound)?;
    let file = size.file(id);
    if let Some(image) = open(service, &file).await? {
        return Ok(image);
    }
    if !is_drawn(id) {
        return Err(Error::NotFound);
    }
    pictures::count_first_read(service, address).await?;
    draw(service, id, &file, &everyone, (address, deadline)).await?;
    open(service, &file).await?.ok_or(Error::NotFound)
}

/// Opens the picture of an itinerary for links to it, made from its cover if that is an image of this server, otherwise
/// drawn. `version` is the itinerary's, and `address` the reader's.
pub async fn for_links(service: &Service, itinerary: &Itinerary, version: i64, address: IpAddr) -> Result<OpenImage> {
    let deadline = pictures::longest_wait();
    let cover = itinerary.cover_image.as_ref().and_then(|image| id(&image.url));
    if let Some(cover) = cover {
        let file = format!("{FOLDER}/{cover}{FOR_LINKS}");
        if let Some(image) = open(service, &file).await? {
            return Ok(image);
        }
        match view_by(service, cover, Size::Large, address, deadline).await {
            Ok(image) => {
                let large = image.pieces.try_collect::<BytesMut>().await?;
                let make = move || itinerary_pictures::for_links(&large);
                return kept_for_links(service, &file, (address, deadline), make).await;
            }
            // The address was made up, or its image is gone.
            Err(Error::NotFound) => {}
            Err(error) => return Err(error),
        }
    }
    // Its name is not that of a cover in use, so the job deletes it after an hour. Later versions have their own.
    let file = format!("{FOLDER}/{}-v{version}{FOR_LINKS}", itinerary.id);
    if let Some(image) = open(service, &file).await? {
        return Ok(image);
    }
    let drawing = drawing_of(itinerary);
    let make = move || itinerary_pictures::for_links(&itinerary_pictures::draw(&drawing).large);
    kept_for_links(service, &file, (address, deadline), make).await
}

/// Makes a picture for links, unless a concurrent request has made it.
async fn kept_for_links(
    service: &Service,
    file: &str,
    (address, deadline): (IpAddr, Instant),
    make: impl FnOnce() -> std::result::Result<Vec<u8>, Rejected> + Send + 'static,
) -> Result<OpenImage> {
    pictures::count_first_read(service, address).await?;
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

async fn open(service: &Service, file: &str) -> Result<Option<OpenImage>> {
    Ok(service.ports.blobs.open(file).await?.map(|(size, pieces)| OpenImage { size, pieces }))
}

/// Gives a drawn cover a new address when fewer people may see the itinerary. Otherwise someone who kept the old
/// address could have the cover drawn later and see where the itinerary goes by then.
pub(super) fn hide(service: &Service, content: &mut Content) {
    let cover = &mut content.everyone.cover_image;
    if cover.as_ref().and_then(|image| id(&image.url)).is_some_and(is_drawn) {
        *cover = Some(drawn(service));
    }
}

/// Draws and stores a cover, unless it exists.
async fn draw(
    service: &Service,
    id: Uuid,
    file: &str,
    everyone: &[u8],
    (address, deadline): (IpAddr, Instant),
) -> Result<()> {
    let everyone: Everyone = serde_json::from_slice(everyone)?;
    let drawing = drawing(&everyone)?;
    let turn = service.pictures.turn(Requester::Address(address), deadline).await?;
    // A concurrent request may have drawn it.
    if service.ports.blobs.open(file).await?.is_some() {
        return Ok(());
    }
    // Kept until the cover is stored, so that it is drawn once.
    let (stored, _turn) = turn.run_part(move || itinerary_pictures::draw(&drawing)).await;
    keep(service, id, stored).await
}

/// The input of a cover: the destination, and the stops in their order.
fn drawing(everyone: &Everyone) -> Result<Drawing> {
    let mut points = Vec::new();
    for day in &everyone.days {
        let day = day.value()?;
        let stops = day.stops.iter().filter_map(legs::coordinate);
        points.extend(stops.map(|point| (point.latitude.get(), point.longitude.get())));
    }
    let destination = &everyone.destination;
    let (latitude, longitude) = (destination.coordinate.latitude.get(), destination.coordinate.longitude.get());
    Ok(Drawing { name: destination.name.to_string(), latitude, longitude, points })
}

/// The input of a cover, from an itinerary that was read.
fn drawing_of(itinerary: &Itinerary) -> Drawing {
    let at = |point: Coordinate| (point.latitude.get(), point.longitude.get());
    let (latitude, longitude) = at(itinerary.destination.coordinate);
    let stops = itinerary.days.iter().flat_map(|day| day.stops.iter()).filter_map(legs::coordinate);
    Drawing { name: itinerary.destination.name.to_string(), latitude, longitude, points: stops.map(at).collect() }
}

/// What [`sweep`] has found.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Swept {
    pub deleted: u64,
    /// How many files are left, and their size.
    pub kept: u64,
    pub bytes: u64,
}

/// Deletes images that no itinerary has referred to for an hour, and files that a crash left behind. Returns how many
/// files.
pub async fn delete_unused(service: &Service) -> Result<u64> {
    Ok(sweep(service).await?.deleted)
}

/// The same, and counts the images on the way.
pub async fn sweep(service: &Service) -> Result<Swept> {
    let (blobs, oldest) = (&service.ports.blobs, service.clock.now() - UNUSED_FOR);
    let (mut files, mut swept) = (blobs.list(FOLDER), Swept::default());
    while let Some(file) = files.try_next().await? {
        if file.written_at < oldest && !is_in_use(service, &file.name).await? {
            blobs.delete(&file.name).await?;
            swept.deleted += 1;
        } else {
            swept.kept += 1;
            swept.bytes += file.size;
        }
    }
    swept.deleted += blobs.delete_temporaries(FOLDER, oldest).await?;
    Ok(swept)
}

async fn is_in_use(service: &Service, file: &str) -> Result<bool> {
    let name = file.rsplit('/').next().unwrap_or_default();
    let of = [SMALL, FOR_LINKS, ".jpg"].into_iter().find_map(|end| name.strip_suffix(end));
    match Uuid::try_parse(of.unwrap_or_default()) {
        Ok(id) => Ok(service.store.cover_in_use(id, service.clock.now()).await?),
        Err(_) => Ok(false),
    }
}
