//! Clients whose id is the URL of a metadata document, which the test's own site serves over TLS. The labels `C-01` and
//! `C-02` name requirements. The adapter's tests check which addresses may be fetched.

use std::net::{Ipv4Addr, SocketAddr};
use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use chrono::TimeDelta;
use itinerary_core::clock::Clock;
use itinerary_providers::{ClientDocument, ClientDocuments, Failure, Instant};
use itinerary_tests::browser::Browser;
use itinerary_tests::certificates::certify;
use itinerary_tests::{Database, RawResponse, World, api_test, raw};
use reqwest::Method;
use reqwest::header::CACHE_CONTROL;
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinHandle;
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::ServerConfig;
use tokio_rustls::rustls::pki_types::{CertificateDer, PrivatePkcs8KeyDer};

use super::{App, REDIRECT, call_with, expect_alive, expect_ended, expect_refusal, parameter, tokens};

/// The site's response.
#[derive(Clone)]
struct Reply {
    status: u16,
    cache_control: &'static str,
    body: String,
}

/// The web site of an app, `https://app.example`, on a free local port. It ends with the test.
struct Site {
    address: SocketAddr,
    reply: Arc<Mutex<Reply>>,
    asked: Arc<Mutex<Vec<String>>>,
    task: JoinHandle<()>,
    /// A client that resolves and trusts the site.
    http: reqwest::Client,
}

impl Site {
    async fn start() -> Self {
        let (certificate, key) = certify("app.example");
        let der = certificate.to_der().expect("it is whole");
        let key = PrivatePkcs8KeyDer::from(key.private_key_to_pkcs8().expect("it is whole"));
        let chain = vec![CertificateDer::from(der.clone())];
        let config = ServerConfig::builder().with_no_client_auth().with_single_cert(chain, key.into());
        let acceptor = TlsAcceptor::from(Arc::new(config.expect("they belong together")));
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.expect("a free port");
        let address = listener.local_addr().expect("an address");
        let root = reqwest::Certificate::from_der(&der).expect("it is whole");
        let http = raw::client_builder().tls_certs_only([root]).resolve("app.example", address);
        let reply = Reply { status: 404, cache_control: "", body: String::new() };
        let (reply, asked) = (Arc::new(Mutex::new(reply)), Arc::<Mutex<Vec<String>>>::default());
        let (replies, notes) = (Arc::clone(&reply), Arc::clone(&asked));
        let task = tokio::spawn(async move {
            while let Ok((connection, _)) = listener.accept().await {
                let reply = replies.lock().expect("no panic").clone();
                tokio::spawn(serve(connection, acceptor.clone(), reply, Arc::clone(&notes)));
            }
        });
        Self { address, reply, asked, task, http: http.build().expect("a client") }
    }

    /// The client id of the app.
    fn client_id(&self) -> String {
        format!("https://app.example:{}/client.json", self.address.port())
    }

    /// A valid document with some members replaced.
    fn document(&self, changes: &Value) -> String {
        let mut document = json!({
            "client_id": self.client_id(),
            "client_name": "Trip Notes",
            "redirect_uris": [REDIRECT, "http://127.0.0.1/cb"],
            "grant_types": ["authorization_code", "refresh_token"],
            "token_endpoint_auth_method": "none",
        });
        let members = document.as_object_mut().expect("an object");
        members.extend(changes.as_object().cloned().expect("an object"));
        document.to_string()
    }

    /// Serves this response from now on.
    fn serve(&self, status: u16, cache_control: &'static str, body: String) {
        *self.reply.lock().expect("no panic") = Reply { status, cache_control, body };
    }

    /// The paths requested since the last call.
    fn asked(&self) -> Vec<String> {
        std::mem::take(&mut self.asked.lock().expect("no panic"))
    }

    /// A server that reaches the site.
    async fn world(&self, database: Database) -> Option<World> {
        World::start_with_documents(database, Arc::new(Reach(self.http.clone()))).await
    }

    fn app<'w>(&self, world: &'w World) -> App<'w> {
        App { world, id: self.client_id(), secret: None }
    }
}

impl Drop for Site {
    fn drop(&mut self) {
        self.task.abort();
    }
}

async fn serve(connection: TcpStream, acceptor: TlsAcceptor, reply: Reply, asked: Arc<Mutex<Vec<String>>>) {
    let mut connection = acceptor.accept(connection).await.expect("the client trusts the site");
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        head.push(connection.read_u8().await.expect("a request"));
    }
    let path = String::from_utf8(head).expect("text").split(' ').nth(1).expect("a request line").to_owned();
    asked.lock().expect("no panic").push(path);
    let Reply { status, cache_control, body } = reply;
    let length = body.len();
    let response = format!(
        "HTTP/1.1 {status} S\r\nContent-Type: application/json\r\nCache-Control: {cache_control}\r\n\
         Content-Length: {length}\r\nConnection: close\r\n\r\n{body}"
    );
    connection.write_all(response.as_bytes()).await.expect("the client reads");
    connection.shutdown().await.expect("the client reads to the end");
}

/// Fetches from the site, which the real adapter would refuse because it is on this machine.
struct Reach(reqwest::Client);

#[async_trait]
impl ClientDocuments for Reach {
    async fn fetch(&self, url: &str, _: Instant) -> Result<ClientDocument, Failure> {
        let response = self.0.get(url).send().await.map_err(|_| Failure::Unreachable)?;
        if response.status() != 200 {
            return Err(Failure::Status(response.status().as_u16()));
        }
        let cache_control = response.headers()[CACHE_CONTROL].to_str().expect("text").to_owned();
        Ok(ClientDocument { json: response.bytes().await.expect("a body"), cache_control })
    }
}

/// The response to a program that requests this address.
async fn told(world: &World, address: &str) -> RawResponse {
    world.call(Method::GET, address).header("Accept", "application/json").send().await
}

#[api_test]
async fn a_url_is_a_client_without_registration(database: Database) {
    // C-01, C-02
    let site = Site::start().await;
    let Some(world) = site.world(database).await else { return };
    site.serve(200, "max-age=3600", site.document(&json!({})));
    let (app, browser) = (site.app(&world), Browser::signed_up(&world, "ana").await);
    let consent = browser.visit(&app.authorise()).await;
    consent.assert_says("Connect <bdi class=\"app-name\">“Trip Notes”</bdi>?");
    consent.assert_says("It is published at <strong>app.example</strong>.");
    assert_eq!(site.asked(), ["/client.json"]);

    let first = app.connect(&browser).await;
    expect_alive(&world, &first.access_token).await;
    let second = app.renewed(&first.refresh_token).await;
    expect_alive(&world, &second.access_token).await;
    let apps = browser.visit("/account/apps").await;
    apps.assert_says("<bdi class=\"app-name\">“Trip Notes”</bdi>");
    // A public client must not send a secret.
    let response = app.renewal(&second.refresh_token, &[("client_secret", "s")]).send().await;
    expect_refusal(&response, 401, "invalid_client");
    assert_eq!(app.revoke(&second.access_token).await.status, 200);
    expect_ended(&world, &second.access_token).await;
    assert!(site.asked().is_empty(), "one fetch is enough for all of it");
}

#[api_test]
async fn a_server_without_documents_says_so_and_fetches_none(database: Database) {
    // O-08
    let Some(world) = World::start_with(database, |config| config.oauth_client_documents = false).await else { return };
    let server = world.call(Method::GET, "/.well-known/oauth-authorization-server").send().await;
    assert_eq!(server.json()["client_id_metadata_document_supported"], json!(false));
    let app = App { world: &world, id: "https://app.example/client.json".to_owned(), secret: None };
    // A fetch would yield 400 with the reason.
    expect_refusal(&told(&world, &app.authorise()).await, 401, "invalid_client");
}

#[api_test]
async fn a_traveller_can_disconnect_it(database: Database) {
    let site = Site::start().await;
    let Some(world) = site.world(database).await else { return };
    site.serve(200, "", site.document(&json!({})));
    let (app, browser) = (site.app(&world), Browser::signed_up(&world, "ana").await);
    let tokens = app.connect(&browser).await;
    let form = browser.visit("/account/apps").await.form("/account/apps");
    browser.submit(&form, &[]).await.assert_says("The app is disconnected");
    expect_ended(&world, &tokens.access_token).await;
    expect_refusal(&app.renew(&tokens.refresh_token).await, 400, "invalid_grant");
}

#[api_test]
async fn redirect_addresses_are_those_of_the_document(database: Database) {
    // C-01, A-02
    let site = Site::start().await;
    let Some(world) = site.world(database).await else { return };
    site.serve(200, "", site.document(&json!({})));
    let (app, browser) = (site.app(&world), Browser::signed_up(&world, "ana").await);
    let local = browser.visit(&app.authorise_with(&[("redirect_uri", "http://127.0.0.1:51004/cb")])).await;
    local.assert_says("This app runs on your own computer");
    for other in ["https://app.example/cb", "https://app.example/cb?keep=1&x=1", "http://127.0.0.1:51004/other"] {
        let response = told(&world, &app.authorise_with(&[("redirect_uri", other)])).await;
        expect_refusal(&response, 400, "invalid_redirect_uri");
    }
    // A new version of the document takes effect once the stored one is no longer fresh.
    site.serve(200, "", site.document(&json!({ "redirect_uris": ["https://app.example/other"] })));
    world.clock.advance(TimeDelta::minutes(1));
    expect_refusal(&told(&world, &app.authorise()).await, 400, "invalid_redirect_uri");
    let back = browser.decide(&app.authorise_with(&[("redirect_uri", "https://app.example/other")]), "approve").await;
    assert!(parameter(&back, "code").is_some(), "{back}");
}

#[api_test]
async fn a_document_is_kept_as_long_as_it_is_fresh(database: Database) {
    // C-02
    let site = Site::start().await;
    let Some(world) = site.world(database).await else { return };
    let (app, browser) = (site.app(&world), Browser::signed_up(&world, "ana").await);
    for (number, (cache_control, seconds)) in
        [("", 60), ("no-store, max-age=3600", 60), ("max-age=600", 600), ("max-age=31536000", 86_400)]
            .iter()
            .enumerate()
    {
        let name = format!("Version {number}");
        site.serve(200, cache_control, site.document(&json!({ "client_name": name })));
        browser.visit(&app.authorise()).await.assert_says(&format!("Connect <bdi class=\"app-name\">“{name}”</bdi>?"));
        assert_eq!(site.asked().len(), 1, "{cache_control}");
        site.serve(200, "", site.document(&json!({ "client_name": "Too early" })));
        world.clock.advance(TimeDelta::seconds(seconds - 1));
        browser.visit(&app.authorise()).await.assert_says(&format!("Connect <bdi class=\"app-name\">“{name}”</bdi>?"));
        assert!(site.asked().is_empty(), "{cache_control}");
        world.clock.advance(TimeDelta::seconds(1));
    }
    // The page of connected apps shows the name in the last fetched document.
    app.connect(&browser).await;
    site.serve(200, "", site.document(&json!({ "client_name": "Renamed" })));
    world.clock.advance(TimeDelta::minutes(1));
    browser.visit(&app.authorise()).await.assert_says("Connect <bdi class=\"app-name\">“Renamed”</bdi>?");
    browser.visit("/account/apps").await.assert_says("<bdi class=\"app-name\">“Renamed”</bdi>");
}

#[api_test]
async fn a_client_without_a_usable_document_is_refused(database: Database) {
    // C-01, C-02: errors are not cached.
    let site = Site::start().await;
    let Some(world) = site.world(database).await else { return };
    let (app, browser) = (site.app(&world), Browser::signed_up(&world, "ana").await);
    let good = site.document(&json!({}));
    for (status, body, why) in [
        (404, good.clone(), "is 404"),
        (302, good.clone(), "is 302"),
        (200, "<html>".to_owned(), "not JSON"),
        (200, site.document(&json!({ "client_id": "https://app.example/client.json" })), "client_id must be the URL"),
        (200, site.document(&json!({ "token_endpoint_auth_method": "client_secret_post" })), "none or absent"),
        (200, site.document(&json!({ "redirect_uris": ["javascript:alert(1)"] })), "redirect_uris"),
        (200, site.document(&json!({ "client_name": "Trip\u{202e}setoN" })), "client_name"),
        (200, site.document(&json!({ "client_name": "Z\u{301}\u{301}\u{301}\u{301}algo" })), "client_name"),
        (200, site.document(&json!({ "client_name": "reference pages" })), "client_name"),
    ] {
        site.serve(status, "max-age=3600", body);
        let response = told(&world, &app.authorise()).await;
        expect_refusal(&response, 401, "invalid_client");
        let description = response.json()["error_description"].as_str().expect("text").to_owned();
        assert!(description.contains(why), "{description}");
        let page = browser.visit(&app.authorise()).await;
        assert_eq!((page.response.status.as_u16(), page.left_for.as_ref()), (401, None));
        page.assert_says(why);
        assert_eq!(site.asked().len(), 2, "{why}");
    }
    // Nothing was stored.
    let response = app.redeem("itp_ac_none").await;
    expect_refusal(&response, 401, "invalid_client");
    site.serve(200, "", good);
    let connected = app.connect(&browser).await;
    // Tokens remain valid while the site is down.
    world.clock.advance(TimeDelta::minutes(1));
    site.serve(503, "", String::new());
    expect_refusal(&told(&world, &app.authorise()).await, 401, "invalid_client");
    assert_eq!(call_with(&world, &connected.access_token).await.status, 200);
    tokens(&app.renew(&connected.refresh_token).await);
}

#[api_test]
async fn other_urls_are_not_fetched(database: Database) {
    // C-01
    let site = Site::start().await;
    let Some(world) = site.world(database).await else { return };
    let at = format!("app.example:{}", site.address.port());
    for id in [
        format!("http://{at}/client.json"),
        format!("https://{at}"),
        format!("https://{at}/a/../client.json"),
        format!("https://{at}/%2e/client.json"),
        format!("https://{at}/client.json#a"),
        format!("https://user@{at}/client.json"),
        format!("https://user:password@{at}/client.json"),
    ] {
        site.serve(200, "", site.document(&json!({ "client_id": id })));
        let app = App { world: &world, id, secret: None };
        expect_refusal(&told(&world, &app.authorise()).await, 401, "invalid_client");
    }
    assert!(site.asked().is_empty());
    // Only an authorisation request fetches, never the token endpoint.
    site.serve(200, "", site.document(&json!({})));
    expect_refusal(&site.app(&world).redeem("itp_ac_none").await, 401, "invalid_client");
    assert!(site.asked().is_empty());
}

#[api_test]
async fn nothing_is_fetched_while_integrations_are_paused(database: Database) {
    let site = Site::start().await;
    let Some(world) = site.world(database).await else { return };
    site.serve(200, "", site.document(&json!({})));
    world.service().store.pause_set(Some(120), world.clock.now()).await.expect("a database");
    expect_refusal(&told(&world, &site.app(&world).authorise()).await, 503, "temporarily_unavailable");
    assert!(site.asked().is_empty());
}

#[api_test]
async fn sixty_fetches_an_hour_from_an_address(database: Database) {
    let site = Site::start().await;
    let Some(world) = site.world(database).await else { return };
    let app = site.app(&world);
    for _ in 0..60 {
        expect_refusal(&told(&world, &app.authorise()).await, 401, "invalid_client");
    }
    assert_eq!(site.asked().len(), 60);
    let refused = told(&world, &app.authorise()).await;
    expect_refusal(&refused, 429, "temporarily_unavailable");
    assert_eq!(refused.header("retry-after"), "3600");
    assert!(site.asked().is_empty());
    // A fresh stored document is not fetched again.
    site.serve(200, "max-age=86400", site.document(&json!({})));
    world.clock.advance(TimeDelta::hours(1));
    for _ in 0..70 {
        assert_eq!(told(&world, &app.authorise()).await.status, 303);
    }
    assert_eq!(site.asked().len(), 1);
}
