//! TLS to PostgreSQL according to `sslmode`. A listener in front of the shared database speaks TLS with the test's own
//! certificate.

use std::fs;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;

use itinerary_tests::Database;
use itinerary_tests::certificates::certify;
use itinerary_tests::engines::Engine;
use itinerary_tests::program::{command, fail, succeed};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _, copy_bidirectional};
use tokio::net::{TcpListener, TcpStream};
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::ServerConfig;
use tokio_rustls::rustls::pki_types::{CertificateDer, PrivatePkcs8KeyDer};
use url::Url;

/// The request for TLS in PostgreSQL's protocol.
const SSL_REQUEST: [u8; 8] = [0, 0, 0, 8, 4, 210, 22, 47];

#[tokio::test(flavor = "multi_thread")]
async fn sslmode_decides_which_certificate_checks_run() {
    let Some(engine) = Engine::on(Database::Postgres) else { return };
    let database = Url::parse(&engine.url()).expect("an address");
    let ours = Front::start(&database, "127.0.0.1").await;
    let misnamed = Front::start(&database, "elsewhere.example").await;
    for (front, root) in [(&ours, "ours.pem"), (&misnamed, "misnamed.pem")] {
        fs::write(engine.file(root), &front.certificate).expect("a file");
    }
    let arguments = |front: &Front, mode: &str, root: Option<&str>| {
        let mut url = database.clone();
        url.set_port(Some(front.address.port())).expect("it can have a port");
        url.query_pairs_mut().append_pair("sslmode", mode);
        if let Some(root) = root {
            url.query_pairs_mut().append_pair("sslrootcert", &engine.file(root).display().to_string());
        }
        command(["--data", &*engine.data().display().to_string(), "--database-url", url.as_str(), "migrate"])
    };

    for (front, mode, root) in [
        (&ours, "require", None),
        (&misnamed, "verify-ca", Some("misnamed.pem")),
        (&ours, "verify-full", Some("ours.pem")),
    ] {
        let said = succeed(arguments(front, mode, root), "").await;
        assert!(said.ends_with("the database is up to date.\n"), "{mode}: {said}");
    }
    for (front, mode, root, why) in [
        (&ours, "verify-ca", None, "UnknownIssuer"),
        (&ours, "verify-full", Some("misnamed.pem"), "UnknownIssuer"),
        (&misnamed, "verify-full", Some("misnamed.pem"), "not valid for name"),
    ] {
        let said = fail(arguments(front, mode, root)).await;
        assert!(said.contains(why), "{mode}: {said}");
    }
}

/// A listener that terminates TLS in front of a database.
struct Front {
    address: SocketAddr,
    /// Its self-signed certificate as PEM.
    certificate: Vec<u8>,
}

impl Front {
    /// Starts it with a certificate for a host name.
    async fn start(database: &Url, name: &str) -> Self {
        let (certificate, key) = certify(name);
        let chain = vec![CertificateDer::from(certificate.to_der().expect("it is whole"))];
        let key = PrivatePkcs8KeyDer::from(key.private_key_to_pkcs8().expect("it is whole"));
        let config = ServerConfig::builder().with_no_client_auth().with_single_cert(chain, key.into());
        let acceptor = TlsAcceptor::from(Arc::new(config.expect("they belong together")));
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.expect("a free port");
        let address = listener.local_addr().expect("an address");
        let behind = (Ipv4Addr::LOCALHOST, database.port().expect("a port"));
        tokio::spawn(async move {
            while let Ok((client, _)) = listener.accept().await {
                tokio::spawn(carry(client, acceptor.clone(), behind));
            }
        });
        Self { address, certificate: certificate.to_pem().expect("it is whole") }
    }
}

/// Forwards one connection. A client that does not trust the certificate disconnects.
async fn carry(mut client: TcpStream, acceptor: TlsAcceptor, behind: (Ipv4Addr, u16)) {
    let mut request = [0; SSL_REQUEST.len()];
    client.read_exact(&mut request).await.expect("a request");
    assert_eq!(request, SSL_REQUEST);
    client.write_all(b"S").await.expect("it listens");
    let Ok(mut client) = acceptor.accept(client).await else { return };
    let mut server = TcpStream::connect(behind).await.expect("the database listens");
    // Either side may close first.
    let _ = copy_bidirectional(&mut client, &mut server).await;
}
