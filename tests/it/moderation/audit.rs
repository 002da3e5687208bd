//! The audit log: what is in it, who sees it, and for how long.

use chrono::TimeDelta;
use itinerary_app::accounts;
use itinerary_store::{AuditFilter, AuditRow};
use itinerary_tests::app::App as TokenApp;
use itinerary_tests::bodies::minimal;
use itinerary_tests::browser::Browser;
use itinerary_tests::world::PASSWORD;
use itinerary_tests::{World, api_test, sql};
use reqwest::Method;
use serde_json::json;

use super::account;
use crate::sign_in::App;

const PATH: &str = "/account/security-log";

/// All entries. The clock stands still, so their order is by chance.
async fn entries(world: &World) -> Vec<AuditRow> {
    let mut rows = world.service().store.audit_page(AuditFilter::All, None, 1000).await.expect("a database");
    rows.sort_by(|one, other| one.event.cmp(&other.event));
    rows
}

async fn events(world: &World) -> Vec<String> {
    entries(world).await.into_iter().map(|row| row.event).collect()
}

// W-57: sign-ins, failures, tokens, apps, links, downloads and changes of the password have entries with time, address and
// client; the account sees its own for 90 days; addresses go after 90 days, entries after a year.
#[api_test(limits = false)]
async fn sign_ins_tokens_apps_links_and_downloads_are_logged(world: World) {
    let browser = Browser::signed_up(&world, "ana").await;
    Browser::new(&world).sign_in("ana", "wrong password").await;
    Browser::new(&world).sign_in("nobody", "wrong password").await;
    Browser::new(&world).sign_in("ana", PASSWORD).await;
    App::public(&world).await.connect(&browser).await;
    let apps = browser.visit("/account/apps").await;
    browser.submit(&apps.form("/account/apps"), &[]).await;
    let tokens = browser.visit("/account/tokens").await.forms("/account/tokens").remove(0);
    let filled = tokens.without("documents:read").without("documents:write").without("itineraries:write");
    let made = browser.submit(&filled, &[("name", "Backup <b>"), ("itineraries:read", "yes")]).await;
    assert_eq!(made.response.status, 200, "{}", made.text());
    browser.post(&browser.visit("/account/data").await.form("/account/data"), &[]).send().await;
    let app = TokenApp::of(&world, "ana").await;
    let trip = app.created(&minimal()).await;
    let links = format!("/v1/itineraries/{}/links", trip.id);
    let link = app.call(Method::POST, &links).json(&json!({ "label": "Parents" })).send().await;
    let id = link.json()["id"].as_str().expect("an id").to_owned();
    app.call(Method::DELETE, &format!("{links}/{id}")).send().await;
    let password = browser.visit("/account/password").await.form("/account/password");
    browser.submit(&password, &[("current", PASSWORD), ("password", "another pass phrase")]).await;

    let expected = [
        "accountCreated",
        "appConnected",
        "appDisconnected",
        "dataExported",
        "passwordChanged",
        "secretLinkDeleted",
        "secretLinkMade",
        "signInFailed",
        "signInFailed",
        "signedIn",
        "tokenMade",
    ];
    let logged = entries(&world).await;
    assert_eq!(logged.iter().map(|row| &*row.event).collect::<Vec<_>>(), expected);
    let own = account(&world, "ana").await.id;
    for row in &logged {
        let is_link = row.event.starts_with("secretLink");
        assert_eq!(row.address.is_some(), !is_link, "{row:?}");
        assert_eq!(row.client_id.is_some(), is_link || row.event.starts_with("app"), "{row:?}");
    }
    assert_eq!(logged.iter().filter(|row| row.account_id.is_none()).count(), 1, "an unknown name");
    assert!(logged.iter().filter_map(|row| row.account_id).all(|id| id == own));

    let page = browser.visit(PATH).await;
    for words in ["Signed in", "Sign-in failed", "Backup <b>", "from 127.0.0.1", "Parents", "Data downloaded"] {
        page.assert_says(words);
    }
    let stranger = Browser::signed_up(&world, "eve").await;
    assert!(!stranger.visit(PATH).await.text().contains("Backup"), "not another's");
    assert_eq!(Browser::new(&world).visit(PATH).await.address.path(), "/sign-in");

    world.clock.advance(TimeDelta::days(91));
    itinerary_server::jobs::expire(world.service()).await.expect("a database");
    let later = Browser::new(&world);
    later.sign_in("ana", "another pass phrase").await;
    let page = later.visit(PATH).await;
    assert!(page.text().contains("Signed in") && !page.text().contains("Backup"), "90 days");
    let logged = entries(&world).await;
    assert_eq!(logged.iter().filter(|row| row.address.is_some()).count(), 1, "the sign-in just now");
    assert!(!logged.iter().any(|row| row.event == "signInFailed"));
    assert!(logged.len() > 8, "the operator's is kept for a year");
    world.clock.advance(TimeDelta::days(275));
    itinerary_server::jobs::expire(world.service()).await.expect("a database");
    assert_eq!(events(&world).await, ["signedIn"]);
}

#[api_test(limits = false)]
async fn entries_of_an_erased_account_are_anonymous(world: World) {
    let browser = Browser::signed_up(&world, "ana").await;
    let id = account(&world, "ana").await.id;
    let form = browser.visit("/account/delete").await.form("/account/delete");
    browser.submit(&form, &[("password", PASSWORD)]).await;
    accounts::erase_deleted(world.service()).await.expect("erased");
    let rows = entries(&world).await;
    assert_eq!(rows.iter().map(|row| &*row.event).collect::<Vec<_>>(), ["accountCreated", "accountDeleted"]);
    for row in &rows {
        assert_eq!((row.account_id, &row.address, &row.detail, &row.client_id), (None, &None, &None, &None));
    }
    for (table, row) in sql::dump(world.database_url()).await {
        assert!(!row.contains(&id.to_string()), "{table}: {row}");
    }
}

/// The log is read in pages, which neither repeat nor skip.
#[api_test(limits = false)]
async fn a_long_log_has_pages(world: World) {
    let browser = Browser::signed_up(&world, "ana").await;
    for _ in 0..60 {
        let (id, by) = (account(&world, "ana").await.id, itinerary_app::audit::Actor::Operator);
        itinerary_app::audit::record(world.service(), itinerary_app::audit::Event::Warned, Some(id), by, "").await;
    }
    let count = |text: &str| text.matches("<strong>").count();
    let first = browser.visit(PATH).await.text();
    assert_eq!(count(&first), 50);
    let next = first.split_once("after=").expect("more").1;
    let next = next.split_once('"').expect("its end").0;
    assert_eq!(count(&browser.visit(&format!("{PATH}?after={next}")).await.text()), 11);
    assert_eq!(count(&browser.visit(&format!("{PATH}?after=forged")).await.text()), 50);
}
