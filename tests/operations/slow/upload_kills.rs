//! A server that is killed during uploads loses no acknowledged document, and after a restart there is neither a file
//! without a document nor a document without a file.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use futures::future::{join, join_all};
use itinerary_tests::bodies::on_day;
use itinerary_tests::engines::Engine;
use itinerary_tests::program::{Program, command, make_account, succeed, words};
use itinerary_tests::{Database, RawResponse, api_test, sql};
use openssl::sha::sha256;
use reqwest::Method;
use tokio::sync::Semaphore;

use itinerary_tests::app::text;
use itinerary_tests::documents::{SCOPE, documents, files};
use itinerary_tests::forms::{Form, content_type};
use itinerary_tests::sealed_files;

/// The number of uploads in a round.
const UPLOADS: u32 = 200;
const AT_ONCE: usize = 16;
/// In each round, the server is killed after this many acknowledged uploads.
const KILLS: [u32; 3] = [3, 40, 90];
/// Rate limits are off, because more is uploaded than they allow.
const FLAGS: [&str; 2] = ["--limits", "off"];

/// The file of an upload, of one piece or several.
fn file(number: u32) -> Vec<u8> {
    sealed_files::age_of(if number.is_multiple_of(4) { 600_000 } else { 20_000 } + number as usize, number)
}

/// The numbers of acknowledged files, by their documents' ids.
type Acknowledged = BTreeMap<String, u32>;

/// A server and itineraries on it. Several, because concurrent uploads to one may be rejected.
struct Desk<'s> {
    server: &'s Program,
    token: &'s str,
    ids: &'s [String],
}

impl Desk<'_> {
    /// Uploads files until all are uploaded or the server is gone.
    async fn upload(&self, next: &AtomicU32, end: u32, acknowledged: &Semaphore) -> Acknowledged {
        let mut written = Acknowledged::new();
        loop {
            let number = next.fetch_add(1, Ordering::Relaxed);
            if number >= end {
                return written;
            }
            let form = Form::new().file(file(number)).end();
            let itinerary = &self.ids[number as usize % self.ids.len()];
            let call = self.server.call(Method::POST, &documents(itinerary)).token(self.token);
            let Ok(response) = call.body(&content_type(), form).0.send().await else { return written };
            let status = response.status();
            let Ok(body) = response.text().await else { return written };
            assert_eq!(status, 201, "{body}");
            let document: serde_json::Value = serde_json::from_str(&body).expect("JSON");
            written.insert(text(&document["id"]), number);
            acknowledged.add_permits(1);
        }
    }

    /// Uploads files, and kills the server after this many.
    async fn upload_and_kill(&self, next: &AtomicU32, end: u32, kill_after: u32) -> Acknowledged {
        let acknowledged = Semaphore::new(0);
        let kill = async {
            let _enough = acknowledged.acquire_many(kill_after).await.expect("it is never closed");
            self.server.kill_now();
        };
        let uploads = join_all((0..AT_ONCE).map(|_| self.upload(next, end, &acknowledged)));
        let (written, ()) = join(uploads, kill).await;
        written.into_iter().flatten().collect()
    }

    async fn get(&self, path: &str) -> RawResponse {
        let response = self.server.call(Method::GET, path).token(self.token).send().await;
        assert_eq!(response.status, 200, "{path}: {}", response.text());
        response
    }

    /// Checks that every listed document can be downloaded, and that acknowledged ones exist unchanged. Returns the
    /// ids.
    async fn expect_all(&self, acknowledged: &Acknowledged) -> BTreeSet<String> {
        let mut listed = BTreeSet::new();
        for itinerary in self.ids {
            let path = documents(itinerary);
            for entry in self.get(&path).await.json()["data"].as_array().expect("a list") {
                let id = text(&entry["id"]);
                let url = text(&self.get(&format!("{path}/{id}/link")).await.json()["url"]);
                let path = url.strip_prefix(&self.server.base_url).expect("it is the server's own");
                let download = self.server.call(Method::GET, path).send().await;
                assert_eq!(download.status, 200, "{id}: {}", download.text());
                assert_eq!(entry["file"]["size"], download.body.len());
                if let Some(number) = acknowledged.get(&id) {
                    assert_eq!(sha256(&download.body), sha256(&file(*number)), "{id}");
                }
                listed.insert(id);
            }
        }
        let lost: Vec<_> = acknowledged.keys().filter(|id| !listed.contains(*id)).collect();
        assert!(lost.is_empty(), "acknowledged and not there: {lost:?}");
        listed
    }
}

#[api_test]
async fn a_kill_during_uploads_loses_no_document(database: Database) {
    let Some(engine) = Engine::on(database) else { return };
    make_account(&engine, "ana").await;
    succeed(command(words(&engine, &["account", "plan", "ana", "pro"])), "").await;
    let token = succeed(command(words(&engine, &["account", "token", "ana", "--scope", SCOPE])), "").await;
    let token = token.trim_end();
    let mut server = Program::serve(&engine, &FLAGS).await;
    let mut ids = Vec::new();
    for day in 1..=4 {
        let made = server.call(Method::POST, "/v1/itineraries").token(token).json(&on_day(day)).send().await;
        ids.push(text(&made.json()["id"]));
    }

    let (mut acknowledged, next) = (Acknowledged::new(), AtomicU32::new(0));
    for (round, kill_after) in (1..).zip(KILLS) {
        let desk = Desk { server: &server, token, ids: &ids };
        acknowledged.append(&mut desk.upload_and_kill(&next, round * UPLOADS, kill_after).await);
        next.store(round * UPLOADS, Ordering::Relaxed);
        server.exit_code().await;
        server = Program::serve(&engine, &FLAGS).await;
        Desk { server: &server, token, ids: &ids }.expect_all(&acknowledged).await;
    }
    assert!(acknowledged.len() > 10, "{} were acknowledged", acknowledged.len());

    // An hour later, the job deletes the remains of killed uploads. It runs when a server starts.
    server.kill_now();
    server.exit_code().await;
    let left = files(engine.data()).len();
    sql::run(&engine.url(), "UPDATE loose_files SET delete_at = 0").await;
    server = Program::serve(&engine, &FLAGS).await;
    let count = "SELECT CAST(COUNT(*) AS TEXT) FROM loose_files";
    while sql::ask(&engine.url(), count).await != "0" {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    let documents = Desk { server: &server, token, ids: &ids }.expect_all(&acknowledged).await;
    assert_eq!(files(engine.data()).into_iter().collect::<BTreeSet<_>>(), documents, "of {left} files");
    let rows = sql::ask(&engine.url(), "SELECT CAST(COUNT(*) AS TEXT) FROM documents").await;
    assert_eq!(rows, documents.len().to_string());
}
