//! Two and four servers on one PostgreSQL database and one Redis server behave as one: F-15, F-17, F-18, F-20.

use std::collections::BTreeSet;
use std::io::Cursor;
use std::time::{Duration, Instant};

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use futures::future::join_all;
use futures::{StreamExt as _, stream};
use itinerary_tests::RawResponse;
use itinerary_tests::app::Stored;
use itinerary_tests::browser::Browser;
use itinerary_tests::program::{command, succeed, words};
use itinerary_tests::raw::Call;
use itinerary_tests::world::{PASSWORD, READ_WRITE};
use reqwest::{Method, Url};
use rstest::rstest;
use serde_json::{Value, json};

use crate::servers::Servers;

/// How soon what one process stores takes effect on every server.
const AT_ONCE: Duration = Duration::from_secs(1);

const WRITERS: usize = 8;
const INCREMENTS: usize = 4;
/// How many requests compete for a key, a code or a token.
const RACERS: usize = 32;
/// The limit on reads in a minute.
const READS: usize = 120;

fn trip(summary: &str) -> Value {
    let coordinate = json!({ "latitude": 38.7223, "longitude": -9.1393 });
    json!({ "destination": { "name": "Lisbon", "coordinate": coordinate }, "summary": summary })
}

/// Increments the number in the summary, and returns the ETag of the change.
async fn increment(servers: &Servers, token: &str, path: &str) -> String {
    loop {
        let read = servers.call(Method::GET, path).token(token).send().await;
        let number: usize = read.json()["summary"].as_str().and_then(|text| text.parse().ok()).expect("a number");
        let change = servers.call(Method::PATCH, path).token(token).header("If-Match", read.header("etag"));
        let response = change.json(&json!({ "summary": (number + 1).to_string() })).send().await;
        if response.status == 200 {
            return response.header("etag").to_owned();
        }
        response.expect_error(409, "itineraryModified");
    }
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn concurrent_writers_lose_nothing(#[values(2, 4)] number: usize) {
    let Some(servers) = Servers::start(number, &[]).await else { return };
    let owner = servers.traveller("owner").await;
    let create = servers.call(Method::POST, "/v1/itineraries").token(&owner).json(&trip("0"));
    let path = format!("/v1/itineraries/{}", Stored::of(&create.send().await).id);
    // Each with an account of their own, because limits apply.
    let writers = join_all((0..WRITERS).map(async |n| {
        let token = servers.traveller(&format!("writer{n}")).await;
        let profile = servers.call(Method::GET, "/v1/account").token(&token).send().await.json();
        let member = format!("{path}/members/{}", profile["accountId"].as_str().expect("an id"));
        let added = servers.call(Method::PUT, &member).token(&owner).json(&json!({ "role": "editor" })).send().await;
        assert!(added.status.is_success(), "{}", added.text());
        let invitation = path.replace("/itineraries/", "/invitations/");
        let accepted = servers.call(Method::PUT, &invitation).token(&token).send().await;
        assert!(accepted.status.is_success(), "{}", accepted.text());
        token
    }))
    .await;
    let tags = join_all(writers.iter().map(async |token| {
        let mut tags = Vec::new();
        for _ in 0..INCREMENTS {
            tags.push(increment(&servers, token, &path).await);
        }
        tags
    }))
    .await;
    let tags: Vec<String> = tags.into_iter().flatten().collect();
    assert_eq!(tags.iter().collect::<BTreeSet<_>>().len(), WRITERS * INCREMENTS, "no two versions have one ETag");
    for server in &servers.all {
        let end = server.call(Method::GET, &path).token(&owner).send().await;
        assert_eq!(end.json()["summary"], (WRITERS * INCREMENTS).to_string());
    }

    // One key at once on all servers: one itinerary, and the same response for all.
    let creates = (0..RACERS).map(|_| {
        let create = servers.call(Method::POST, "/v1/itineraries?allowDuplicate=true").token(&owner);
        create.header("Idempotency-Key", "01890000-0000-7000-8000-000000000001").json(&trip("one")).send()
    });
    let responses = join_all(creates).await;
    let shown = |response: &RawResponse| {
        assert_eq!(response.status, 201, "{}", response.text());
        (response.body.clone(), response.header("etag").to_owned(), response.header("location").to_owned())
    };
    assert_eq!(responses.iter().map(shown).collect::<BTreeSet<_>>().len(), 1);
    let first = responses.iter().filter(|response| response.header("idempotency-replayed").is_empty()).count();
    assert_eq!(first, 1, "the others are replays");
    let listed = servers.call(Method::GET, "/v1/itineraries").token(&owner).send().await.json();
    assert_eq!(listed["data"].as_array().map(Vec::len), Some(2));
}

/// An app that signs travellers in.
struct App<'s> {
    servers: &'s Servers,
    id: String,
}

impl<'s> App<'s> {
    async fn registered(servers: &'s Servers) -> Self {
        let metadata = json!({ "redirect_uris": ["https://app.example/"], "token_endpoint_auth_method": "none" });
        let response = servers.call(Method::POST, "/oauth/register").json(&metadata).send().await;
        assert_eq!(response.status, 201, "{}", response.text());
        Self { servers, id: response.json()["client_id"].as_str().expect("an id").to_owned() }
    }

    /// The form that redeems a new code.
    async fn code(&self, browser: &Browser) -> Vec<(&'static str, String)> {
        let verifier = "v".repeat(43);
        let challenge = URL_SAFE_NO_PAD.encode(openssl::sha::sha256(verifier.as_bytes()));
        let parameters = [
            ("client_id", &*self.id),
            ("redirect_uri", "https://app.example/"),
            ("response_type", "code"),
            ("scope", READ_WRITE),
            ("code_challenge", &challenge),
            ("code_challenge_method", "S256"),
        ];
        let address = Url::parse_with_params("http://localhost/oauth/authorise", parameters).expect("an address");
        let address = format!("/oauth/authorise?{}", address.query().expect("parameters"));
        let back = browser.decide(&address, "approve").await;
        let code = back.query_pairs().find(|(name, _)| name == "code").expect("a code").1.into_owned();
        let redirect = "https://app.example/".to_owned();
        let grant = [("grant_type", "authorization_code".to_owned()), ("code", code), ("code_verifier", verifier)];
        grant.into_iter().chain([("redirect_uri", redirect), ("client_id", self.id.clone())]).collect()
    }

    /// The form that refreshes tokens.
    fn renewal(&self, tokens: &Value) -> Vec<(&'static str, String)> {
        let token = tokens["refresh_token"].as_str().expect("a token").to_owned();
        vec![("grant_type", "refresh_token".to_owned()), ("refresh_token", token), ("client_id", self.id.clone())]
    }

    fn ask(&self, form: &[(&'static str, String)]) -> Call {
        let form: Vec<_> = form.iter().map(|(name, value)| (*name, &**value)).collect();
        self.servers.call(Method::POST, "/oauth/token").form(&form)
    }

    /// Tokens of the traveller in this browser.
    async fn connect(&self, browser: &Browser) -> Value {
        let response = self.ask(&self.code(browser).await).send().await;
        assert_eq!(response.status, 200, "{}", response.text());
        response.json()
    }

    /// Sends the form many times at once. One must succeed, and what it got must be revoked everywhere, because the others
    /// show a leak.
    async fn race(&self, form: &[(&'static str, String)]) {
        let responses = join_all((0..RACERS).map(|_| self.ask(form).send())).await;
        let (won, lost): (Vec<_>, Vec<_>) = responses.iter().partition(|response| response.status == 200);
        for response in lost {
            assert_eq!((response.status.as_u16(), &response.json()["error"]), (400, &json!("invalid_grant")));
        }
        assert_eq!(won.len(), 1, "one is first");
        let tokens = won[0].json();
        expect_everywhere(self.servers, access(&tokens), 401).await;
        assert_eq!(self.ask(&self.renewal(&tokens)).send().await.json()["error"], "invalid_grant");
    }
}

fn access(tokens: &Value) -> &str {
    tokens["access_token"].as_str().expect("a token")
}

/// Checks that every server answers so within a second from now.
async fn expect_everywhere(servers: &Servers, token: &str, status: u16) {
    let since = Instant::now();
    loop {
        let responses: Vec<u16> = servers.reads(token).await.iter().map(|response| response.status.as_u16()).collect();
        if responses.iter().all(|response| *response == status) {
            return;
        }
        assert!(since.elapsed() < AT_ONCE, "{responses:?} and not {status} after {:?}", since.elapsed());
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

/// Runs a command beside the servers.
async fn operate(servers: &Servers, line: &[&str], input: &str) {
    succeed(command(words(&servers.engine, line)), input).await;
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn revocation_takes_effect_on_every_server(#[values(2, 4)] number: usize) {
    let Some(servers) = Servers::start(number, &["--limits-timeout", "5000"]).await else { return };
    let app = App::registered(&servers).await;
    let browser = Browser::at(&servers.front);
    let page = browser.sign_up("ana", "Ana", PASSWORD).await;
    assert_eq!(page.response.status, 200, "{}", page.text());

    app.race(&app.code(&browser).await).await;
    app.race(&app.renewal(&app.connect(&browser).await)).await;

    // Revoked by one server.
    let tokens = app.connect(&browser).await;
    expect_everywhere(&servers, access(&tokens), 200).await;
    let form = [("token", access(&tokens)), ("client_id", &app.id)];
    assert_eq!(servers.call(Method::POST, "/oauth/revoke").form(&form).send().await.status, 200);
    expect_everywhere(&servers, access(&tokens), 401).await;

    // Paused and resumed by a command.
    let tokens = app.connect(&browser).await;
    expect_everywhere(&servers, access(&tokens), 200).await;
    operate(&servers, &["integrations", "pause"], "").await;
    expect_everywhere(&servers, access(&tokens), 503).await;
    operate(&servers, &["integrations", "resume"], "").await;
    expect_everywhere(&servers, access(&tokens), 200).await;

    // A new password, and a deleted account, of which Redis keeps nothing that outlasts a minute.
    operate(&servers, &["account", "password", "ana"], "another good password\n").await;
    expect_everywhere(&servers, access(&tokens), 401).await;
    let token = servers.token("ana").await;
    expect_everywhere(&servers, &token, 200).await;
    let browser = Browser::at(&servers.front);
    browser.sign_in("ana", "another good password").await;
    let form = browser.visit("/account/delete").await.form("/account/delete");
    assert!(servers.redis.run(&["KEYS", "itinerary:account-calls:*"]).contains("itinerary:"));
    browser.submit(&form, &[("password", "another good password")]).await;
    expect_everywhere(&servers, &token, 401).await;
    assert_eq!(servers.redis.run(&["KEYS", "itinerary:account-calls:*"]), "");
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn all_servers_count_together(#[values(2, 4)] number: usize) {
    // A busy machine may be late by more than the default.
    let Some(servers) = Servers::start(number, &["--limits-timeout", "5000"]).await else { return };
    let (token, other) = (servers.traveller("ana").await, servers.traveller("ben").await);
    let responses: Vec<RawResponse> = stream::iter(0..5 * READS)
        .map(|_| servers.call(Method::GET, "/v1/account").token(&token).send())
        .buffer_unordered(32)
        .collect()
        .await;
    let accepted: Vec<_> = responses.iter().filter(|response| response.status == 200).collect();
    let within = READS * 98 / 100..=READS * 102 / 100;
    assert!(within.contains(&accepted.len()), "{} were accepted: {:?}", accepted.len(), servers.log(0));
    let left: BTreeSet<&str> = accepted.iter().map(|response| response.header("ratelimit-remaining")).collect();
    assert_eq!(left.len(), accepted.len(), "each has another number left");
    for response in &responses {
        assert_eq!((response.header("ratelimit-limit"), response.header("ratelimit-policy")), ("120", "120;w=60"));
        if response.status != 200 {
            response.expect_error(429, "rateLimited");
            assert_eq!(response.header("ratelimit-remaining"), "0");
        }
    }
    // All servers announce the same end of the window.
    let waits: Vec<i32> = servers
        .reads(&token)
        .await
        .iter()
        .map(|response| response.header("retry-after").parse().expect("seconds"))
        .collect();
    let (first, last) = (waits.iter().min().expect("servers"), waits.iter().max().expect("servers"));
    assert!(*first >= 1 && *last <= 60 && last - first <= 1, "{waits:?}");
    assert!(servers.reads(&other).await.iter().all(|response| response.status == 200), "another traveller");

    // Nothing in Redis names anyone, and nothing stays.
    let keys = servers.redis.run(&["KEYS", "*"]);
    for key in keys.lines() {
        assert!(key.starts_with("itinerary:") && key.len() < 64, "{key}");
        let left: i64 = servers.redis.run(&["PTTL", key]).parse().expect("a number");
        assert!(left <= 3_600_000 && left != -1, "{key} stays for {left} ms");
    }
    assert!(keys.lines().count() >= 4, "{keys}");
}

/// A PNG whose header says 6,000 × 6,000 pixels. It counts by its header, and cannot be decoded.
fn png_of_36_megapixels() -> Vec<u8> {
    let header = [&b"IHDR"[..], &6_000_u32.to_be_bytes(), &6_000_u32.to_be_bytes(), &[8, 2, 0, 0, 0]].concat();
    let mut crc = flate2::Crc::new();
    crc.update(&header);
    let mut small = Cursor::new(Vec::new());
    image::DynamicImage::new_rgb8(8, 8).write_to(&mut small, image::ImageFormat::Png).expect("a PNG");
    // After the signature and the header.
    let rest = &small.get_ref()[33..];
    [&b"\x89PNG\r\n\x1a\n"[..], &13_u32.to_be_bytes(), &header, &crc.sum().to_be_bytes(), rest].concat()
}

// 120 megapixels in a minute.
#[tokio::test(flavor = "multi_thread")]
async fn megapixels_count_together() {
    let Some(servers) = Servers::start(2, &["--limits-timeout", "5000"]).await else { return };
    let token = servers.traveller("ana").await;
    let made = Stored::of(&servers.call(Method::POST, "/v1/itineraries").token(&token).json(&trip("")).send().await);
    let upload = |server: usize| {
        let path = format!("/v1/itineraries/{}/cover-image", made.id);
        let call = servers.all[server].call(Method::PUT, &path).token(&token).header("If-Match", &made.etag);
        call.body("image/png", png_of_36_megapixels()).send()
    };
    for n in 0..3 {
        upload(n % 2).await.expect_error(422, "imageRejected");
    }
    for server in [0, 1] {
        upload(server).await.expect_error(429, "rateLimited");
    }
}

// Failed sign-ins count together too, and a right password is given back.
#[tokio::test(flavor = "multi_thread")]
async fn failed_sign_ins_count_together() {
    let Some(servers) = Servers::start(2, &["--limits-timeout", "5000"]).await else { return };
    servers.traveller("ana").await;
    let browsers = [Browser::at(&servers.all[0].base_url), Browser::at(&servers.all[1].base_url)];
    for n in 0..9 {
        assert_eq!(browsers[n % 2].sign_in("ana", "wrong password").await.response.status, 422, "failure {n}");
    }
    for browser in &browsers {
        let page = browser.sign_in("ana", PASSWORD).await;
        assert_eq!((page.response.status.as_u16(), page.address.path()), (200, "/"), "{}", page.text());
    }
    let browsers = [Browser::at(&servers.all[0].base_url), Browser::at(&servers.all[1].base_url)];
    assert_eq!(browsers[0].sign_in("ana", "wrong password").await.response.status, 422);
    for browser in &browsers {
        let response = browser.sign_in("ana", PASSWORD).await.response;
        assert_eq!(response.status, 429, "{}", response.text());
        let wait: u32 = response.header("retry-after").parse().expect("seconds");
        assert!((1..=60).contains(&wait), "{wait}");
    }
}
