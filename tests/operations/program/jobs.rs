//! Periodic jobs: one of several servers runs each, the command line shows and runs them, and a kill leaves the rest to
//! the next run.

use std::fs::{self, File};
use std::time::{Duration, SystemTime};

use futures::future::{join, join_all};
use itinerary_tests::engines::Engine;
use itinerary_tests::program::{command, fail, make_account, run, succeed, words};
use itinerary_tests::{Database, Postgres, Sqlite, api_test, sql};
use serde_json::{Value, json};
use tokio::time::timeout;
use uuid::Uuid;

use crate::program::monitoring::{scrape_all, serve, value};

/// The jobs that one server runs for all.
const SHARED: [&str; 12] = [
    "adopt-covers",
    "check-webhooks",
    "count-totals",
    "delete-files",
    "delete-images",
    "erase-accounts",
    "expire-deliveries",
    "expire-revisions",
    "expire-rows",
    "merge-search-index",
    "note-expiring-tokens",
    "rank-explore",
];

async fn list(engine: &Engine) -> Vec<Value> {
    let listed = succeed(command(words(engine, &["jobs", "list", "--json"])), "").await;
    listed.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect()
}

/// Lists the jobs when none of them is running.
async fn list_at_rest(engine: &Engine) -> Vec<Value> {
    let rest = async {
        loop {
            let listed = list(engine).await;
            if listed.iter().all(|row| row["state"] != "running" && row["state"] != "interrupted") {
                return listed;
            }
        }
    };
    timeout(Duration::from_secs(20), rest).await.expect("every run ends")
}

fn row<'l>(list: &'l [Value], name: &str) -> &'l Value {
    list.iter().find(|row| row["name"] == name).expect("every job is listed")
}

/// Runs a job now; returns how many items it has dealt with.
async fn run_now(engine: &Engine, name: &str) -> u64 {
    let said = succeed(command(words(engine, &["jobs", "run", name, "--json"])), "").await;
    let said: Value = serde_json::from_str(&said).expect("JSON");
    assert_eq!(said["name"], name);
    said["items"].as_u64().expect("a number")
}

async fn count(engine: &Engine, table: &str) -> u64 {
    let counted = sql::ask(&engine.url(), &format!("SELECT CAST(count(*) AS TEXT) FROM {table}")).await;
    counted.parse().expect("a number")
}

/// Inserts rows, numbered `i`.
async fn insert(engine: &Engine, rows: usize, into: &str, values: &str) {
    let numbers = format!("WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < {rows})");
    // SQLite takes a WITH before INSERT, PostgreSQL too.
    sql::run(&engine.url(), &format!("{numbers} INSERT INTO {into} SELECT {values} FROM n")).await;
}

async fn insert_expired(engine: &Engine, rows: usize) {
    insert(engine, rows, "former_usernames (code, free_at)", "'code ' || CAST(i AS TEXT), 1").await;
}

// Each server asks, and the database says which of them runs a job.
#[api_test]
async fn one_of_two_servers_runs_a_job(database: Database) {
    let Some(engine) = Engine::on(database) else { return };
    make_account(&engine, "ana").await;
    assert!(list(&engine).await.iter().all(|row| row["state"] == "never ran" && row["server"] == Value::Null));
    insert_expired(&engine, 1_200).await;
    let ((one, at_one), (two, at_two)) = join(serve(&engine, &[]), serve(&engine, &[])).await;
    let (one_says, two_says) = join(scrape_all(&at_one), scrape_all(&at_two)).await;
    for name in ["count-totals", "delete-images", "expire-rows", "rank-explore"] {
        let runs = |says: &str| {
            let series = format!("job_runs_total{{name=\"{name}\",outcome=\"succeeded\"}}");
            value(says, &series).unwrap_or(0.0)
        };
        assert!((runs(&one_says) + runs(&two_says) - 1.0).abs() < 0.1, "{name}: {one_says}{two_says}");
    }
    assert_eq!(count(&engine, "former_usernames").await, 0);
    // What one has counted, both know.
    for says in [&one_says, &two_says] {
        assert_eq!(value(says, "sessions"), Some(0.0));
        assert_eq!(value(says, "job_last_items{name=\"expire-rows\"}"), Some(1_200.0));
        assert_eq!(value(says, "job_last_failed{name=\"rank-explore\"}"), Some(0.0));
    }
    let listed = list_at_rest(&engine).await;
    for name in SHARED.iter().chain(&["count-reads"]) {
        let row = row(&listed, name);
        assert_eq!((&row["state"], &row["failure"]), (&json!("succeeded"), &Value::Null), "{row}");
        let server = row["server"].as_str().expect("a name");
        assert!([one.id(), two.id()].iter().any(|id| server.ends_with(&format!(":{id}"))), "{server}");
        assert!(row["durationMs"].is_u64() && row["periodSeconds"].is_u64(), "{row}");
    }

    // Beside the servers, and several at once: each row is deleted once.
    insert_expired(&engine, 1_800).await;
    let items = join_all((0..3).map(|_| run_now(&engine, "expire-rows"))).await;
    assert_eq!(items.iter().sum::<u64>(), 1_800, "{items:?}");
    let listed = list(&engine).await;
    let server = row(&listed, "expire-rows")["server"].as_str().expect("a name");
    assert!([one.id(), two.id()].iter().all(|id| !server.ends_with(&format!(":{id}"))), "{server}");
    let table = succeed(command(words(&engine, &["jobs", "list"])), "").await;
    // A heading, and the one job of every server.
    assert!(
        table.lines().count() == SHARED.len() + 2 && table.contains("expire-rows        10 min  succeeded"),
        "{table}"
    );

    let unknown = run(command(words(&engine, &["jobs", "run", "expire-row"])), "").await;
    assert_eq!(unknown.status.code(), Some(2));
    assert!(fail(command(words(&engine, &["jobs", "run", "count-reads"]))).await.contains("in each server"));
}

/// Gives every job something to do.
async fn fill(engine: &Engine, database: Database, files: usize) {
    succeed(command(words(engine, &["demo"])), "").await;
    insert_expired(engine, files).await;
    let (id, hash) = match database {
        Sqlite => ("randomblob(16)", "randomblob(32)"),
        Postgres => ("gen_random_uuid()", "decode(md5(CAST(i AS TEXT)) || md5(CAST(-i AS TEXT)), 'hex')"),
    };
    insert(engine, files, "loose_files (document_id, delete_at)", &format!("{id}, 1")).await;
    let account = "(SELECT id FROM accounts ORDER BY id LIMIT 1)";
    let values = format!("{hash}, {account}, 1, 9000000000000");
    insert(engine, files, "sessions (hash, account_id, created_at, expires_at)", &values).await;
    sql::run(&engine.url(), "UPDATE accounts SET deleted_at = 1").await;
    let images = engine.file("files").join("images");
    fs::create_dir_all(&images).expect("a folder");
    let long_ago = SystemTime::UNIX_EPOCH + Duration::from_hours(300_000);
    for _ in 0..files {
        let image = File::create(images.join(format!("{}.jpg", Uuid::new_v4()))).expect("a file");
        image.set_modified(long_ago).expect("a time");
    }
}

/// Starts a job and kills it after a while. Returns whether it was still running.
async fn kill_during(engine: &Engine, name: &str, after: Duration) -> bool {
    let mut child = command(words(engine, &["jobs", "run", name])).spawn().expect("the program starts");
    tokio::time::sleep(after).await;
    let runs = child.try_wait().expect("it ran").is_none();
    child.kill().await.expect("it is killed");
    runs
}

// Also shows that the claim of a killed run ends soon.
#[api_test]
async fn a_kill_leaves_the_rest_to_the_next_run(database: Database) {
    let Some(engine) = Engine::on(database) else { return };
    let long = std::env::var("ITINERARY_KILL_ROUNDS").ok();
    let long: Option<u32> = long.map(|rounds| rounds.parse().expect("a number of rounds"));
    let (rounds, rows) = (long.unwrap_or(3), if long.is_some() { 20_000 } else { 3_000 });
    fill(&engine, database, rows).await;
    let killed = join_all(SHARED.iter().enumerate().map(|(n, name)| {
        let engine = &engine;
        async move {
            let mut during = 0;
            for round in 0..rounds {
                // Spread over the start of the program and the work.
                let after = Duration::from_millis(40 + (u64::from(round) * 97 + n as u64 * 31) % 700);
                during += u32::from(kill_during(engine, name, after).await);
            }
            run_now(engine, name).await;
            during
        }
    }))
    .await;
    assert!(killed.iter().sum::<u32>() > 0, "{killed:?}");
    println!("jobs killed while they ran, of {rounds} each: {killed:?}");
    // Erasing the accounts may have left files for the other job, which may have run before.
    run_now(&engine, "delete-files").await;
    for table in ["former_usernames WHERE free_at = 1", "loose_files", "sessions", "accounts", "explore", "itineraries"]
    {
        assert_eq!(count(&engine, table).await, 0, "{table}");
    }
    // An empty folder is removed.
    assert_eq!(fs::read_dir(engine.file("files").join("images")).map_or(0, Iterator::count), 0);
    let listed = list(&engine).await;
    for name in SHARED {
        assert_eq!(row(&listed, name)["state"], "succeeded", "{listed:?}");
    }
}

// A failure is kept for the operator, without the data that it concerns.
#[tokio::test(flavor = "multi_thread")]
async fn a_failed_run_is_shown() {
    let engine = Engine::sqlite();
    make_account(&engine, "ana").await;
    sql::run(&engine.url(), "ALTER TABLE former_usernames RENAME TO gone").await;
    let said = fail(command(words(&engine, &["jobs", "run", "expire-rows"]))).await;
    assert!(said.contains("expire-rows failed: ") && said.contains("former_usernames"), "{said}");
    let listed = list(&engine).await;
    let row = row(&listed, "expire-rows");
    assert_eq!(row["state"], "failed");
    assert!(row["failure"].as_str().is_some_and(|why| why.contains("former_usernames")), "{row}");
    assert_eq!(row["lastSuccess"], Value::Null);
    let table = succeed(command(words(&engine, &["jobs", "list"])), "").await;
    assert!(table.contains("expire-rows        10 min  failed"), "{table}");
}

// Listing creates nothing.
#[tokio::test(flavor = "multi_thread")]
async fn a_list_needs_a_database() {
    let engine = Engine::sqlite();
    let missing = engine.file("missing");
    let said = fail(command(["jobs", "list", "--data", &missing.display().to_string()])).await;
    assert!(said.contains("missing"), "{said}");
    assert!(!missing.exists());
}
