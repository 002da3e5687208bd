//! Personal access tokens: the page, what they are good for, and when they end. Labels `W-…` name the requirements of
//! ways in.

use chrono::{DateTime, TimeDelta, Utc};
use itinerary_app::personal_tokens;
use itinerary_core::clock::Clock as _;
use itinerary_tests::app::{App as TokenApp, expect_replay, key};
use itinerary_tests::bodies::on_day;
use itinerary_tests::browser::{Browser, Form, Page};
use itinerary_tests::world::{PASSWORD, READ_WRITE};
use itinerary_tests::{World, api_test, sql};
use reqwest::Method;
use serde_json::json;
use uuid::Uuid;

use super::{App, REDIRECT, expect_marked};
use crate::documents::small;
use crate::mcp::Assistant;

const PATH: &str = "/account/tokens";
const SCOPES: [&str; 4] = ["itineraries:read", "itineraries:write", "documents:read", "documents:write"];

/// The form that makes a token, filled in.
async fn filled(browser: &Browser, name: &str, scopes: &[&str], lifetime: &str) -> Form {
    let forms = browser.visit(PATH).await.forms(PATH);
    let form = forms.into_iter().last().expect("the form");
    let form = SCOPES.into_iter().filter(|scope| !scopes.contains(scope)).fold(form, Form::without);
    form.with("name", name).with("lifetime", lifetime)
}

async fn submitted(browser: &Browser, name: &str, scopes: &[&str], lifetime: &str) -> Page {
    browser.submit(&filled(browser, name, scopes, lifetime).await, &[]).await
}

/// The token that a page shows.
fn shown(page: &Page) -> String {
    assert_eq!(page.response.status, 200, "{}", page.text());
    let text = page.text();
    let (_, rest) = text.split_once("<code id=\"token\">").expect("a token");
    rest.split_once("</code>").expect("its end").0.to_owned()
}

async fn made(browser: &Browser, name: &str, scopes: &[&str]) -> String {
    shown(&submitted(browser, name, scopes, "90").await)
}

async fn status(world: &World, token: &str) -> u16 {
    world.call(Method::GET, "/v1/account").token(token).send().await.status.as_u16()
}

async fn rows(world: &World, of: &str) -> String {
    sql::ask(world.database_url(), &format!("SELECT CAST(count(*) AS TEXT) FROM {of}")).await
}

// W-01, W-02, W-03: made on a page, shown once, in the documented format, stored as a hash.
#[api_test]
async fn a_token_is_made_on_the_page_and_shown_once(world: World) {
    let browser = Browser::signed_up(&world, "ana").await;
    browser.visit(PATH).await.assert_says("You have no token.");
    let page = submitted(&browser, " Backup of trips ", &SCOPES[..2], "30").await;
    let token = shown(&page);
    assert!(token.len() == 57 && token.starts_with("itn_pat_"), "{token}");
    for words in
        ["“Backup of trips”", "See your itineraries and profile", "9 February 2027", "Never", "shown only this once"]
    {
        page.assert_says(words);
    }
    assert!(!browser.visit(PATH).await.text().contains(&token));
    for (table, row) in sql::dump(world.database_url()).await {
        assert!(!row.contains(&token) && !row.contains(&token[8..51]), "{table}");
    }
    assert_eq!(page.response.header("cache-control"), "no-store");

    let account = world.call(Method::GET, "/v1/account").token(&token).send().await.json();
    assert_eq!(account["scopes"], json!(["itineraries:read", "itineraries:write"]), "{account}");
    let created = world.call(Method::POST, "/v1/itineraries").token(&token).json(&on_day(1)).send().await;
    assert_eq!(created.status, 201, "{}", created.text());
    let id = created.json()["id"].as_str().expect("an id").to_owned();
    let viewed = world.call(Method::GET, &format!("/v1/itineraries/{id}")).token(&token).send().await;
    assert_eq!((viewed.status.as_u16(), viewed.header("etag")), (200, created.header("etag")));
    let documents = world.call(Method::GET, &format!("/v1/itineraries/{id}/documents")).token(&token).send().await;
    documents.expect_error(403, "forbidden");
    browser.visit(PATH).await.assert_says("<dt>Last used on</dt><dd><time datetime=\"2027-01-10\">");
}

// W-01: bad input is answered at its field, and nothing is made.
#[api_test(limits = false)]
async fn bad_input_makes_no_token(world: World) {
    let browser = Browser::signed_up(&world, "ana").await;
    for name in ["", "  ", &"x".repeat(101), "a\u{202e}b"] {
        let page = submitted(&browser, name, &SCOPES[..1], "90").await;
        assert_eq!(page.response.status, 422, "{name:?}");
        expect_marked(&page, "name");
    }
    let page = submitted(&browser, "x", &[], "90").await;
    assert_eq!(page.response.status, 422);
    page.assert_says("Choose at least one permission.");
    for lifetime in ["", "91", "-1", "9999999999", "date"] {
        let page = submitted(&browser, "x", &SCOPES[..1], lifetime).await;
        assert_eq!(page.response.status, 422, "{lifetime}");
        page.assert_says("Choose a date after today and within a year.");
    }
    for date in ["2027-01-09", "2028-01-12", "2027-02-30", "x", "+262142-12-31", ""] {
        let form = filled(&browser, "x", &SCOPES[..1], "date").await.with("date", date);
        assert_eq!(browser.submit(&form, &[]).await.response.status, 422, "{date}");
    }
    let form = filled(&browser, "x", &SCOPES[..1], "90").await;
    assert_eq!(browser.submit(&form, &[("guard", "forged")]).await.response.status, 403);
    assert_eq!(Browser::new(&world).submit(&form, &[]).await.address.path(), "/sign-in");
    // Another account's session does not accept the form.
    assert_eq!(Browser::signed_up(&world, "ben").await.submit(&form, &[]).await.response.status, 403);
    assert_eq!(rows(&world, "personal_tokens").await, "0");

    let form = filled(&browser, "x", &SCOPES[..1], "date").await.with("date", "2028-01-10");
    let page = browser.submit(&form, &[]).await;
    page.assert_says("11 January 2028");
    let revoke = page.forms(PATH).swap_remove(0);

    // After ten minutes the page asks again who is there, but for revoking a token.
    world.clock.advance(TimeDelta::minutes(10));
    for page in [browser.visit(PATH).await, browser.submit(&form, &[]).await] {
        assert_eq!(page.address.path(), "/account/confirm");
    }
    assert_eq!(rows(&world, "personal_tokens").await, "1");
    assert_eq!(browser.submit(&revoke, &[]).await.address.path(), "/account/confirm");
    assert_eq!(rows(&world, "personal_tokens").await, "0");
    let confirm = browser.visit(PATH).await.form("/account/confirm");
    browser.submit(&confirm, &[("password", PASSWORD)]).await.assert_says("You have no token.");
}

// W-04: valid until its expiry, to the millisecond, and until it is revoked.
#[api_test]
async fn a_token_ends_with_its_expiry_and_when_it_is_revoked(world: World) {
    let browser = Browser::signed_up(&world, "ana").await;
    let token = made(&browser, "first", &SCOPES[..1]).await;
    let ben = Browser::signed_up(&world, "ben").await;
    let kept = made(&ben, "kept", &SCOPES[..1]).await;
    world.clock.advance(TimeDelta::days(83) - TimeDelta::milliseconds(1));
    let browser = Browser::new(&world);
    browser.sign_in("ana", PASSWORD).await;
    assert!(!browser.visit("/account").await.text().contains("within a week"));
    world.clock.advance(TimeDelta::milliseconds(1));
    browser.visit("/account").await.assert_says("A personal access token expires within a week.");
    browser.visit(PATH).await.assert_says("Expires within a week");
    world.clock.advance(TimeDelta::days(7) - TimeDelta::milliseconds(1));
    assert_eq!(status(&world, &token).await, 200);
    world.clock.advance(TimeDelta::milliseconds(1));
    let refused = world.call(Method::GET, "/v1/account").token(&token).send().await;
    refused.expect_error(401, "unauthenticated");
    assert_eq!(refused.header("www-authenticate"), "Bearer error=\"invalid_token\"");

    // Expired tokens are listed for 30 days.
    let browser = Browser::new(&world);
    browser.sign_in("ana", PASSWORD).await;
    browser.visit(PATH).await.assert_says("Expired");
    itinerary_server::jobs::expire(world.service()).await.expect("a database");
    assert_eq!(rows(&world, "personal_tokens").await, "2");
    world.clock.advance(TimeDelta::days(30));
    itinerary_server::jobs::expire(world.service()).await.expect("a database");
    assert_eq!((rows(&world, "personal_tokens").await, status(&world, &kept).await), ("0".to_owned(), 401));
    assert_eq!(rows(&world, "clients WHERE auth_method = 'personal_access_token'").await, "0");

    let browser = Browser::new(&world);
    browser.sign_in("ana", PASSWORD).await;
    let token = made(&browser, "second", &SCOPES[..1]).await;
    let form = browser.visit(PATH).await.forms(PATH).swap_remove(0);
    let ben = Browser::new(&world);
    ben.sign_in("ben", PASSWORD).await;
    // Another account cannot revoke it, even with a form of its own.
    let bens = ben.visit(PATH).await.form(PATH);
    ben.submit(&bens, &[("revoke", form.get("revoke"))]).await;
    for id in ["", "x", &Uuid::nil().to_string()] {
        browser.submit(&form, &[("revoke", id)]).await;
    }
    assert_eq!(status(&world, &token).await, 200);
    browser.submit(&form, &[]).await.assert_says("The token is revoked");
    assert_eq!(status(&world, &token).await, 401);
}

// W-05: no query for a mistyped one; a personal access token is no OAuth token, and its client no OAuth client.
#[api_test]
async fn tokens_and_clients_are_not_those_of_oauth(world: World) {
    let browser = Browser::signed_up(&world, "ana").await;
    let token = made(&browser, "x", &SCOPES).await;
    let other = if &token[20..21] == "x" { "y" } else { "x" };
    let mistyped = format!("{}{other}{}", &token[..20], &token[21..]);
    for wrong in [mistyped.as_str(), &token[..56], "itn_pat_", &format!("{token}0"), &token[8..]] {
        assert_eq!(status(&world, wrong).await, 401, "{wrong}");
    }
    let client = sql::ask(world.database_url(), "SELECT client_id FROM personal_tokens").await;
    assert!(client.starts_with("pat_"), "{client}");
    let authorise = format!("/oauth/authorise?client_id={client}&redirect_uri={REDIRECT}&response_type=code");
    let refused = world.call(Method::GET, &authorise).send().await;
    assert_eq!((refused.status.as_u16(), refused.header("location")), (401, ""));
    for grant in ["authorization_code", "refresh_token"] {
        let form = [("grant_type", grant), ("client_id", &client), ("code", "x"), ("refresh_token", &token)];
        let refused = world.call(Method::POST, "/oauth/token").form(&form).send().await;
        assert_eq!((refused.status.as_u16(), &refused.json()["error"]), (401, &json!("invalid_client")));
    }
    let app = App::public(&world).await;
    let form = [("token", token.as_str()), ("client_id", &app.id)];
    assert_eq!(world.call(Method::POST, "/oauth/revoke").form(&form).send().await.status, 200);
    assert_eq!(status(&world, &token).await, 200, "an app cannot revoke it");
    assert_eq!(world.call(Method::GET, &format!("/v1/account?access_token={token}")).send().await.status, 401);
}

// W-06: rate limits and idempotency keys are each token's own.
#[api_test]
async fn limits_and_idempotency_keys_are_each_tokens_own(world: World) {
    let ana = world.account("ana").await;
    let first = TokenApp { world: &world, token: world.personal_token(ana, "first", READ_WRITE).await };
    let other = TokenApp { world: &world, token: world.personal_token(ana, "other", READ_WRITE).await };
    let key = key();
    let call =
        |app: &TokenApp<'_>| app.create_call("?allowDuplicate=true", &on_day(1)).header("Idempotency-Key", &key).send();
    let (one, again, two) = (call(&first).await, call(&first).await, call(&other).await);
    expect_replay(&again, &one);
    assert_eq!((two.status.as_u16(), two.header("idempotency-replayed")), (201, ""));
    let left = |response: &itinerary_tests::RawResponse| response.header("ratelimit-remaining").to_owned();
    let (one, two) = (first.list("").await, first.list("").await);
    assert_eq!((left(&one), left(&two), left(&other.list("").await)), ("119".into(), "118".into(), "119".into()));
}

// W-07: good at /mcp too; a pause stops them.
#[api_test]
async fn a_token_works_at_the_mcp_endpoint(world: World) {
    let ana = world.account("ana").await;
    let token = world.personal_token(ana, "assistant", SCOPES[0]).await;
    let assistant = Assistant { world: &world, token: token.clone() };
    let listed = assistant.tool("list_itineraries", &json!({})).await;
    assert_eq!(listed["isError"], json!(false), "{listed}");
    let call = json!({ "name": "plan_itinerary", "arguments": { "destination": { "name": "Lisbon" } } });
    let refused = assistant.legacy("tools/call", &call).await;
    assert_eq!(refused.status, 403, "{}", refused.text());
    assert!(refused.header("www-authenticate").contains("itineraries:write"), "{}", refused.header("www-authenticate"));
    world.service().store.pause_set(Some(30), world.clock.now()).await.expect("a database");
    world.call(Method::GET, "/v1/account").token(&token).send().await.expect_error(503, "featureUnavailable");
}

// W-08: links of documents end with the token. So do streams and webhooks, which have tests of their own. The history of a
// trip names the token.
#[api_test]
async fn a_link_of_a_document_ends_with_its_token(world: World) {
    let ana = world.pro_account("ana").await;
    let app = TokenApp { world: &world, token: world.personal_token(ana, "sync", &SCOPES.join(" ")).await };
    let at = app.created(&on_day(1)).await;
    let document = small(&app, &at.id).await;
    let link = app.call(Method::GET, &format!("/v1/itineraries/{}/documents/{document}/link", at.id)).send().await;
    let url = link.json()["url"].as_str().expect("a link").to_owned();
    let fetch = || itinerary_tests::raw::Call(world.http.get(&url)).send();
    assert_eq!(fetch().await.status, 200);
    let history = app.call(Method::GET, &format!("/v1/itineraries/{}/revisions", at.id)).send().await.json();
    assert_eq!(history["data"][0]["app"], "sync", "{history}");

    assert_eq!(world.service().store.personal_tokens_revoke(ana).await.expect("a database"), 1);
    assert_eq!(fetch().await.status, 404);
}

// W-09: a new password ends them if asked; the operator's always does; deleting the account does.
#[api_test(limits = false)]
async fn passwords_and_deletion_end_tokens(world: World) {
    let browser = Browser::signed_up(&world, "ana").await;
    let token = made(&browser, "x", &SCOPES[..1]).await;
    let change = async |end: bool, from: &str, to: &str| {
        let form = browser.visit("/account/password").await.form("/account/password");
        let form = if end { form.with("end_apps", "yes") } else { form.without("end_apps") };
        browser.submit(&form, &[("current", from), ("password", to)]).await.assert_says("Your password is changed.");
    };
    change(false, PASSWORD, "another one").await;
    assert_eq!(status(&world, &token).await, 200);
    change(true, "another one", PASSWORD).await;
    assert_eq!(status(&world, &token).await, 401);

    let token = made(&browser, "y", &SCOPES[..1]).await;
    itinerary_app::accounts::set_password(world.service(), "ana", PASSWORD).await.expect("set");
    assert_eq!(status(&world, &token).await, 401);
    browser.sign_in("ana", PASSWORD).await;
    let token = made(&browser, "z", &SCOPES[..1]).await;
    itinerary_app::accounts::delete_by_username(world.service(), "ana").await.expect("deleted");
    assert_eq!((status(&world, &token).await, &*rows(&world, "personal_tokens").await), (401, "0"));
}

// W-10: of many at once, exactly as many are made as there is room for.
#[api_test(limits = false)]
async fn an_account_has_at_most_fifty(world: World) {
    let ana = world.account("ana").await;
    for n in 0..40 {
        world.personal_token(ana, &format!("token {n}"), SCOPES[0]).await;
    }
    let expires_at: DateTime<Utc> = world.clock.now() + TimeDelta::days(30);
    let one = || personal_tokens::create(world.service(), ana, None, "at once", "itineraries:read", expires_at);
    let at_once = futures::future::join_all((0..24).map(|_| one())).await;
    assert_eq!(at_once.iter().filter(|outcome| outcome.is_ok()).count(), 10);
    assert_eq!(rows(&world, "personal_tokens").await, "50");
    assert_eq!(rows(&world, "clients WHERE auth_method = 'personal_access_token'").await, "50");
    let browser = Browser::new(&world);
    browser.sign_in("ana", PASSWORD).await;
    let page = submitted(&browser, "one more", &SCOPES[..1], "90").await;
    assert_eq!(page.response.status, 422);
    page.assert_says("You have 50 tokens. Revoke one, then make another.");
}
