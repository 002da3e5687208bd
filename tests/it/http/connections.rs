//! Connections: silent ones, readers that stall, HTTP/2, and the number of responses in progress for an account.

use std::time::Duration;

use itinerary_platform::settings::Config;
use itinerary_platform::settings::Deadlines;
use itinerary_tests::app::App;
use itinerary_tests::{Database, Sqlite, World, api_test};
use reqwest::Method;
use rstest::rstest;
use serde_json::json;
use uuid::Uuid;

use super::lisbon_with;
use itinerary_tests::wire::{Wire, json_head};

/// Long enough for a healthy client on a busy machine, short enough for a test.
const SHORT: Duration = Duration::from_millis(700);

async fn start(database: Database, deadlines: Deadlines) -> Option<World> {
    World::start_with(database, |config| config.deadlines = deadlines).await
}

fn get(path: &str, token: &str) -> String {
    format!("GET {path} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {token}\r\n\r\n")
}

/// A traveller whose list exceeds the sockets' buffers: a page of about a megabyte.
pub(super) async fn reader(world: &World) -> (App<'_>, Uuid) {
    let ana = App::of(world, "ana").await;
    let account = world.service().store.account_by_username("ana").await.expect("a database").expect("ana").id;
    let long = lisbon_with(&json!({ "summary": "🌍".repeat(5_000) }));
    for _ in 0..50 {
        assert_eq!(ana.create_call("?allowDuplicate=true", &long).send().await.status, 201);
    }
    (ana, account)
}

/// Waits until an account has this many responses in progress.
pub(super) async fn until_under_way(world: &World, account: Uuid, number: usize) {
    let waiting = async {
        while world.service().responses.under_way(account) != number {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    };
    tokio::time::timeout(Duration::from_secs(20), waiting).await.expect("it comes to that");
}

// Observed before: connections that sent nothing, `P` or half a header, or were idle, stayed open.
#[api_test]
async fn silent_connections_end(database: Database) {
    let Deadlines { first_byte, silence, .. } = Deadlines::default();
    assert_eq!((first_byte.as_secs(), silence.as_secs()), (10, 30));
    let deadlines = Deadlines { first_byte: SHORT, ..Deadlines::default() };
    let Some(world) = start(database, deadlines).await else { return };
    assert!(Wire::to(&world).await.is_closed().await, "no byte was sent");
    let Some(world) = start(database, Deadlines { silence: SHORT, ..Deadlines::default() }).await else { return };
    for begin in ["P", "PRI * HTTP", "GET /healthz HTTP/1.1\r\n", "GET /healthz HTTP/1.1\r\nHost: local"] {
        let mut wire = Wire::to(&world).await;
        wire.send(begin).await;
        assert!(wire.is_closed().await, "{begin}");
    }
    let mut idle = Wire::to(&world).await;
    idle.send(get("/healthz", "")).await;
    assert_eq!(idle.response().await.status, 200);
    assert!(idle.is_closed().await);
}

// Observed before: a connection with a window of 0 and 120 requests held 300 MiB. Cleartext HTTP/2 is not supported.
#[api_test]
async fn http2_in_the_clear_is_refused(world: World) {
    let mut wire = Wire::to(&world).await;
    // The preface, and settings with a window of 0.
    wire.send(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\x06\x04\0\0\0\0\0\0\x04\0\0\0\0").await;
    let response = wire.response().await;
    assert_eq!((response.status.as_u16(), response.text()), (505, String::new()));
    assert!(wire.is_closed().await);
    // An offered upgrade is ignored.
    let mut wire = Wire::to(&world).await;
    let upgrade = "Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAQAAAAA\r\n";
    wire.send(format!("GET /healthz HTTP/1.1\r\nHost: localhost\r\n{upgrade}\r\n")).await;
    assert_eq!(wire.response().await.status, 200);
}

// Observed before: clients that read nothing held their answers without limit.
#[api_test]
async fn responses_that_nobody_takes_are_dropped(database: Database) {
    let Some(world) = start(database, Deadlines { stall: SHORT, ..Deadlines::default() }).await else { return };
    let (ana, account) = reader(&world).await;
    let mut wires = Vec::new();
    for _ in 0..4 {
        let mut wire = Wire::to_reluctant(world.address()).await;
        // The second pipelined request waits until the first response was read.
        wire.send(get("/v1/itineraries?limit=50", &ana.token).repeat(4)).await;
        wires.push(wire);
    }
    until_under_way(&world, account, 4).await;
    until_under_way(&world, account, 0).await;
    assert_eq!(ana.list("limit=50").await.status, 200, "others are answered");
}

// A slow reader gets all of its response, however long that takes, because it does not stall.
#[api_test]
async fn a_slow_reader_gets_all_of_its_response(database: Database) {
    let Some(world) = start(database, Deadlines { stall: SHORT, ..Deadlines::default() }).await else { return };
    let (ana, account) = reader(&world).await;
    let whole = ana.list("limit=50").await;
    let mut wire = Wire::to_reluctant(world.address()).await;
    wire.send(get("/v1/itineraries?limit=50", &ana.token)).await;
    until_under_way(&world, account, 1).await;
    let began = std::time::Instant::now();
    wire.read_slowly(whole.body.len() / 8, SHORT / 4).await;
    assert_eq!(wire.response().await.body, whole.body);
    assert!(began.elapsed() > SHORT, "the whole took longer than nothing may be taken");
}

// An account has at most 64 responses in progress; another waits for a moment.
#[api_test]
async fn an_account_has_64_responses_under_way(world: World) {
    let (ana, ben) = (App::of(&world, "ana").await, App::of(&world, "ben").await);
    let account = world.service().store.account_by_username("ana").await.expect("a database").expect("ana").id;
    let mut wires = Vec::new();
    for _ in 0..64 {
        let mut wire = Wire::to(&world).await;
        wire.send(json_head("POST", "/mcp", &ana.token, "Content-Length: 2") + "{").await;
        wires.push(wire);
    }
    until_under_way(&world, account, 64).await;
    let refused = ana.call(Method::GET, "/v1/account").send().await;
    refused.expect_error(429, "rateLimited");
    assert_eq!(refused.header("retry-after"), "1");
    assert_eq!(ben.call(Method::GET, "/v1/account").send().await.status, 200, "others are not concerned");
    let waiting = ana.call(Method::GET, "/v1/account");
    let (response, ()) = tokio::join!(waiting.send(), async {
        wires[0].send("}").await;
        wires[0].response().await;
    });
    assert_eq!(response.status, 200, "there was room in time");
}

// Without limits there are more.
#[tokio::test(flavor = "multi_thread")]
async fn without_limits_there_are_more() {
    let Some(world) = World::start_with(Sqlite, |config| config.limits = false).await else { return };
    let ana = App::of(&world, "ana").await;
    let account = world.service().store.account_by_username("ana").await.expect("a database").expect("ana").id;
    let mut wires = Vec::new();
    for _ in 0..65 {
        let mut wire = Wire::to(&world).await;
        wire.send(json_head("POST", "/mcp", &ana.token, "Content-Length: 2") + "{").await;
        wires.push(wire);
    }
    until_under_way(&world, account, 65).await;
    assert_eq!(ana.call(Method::GET, "/v1/account").send().await.status, 200);
}

/// A server with these settings, on which a connection may give way at once.
async fn start_without_grace(configure: impl Fn(&mut Config)) -> World {
    let world = World::start_with(Sqlite, |config| {
        config.deadlines.grace = Duration::ZERO;
        configure(config);
    });
    world.await.expect("SQLite is always there")
}

/// Connects from one of the loopback addresses, 127.0.0.`number`.
async fn wire_from(world: &World, number: u8) -> Wire {
    Wire::connect_from([127, 0, 0, number].into(), world.address()).await
}

async fn ask(wire: &mut Wire) {
    wire.send(get("/healthz", "")).await;
    assert_eq!(wire.response().await.status, 200);
}

/// The number of connections on which a request is answered.
async fn open(wires: &mut [Wire]) -> usize {
    let mut open = 0;
    for wire in wires {
        open += usize::from(wire.try_exchange(get("/healthz", "")).await.is_some());
    }
    open
}

// Observed before: an address that opened as many connections as the server takes kept everybody else out.
#[tokio::test(flavor = "multi_thread")]
async fn an_address_holds_at_most_its_share() {
    // A quarter by default.
    let quarter = start_without_grace(|config| config.connections = 16).await;
    let configured = start_without_grace(|config| config.connections_per_address = Some(3)).await;
    for (world, share) in [(quarter, 4), (configured, 3)] {
        let mut silent = Vec::new();
        for _ in 0..20 {
            silent.push(wire_from(&world, 2).await);
        }
        ask(&mut wire_from(&world, 3).await).await;
        assert_eq!(open(&mut silent).await, share);
        let mut new = wire_from(&world, 2).await;
        ask(&mut new).await;
        assert_eq!(open(&mut silent).await, share - 1, "an idle one gave way");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn trusted_proxies_and_servers_without_limits_have_no_share() {
    let proxy = |config: &mut Config| config.trusted_proxies = vec![[127, 0, 0, 2].into()];
    let unlimited = |config: &mut Config| config.limits = false;
    for configure in [proxy, unlimited] as [fn(&mut Config); 2] {
        let world = start_without_grace(|config| {
            config.connections = 8;
            configure(config);
        })
        .await;
        let mut held = Vec::new();
        for _ in 0..7 {
            held.push(wire_from(&world, 2).await);
        }
        ask(&mut wire_from(&world, 3).await).await;
        assert_eq!(open(&mut held).await, 7);
    }
}

// Observed before: a server that was full of silent or idle connections answered nobody until they ended.
#[tokio::test(flavor = "multi_thread")]
async fn a_full_server_closes_idle_connections_for_new_ones() {
    let world = start_without_grace(|config| {
        (config.connections, config.connections_per_address) = (6, Some(3));
    })
    .await;
    let mut light = wire_from(&world, 2).await;
    ask(&mut light).await;
    let mut held = Vec::new();
    for (address, begin) in [(3, ""), (3, "GET /healthz HTTP/1.1\r\n"), (4, ""), (4, "GET /healthz HTTP/1.1\r\n")] {
        let mut wire = wire_from(&world, address).await;
        wire.send(begin).await;
        held.push(wire);
    }
    let mut last = wire_from(&world, 4).await;
    ask(&mut last).await;
    let mut new = wire_from(&world, 5).await;
    ask(&mut new).await;
    assert!(held[2].is_closed().await, "of the address with most connections, the one that has sent nothing");
    for wire in [&mut light, &mut last, &mut new] {
        ask(wire).await;
    }
}

// A request whose body does not arrive gives way too, and a response that is not taken.
#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn unfinished_requests_and_stalled_responses_give_way(#[values("body", "answer")] what: &str) {
    let world = start_without_grace(|config| {
        (config.connections, config.connections_per_address) = (4, Some(4));
    })
    .await;
    let (ana, account) = reader(&world).await;
    // Otherwise the client that has prepared the itineraries keeps one of the seats.
    assert_eq!(world.call(Method::GET, "/healthz").header("Connection", "close").send().await.status, 200);
    let mut held = Vec::new();
    for number in 1..=4 {
        let mut wire = Wire::to_reluctant(world.address()).await;
        wire.send(match what {
            "body" => json_head("POST", "/v1/itineraries", &ana.token, "Content-Length: 100") + "{",
            _ => get("/v1/itineraries?limit=50", &ana.token),
        })
        .await;
        held.push(wire);
        until_under_way(&world, account, number).await;
    }
    ask(&mut wire_from(&world, 3).await).await;
    let ends = held.iter_mut().map(|wire| Box::pin(wire.is_ended()));
    assert!(futures::future::select_all(ends).await.0);
}
