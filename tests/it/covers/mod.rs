//! Cover images: uploaded, found, drawn, served, saved along, deleted, and hostile.

mod cover_image_deletion;
mod cover_image_download;
mod cover_image_limits;
mod cover_image_ownership;
mod cover_image_set;
mod cover_image_set_invalid;
mod cover_image_set_preconditions;
mod drawn;
mod drawn_twice;
mod files;
mod moved;
mod provider;
mod provider_down;
mod stub;

use image::GenericImageView;
use itinerary_tests::app::{App, Stored, path};
use itinerary_tests::bodies::{on_day, with};
use itinerary_tests::raw::Call;
use itinerary_tests::{RawResponse, World};
use reqwest::Method;
use serde_json::Value;

/// A body with its own cover and start date, so that nothing has to be drawn or found.
fn covered(day: u32) -> Value {
    with(on_day(day), serde_json::json!({ "coverImage": { "url": "https://images.example/own" } }))
}

/// `PUT …/cover-image` with the ETag of this version.
fn put_call(app: &App<'_>, seen: &Stored) -> Call {
    app.call(Method::PUT, &format!("{}/cover-image", path(&seen.id))).header("If-Match", &seen.etag)
}

async fn put(app: &App<'_>, seen: &Stored, content_type: &str, bytes: impl Into<reqwest::Body>) -> RawResponse {
    put_call(app, seen).body(content_type, bytes).send().await
}

async fn put_json(app: &App<'_>, seen: &Stored, body: &Value) -> RawResponse {
    put_call(app, seen).json(body).send().await
}

/// Checks the response after a cover was set: the whole itinerary in its next version, with an image of this server.
async fn was_set(app: &App<'_>, seen: &Stored, response: &RawResponse) -> Stored {
    assert_eq!(response.status, 200, "{}", response.text());
    let set = Stored::of(response);
    assert_eq!(version(&set.etag), version(&seen.etag) + 1);
    assert_ne!(cover(&set), cover(seen), "an address is given to one image");
    id(app.world, cover(&set));
    let mut as_read = set.json.clone();
    as_read.as_object_mut().expect("an object").remove("needsAttention").expect("a write has it");
    let read = app.viewed(&seen.id).await;
    assert_eq!((&read.json, &read.etag), (&as_read, &set.etag));
    set
}

/// Uploads a valid image.
async fn uploaded(app: &App<'_>, seen: &Stored, bytes: &[u8]) -> Stored {
    was_set(app, seen, &put(app, seen, "image/png", bytes.to_vec()).await).await
}

/// Checks that an itinerary is unchanged.
async fn unchanged(app: &App<'_>, seen: &Stored) {
    let now = app.viewed(&seen.id).await;
    assert_eq!((&now.etag, &now.json["coverImage"]), (&seen.etag, &seen.json["coverImage"]));
}

/// The address of the cover.
#[track_caller]
fn cover(itinerary: &Stored) -> &str {
    itinerary.json["coverImage"]["url"].as_str().expect("a cover")
}

/// The `source` of the cover.
#[track_caller]
fn source(itinerary: &Stored) -> &str {
    itinerary.json["coverImage"]["source"].as_str().expect("a source")
}

/// The id of this server's image at an address.
#[track_caller]
fn id<'u>(world: &World, url: &'u str) -> &'u str {
    let id = url.strip_prefix(&world.base_url).and_then(|path| path.strip_prefix("/images/"));
    let id = id.unwrap_or_else(|| panic!("{url} is none of ours"));
    assert_eq!(id.parse::<uuid::Uuid>().expect("a UUID").to_string(), id);
    id
}

/// Reads an address like a browser, without a token.
async fn get(world: &World, url: &str) -> RawResponse {
    Call(world.http.get(url)).send().await
}

/// Reads an image that must exist.
async fn image_at(world: &World, url: &str) -> Vec<u8> {
    let response = get(world, url).await;
    assert_eq!(response.status, 200, "{}", response.text());
    assert_eq!(response.header("content-type"), "image/jpeg");
    response.body
}

/// Checks that no image exists in either size.
async fn no_image(world: &World, url: &str) {
    for url in [url.to_owned(), format!("{url}/small")] {
        get(world, &url).await.expect_error(404, "notFound");
    }
}

/// Width and height of a JPEG.
#[track_caller]
fn size(jpeg: &[u8]) -> (u32, u32) {
    assert_eq!(image::guess_format(jpeg).expect("an image"), image::ImageFormat::Jpeg);
    image::load_from_memory(jpeg).expect("an image").dimensions()
}

/// The sorted names of the stored image files.
pub(crate) fn stored_files(world: &World) -> Vec<String> {
    let Ok(folder) = std::fs::read_dir(world.data().join("files/images")) else { return Vec::new() };
    let name = |entry: std::io::Result<std::fs::DirEntry>| entry.expect("a file").file_name();
    let mut names: Vec<_> = folder.map(|entry| name(entry).into_string().expect("text")).collect();
    names.sort_unstable();
    names
}

/// The names of the files of an image.
fn files_of(id: &str) -> [String; 2] {
    [format!("{id}-small.jpg"), format!("{id}.jpg")]
}

/// Ages every stored image by this many minutes.
pub(crate) fn age(world: &World, minutes: i64) {
    let written_at = world.service().clock.now() - chrono::TimeDelta::minutes(minutes);
    for name in stored_files(world) {
        let file = std::fs::File::options().write(true).open(world.data().join("files/images").join(name));
        file.and_then(|file| file.set_modified(written_at.into())).expect("a file whose time can be set");
    }
}

/// The version in an ETag.
#[track_caller]
fn version(etag: &str) -> u64 {
    let number =
        etag.strip_prefix("\"v").and_then(|rest| rest.split_once('.')).and_then(|(number, _)| number.parse().ok());
    number.expect("a tag with a number")
}
