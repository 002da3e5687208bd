//! Providers and strangers that misbehave: nobody is signed in, and the page says what to do.

use std::time::{Duration, Instant};

use futures::future::join_all;
use itinerary_platform::settings::OidcProviders;
use itinerary_tests::browser::{Browser, Page};
use itinerary_tests::identity_provider::{IdentityServer, Person, Trap};
use itinerary_tests::raw::Call;
use itinerary_tests::{Database, World, api_test};
use reqwest::{Method, Url};

use super::providers::{count, set_out, sign_in, signed_up, world_with};

const UNVERIFIED: &str = "This sign-in could not be verified";
const UNREACHABLE: &str = "ACME does not answer";
const OUT_OF_DATE: &str = "This sign-in is out of date";

#[track_caller]
fn expect_failure(page: &Page, browser: &Browser, status: u16, words: &str, what: &str) {
    assert_eq!(page.response.status.as_u16(), status, "{what}: {}", page.text());
    assert!(page.text().contains(words), "{what}: {}", page.text());
    assert_eq!(browser.cookie("session"), None, "{what}");
    for header in ["referrer-policy", "cache-control"] {
        assert!(page.response.header(header).starts_with("no-"), "{what}");
    }
}

/// The address with another value of a parameter, or without it.
fn with_parameter(address: &Url, name: &str, value: Option<&str>) -> Url {
    let kept: Vec<_> = address.query_pairs().into_owned().filter(|(key, _)| key != name).collect();
    let mut changed = address.clone();
    changed.query_pairs_mut().clear().extend_pairs(kept).extend_pairs(value.map(|value| (name, value)));
    changed
}

#[api_test]
async fn tokens_that_are_not_for_this_sign_in_are_refused(database: Database) {
    let provider = IdentityServer::start().await;
    let Some(world) = world_with(database, &provider, |_| ()).await else { return };
    let ana = Person::new("ana");
    signed_up(&world, &provider, &ana).await;
    for trap in [
        Trap::Issuer,
        Trap::Nonce,
        Trap::NoNonce,
        Trap::Audience,
        Trap::MoreAudiences,
        Trap::AuthorisedParty,
        Trap::Signature,
        Trap::Unsigned,
        Trap::Hmac,
        Trap::UnknownKey,
        Trap::Expired,
        Trap::FromTheFuture,
        Trap::Old,
        Trap::NoSubject,
    ] {
        provider.trap(Some(trap));
        let browser = Browser::new(&world);
        let page = sign_in(&browser, &provider, &ana).await;
        expect_failure(&page, &browser, 403, UNVERIFIED, &format!("{trap:?}"));
    }
    provider.trap(None);
    assert_eq!(sign_in(&Browser::new(&world), &provider, &ana).await.address.path(), "/");
    assert_eq!((count(&world, "accounts").await, count(&world, "identities").await), ("1".to_owned(), "1".to_owned()));
}

#[api_test]
async fn a_provider_that_does_not_answer_is_a_bad_gateway(database: Database) {
    let provider = IdentityServer::start().await;
    let Some(world) = world_with(database, &provider, |_| ()).await else { return };
    let ana = Person::new("ana");
    // At discovery, before anything is known of it.
    for trap in [Trap::Fails, Trap::NotJson, Trap::HugeDiscovery, Trap::Redirect, Trap::OtherMetadata] {
        provider.trap(Some(trap));
        let browser = Browser::new(&world);
        let form = browser.visit("/sign-in").await.form("/sign-in/acme");
        expect_failure(&browser.submit(&form, &[]).await, &browser, 502, UNREACHABLE, &format!("{trap:?}"));
    }
    provider.trap(None);
    signed_up(&world, &provider, &ana).await;
    // At the token endpoint.
    for trap in [Trap::Fails, Trap::NotJson, Trap::Huge, Trap::Redirect, Trap::NoIdToken] {
        let browser = Browser::new(&world);
        let to = set_out(&browser, "/sign-in").await;
        provider.trap(Some(trap));
        let page = browser.visit(provider.sign_in(&to, &ana).as_str()).await;
        expect_failure(&page, &browser, 502, UNREACHABLE, &format!("{trap:?}"));
        provider.trap(None);
    }
}

#[api_test(sqlite)]
async fn a_slow_provider_is_waited_for_five_seconds(database: Database) {
    let provider = IdentityServer::start().await;
    let Some(world) = world_with(database, &provider, |_| ()).await else { return };
    let is_soon = |began: Instant| (4..9).contains(&began.elapsed().as_secs());
    provider.trap(Some(Trap::SlowDiscovery));
    // Nobody waits for those who wait before.
    let began = Instant::now();
    let waiting = (0..6).map(|_| async {
        let browser = Browser::new(&world);
        let form = browser.visit("/sign-in").await.form("/sign-in/acme");
        expect_failure(&browser.submit(&form, &[]).await, &browser, 502, UNREACHABLE, "slow discovery");
    });
    join_all(waiting).await;
    assert!(is_soon(began), "{:?}", began.elapsed());
    provider.trap(None);
    let browser = Browser::new(&world);
    let to = set_out(&browser, "/sign-in").await;
    provider.trap(Some(Trap::Slow));
    let began = Instant::now();
    let page = browser.visit(provider.sign_in(&to, &Person::new("ana")).as_str()).await;
    expect_failure(&page, &browser, 502, UNREACHABLE, "slow token endpoint");
    assert!(is_soon(began), "{:?}", began.elapsed());
}

#[api_test]
async fn a_dead_provider_leaves_the_other_ways_in(database: Database) {
    let provider = IdentityServer::start().await;
    let Some(world) = world_with(database, &provider, |_| ()).await else { return };
    drop(provider);
    tokio::time::sleep(Duration::from_millis(50)).await;
    let browser = Browser::new(&world);
    let form = browser.visit("/sign-in").await.form("/sign-in/acme");
    expect_failure(&browser.submit(&form, &[]).await, &browser, 502, UNREACHABLE, "dead");
    Browser::signed_up(&world, "ben").await;
}

// Metadata and keys are fetched once an hour, and once more for a key that is not known.
#[api_test]
async fn keys_are_cached_and_rotated(database: Database) {
    let provider = IdentityServer::start().await;
    let Some(world) = world_with(database, &provider, |_| ()).await else { return };
    let ana = Person::new("ana");
    signed_up(&world, &provider, &ana).await;
    let signs_in = async || {
        let page = sign_in(&Browser::new(&world), &provider, &ana).await;
        assert_eq!(page.address.path(), "/", "{}", page.text());
        provider.discoveries()
    };
    assert_eq!((signs_in().await, signs_in().await), (1, 1));
    provider.rotate();
    assert_eq!((signs_in().await, signs_in().await), (2, 2));
    provider.use_elliptic_curve();
    assert_eq!((signs_in().await, signs_in().await), (3, 3));
    world.clock.advance(chrono::TimeDelta::hours(1));
    assert_eq!(signs_in().await, 4);
    // Tokens of a key that nobody publishes cause one fetch each.
    provider.trap(Some(Trap::UnknownKey));
    let browser = Browser::new(&world);
    let page = sign_in(&browser, &provider, &ana).await;
    expect_failure(&page, &browser, 403, UNVERIFIED, "unknown key");
    assert_eq!(provider.discoveries(), 5);
}

#[api_test]
async fn a_callback_is_good_once_in_its_own_browser(database: Database) {
    let provider = IdentityServer::start().await;
    let Some(world) = world_with(database, &provider, |_| ()).await else { return };
    let ana = Person::new("ana");
    signed_up(&world, &provider, &ana).await;
    // Another browser, with a cookie of its own or without one: an attacker cannot sign somebody in as themselves.
    let (browser, victim) = (Browser::new(&world), Browser::new(&world));
    let to = set_out(&browser, "/sign-in").await;
    let back = provider.sign_in(&to, &ana);
    expect_failure(&victim.visit(back.as_str()).await, &victim, 403, OUT_OF_DATE, "without a cookie");
    victim.visit("/sign-in").await;
    expect_failure(&victim.visit(back.as_str()).await, &victim, 403, OUT_OF_DATE, "with another cookie");
    // Its own browser, once.
    assert_eq!(browser.visit(back.as_str()).await.address.path(), "/");
    let page = browser.visit(back.as_str()).await;
    assert_eq!(page.response.status.as_u16(), 403, "{}", page.text());
    // Even if the provider would accept it again.
    let again = with_parameter(&provider.sign_in(&to, &ana), "x", None);
    assert_eq!(browser.visit(again.as_str()).await.response.status.as_u16(), 403);

    // Ten minutes.
    let late = Browser::new(&world);
    let to = set_out(&late, "/sign-in").await;
    let back = provider.sign_in(&to, &ana);
    world.clock.advance(chrono::TimeDelta::minutes(10));
    expect_failure(&late.visit(back.as_str()).await, &late, 403, OUT_OF_DATE, "late");

    // Altered, missing and invented.
    for (name, value, words) in [
        ("state", None, OUT_OF_DATE),
        ("state", Some(""), OUT_OF_DATE),
        ("state", Some("AAAA"), OUT_OF_DATE),
        ("code", None, UNVERIFIED),
        ("code", Some("invented"), UNVERIFIED),
        ("iss", None, UNVERIFIED),
        ("iss", Some("http://127.0.0.1:1"), UNVERIFIED),
        ("error", Some("access_denied"), "ACME did not sign you in"),
        ("error", Some("<script>"), "ACME did not sign you in"),
    ] {
        let browser = Browser::new(&world);
        let to = set_out(&browser, "/sign-in").await;
        let back = with_parameter(&provider.sign_in(&to, &ana), name, value);
        let page = browser.visit(back.as_str()).await;
        expect_failure(&page, &browser, 403, words, &format!("{name} {value:?}"));
        assert!(!page.text().contains("<script>"));
    }
}

#[api_test]
async fn one_of_many_concurrent_callbacks_signs_in(database: Database) {
    let provider = IdentityServer::start().await;
    let Some(world) = world_with(database, &provider, |_| ()).await else { return };
    let ana = Person::new("ana");
    signed_up(&world, &provider, &ana).await;
    let browser = Browser::new(&world);
    let back = provider.sign_in(&set_out(&browser, "/sign-in").await, &ana);
    let calls = (0..24).map(|_| browser.call(Method::GET, back.as_str()));
    let responses = join_all(calls.map(Call::send)).await;
    assert_eq!(responses.iter().filter(|response| response.status == 303).count(), 1);
    assert!(responses.iter().all(|response| response.status == 303 || response.status == 403));

    // A new account is created once, too.
    let browser = Browser::new(&world);
    let page = sign_in(&browser, &provider, &Person::new("ben")).await;
    let form = page.form("/sign-in/acme/account");
    let names: Vec<String> = (0..24).map(|number| format!("ben-{number}")).collect();
    let calls = names.iter().map(|name| browser.post(&form, &[("username", &**name)]));
    let responses = join_all(calls.map(Call::send)).await;
    assert_eq!(responses.iter().filter(|response| response.status == 303).count(), 1);
    assert_eq!((count(&world, "accounts").await, count(&world, "identities").await), ("2".to_owned(), "2".to_owned()));
}

// Two providers: what one says is never taken for the other's.
#[api_test]
async fn providers_are_not_mixed_up(database: Database) {
    let (acme, other) = (IdentityServer::start().await, IdentityServer::start().await);
    let started = World::start_with(database, |config| {
        config.limits = false;
        config.sign_in.oidc = Some(OidcProviders(vec![acme.settings("acme"), other.settings("other")]));
    });
    let Some(world) = started.await else { return };
    acme.follow(&world.clock);
    other.follow(&world.clock);
    let ana = Person::new("ana");
    signed_up(&world, &acme, &ana).await;

    // The same subject at another provider is somebody else.
    let browser = Browser::new(&world);
    let form = browser.visit("/sign-in").await.form("/sign-in/other");
    let to = browser.submit(&form, &[]).await.left_for.expect("the provider's page");
    let page = browser.visit(other.sign_in(&to, &ana).as_str()).await;
    let sealed = page.form("/sign-in/other/account");
    assert_eq!(browser.cookie("session"), None);

    // An identity of one is not sent to the other's form.
    let typed = [
        ("guard", sealed.get("guard")),
        ("identity", sealed.get("identity")),
        ("username", "eve"),
        ("display_name", "Eve"),
    ];
    let response = browser.call(Method::POST, "/sign-in/acme/account").form(&typed).send().await;
    assert!(response.status == 403 && response.text().contains(OUT_OF_DATE), "{}", response.text());

    // A state of one at the address of the other.
    let form = browser.visit("/sign-in").await.form("/sign-in/other");
    let to = browser.submit(&form, &[]).await.left_for.expect("the provider's page");
    let mut back = other.sign_in(&to, &ana);
    back.set_path("/sign-in/acme/callback");
    expect_failure(&browser.visit(back.as_str()).await, &browser, 403, OUT_OF_DATE, "state of another provider");

    // A code of one with the state of the other: the response names its issuer.
    let to_acme = set_out(&browser, "/sign-in").await;
    let form = browser.visit("/sign-in").await.form("/sign-in/other");
    let to_other = browser.submit(&form, &[]).await.left_for.expect("the provider's page");
    let (from_acme, from_other) = (acme.sign_in(&to_acme, &ana), other.sign_in(&to_other, &ana));
    let code = from_other.query_pairs().find(|(name, _)| name == "code").expect("a code").1.into_owned();
    let mixed = with_parameter(&from_acme, "code", Some(&code));
    let mixed = with_parameter(&mixed, "iss", Some(&other.issuer));
    expect_failure(&browser.visit(mixed.as_str()).await, &browser, 403, UNVERIFIED, "mix-up");
    assert_eq!(count(&world, "accounts").await, "1");
}

// Forms of other sites lead nowhere, and unknown providers are pages that do not exist.
#[api_test]
async fn only_pages_of_this_server_lead_to_a_provider(database: Database) {
    let provider = IdentityServer::start().await;
    let Some(world) = world_with(database, &provider, |_| ()).await else { return };
    let browser = Browser::new(&world);
    let form = browser.visit("/sign-in").await.form("/sign-in/acme");
    for guard in ["", "forged"] {
        let page = browser.submit(&form.clone().with("guard", guard), &[]).await;
        expect_failure(&page, &browser, 403, OUT_OF_DATE, "another site's form");
    }
    let page = Browser::new(&world).submit(&form, &[]).await;
    assert_eq!(page.response.status.as_u16(), 403);
    assert_eq!(browser.visit("/sign-in/nowhere/callback?state=x&code=y").await.response.status.as_u16(), 404);
    assert_eq!(browser.call(Method::POST, "/sign-in/nowhere").form(&[]).send().await.status.as_u16(), 404);
}

// Codes that the provider refuses count like wrong passwords.
#[api_test]
async fn attempts_are_limited(database: Database) {
    let provider = IdentityServer::start().await;
    let Some(world) = world_with(database, &provider, |config| config.limits = true).await else { return };
    let browser = Browser::new(&world);
    for number in 0..=30 {
        let to = set_out(&browser, "/sign-in").await;
        let back = with_parameter(&provider.sign_in(&to, &Person::new("ana")), "code", Some("invented"));
        let page = browser.visit(back.as_str()).await;
        let (status, words) = if number < 30 { (403, UNVERIFIED) } else { (429, "One moment, please") };
        expect_failure(&page, &browser, status, words, &number.to_string());
    }
}

/// Each return uses up a state, which stores a row, so those that were declined count, too.
#[api_test]
async fn declined_sign_ins_are_limited(database: Database) {
    let provider = IdentityServer::start().await;
    let Some(world) = world_with(database, &provider, |config| config.limits = true).await else { return };
    let browser = Browser::new(&world);
    let mut refused = 0;
    for _ in 0..40 {
        let to = set_out(&browser, "/sign-in").await;
        let state = to.query_pairs().find(|(name, _)| name == "state").expect("a state").1.into_owned();
        let back = format!("/sign-in/acme/callback?error=access_denied&state={state}");
        refused += usize::from(browser.visit(&back).await.response.status == 429);
    }
    assert_eq!(refused, 10, "30 a minute from an address");
    assert_eq!(count(&world, "consent_answers").await, "30");
}
