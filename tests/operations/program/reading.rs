//! Only the commands that a new server may begin with create or migrate anything. Every other command fails and says what is
//! missing: with a mistyped folder or address it would otherwise show an empty service.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Output;

use clap::{Arg, Command};
use itinerary_tests::engines::Engine;
use itinerary_tests::program::{Program, command, make_account, run, succeed, words};
use itinerary_tests::sql::Connection;
use itinerary_tests::world::PASSWORD;
use itinerary_tests::{Database, Postgres, api_test};
use rstest::rstest;
use tempfile::TempDir;
use uuid::Uuid;

/// The commands that may create a data folder, a database and a key. To add one, it must be a command that a new server begins
/// with.
const CREATING: [&str; 5] = ["serve", "migrate", "demo", "account create", "restore"];

/// The commands that use no data.
const WITHOUT_DATA: [&str; 3] = ["config", "completion", "man"];

/// The command that uses no data, and fails without a mail server.
const MAIL_TEST: &str = "mail test";

/// Every command of the program that creates nothing: its names, and arguments that its parser accepts.
fn reading_commands() -> Vec<(String, Vec<String>)> {
    let mut found = Vec::new();
    collect(&itinerary_server::cli::command(), &[], &[], &mut found);
    let is_reading = |name: &str| !CREATING.contains(&name) && name != MAIL_TEST;
    found.into_iter().filter(|(name, _)| is_reading(name)).collect()
}

/// `path` has the names of the command, `words` also the arguments of those before it.
fn collect(command: &Command, path: &[String], words: &[String], found: &mut Vec<(String, Vec<String>)>) {
    let inner: Vec<_> = command.get_subcommands().filter(|command| command.get_name() != "help").collect();
    let required = command.get_arguments();
    let required = required.filter(|arg| (arg.is_required_set() || arg.is_positional()) && arg.get_env().is_none());
    let words: Vec<_> = words.iter().cloned().chain(required.flat_map(|arg| argument(arg, path))).collect();
    if !path.is_empty() && (inner.is_empty() || !command.is_subcommand_required_set()) {
        found.push((path.join(" "), words.clone()));
    }
    for command in inner {
        let name = [command.get_name().to_owned()];
        collect(command, &[path, &name].concat(), &[&words[..], &name].concat(), found);
    }
}

/// An argument with a value that its parser accepts: a new file, or an existing one for the command that reads one.
fn argument(arg: &Arg, path: &[String]) -> Vec<String> {
    let file = if path[0] == "places" { "file" } else { "new" };
    let parsed = arg.get_value_parser().type_id();
    let value = match arg.get_possible_values().last() {
        Some(value) => value.get_name().to_owned(),
        None if parsed == std::any::TypeId::of::<Uuid>() => Uuid::nil().to_string(),
        None if parsed == std::any::TypeId::of::<PathBuf>() => file.to_owned(),
        None if parsed == std::any::TypeId::of::<String>() => "ana".to_owned(),
        None => "1".to_owned(),
    };
    arg.get_long().map(|long| format!("--{long}")).into_iter().chain([value]).collect()
}

/// Every file and folder with its bytes.
fn listing(folder: &Path) -> BTreeMap<PathBuf, Option<Vec<u8>>> {
    let mut found = BTreeMap::new();
    for entry in fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            found.extend(listing(&path));
            found.insert(path, None);
        } else {
            let bytes = fs::read(&path).expect("a file");
            found.insert(path, Some(bytes));
        }
    }
    found
}

/// Runs a command in a folder.
async fn run_in(folder: &Path, words: &[String]) -> Output {
    let mut command = command(words.iter().map(String::as_str));
    command.current_dir(folder);
    run(command, PASSWORD).await
}

fn said(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

// A new command is checked without being named here.
#[api_test]
async fn without_a_database_a_command_creates_nothing(database: Database) {
    let Some(engine) = Engine::on(database) else { return };
    let folder = TempDir::new().expect("a folder");
    fs::write(folder.path().join("file"), "").expect("a file");
    let before = listing(folder.path());
    let commands = reading_commands();
    assert!(commands.len() > 10, "{commands:?}");
    for (name, words) in commands {
        let mut words = words;
        words.extend(["--data", "typo"].map(str::to_owned));
        words.extend(engine.flags().into_iter().skip(2));
        let output = run_in(folder.path(), &words).await;
        let said = said(&output);
        assert_eq!(listing(folder.path()), before, "{name} has created something");
        if WITHOUT_DATA.contains(&name.as_str()) {
            assert!(output.status.success(), "{name}: {said}");
            continue;
        }
        assert_eq!(output.status.code(), Some(1), "{name}: {said}");
        let names_it = said.contains("typo") || (matches!(database, Postgres) && said.contains("database"));
        assert!(names_it && said.contains("migrate"), "{name}: {said}");
        assert!(output.stdout.is_empty(), "{name} has printed something");
    }
    let serve = ["serve", "account create ana", "demo"].map(|line| format!("{line} --no-migrate --data typo"));
    for line in serve {
        let words: Vec<_> = line.split(' ').map(str::to_owned).chain(engine.flags().into_iter().skip(2)).collect();
        let output = run_in(folder.path(), &words).await;
        assert_eq!(output.status.code(), Some(1), "{line}: {}", said(&output));
        assert_eq!(listing(folder.path()), before, "{line} has created something");
    }
    if matches!(database, Postgres) {
        let connection = Connection::open(&engine.url()).await;
        let tables = "SELECT count(*) FROM pg_class WHERE relnamespace = 'public'::regnamespace";
        assert_eq!(connection.first::<i64>(tables, []).await, 0, "the database is no longer empty");
        connection.close().await;
    }
}

// Neither is a database of an older version migrated.
#[api_test]
async fn an_outdated_database_is_left_as_it_is(database: Database) {
    let Some(engine) = Engine::on(database) else { return };
    succeed(command(words(&engine, &["migrate"])), "").await;
    let applied = "SELECT count(*) FROM seaql_migrations";
    let connection = Connection::open(&engine.url()).await;
    let last = "DELETE FROM seaql_migrations WHERE version = (SELECT max(version) FROM seaql_migrations)";
    assert_eq!(connection.execute(last, []).await, 1);
    let count: i64 = connection.first(applied, []).await;
    connection.close().await;
    fs::write(engine.file("file"), "").expect("a file");
    for (name, arguments) in reading_commands().into_iter().filter(|(name, _)| !WITHOUT_DATA.contains(&name.as_str())) {
        let words: Vec<_> = arguments.into_iter().chain(engine.flags()).collect();
        let output = run_in(engine.data(), &words).await;
        if name == "backup" {
            // It copies every schema: one makes a backup before migrating.
            assert!(output.status.success(), "{}", said(&output));
            continue;
        }
        assert_eq!(output.status.code(), Some(1), "{name}: {}", said(&output));
        assert!(said(&output).contains("lacks 1 of this version's migrations"), "{name}: {}", said(&output));
    }
    let connection = Connection::open(&engine.url()).await;
    assert_eq!(connection.first::<i64>(applied, []).await, count, "the database was migrated");
    connection.close().await;
}

// A command that only reads leaves every byte of the database alone, also of a file that was restored and is not in WAL mode
// yet.
#[tokio::test(flavor = "multi_thread")]
async fn reading_changes_no_byte_of_a_database() {
    let engine = Engine::sqlite();
    make_account(&engine, "ana").await;
    for journal in ["WAL", "DELETE"] {
        let connection = rusqlite::Connection::open(engine.file("itinerary.db")).expect("the database");
        connection.pragma_update(None, "journal_mode", journal).expect("a mode");
        connection.close().expect("it closes");
        let before = listing(engine.data());
        for line in ["account list", "reports list", "integrations status", "config"] {
            let arguments: Vec<_> = line.split(' ').collect();
            succeed(command(words(&engine, &arguments)), "").await;
            let mut after = listing(engine.data());
            after.retain(|path, _| before.contains_key(path));
            assert!(after == before, "{line} has changed a file");
        }
    }
    // SQLite takes an empty file for an empty database.
    let data = TempDir::new().expect("a folder");
    fs::write(data.path().join("itinerary.db"), "").expect("a file");
    let before = listing(data.path());
    let output = run(command(["account", "list", "--data", &*data.path().display().to_string()]), "").await;
    assert!(output.status.code() == Some(1) && listing(data.path()) == before, "{}", said(&output));
    // Commands that write work on a file that is not in WAL mode.
    let plan = succeed(command(words(&engine, &["account", "plan", "ana", "pro"])), "").await;
    assert_eq!(plan, "ana is on the plan pro.\n");
}

// A lost key is not replaced: cursors and reserved usernames depend on it.
#[api_test]
async fn only_commands_that_need_the_key_need_it(database: Database) {
    let Some(engine) = Engine::on(database) else { return };
    make_account(&engine, "ana").await;
    let (key, files) = (engine.file("server.key"), engine.file("files"));
    fs::remove_file(&key).expect("the key");
    fs::remove_dir_all(&files).expect("the folder for files");
    for line in [
        "account list",
        "account plan ana pro",
        "account token ana",
        "account password ana",
        "integrations status",
        "reports list",
    ] {
        let arguments: Vec<_> = line.split(' ').collect();
        succeed(command(words(&engine, &arguments)), PASSWORD).await;
    }
    let delete = || run(command(words(&engine, &["account", "delete", "ana"])), "");
    let refused = delete().await;
    assert_eq!(refused.status.code(), Some(1));
    assert!(said(&refused).contains("server.key") && said(&refused).contains("migrate"), "{}", said(&refused));
    let serve = run(command(words(&engine, &["serve", "--no-migrate"])), "").await;
    assert!(said(&serve).contains("server.key"), "{}", said(&serve));
    assert!(!key.exists() && !files.exists(), "they were made");
    // An existing key of another server may be put there; `migrate` makes what is missing.
    fs::write(&key, [7; 32]).expect("a key");
    let refused = delete().await;
    assert!(said(&refused).contains("the folder for files"), "{}", said(&refused));
    succeed(command(words(&engine, &["migrate"])), "").await;
    assert_eq!(fs::read(&key).expect("the key"), [7; 32]);
    assert!(files.is_dir());
    assert!(delete().await.status.success());
}

// These may come first.
#[rstest]
#[case::migrate(&["migrate"])]
#[case::account(&["account", "create", "ana"])]
#[case::demo(&["demo"])]
#[tokio::test(flavor = "multi_thread")]
async fn a_new_server_may_begin_with(#[case] first: &[&str]) {
    let engine = Engine::sqlite();
    let data = engine.file("a/b").display().to_string();
    let first = command(["--data", &*data].iter().chain(first).copied());
    succeed(first, PASSWORD).await;
    for name in ["itinerary.db", "server.key", "files"] {
        assert!(engine.file("a/b").join(name).exists(), "{name}");
    }
    let address = itinerary_tests::program::free_address();
    let server = Program::start(command(["serve", "--no-migrate", "--data", &*data, "--listen", &*address])).await;
    assert_eq!(server.call(reqwest::Method::GET, "/readyz").send().await.status, 200);
}
