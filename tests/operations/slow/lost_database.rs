//! A database that is lost while files and key of the service are still there.

use std::fs;

use itinerary_tests::engines::Engine;
use itinerary_tests::program::{command, fail, make_account, run, words};
use itinerary_tests::{Database, Sqlite, api_test};

/// The image of a service, in its folder for files.
fn put_file(engine: &Engine) {
    fs::create_dir_all(engine.file("files/images")).expect("a folder");
    fs::write(engine.file("files/images/0198c0de-0000-7000-8000-00000000000a.jpg"), "image").expect("a file");
}

#[api_test]
async fn files_without_a_database_are_not_taken_over(database: Database) {
    let Some(engine) = Engine::on(database) else { return };
    put_file(&engine);
    for empty in [false, true] {
        if empty && matches!(database, Sqlite) {
            fs::write(engine.file("itinerary.db"), "").expect("a file");
        }
        for words_of in [&["serve"][..], &["migrate"], &["demo"], &["account", "create", "ana"]] {
            let said = fail(command(words(&engine, words_of))).await;
            assert!(said.contains("the database is empty, but") && said.contains("Restore a backup"), "{said}");
        }
    }
    assert!(!engine.file("server.key").exists(), "nothing has begun");
    // What the message says.
    fs::rename(engine.file("files"), engine.file("away")).expect("moved");
    make_account(&engine, "ana").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_key_without_a_database_is_pointed_out() {
    let engine = Engine::sqlite();
    make_account(&engine, "ana").await;
    for name in ["itinerary.db", "itinerary.db-wal", "itinerary.db-shm"] {
        let _ = fs::remove_file(engine.file(name));
    }
    fs::write(engine.file("itinerary.db"), "").expect("a file");
    // A command with another database than the server's would seem to work.
    for words_of in [&["account", "create", "ben"][..], &["demo"]] {
        let said = fail(command(words(&engine, words_of))).await;
        assert!(said.contains("does not exist: check `data` and `database_url`"), "{said}");
    }
    let output = run(command(words(&engine, &["migrate"])), "").await;
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && said.contains("there is a server key"), "{said}");
    make_account(&engine, "ben").await;
}
