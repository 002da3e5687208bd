//! The SDK's sign-in and token store against the real server. The browser plays the traveller.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use chrono::{DateTime, TimeDelta, Utc};
use futures::TryStreamExt;
use futures::future::join_all;
use itinerary_sdk::types::{ItineraryCreate, RevocationRequest};
use itinerary_sdk::{Client, ErrorExt, MemoryTokenStore, SignIn, SignInError, TokenStore, Tokens};
use itinerary_tests::browser::Browser;
use itinerary_tests::world::TestClock;
use itinerary_tests::{World, api_test};
use reqwest::Url;

use super::{App, encoded, expect_alive, expect_ended};
use crate::sdk::NoWaits;

/// A store that counts saves.
#[derive(Default)]
struct Counted {
    store: MemoryTokenStore,
    saves: AtomicUsize,
}

impl Counted {
    fn new(tokens: Tokens) -> Arc<Self> {
        Arc::new(Self { store: MemoryTokenStore::new(tokens), saves: AtomicUsize::new(0) })
    }

    fn saves(&self) -> usize {
        self.saves.load(Ordering::SeqCst)
    }

    async fn tokens(&self) -> Tokens {
        self.store.load().await.expect("a store").expect("tokens")
    }
}

#[async_trait::async_trait]
impl TokenStore for Counted {
    async fn load(&self) -> io::Result<Option<Tokens>> {
        self.store.load().await
    }

    async fn save(&self, tokens: &Tokens) -> io::Result<()> {
        self.saves.fetch_add(1, Ordering::SeqCst);
        self.store.save(tokens).await
    }
}

/// The world's clock, for the SDK.
struct SharedClock(Arc<TestClock>);

impl itinerary_sdk::Clock for SharedClock {
    fn now(&self) -> DateTime<Utc> {
        itinerary_core::clock::Clock::now(&*self.0)
    }
}

/// An app's sign-in with this decision, and the page that the traveller sees at the end.
async fn sign_in(world: &World, browser: Browser, decision: &'static str) -> (Result<Tokens, SignInError>, String) {
    let (send, page) = tokio::sync::oneshot::channel();
    let http = world.http.clone();
    let present = |url: &Url| {
        let url = url.clone();
        tokio::spawn(async move {
            let back = browser.decide(url.as_str(), decision).await;
            let page = http.get(back).send().await.expect("the program answers").text().await.expect("text");
            send.send(page).expect("somebody waits");
        });
    };
    let program = SignIn::new(&world.base_url, "Trip planner").scopes(["itineraries:read", "itineraries:write"]);
    let outcome = program.run(present).await;
    (outcome, page.await.expect("a page"))
}

async fn signed_in(world: &World) -> Tokens {
    let browser = Browser::signed_up(world, "ana").await;
    sign_in(world, browser, "approve").await.0.expect("tokens")
}

fn client(world: &World, store: &Arc<Counted>) -> Client {
    world.client_builder().token_store(Arc::clone(store)).build().expect("a client")
}

/// The username of the client's account.
async fn username(client: &Client) -> String {
    client.account_self().send().await.expect("an account").username
}

#[api_test]
async fn a_program_signs_its_traveller_in_through_the_browser(world: World) {
    let browser = Browser::signed_up(&world, "ana").await;
    let (tokens, page) = sign_in(&world, browser, "approve").await;
    let tokens = tokens.expect("tokens");
    assert!(page.contains("Trip planner"), "{page}");
    assert_eq!(tokens.scope, "itineraries:read itineraries:write");
    let client = client(&world, &Counted::new(tokens));
    assert_eq!(username(&client).await, "ana");
}

#[api_test]
async fn a_traveller_who_has_no_account_yet_makes_one_on_the_way(world: World) {
    // The whole flow, with a browser that is only given an address.
    let browser = Browser::new(&world);
    let (send, page) = tokio::sync::oneshot::channel();
    let http = world.http.clone();
    let present = |url: &Url| {
        let url = url.clone();
        tokio::spawn(async move {
            let sign_in = browser.visit(url.as_str()).await.form("/sign-in");
            let next = encoded(&[("next", sign_in.get("next"))]);
            let form = browser.visit(&format!("/sign-up?{next}")).await.form("/sign-up");
            let typed = [("username", "new"), ("display_name", "New"), ("password", "a good password")];
            let consent = browser.submit(&form, &typed).await;
            consent.assert_says("This app runs on your own computer");
            let form = consent.form("/oauth/authorise/decision");
            let back = browser.submit(&form, &[("decision", "approve")]).await.left_for.expect("a way back");
            send.send(http.get(back).send().await.expect("an answer").status()).expect("somebody waits");
        });
    };
    let tokens = SignIn::new(&world.base_url, "Trip planner").run(present).await.expect("tokens");
    assert_eq!(page.await.expect("a page"), 200);
    assert_eq!(tokens.scope, "itineraries:read");
    assert_eq!(username(&client(&world, &Counted::new(tokens))).await, "new");
}

#[api_test]
async fn denied_consent_is_reported_to_the_program(world: World) {
    //
    let browser = Browser::signed_up(&world, "ana").await;
    let (outcome, _) = sign_in(&world, browser, "deny").await;
    match outcome {
        Err(SignInError::Refused { error, .. }) => assert_eq!(error, "access_denied"),
        other => panic!("not refused: {other:?}"),
    }
}

#[api_test]
async fn a_program_may_sign_in_again_as_the_client_it_was(world: World) {
    let first = signed_in(&world).await;
    let browser = Browser::new(&world);
    browser.sign_in("ana", itinerary_tests::world::PASSWORD).await;
    let present = |url: &Url| {
        let url = url.clone();
        let http = world.http.clone();
        tokio::spawn(async move { http.get(browser.decide(url.as_str(), "approve").await).send().await });
    };
    let again = SignIn::new(&world.base_url, "Trip planner").client_id(&first.client_id).run(present).await;
    let again = again.expect("tokens");
    assert_eq!(again.client_id, first.client_id);
    assert_ne!(again.access_token, first.access_token);
}

#[api_test]
async fn a_refused_token_is_renewed_and_the_request_sent_again(world: World) {
    // The SDK uses the machine's clock here, so its token seems valid.
    let before = signed_in(&world).await;
    let store = Counted::new(before.clone());
    let client = client(&world, &store);
    world.clock.advance(TimeDelta::seconds(3_600));
    assert_eq!(username(&client).await, "ana");
    let after = store.tokens().await;
    assert_eq!(store.saves(), 1);
    assert_ne!(after.access_token, before.access_token);
    assert_ne!(after.refresh_token, before.refresh_token);
    assert_eq!((&after.client_id, &after.scope), (&before.client_id, &before.scope));
    // The new tokens are used, and the same happens an hour later.
    assert_eq!((username(&client).await.as_str(), store.saves()), ("ana", 1));
    world.clock.advance(TimeDelta::seconds(3_600));
    assert_eq!((username(&client).await.as_str(), store.saves()), ("ana", 2));
    // A write is also repeated, with its body.
    world.clock.advance(TimeDelta::seconds(3_600));
    let destination = serde_json::json!({ "name": "Faro", "coordinate": { "latitude": 37, "longitude": -8 } });
    let body = serde_json::json!({ "destination": destination });
    let body: itinerary_sdk::types::ItineraryCreate = serde_json::from_value(body).expect("a body");
    let created = client.itinerary_create(body).send_raw().await.expect("an itinerary");
    assert_eq!((created.status().as_u16(), store.saves()), (201, 3));
}

#[api_test]
async fn a_token_is_renewed_before_it_expires(world: World) {
    let app = App::public(&world).await;
    let first = app.connect(&Browser::signed_up(&world, "ana").await).await;
    let clock = || SharedClock(Arc::clone(&world.clock));
    let expires_at = itinerary_sdk::Clock::now(&clock()) + TimeDelta::seconds(3_600);
    let store = Counted::new(Tokens {
        client_id: app.id.clone(),
        access_token: first.access_token.clone(),
        refresh_token: Some(first.refresh_token),
        expires_at,
        scope: first.scope,
    });
    let client = world.client_builder().token_store(Arc::clone(&store)).clock(clock()).build();
    let client = client.expect("a client");
    assert_eq!((username(&client).await.as_str(), store.saves()), ("ana", 0));
    world.clock.advance(TimeDelta::seconds(3_500));
    assert_eq!((username(&client).await.as_str(), store.saves()), ("ana", 0));
    world.clock.advance(TimeDelta::seconds(50));
    assert_eq!((username(&client).await.as_str(), store.saves()), ("ana", 1));
    assert_eq!(store.tokens().await.expires_at, expires_at + TimeDelta::seconds(3_550));
    expect_alive(&world, &first.access_token).await;
}

#[api_test]
async fn twenty_calls_at_once_make_one_refresh(world: World) {
    let store = Counted::new(signed_in(&world).await);
    let client = client(&world, &store);
    for round in 1..=2 {
        world.clock.advance(TimeDelta::seconds(3_600));
        let names = join_all((0..20).map(|_| username(&client))).await;
        assert!(names.iter().all(|name| name == "ana"));
        assert_eq!(store.saves(), round, "a second use of the refresh token would have ended the sign-in");
    }
}

#[api_test]
async fn when_the_sign_in_has_ended_the_program_must_sign_in_again(world: World) {
    let tokens = signed_in(&world).await;
    let store = Counted::new(tokens.clone());
    let client = client(&world, &store);
    let request = RevocationRequest::new(&tokens.access_token).client_id(tokens.client_id);
    client.oauth_revoke(request).send().await.expect("revoked");
    expect_ended(&world, &tokens.access_token).await;
    for _ in 0..2 {
        let error = client.account_self().send().await.expect_err("ended");
        assert!(error.needs_sign_in(), "{error}");
    }
    assert_eq!(store.saves(), 0);
}

#[api_test(oauth_strict_refresh = true)]
async fn a_confidential_client_renews_with_its_secret(world: World) {
    let app = App::confidential(&world).await;
    let first = app.connect(&Browser::signed_up(&world, "ana").await).await;
    let tokens = Tokens {
        client_id: app.id.clone(),
        access_token: first.access_token,
        refresh_token: Some(first.refresh_token),
        expires_at: DateTime::<Utc>::MAX_UTC,
        scope: first.scope,
    };
    world.clock.advance(TimeDelta::seconds(3_600));
    let without = Counted::new(tokens.clone());
    let error = client(&world, &without).account_self().send().await.expect_err("no secret");
    assert!(error.needs_sign_in() && without.saves() == 0, "{error}");
    let store = Counted::new(tokens);
    let secret = app.secret.clone().expect("a secret");
    let client = world.client_builder().token_store(Arc::clone(&store)).client_secret(secret).build();
    assert_eq!(username(&client.expect("a client")).await, "ana");
    assert_eq!(store.saves(), 1);
}

// The service ends a stream with its token; the SDK renews the token and goes on.
#[api_test]
async fn a_feed_of_changes_goes_on_when_its_token_expires(world: World) {
    let store = Counted::new(signed_in(&world).await);
    let builder = world.client_builder().token_store(Arc::clone(&store)).clock(SharedClock(Arc::clone(&world.clock)));
    let client = builder.retry_timer(NoWaits).build().expect("a client");
    let mut feed = client.changes().from(client.changes().now().await.expect("a cursor"));
    // The sign-in used the machine's clock, so the first token seems to have expired.
    for saves in 1..=3 {
        let change = async {
            while world.service().change_streams.number() == 0 {
                tokio::task::yield_now().await;
            }
            let trip = ItineraryCreate::to("Lisbon", (38.72, -9.14)).title(format!("Trip {saves}"));
            client.itinerary_create(trip).allow_duplicate(true).send().await.expect("created").id
        };
        let (next, id) = tokio::join!(feed.try_next(), change);
        assert_eq!(next.expect("no error").expect("a change").change.itinerary_id, id);
        assert_eq!(store.saves(), saves);
        world.clock.advance(TimeDelta::hours(2));
    }
}
