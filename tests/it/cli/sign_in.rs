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
use tokio::process::Command;

use super::terminal::at_terminal;
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
    person.fail(&["login", "--token", "x"], 3).await;
    person.fail(&["login", "--server", "http://127.0.0.1:1"], 8).await;
}

/// A token as the server's command prints it.
async fn token(world: &World) -> String {
    world.account("ana").await;
    world.token("ana", "itineraries:read itineraries:write").await
}

#[tokio::test(flavor = "multi_thread")]
async fn a_token_on_standard_input_signs_in() {
    let world = world().await;
    let (person, token) = (Person::signed_out(&world.base_url), token(&world).await);
    let said = person.say_with(&["login", "--with-token"], &format!("  {token}\n")).await;
    let expected =
        format!("Signed in to {} as ana (@ana). The server does not say when the token expires", world.base_url);
    assert!(said.starts_with(&expected) && !said.contains(&token), "{said}");
    let file = token_file(&person);
    assert_eq!((mode(&file), mode(file.parent().expect("a folder"))), (0o600, 0o700));
    let mut command = person.command(&["whoami", "-q"]);
    command.env_remove("ITINERARY_SERVER");
    assert_eq!(itinerary_tests::program::succeed(command, "").await, "ana\n", "the server is remembered");

    // Signing out forgets the token; only its own client could revoke it.
    let said = person.say(&["logout"]).await;
    assert!(said.contains("stays valid until it expires") && !file.exists(), "{said}");
    person.fail(&["whoami"], 3).await;
    assert_eq!(world.call(Method::GET, "/v1/account").token(&token).send().await.status, 200);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_expiry_of_a_token_is_told_if_it_is_known() {
    let world = world().await;
    let (person, token) = (Person::signed_out(&world.base_url), token(&world).await);
    // As `itinerary-server --json account token` prints it.
    let printed =
        |at: &str| serde_json::json!({ "token": token, "expiresAt": at, "scope": "itineraries:read" }).to_string();
    let said = person.say_with(&["sign-in", "--with-token"], &printed("2099-05-15T07:00:00Z")).await;
    assert!(said.contains("The token expires at 15 May 2099 07:00 +00:00"), "{said}");
    person.say(&["whoami"]).await;
    person.say_with(&["login", "--with-token", "-q"], &printed("2020-05-15T07:00:00Z")).await;
    let said = person.fail(&["whoami"], 3).await;
    assert!(said.contains("expired") && said.contains("itinerary login"), "{said}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_token_that_the_server_rejects_is_not_stored() {
    let world = world().await;
    let person = Person::signed_out(&world.base_url);
    for (input, code) in [("wrong", 3), ("", 2), ("two words", 2), ("{}", 3)] {
        let output = person.run(&["login", "--with-token"], input).await;
        let said = super::stderr(&output);
        assert_eq!(output.status.code(), Some(code), "{input}: {said}");
        assert!(said.starts_with("itinerary: ") && said.lines().count() == 1, "{said}");
    }
    assert!(!person.file(".config/itinerary/default/profile.json").exists());
    person.fail(&["whoami"], 3).await;
}

/// The command with its standard input as its controlling terminal, which is where passwords are read from.
fn with_terminal(command: &Command) -> Command {
    let command = command.as_std();
    let mut wrapped = Command::new("setsid");
    wrapped.args(["--ctty", "--wait"]).arg(command.get_program()).args(command.get_args()).env_clear();
    wrapped.envs(command.get_envs().filter_map(|(name, value)| Some((name, value?)))).kill_on_drop(true);
    wrapped
}

// At a terminal, over ssh for example, the token is pasted and not shown.
#[tokio::test(flavor = "multi_thread")]
async fn a_pasted_token_is_not_shown() {
    let world = world().await;
    let (person, token) = (Person::signed_out(&world.base_url), token(&world).await);
    // A terminal's answers are static.
    let input: &'static str = format!("{token}\n").leak();
    let (code, seen) =
        at_terminal(with_terminal(&person.command(&["login", "--with-token"])), 100, &[("Access token: ", input)])
            .await;
    assert_eq!(code, Some(0), "{seen}");
    assert!(seen.contains("Signed in to") && !seen.contains(&token), "{seen}");
    person.say(&["whoami"]).await;
}
