//! Signing in and out. The browser plays the traveller.

use std::fs;
use std::path::PathBuf;
use std::process::Stdio;
use std::time::Duration;

use itinerary_sdk::Tokens;
use itinerary_tests::World;
use itinerary_tests::browser::Browser;
use reqwest::Method;
use tokio::io::{AsyncBufReadExt as _, BufReader};

use super::{Person, mode, world};

const PATIENCE: Duration = Duration::from_mins(1);

/// Signs in with this decision; returns the exit code and what was printed.
async fn login(world: &World, person: &Person, browser: &Browser, decision: &str) -> (Option<i32>, String, String) {
    let mut command = person.command(&["login", "--print-url"]);
    let mut child = command.stderr(Stdio::piped()).spawn().expect("the program starts");
    let mut lines = BufReader::new(child.stderr.take().expect("it was piped")).lines();
    let url = loop {
        let line = tokio::time::timeout(PATIENCE, lines.next_line()).await.expect("in time").expect("text");
        let line = line.expect("an address");
        if line.trim().starts_with("http") {
            break line.trim().to_owned();
        }
    };
    let back = browser.decide(&url, decision).await;
    world.http.get(back).send().await.expect("the program answers");
    let output = tokio::time::timeout(PATIENCE, child.wait_with_output()).await.expect("in time").expect("it ran");
    let mut rest = String::new();
    while let Some(line) = lines.next_line().await.expect("text") {
        rest += &line;
    }
    (output.status.code(), String::from_utf8(output.stdout).expect("text"), rest)
}

/// The file with the tokens of the only sign-in.
fn token_file(person: &Person) -> PathBuf {
    let folder = fs::read_dir(person.file(".config/itinerary/default")).expect("a folder");
    let is_tokens = |path: &PathBuf| path.to_string_lossy().contains("/tokens-");
    let is_json = |path: &PathBuf| path.extension().is_some_and(|extension| extension == "json");
    folder.map(|entry| entry.expect("a file").path()).find(|path| is_tokens(path) && is_json(path)).expect("tokens")
}

#[tokio::test(flavor = "multi_thread")]
async fn a_sign_in_is_kept_until_it_is_revoked() {
    let world = world().await;
    let person = Person::signed_out(&world.base_url);
    let browser = Browser::signed_up(&world, "ana").await;
    let (code, said, _) = login(&world, &person, &browser, "approve").await;
    assert_eq!((code, &*said), (Some(0), &*format!("Signed in to {} as ana (@ana).\n", world.base_url)));

    let file = token_file(&person);
    assert_eq!((mode(&file), mode(file.parent().expect("a folder"))), (0o600, 0o700));

    // The server is remembered.
    let mut command = person.command(&["whoami", "-q"]);
    command.env_remove("ITINERARY_SERVER");
    assert_eq!(itinerary_tests::program::succeed(command, "").await, "ana\n");
    // Another profile, or another server, is not signed in.
    person.fail(&["whoami", "--profile", "other"], 3).await;
    person.fail(&["whoami", "--server", "http://127.0.0.1:1"], 3).await;
    assert!(person.say(&["logout", "--profile", "other"]).await.starts_with("Not signed in"));
    person.say(&["whoami"]).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn signing_out_ends_the_sign_in_on_the_server() {
    let world = world().await;
    let person = Person::signed_out(&world.base_url);
    let browser = Browser::signed_up(&world, "ana").await;
    assert_eq!(login(&world, &person, &browser, "approve").await.0, Some(0));
    let file = token_file(&person);
    let tokens: Tokens = serde_json::from_slice(&fs::read(&file).expect("tokens")).expect("tokens");
    let status =
        async || world.call(Method::GET, "/v1/account").token(&tokens.access_token).send().await.status.as_u16();
    assert_eq!(status().await, 200);

    assert_eq!(person.say(&["logout"]).await, format!("Signed out of {}.\n", world.base_url));
    assert_eq!((status().await, file.exists()), (401, false));
    person.fail(&["whoami"], 3).await;
    assert!(person.say(&["logout"]).await.starts_with("Not signed in"), "signing out is idempotent");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_denied_sign_in_stores_nothing() {
    let world = world().await;
    let person = Person::signed_out(&world.base_url);
    let browser = Browser::signed_up(&world, "ana").await;
    let (code, said, rest) = login(&world, &person, &browser, "deny").await;
    assert_eq!((code, &*said), (Some(3), ""));
    assert!(rest.contains("access_denied"), "{rest}");
    assert!(!person.file(".config/itinerary/default/profile.json").exists());
    person.fail(&["login", "--token", "x"], 2).await;
    person.fail(&["login", "--server", "http://127.0.0.1:1"], 8).await;
}
