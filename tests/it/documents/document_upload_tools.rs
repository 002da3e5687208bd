//! Files sealed by independent tools, disguised plaintext and damaged files, all made by tests/sealing/run; and the
//! curl commands of docs/sealing.md.

use std::path::{Path, PathBuf};
use std::{env, fs};

use itinerary_tests::app::App;
use itinerary_tests::bodies::minimal;
use itinerary_tests::{RawResponse, Sqlite, World};
use openssl::sha::sha256;
use reqwest::Method;
use reqwest::multipart::{Form, Part};
use serde_json::json;
use tempfile::TempDir;
use tokio::process::Command;

const PAGE: &str = include_str!("../../../docs/sealing.md");
/// The list of formats in the error message.
const ACCEPTED: &str =
    "age v1 (binary or armored), CMS EnvelopedData or AuthEnvelopedData (DER or PEM), JWE (compact or JSON)";
/// The folder that tests/sealing/run has filled.
const SAMPLES: &str = "ITINERARY_SEALED_SAMPLES";
const REQUIRED: &str = "ITINERARY_REQUIRE_SEALED_SAMPLES";
const SCOPE: &str = "itineraries:read itineraries:write documents:read documents:write";

/// A traveller with Pro and an itinerary.
struct Uploader<'w> {
    app: App<'w>,
    itinerary: String,
}

impl<'w> Uploader<'w> {
    async fn new(world: &'w World) -> Self {
        world.pro_account("ana").await;
        let app = App::with_scope(world, "ana", SCOPE).await;
        let itinerary = app.created(&minimal()).await.id;
        Self { app, itinerary }
    }

    async fn upload(&self, name: &str, file: Vec<u8>) -> RawResponse {
        let mut call = self.app.call(Method::POST, &format!("/v1/itineraries/{}/documents", self.itinerary));
        call.0 = call.0.multipart(Form::new().part("file", Part::bytes(file).file_name(name.to_owned())));
        call.send().await
    }

    async fn download(&self, url: &str) -> Vec<u8> {
        let response = self.app.world.http.get(url).send().await.expect("an answer");
        assert_eq!(response.status(), 200);
        response.bytes().await.expect("a body").to_vec()
    }

    /// Uploads a file whose name contains the expected outcome.
    async fn check(&self, path: &Path) {
        let name = path.file_name().and_then(|name| name.to_str()).expect("a name in ASCII");
        let file = fs::read(path).expect("a sample");
        let response = self.upload(name, file.clone()).await;
        if name.starts_with("refused-") {
            assert_eq!(response.status, 422, "{name}: {}", response.text());
            response.expect_error(422, "documentNotSealed");
            assert!(response.text().contains(ACCEPTED), "{name}: {}", response.text());
            return;
        }
        assert!(name.starts_with("accepted-"), "{name}");
        assert_eq!(response.status, 201, "{name}: {}", response.text());
        let document = response.json();
        assert_eq!((&document["size"], &document["name"]), (&json!(file.len()), &json!(name)));
        let downloaded = self.download(document["url"].as_str().expect("a link")).await;
        assert_eq!(sha256(&downloaded), sha256(&file), "{name}");
    }
}

/// The samples. `None` if there are none.
fn samples() -> Option<Vec<PathBuf>> {
    let Some(folder) = env::var_os(SAMPLES) else {
        assert!(env::var_os(REQUIRED).is_none_or(|value| value != "1"), "{REQUIRED} is 1, and {SAMPLES} is not set");
        itinerary_tests::skipped(&format!("{SAMPLES} is not set; tests/sealing/run makes samples"));
        return None;
    };
    let files = fs::read_dir(&folder).unwrap_or_else(|error| panic!("{SAMPLES}: {}: {error}", folder.display()));
    let mut paths: Vec<_> = files.map(|file| file.expect("a file").path()).collect();
    paths.sort();
    Some(paths)
}

#[tokio::test(flavor = "multi_thread")]
async fn only_sealed_samples_are_accepted() {
    let Some(samples) = samples() else { return };
    for verdict in ["accepted-", "refused-"] {
        let count = samples.iter().filter(|path| path.display().to_string().contains(verdict)).count();
        assert!(count >= 50, "{SAMPLES} has only {count} files named {verdict}…");
    }
    let Some(world) = World::start_with(Sqlite, |config| config.limits = false).await else { return };
    let uploader = Uploader::new(&world).await;
    for path in &samples {
        uploader.check(path).await;
    }
}

/// A file with the structure of an age file.
fn sealed() -> Vec<u8> {
    let (key, body) = ("A".repeat(43), "A".repeat(43));
    let header = format!("age-encryption.org/v1\n-> X25519 {key}\n{body}\n--- {key}\n");
    [header.as_bytes(), &[7; 16 + 100]].concat()
}

/// A block of the page, by the file that its first line names.
fn block(name: &str) -> &'static str {
    let blocks: Vec<_> =
        PAGE.split("```sh\n").skip(1).map(|rest| rest.split("```").next().unwrap_or_default()).collect();
    let named = |block: &&&str| block.starts_with(&format!("# {name}\n"));
    blocks.iter().find(named).unwrap_or_else(|| panic!("docs/sealing.md has no block {name}"))
}

#[tokio::test(flavor = "multi_thread")]
async fn the_pages_commands_upload_and_download() {
    let Some(world) = World::start(Sqlite).await else { return };
    let uploader = Uploader::new(&world).await;
    let folder = TempDir::new().expect("a folder");
    fs::write(folder.path().join("boarding-pass.pdf.age"), sealed()).expect("a file");
    let status = Command::new("bash")
        .args(["-euo", "pipefail", "-c", &[block("upload.sh"), block("download.sh")].concat()])
        .current_dir(folder.path())
        .env("SERVER", &world.base_url)
        .env("TOKEN", &uploader.app.token)
        .env("ITINERARY", &uploader.itinerary)
        .status();
    assert!(status.await.expect("bash").success());
    assert_eq!(fs::read(folder.path().join("downloaded.age")).expect("a file"), sealed());
    let list =
        uploader.app.call(Method::GET, &format!("/v1/itineraries/{}/documents", uploader.itinerary)).send().await;
    let list = list.json();
    let [document] = &list["data"].as_array().expect("a list")[..] else { panic!("{list}") };
    assert_eq!(document["name"], "Boarding pass");
    assert_eq!(document["category"], "boardingPass");
    assert_eq!(document["mimeType"], "application/pdf");
    assert_eq!(document["file"]["name"], "boarding-pass.pdf.age");
    assert_eq!(document["belongsTo"], json!({ "kind": "itinerary", "id": uploader.itinerary }));
}

// The error on the page is the server's response.
#[tokio::test(flavor = "multi_thread")]
async fn the_page_shows_the_error_of_a_file_that_is_not_sealed() {
    let Some(world) = World::start(Sqlite).await else { return };
    let response = Uploader::new(&world).await.upload("pass.pdf", b"%PDF-1.7\n1 0 obj".to_vec()).await;
    response.expect_error(422, "documentNotSealed");
    let shown = PAGE.split("```json\n").nth(1).and_then(|rest| rest.split("```").next()).expect("a block");
    let mut shown: serde_json::Value = serde_json::from_str(shown).expect("JSON");
    shown["error"]["requestId"] = response.header("x-request-id").into();
    assert_eq!(response.json(), shown);
}
