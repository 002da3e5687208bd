//! The command `migrate`, a newer schema, and a migration that is killed.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use futures::future::{join, join_all};
use itinerary_store::{MigrationSteps, Options, Store};
use itinerary_tests::bodies::on_day;
use itinerary_tests::engines::Engine;
use itinerary_tests::program::{Program, command, free_address, make_account, make_token, run, succeed, traced, words};
use itinerary_tests::{Database, api_test, sql};
use reqwest::Method;
use serde_json::{Value, json};

const LATER: &str = "m29990101_000001_later";

/// Migrates as a later version, whose migration only adds.
async fn migrate_further(engine: &Engine) {
    let store = Store::open(&engine.url(), &Options::default()).await.expect("the database opens");
    let statements = ["ALTER TABLE itineraries ADD COLUMN theme TEXT", "CREATE TABLE badges (name TEXT NOT NULL)"];
    let later = MigrationSteps { name: LATER.to_owned(), statements: statements.map(str::to_owned).into() };
    let migrations = Store::migrations(store.kind()).into_iter().chain([later]).collect();
    assert_eq!(store.migrate_by(migrations).await.expect("migrated").len(), 1);
    store.close().await.expect("closed");
}

/// The files below a folder with their contents, without those that belong to SQLite's open connections.
fn files(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut found = BTreeMap::new();
    for entry in fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        let name = path.display().to_string();
        if path.is_dir() {
            found.extend(files(&path));
        } else if !name.ends_with("-wal") && !name.ends_with("-shm") {
            found.insert(name, fs::read(&path).expect("a file"));
        }
    }
    found
}

#[api_test]
async fn migrate_says_what_it_applies_and_check_what_it_would(database: Database) {
    let Some(engine) = Engine::on(database) else { return };
    let call = async |more: &[&str]| {
        let output = run(command(words(&engine, more)), "").await;
        let [out, err] = [output.stdout, output.stderr].map(|text| String::from_utf8(text).expect("text"));
        (output.status.code(), out, err)
    };
    let before = files(engine.data());
    let (code, pending, said) = call(&["migrate", "--check"]).await;
    let pending: Vec<_> = pending.lines().map(str::to_owned).collect();
    assert_eq!(code, Some(1), "{said}");
    assert!(
        said.starts_with(&format!(
            "itinerary-server: the database lacks {} of this version's migrations",
            pending.len()
        )),
        "{said}"
    );
    assert!(pending.len() > 5 && pending.is_sorted(), "{pending:?}");
    assert!(files(engine.data()) == before, "it wrote");
    if engine.url().starts_with("postgres") {
        let tables = "SELECT count(*)::text FROM pg_class WHERE relnamespace = current_schema()::regnamespace";
        assert_eq!(sql::ask(&engine.url(), tables).await, "0", "it wrote");
    }
    let (code, out, _) = call(&["migrate", "--check", "--json"]).await;
    let out: Value = serde_json::from_str(&out).expect("JSON");
    assert_eq!((code, out), (Some(1), json!({ "migrationsPending": pending.len(), "migrations": pending })));

    let (code, said, _) = call(&["migrate"]).await;
    assert_eq!(code, Some(0));
    let applied: Vec<_> = said.lines().filter_map(|line| line.strip_suffix(" s")?.split_once("  ")).collect();
    assert_eq!(applied.iter().map(|(name, _)| (*name).to_owned()).collect::<Vec<_>>(), pending, "{said}");
    assert!(applied.iter().all(|(_, seconds)| seconds.parse::<f64>().is_ok()), "{said}");
    let end = format!("\n{} migrations applied; the database is up to date.\n", pending.len());
    assert!(said.ends_with(&end), "{said}");

    for (more, expected) in [
        (&["migrate", "--check"][..], "No migration is pending; the database is up to date.\n"),
        (&["migrate"], "0 migrations applied; the database is up to date.\n"),
        (&["migrate", "--quiet"], ""),
        (&["migrate", "--json"], "{\"migrations\":[],\"migrationsApplied\":0}\n"),
        (&["migrate", "--check", "--json"], "{\"migrations\":[],\"migrationsPending\":0}\n"),
    ] {
        assert_eq!(call(more).await, (Some(0), expected.to_owned(), String::new()), "{more:?}");
    }
}

#[api_test]
async fn a_newer_schema_is_refused_and_left_alone(database: Database) {
    let Some(engine) = Engine::on(database) else { return };
    make_account(&engine, "ana").await;
    migrate_further(&engine).await;
    let rows = async || {
        let mut rows = sql::dump(&engine.url()).await;
        rows.retain(|(table, _)| !table.starts_with("sqlite_"));
        rows.sort();
        rows
    };
    let before = rows().await;
    let address = free_address();
    for arguments in [
        &["serve", "--listen", &address][..],
        &["serve", "--listen", &address, "--no-migrate"],
        &["migrate"],
        &["migrate", "--check"],
        &["account", "list"],
        &["account", "create", "ben"],
        &["account", "plan", "ana", "pro"],
        &["account", "token", "ana"],
        &["account", "delete", "ana"],
        &["integrations", "status"],
        &["integrations", "pause"],
        &["reports", "list"],
        &["demo"],
    ] {
        let output = run(command(words(&engine, arguments)), "a long password\n").await;
        let said = String::from_utf8(output.stderr).expect("text");
        assert_eq!((output.status.code(), output.stdout), (Some(1), Vec::new()), "{arguments:?}: {said}");
        assert!(said.starts_with("itinerary-server: ") && said.lines().count() == 1, "{arguments:?}: {said}");
        assert!(said.contains(LATER) && said.contains("run the newer version"), "{arguments:?}: {said}");
    }
    assert_eq!(rows().await, before);
}

// Old and new servers run side by side until the last old one has stopped.
#[api_test]
async fn a_running_server_goes_on_while_a_newer_version_migrates(database: Database) {
    let Some(engine) = Engine::on(database) else { return };
    make_account(&engine, "ana").await;
    let token = make_token(&engine, "ana").await;
    let server = Program::serve(&engine, &["--limits", "off"]).await;
    let call = |method: Method, path: &str| server.call(method, path).token(&token);
    let (ended, rounds) = (AtomicBool::new(false), AtomicUsize::new(0));
    let load = join_all((0..4).map(async |_| {
        while !ended.load(Ordering::Relaxed) {
            let made = call(Method::POST, "/v1/itineraries?allowDuplicate=true").json(&on_day(1)).send().await;
            assert_eq!(made.status, 201, "{}", made.text());
            let path = made.header("location").to_owned();
            let retitle = call(Method::PATCH, &path).header("If-Match", made.header("etag"));
            let changed = retitle.body("application/merge-patch+json", r#"{"title":"Later"}"#).send().await;
            assert_eq!(changed.status, 200, "{}", changed.text());
            for path in [&*path, "/v1/itineraries", "/v1/explore", "/readyz"] {
                let read = call(Method::GET, path).send().await;
                assert_eq!(read.status, 200, "{path}: {}", read.text());
            }
            rounds.fetch_add(1, Ordering::Relaxed);
        }
    }));
    let reach = async |number: usize| {
        while rounds.load(Ordering::Relaxed) < number {
            tokio::time::sleep(std::time::Duration::from_millis(5)).await;
        }
    };
    let migrate = async {
        reach(10).await;
        migrate_further(&engine).await;
        reach(rounds.load(Ordering::Relaxed) + 20).await;
        ended.store(true, Ordering::Relaxed);
    };
    tokio::time::timeout(std::time::Duration::from_mins(1), join(load, migrate)).await.expect("the load goes on");
    let themes = sql::ask(&engine.url(), "SELECT CAST(count(*) AS TEXT) FROM itineraries WHERE theme IS NULL").await;
    assert_eq!(themes.parse(), Ok(rounds.load(Ordering::Relaxed)));
    server.ask_to_stop();
    assert_eq!(server.exit_code().await, Some(0));
}

/// The number of kills, spread over the writes of a migration.
const KILLS: usize = 12;

// SIGKILL at a write to the file: the migration happens as a whole or not at all.
#[tokio::test(flavor = "multi_thread")]
async fn a_migration_that_is_killed_at_a_write_can_be_repeated() {
    if !can_trace() {
        return;
    }
    let expected = {
        let engine = Engine::sqlite();
        succeed(command(words(&engine, &["migrate"])), "").await;
        schema(&engine).await
    };
    // Every thread counts its own writes, so strace cannot count them all; the file does.
    let counted = Engine::sqlite();
    let trace = counted.file("trace");
    let whole = traced(&["-f", "-etrace=pwrite64"], &trace, words(&counted, &["migrate"]));
    succeed(whole, "").await;
    let writes = most_writes_of_a_thread(&wait_for_end(&trace).await);
    assert!(writes > 20, "{writes}");
    let (mut nothing, mut everything) = (0, 0);
    for kill in 0..KILLS {
        let engine = Engine::sqlite();
        let at = 1 + kill * (writes - 1) / (KILLS - 1);
        let inject = format!("-einject=pwrite64:signal=KILL:when={at}");
        let killed = traced(&["-f", "-etrace=pwrite64", &inject], Path::new("/dev/null"), words(&engine, &["migrate"]));
        let output = run(killed, "").await;
        assert!(!output.status.success(), "{at} of {writes}");
        match schema(&engine).await {
            found if found.is_empty() => nothing += 1,
            found => {
                assert_eq!(found, expected, "killed at write {at} of {writes}");
                everything += 1;
            }
        }
        succeed(command(words(&engine, &["migrate"])), "").await;
        assert_eq!(schema(&engine).await, expected);
        assert_eq!(sql::ask(&engine.url(), "PRAGMA integrity_check").await, "ok");
    }
    assert!(nothing > 0, "{everything}");
    assert_eq!(nothing + everything, KILLS);
}

/// The statements that make SQLite's schema.
async fn schema(engine: &Engine) -> String {
    let all =
        "SELECT coalesce(group_concat(sql, ';' ORDER BY name), '') FROM sqlite_master WHERE name NOT LIKE 'sqlite_%'";
    sql::ask(&engine.url(), all).await
}

fn most_writes_of_a_thread(trace: &str) -> usize {
    let mut writes = BTreeMap::<_, usize>::new();
    for line in trace.lines().filter(|line| line.contains(" pwrite64(")) {
        *writes.entry(line.split(' ').next()).or_default() += 1;
    }
    writes.into_values().max().unwrap_or_default()
}

/// The trace, once strace has written its last line.
pub(crate) async fn wait_for_end(trace: &Path) -> String {
    for _ in 0..1_000 {
        let text = fs::read_to_string(trace).unwrap_or_default();
        if text.lines().last().is_some_and(|line| line.contains("+++ exited")) {
            return text;
        }
        tokio::time::sleep(std::time::Duration::from_millis(20)).await;
    }
    panic!("strace has not ended");
}

/// Whether strace may fail a system call of a program here.
pub(crate) fn can_trace() -> bool {
    itinerary_tests::program::can_trace(&["-f", "-einject=fsync:error=EIO"])
}
