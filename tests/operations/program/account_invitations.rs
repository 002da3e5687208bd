//! The commands that invite people to create an account, beside a running server.

use itinerary_tests::browser::Browser;
use itinerary_tests::engines::Engine;
use itinerary_tests::program::{Program, command, fail, run, succeed, words};
use itinerary_tests::world::PASSWORD;
use itinerary_tests::{Database, api_test};
use serde_json::{Value, json};

async fn say(engine: &Engine, more: &[&str]) -> String {
    succeed(command(words(engine, more)), "").await
}

#[api_test]
async fn people_are_invited_by_command(database: Database) {
    let Some(engine) = Engine::on(database) else { return };
    // Creates the database. The command works in every mode.
    let create = words(&engine, &["account", "create", "ana", "--sign-up", "closed"]);
    succeed(command(create), &format!("{PASSWORD}\n")).await;
    let server = Program::serve(&engine, &["--sign-up", "invite"]).await;
    let base = &*server.base_url;
    let invite = ["account", "invite", "--sign-up", "invite", "--base-url", base];

    let output = run(command(words(&engine, &[&invite[..], &["--note", "Ben of the choir"]].concat())), "").await;
    let (address, told) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success() && told.starts_with("Good for one account until "), "{told}");
    let path = address.trim_end().strip_prefix(base).expect("an address of the server");
    assert!(path.starts_with("/sign-up?invitation=itn_inv_") && path.len() == 20 + 51, "{path}");
    let second: Value =
        serde_json::from_str(&say(&engine, &[&invite[..], &["--days", "30", "--json"]].concat()).await).expect("JSON");
    let third = say(&engine, &[&invite[..], &["-q"]].concat()).await;
    assert_eq!(third.lines().count(), 1);

    let listed = say(&engine, &["account", "invitations", "--json"]).await;
    let listed: Vec<Value> = listed.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    let notes: Vec<_> = listed.iter().map(|invitation| &invitation["note"]).collect();
    assert_eq!(notes.len(), 3);
    assert!(notes.contains(&&json!("Ben of the choir")) && listed.iter().all(|row| row["createdBy"].is_null()));
    let found = listed.iter().find(|row| row["id"] == second["id"]).expect("it is listed");
    assert_eq!(found["expiresAt"], second["expiresAt"]);
    let text = say(&engine, &["account", "invitations"]).await;
    assert!(text.contains("\"Ben of the choir\"") && !text.contains("itn_inv_"), "{text}");

    let id = second["id"].as_str().expect("an id");
    let said = say(&engine, &["account", "invitations", "revoke", id]).await;
    assert_eq!(said, format!("Revoked the invitation {id}.\n"));
    let again = fail(command(words(&engine, &["account", "invitations", "revoke", id]))).await;
    assert!(again.contains(&format!("there is no invitation {id}")), "{again}");
    assert_eq!(say(&engine, &["account", "invitations", "list", "-q"]).await.lines().count(), 2);

    let browser = Browser::at(base);
    let revoked = second["address"].as_str().expect("an address");
    browser.visit(revoked).await.assert_says("This invitation is not valid");
    let form = browser.visit(path).await.form("/sign-up");
    let typed = [("username", "ben"), ("display_name", "Ben"), ("password", PASSWORD)];
    assert_eq!(browser.submit(&form, &typed).await.address.path(), "/");
    assert_eq!(say(&engine, &["account", "invitations", "-q"]).await.lines().count(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn invitations_that_cannot_be_meant_are_refused_or_warned_of() {
    let engine = Engine::sqlite();
    itinerary_tests::program::make_account(&engine, "ana").await;
    for days in ["0", "31", "x"] {
        let output = run(command(words(&engine, &["account", "invite", "--days", days])), "").await;
        assert_eq!(output.status.code(), Some(2), "{days}");
    }
    for note in ["x".repeat(201), "a\u{202e}b".to_owned(), "a\nb".to_owned()] {
        let said = fail(command(words(&engine, &["account", "invite", "--note", &note]))).await;
        assert!(said.contains("the note must have at most 200 characters"), "{said}");
    }
    for (mode, warned) in [("open", "nobody needs an invitation"), ("closed", "invitations do not work")] {
        let output = run(command(words(&engine, &["account", "invite", "--sign-up", mode])), "").await;
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success() && said.contains(warned), "{said}");
    }
    for contact in ["nobody", "http://trips.example", "https://ana:Ses@me@trips.example"] {
        let output = run(command(words(&engine, &["config", "--contact", contact])), "").await;
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{said}");
        assert!(said.contains("must be a mail address or an https URL") && !said.contains("Ses@me"), "{said}");
    }
}

// Operators see and unlink with what a traveller signs in.
#[api_test]
async fn linked_identities_are_listed_and_unlinked(database: Database) {
    let Some(engine) = Engine::on(database) else { return };
    itinerary_tests::program::make_account(&engine, "ana").await;
    assert_eq!(say(&engine, &["account", "identities", "ana"]).await, "");
    for subject in ["one", "two"] {
        let row = format!("SELECT 'https://id.example', '{subject}', id, 'Acme', 0 FROM accounts");
        let insert = format!("INSERT INTO identities (issuer, subject, account_id, provider, linked_at) {row}");
        itinerary_tests::sql::run(&engine.url(), &insert).await;
    }
    let shown = say(&engine, &["account", "show", "ana"]).await;
    assert!(shown.contains("signs in with   password, Acme, Acme\n"), "{shown}");
    let listed = say(&engine, &["account", "identities", "ana", "--json"]).await;
    let first: Value = serde_json::from_str(listed.lines().next().expect("a line")).expect("JSON");
    assert_eq!((&first["subject"], &first["provider"]), (&json!("one"), &json!("Acme")));
    let id = first["id"].as_str().expect("an id");
    let unlink = ["account", "identities", "ana", "unlink", id];
    assert_eq!(say(&engine, &unlink).await, "Accounts at providers that were unlinked from ana: 1.\n");
    assert!(fail(command(words(&engine, &unlink))).await.contains("has not linked an account"));
    let listed = say(&engine, &["account", "list", "--json"]).await;
    let account: Value = serde_json::from_str(&listed).expect("JSON");
    assert_eq!(account["signInMethods"], json!(["password", "provider"]));
    add_mail_address(&engine).await;
    say(&engine, &[&["account", "identities", "ana", "unlink", "--all"][..], &MAIL].concat()).await;
    assert_eq!(say(&engine, &["account", "identities", "ana", "-q"]).await, "");
    assert_eq!(mails(&engine).await, "method-removed");
}

/// A mail server to which nothing is sent, because the command only queues.
const MAIL: [&str; 4] = ["--mail-host", "127.0.0.1", "--mail-from", "trips@example.org"];

/// Gives the only account a verified address.
async fn add_mail_address(engine: &Engine) {
    let row = "SELECT id, 'ana@example.com', 'ana@example.com', 0 FROM accounts";
    let insert = format!("INSERT INTO mail_addresses (account_id, address, folded, verified_at) {row}");
    itinerary_tests::sql::run(&engine.url(), &insert).await;
}

/// The kinds of the mails that wait.
async fn mails(engine: &Engine) -> String {
    itinerary_tests::sql::ask(&engine.url(), "SELECT kind FROM mails").await
}

// Operators see what a traveller signs in with, and help who has lost all of it.
#[api_test]
async fn factors_are_listed_and_removed(database: Database) {
    let Some(engine) = Engine::on(database) else { return };
    itinerary_tests::program::make_account(&engine, "ana").await;
    assert_eq!(say(&engine, &["account", "factors", "ana"]).await, "No passkeys; one-time codes are off.\n");
    let columns = "id, account_id, credential_id, passkey, counter, name, created_at, last_used_day";
    let credential = if engine.url().starts_with("sqlite") { "X'01'" } else { "'\\x01'" };
    let row = format!("SELECT id, id, {credential}, '{{}}', 0, 'Phone', 0, 7 FROM accounts");
    for insert in [
        format!("INSERT INTO passkeys ({columns}) {row}"),
        "INSERT INTO one_time_codes (account_id, secret, last_step, created_at) SELECT id, 's', 0, 0 FROM accounts"
            .to_owned(),
    ] {
        itinerary_tests::sql::run(&engine.url(), &insert).await;
    }
    let shown = say(&engine, &["account", "show", "ana"]).await;
    assert!(shown.contains("signs in with   password and one-time code, one passkey\n"), "{shown}");
    let listed = say(&engine, &["account", "factors", "ana", "--json"]).await;
    let values: Vec<Value> = listed.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    assert_eq!((&values[0]["name"], &values[0]["lastUsedOn"]), (&json!("Phone"), &json!("1970-01-08")));
    assert_eq!((&values[1]["kind"], &values[1]["recoveryCodesLeft"]), (&json!("oneTimeCodes"), &json!(0)));
    let listed = say(&engine, &["account", "factors", "ana"]).await;
    assert!(listed.contains("passkey \"Phone\"") && listed.contains("0 recovery codes left"), "{listed}");
    add_mail_address(&engine).await;
    let said = say(&engine, &[&["account", "factors", "ana", "remove"][..], &MAIL].concat()).await;
    assert_eq!(
        said,
        "Passkeys that were removed from ana: 1. One-time codes were turned off. Sessions that ended: 0.\n"
    );
    assert_eq!(say(&engine, &["account", "factors", "ana"]).await, "No passkeys; one-time codes are off.\n");
    assert_eq!(mails(&engine).await, "method-removed");
}

// What the server says at its start is possible.
#[tokio::test(flavor = "multi_thread")]
async fn a_server_says_how_accounts_are_created() {
    let engine = Engine::sqlite();
    for (mode, line) in [
        ("invite", "  invite somebody          itinerary-server account invite"),
        ("closed", "  create an account        itinerary-server account create NAME"),
    ] {
        let server = Program::serve(&engine, &["--sign-up", mode]).await;
        assert!(server.welcome.lines().any(|said| said == line), "{}", server.welcome);
    }
}
