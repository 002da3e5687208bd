//! F-24: a backup is made while travellers write, and a server on the restored data answers the same.
//!
//! One round runs with the other tests. `ITINERARY_BACKUP_ROUNDS=20` sets their number.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use futures::future::{join, join_all};
use itinerary_tests::bodies::{lisbon, on_day, with};
use itinerary_tests::engines::Engine;
use itinerary_tests::program::{Program, command, fail, make_account, make_token, succeed, words};
use itinerary_tests::{Database, Postgres, RawResponse, Sqlite, api_test, sql};
use reqwest::Method;
use serde_json::{Value, json};
use tempfile::TempDir;

/// Travellers who write while the backup runs.
const WRITERS: usize = 6;
const SCOPE: &str = "itineraries:read itineraries:write documents:read documents:write";

/// A form with a sealed file that names itself.
pub(crate) fn form(name: &str) -> Vec<u8> {
    let (key, text) = ("A".repeat(43), format!("{name:->600}"));
    let head = "content-disposition: form-data; name=\"file\"; filename=\"pass.age\"";
    format!("--b\r\n{head}\r\n\r\nage-encryption.org/v1\n-> X25519 {key}\n{key}\n--- {key}\n{text}\r\n--b--\r\n")
        .into_bytes()
}

/// A traveller's tokens and a server.
struct Traveller<'s> {
    server: &'s Program,
    token: String,
}

impl Traveller<'_> {
    async fn call(&self, method: Method, path: &str, body: Option<Value>) -> RawResponse {
        let call = self.server.call(method, path).token(&self.token);
        let call = if let Some(body) = body { call.json(&body) } else { call };
        call.send().await
    }

    async fn created(&self, body: Value) -> String {
        let made = self.call(Method::POST, "/v1/itineraries?allowDuplicate=true", Some(body)).await;
        assert_eq!(made.status, 201, "{}", made.text());
        made.json()["id"].as_str().expect("an id").to_owned()
    }

    /// Creates a secret link of an own itinerary. Returns the path of its page.
    async fn link(&self) -> String {
        let own = self.call(Method::GET, "/v1/itineraries?filter=owned", None).await.json();
        let links = format!("/v1/itineraries/{}/links", own["data"][0]["id"].as_str().expect("an id"));
        let made = self.call(Method::POST, &links, Some(json!({ "label": "Parents" }))).await;
        assert_eq!(made.status, 201, "{}", made.text());
        let url = made.json()["url"].as_str().expect("an address").to_owned();
        url[url.find("/t/").expect("a path")..].to_owned()
    }

    async fn uploaded(&self, itinerary: &str, name: &str) -> String {
        let call = self.server.call(Method::POST, &format!("/v1/itineraries/{itinerary}/documents")).token(&self.token);
        let response = call.body("multipart/form-data; boundary=b", form(name)).send().await;
        assert_eq!(response.status, 201, "{}", response.text());
        response.json()["id"].as_str().expect("an id").to_owned()
    }

    /// Every response that this traveller gets, with ETags, files and images.
    async fn everything(&self, itineraries: &[String]) -> BTreeMap<String, Value> {
        let mut responses = BTreeMap::new();
        for path in ["/v1/account", "/v1/itineraries?limit=100"] {
            let response = self.call(Method::GET, path, None).await;
            assert_eq!(response.status, 200, "{path}: {}", response.text());
            responses.insert(path.to_owned(), stable(response.json()));
        }
        // In random order.
        let mut explore = self.call(Method::GET, "/v1/explore?limit=100", None).await.json();
        let entries = explore["data"].as_array_mut().expect("a page");
        entries.sort_by_key(|entry| entry["id"].to_string());
        responses.insert("explore".to_owned(), stable(explore["data"].take()));
        for id in itineraries {
            let path = format!("/v1/itineraries/{id}");
            let response = self.call(Method::GET, &path, None).await;
            let found = json!([response.status.as_u16(), response.header("etag"), stable(response.json())]);
            if let Some(cover) =
                response.json()["coverImage"]["url"].as_str().and_then(|url| url.find("/images/").map(|at| &url[at..]))
            {
                let image = self.server.call(Method::GET, cover).send().await;
                assert_eq!(image.status, 200, "{cover}");
                responses.insert(cover.to_owned(), json!(image.body));
            }
            responses.insert(path, found);
            for (document, file) in self.documents(id).await {
                responses.insert(document, json!(file));
            }
        }
        responses
    }

    /// The ids and files of an itinerary's documents.
    async fn documents(&self, itinerary: &str) -> Vec<(String, Vec<u8>)> {
        let list = self.call(Method::GET, &format!("/v1/itineraries/{itinerary}/documents"), None).await.json();
        let mut files = Vec::new();
        for document in list["data"].as_array().into_iter().flatten() {
            let id = document["id"].as_str().expect("an id").to_owned();
            let link = self.call(Method::GET, &format!("/v1/itineraries/{itinerary}/documents/{id}/link"), None).await;
            let link = link.json()["url"].as_str().expect("a link").to_owned();
            let path = &link[link.find("/documents/").expect("a path")..];
            let file = self.server.call(Method::GET, path).send().await;
            assert_eq!(
                (file.status.as_u16(), file.body.len() as u64),
                (200, document["file"]["size"].as_u64().expect("a size"))
            );
            files.push((id, file.body));
        }
        files
    }
}

/// A response without what differs between two reads: sealed links and cursors, and counted views.
fn stable(mut response: Value) -> Value {
    fn clean(value: &mut Value) {
        match value {
            Value::Object(fields) => {
                for volatile in ["requestId", "viewsCount", "nextCursor", "linkExpiresAt", "urlExpiresAt", "expiresAt"]
                {
                    fields.remove(volatile);
                }
                if fields.get("url").and_then(Value::as_str).is_some_and(|url| url.contains("/documents/")) {
                    fields.remove("url");
                }
                fields.values_mut().for_each(clean);
            }
            Value::Array(values) => values.iter_mut().for_each(clean),
            _ => {}
        }
    }
    clean(&mut response);
    response
}

/// What a writer knows to be stored: the last acknowledged summary of each itinerary.
type Acknowledged = Mutex<BTreeMap<String, String>>;

/// Creates, changes and deletes itineraries and documents until told to stop.
async fn write(traveller: &Traveller<'_>, writer: usize, stop: &AtomicBool, acknowledged: &Acknowledged) {
    let mut n = 0;
    while !stop.load(Ordering::Relaxed) {
        let summary = |edition: usize| format!("{writer}.{n}.{edition} ").repeat(200).trim().to_owned();
        let id = traveller.created(with(on_day(1 + n % 28), json!({ "summary": summary(0) }))).await;
        let known = |edition| acknowledged.lock().expect("no panic").insert(id.clone(), summary(edition));
        known(0);
        let documents = [traveller.uploaded(&id, "first").await, traveller.uploaded(&id, "second").await];
        for edition in 1..3 {
            let itinerary = format!("/v1/itineraries/{id}");
            let patch =
                traveller.server.call(Method::PATCH, &itinerary).token(&traveller.token).header("If-Match", "*");
            let changed = patch.json(&json!({ "summary": summary(edition) })).send().await;
            assert_eq!(changed.status, 200, "{}", changed.text());
            known(edition);
        }
        let path = format!("/v1/itineraries/{id}/documents/{}", documents[0]);
        let deleted = traveller.server.call(Method::DELETE, &path).token(&traveller.token).header("If-Match", "*");
        assert!(deleted.send().await.status.is_success());
        if n % 3 == 2 {
            acknowledged.lock().expect("no panic").remove(&id);
            let path = format!("/v1/itineraries/{id}");
            let deleted = traveller.server.call(Method::DELETE, &path).token(&traveller.token).header("If-Match", "*");
            assert_eq!(deleted.send().await.status, 204);
        }
        n += 1;
    }
}

/// The flags of the restored server, at the same address, because answers contain it.
async fn serve_at(engine: &Engine, address: &str) -> Program {
    Program::start(command(words(engine, &["serve", "--listen", address, "--limits", "off"]))).await
}

/// The names of a folder's files.
fn files(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).into_iter().flatten();
    let mut names: Vec<_> =
        entries.map(|entry| entry.expect("an entry").file_name().into_string().expect("text")).collect();
    names.sort();
    names
}

/// Sets up travellers whose data stays as it is. Returns their tokens and ana's itineraries.
async fn settle(engine: &Engine, server: &Program) -> (Vec<String>, Vec<String>) {
    let mut tokens = Vec::new();
    for name in ["ana", "ben"] {
        make_account(engine, name).await;
        succeed(command(words(engine, &["account", "plan", name, "pro"])), "").await;
        let token = succeed(command(words(engine, &["account", "token", name, "--scope", SCOPE])), "").await;
        tokens.push(token.trim_end().to_owned());
    }
    let (ana, ben) = (Traveller { server, token: tokens[0].clone() }, Traveller { server, token: tokens[1].clone() });
    let mut itineraries = vec![ana.created(lisbon()).await];
    for day in 1..4 {
        let id = ana.created(with(on_day(day), json!({ "packing": [{ "name": "Hat" }] }))).await;
        let publish = server.call(Method::PATCH, &format!("/v1/itineraries/{id}")).token(&tokens[0]);
        let published = publish.header("If-Match", "*").json(&json!({ "visibility": "public" })).send().await;
        assert_eq!(published.status, 200, "{}", published.text());
        itineraries.push(id);
    }
    for name in ["boarding", "hotel", "museum"] {
        ana.uploaded(&itineraries[0], name).await;
    }
    let path = format!("/v1/itineraries/{}/cover-image", itineraries[1]);
    let picture = image::DynamicImage::new_rgb8(320, 200);
    let mut png = std::io::Cursor::new(Vec::new());
    picture.write_to(&mut png, image::ImageFormat::Png).expect("a picture");
    let set = server.call(Method::PUT, &path).token(&tokens[0]).header("If-Match", "*");
    let set = set.body("image/png", png.into_inner()).send().await;
    assert_eq!(set.status, 200, "{}", set.text());
    let like = ben.call(Method::PUT, &format!("/v1/itineraries/{}/like", itineraries[1]), None).await;
    assert!(like.status.is_success(), "{}", like.text());
    let account =
        ana.call(Method::GET, "/v1/account", None).await.json()["accountId"].as_str().expect("an id").to_owned();
    let follow = ben.call(Method::PUT, &format!("/v1/accounts/{account}/follow"), None).await;
    assert!(follow.status.is_success(), "{}", follow.text());
    (tokens, itineraries)
}

#[api_test]
async fn a_backup_under_load_restores_to_a_server_that_answers_the_same(database: Database) {
    let rounds = std::env::var("ITINERARY_BACKUP_ROUNDS").map_or(1, |rounds| rounds.parse().expect("a number"));
    let Some(engine) = Engine::on(database) else { return };
    let mut server = Program::serve(&engine, &["--limits", "off"]).await;
    let address = server.address().to_string();
    let (tokens, itineraries) = settle(&engine, &server).await;
    let link = Traveller { server: &server, token: tokens[0].clone() }.link().await;
    make_account(&engine, "writer").await;
    succeed(command(words(&engine, &["account", "plan", "writer", "pro"])), "").await;
    let token = succeed(command(words(&engine, &["account", "token", "writer", "--scope", SCOPE])), "").await;
    let token = token.trim_end().to_owned();
    let (acknowledged, folder) = (Acknowledged::default(), TempDir::new().expect("a folder"));
    for round in 0..rounds {
        let file = folder.path().join(format!("{round}.tar"));
        let path = file.display().to_string();
        let mut before = Vec::new();
        let reader = Traveller { server: &server, token: token.clone() };
        let begun = reader.call(Method::GET, "/v1/changes", None).await.json();
        let changes = format!("/v1/changes?cursor={}", begun["nextCursor"].as_str().expect("a cursor"));
        for token in &tokens {
            let traveller = Traveller { server: &server, token: token.clone() };
            before.push(traveller.everything(&itineraries).await);
        }
        let (stop, earlier) = (AtomicBool::new(false), Mutex::new(BTreeMap::new()));
        let writer = Traveller { server: &server, token: token.clone() };
        let writing = join_all((0..WRITERS).map(|n| write(&writer, n, &stop, &acknowledged)));
        let backing_up = async {
            tokio::time::sleep(std::time::Duration::from_millis(700)).await;
            earlier.lock().expect("no panic").clone_from(&acknowledged.lock().expect("no panic"));
            let said = succeed(command(words(&engine, &["backup", &path, "--json"])), "").await;
            stop.store(true, Ordering::Relaxed);
            serde_json::from_str::<Value>(&said).expect("JSON")
        };
        let (_, said) = join(writing, backing_up).await;
        assert!(said["rows"].as_u64() > Some(20) && said["files"].as_u64() >= Some(5), "{said}");
        assert_eq!((&said["missingFiles"], &said["key"]), (&json!(0), &json!(true)), "{said}");
        assert_eq!(files(folder.path()).len(), round + 1, "no temporary file is left");

        let Some(restored) = Engine::on(database) else { return };
        succeed(command(words(&restored, &["restore", &path])), "").await;
        if matches!(database, Sqlite) {
            assert_eq!(sql::ask(&restored.url(), "PRAGMA integrity_check").await, "ok");
        }
        server.ask_to_stop();
        assert_eq!(server.exit_code().await, Some(0));
        let started = Instant::now();
        let copy = serve_at(&restored, &address).await;
        for (token, before) in tokens.iter().zip(&before) {
            let traveller = Traveller { server: &copy, token: token.clone() };
            let after = traveller.everything(&itineraries).await;
            for (path, response) in before {
                assert_eq!(after.get(path), Some(response), "{path}");
            }
            assert_eq!(after.len(), before.len());
        }
        assert_eq!(copy.call(Method::GET, &link).send().await.status, 200, "the secret link");
        let reader = Traveller { server: &copy, token: token.clone() };
        reader.call(Method::GET, &changes, None).await.expect_error(410, "cursorExpired");
        assert_eq!(reader.call(Method::GET, "/v1/changes", None).await.status, 200, "a new cursor");
        let earlier = earlier.into_inner().expect("no panic");
        whole(&Traveller { server: &copy, token: token.clone() }, &earlier, &acknowledged).await;
        let rows = sql::ask(&restored.url(), "SELECT CAST(count(*) AS TEXT) FROM documents").await;
        assert_eq!(files(&restored.file("files/documents")).len().to_string(), rows, "files without rows");
        eprintln!("{database:?} round {round}: {said}, reads compared in {:?}", started.elapsed());
        copy.ask_to_stop();
        assert_eq!(copy.exit_code().await, Some(0));
        server = serve_at(&engine, &address).await;
    }
}

/// Checks what was written during the backup: acknowledged before it began is there, and nothing is half-written.
async fn whole(writer: &Traveller<'_>, earlier: &BTreeMap<String, String>, later: &Acknowledged) {
    let mut stored = BTreeMap::new();
    let mut path = "/v1/itineraries?limit=100".to_owned();
    loop {
        let page = writer.call(Method::GET, &path, None).await.json();
        for entry in page["data"].as_array().expect("a list") {
            let id = entry["id"].as_str().expect("an id").to_owned();
            let itinerary = writer.call(Method::GET, &format!("/v1/itineraries/{id}"), None).await.json();
            let summary = itinerary["summary"].as_str().expect("a summary").to_owned();
            let first = summary.split(' ').next().expect("a word");
            assert!(summary.split(' ').all(|word| word == first), "half-written: {summary}");
            assert_eq!(itinerary["documents"].as_array().map_or(0, Vec::len), writer.documents(&id).await.len());
            stored.insert(id, summary);
        }
        match page["nextCursor"].as_str() {
            Some(cursor) => path = format!("/v1/itineraries?limit=100&cursor={cursor}"),
            None => break,
        }
    }
    let edition =
        |summary: &str| summary.split(' ').next().and_then(|word| word.rsplit('.').next()?.parse::<u32>().ok());
    for (id, summary) in earlier {
        match stored.get(id) {
            Some(found) => assert!(edition(found) >= edition(summary), "{found} is older than {summary}"),
            // It may have been deleted before the snapshot.
            None => assert!(!later.lock().expect("no panic").contains_key(id), "{id} is lost"),
        }
    }
    assert!(!stored.is_empty());
}

// How an operator moves from SQLite to PostgreSQL.
#[tokio::test(flavor = "multi_thread")]
async fn a_backup_of_sqlite_restores_to_postgresql() {
    let (engine, Some(moved)) = (Engine::sqlite(), Engine::on(Postgres)) else { return };
    let server = Program::serve(&engine, &["--limits", "off"]).await;
    let address = server.address().to_string();
    let (tokens, itineraries) = settle(&engine, &server).await;
    let mut before = Vec::new();
    for token in &tokens {
        before.push(Traveller { server: &server, token: token.clone() }.everything(&itineraries).await);
    }
    server.ask_to_stop();
    assert_eq!(server.exit_code().await, Some(0));
    let file = engine.file("backup.tar").display().to_string();
    succeed(command(words(&engine, &["backup", &file])), "").await;
    let said = succeed(command(words(&moved, &["restore", &file, "--json"])), "").await;
    let said: Value = serde_json::from_str(&said).expect("JSON");
    assert_eq!((&said["database"], &said["migrationsPending"]), (&json!("PostgreSQL"), &json!(false)), "{said}");
    let rows = sql::ask(&engine.url(), "SELECT CAST(count(*) AS TEXT) FROM itineraries").await;
    assert_eq!(sql::ask(&moved.url(), "SELECT count(*)::text FROM itineraries").await, rows);
    assert_eq!(files(moved.data()), ["files", "server.key"], "no temporary file is left");
    let copy = serve_at(&moved, &address).await;
    for (token, before) in tokens.iter().zip(&before) {
        let after = Traveller { server: &copy, token: token.clone() }.everything(&itineraries).await;
        assert_eq!(after, *before);
    }
    let found = Traveller { server: &copy, token: tokens[1].clone() };
    let found = found.call(Method::GET, "/v1/explore?q=lisbon", None).await.json();
    assert!(found["data"].as_array().is_some_and(|data| !data.is_empty()), "the search index is there: {found}");
}

// A backup without files, to standard output and from standard input; and what a missing file or key costs.
#[api_test]
async fn a_backup_may_be_piped_and_may_lack_parts(database: Database) {
    let (Some(engine), Some(restored)) = (Engine::on(database), Engine::on(database)) else { return };
    let server = Program::serve(&engine, &[]).await;
    let (tokens, itineraries) = settle(&engine, &server).await;
    let ana = Traveller { server: &server, token: tokens[0].clone() };
    let documents = ana.documents(&itineraries[0]).await;
    fs::remove_file(engine.file("files/documents").join(&documents[0].0)).expect("the file is there");
    fs::remove_file(engine.file("server.key")).expect("the key is there");
    let backup = itinerary_tests::program::run(command(words(&engine, &["backup", "-"])), "").await;
    let said = String::from_utf8_lossy(&backup.stderr).into_owned();
    assert!(backup.status.success(), "{said}");
    assert!(said.contains(&format!("missing: the file documents/{}", documents[0].0)), "{said}");
    assert!(said.contains("server.key does not exist") && said.contains("1 missing"), "{said}");

    let mut restore = command(words(&restored, &["restore", "-"]));
    restore.stdin(std::process::Stdio::piped()).stdout(std::process::Stdio::piped());
    let mut child = restore.spawn().expect("it starts");
    tokio::io::AsyncWriteExt::write_all(&mut child.stdin.take().expect("it was piped"), &backup.stdout)
        .await
        .expect("it reads");
    let output = child.wait_with_output().await.expect("it ran");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    assert!(String::from_utf8_lossy(&output.stdout).contains("The backup has no server.key"), "it warns");
    assert_eq!(files(&restored.file("files/documents")).len(), 2);
    assert!(!restored.file("server.key").exists());
    let token = make_token_after_key(&restored).await;
    let copy = Program::serve(&restored, &[]).await;
    assert_eq!(
        copy.call(Method::GET, "/v1/itineraries").token(&token).send().await.json()["data"].as_array().map(Vec::len),
        Some(4)
    );

    let (without, again) = (engine.file("without.tar"), Engine::on(database).expect("it is installed"));
    let said = succeed(command(words(&engine, &["backup", &without.display().to_string(), "--no-files"])), "").await;
    assert!(said.contains("no files (--no-files)"), "{said}");
    let said = succeed(command(words(&again, &["restore", &without.display().to_string()])), "").await;
    assert!(said.contains("restore images and documents yourself"), "{said}");
    assert!(!again.file("files").exists());
}

#[api_test]
async fn a_backup_of_an_older_version_is_migrated_after_the_restore(database: Database) {
    // This migration sets options, so it can be applied twice.
    const LAST: &str = "m20261123_000014_search_index";
    let (Some(engine), Some(restored)) = (Engine::on(database), Engine::on(database)) else { return };
    make_account(&engine, "ana").await;
    sql::ask(&engine.url(), &format!("DELETE FROM seaql_migrations WHERE version = '{LAST}' RETURNING version")).await;
    let backup = engine.file("older.tar").display().to_string();
    succeed(command(words(&engine, &["backup", &backup])), "").await;
    let said = succeed(command(words(&restored, &["restore", &backup])), "").await;
    assert!(said.ends_with("The backup is of an older version: run the command migrate, or serve.\n"), "{said}");
    let said = fail(command(words(&restored, &["migrate", "--check"]))).await;
    assert!(said.contains("lacks 1 of this version's migrations"), "{said}");
    let said = succeed(command(words(&restored, &["migrate"])), "").await;
    assert!(said.starts_with(LAST), "{said}");
    assert_eq!(succeed(command(words(&restored, &["account", "list", "-q"])), "").await, "ana\n");
}

// After a restore from separate copies of database and files, the command lists what does not match.
#[api_test]
async fn files_are_compared_with_the_database(database: Database) {
    let Some(engine) = Engine::on(database) else { return };
    let server = Program::serve(&engine, &[]).await;
    let (tokens, itineraries) = settle(&engine, &server).await;
    let ana = Traveller { server: &server, token: tokens[0].clone() };
    let documents = ana.documents(&itineraries[0]).await;
    let check = async |more: &[&str]| succeed(command(words(&engine, &[&["files", "check"], more].concat())), "").await;
    assert_eq!(check(&[]).await, "0 documents without their file, 0 files without a document.\n");
    let folder = engine.file("files/documents");
    let (loose, recent) = ("0198c0de-0000-7000-8000-00000000000a", "0198c0de-0000-7000-8000-00000000000b");
    // An upload in progress has a recent file.
    for name in [loose, recent] {
        fs::copy(folder.join(&documents[0].0), folder.join(name)).expect("a copy");
    }
    let old = fs::File::options().write(true).open(folder.join(loose)).expect("the copy");
    let now = old.metadata().and_then(|copy| copy.modified()).expect("a time");
    let two_hours_ago = now - std::time::Duration::from_hours(2);
    old.set_modified(two_hours_ago).expect("its time is set");
    fs::remove_file(folder.join(&documents[0].0)).expect("the file is there");
    let expected = format!("missing  documents/{}\nloose    documents/{loose}\n", documents[0].0);
    assert!(check(&[]).await.starts_with(&expected));
    let said = check(&["--delete-loose"]).await;
    assert!(said.ends_with("1 documents without their file, 1 files without a document, deleted.\n"), "{said}");
    assert!(!folder.join(loose).exists() && folder.join(recent).exists());
}

async fn make_token_after_key(engine: &Engine) -> String {
    // Creates the missing key.
    succeed(command(words(engine, &["migrate"])), "").await;
    make_token(engine, "ana").await
}
