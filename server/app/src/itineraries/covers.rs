//! Cover images: uploaded, found by a provider, or drawn.
//!
//! A picture's address is `/images/{id}` of this server. Each belongs to one itinerary; a copy of it has another id and
//! shares its files. A drawn picture is created when it is first read, from the drawing that was stored with it, so that
//! it shows the itinerary as it was when the address was given; its id marks it as drawn.
//!
//! `sent_cover.rs` deals with addresses that clients send, `adoption.rs` with covers of earlier versions, `sweep.rs` with
//! deletion, and `links.rs` with the pictures for links to pages.

pub mod adoption;
mod decoding;
mod links;
mod route;
pub(super) mod sent_cover;
mod sweep;

use std::net::IpAddr;

use bytes::Bytes;
use futures::stream::BoxStream;
use itinerary_api::read::{self, FieldError};
use itinerary_api::types::{CoverImageQuery, Image, Label};
use itinerary_api::values::WebUrl;
use itinerary_core::content::{Content, Everyone};
use itinerary_pictures::Stored;
use itinerary_platform::context::Service;
use itinerary_platform::fair_pool::Requester;
use itinerary_platform::ports::blobs::BlobError;
use itinerary_store::{CoverChange, NewPicture, PictureRow};
use tokio::time::{Instant, timeout_at};
use uuid::Uuid;

use crate::{Error, Result};

pub(crate) use links::LinkPicture;
use route::CoverRoute;
pub use sweep::{SweepReport, delete_due, delete_unused, sweep};

/// The `source` of a drawn image.
const DRAWN: &str = "generated";
/// The `source` of an uploaded image.
const UPLOADED: &str = "upload";
/// The folder of images in the file store.
pub const FOLDER: &str = "images";
/// How the file of a small image ends.
const SMALL: &str = "-small.jpg";

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

/// Whether the server drew the cover of an itinerary.
pub(super) fn has_drawn_cover(everyone: &Everyone) -> bool {
    everyone.cover_image.as_ref().and_then(|image| image.source.as_deref()) == Some(DRAWN)
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

/// A cover image with the picture to store.
#[derive(Clone, Debug)]
pub struct Made {
    /// What the itinerary's content says.
    pub image: Image,
    pub picture: NewPicture,
}

/// A cover that this server stores, with its public URL.
#[derive(Clone, Debug)]
pub(super) struct StoredCover {
    pub(super) picture: Uuid,
    pub(super) address: String,
    /// What the itinerary's tag says about the address.
    pub(super) mark: String,
}

impl StoredCover {
    pub(super) fn new(service: &Service, picture: Uuid) -> Self {
        let addresses = &service.addresses;
        Self { picture, address: addresses.of(picture), mark: addresses.mark().to_owned() }
    }
}

/// A cover to be drawn when it is first read, from the itinerary as it is now.
pub(crate) fn drawn(service: &Service, everyone: &Everyone) -> Made {
    let id = uuid::Builder::from_custom_bytes(service.random.bytes::<16>()).into_uuid();
    Made::new(service, id, Some(DRAWN), Some(CoverRoute::of(everyone).stored()))
}

impl Made {
    fn new(service: &Service, id: Uuid, source: Option<&str>, drawing: Option<String>) -> Self {
        let picture = NewPicture { id, file_id: id, drawing, source: source.map(str::to_owned), copy_of: None };
        Self { image: image(service, id, source), picture }
    }

    /// A picture with the files of another.
    fn copy(service: &Service, original: &PictureRow) -> Self {
        let made = Self::new(service, new_id(service), original.source.as_deref(), None);
        let picture = NewPicture { file_id: original.file_id, copy_of: Some(original.id), ..made.picture };
        Self { picture, ..made }
    }

    /// The same picture, with what the traveller says of its source.
    fn with_source(mut self, source: Option<Label>) -> Self {
        self.image.source = source.or(self.image.source);
        self
    }
}

/// The names in the file store of an image in its sizes.
pub fn files(id: Uuid) -> [String; 2] {
    [Size::Large.file(id), Size::Small.file(id)]
}

/// Whether the image is a drawn one. Its `source` does not tell, because travellers may change it.
pub fn is_drawn(id: Uuid) -> bool {
    id.get_version() == Some(uuid::Version::Custom)
}

/// An id for an image that is stored at once.
fn new_id(service: &Service) -> Uuid {
    // Random instead of ordered by time, so that no address can be guessed from another.
    uuid::Builder::from_random_bytes(service.random.bytes::<16>()).into_uuid()
}

fn image(service: &Service, id: Uuid, source: Option<&str>) -> Image {
    let url = WebUrl::new(service.addresses.of(id)).expect("the base URL is a URL");
    Image { url, source: source.map(Label::truncated) }
}

/// Creates and stores a cover image, for the account that asks for it.
pub(super) async fn make(
    service: &Service,
    account: Uuid,
    cover: &Cover,
    content: &Content,
    deadline: Instant,
) -> Result<Made> {
    match cover {
        Cover::Uploaded(bytes) => store(service, account, bytes.clone(), UPLOADED, decoding::longest_wait()).await,
        Cover::Found(query) if service.ports.images.is_some() => {
            let found = found(service, account, query, deadline).await?;
            found.ok_or_else(|| Error::Image("No image matches the query.".to_owned()))
        }
        Cover::Found(_) => Ok(drawn(service, &content.everyone)),
        Cover::Any => pick(service, account, content, deadline).await,
    }
}

/// A provider's image of the destination if one is found in time, otherwise a drawn one.
pub(super) async fn pick(service: &Service, account: Uuid, content: &Content, deadline: Instant) -> Result<Made> {
    let found = timeout_at(deadline, found(service, account, &content.everyone.destination.name, deadline)).await;
    match found.unwrap_or(Err(Error::ProviderFailed)) {
        Ok(Some(made)) => Ok(made),
        Ok(None)
        | Err(
            Error::ProviderFailed
            | Error::Image(_)
            | Error::Busy
            | Error::TooManyTransfers
            | Error::TooManyWaiting
            | Error::OverLimit { .. },
        ) => Ok(drawn(service, &content.everyone)),
        Err(error) => Err(error),
    }
}

/// Asks the image provider, if one is configured.
async fn found(service: &Service, account: Uuid, query: &str, deadline: Instant) -> Result<Option<Made>> {
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
async fn store(service: &Service, account: Uuid, bytes: Bytes, source: &str, deadline: Instant) -> Result<Made> {
    let stored = decoding::reencode(service, account, bytes, deadline).await?;
    let id = new_id(service);
    keep(service, id, stored).await?;
    Ok(Made::new(service, id, Some(source), None))
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

/// Opens the picture with an id, for a reader at this address. Draws it if this is the first time.
pub async fn view(service: &Service, id: Uuid, size: Size, address: IpAddr) -> Result<OpenImage> {
    view_by(service, id, size, address, decoding::longest_wait()).await
}

/// The same, and waits for a turn until the deadline.
async fn view_by(service: &Service, id: Uuid, size: Size, address: IpAddr, deadline: Instant) -> Result<OpenImage> {
    let picture = match service.store.picture(id, service.clock.now()).await? {
        Some(picture) => picture,
        None => adoption::picture_of_cover(service, id).await?.ok_or(Error::NotFound)?,
    };
    let file = size.file(picture.file_id);
    if let Some(image) = open(service, &file).await? {
        return Ok(image);
    }
    let drawing = picture.drawing.ok_or(Error::NotFound)?;
    decoding::count_first_read(service, address).await?;
    draw(service, picture.file_id, &file, &drawing, (address, deadline)).await?;
    open(service, &file).await?.ok_or(Error::NotFound)
}

async fn open(service: &Service, file: &str) -> Result<Option<OpenImage>> {
    Ok(service.ports.blobs.open(file).await?.map(|(size, pieces)| OpenImage { size, pieces }))
}

/// Whether a change gives the cover another picture. `before` is what the itinerary showed, `made`
/// what the request has set, and `hides` whether fewer people may see the itinerary from now on.
///
/// A drawn cover has a new address as soon as it would show something else: whoever kept the old one must not see where
/// the itinerary goes by now.
pub(super) fn change(
    service: &Service,
    (shown, before): (Option<Uuid>, &Everyone),
    content: &mut Content,
    made: Option<&Made>,
    hides: bool,
) -> CoverChange {
    if let Some(made) = made {
        return CoverChange::Set(made.picture.clone());
    }
    let Some(shown) = shown else { return CoverChange::None };
    let everyone = &mut content.everyone;
    let url = |everyone: &Everyone| everyone.cover_image.as_ref().map(|image| image.url.clone());
    if url(before) != url(everyone) {
        return CoverChange::Remove;
    }
    if !is_drawn(shown) || !hides && CoverRoute::is_same(before, everyone) {
        return CoverChange::None;
    }
    let Made { image, picture } = drawn(service, everyone);
    if let Some(cover) = &mut everyone.cover_image {
        cover.url = image.url;
    }
    CoverChange::Set(picture)
}

/// Gives a copy of an itinerary its own picture: a drawn one is drawn from the copy, another shares its files.
pub(super) async fn copied(
    service: &Service,
    shown: &StoredCover,
    everyone: &mut Everyone,
) -> Result<Option<NewPicture>> {
    let original = service.store.picture(shown.picture, service.clock.now()).await?;
    let made = match original {
        Some(original) if original.drawing.is_none() => Made::copy(service, &original),
        // It was replaced just now.
        _ => drawn(service, everyone),
    };
    if let Some(cover) = &mut everyone.cover_image {
        cover.url = made.image.url;
    }
    Ok(Some(made.picture))
}

/// Deletes the files of a picture whose itinerary was not written. The job deletes what cannot be deleted now.
pub(super) async fn discard(service: &Service, made: &Made) {
    if made.picture.copy_of.is_none()
        && let Err(error) = sweep::delete_files(service, made.picture.file_id).await
    {
        tracing::debug!(error = error.for_log(), "the files of a picture are deleted later");
    }
}

/// Draws and stores a cover, unless it exists.
async fn draw(
    service: &Service,
    id: Uuid,
    file: &str,
    drawing: &str,
    (address, deadline): (IpAddr, Instant),
) -> Result<()> {
    let drawing = serde_json::from_str::<CoverRoute>(drawing)?.into();
    let turn = service.pictures.turn(Requester::Address(address), deadline).await?;
    // A concurrent request may have drawn it.
    if service.ports.blobs.open(file).await?.is_some() {
        return Ok(());
    }
    // Kept until the cover is stored, so that it is drawn once.
    let (stored, _turn) = turn.run_part(move || itinerary_pictures::draw(&drawing)).await;
    keep(service, id, stored).await
}
