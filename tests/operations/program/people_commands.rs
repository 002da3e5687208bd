//! The commands `demo` and `reports`, beside a running server.

use itinerary_tests::app::ids;
use itinerary_tests::engines::Engine;
use itinerary_tests::program::{Program, command, fail, make_account, make_token, succeed, words};
use itinerary_tests::{Database, api_test};
use reqwest::Method;
use serde_json::{Value, json};

/// A page, which must succeed.
async fn page(server: &Program, token: &str, query: &str) -> Value {
    let response = server.call(Method::GET, &format!("/v1/explore?{query}")).token(token).send().await;
    assert_eq!(response.status, 200, "{}", response.text());
    response.json()
}

// An empty database is filled so that every list of Explore shows something.
#[api_test]
async fn a_demonstration_fills_an_empty_database_only(database: Database) {
    let Some(engine) = Engine::on(database) else { return };
    let said = succeed(command(words(&engine, &["demo"])), "").await;
    assert!(said.starts_with("There are 60 public itineraries now."), "{said}");
    let password = said.trim_end().rsplit(' ').next().expect("a password");
    assert!(password.len() >= 16, "{said}");
    assert!(fail(command(words(&engine, &["demo"]))).await.contains("not empty"));
    let accounts = succeed(command(words(&engine, &["account", "list"])), "").await;
    assert_eq!(accounts.lines().count(), 12, "{accounts}");

    let server = Program::serve(&engine, &[]).await;
    let token = make_token(&engine, "ines.duarte").await;
    let all = page(&server, &token, "limit=100").await;
    assert_eq!((ids(&all).len(), &all["nextCursor"]), (60, &Value::Null));
    assert!(all["data"].as_array().expect("a page").iter().any(|entry| entry["likesCount"].as_i64() > Some(0)));
    // The covers are at the address of the server, whatever that of the command was.
    let cover = all["data"][0]["coverImageUrl"].as_str().expect("a cover");
    let path = cover.strip_prefix(&format!("http://{}", server.address())).expect(cover);
    assert_eq!(server.call(Method::GET, path).send().await.status, 200);
    for query in ["q=market", "regions=Africa", "following=true", "q=food&regions=Asia&following=true"] {
        assert!(!ids(&page(&server, &token, query).await).is_empty(), "{query}");
    }
}

// A database with an account is left alone.
#[api_test]
async fn a_demonstration_leaves_a_database_with_an_account_alone(database: Database) {
    let Some(engine) = Engine::on(database) else { return };
    make_account(&engine, "ana").await;
    assert!(fail(command(words(&engine, &["demo", "--itineraries", "3"]))).await.contains("not empty"));
    assert_eq!(succeed(command(words(&engine, &["account", "list"])), "").await.lines().count(), 1);
}

// A deletion by command takes effect on a running server, including the username.
#[api_test]
async fn an_account_is_deleted(database: Database) {
    let Some(engine) = Engine::on(database) else { return };
    make_account(&engine, "ana").await;
    let server = Program::serve(&engine, &[]).await;
    let token = make_token(&engine, "ana").await;
    let status = async || server.call(Method::GET, "/v1/account").token(&token).send().await.status.as_u16();
    assert_eq!(status().await, 200);
    let delete = words(&engine, &["account", "delete", "ana"]);
    assert_eq!(succeed(command(delete.clone()), "").await, "Deleted the account ana.\n");
    assert_eq!(status().await, 401);
    assert_eq!(succeed(command(words(&engine, &["account", "list"])), "").await, "");
    assert!(fail(command(delete)).await.contains("account not found"));
}

// Reports are listed, and a verdict takes effect with the next request to a running server.
#[api_test]
async fn reports_are_listed_and_resolved(database: Database) {
    let Some(engine) = Engine::on(database) else { return };
    let say = async |more: &[&str]| succeed(command(words(&engine, more)), "").await;
    say(&["demo", "--itineraries", "2"]).await;
    let server = Program::serve(&engine, &[]).await;
    let token = make_token(&engine, "ines.duarte").await;
    let found = ids(&page(&server, &token, "").await);
    assert_eq!(found.len(), 2);
    assert_eq!(say(&["reports", "list"]).await, "0 open reports.\n");
    // These demo travellers signed up long enough ago, and have followed others on three days: their reports count.
    for reporter in ["haruka_minato", "lautaro.ferreyra", "yaw.darko"] {
        let token = make_token(&engine, reporter).await;
        let report = server.call(Method::POST, &format!("/v1/itineraries/{}/reports", found[0])).token(&token);
        let body = json!({ "reason": "spam", "note": "two\nlines \u{1b}[2J" });
        // An escape character is not allowed in a note.
        report.json(&body).send().await.expect_error(422, "validationFailed");
        let report = server.call(Method::POST, &format!("/v1/itineraries/{}/reports", found[0])).token(&token);
        assert_eq!(report.json(&json!({ "reason": "spam", "note": "two\nlines" })).send().await.status, 201);
    }
    let listed = say(&["reports", "list"]).await;
    assert_eq!(listed.matches(&found[0]).count(), 3, "{listed}");
    assert!(listed.contains("yaw.darko says spam: \"two\\nlines\"") && listed.contains("hidden)"), "{listed}");
    assert!(listed.ends_with("3 open reports.\n"), "{listed}");
    assert_eq!(ids(&page(&server, &token, "").await), [found[1].as_str()]);

    let kept = say(&["reports", "resolve", &found[0], "keep"]).await;
    assert_eq!(kept, "3 reports closed; the itinerary is not hidden.\n");
    assert_eq!(ids(&page(&server, &token, "").await).len(), 2);
    let hidden = say(&["reports", "resolve", &found[0], "hide"]).await;
    assert_eq!(hidden, "0 reports closed; the itinerary is hidden from Explore.\n");
    assert_eq!(ids(&page(&server, &token, "").await), [found[1].as_str()]);
    let nothing = "01890000-0000-7000-8000-000000000000";
    let said = fail(command(words(&engine, &["reports", "resolve", nothing, "keep"]))).await;
    assert!(said.contains("itinerary not found"), "{said}");
    fail(command(words(&engine, &["reports", "resolve", &found[0], "perhaps"]))).await;
}
