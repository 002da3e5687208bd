//! Commands on accounts and reports, beside a running server.

use std::fs;
use std::io::Read as _;

use itinerary_tests::bodies::{lisbon, on_day, with};
use itinerary_tests::browser::Browser;
use itinerary_tests::engines::Engine;
use itinerary_tests::program::{Program, command, fail, make_account, make_token, succeed, words};
use itinerary_tests::terminal::at_terminal;
use itinerary_tests::world::PASSWORD;
use itinerary_tests::{Database, api_test, sql};
use reqwest::Method;
use serde_json::{Value, json};
use zip::ZipArchive;

use crate::program::backup::form;

async fn say(engine: &Engine, more: &[&str]) -> String {
    succeed(command(words(engine, more)), "").await
}

/// The lines of a command's JSON.
async fn told(engine: &Engine, more: &[&str]) -> Vec<Value> {
    let more = [more, &["--json"]].concat();
    say(engine, &more).await.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect()
}

async fn created(server: &Program, token: &str, body: &Value) -> String {
    let made = server.call(Method::POST, "/v1/itineraries?allowDuplicate=true").token(token).json(body).send().await;
    assert_eq!(made.status, 201, "{}", made.text());
    made.json()["id"].as_str().expect("an id").to_owned()
}

async fn status(server: &Program, token: &str) -> u16 {
    server.call(Method::GET, "/v1/account").token(token).send().await.status.as_u16()
}

/// The names in a ZIP file, in its order.
fn entries(zip: Vec<u8>) -> Vec<String> {
    let zip = ZipArchive::new(std::io::Cursor::new(zip)).expect("a ZIP file");
    zip.file_names().map(|name| name.expect("text").into_owned()).collect()
}

#[api_test]
async fn an_account_is_renamed(database: Database) {
    let Some(engine) = Engine::on(database) else { return };
    make_account(&engine, "ana").await;
    make_account(&engine, "ben").await;
    let token = make_token(&engine, "ana").await;
    let server = Program::serve(&engine, &[]).await;
    for (to, why) in [("ben", "taken"), ("Ben", "taken"), ("x", "3 to 30 letters"), ("ana", "taken")] {
        let said = fail(command(words(&engine, &["account", "rename", "ana", to]))).await;
        assert!(said.contains(why), "{to}: {said}");
    }
    assert!(fail(command(words(&engine, &["account", "rename", "cleo", "dan"]))).await.contains("not found"));
    assert_eq!(say(&engine, &["account", "rename", "Ana", "Ana.Silva"]).await, "Ana is now called ana.silva.\n");
    let account = server.call(Method::GET, "/v1/account").token(&token).send().await;
    assert_eq!((account.status.as_u16(), &account.json()["username"]), (200, &json!("ana.silva")));
    let browser = Browser::at(&server.base_url);
    assert_eq!(browser.sign_in("ana", PASSWORD).await.response.status, 422);
    assert_eq!(browser.sign_in("Ana.Silva", PASSWORD).await.address.path(), "/");
    // Nobody else gets the former name from the page; the operator can give it back.
    let page = Browser::at(&server.base_url).sign_up("ana", "Ana", PASSWORD).await;
    page.assert_says("This username is taken.");
    say(&engine, &["account", "rename", "ana.silva", "ana"]).await;
    assert_eq!(say(&engine, &["account", "list", "-q"]).await, "ana\nben\n");
    let page = Browser::at(&server.base_url).sign_up("ana.silva", "Ana", PASSWORD).await;
    page.assert_says("This username is taken.");
}

#[api_test]
async fn a_reset_link_sets_a_new_password(database: Database) {
    let Some(engine) = Engine::on(database) else { return };
    make_account(&engine, "ana").await;
    let server = Program::serve(&engine, &[]).await;
    let address = say(&engine, &["account", "reset-link", "ana", "--base-url", &server.base_url]).await;
    let browser = Browser::at(&server.base_url);
    let form = browser.visit(address.trim_end()).await.form("/reset-password");
    browser.submit(&form, &[("password", "a new pass phrase")]).await.assert_says("Your new password is set.");
    assert_eq!(browser.sign_in("ana", "a new pass phrase").await.address.path(), "/");
    assert!(fail(command(words(&engine, &["account", "reset-link", "ben"]))).await.contains("not found"));
}

// Personal access tokens, beside a running server.
#[api_test]
async fn personal_access_tokens_are_made_listed_and_revoked(database: Database) {
    let Some(engine) = Engine::on(database) else { return };
    make_account(&engine, "ana").await;
    let server = Program::serve(&engine, &[]).await;
    let make = ["account", "token", "ana", "--days", "30", "--token-name", "Backup", "--scope", "itineraries:read"];
    let token = say(&engine, &make).await.trim_end().to_owned();
    assert!(token.starts_with("itn_pat_"), "{token}");
    assert_eq!(status(&server, &token).await, 200);
    let listed = told(&engine, &["account", "tokens", "ana"]).await;
    assert_eq!(json!([listed[0]["name"], listed[0]["scope"]]), json!(["Backup", "itineraries:read"]));
    assert!(listed[0]["lastUsedOn"].is_string() && !listed[0].to_string().contains(&token), "{listed:?}");
    assert_eq!(told(&engine, &["account", "show", "ana"]).await[0]["personalTokens"], 1);
    for wrong in [&["--days", "0"][..], &["--days", "367"], &["--token-name", "x"], &["--days", "1", "--scope", "x"]] {
        fail(command(words(&engine, &[&["account", "token", "ana"], wrong].concat()))).await;
    }
    let id = listed[0]["id"].as_str().expect("an id").to_owned();
    fail(command(words(&engine, &["account", "tokens", "ana", "revoke"]))).await;
    say(&engine, &["account", "tokens", "ana", "revoke", &id]).await;
    assert_eq!(status(&server, &token).await, 401);
    let said = fail(command(words(&engine, &["account", "tokens", "ana", "revoke", &id]))).await;
    assert!(said.contains("has no personal access token"), "{said}");
    for _ in 0..2 {
        say(&engine, &make).await;
    }
    let said = say(&engine, &["account", "tokens", "ana", "revoke", "--all"]).await;
    assert!(said.contains("revoked: 2"), "{said}");
}

#[api_test]
async fn an_account_is_shown_and_exported(database: Database) {
    let Some(engine) = Engine::on(database) else { return };
    make_account(&engine, "ana").await;
    say(&engine, &["account", "plan", "ana", "pro"]).await;
    let scope = "itineraries:read itineraries:write documents:read documents:write";
    let token = say(&engine, &["account", "token", "ana", "--scope", scope]).await.trim_end().to_owned();
    let server = Program::serve(&engine, &[]).await;
    let id = created(&server, &token, &lisbon()).await;
    let call = server.call(Method::POST, &format!("/v1/itineraries/{id}/documents")).token(&token);
    let uploaded = call.body("multipart/form-data; boundary=b", form("pass")).send().await;
    assert_eq!(uploaded.status, 201, "{}", uploaded.text());
    let size = &uploaded.json()["size"];

    let shown = told(&engine, &["account", "show", "ana", "--quota-itineraries", "7"]).await.remove(0);
    let facts =
        json!([shown["username"], shown["plan"], shown["itineraries"], shown["documents"], shown["documentBytes"]]);
    assert_eq!(facts, json!(["ana", "pro", 1, 1, size]));
    let facts = json!([shown["apps"], shown["sessions"], shown["followers"], shown["quotas"]["itineraries"]]);
    assert_eq!(facts, json!([1, 0, 0, 7]));
    assert_eq!((&shown["hasPassword"], &shown["identities"]), (&json!(true), &json!([])));
    let text = say(&engine, &["account", "show", "Ana"]).await;
    assert!(text.contains("signs in with   password\n"), "{text}");
    assert!(text.contains("itineraries     1 of 2000") && text.contains("documents       1, 1 of 1024 MiB"), "{text}");
    assert!(!text.contains("argon2") && !shown.to_string().contains("argon2"), "{text}");
    assert_eq!(say(&engine, &["account", "show", "ana", "-q"]).await, "ana\n");

    let file = engine.file("ana.zip");
    let path = file.display().to_string();
    let said = say(&engine, &["account", "export", "ana", &path]).await;
    assert!(said.starts_with("Wrote the data of ana to "), "{said}");
    let mut zip = ZipArchive::new(fs::File::open(&file).expect("the file")).expect("a ZIP file");
    let mut entry = |name: &str| {
        let mut bytes = Vec::new();
        zip.by_name(name).expect(name).read_to_end(&mut bytes).expect("it is whole");
        bytes
    };
    let account: Value = serde_json::from_slice(&entry("account.json")).expect("JSON");
    assert_eq!(account["username"], "ana");
    let itinerary: Value = serde_json::from_slice(&entry(&format!("itineraries/{id}/itinerary.json"))).expect("JSON");
    assert_eq!(itinerary["id"], id.as_str());
    let document = uploaded.json()["id"].as_str().expect("an id").to_owned();
    assert_eq!(
        entry(&format!("itineraries/{id}/documents/{document}/pass.age")).len() as u64,
        size.as_u64().expect("a size")
    );
    let file = fs::read(&file).expect("the file");
    // The page's download has the same entries.
    let browser = Browser::at(&server.base_url);
    browser.sign_in("ana", PASSWORD).await;
    let page = browser.visit("/account/data").await;
    let downloaded = browser.submit(&page.form("/account/data"), &[]).await;
    assert_eq!(entries(downloaded.response.body), entries(file));

    assert!(fail(command(words(&engine, &["account", "export", "ana", &path]))).await.contains("exists already"));
    for command_of in [&["show"][..], &["sessions"], &["apps"], &["delete"], &["token"]] {
        let line = [&["account"], command_of, &["nobody"]].concat();
        let said = fail(command(words(&engine, &line))).await;
        assert!(said.contains("account not found: nobody"), "{line:?}: {said}");
    }
}

#[api_test]
async fn sessions_and_apps_end_with_the_next_request(database: Database) {
    let Some(engine) = Engine::on(database) else { return };
    for name in ["ana", "ben"] {
        make_account(&engine, name).await;
    }
    let (server, second) = (Program::serve(&engine, &[]).await, Program::serve(&engine, &[]).await);
    let browsers = [Browser::at(&server.base_url), Browser::at(&server.base_url), Browser::at(&second.base_url)];
    for browser in &browsers {
        let page = browser.sign_in("ana", PASSWORD).await;
        assert_eq!(page.address.path(), "/", "{}", page.text());
    }
    let is_signed_in = async |browser: &Browser| browser.visit("/account").await.address.path() == "/account";
    let sessions = told(&engine, &["account", "sessions", "ana"]).await;
    assert_eq!(sessions.len(), 3);
    let oldest = sessions[2]["id"].as_str().expect("an id");
    assert!(
        fail(command(words(&engine, &["account", "sessions", "ben", "revoke", oldest])))
            .await
            .contains("has no session")
    );
    assert_eq!(
        say(&engine, &["account", "sessions", "ana", "revoke", oldest]).await,
        "Sessions of ana that were ended: 1.\n"
    );
    assert!(!is_signed_in(&browsers[0]).await && is_signed_in(&browsers[1]).await && is_signed_in(&browsers[2]).await);
    assert_eq!(say(&engine, &["account", "sessions", "ana", "list", "-q"]).await.lines().count(), 2);
    assert_eq!(told(&engine, &["account", "sessions", "ana", "revoke", "--all"]).await[0]["ended"], 2);
    assert!(!is_signed_in(&browsers[1]).await && !is_signed_in(&browsers[2]).await);

    let (ana, ben) = (make_token(&engine, "ana").await, make_token(&engine, "ben").await);
    assert_eq!((status(&server, &ana).await, status(&second, &ana).await), (200, 200));
    let apps = told(&engine, &["account", "apps", "ana"]).await;
    assert_eq!((apps.len(), &apps[0]["clientId"]), (1, &json!("command-line")));
    let said = fail(command(words(&engine, &["account", "apps", "ana", "revoke", "another"]))).await;
    assert!(said.contains("ana has not connected an app another"), "{said}");
    assert_eq!(
        say(&engine, &["account", "apps", "ana", "revoke", "command-line"]).await,
        "Grants of ana that were revoked: 1.\n"
    );
    assert_eq!((status(&server, &ana).await, status(&second, &ana).await), (401, 401));
    let ana = make_token(&engine, "ana").await;
    assert_eq!(
        say(&engine, &["account", "apps", "ana", "revoke", "--all"]).await,
        "Grants of ana that were revoked: 1.\n"
    );
    assert_eq!((status(&second, &ana).await, status(&second, &ben).await), (401, 200));
    assert_eq!(say(&engine, &["account", "apps", "ana"]).await, "");
}

#[tokio::test(flavor = "multi_thread")]
async fn deleting_asks_at_a_terminal() {
    let engine = Engine::sqlite();
    let there = async || say(&engine, &["account", "list", "-q"]).await == "ana\n";
    make_account(&engine, "ana").await;
    let delete = || command(words(&engine, &["account", "delete", "ana"]));
    for response in ["n\n", "\n", "\u{4}"] {
        let (code, seen) = at_terminal(delete(), 80, &[("[y/N]", response)]).await;
        assert!(code == Some(0) && seen.contains("Delete ana (ana) with 0 itineraries"), "{seen}");
        assert!(there().await, "{response:?}");
    }
    let (code, _) = at_terminal(delete(), 80, &[("[y/N]", "y\n")]).await;
    assert!(code == Some(0) && !there().await);
    make_account(&engine, "ben").await;
    let (code, seen) = at_terminal(command(words(&engine, &["account", "delete", "ben", "--yes"])), 80, &[]).await;
    assert!(code == Some(0) && seen.contains("Deleted the account ben."), "{seen}");
}

/// Travellers who report two public itineraries of ana. The first title and note try to control a terminal.
async fn reported(engine: &Engine, server: &Program) -> Vec<String> {
    make_account(engine, "ana").await;
    let ana = make_token(engine, "ana").await;
    let mut ids = Vec::new();
    for (day, summary) in [(1, "Buy now\nor never"), (2, "A quiet week")] {
        let body = with(on_day(day), json!({ "title": format!("Trip {day}"), "summary": summary }));
        let id = created(server, &ana, &body).await;
        let publish = server.call(Method::PATCH, &format!("/v1/itineraries/{id}")).token(&ana).header("If-Match", "*");
        assert_eq!(publish.json(&json!({ "visibility": "public" })).send().await.status, 200);
        ids.push(id);
    }
    for (name, about) in [("ben", &ids[..]), ("eva", &ids[..1])] {
        make_account(engine, name).await;
        let token = make_token(engine, name).await;
        for id in about {
            let report = server.call(Method::POST, &format!("/v1/itineraries/{id}/reports")).token(&token);
            let filed = report.json(&json!({ "reason": "spam", "note": format!("says {name}") })).send().await;
            assert_eq!(filed.status, 201, "{}", filed.text());
        }
    }
    // Control characters are refused by the API; older or damaged rows may have them.
    let text = "\u{1b}]0;pwned\u{7}\u{202e}";
    sql::run(&engine.url(), &format!("UPDATE reports SET note = '{text}' WHERE note = 'says ben'")).await;
    ids
}

#[api_test]
async fn reports_are_worked_through_at_a_terminal(database: Database) {
    let Some(engine) = Engine::on(database) else { return };
    let server = Program::serve(&engine, &[]).await;
    let ids = reported(&engine, &server).await;
    let review = || command(words(&engine, &["reports", "review"]));
    let said = fail(review()).await;
    assert!(said.contains("reports list") && said.contains("reports resolve"), "{said}");

    // Skipped: both stay, and neither is shown twice.
    let question = "[q]uit?";
    let (code, seen) = at_terminal(review(), 100, &[(question, "what\n"), (question, "s\n"), (question, "s\n")]).await;
    assert_eq!(code, Some(0), "{seen}");
    assert!(seen.contains("0 itineraries kept, 0 hidden, 2 skipped; 3 reports are open."), "{seen}");
    assert_eq!((seen.matches(&ids[0]).count(), seen.matches(&ids[1]).count()), (1, 1), "{seen}");
    for expected in ["Trip 1 by ana (public)", "ben says spam", "eva says spam: says eva", "Buy now\\u{a}or never"] {
        assert!(seen.contains(expected), "{expected} is not in {seen}");
    }
    assert!(!seen.contains('\u{1b}') && !seen.contains('\u{7}') && !seen.contains('\u{202e}'), "{seen:?}");

    let (_, seen) = at_terminal(review(), 100, &[(question, "q\n")]).await;
    assert!(seen.contains("0 skipped; 3 reports are open."), "{seen}");
    let (_, seen) = at_terminal(review(), 100, &[(question, "hide\n"), (question, "k\n")]).await;
    assert!(seen.contains("Closed 2 reports; hidden from Explore."), "{seen}");
    assert!(seen.contains("1 itineraries kept, 1 hidden, 0 skipped; 0 reports are open."), "{seen}");
    let token = make_token(&engine, "eva").await;
    let explore = server.call(Method::GET, "/v1/explore").token(&token).send().await.json();
    let found: Vec<&Value> = explore["data"].as_array().expect("a page").iter().map(|entry| &entry["id"]).collect();
    assert_eq!(found, [&json!(ids[1])]);
    let (code, seen) = at_terminal(review(), 100, &[]).await;
    assert!(code == Some(0) && seen.contains("0 reports are open."), "{seen}");
}

#[api_test]
async fn lists_of_reports_continue(database: Database) {
    let Some(engine) = Engine::on(database) else { return };
    let server = Program::serve(&engine, &[]).await;
    let ids = reported(&engine, &server).await;
    let all = told(&engine, &["reports", "list"]).await;
    assert_eq!(all.len(), 3);
    let first = told(&engine, &["reports", "list", "--limit", "2"]).await;
    assert_eq!(first, all[..2]);
    let last = first[1]["reportId"].as_str().expect("an id");
    assert!(say(&engine, &["reports", "list", "--limit", "2"]).await.contains(&format!("for more: --after {last}")));
    // The report may be resolved meanwhile.
    say(&engine, &["reports", "resolve", &ids[1], "keep"]).await;
    assert_eq!(told(&engine, &["reports", "list", "--limit", "2", "--after", last]).await, all[2..]);
    let unknown = "0198c0de-0000-7000-8000-00000000000a";
    assert!(fail(command(words(&engine, &["reports", "list", "--after", unknown]))).await.contains("does not exist"));
}
