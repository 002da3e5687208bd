//! Who can create an account: everyone, those with an invitation, or nobody.

use chrono::TimeDelta;
use futures::future::join_all;
use itinerary_app::sign_up_invitations::invite;
use itinerary_core::clock::Clock as _;
use itinerary_platform::settings::{Contact, SignUpMode};
use itinerary_server::jobs;
use itinerary_tests::browser::{Browser, Page};
use itinerary_tests::world::PASSWORD;
use itinerary_tests::{Database, World, api_test, sql};
use reqwest::Method;
use uuid::Uuid;

use super::{App, encoded};

/// The invitations and the requests of one race.
const AT_ONCE: usize = 24;

async fn world(database: Database, mode: SignUpMode) -> Option<World> {
    World::start_with(database, |config| {
        config.limits = false;
        config.sign_in.sign_up = mode;
        config.sign_in.contact =
            Some(Contact { text: "ops@trips.example".to_owned(), link: "mailto:ops@trips.example".to_owned() });
    })
    .await
}

/// The path of a new invitation.
async fn invited(world: &World, by: Option<Uuid>) -> String {
    let made = invite(world.service(), &world.base_url, None, TimeDelta::days(7), by).await.expect("a database");
    made.address.strip_prefix(&world.base_url).expect("an address of this server").to_owned()
}

/// Creates an account through the page at this address.
async fn sign_up_at(browser: &Browser, address: &str, name: &str) -> Page {
    let form = browser.visit(address).await.form("/sign-up");
    browser.submit(&form, &[("username", name), ("display_name", name), ("password", PASSWORD)]).await
}

async fn count(world: &World, table: &str) -> String {
    sql::ask(world.database_url(), &format!("SELECT CAST(count(*) AS TEXT) FROM {table}")).await
}

#[track_caller]
fn expect_refused(page: &Page, status: u16, words: &str) {
    assert_eq!(page.response.status.as_u16(), status, "{}", page.text());
    page.assert_says(words);
    assert!(page.forms("/sign-up").is_empty(), "{}", page.text());
    page.assert_says("ops@trips.example");
}

const CLOSED: &str = "Accounts are created by the operator";
const NEEDED: &str = "You need an invitation";
const INVALID: &str = "This invitation is not valid";

// W-11: sign-up can be closed.
#[api_test]
async fn closed_sign_up_refuses_everyone(database: Database) {
    let Some(world) = world(database, SignUpMode::Closed).await else { return };
    let browser = Browser::new(&world);
    expect_refused(&browser.visit("/sign-up").await, 200, CLOSED);
    let invitation = invited(&world, None).await;
    expect_refused(&browser.visit(&invitation).await, 200, CLOSED);
    // With the guard of another form of this browser.
    let form = browser.visit("/sign-in").await.form("/sign-in");
    let fields = [
        ("guard", form.get("guard")),
        ("username", "ana"),
        ("display_name", "Ana"),
        ("password", PASSWORD),
        ("invitation", invitation.rsplit('=').next().expect("a secret")),
    ];
    let response = browser.call(Method::POST, "/sign-up").form(&fields).send().await;
    assert_eq!(response.status.as_u16(), 403);
    assert!(response.text().contains(CLOSED), "{}", response.text());
    assert_eq!((count(&world, "accounts").await, browser.cookie("session")), ("0".to_owned(), None));

    // The operator creates accounts, which sign in as always.
    world.account("ana").await;
    assert_eq!(browser.sign_in("ana", PASSWORD).await.address.path(), "/");
}

// Neither the start page nor the sign-in page, also on the way from an app, leads to a page that refuses.
// W-11: and only open sign-up is linked.
#[api_test]
async fn only_open_sign_up_is_linked(database: Database) {
    for mode in [SignUpMode::Open, SignUpMode::Invite, SignUpMode::Closed] {
        let Some(world) = world(database, mode).await else { return };
        let app = App::public(&world).await;
        let browser = Browser::new(&world);
        for address in ["/", "/sign-in", &app.authorise()] {
            let page = browser.visit(address).await;
            assert_eq!(page.response.status.as_u16(), 200, "{address}");
            assert_eq!(page.text().contains("/sign-up"), mode == SignUpMode::Open, "{mode:?}, {address}");
            assert!(page.text().contains("/sign-in"), "{address}");
        }
        browser.visit("/sign-in").await.assert_says("mailto:ops@trips.example");
    }
}

// W-12: an invitation works once, within its time.
#[api_test]
async fn an_invitation_creates_one_account(database: Database) {
    let Some(world) = world(database, SignUpMode::Invite).await else { return };
    let browser = Browser::new(&world);
    expect_refused(&browser.visit("/sign-up").await, 200, NEEDED);
    expect_refused(&browser.visit("/sign-up?invitation=").await, 200, NEEDED);
    let invitation = invited(&world, None).await;

    // Mistakes and a taken name do not use it up.
    world.account("ben").await;
    let form = browser.visit(&invitation).await.form("/sign-up");
    for (name, password) in [("a", PASSWORD), ("ana", "short"), ("ben", PASSWORD)] {
        let typed = [("username", name), ("display_name", "Ana"), ("password", password)];
        let page = browser.submit(&form, &typed).await;
        assert_eq!(page.response.status.as_u16(), 422, "{}", page.text());
        assert_eq!(page.form("/sign-up").get("invitation"), form.get("invitation"), "the form carries it on");
    }
    let page = browser.submit(&form.clone().with("guard", "forged"), &[("username", "ana")]).await;
    assert_eq!(page.response.status.as_u16(), 403);
    assert_eq!(page.form("/sign-up").get("invitation"), form.get("invitation"));

    // The traveller continues at the page from which they came.
    let address = format!("{invitation}&{}", encoded(&[("next", "/account")]));
    let page = sign_up_at(&browser, &address, "ana").await;
    assert_eq!((page.response.status.as_u16(), page.address.path()), (200, "/account"), "{}", page.text());
    assert_eq!(count(&world, "sign_up_invitations").await, "0");

    let another = Browser::new(&world);
    expect_refused(&another.visit(&invitation).await, 200, INVALID);
    let guard = another.visit("/sign-in").await.form("/sign-in").get("guard").to_owned();
    let typed = [("username", "eve"), ("display_name", "Eve"), ("password", PASSWORD), ("guard", &*guard)];
    expect_refused(&another.submit(&form, &typed).await, 403, INVALID);
    expect_refused(&another.submit(&form.without("invitation"), &typed).await, 403, NEEDED);
    assert_eq!(count(&world, "accounts").await, "2");
}

// Unknown, used, revoked and expired: one response.
#[api_test]
async fn invalid_invitations_get_the_same_response(database: Database) {
    let Some(world) = world(database, SignUpMode::Invite).await else { return };
    let (store, browser) = (&world.service().store, Browser::new(&world));
    browser.visit("/sign-in").await;
    let [used, revoked, expired] = [(); 3].map(|()| invited(&world, None));
    let (used, revoked) = (used.await, revoked.await);
    let row = store.sign_up_invitation_list(world.clock.now()).await.expect("a database");
    sign_up_at(&Browser::new(&world), &used, "ana").await.assert_says("ana");
    for invitation in row {
        store.sign_up_invitation_delete(&invitation.hash).await.expect("a database");
    }
    let expired = expired.await;
    world.clock.advance(TimeDelta::days(7) - TimeDelta::milliseconds(1));
    assert_eq!(browser.visit(&expired).await.forms("/sign-up").len(), 1, "the last millisecond");
    world.clock.advance(TimeDelta::milliseconds(1));
    let unknown = format!("/sign-up?invitation=itn_inv_{}", "A".repeat(43));
    let cut = expired[..expired.len() - 1].to_owned();
    let mut said = Vec::new();
    for address in [&used, &revoked, &expired, &unknown, &cut, "/sign-up?invitation=%00'\"<b>"] {
        let page = browser.visit(address).await;
        expect_refused(&page, 200, INVALID);
        said.push(page.text());
    }
    assert!(said.iter().all(|text| *text == said[0]));
    // What has expired is deleted by the job.
    assert_eq!(count(&world, "sign_up_invitations").await, "1");
    jobs::expire(world.service()).await.expect("a database");
    assert_eq!(count(&world, "sign_up_invitations").await, "0");
}

// An invitation that nobody needs stays as it is.
#[api_test]
async fn invitations_are_ignored_while_sign_up_is_open(database: Database) {
    let Some(world) = world(database, SignUpMode::Open).await else { return };
    let invitation = invited(&world, None).await;
    for (name, address) in [("ana", &*invitation), ("ben", "/sign-up?invitation=itn_inv_unknown")] {
        let page = sign_up_at(&Browser::new(&world), address, name).await;
        assert_eq!((page.response.status.as_u16(), page.address.path()), (200, "/"), "{}", page.text());
    }
    assert_eq!(count(&world, "sign_up_invitations").await, "1");
}

#[api_test]
async fn one_of_many_concurrent_sign_ups_uses_an_invitation(database: Database) {
    let Some(world) = world(database, SignUpMode::Invite).await else { return };
    let replica = world
        .replica_with(|config| {
            config.limits = false;
            config.sign_in.sign_up = SignUpMode::Invite;
        })
        .await;
    let invitation = invited(&world, None).await;
    let mut calls = Vec::new();
    for number in 0..AT_ONCE {
        // Half of them at another server on the same database.
        let address = if number % 2 == 0 { world.address() } else { replica.address };
        let browser = Browser::at(&format!("http://{address}"));
        let form = browser.visit(&invitation).await.form("/sign-up");
        let name = format!("ana-{number}");
        calls.push(browser.post(&form, &[("username", &*name), ("display_name", "Ana"), ("password", PASSWORD)]));
    }
    let responses = join_all(calls.into_iter().map(itinerary_tests::raw::Call::send)).await;
    let created = responses.iter().filter(|response| response.status == 303).count();
    assert_eq!(created, 1);
    for response in responses.iter().filter(|response| response.status != 303) {
        assert!(response.status == 403 && response.text().contains(INVALID), "{}", response.text());
    }
    assert_eq!(count(&world, "accounts").await, "1");
    replica.stop().await;
}

// Only the hash is stored, and the secret is neither cached nor sent on.
// W-13: it is stored as a hash.
#[api_test]
async fn the_secret_of_an_invitation_stays_secret(database: Database) {
    let Some(world) = world(database, SignUpMode::Invite).await else { return };
    let invitation = invited(&world, None).await;
    let secret = invitation.rsplit('=').next().expect("a secret");
    assert!(secret.starts_with("itn_inv_") && secret.len() == 51, "{secret}");
    let rows = sql::dump(world.database_url()).await;
    assert!(rows.iter().any(|(table, _)| table == "sign_up_invitations"));
    assert!(!rows.iter().any(|(_, row)| row.contains(secret) || row.contains(&secret[8..])), "{rows:?}");
    let page = Browser::new(&world).visit(&invitation).await;
    assert_eq!(page.response.header("referrer-policy"), "no-referrer");
    assert_eq!(page.response.header("cache-control"), "no-store");
    // It occurs in the form only, not in a link.
    assert_eq!(page.text().matches(secret).count(), 1, "{}", page.text());
}

// The invitations of a deleted account end with it.
#[api_test]
async fn invitations_by_a_deleted_account_are_erased(database: Database) {
    let Some(world) = world(database, SignUpMode::Invite).await else { return };
    let ana = world.account("ana").await;
    let (by_ana, by_operator) = (invited(&world, Some(ana)).await, invited(&world, None).await);
    let listed = world.service().store.sign_up_invitation_list(world.clock.now()).await.expect("a database");
    let by: Vec<_> = listed.iter().map(|invitation| invitation.created_by.as_deref()).collect();
    assert!(by.contains(&Some("ana")) && by.contains(&None), "{by:?}");
    itinerary_app::accounts::delete_by_username(world.service(), "ana").await.expect("a known name");
    itinerary_app::accounts::erase_deleted(world.service()).await.expect("a database");
    let browser = Browser::new(&world);
    expect_refused(&browser.visit(&by_ana).await, 200, INVALID);
    assert_eq!(browser.visit(&by_operator).await.forms("/sign-up").len(), 1);
}
