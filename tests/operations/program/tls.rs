//! TLS in the server: clients, protocols, deadlines, and certificates that are replaced or unusable.

use std::fs::{self, File};
use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use itinerary_sdk::types::ItineraryCreate;
use itinerary_tests::engines::Engine;
use itinerary_tests::program::{Program, command, fail, free_address, make_account, make_token, words};
use serde_json::json;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;
use tokio_rustls::client::TlsStream;
use tokio_rustls::rustls::pki_types::pem::PemObject;
use tokio_rustls::rustls::pki_types::{CertificateDer, IpAddr, ServerName};
use tokio_rustls::rustls::version::{TLS12, TLS13};
use tokio_rustls::rustls::{ClientConfig, ProtocolVersion, RootCertStore, SupportedProtocolVersion};

use crate::authority::{Authority, Pair};
use crate::program::monitoring::{scrape, value};

const PATIENCE: Duration = Duration::from_secs(20);

/// A server with a certificate of the tests' authority, and where its files are.
struct Site {
    engine: Engine,
    authority: Authority,
    first: Pair,
}

impl Site {
    fn new(days: [i64; 2]) -> Self {
        let authority = Authority::new();
        let site = Self { engine: Engine::sqlite(), first: authority.issue(days), authority };
        site.install(&site.first);
        site
    }

    fn certificate(&self) -> PathBuf {
        self.engine.file("site.crt")
    }

    fn key(&self) -> PathBuf {
        self.engine.file("site.key")
    }

    fn log(&self) -> String {
        fs::read_to_string(self.engine.file("server.log")).expect("a log")
    }

    fn install(&self, pair: &Pair) {
        fs::write(self.certificate(), &pair.certificate).expect("a file");
        fs::write(self.key(), &pair.key).expect("a file");
    }

    fn command(&self) -> tokio::process::Command {
        let (certificate, key) = (self.certificate().display().to_string(), self.key().display().to_string());
        let flags = ["serve", "--listen", &free_address(), "--tls-certificate", &certificate, "--tls-key", &key];
        command(words(&self.engine, &flags))
    }

    async fn serve(&self) -> Program {
        let mut command = self.command();
        command.stderr(File::create(self.engine.file("server.log")).expect("a file"));
        Program::start(command).await
    }

    fn client(&self) -> reqwest::Client {
        let root = reqwest::Certificate::from_pem(&self.authority.pem()).expect("a certificate");
        reqwest::Client::builder().tls_certs_only([root]).build().expect("a client")
    }

    /// A TLS connection that offers these protocols.
    async fn connect(
        &self,
        address: SocketAddr,
        version: &'static SupportedProtocolVersion,
        protocols: &[&str],
    ) -> std::io::Result<TlsStream<TcpStream>> {
        let mut roots = RootCertStore::empty();
        roots.add(CertificateDer::from_pem_slice(&self.authority.pem()).expect("PEM")).expect("a root");
        let builder = ClientConfig::builder_with_protocol_versions(&[version]);
        let mut config = builder.with_root_certificates(roots).with_no_client_auth();
        config.alpn_protocols = protocols.iter().map(|name| name.as_bytes().to_vec()).collect();
        let name = ServerName::IpAddress(IpAddr::try_from("127.0.0.1").expect("an address"));
        TlsConnector::from(Arc::new(config)).connect(name, TcpStream::connect(address).await?).await
    }

    /// The certificate that new connections get.
    async fn served(&self, address: SocketAddr) -> Vec<u8> {
        let stream = self.connect(address, &TLS13, &[]).await.expect("a handshake");
        stream.get_ref().1.peer_certificates().expect("a certificate")[0].to_vec()
    }
}

/// Waits until something is so.
async fn until(what: &str, mut is_so: impl AsyncFnMut() -> bool) {
    let began = Instant::now();
    while !is_so().await {
        assert!(began.elapsed() < PATIENCE, "{what}");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

/// Sends a request and reads until the connection would wait.
async fn health(stream: &mut (impl AsyncReadExt + AsyncWriteExt + Unpin)) -> String {
    stream.write_all(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n").await.expect("an open connection");
    let mut text = String::new();
    while !text.ends_with("{\"status\":\"ok\"}") {
        let mut bytes = [0; 4096];
        let length = stream.read(&mut bytes).await.expect("an open connection");
        assert!(length > 0, "{text}");
        text += &String::from_utf8_lossy(&bytes[..length]);
    }
    text
}

#[tokio::test(flavor = "multi_thread")]
async fn the_sdk_works_through_tls() {
    let site = Site::new(Authority::VALID);
    make_account(&site.engine, "ana").await;
    let token = make_token(&site.engine, "ana").await;
    let server = site.serve().await;
    assert!(server.base_url.starts_with("https://127.0.0.1:"), "{}", server.base_url);
    assert!(server.welcome.contains(&format!("for travellers and apps  {}", server.base_url)), "{}", server.welcome);
    let client = itinerary_sdk::Client::builder(&server.base_url).http_client(site.client()).access_token(token);
    let client = client.build().expect("a client");
    let coordinate = json!({ "latitude": 38.7223, "longitude": -9.1393 });
    let trip = json!({ "destination": { "name": "Lisbon", "coordinate": coordinate } });
    let trip: ItineraryCreate = serde_json::from_value(trip).expect("an itinerary");
    let made = client.itinerary_create(trip).send().await.expect("created");
    let read = client.itinerary_view(made.id).send().await.expect("the itinerary");
    assert_eq!(read.title, made.title);

    let response = site.client().get(format!("{}/healthz", server.base_url)).send().await.expect("an answer");
    assert_eq!(response.headers()["strict-transport-security"], "max-age=31536000");
    let stranger = reqwest::Client::builder().tls_certs_only([]).build().expect("a client");
    stranger.get(format!("{}/healthz", server.base_url)).send().await.expect_err("it does not trust the authority");
    server.ask_to_stop();
    assert_eq!(server.exit_code().await, Some(0));
}

#[tokio::test(flavor = "multi_thread")]
async fn only_http_1_is_negotiated_and_slow_handshakes_are_cut() {
    let site = Site::new(Authority::VALID);
    let server = site.serve().await;
    let address = server.address();
    for (version, expected) in [(&TLS12, ProtocolVersion::TLSv1_2), (&TLS13, ProtocolVersion::TLSv1_3)] {
        for (protocols, chosen) in [(&["h2", "http/1.1"][..], Some(&b"http/1.1"[..])), (&[], None)] {
            let mut stream = site.connect(address, version, protocols).await.expect("a handshake");
            let session = stream.get_ref().1;
            assert_eq!((session.protocol_version(), session.alpn_protocol()), (Some(expected), chosen));
            assert!(health(&mut stream).await.starts_with("HTTP/1.1 200 OK"));
        }
        let refused = site.connect(address, version, &["h2"]).await.expect_err("no common protocol");
        assert!(refused.to_string().contains("NoApplicationProtocol"), "{refused}");
    }

    let mut plain = TcpStream::connect(address).await.expect("it listens");
    plain.write_all(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n").await.expect("an open connection");
    let mut said = String::new();
    plain.read_to_string(&mut said).await.expect("an answer");
    assert!(
        said.starts_with("HTTP/1.1 400 ") && said.ends_with("\r\n\r\nThis address needs TLS: use https://.\n"),
        "{said}"
    );

    let began = Instant::now();
    let mut slow = TcpStream::connect(address).await.expect("it listens");
    slow.write_all(b"\x16\x03\x01").await.expect("an open connection");
    // A silent handshake ends after 10 s, and delays nobody.
    assert!(health(&mut site.connect(address, &TLS13, &[]).await.expect("a handshake")).await.contains("200 OK"));
    let read = tokio::time::timeout(PATIENCE, slow.read(&mut [0; 16])).await.expect("it is cut");
    assert!(read.map_or(true, |length| length == 0));
    assert!(began.elapsed() > Duration::from_secs(8), "{:?}", began.elapsed());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_new_certificate_replaces_the_old_one_only_if_it_is_usable() {
    let site = Site::new(Authority::VALID);
    let server = site.serve().await;
    let address = server.address();
    let mut kept = site.connect(address, &TLS13, &[]).await.expect("a handshake");
    health(&mut kept).await;
    assert_eq!(site.served(address).await, site.first.der);

    let second = site.authority.issue(Authority::VALID);
    site.install(&second);
    server.reload();
    until("the new certificate is served", async || site.served(address).await == second.der).await;

    // Each is refused with its cause, and the second one stays.
    let third = site.authority.issue(Authority::VALID);
    let bad: [(&[u8], &[u8], &str); 4] = [
        (&third.certificate, &second.key, "does not belong to the first certificate"),
        (b"nonsense", &second.key, "has no certificate in PEM format"),
        (&second.certificate, b"", "has no private key in PEM format"),
        (&second.certificate[..200], &second.key, "is invalid"),
    ];
    for (certificate, key, cause) in bad {
        fs::write(site.certificate(), certificate).expect("a file");
        fs::write(site.key(), key).expect("a file");
        server.reload();
        until(cause, async || site.log().contains(cause)).await;
        assert_eq!(site.served(address).await, second.der, "{cause}");
    }
    fs::remove_file(site.key()).expect("it was there");
    server.reload();
    until("a missing file is logged", async || site.log().contains("site.key cannot be read")).await;
    assert_eq!(site.served(address).await, second.der);
    // The connection of the first certificate goes on.
    assert!(health(&mut kept).await.contains("200 OK"));

    site.install(&third);
    server.reload();
    until("the third certificate is served", async || site.served(address).await == third.der).await;
    // Nothing is written, so a kill leaves nothing half done.
    server.kill_now();
    server.exit_code().await;
    let again = site.serve().await;
    assert_eq!(site.served(again.address()).await, third.der);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_expired_certificate_is_used_with_a_warning() {
    let site = Site::new(Authority::EXPIRED);
    let (mut command, metrics) = (site.command(), free_address());
    command.args(["--metrics-listen", &metrics]);
    command.stderr(File::create(site.engine.file("server.log")).expect("a file"));
    let server = Program::start(command).await;
    until("a warning", async || site.log().contains("the certificate has expired")).await;
    let refused = site.connect(server.address(), &TLS13, &[]).await.expect_err("it has expired");
    assert!(refused.to_string().contains("certificate expired"), "{refused}");
    // The second day of 2020.
    let expires = value(&scrape(&metrics).await, "tls_certificate_expiry_timestamp_seconds");
    assert_eq!(expires, Some(1_577_923_200.0));
}

#[tokio::test(flavor = "multi_thread")]
async fn an_unusable_certificate_is_a_clear_error_at_start() {
    let site = Site::new(Authority::VALID);
    let other = site.authority.issue(Authority::VALID);
    let path = |path: PathBuf| path.display().to_string();
    fs::write(site.key(), &other.key).expect("a file");
    let said = fail(site.command()).await;
    let mismatch = "does not belong to the first certificate in";
    assert!(said.contains(&path(site.key())) && said.contains(mismatch), "{said}");

    fs::remove_file(site.key()).expect("it was there");
    let said = fail(site.command()).await;
    assert!(said.contains(&format!("the file {} cannot be read: No such file", path(site.key()))), "{said}");

    let certificate = path(site.certificate());
    let only = ["serve", "--listen", "127.0.0.1:1", "--tls-certificate", &certificate];
    let said = fail(command(words(&site.engine, &only))).await;
    assert!(said.contains("`tls_certificate` needs `tls_key`"), "{said}");
    let cleartext = [&only[..], &["--tls-key", &certificate, "--base-url", "http://trips.example"]].concat();
    let said = fail(command(words(&site.engine, &cleartext))).await;
    assert!(said.contains("`base_url` must begin with https://"), "{said}");
}
