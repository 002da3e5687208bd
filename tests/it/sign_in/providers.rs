//! Sign-in by OpenID Connect: accounts by identity alone, new accounts, linking, and confirming who is there. What a
//! provider must not get away with is in `provider_traps.rs`.

use chrono::TimeDelta;
use itinerary_app::password_resets;
use itinerary_app::sign_up_invitations::invite;
use itinerary_platform::settings::{Config, OidcProviders, SignUpMode};
use itinerary_tests::browser::{Browser, Page};
use itinerary_tests::identity_provider::{IdentityServer, Person};
use itinerary_tests::world::PASSWORD;
use itinerary_tests::{Database, World, api_test, sql};
use reqwest::{Method, Url};

use super::{App, encoded};

/// A server with the provider `acme`.
pub(super) async fn world_with(
    database: Database,
    provider: &IdentityServer,
    configure: impl Fn(&mut Config),
) -> Option<World> {
    let world = World::start_with(database, |config| {
        config.limits = false;
        config.sign_in.oidc = Some(OidcProviders(vec![provider.settings("acme")]));
        configure(config);
    })
    .await?;
    provider.follow(&world.clock);
    Some(world)
}

/// Sends the browser to the provider from the sign-in page. Returns where it is sent.
pub(super) async fn set_out(browser: &Browser, page: &str) -> Url {
    let form = browser.visit(page).await.form("/sign-in/acme");
    let page = browser.submit(&form, &[]).await;
    let to = page.left_for.clone();
    to.unwrap_or_else(|| panic!("it stays: {}", page.text()))
}

/// Signs in at the provider and comes back.
pub(super) async fn sign_in(browser: &Browser, provider: &IdentityServer, person: &Person) -> Page {
    let to = set_out(browser, "/sign-in").await;
    browser.visit(provider.sign_in(&to, person).as_str()).await
}

/// Creates an account for a person.
pub(super) async fn signed_up(world: &World, provider: &IdentityServer, person: &Person) -> Browser {
    let browser = Browser::new(world);
    let page = sign_in(&browser, provider, person).await;
    let page = browser.submit(&page.form("/sign-in/acme/account"), &[]).await;
    assert_eq!((page.response.status.as_u16(), page.address.path()), (200, "/"), "{}", page.text());
    browser
}

pub(super) async fn count(world: &World, table: &str) -> String {
    sql::ask(world.database_url(), &format!("SELECT CAST(count(*) AS TEXT) FROM {table}")).await
}

#[track_caller]
fn expect_page(page: &Page, status: u16, words: &str) {
    assert_eq!(page.response.status.as_u16(), status, "{}", page.text());
    page.assert_says(words);
}

const METHODS: &str = "/account/sign-in-methods";
const UNKNOWN: &str = "No account is linked";

#[api_test]
async fn a_new_traveller_chooses_a_name_and_signs_in_again(database: Database) {
    let provider = IdentityServer::start().await;
    let Some(world) = world_with(database, &provider, |_| ()).await else { return };
    let ana = Person { username: Some("Ana.Silva@acme.example".to_owned()), ..Person::new("subject-1") };
    let browser = Browser::new(&world);
    let app = App::public(&world).await;
    // From an app, whose request continues afterwards.
    let page = browser.visit(&app.authorise()).await;
    page.assert_says("Continue with <bdi>ACME</bdi>");
    let policy = page.response.header("content-security-policy");
    assert!(policy.contains(&format!("form-action 'self' {};", provider.issuer)), "{policy}");
    let page = browser.submit(&page.form("/sign-in/acme"), &[]).await;
    let to = page.left_for.expect("the provider's page");
    let page = browser.visit(provider.sign_in(&to, &ana).as_str()).await;
    assert_eq!(provider.asked("redirect_uri"), format!("{}/sign-in/acme/callback", world.base_url));
    assert!(provider.asked("scope").contains("email") && provider.asked("max_age").is_empty());
    expect_page(&page, 200, "You are signed in with <strong>ACME</strong>");
    let form = page.form("/sign-in/acme/account");
    assert_eq!((form.get("username"), browser.cookie("session")), ("ana.silva", None));

    world.account("ben").await;
    for (name, words) in [("a", "Use 3 to 30 letters"), ("ben", "This username is taken.")] {
        expect_page(&browser.submit(&form, &[("username", name)]).await, 422, words);
    }
    let page = browser.submit(&form, &[("username", "ana"), ("display_name", "Ana")]).await;
    expect_page(&page, 200, "Connect");
    assert_eq!(page.address.path(), "/oauth/authorise");
    // Twice is once.
    expect_page(&browser.submit(&form, &[("username", "eve")]).await, 403, "This sign-in is out of date");
    assert_eq!((count(&world, "accounts").await, count(&world, "identities").await), ("2".to_owned(), "1".to_owned()));

    let account = world.service().store.account_by_username("ana").await.expect("a database").expect("she is there");
    assert_eq!(account.password_hash, "!");
    for password in ["!", "", PASSWORD] {
        assert_eq!(Browser::new(&world).sign_in("ana", password).await.response.status.as_u16(), 422, "{password}");
    }
    // Whatever the provider says about her besides issuer and subject.
    let renamed = Person { username: None, email: Some(("x@y.example".to_owned(), true)), ..ana };
    let another = Browser::new(&world);
    let page = sign_in(&another, &provider, &renamed).await;
    assert_eq!(page.address.path(), "/", "{}", page.text());
    page.assert_says("Hello, <bdi>Ana</bdi>");
    assert_ne!(another.cookie("session"), browser.cookie("session"));
}

// An account is never found by a mail address or a username.
#[api_test]
async fn an_existing_account_is_not_taken_over(database: Database) {
    let provider = IdentityServer::start().await;
    let Some(world) = world_with(database, &provider, |_| ()).await else { return };
    let ana = signed_up(&world, &provider, &Person::new("ana")).await;
    let impostor = Person {
        username: Some("ana".to_owned()),
        email: Some(("ana@acme.example".to_owned(), true)),
        ..Person::new("subject-2")
    };
    let browser = Browser::new(&world);
    let page = sign_in(&browser, &provider, &impostor).await;
    let page = browser.submit(&page.form("/sign-in/acme/account"), &[]).await;
    expect_page(&page, 422, "This username is taken.");
    assert_eq!(browser.cookie("session"), None);
    assert_eq!(ana.visit("/account").await.address.path(), "/account");
}

#[api_test]
async fn new_accounts_need_what_the_settings_say(database: Database) {
    for (mode, create, domains) in [
        (SignUpMode::Closed, true, vec![]),
        (SignUpMode::Open, false, vec![]),
        (SignUpMode::Open, true, vec!["acme.example".to_owned()]),
        (SignUpMode::Invite, true, vec![]),
    ] {
        let provider = IdentityServer::start().await;
        let started = world_with(database, &provider, |config| {
            config.sign_in.sign_up = mode;
            let mut settings = provider.settings("acme");
            settings.create_accounts = create;
            settings.email_domains.clone_from(&domains);
            config.sign_in.oidc = Some(OidcProviders(vec![settings]));
        });
        let Some(world) = started.await else { return };
        let browser = Browser::new(&world);
        let addressed =
            |address: &str, verified| Person { email: Some((address.to_owned(), verified)), ..Person::new("ana") };
        let mut refused = vec![Person::new("ana")];
        if !domains.is_empty() {
            refused.extend([
                addressed("ana@acme.example", false),
                addressed("ana@other.example", true),
                addressed("ana@acme.example.other.example", true),
            ]);
        }
        for person in refused {
            expect_page(&sign_in(&browser, &provider, &person).await, 403, UNKNOWN);
        }
        assert_eq!(count(&world, "accounts").await, "0");
        if !domains.is_empty() {
            let page = sign_in(&browser, &provider, &addressed("ana@ACME.example", true)).await;
            assert_eq!(page.forms("/sign-in/acme/account").len(), 1, "{}", page.text());
        }
        if mode == SignUpMode::Invite {
            // The invitation is carried to the provider and back.
            let made = invite(world.service(), &world.base_url, None, TimeDelta::days(7), None).await;
            let address = made.expect("a database").address;
            let to = set_out(&browser, &address).await;
            assert!(!to.as_str().contains("itn_inv_"), "{to}");
            let page = browser.visit(provider.sign_in(&to, &Person::new("ana")).as_str()).await;
            let page = browser.submit(&page.form("/sign-in/acme/account"), &[]).await;
            assert_eq!(page.address.path(), "/", "{}", page.text());
            assert_eq!(count(&world, "sign_up_invitations").await, "0");
            let form = browser.visit("/sign-out").await.form("/sign-out");
            browser.submit(&form, &[]).await;
            browser.visit(&address).await.assert_says("This invitation is not valid");
        }
    }
}

#[api_test]
async fn an_account_links_and_unlinks_an_identity(database: Database) {
    let provider = IdentityServer::start().await;
    let Some(world) = world_with(database, &provider, |_| ()).await else { return };
    let (ana, ben) = (Browser::signed_up(&world, "ana").await, Browser::signed_up(&world, "ben").await);
    let person = Person::new("subject-1");
    let link = async |browser: &Browser, person: &Person| {
        let form = browser.visit(METHODS).await.form(METHODS);
        let to = browser.submit(&form, &[("link", "acme")]).await.left_for.expect("the provider's page");
        browser.visit(provider.sign_in(&to, person).as_str()).await
    };
    expect_page(&link(&ana, &person).await, 200, "The account is linked.");
    expect_page(&link(&ana, &person).await, 200, "This account was linked already.");
    expect_page(&link(&ben, &person).await, 409, "is linked to another account here");
    assert_eq!(count(&world, "identities").await, "1");
    let page = sign_in(&Browser::new(&world), &provider, &person).await;
    page.assert_says("Hello, <bdi>ana</bdi>");

    // A request that one session began is not completed by another browser, or another session of this one.
    let form = ben.visit(METHODS).await.form(METHODS);
    let to = ben.submit(&form, &[("link", "acme")]).await.left_for.expect("the provider's page");
    let back = provider.sign_in(&to, &Person::new("subject-2"));
    expect_page(&ana.visit(back.as_str()).await, 403, "This sign-in is out of date");
    ben.submit(&ben.visit("/sign-out").await.form("/sign-out"), &[]).await;
    ben.sign_in("ben", PASSWORD).await;
    expect_page(&ben.visit(back.as_str()).await, 403, "This sign-in is out of date");
    assert_eq!(count(&world, "identities").await, "1");

    let page = ana.visit(METHODS).await;
    let unlink = attribute(&page.text(), "name=\"unlink\" value=\"");
    let form = page.form(METHODS);
    // Others cannot unlink it.
    let bens = ben.visit(METHODS).await.form(METHODS);
    ben.submit(&bens, &[("unlink", &unlink)]).await;
    assert_eq!(count(&world, "identities").await, "1");
    let elsewhere = Browser::new(&world);
    sign_in(&elsewhere, &provider, &person).await;
    expect_page(&ana.submit(&form, &[("unlink", &unlink)]).await, 200, "not linked any more");
    assert_eq!(count(&world, "identities").await, "0");
    assert_eq!(elsewhere.visit("/account").await.address.path(), "/sign-in", "whoever signed in by it is signed out");
    let page = sign_in(&Browser::new(&world), &provider, &person).await;
    assert_eq!(page.forms("/sign-in/acme/account").len(), 1, "{}", page.text());
}

/// The value after this text.
fn attribute(html: &str, before: &str) -> String {
    let (_, rest) = html.split_once(before).unwrap_or_else(|| panic!("{before} in {html}"));
    rest.split('"').next().expect("a quote").to_owned()
}

#[api_test]
async fn the_last_way_in_is_not_unlinked(database: Database) {
    let provider = IdentityServer::start().await;
    let Some(world) = world_with(database, &provider, |_| ()).await else { return };
    let ana = signed_up(&world, &provider, &Person::new("ana")).await;
    let page = ana.visit(METHODS).await;
    page.assert_says("Your account has no password.");
    let unlink = attribute(&page.text(), "name=\"unlink\" value=\"");
    let form = page.form(METHODS);
    expect_page(&ana.submit(&form, &[("unlink", &unlink)]).await, 409, "This is the only way to sign in");
    // With a password, it is not the last.
    let page = ana.visit("/account/password").await;
    page.assert_says("Set a password");
    let page = ana.submit(&page.form("/account/password"), &[("password", PASSWORD)]).await;
    assert_eq!(page.address.path(), "/account", "{}", page.text());
    let form = ana.visit(METHODS).await.form(METHODS);
    expect_page(&ana.submit(&form, &[("unlink", &unlink)]).await, 200, "not linked any more");
    assert_eq!(Browser::new(&world).sign_in("ana", PASSWORD).await.address.path(), "/");
}

// Sensitive pages ask again after ten minutes, and the provider must have asked the traveller itself.
#[api_test]
async fn sensitive_pages_ask_the_provider_again(database: Database) {
    let provider = IdentityServer::start().await;
    let Some(world) = world_with(database, &provider, |_| ()).await else { return };
    let ana = signed_up(&world, &provider, &Person::new("ana")).await;
    let page = ana.visit("/account/data").await;
    let archive = ana.submit(&page.form("/account/data"), &[]).await.response.text();
    // Nothing in the archive is compressed.
    let identity = format!("\"issuer\":\"{}\"", provider.issuer);
    assert!(archive.replace(' ', "").contains(&identity) && archive.contains("\"subject\""), "{archive}");
    let delete = ana.visit("/account/delete").await.form("/account/delete");
    world.clock.advance(TimeDelta::minutes(10));
    for path in ["/account/data", "/account/delete", "/account/password"] {
        let page = ana.visit(path).await;
        assert_eq!(page.address.path(), "/account/confirm", "{path}");
    }
    // Not by a form of before either.
    assert_eq!(ana.submit(&delete, &[]).await.address.path(), "/account/confirm");
    assert_eq!(count(&world, "identities").await, "1");
    let confirm = async |person: &Person| {
        let page = ana.visit("/account/delete").await;
        assert!(!page.text().contains("type=\"password\""), "{}", page.text());
        let to = ana.submit(&page.form("/account/confirm"), &[("provider", "acme")]).await.left_for;
        let page = ana.visit(provider.sign_in(&to.expect("the provider's page"), person).as_str()).await;
        assert_eq!(provider.asked("max_age"), "0");
        page
    };
    for ago in [None, Some(TimeDelta::minutes(10)), Some(TimeDelta::hours(5))] {
        let person = Person { signed_in_ago: ago, ..Person::new("ana") };
        expect_page(&confirm(&person).await, 403, "did not confirm that it is you");
    }
    expect_page(&confirm(&Person::new("ben")).await, 403, "This is another account at ACME");
    assert_eq!(ana.visit("/account/delete").await.address.path(), "/account/confirm");
    let page = confirm(&Person::new("ana")).await;
    assert_eq!(page.address.path(), "/account/delete", "{}", page.text());
    let page = ana.submit(&page.form("/account/delete"), &[]).await;
    page.assert_says("Your account is deleted.");
    assert_eq!(count(&world, "identities").await, "0");
    // The identity is free again, the name is not.
    let browser = Browser::new(&world);
    let page = sign_in(&browser, &provider, &Person::new("ana")).await;
    expect_page(&browser.submit(&page.form("/sign-in/acme/account"), &[]).await, 422, "This username is taken.");
}

// A sign-in that the provider answered from an old session of its own does not count as asking.
#[api_test]
async fn an_old_session_at_the_provider_proves_little(database: Database) {
    let provider = IdentityServer::start().await;
    let Some(world) = world_with(database, &provider, |_| ()).await else { return };
    for (ago, name) in [(None, "ana"), (Some(TimeDelta::days(3)), "ben")] {
        let browser = signed_up(&world, &provider, &Person { signed_in_ago: ago, ..Person::new(name) }).await;
        assert_eq!(browser.visit("/account/data").await.address.path(), "/account/confirm");
        assert_eq!(browser.visit("/account").await.address.path(), "/account");
    }
}

#[api_test]
async fn a_password_confirms_too(database: Database) {
    let provider = IdentityServer::start().await;
    let Some(world) = world_with(database, &provider, |_| ()).await else { return };
    let ana = Browser::signed_up(&world, "ana").await;
    let form = ana.visit(METHODS).await.form(METHODS);
    world.clock.advance(TimeDelta::minutes(10));
    let page = ana.submit(&form, &[("link", "acme")]).await;
    assert_eq!(page.address.path(), "/account/confirm");
    // Only linked providers are offered.
    assert_eq!(page.forms("/account/confirm").len(), 1, "{}", page.text());
    let form = page.form("/account/confirm");
    expect_page(&ana.submit(&form, &[("password", "wrong password")]).await, 422, "Wrong password.");
    expect_page(
        &ana.submit(&form.clone().with("guard", "forged"), &[("password", PASSWORD)]).await,
        403,
        "out of date",
    );
    let elsewhere = form.clone().with("next", "https://evil.example");
    assert_eq!(ana.submit(&elsewhere, &[("password", PASSWORD)]).await.address.path(), "/account");
    assert_eq!(ana.submit(&form, &[("password", PASSWORD)]).await.address.path(), METHODS);
}

#[api_test]
async fn passwords_can_be_turned_off(database: Database) {
    let provider = IdentityServer::start().await;
    let off = |config: &mut Config| config.sign_in.password_sign_in = false;
    let Some(world) = world_with(database, &provider, off).await else { return };
    world.account("ben").await;
    let browser = Browser::new(&world);
    for path in ["/sign-in", "/sign-up"] {
        let page = browser.visit(path).await;
        assert!(page.forms(path).is_empty() && !page.text().contains("type=\"password\""), "{}", page.text());
        let form = page.form("/sign-in/acme");
        let typed = [("guard", form.get("guard")), ("username", "ben"), ("password", PASSWORD), ("display_name", "B")];
        let response = browser.call(Method::POST, path).form(&typed).send().await;
        assert_eq!(response.status.as_u16(), 403, "{}", response.text());
    }
    assert_eq!((browser.cookie("session"), count(&world, "accounts").await), (None, "1".to_owned()));
    let link = password_resets::create(world.service(), &world.base_url, "ben").await.expect("a link").address;
    let path = link.strip_prefix(&world.base_url).expect("an address of the service");
    assert_eq!(browser.visit(path).await.address.path(), "/sign-in", "a reset link sets no password");
    let typed = [("token", &path[path.len() - 51..]), ("password", "a new pass phrase")];
    let response = browser.call(Method::POST, "/reset-password").form(&typed).send().await;
    assert_eq!(response.header("location"), "/sign-in");
    let ana = signed_up(&world, &provider, &Person::new("ana")).await;
    assert_eq!(ana.visit("/account/password").await.address.path(), METHODS);
    let page = ana.visit("/account").await;
    assert!(!page.text().contains("/account/password"), "{}", page.text());
    // A password from before is no way in.
    let hash =
        world.service().store.account_by_username("ben").await.expect("a database").expect("there").password_hash;
    world.sql(&format!("UPDATE accounts SET password_hash = '{hash}' WHERE username = 'ana'")).await;
    let page = ana.visit(METHODS).await;
    let unlink = attribute(&page.text(), "name=\"unlink\" value=\"");
    let refused = ana.submit(&page.form(METHODS), &[("unlink", &unlink)]).await;
    expect_page(&refused, 409, "This is the only way to sign in");
}

// Where the browser continues is a path of this server, and what it must remember has limits.
#[api_test]
async fn the_way_back_stays_on_this_server(database: Database) {
    let provider = IdentityServer::start().await;
    let Some(world) = world_with(database, &provider, |_| ()).await else { return };
    signed_up(&world, &provider, &Person::new("ana")).await;
    for (next, leads_to) in [("https://evil.example", "/"), ("//evil.example", "/"), ("/account", "/account")] {
        let browser = Browser::new(&world);
        let form = browser.visit("/sign-in").await.form("/sign-in/acme");
        let to = browser.submit(&form, &[("next", next)]).await.left_for.expect("the provider's page");
        let page = browser.visit(provider.sign_in(&to, &Person::new("ana")).as_str()).await;
        assert_eq!((page.address.path(), page.left_for), (leads_to, None), "{next}");
    }
    let browser = Browser::new(&world);
    let long = format!("/trips?{}", encoded(&[("x", &"a".repeat(4_000))]));
    let form = browser.visit("/sign-in").await.form("/sign-in/acme");
    expect_page(&browser.submit(&form, &[("next", &long)]).await, 400, "This request is too long");
}
