//! The servers' key: in a file, or in the database, where all servers find the same one; never one in each place.

use std::fs;

use futures::future::join;
use itinerary_tests::engines::Engine;
use itinerary_tests::program::{Program, command, fail, free_address, make_account, make_token, succeed, words};
use itinerary_tests::{Database, Postgres, api_test, sql};
use reqwest::Method;
use serde_json::json;

const IN_DATABASE: [&str; 4] = ["--limits", "off", "--server-key", "database"];

/// Makes two itineraries and returns the cursor behind the first.
async fn cursor(server: &Program, token: &str) -> String {
    for name in ["Lisbon", "Porto"] {
        let body = json!({ "destination": { "name": name, "coordinate": { "latitude": 38.7, "longitude": -9.1 } } });
        let call = server.call(Method::POST, "/v1/itineraries?allowDuplicate=true").token(token).json(&body);
        assert_eq!(call.send().await.status, 201);
    }
    let page = server.call(Method::GET, "/v1/itineraries?limit=1").token(token).send().await.json();
    page["nextCursor"].as_str().expect("a second page").to_owned()
}

/// The status of the page behind a cursor, which is sealed with the key.
async fn status(server: &Program, token: &str, cursor: &str) -> u16 {
    let path = format!("/v1/itineraries?limit=1&cursor={cursor}");
    server.call(Method::GET, &path).token(token).send().await.status.as_u16()
}

#[tokio::test(flavor = "multi_thread")]
async fn servers_that_start_together_share_the_key_in_the_database() {
    let folder = tempfile::tempdir().expect("a folder");
    let Some(url) = Database::empty(Postgres, folder.path()) else { return };
    let (one, two) = (Engine::at(url.clone()), Engine::at(url.clone()));
    let (first, second) = join(Program::serve(&one, &IN_DATABASE), Program::serve(&two, &IN_DATABASE)).await;
    let told = &second.welcome;
    assert!(told.contains("server key") && told.contains("in the database"), "{told}");
    for (engine, arguments) in [(&one, ["account", "create", "ana"]), (&two, ["account", "create", "ben"])] {
        let command = command(words(engine, &[&arguments[..], &["--server-key", "database"]].concat()));
        succeed(command, &format!("{}\n", itinerary_tests::world::PASSWORD)).await;
    }
    let token = command(words(&two, &["account", "token", "ana", "--server-key", "database"]));
    let token = succeed(token, "").await.trim_end().to_owned();
    let cursor = cursor(&first, &token).await;
    assert_eq!(status(&second, &token, &cursor).await, 200, "the other server has the same key");
    for engine in [&one, &two] {
        assert!(!engine.file("server.key").exists());
    }
    // A server that looks for a file does not make another key.
    let refused = fail(command(words(&one, &["account", "create", "zoe"]))).await;
    assert!(refused.contains("the database has a key") && refused.contains("server.key"), "{refused}");
    assert!(!one.file("server.key").exists());
    // One with a file of its own does not start.
    fs::write(one.file("server.key"), [7; 32]).expect("a key");
    let refused = fail(command(words(&one, &["account", "create", "zoe"]))).await;
    assert!(refused.contains("differ"), "{refused}");
}

// With a key in a file, nothing else tells the operator that the file was lost, or that a second server made its own.
#[api_test]
async fn a_start_with_another_key_is_warned_of(database: Database) {
    const WARNING: &str = "the server key is another one than at the last start";
    let Some(engine) = Engine::on(database) else { return };
    for (round, warns) in [("first", false), ("same key", false), ("lost key", true), ("new key again", false)] {
        if warns {
            fs::remove_file(engine.file("server.key")).expect("the file was there");
        }
        let log = engine.file("server.log");
        let mut start = command(words(&engine, &["serve", "--listen", &free_address()]));
        start.stderr(fs::File::create(&log).expect("a file"));
        let server = Program::start(start).await;
        server.ask_to_stop();
        assert_eq!(server.exit_code().await, Some(0));
        let log = fs::read_to_string(log).expect("the log");
        assert_eq!(log.contains(WARNING), warns, "{round}: {log}");
    }
}

#[api_test]
async fn a_key_moves_from_the_file_into_the_database(database: Database) {
    let Some(engine) = Engine::on(database) else { return };
    make_account(&engine, "ana").await;
    let token = make_token(&engine, "ana").await;
    let server = Program::serve(&engine, &["--limits", "off"]).await;
    let cursor = cursor(&server, &token).await;
    server.ask_to_stop();
    server.exit_code().await;
    let refused = fail(command(words(&engine, &[&["serve"], &IN_DATABASE[..]].concat()))).await;
    assert!(refused.contains("the database has no key, but there is the key file"), "{refused}");

    let file = engine.file("server.key");
    let key: Vec<String> = fs::read(&file).expect("the key").iter().map(|byte| format!("{byte:02x}")).collect();
    let key = key.concat();
    let insert = format!("INSERT INTO settings (name, value, updated_at) VALUES ('server_key', '{key}', 0)");
    sql::run(&engine.url(), &insert).await;
    fs::remove_file(&file).expect("the file was there");
    let server = Program::serve(&engine, &IN_DATABASE).await;
    assert_eq!(status(&server, &token, &cursor).await, 200, "it is the same key");
}
