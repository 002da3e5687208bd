//! A full disk: writes fail as the contract says, reads go on, and everything works again when space returns. A file
//! system in memory, of a few megabytes, holds the database.

use std::fs::{self, File};
use std::io::{ErrorKind, Write as _};
use std::os::unix::fs::{MetadataExt as _, chown};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use futures::future::{join, join_all};
use itinerary_tests::bodies::lisbon;
use itinerary_tests::engines::Engine;
use itinerary_tests::program::{Program, command, free_address, make_account, succeed, words};
use itinerary_tests::{Postgres, RawResponse, sql};
use reqwest::Method;
use serde_json::{Value, json};
use tempfile::TempDir;
use uuid::Uuid;

const SCOPE: &str = "itineraries:read itineraries:write documents:read documents:write";
const WRITERS: usize = 6;
/// How many rounds of each writer fail before space returns.
const FAILURES: usize = 10;
/// The limit on how long writes may fail after space has returned.
const RECOVERY: Duration = Duration::from_secs(5);

/// A file system in memory, which is unmounted when dropped.
pub(crate) struct Small {
    folder: Option<TempDir>,
}

impl Small {
    /// `None` where mounting is not permitted.
    ///
    /// # Panics
    /// If it is not, although `ITINERARY_REQUIRE_TMPFS=1` is set.
    pub(crate) fn mount(megabytes: u32) -> Option<Self> {
        let folder = TempDir::new().expect("a folder");
        let options = format!("size={megabytes}m,mode=0755");
        let mounted = Command::new("mount").args(["-t", "tmpfs", "-o", &options, "tmpfs"]).arg(folder.path()).output();
        if mounted.is_ok_and(|output| output.status.success()) {
            return Some(Self { folder: Some(folder) });
        }
        let required = std::env::var_os("ITINERARY_REQUIRE_TMPFS").is_some_and(|value| value == "1");
        assert!(!required, "ITINERARY_REQUIRE_TMPFS=1, but a tmpfs cannot be mounted");
        // Bypasses the test harness, which captures the output of print macros.
        let told = std::io::stderr().lock().write_all(b"skipped: a tmpfs cannot be mounted\n");
        told.expect("standard error can be written");
        None
    }

    pub(crate) fn path(&self) -> &Path {
        self.folder.as_ref().expect("it is mounted").path()
    }

    /// A file that takes all space that is left.
    fn fill(&self) -> PathBuf {
        let path = self.path().join("filler");
        let mut file = File::create(&path).expect("a file");
        let zeros = vec![0; 1 << 16];
        let error = loop {
            if let Err(error) = file.write_all(&zeros) {
                break error;
            }
        };
        assert_eq!(error.kind(), ErrorKind::StorageFull);
        path
    }
}

impl Drop for Small {
    fn drop(&mut self) {
        // Lazily, because a failed test may leave files open.
        let _ = Command::new("umount").arg("--lazy").arg(self.path()).status();
        drop(self.folder.take());
    }
}

/// A traveller's server.
struct Server<'s> {
    program: &'s Program,
    token: &'s str,
}

/// An itinerary, as the server last acknowledged it.
struct Trip {
    path: String,
    etag: String,
    summary: String,
    documents: usize,
}

impl Server<'_> {
    fn call(&self, method: Method, path: &str) -> itinerary_tests::raw::Call {
        self.program.call(method, path).token(self.token)
    }

    async fn get(&self, path: &str) -> RawResponse {
        self.call(Method::GET, path).send().await
    }

    /// Creates an itinerary under an idempotency key.
    async fn create(&self, key: Uuid) -> RawResponse {
        let mut body = lisbon();
        body["summary"] = Value::String("before ".repeat(500));
        let call = self.call(Method::POST, "/v1/itineraries?allowDuplicate=true");
        call.header("Idempotency-Key", &key.to_string()).json(&body).send().await
    }

    /// Changes a trip; returns whether the server acknowledged it.
    async fn change(&self, trip: &mut Trip) -> bool {
        let summary = format!("{} ", Uuid::new_v4()).repeat(120).trim_end().to_owned();
        let body = json!({ "summary": summary }).to_string();
        let call = self.call(Method::PATCH, &trip.path).header("If-Match", &trip.etag);
        let response = call.body("application/merge-patch+json", body).send().await;
        let changed = acknowledged(&response, 200);
        if changed {
            (trip.etag, trip.summary) = (response.header("etag").to_owned(), summary);
        }
        changed
    }

    /// Uploads a document; returns whether the server acknowledged it.
    async fn upload(&self, trip: &mut Trip) -> bool {
        let key = "A".repeat(43);
        let mut form = b"--boundary\r\nContent-Disposition: form-data; name=\"file\"; filename=\"pass.age\"\r\n\
            Content-Type: application/octet-stream\r\n\r\n"
            .to_vec();
        form.extend(format!("age-encryption.org/v1\n-> X25519 {key}\n{key}\n--- {key}\n").bytes());
        form.extend(vec![7; 30_000]);
        form.extend(b"\r\n--boundary--\r\n");
        let call = self.call(Method::POST, &format!("{}/documents", trip.path));
        let response = call.body("multipart/form-data; boundary=boundary", form).send().await;
        let stored = acknowledged(&response, 201);
        if stored {
            trip.documents += 1;
            self.get(&trip.path).await.header("etag").clone_into(&mut trip.etag);
        }
        stored
    }

    /// Checks that a trip is as it was acknowledged.
    async fn check(&self, trip: &Trip) {
        let found = self.get(&trip.path).await;
        assert_eq!((found.status.as_u16(), found.header("etag")), (200, &*trip.etag), "{}", found.text());
        assert_eq!(found.json()["summary"], trip.summary);
        let documents = self.get(&format!("{}/documents", trip.path)).await.json();
        assert_eq!(documents["data"].as_array().map(Vec::len), Some(trip.documents));
    }

    /// The number of itineraries.
    async fn count(&self) -> usize {
        let (mut count, mut path) = (0, "/v1/itineraries?limit=100".to_owned());
        loop {
            let page = self.get(&path).await.json();
            count += page["data"].as_array().expect("a list").len();
            let Some(cursor) = page["nextCursor"].as_str() else { return count };
            path = format!("/v1/itineraries?limit=100&cursor={cursor}");
        }
    }
}

/// Whether a write succeeded. If not, it failed as the contract says.
fn acknowledged(response: &RawResponse, success: u16) -> bool {
    if response.status.as_u16() == success {
        return true;
    }
    response.expect_error(502, "upstreamFailed");
    assert!(!response.header("retry-after").is_empty());
    false
}

async fn trip(server: &Server<'_>) -> Trip {
    let made = server.create(Uuid::new_v4()).await;
    assert_eq!(made.status, 201, "{}", made.text());
    Trip {
        path: made.header("location").to_owned(),
        etag: made.header("etag").to_owned(),
        summary: made.json()["summary"].as_str().expect("text").to_owned(),
        documents: 0,
    }
}

/// Writes until enough rounds have failed. Returns the number of itineraries created, and the keys of those that were not.
async fn write(server: &Server<'_>, trip: &mut Trip) -> (usize, Vec<Uuid>) {
    let (mut created, mut failed) = (0, Vec::new());
    while failed.len() < FAILURES {
        let key = Uuid::new_v4();
        if acknowledged(&server.create(key).await, 201) {
            created += 1;
        } else {
            failed.push(key);
        }
        server.change(trip).await;
        server.upload(trip).await;
    }
    (created, failed)
}

/// Reads until writing ends. Every read succeeds.
async fn read(server: &Server<'_>, known: &str, ended: &AtomicBool) -> usize {
    let expected = server.get(known).await;
    let mut reads = 0;
    while !ended.load(Ordering::Relaxed) {
        for path in [known, "/v1/itineraries", "/v1/explore", "/v1/account", "/readyz"] {
            let found = server.get(path).await;
            assert_eq!(found.status, 200, "{path}: {}", found.text());
            if path == known {
                assert_eq!(found.text(), expected.text());
            }
            reads += 1;
        }
    }
    reads
}

/// Starts a server at this address whose log nobody reads, so that the many errors in it do not hold requests up.
async fn serve(engine: &Engine, address: &str) -> Program {
    let mut server = command(words(engine, &["serve", "--listen", address, "--limits", "off"]));
    server.stderr(Stdio::null());
    Program::start(server).await
}

/// Fills the disk of a server that is written to and read, frees it, and checks that nothing is lost or left over.
async fn fill_and_free(engine: &Engine, small: &Small) {
    make_account(engine, "ana").await;
    succeed(command(words(engine, &["account", "plan", "ana", "pro"])), "").await;
    let token = succeed(command(words(engine, &["account", "token", "ana", "--scope", SCOPE])), "").await;
    // The same after the restart, because addresses of covers and tags follow it.
    let address = free_address();
    let program = serve(engine, &address).await;
    let server = Server { program: &program, token: token.trim_end() };
    let mut trips = Vec::new();
    for _ in 0..WRITERS {
        trips.push(trip(&server).await);
    }
    let known = trip(&server).await;
    assert!(server.upload(&mut trips[0]).await && server.change(&mut trips[0]).await);

    let filler = small.fill();
    let ended = AtomicBool::new(false);
    let writing = async {
        let written = join_all(trips.iter_mut().map(|trip| write(&server, trip))).await;
        ended.store(true, Ordering::Relaxed);
        written
    };
    let (written, reads) = join(writing, read(&server, &known.path, &ended)).await;
    assert!(reads > 0);
    for trip in &trips {
        server.check(trip).await;
    }
    let created: usize = written.iter().map(|(created, _)| created).sum();
    assert_eq!(server.count().await, WRITERS + 1 + created, "what failed has left nothing");

    fs::remove_file(filler).expect("it was there");
    let freed = Instant::now();
    let slowest = AtomicUsize::new(0);
    join_all(trips.iter_mut().zip(&written).map(async |(trip, (_, failed))| {
        for key in failed {
            while !acknowledged(&server.create(*key).await, 201) {
                assert!(freed.elapsed() < RECOVERY, "writes still fail");
            }
            slowest.fetch_max(usize::try_from(freed.elapsed().as_millis()).expect("short"), Ordering::Relaxed);
        }
        assert!(server.change(trip).await && server.upload(trip).await);
    }))
    .await;
    let all = WRITERS + 1 + created + WRITERS * FAILURES;
    assert_eq!(server.count().await, all, "each was made once");
    eprintln!("{created} created while full, {reads} reads, all written {slowest:?} ms after space returned");
    program.ask_to_stop();
    assert_eq!(program.exit_code().await, Some(0));

    let program = serve(engine, &address).await;
    let server = Server { program: &program, token: token.trim_end() };
    for trip in trips.iter().chain([&known]) {
        server.check(trip).await;
    }
    assert_eq!(server.count().await, all);
    program.ask_to_stop();
    assert_eq!(program.exit_code().await, Some(0));
}

// SQLite's write-ahead log takes 16 MiB before its space is used again, and more under load.
#[tokio::test(flavor = "multi_thread")]
async fn a_full_disk_under_sqlite_refuses_writes_until_there_is_space() {
    let Some(small) = Small::mount(40) else { return };
    let engine = Engine::new(TempDir::new_in(small.path()).expect("a folder"), None);
    fill_and_free(&engine, &small).await;
    assert_eq!(sql::ask(&engine.url(), "PRAGMA integrity_check").await, "ok");
    assert_eq!(sql::ask(&engine.url(), "SELECT CAST(count(*) AS TEXT) FROM pragma_foreign_key_check").await, "0");
}

/// The tables, and the indexes that list all their rows, without errors.
const CHECKS: [&str; 2] = [
    "SELECT count(bt_index_check(c.oid, true))::text FROM pg_class c JOIN pg_index i ON i.indexrelid = c.oid \
     JOIN pg_am a ON a.oid = c.relam WHERE a.amname = 'btree' AND c.relpersistence = 'p'",
    "SELECT count(*)::text FROM pg_class c, LATERAL verify_heapam(c.oid) f WHERE c.relkind = 'r'",
];

// The write-ahead log is elsewhere: PostgreSQL stops when that disk is full.
#[tokio::test(flavor = "multi_thread")]
async fn a_full_disk_under_postgresql_refuses_writes_until_there_is_space() {
    let folder = TempDir::new().expect("a folder");
    let Some(cluster) = Postgres.empty(folder.path()) else { return };
    let Some(small) = Small::mount(32) else { return };
    let place = small.path().join("tables");
    fs::create_dir(&place).expect("a folder");
    let owner = fs::metadata(sql::ask(&cluster, "SHOW data_directory").await).expect("the cluster's folder");
    chown(&place, Some(owner.uid()), Some(owner.gid())).expect("a folder of PostgreSQL's own");
    sql::run(&cluster, &format!("CREATE TABLESPACE small LOCATION '{}'", place.display())).await;
    sql::run(&cluster, "CREATE DATABASE small TEMPLATE template0 TABLESPACE small").await;
    let (address, _) = cluster.rsplit_once('/').expect("an address with a database");
    let engine = Engine::new(folder, Some(format!("{address}/small")));
    fill_and_free(&engine, &small).await;
    sql::run(&engine.url(), "CREATE EXTENSION amcheck").await;
    assert_ne!(sql::ask(&engine.url(), CHECKS[0]).await, "0");
    assert_eq!(sql::ask(&engine.url(), CHECKS[1]).await, "0");
    sql::run(&cluster, "DROP DATABASE small WITH (FORCE)").await;
    sql::run(&cluster, "DROP TABLESPACE small").await;
}
