//! When tokens are renewed, how often, and what becomes of them.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use futures::future::join_all;
use itinerary_sdk::{Client, ErrorExt, MemoryTokenStore, TokenError, TokenStore, Tokens, code};
use serde_json::json;

use crate::service::{Answer, Asked, Service, StoppedClock, first_pair, pair, plain, refusal};

const ACCOUNT: &str = "/v1/account";
const TOKEN: &str = "/oauth/token";

/// Answers as the service does: each refresh token works once, and only the newest access token is good.
fn strict() -> impl Fn(&Asked) -> Answer + Send + Sync {
    strict_from(1)
}

/// The same, where so many pairs were given already.
fn strict_from(given: usize) -> impl Fn(&Asked) -> Answer + Send + Sync {
    let given = AtomicUsize::new(given);
    move |asked| {
        let newest = given.load(Ordering::SeqCst);
        match asked.uri.path() {
            TOKEN if asked.field("refresh_token") == Some(format!("refresh-{newest}")) => {
                pair(given.fetch_add(1, Ordering::SeqCst) + 1)
            }
            TOKEN => plain(400, json!({ "error": "invalid_grant", "error_description": "used" })),
            _ if asked.header("authorization") == Some(&format!("Bearer access-{newest}")) => plain(200, account()),
            _ => refusal(401, "unauthenticated"),
        }
    }
}

fn account() -> serde_json::Value {
    json!({
        "accountId": "0190a1b2-0000-7000-8000-000000000002", "username": "ana", "displayName": "Ana",
        "isPro": false, "plan": "free", "scopes": [], "createdAt": "2027-01-01T00:00:00.000Z",
    })
}

struct World {
    service: Service,
    clock: StoppedClock,
    store: Arc<MemoryTokenStore>,
    client: Client,
}

/// A client whose access token is good for so many seconds more.
async fn world(seconds: i64, handler: impl Fn(&Asked) -> Answer + Send + Sync + 'static) -> World {
    let (service, clock) = (Service::start(handler).await, StoppedClock::new());
    let store = Arc::new(MemoryTokenStore::new(first_pair(&clock, seconds)));
    let client = client(&service, &clock, store.clone());
    World { service, clock, store, client }
}

fn client(service: &Service, clock: &StoppedClock, store: impl TokenStore + 'static) -> Client {
    Client::builder(&service.base_url).token_store(store).clock(clock.clone()).build().unwrap()
}

async fn stored(store: &impl TokenStore) -> String {
    store.load().await.unwrap().unwrap().access_token
}

#[tokio::test]
async fn a_token_is_renewed_within_a_minute_of_its_end_and_not_before() {
    let world = world(120, strict()).await;
    world.client.account_self().send().await.unwrap();
    world.clock.advance(59);
    world.client.account_self().send().await.unwrap();
    assert_eq!(world.service.asked(TOKEN).len(), 0);
    world.clock.advance(1);
    world.client.account_self().send().await.unwrap();
    let renewals = world.service.asked(TOKEN);
    assert_eq!(renewals.len(), 1);
    let field = |name| renewals[0].field(name);
    assert_eq!(field("grant_type").as_deref(), Some("refresh_token"));
    assert_eq!((field("client_id").as_deref(), field("client_secret")), (Some("client"), None));
    assert_eq!(renewals[0].header("authorization"), None);
    let tokens = world.store.load().await.unwrap().unwrap();
    assert_eq!((tokens.access_token.as_str(), tokens.refresh_token.as_deref()), ("access-2", Some("refresh-2")));
    assert_eq!(tokens.expires_at, first_pair(&world.clock, 3600).expires_at);
}

#[tokio::test]
async fn a_confidential_client_sends_its_secret() {
    let world = world(0, strict()).await;
    let builder = Client::builder(&world.service.base_url).token_store(world.store.clone());
    let client = builder.clock(world.clock.clone()).client_secret("hush").build().unwrap();
    client.account_self().send().await.unwrap();
    assert_eq!(world.service.asked(TOKEN)[0].field("client_secret").as_deref(), Some("hush"));
}

#[tokio::test]
async fn a_refused_token_is_renewed_once_and_the_request_sent_again() {
    let world = world(3600, strict_from(1)).await;
    // Another device's renewal made this pair's access token bad, though not its refresh token.
    let store = MemoryTokenStore::new(Tokens { access_token: "revoked".to_owned(), ..first_pair(&world.clock, 3600) });
    client(&world.service, &world.clock, store).account_self().send().await.unwrap();
    assert_eq!(world.service.asked(TOKEN).len(), 1);
    let sent = [Some("Bearer revoked".to_owned()), Some("Bearer access-2".to_owned())];
    assert_eq!(world.service.tokens(ACCOUNT), sent);
}

#[tokio::test]
async fn a_request_that_is_refused_twice_stays_refused() {
    let handler = |asked: &Asked| match asked.uri.path() {
        TOKEN => pair(2),
        _ => refusal(401, "unauthenticated"),
    };
    let world = world(3600, handler).await;
    let error = world.client.account_self().send().await.unwrap_err();
    assert!(error.is(code::UNAUTHENTICATED) && error.needs_sign_in());
    assert_eq!((world.service.asked(TOKEN).len(), world.service.asked(ACCOUNT).len()), (1, 2));
}

#[tokio::test]
async fn twenty_calls_at_once_make_one_renewal() {
    let expired = world(0, strict()).await;
    let calls = join_all((0..20).map(|_| expired.client.account_self().send())).await;
    assert!(calls.iter().all(Result::is_ok));
    assert_eq!(expired.service.asked(TOKEN).len(), 1);
    assert_eq!(expired.service.tokens(ACCOUNT), vec![Some("Bearer access-2".to_owned()); 20]);

    let clock = StoppedClock::new();
    let tokens = Tokens { access_token: "revoked".to_owned(), ..first_pair(&clock, 3600) };
    let service = Service::start(strict()).await;
    let client = client(&service, &clock, MemoryTokenStore::new(tokens));
    let calls = join_all((0..20).map(|_| client.account_self().send())).await;
    assert!(calls.iter().all(Result::is_ok));
    assert_eq!(service.asked(TOKEN).len(), 1);
}

#[tokio::test]
async fn a_refused_refresh_asks_for_a_sign_in_and_is_not_repeated() {
    let world = world(0, strict_from(7)).await;
    for _ in 0..3 {
        let error = world.client.account_self().send().await.unwrap_err();
        assert!(error.needs_sign_in(), "{error}");
        assert!(matches!(world.client.access_token().await, Err(TokenError::SignInRequired { .. })));
    }
    assert_eq!((world.service.asked(TOKEN).len(), world.service.asked(ACCOUNT).len()), (1, 0));
    // A new sign-in is seen without a new client.
    let tokens = Tokens { access_token: "access-7".to_owned(), ..first_pair(&world.clock, 3600) };
    world.store.save(&tokens).await.unwrap();
    world.client.account_self().send().await.unwrap();
}

#[tokio::test]
async fn a_store_without_tokens_asks_for_a_sign_in() {
    let world = world(0, strict()).await;
    let client = client(&world.service, &world.clock, MemoryTokenStore::default());
    assert!(client.account_self().send().await.unwrap_err().needs_sign_in());
}

#[tokio::test]
async fn a_failure_that_passes_is_not_a_refusal() {
    let failing = |asked: &Asked| match asked.uri.path() {
        TOKEN => (503, vec![("retry-after", "1".to_owned())], json!({ "error": "temporarily_unavailable" })),
        _ => plain(200, account()),
    };
    let world = world(30, failing).await;
    world.client.account_self().send().await.expect("the old token has half a minute left");
    assert_eq!(world.service.tokens(ACCOUNT), [Some("Bearer access-1".to_owned())]);
    world.clock.advance(30);
    let error = world.client.account_self().send().await.unwrap_err();
    assert!(!error.needs_sign_in());
    assert!(matches!(world.client.access_token().await, Err(TokenError::Unavailable { status: 503 })));
}

/// Fails to save until it is repaired.
struct FragileStore {
    kept: MemoryTokenStore,
    broken: AtomicBool,
}

#[async_trait::async_trait]
impl TokenStore for FragileStore {
    async fn load(&self) -> io::Result<Option<Tokens>> {
        self.kept.load().await
    }

    async fn save(&self, tokens: &Tokens) -> io::Result<()> {
        if self.broken.load(Ordering::SeqCst) {
            return Err(io::Error::other("the disk is full"));
        }
        self.kept.save(tokens).await
    }
}

#[tokio::test]
async fn tokens_are_stored_before_they_are_used_and_not_lost_when_that_fails() {
    let (service, clock) = (Service::start(strict()).await, StoppedClock::new());
    let kept = MemoryTokenStore::new(first_pair(&clock, 0));
    let store = Arc::new(FragileStore { kept, broken: AtomicBool::new(true) });
    let client = client(&service, &clock, store.clone());
    let error = client.account_self().send().await.unwrap_err();
    assert!(error.to_string().contains("the disk is full") && !error.needs_sign_in());
    assert!(matches!(client.access_token().await, Err(TokenError::Store(_))));
    assert_eq!(service.asked(ACCOUNT).len(), 0);
    store.broken.store(false, Ordering::SeqCst);
    client.account_self().send().await.unwrap();
    assert_eq!((service.asked(TOKEN).len(), stored(&store).await), (1, "access-2".to_owned()));
}

#[tokio::test]
async fn a_failing_store_is_told_when_a_refused_token_leads_to_it() {
    let (service, clock) = (Service::start(strict()).await, StoppedClock::new());
    let kept = MemoryTokenStore::new(Tokens { access_token: "revoked".to_owned(), ..first_pair(&clock, 3600) });
    let client = client(&service, &clock, FragileStore { kept, broken: AtomicBool::new(true) });
    let error = client.account_self().send().await.unwrap_err();
    assert!(error.to_string().contains("the disk is full"), "{error}");
}

// The service sleeps in its thread: the client needs another.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_caller_who_gives_up_loses_no_tokens() {
    let slow = strict();
    let world = world(0, move |asked: &Asked| {
        if asked.uri.path() == TOKEN {
            std::thread::sleep(Duration::from_millis(200));
        }
        slow(asked)
    })
    .await;
    let client = world.client.clone();
    let caller = tokio::spawn(async move { client.account_self().send().await.map(drop).map_err(drop) });
    while world.service.asked(TOKEN).is_empty() {
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
    caller.abort();
    world.client.account_self().send().await.unwrap();
    assert_eq!((world.service.asked(TOKEN).len(), stored(&world.store).await), (1, "access-2".to_owned()));
}
