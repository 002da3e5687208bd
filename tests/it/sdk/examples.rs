//! The SDK's examples run against a server. `http::readme` runs the first one, `first_trip`.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Output;
use std::time::Duration;

use itinerary_tests::engines::Engine;
use itinerary_tests::program::{self, Program, make_account, make_token, succeed, words};
use reqwest::Method;
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::io::{AsyncBufReadExt, BufReader, Lines};
use tokio::process::{ChildStdout, Command};
use tokio::time::timeout;

use crate::http::lisbon;

const BOARDING_PASS: &str = env!("CARGO_BIN_EXE_boarding-pass-under-test");
const GUIDE: &str = env!("CARGO_BIN_EXE_guide-under-test");
const SHARED_EDIT: &str = env!("CARGO_BIN_EXE_shared-edit-under-test");
const WATCH: &str = env!("CARGO_BIN_EXE_watch-under-test");
const WEBHOOK_RECEIVER: &str = env!("CARGO_BIN_EXE_webhook-receiver-under-test");
const SYNC: &str = env!("CARGO_BIN_EXE_sync-under-test");

/// A server with a traveller.
struct Desk {
    engine: Engine,
    server: Program,
    token: String,
}

impl Desk {
    async fn open() -> Self {
        let engine = Engine::sqlite();
        let server = Program::serve(&engine, &[]).await;
        make_account(&engine, "ada").await;
        let token = make_token(&engine, "ada").await;
        Self { engine, server, token }
    }

    fn command(&self, program: &str, arguments: &[&str]) -> Command {
        let mut command = Command::new(program);
        command.args(arguments).env_clear().env("ITINERARY_BASE_URL", &self.server.base_url);
        command.env("ITINERARY_TOKEN", &self.token).stdout(std::process::Stdio::piped());
        command.stderr(std::process::Stdio::piped()).kill_on_drop(true);
        command
    }

    async fn run(&self, program: &str, arguments: &[&str]) -> Output {
        program::run(self.command(program, arguments), "").await
    }

    /// Runs an example that must succeed, and returns what it prints.
    async fn succeed(&self, program: &str, arguments: &[&str]) -> String {
        let output = self.run(program, arguments).await;
        let (printed, errors) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
        assert!(output.status.success(), "{printed}\n{errors}");
        printed.into_owned()
    }

    async fn create(&self, title: &str) -> String {
        let mut body = lisbon();
        body["title"] = json!(title);
        let path = "/v1/itineraries?allowDuplicate=true";
        let response = self.server.call(Method::POST, path).token(&self.token).json(&body).send().await;
        response.json()["id"].as_str().expect("an id").to_owned()
    }

    async fn write(&self, method: Method, id: &str, body: Value) {
        let call = self.server.call(method, &format!("/v1/itineraries/{id}")).token(&self.token);
        let response = call.header("If-Match", "*").json(&body).send().await;
        assert!(response.status.is_success(), "{}", response.text());
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn two_writers_lose_nothing() {
    let desk = Desk::open().await;
    let printed = desk.succeed(SHARED_EDIT, &[]).await;
    assert!(printed.contains("12 changes by two writers, none lost"), "{printed}");
    let left = desk.server.call(Method::GET, "/v1/itineraries").token(&desk.token).send().await.json();
    assert_eq!(left["data"], json!([]));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_boarding_pass_comes_back_as_it_was() {
    let mut desk = Desk::open().await;
    succeed(program::command(words(&desk.engine, &["account", "plan", "ada", "pro"])), "").await;
    let scope = "itineraries:read itineraries:write documents:read documents:write";
    let token = program::command(words(&desk.engine, &["account", "token", "ada", "--scope", scope]));
    desk.token = succeed(token, "").await.trim_end().to_owned();
    let printed = desk.succeed(BOARDING_PASS, &[]).await;
    assert!(printed.contains("Downloaded and opened it: the 62 bytes are equal."), "{printed}");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_programs_of_the_guide_run() {
    let desk = Desk::open().await;
    make_account(&desk.engine, "ben").await;
    succeed(program::command(words(&desk.engine, &["account", "plan", "ada", "pro"])), "").await;
    let scopes = "itineraries:read itineraries:write documents:read documents:write";
    let token = async |name: &str| {
        let arguments = ["account", "token", name, "--scope", scopes];
        succeed(program::command(words(&desk.engine, &arguments)), "").await.trim_end().to_owned()
    };
    let (ada, ben) = (token("ada").await, token("ben").await);
    let printed = desk.succeed(GUIDE, &["--token", &ada, "--companion-token", &ben]).await;
    let expected = [
        "(ada), plan pro",
        "sign in again: unauthenticated",
        "A week in Lisbon is at version",
        "minutes on the way before",
        "TP1366 from LIS to LHR",
        "invalid: Some(\"departureDate\")",
        "Lawrence's Hotel, Rua Consiglieri Pedroso 38",
        "added reservations[0] from table.json",
        "the same again: unchanged",
        "The letter has no booking.",
        "56.1 in all",
        "[x] 8 Socks",
        "[ ] 1 Rain jacket",
        "opened 13 bytes",
        "deleting Boarding pass (",
        "invites you to A week in Lisbon",
        "is out of date, the trip is at",
        "Some(\"By train to Sintra.\") and [\"food\", \"sea\"]",
        "A week in Lisbon by ",
        "liked: true, 1 likes",
        "saved ",
    ];
    for line in expected {
        assert!(printed.contains(line), "{line} is not in {printed}");
    }
    assert!(!printed.contains("needs the Pro subscription"), "{printed}");
    let list = desk.server.call(Method::GET, "/v1/itineraries").token(&ada).send().await;
    assert_eq!(list.json()["data"], json!([]), "the trip is deleted");
}

/// The titles of the copies in a folder.
fn titles(folder: &Path) -> Vec<String> {
    let files = fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").path());
    let copies = files.filter(|path| path.is_file() && path.extension().is_some_and(|extension| extension == "json"));
    let title = |path: PathBuf| {
        let copy: Value = serde_json::from_slice(&fs::read(path).expect("a file")).expect("JSON");
        copy["itinerary"]["title"].as_str().expect("a title").to_owned()
    };
    let mut titles: Vec<_> = copies.map(title).collect();
    titles.sort();
    titles
}

#[tokio::test(flavor = "multi_thread")]
async fn a_local_copy_follows_every_change() {
    let (desk, folder) = (Desk::open().await, TempDir::new().expect("a folder"));
    let path = folder.path().to_str().expect("a path");
    let (one, two) = (desk.create("One").await, desk.create("Two").await);
    assert!(desk.succeed(SYNC, &[path]).await.ends_with("2 changed, 0 removed.\n"));
    assert_eq!(titles(folder.path()), ["One", "Two"]);
    assert!(desk.succeed(SYNC, &[path]).await.ends_with("0 changed, 0 removed.\n"));

    desk.write(Method::PATCH, &one, json!({ "title": "Uno" })).await;
    assert!(desk.succeed(SYNC, &[path]).await.ends_with("1 changed, 0 removed.\n"));
    assert_eq!(titles(folder.path()), ["Two", "Uno"]);

    // Also of one that was created and deleted since.
    let three = desk.create("Three").await;
    desk.write(Method::DELETE, &three, Value::Null).await;
    desk.write(Method::DELETE, &two, Value::Null).await;
    assert!(desk.succeed(SYNC, &[path]).await.ends_with("0 changed, 1 removed.\n"));
    assert_eq!(titles(folder.path()), ["Uno"]);
    assert!(desk.succeed(SYNC, &[path, "--complete"]).await.ends_with("0 changed, 0 removed.\n"));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_local_copy_begins_anew_after_its_cursor_has_expired() {
    let (desk, folder) = (Desk::open().await, TempDir::new().expect("a folder"));
    let path = folder.path().to_str().expect("a path");
    let (one, two) = (desk.create("One").await, desk.create("Two").await);
    desk.succeed(SYNC, &[path]).await;
    desk.write(Method::PATCH, &one, json!({ "title": "Uno" })).await;
    desk.write(Method::DELETE, &two, Value::Null).await;
    test_support::sql::run(&desk.engine.url(), "UPDATE change_feed SET epoch = 'another'").await;
    assert!(desk.succeed(SYNC, &[path]).await.ends_with("1 changed, 1 removed.\n"));
    assert_eq!(titles(folder.path()), ["Uno"]);
    desk.write(Method::PATCH, &one, json!({ "title": "Une" })).await;
    assert!(desk.succeed(SYNC, &[path]).await.ends_with("1 changed, 0 removed.\n"));
}

/// The lines that a program prints.
fn lines(program: &mut tokio::process::Child) -> Lines<BufReader<ChildStdout>> {
    BufReader::new(program.stdout.take().expect("a pipe")).lines()
}

async fn line(lines: &mut Lines<BufReader<ChildStdout>>) -> String {
    let line = timeout(Duration::from_secs(30), lines.next_line()).await.expect("a line soon");
    line.expect("text").expect("the program goes on")
}

#[tokio::test(flavor = "multi_thread")]
async fn a_local_copy_follows_changes_as_they_come() {
    let (desk, folder) = (Desk::open().await, TempDir::new().expect("a folder"));
    let path = folder.path().to_str().expect("a path");
    let mut sync = desk.command(SYNC, &[path, "--follow"]).spawn().expect("it starts");
    let mut printed = lines(&mut sync);
    assert_eq!(line(&mut printed).await, "0 changed, 0 removed.");
    let one = desk.create("One").await;
    assert_eq!(line(&mut printed).await, format!("{one}  One"));
    desk.write(Method::DELETE, &one, Value::Null).await;
    assert_eq!(line(&mut printed).await, format!("{one}  removed"));
}

#[tokio::test(flavor = "multi_thread")]
async fn changes_are_watched() {
    let desk = Desk::open().await;
    let mut watch = desk.command(WATCH, &[]).env("TOKEN", &desk.token).spawn().expect("it starts");
    let mut printed = lines(&mut watch);
    assert!(line(&mut printed).await.starts_with("watching after "));
    let one = desk.create("One").await;
    assert_eq!(line(&mut printed).await, format!("{one} has changed"));
    let cursor = line(&mut printed).await.split(' ').next_back().expect("a cursor").to_owned();
    desk.write(Method::DELETE, &one, Value::Null).await;
    assert_eq!(line(&mut printed).await, format!("{one} is deleted"));
    let mut again = desk.command(WATCH, &[&cursor]).env("TOKEN", &desk.token).spawn().expect("it starts");
    let mut printed = lines(&mut again);
    line(&mut printed).await;
    assert_eq!(line(&mut printed).await, format!("{one} is deleted"));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_local_copy_recovers_from_an_interrupted_run() {
    let (desk, folder) = (Desk::open().await, TempDir::new().expect("a folder"));
    let path = folder.path().to_str().expect("a path");
    let one = desk.create("One").await;
    desk.succeed(SYNC, &[path]).await;
    let checkpoint = || fs::read(folder.path().join(".checkpoint")).expect("a checkpoint");
    let before = checkpoint();

    // A run that fails after some copies repeats all of them: the checkpoint has not moved.
    desk.write(Method::PATCH, &one, json!({ "title": "Uno" })).await;
    let two = desk.create("Two").await;
    let obstacle = folder.path().join(format!("{two}.json"));
    fs::create_dir(&obstacle).expect("a folder in its place");
    let failed = desk.run(SYNC, &[path]).await;
    assert!(!failed.status.success() && checkpoint() == before, "{failed:?}");
    fs::remove_dir(&obstacle).expect("it is empty");
    // An unfinished file, and a damaged copy.
    fs::write(folder.path().join(".new-half"), "{").expect("a file");
    fs::write(folder.path().join(format!("{one}.json")), "{\"etag\":").expect("a file");
    assert!(desk.succeed(SYNC, &[path]).await.ends_with("2 changed, 0 removed.\n"));
    assert_eq!(titles(folder.path()), ["Two", "Uno"]);
    assert!(!folder.path().join(".new-half").exists());
    // A copy under another's name.
    let file = |id: &str| folder.path().join(format!("{id}.json"));
    fs::copy(file(&two), file(&one)).expect("copied");
    assert!(desk.succeed(SYNC, &[path]).await.ends_with("1 changed, 0 removed.\n"));
    assert_eq!(titles(folder.path()), ["Two", "Uno"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_folder_holds_the_copies_of_one_account() {
    let (mut desk, folder) = (Desk::open().await, TempDir::new().expect("a folder"));
    let path = folder.path().to_str().expect("a path");
    desk.create("One").await;
    desk.succeed(SYNC, &[path]).await;
    make_account(&desk.engine, "ben").await;
    desk.token = make_token(&desk.engine, "ben").await;
    let refused = desk.run(SYNC, &[path, "--complete"]).await;
    assert!(String::from_utf8_lossy(&refused.stderr).contains("another account"), "{refused:?}");
    assert_eq!(titles(folder.path()), ["One"]);
}

/// A signed request of a webhook, as the service sends it.
async fn deliver(address: &str, id: &str, secret: &str, body: &Value) -> u16 {
    // The receiver is a program of its own, which compares with the real time.
    let now = std::time::UNIX_EPOCH.elapsed().expect("a time after 1970").as_secs();
    let (at, body) = (i64::try_from(now).expect("a time before the year 292277026596"), body.to_string());
    let signature = standardwebhooks::Webhook::new(secret).and_then(|it| it.sign(id, at, body.as_bytes()));
    let request = reqwest::Client::new().post(address).header("webhook-id", id).header("webhook-timestamp", at);
    let request = request.header("webhook-signature", signature.expect("a signature")).body(body);
    request.send().await.expect("a response").status().as_u16()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_webhook_is_received_and_verified() {
    let [secret, other] = ["whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD", "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"];
    let mut command = Command::new(WEBHOOK_RECEIVER);
    command.args(["--listen", "127.0.0.1:0"]).env_clear().env("WEBHOOK_SECRET", secret);
    command.stdout(std::process::Stdio::piped()).stderr(std::process::Stdio::null()).kill_on_drop(true);
    let mut receiver = command.spawn().expect("it starts");
    let mut printed = lines(&mut receiver);
    let address = line(&mut printed).await.trim_start_matches("listening at ").to_owned();
    let id = "0190a1b2-0000-7000-8000-000000000001";
    let at = "2027-01-10T12:00:00.000Z";
    let data = json!({ "itineraryId": id, "etag": "\"v2.m\"", "at": at });
    let event = json!({ "type": "itinerary.updated", "timestamp": at, "data": data });
    let test = json!({ "type": "webhook.test", "timestamp": at, "data": { "at": at } });
    assert_eq!(deliver(&address, "msg_1", other, &event).await, 401);
    for _ in 0..2 {
        assert_eq!(deliver(&address, "msg_1", secret, &event).await, 204);
    }
    assert_eq!(deliver(&address, "msg_2", secret, &test).await, 204);
    assert_eq!(line(&mut printed).await, format!("itinerary.updated {id} \"v2.m\""));
    assert_eq!(line(&mut printed).await, "the webhook works", "a repetition is ignored");
}
