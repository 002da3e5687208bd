//! Files in an S3 bucket, on moto's server. `ITINERARY_MOTO` is the path of `moto_server`.

use std::fs;
use std::path::PathBuf;
use std::process::Stdio;
use std::time::Duration;

use itinerary_tests::engines::Engine;
use itinerary_tests::program::{Program, command, fail, free_address, make_account, succeed, words};
use itinerary_tests::{Database, api_test};
use reqwest::{Method, StatusCode};
use serde_json::{Value, json};
use tokio::process::{Child, Command};

use itinerary_tests::sealed_files::SEALED;

const BUCKET: &str = "trips";

/// moto's server with an empty bucket, which ends when dropped.
struct Moto {
    _child: Child,
    url: String,
    http: reqwest::Client,
}

impl Moto {
    /// `None` if moto is not installed.
    async fn start() -> Option<Self> {
        let Some(program) = std::env::var_os("ITINERARY_MOTO").map(PathBuf::from) else {
            assert!(std::env::var_os("ITINERARY_REQUIRE_MOTO").is_none(), "ITINERARY_MOTO is not set");
            itinerary_tests::skipped("ITINERARY_MOTO names no moto_server");
            return None;
        };
        let address = free_address();
        let (host, port) = address.rsplit_once(':').expect("an address");
        let child = Command::new(program)
            .args(["--host", host, "--port", port])
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .kill_on_drop(true)
            .spawn()
            .expect("moto starts");
        let http = reqwest::Client::new();
        let moto = Self { _child: child, url: format!("http://{address}"), http };
        for _ in 0..300 {
            let made = moto.http.put(format!("{}/{BUCKET}", moto.url)).send().await;
            if made.is_ok_and(|made| made.status() == StatusCode::OK) {
                return Some(moto);
            }
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
        panic!("moto does not answer");
    }

    /// The keys of the bucket's objects, as XML.
    async fn objects(&self) -> String {
        let list = self.http.get(format!("{}/{BUCKET}?list-type=2", self.url)).send().await.expect("an answer");
        list.text().await.expect("text")
    }

    /// A command whose files are in this folder of the bucket.
    fn command(&self, engine: &Engine, folder: &str, arguments: &[&str]) -> Command {
        let mut command = command(words(engine, arguments));
        command.env("ITINERARY_FILES_URL", format!("s3://{BUCKET}/{folder}")).env("AWS_ENDPOINT_URL", &self.url);
        command.env("AWS_ALLOW_HTTP", "true").env("AWS_REGION", "eu-west-1");
        command.env("AWS_ACCESS_KEY_ID", "moto").env("AWS_SECRET_ACCESS_KEY", "moto");
        command
    }

    async fn server(&self, engine: &Engine, folder: &str) -> Program {
        Program::start(self.command(engine, folder, &["serve", "--listen", &free_address(), "--limits", "off"])).await
    }
}

/// Makes an account of the plan Pro and an itinerary. Returns the access token and the itinerary's path.
async fn settle(engine: &Engine, server: &Program) -> (String, String) {
    make_account(engine, "ana").await;
    succeed(command(words(engine, &["account", "plan", "ana", "pro"])), "").await;
    let scope = "itineraries:read itineraries:write documents:read documents:write";
    let token = succeed(command(words(engine, &["account", "token", "ana", "--scope", scope])), "").await;
    let token = token.trim_end().to_owned();
    let lisbon = json!({ "destination": { "name": "Lisbon", "coordinate": { "latitude": 38.7, "longitude": -9.1 } } });
    let made = server.call(Method::POST, "/v1/itineraries").token(&token).json(&lisbon).send().await;
    assert_eq!(made.status, 201, "{}", made.text());
    (token, made.header("location").to_owned())
}

/// Uploads a sealed file; returns the document.
async fn upload(server: &Program, token: &str, itinerary: &str, more: usize) -> Value {
    let call = server.call(Method::POST, &format!("{itinerary}/documents")).token(token);
    let response = call.body("multipart/form-data; boundary=b", form(more)).send().await;
    assert_eq!(response.status, 201, "{}", response.text());
    response.json()
}

/// The path of a document's file.
fn path<'d>(server: &Program, document: &'d Value) -> &'d str {
    document["url"].as_str().and_then(|url| url.strip_prefix(&server.base_url)).expect("a link")
}

/// A form with a sealed file that is this many bytes larger than the smallest.
fn form(more: usize) -> Vec<u8> {
    // One chunk of age has 16 to 65,552 bytes; full ones precede it.
    let file = SEALED.replace("0123456789abcdef0123456789abcdef", &"x".repeat(32 + more));
    file.into_bytes()
}

#[tokio::test(flavor = "multi_thread")]
async fn documents_and_images_are_kept_in_a_bucket() {
    let Some(moto) = Moto::start().await else { return };
    let engine = Engine::sqlite();
    let server = moto.server(&engine, "files").await;
    let (token, at) = settle(&engine, &server).await;

    // One part, and several.
    let mut ids = Vec::new();
    for more in [0, 65_552 * 180 + 1] {
        let document = upload(&server, &token, &at, more).await;
        let link = path(&server, &document);
        let file = server.call(Method::GET, link).send().await;
        let sent = form(more);
        let begin = sent.windows(4).position(|window| window == b"age-").expect("the file");
        assert!(sent[begin..].starts_with(&file.body), "{} bytes", file.body.len());
        assert_eq!(file.body.len() as u64, document["size"].as_u64().expect("a size"));
        let range = server.call(Method::GET, link).header("Range", "bytes=4-13").send().await;
        assert_eq!((range.status.as_u16(), &range.body[..]), (206, &b"encryption"[..]));
        ids.push(document["id"].as_str().expect("an id").to_owned());
    }
    let cover = server.call(Method::PUT, &format!("{at}/cover-image")).token(&token).header("If-Match", "*");
    let cover = cover.send().await.json()["coverImage"]["url"].as_str().expect("an image").to_owned();
    let path = cover.strip_prefix(&server.base_url).expect("an image of this server");
    assert_eq!(server.call(Method::GET, path).send().await.status, 200);
    let objects = moto.objects().await;
    assert!(ids.iter().all(|id| objects.contains(&format!("files/documents/{id}"))), "{objects}");
    assert!(objects.contains("files/images/"), "{objects}");

    let deleted = server.call(Method::DELETE, &at).token(&token).header("If-Match", "*").send().await;
    assert_eq!(deleted.status, 204);
    drop(server);
    // The job runs when the server starts.
    let _server = moto.server(&engine, "files").await;
    for _ in 0..100 {
        if !moto.objects().await.contains("documents/") {
            return;
        }
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    panic!("documents are left: {}", moto.objects().await);
}

#[api_test]
async fn a_backup_moves_files_from_one_bucket_to_another(database: Database) {
    let Some(moto) = Moto::start().await else { return };
    let (Some(engine), Some(restored)) = (Engine::on(database), Engine::on(database)) else { return };
    let server = moto.server(&engine, "files").await;
    let (token, at) = settle(&engine, &server).await;
    let document = upload(&server, &token, &at, 65_553).await;
    let file = server.call(Method::GET, path(&server, &document)).send().await;
    let id = document["id"].as_str().expect("an id");

    let backup = engine.file("backup.tar");
    let said = succeed(moto.command(&engine, "files", &["backup", &backup.display().to_string()]), "").await;
    assert!(said.contains(" rows, 1 files, "), "{said}");
    // Without its last entry, which comes after the files.
    let (whole, short) = (fs::read(&backup).expect("the backup"), engine.file("short.tar"));
    fs::write(&short, &whole[..whole.len() - 2048]).expect("a file");
    let restore = |file: &PathBuf| moto.command(&restored, "restored", &["restore", &file.display().to_string()]);
    fail(restore(&short)).await;
    assert!(!moto.objects().await.contains("restored/"), "a failed restore leaves files");

    succeed(restore(&backup), "").await;
    assert!(moto.objects().await.contains(&format!("restored/documents/{id}")));
    let copy = moto.server(&restored, "restored").await;
    let link = copy.call(Method::GET, &format!("{at}/documents/{id}/link")).token(&token).send().await.json();
    let copied = copy.call(Method::GET, path(&copy, &link)).send().await;
    assert!(file.body.len() > 65_553 && copied.body == file.body, "{} bytes", copied.body.len());

    let Some(other) = Engine::on(database) else { return };
    let said = fail(moto.command(&other, "restored", &["restore", &backup.display().to_string()])).await;
    assert!(said.contains("the file store has files already, such as documents/"), "{said}");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_address_that_is_no_bucket_is_refused() {
    let engine = Engine::sqlite();
    for url in ["https://trips.example", "trips", "s3:///files"] {
        let mut command =
            command(words(&engine, &["serve", "--listen", "127.0.0.1:0", "--base-url", "http://a.example"]));
        command.env("ITINERARY_FILES_URL", url);
        let said = fail(command).await;
        assert!(said.contains("files_url must be s3://"), "{url}: {said}");
    }
}
