//! A panic during a request is answered as an internal error and ends only that request.

use std::net::{Ipv4Addr, SocketAddr, TcpListener};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use itinerary_app::accounts;
use itinerary_core::clock::Random;
use itinerary_platform::settings::{Config, Storage};
use itinerary_platform::system::{SystemClock, SystemRandom};
use itinerary_server::serve::{self, Running};
use itinerary_tests::raw::{self, Call};
use reqwest::Method;
use serde_json::Value;

use super::lisbon;

/// A source of randomness that can be made to panic.
#[derive(Default)]
struct Brittle(AtomicBool);

impl Random for Brittle {
    fn fill(&self, bytes: &mut [u8]) {
        assert!(!self.0.load(Ordering::Relaxed), "a test broke the source of randomness");
        SystemRandom.fill(bytes);
    }
}

async fn start(folder: &std::path::Path, random: Arc<Brittle>) -> Running {
    let storage = Storage { data: folder.to_owned(), ..Storage::default() };
    let port = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).and_then(|socket| socket.local_addr()).expect("a port");
    let mut config = Config::new(SocketAddr::from((Ipv4Addr::LOCALHOST, port.port())));
    config.gazetteer = false;
    let store = serve::open_store(&storage).await.expect("a database");
    let key = itinerary_server::server_key::load(&storage, &store, &SystemRandom).await.expect("a key");
    let service = serve::service(&storage, store, config, key, Arc::new(SystemClock), random).expect("a service");
    serve::start(service).await.expect("a server")
}

#[tokio::test(flavor = "multi_thread")]
async fn a_panic_in_a_handler_is_an_internal_error() {
    let folder = tempfile::tempdir().expect("a folder");
    let random = Arc::new(Brittle::default());
    let running = start(folder.path(), Arc::clone(&random)).await;
    accounts::create(&running.service, "ana", "Ana", itinerary_tests::world::PASSWORD).await.expect("an account");
    let token = accounts::issue_token(&running.service, "ana", "itineraries:read itineraries:write").await;
    let token = token.expect("a token").0;
    let http = raw::client_builder().build().expect("a client");
    let base_url = running.service.config.base_url.clone();
    let call = |method: Method, path: &str| Call(http.request(method, format!("{base_url}{path}")));

    random.0.store(true, Ordering::Relaxed);
    let create = || call(Method::POST, "/v1/itineraries").token(&token).json(&lisbon());
    let failed = create().send().await;
    assert_eq!(failed.expect_error(500, "internalError"), Value::Null);
    // It has all headers of a response, and reveals nothing about the panic.
    assert_eq!(failed.header("ratelimit-limit"), "60");
    assert_eq!(failed.header("access-control-allow-origin"), "*");
    assert!(!failed.text().contains("randomness"), "{}", failed.text());
    let register =
        call(Method::POST, "/oauth/register").json(&serde_json::json!({ "redirect_uris": ["https://a.example/"] }));
    let register = register.send().await;
    assert_eq!((register.status.as_u16(), &register.json()["error"]), (503, &"temporarily_unavailable".into()));

    random.0.store(false, Ordering::Relaxed);
    let list = call(Method::GET, "/v1/itineraries").token(&token).send().await;
    assert_eq!(list.json()["data"], serde_json::json!([]), "what panicked has left nothing behind");
    assert_eq!(create().send().await.status, 201);
    running.stop().await;
}
