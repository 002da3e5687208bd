//! The proxy configurations in `docs/proxies`: nginx and HAProxy accept them, forward to the server, and close silent
//! connections. If a proxy is not installed, its test is skipped, unless `ITINERARY_REQUIRE_PROXIES` is set.

use std::fs;
use std::path::Path;
use std::process::Stdio;
use std::time::Duration;

use itinerary_tests::app::App;
use itinerary_tests::bodies::on_day;
use itinerary_tests::certificates::certify;
use itinerary_tests::program::free_address;
use itinerary_tests::{Sqlite, World};
use tempfile::TempDir;
use tokio::process::{Child, Command};

use itinerary_tests::wire::Wire;

/// A proxy in front of a world, which ends with the test.
struct Proxy {
    address: String,
    client: reqwest::Client,
    _process: Child,
    _folder: TempDir,
}

/// Replaces what an operator would replace, and shortens timeouts.
fn adapted(text: &str, replacements: &[(&str, &str)]) -> String {
    replacements.iter().fold(text.to_owned(), |text, (from, to)| {
        assert!(text.contains(from), "there is no {from}");
        text.replace(from, to)
    })
}

impl Proxy {
    /// Starts a program, if it is installed, and waits until it answers.
    async fn start(program: &str, configure: impl FnOnce(&Path, &str) -> (String, Vec<String>)) -> Option<Self> {
        let folder = TempDir::new().expect("a folder");
        let (certificate, key) = certify("localhost");
        let certificate = certificate.to_pem().expect("PEM");
        let key = key.private_key_to_pem_pkcs8().expect("PEM");
        let at = |name: &str| folder.path().join(name);
        fs::write(at("site.pem"), [&certificate[..], &key].concat()).expect("a file");
        fs::write(at("site.crt"), certificate).expect("a file");
        fs::write(at("site.key"), key).expect("a file");
        let address = free_address();
        let (configuration, arguments) = configure(folder.path(), &address);
        fs::write(at("proxy.conf"), configuration).expect("a file");
        let process = Command::new(program)
            .args(arguments)
            .current_dir(folder.path())
            .env("PATH", "/usr/sbin:/usr/bin:/sbin:/bin")
            .stdin(Stdio::null())
            .kill_on_drop(true)
            .spawn();
        let Ok(process) = process else {
            assert!(std::env::var_os("ITINERARY_REQUIRE_PROXIES").is_none(), "{program} is not installed");
            itinerary_tests::skipped(&format!("{program} is not installed"));
            return None;
        };
        let client = reqwest::Client::builder().tls_danger_accept_invalid_certs(true).build().expect("a client");
        let this = Self { address, client, _process: process, _folder: folder };
        this.until_ready().await;
        Some(this)
    }

    async fn until_ready(&self) {
        let ready = async {
            while self.get("/readyz").await.is_none_or(|status| status != 200) {
                tokio::time::sleep(Duration::from_millis(50)).await;
            }
        };
        tokio::time::timeout(Duration::from_secs(20), ready).await.expect("the proxy leads to the server");
    }

    fn url(&self, path: &str) -> String {
        format!("https://localhost:{}{path}", self.address.rsplit(':').next().expect("a port"))
    }

    async fn get(&self, path: &str) -> Option<u16> {
        Some(self.client.get(self.url(path)).send().await.ok()?.status().as_u16())
    }

    /// Silent connections are closed, even within a handshake; bodies and errors pass through.
    async fn expect_good(&self) {
        for begin in [&b""[..], b"\x16\x03\x01"] {
            let mut silent = Wire::connect(self.address.parse().expect("an address")).await;
            silent.send(begin).await;
            assert!(silent.is_ended().await);
        }
        let body = vec![b' '; 600_000];
        let response = self.client.post(self.url("/v1/itineraries")).bearer_auth("nobody").body(body).send().await;
        let response = response.expect("an answer");
        assert_eq!((response.status().as_u16(), response.headers().contains_key("x-request-id")), (401, true));
    }
}

/// The longest silence of a stream, with room for slow machines.
const SILENCE: Duration = Duration::from_secs(22);

impl Proxy {
    /// A stream of changes passes at once, and its comments keep it open.
    async fn expect_stream(&self, world: &World) {
        let app = App::of(world, "ana").await;
        let call = self.client.get(self.url("/v1/changes")).bearer_auth(&app.token);
        let mut stream = call.header("Accept", "text/event-stream").send().await.expect("an answer");
        assert_eq!(stream.status(), 200);
        let mut next = async |within| {
            let chunk = tokio::time::timeout(within, stream.chunk()).await.expect("it is passed on at once");
            String::from_utf8(chunk.expect("the stream stays open").expect("more").to_vec()).expect("text")
        };
        let soon = Duration::from_secs(4);
        assert!(next(soon).await.starts_with("retry: "));
        for day in 1..=2 {
            let made = app.created(&on_day(day)).await;
            let event = next(soon).await;
            assert!(event.contains("event: itinerary.updated\n") && event.contains(&made.id), "{event}");
            assert_eq!(next(SILENCE).await, ":\n\n");
            assert_eq!(next(SILENCE).await, ":\n\n");
        }
    }
}

/// The proxy's limit of connections from one address.
const SHARE: usize = 100;

impl Proxy {
    /// One address has at most [`SHARE`] connections: a further one is closed at once.
    async fn expect_share(&self) {
        // The clients that asked whether the proxy is ready may still hold some.
        const OTHERS: usize = 10;
        let connect = async || Wire::try_connect(self.address.parse().expect("an address")).await;
        let mut open = Vec::new();
        while open.len() <= SHARE
            && let Ok(wire) = connect().await
        {
            open.push(wire);
        }
        // A connection beyond the limit is reset, perhaps before the client sees it open. With several threads, the proxy may
        // not see them in this order.
        let is_one_too_many = open.len() > SHARE;
        let ends = open.iter_mut().map(|wire| Box::pin(wire.is_ended()));
        assert!(!is_one_too_many || futures::future::select_all(ends).await.0);
        let ended = futures::future::join_all(open.iter_mut().map(Wire::is_answered)).await;
        let within = ended.iter().filter(|is_ended| !**is_ended).count();
        assert!((SHARE - OTHERS..=SHARE).contains(&within), "{within}");
        drop(open);
        self.until_ready().await;
    }
}

async fn world() -> World {
    let world = World::start_with(Sqlite, |config| {
        config.trusted_proxies = vec![std::net::Ipv4Addr::LOCALHOST.into()];
    });
    world.await.expect("SQLite is always there")
}

/// nginx as documented, with this time-out instead of the documented one.
async fn nginx(world: &World, timeout: (&str, &str)) -> Option<Proxy> {
    let server = world.address().to_string();
    let proxy = Proxy::start("nginx", |folder, address| {
        let at = |name: &str| folder.join(name).display().to_string();
        let site = adapted(
            include_str!("../../../docs/proxies/nginx.conf"),
            &[
                ("127.0.0.1:8080", &server),
                ("listen 443 ", &format!("listen {address} ")),
                ("trips.example;", "localhost;"),
                ("/etc/ssl/trips.example.crt", &at("site.crt")),
                ("/etc/ssl/trips.example.key", &at("site.key")),
                timeout,
            ],
        );
        let temporary: String = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"]
            .map(|kind| format!("{kind}_temp_path {};\n", at(kind)))
            .concat();
        let whole = format!(
            "daemon off;\npid {};\nerror_log stderr error;\nevents {{}}\nhttp {{\naccess_log off;\n{temporary}{site}}}\n",
            at("pid")
        );
        (whole, vec!["-p".to_owned(), at(""), "-c".to_owned(), at("proxy.conf"), "-e".to_owned(), "stderr".to_owned()])
    });
    proxy.await
}

/// The same with HAProxy.
async fn haproxy(world: &World, timeouts: [(&str, &str); 2]) -> Option<Proxy> {
    let server = world.address().to_string();
    let proxy = Proxy::start("haproxy", |folder, address| {
        let at = |name: &str| folder.join(name).display().to_string();
        let [request, client] = timeouts;
        let whole = adapted(
            include_str!("../../../docs/proxies/haproxy.cfg"),
            &[
                ("127.0.0.1:8080", &server),
                ("bind :443 ", &format!("bind {address} ")),
                ("/etc/haproxy/trips.example.pem", &at("site.pem")),
                request,
                client,
            ],
        );
        (whole, vec!["-db".to_owned(), "-f".to_owned(), at("proxy.conf")])
    });
    proxy.await
}

#[tokio::test(flavor = "multi_thread")]
async fn nginx_as_documented() {
    let world = world().await;
    if let Some(proxy) = nginx(&world, ("client_header_timeout 10s", "client_header_timeout 1s")).await {
        proxy.expect_good().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn haproxy_as_documented() {
    let world = world().await;
    let timeouts =
        [("timeout http-request 10s", "timeout http-request 1s"), ("timeout client 30s", "timeout client 1s")];
    if let Some(proxy) = haproxy(&world, timeouts).await {
        proxy.expect_good().await;
    }
}

// Longer than any documented time-out, so they take 80 seconds, both at once.
#[tokio::test(flavor = "multi_thread")]
async fn streams_of_changes_pass_through_the_documented_proxies() {
    let [one, other] = [world().await, world().await];
    let none = ("timeout", "timeout");
    let through_nginx = async {
        if let Some(proxy) = nginx(&one, none).await {
            proxy.expect_stream(&one).await;
        }
    };
    let through_haproxy = async {
        if let Some(proxy) = haproxy(&other, [none; 2]).await {
            proxy.expect_stream(&other).await;
        }
    };
    Box::pin(futures::future::join(through_nginx, through_haproxy)).await;
}

// Both configurations limit the connections of an address.
#[tokio::test(flavor = "multi_thread")]
async fn haproxy_limits_the_connections_of_an_address() {
    let world = world().await;
    let server = world.address().to_string();
    let for_one = include_str!("../../../docs/proxies/haproxy.cfg");
    let for_two = include_str!("../../../docs/deploy/haproxy.cfg");
    for text in [for_one, for_two] {
        let proxy = Proxy::start("haproxy", |folder, address| {
            let certificate = folder.join("site.pem").display().to_string();
            let replacements = [
                ("127.0.0.1:8080", &*server),
                ("bind :443 ", &*format!("bind {address} ")),
                ("bind :8443 ", &*format!("bind {address} ")),
                ("/etc/haproxy/trips.example.pem", &*certificate),
                ("/etc/haproxy/site.pem", &*certificate),
                ("server-1:8080", &*server),
                ("server-2:8080", &*server),
                // Host names are only for the containers.
                (" resolvers containers init-addr last,libc,none", ""),
            ];
            let text = replacements.iter().fold(text.to_owned(), |text, (from, to)| text.replace(from, to));
            (text, vec!["-db".to_owned(), "-f".to_owned(), folder.join("proxy.conf").display().to_string()])
        });
        let Some(proxy) = proxy.await else { return };
        proxy.expect_share().await;
    }
}
