//! Documents: uploaded sealed, listed, changed, linked, downloaded, deleted, and hostile uploads.

mod document_access;
mod document_delete;
mod document_download;
mod document_link;
mod document_sdk;
mod document_transfer_limits;
mod document_upload;
mod document_upload_file_names;
mod document_upload_multipart;
mod document_upload_quota;
mod document_upload_rejections;
mod document_upload_retries;
mod document_upload_revocation;
mod document_upload_sealed;
mod document_upload_size;
mod document_upload_tools;
mod document_versions;

use itinerary_tests::app::{App, Stored, text};
use itinerary_tests::bodies::{on_day, with};
use itinerary_tests::documents::{SCOPE, documents, files};
use itinerary_tests::raw::Call;
use itinerary_tests::sealed_files;
use itinerary_tests::{Database, RawResponse, World, sql};
use reqwest::Method;
use serde_json::{Value, json};

use itinerary_tests::forms::{Form, content_type};

/// An id that does not exist.
const NOTHING: &str = "0194a000-0000-7000-8000-000000000001";

/// A world without rate limits, because most tests here upload more than ten files a minute.
pub(crate) async fn start(database: Database) -> Option<World> {
    World::start_with(database, |config| config.limits = false).await
}

/// The app of a traveller with Pro and all scopes for documents.
pub(crate) async fn pro<'w>(world: &'w World, name: &str) -> App<'w> {
    world.pro_account(name).await;
    App::with_scope(world, name, SCOPE).await
}

/// The app of a traveller without Pro, with all scopes for documents.
async fn free<'w>(world: &'w World, name: &str) -> App<'w> {
    App::with_scope(world, name, SCOPE).await
}

/// Ana, who has Pro, and her itinerary with a flight.
async fn ana(world: &World) -> (App<'_>, Stored) {
    let ana = pro(world, "ana").await;
    let flight = json!({ "flights": [{ "id": "flight-1", "flightNumber": "TP1689" }] });
    let at = ana.created(&with(on_day(1), flight)).await;
    (ana, at)
}

fn upload_call(app: &App<'_>, id: &str, form: Vec<u8>) -> Call {
    app.call(Method::POST, &documents(id)).body(&content_type(), form)
}

async fn upload(app: &App<'_>, id: &str, form: Vec<u8>) -> RawResponse {
    upload_call(app, id, form).send().await
}

/// Uploads a file without other fields.
async fn upload_file(app: &App<'_>, id: &str, file: &[u8]) -> RawResponse {
    upload(app, id, Form::new().file(file).end()).await
}

/// An upload that must succeed. Returns the response's JSON.
async fn uploaded(app: &App<'_>, id: &str, form: Vec<u8>) -> Value {
    let response = upload(app, id, form).await;
    assert_eq!(response.status, 201, "{}", response.text());
    response.json()
}

/// Uploads a small file. Returns the document's id.
pub(crate) async fn small(app: &App<'_>, id: &str) -> String {
    text(&uploaded(app, id, Form::new().file(sealed_files::age(500)).end()).await["id"])
}

async fn list(app: &App<'_>, id: &str) -> RawResponse {
    app.call(Method::GET, &documents(id)).send().await
}

/// The documents of a list that must be visible.
async fn listed(app: &App<'_>, id: &str) -> Vec<Value> {
    let response = list(app, id).await;
    assert_eq!(response.status, 200, "{}", response.text());
    response.json()["data"].as_array().expect("a list").clone()
}

async fn link(app: &App<'_>, id: &str, document: &str) -> RawResponse {
    app.call(Method::GET, &format!("{}/{document}/link", documents(id))).send().await
}

/// The address of a document's file, which must exist.
async fn linked(app: &App<'_>, id: &str, document: &str) -> String {
    let response = link(app, id, document).await;
    assert_eq!(response.status, 200, "{}", response.text());
    text(&response.json()["url"])
}

/// Follows a link like a browser, without a token.
async fn follow(world: &World, url: &str) -> RawResponse {
    Call(world.http.get(url)).send().await
}

/// The bytes of a link, which must work.
async fn downloaded(world: &World, url: &str) -> Vec<u8> {
    let response = follow(world, url).await;
    assert_eq!(response.status, 200, "{}", response.text());
    response.body
}

fn patch_call(app: &App<'_>, id: &str, document: &str, body: &Value) -> Call {
    app.call(Method::PATCH, &format!("{}/{document}", documents(id))).json(body)
}

fn delete_call(app: &App<'_>, id: &str, document: &str) -> Call {
    app.call(Method::DELETE, &format!("{}/{document}", documents(id)))
}

/// Deletes a document, whatever the version.
async fn delete(app: &App<'_>, id: &str, document: &str) {
    let response = delete_call(app, id, document).header("If-Match", "*").send().await;
    assert_eq!(response.status, 204, "{}", response.text());
}

/// The stored rows and files of documents.
#[derive(Debug, Default, PartialEq)]
struct Kept {
    rows: u64,
    /// The rows of files to be deleted.
    loose: u64,
    /// The bytes that count against quotas.
    bytes: u64,
    /// The sorted names of the files, including temporary ones.
    files: Vec<String>,
}

/// Reads database and files.
async fn kept(world: &World) -> Kept {
    let number = async |what: &str| -> u64 {
        let number = sql::ask(world.database_url(), &format!("SELECT CAST({what} AS TEXT)")).await;
        number.parse().expect("a number")
    };
    Kept {
        rows: number("(SELECT COUNT(*) FROM documents)").await,
        loose: number("(SELECT COUNT(*) FROM loose_files)").await,
        bytes: number("(SELECT COALESCE(SUM(bytes), 0) FROM document_usage)").await,
        files: files(&world.data()),
    }
}

/// Waits until a part of the upload in progress was written.
async fn written(world: &World) {
    for _ in 0..10_000 {
        if files(&world.data()).iter().any(|name| name.ends_with("#1")) {
            return;
        }
        tokio::time::sleep(std::time::Duration::from_millis(1)).await;
    }
    panic!("nothing was written");
}

/// An itinerary and what is stored, before a request that must change nothing.
struct Before {
    at: Stored,
    kept: Kept,
}

impl Before {
    async fn of(app: &App<'_>, id: &str) -> Self {
        Self { at: app.viewed(id).await, kept: kept(app.world).await }
    }

    /// Checks that nothing was stored or left behind since.
    async fn expect_unchanged(&self, app: &App<'_>, why: &str) {
        let now = Self::of(app, &self.at.id).await;
        assert_eq!((&now.at.etag, &now.at.json["documents"]), (&self.at.etag, &self.at.json["documents"]), "{why}");
        assert_eq!(now.kept, self.kept, "{why}");
    }
}

/// The version in an ETag.
#[track_caller]
fn version(etag: &str) -> u64 {
    let number =
        etag.strip_prefix("\"v").and_then(|rest| rest.split_once('.')).and_then(|(number, _)| number.parse().ok());
    number.unwrap_or_else(|| panic!("no tag with a number: {etag}"))
}
