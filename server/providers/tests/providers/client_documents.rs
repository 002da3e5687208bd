//! Metadata documents of OAuth clients: URLs that are never called. Which responses are accepted is tested beside the
//! adapter.

use std::io::ErrorKind;
use std::net::TcpListener;
use std::sync::Arc;

use itinerary_providers::{ClientDocuments, Failure, Http, HttpsClientDocuments};

use crate::stub::{ToLoopback, USER_AGENT, later, soon};

/// The result of a fetch. Every name resolves to 127.0.0.1.
async fn fetch(url: &str) -> Result<(), Failure> {
    let http = Http::with_resolver(USER_AGENT, Arc::new(ToLoopback)).expect("a client");
    HttpsClientDocuments::new(http).fetch(url, later()).await.map(drop)
}

#[tokio::test]
async fn no_document_is_fetched_from_an_address_that_is_not_public() {
    let victim = TcpListener::bind(("127.0.0.1", 0)).expect("a port");
    victim.set_nonblocking(true).expect("a setting");
    let port = victim.local_addr().expect("an address").port();
    let hosts = [
        "127.0.0.1",
        "2130706433",
        "0x7f.1",
        "0.0.0.0",
        "[::1]",
        "[::ffff:127.0.0.1]",
        "[64:ff9b::127.0.0.1]",
        // These are resolved first.
        "localhost",
        "app.example",
        "metadata.google.internal",
    ];
    for host in hosts {
        let result = fetch(&format!("https://{host}:{port}/client.json")).await;
        assert!(matches!(result, Err(Failure::Refused(_))), "{host}: {result:?}");
    }
    for url in ["https://169.254.169.254/latest", "https://10.0.0.1/client.json", "https://[fd00:ec2::254]/a"] {
        let result = fetch(url).await;
        assert!(matches!(result, Err(Failure::Refused(_))), "{url}: {result:?}");
    }
    // No connection is pending.
    assert_eq!(victim.accept().map(drop).map_err(|error| error.kind()), Err(ErrorKind::WouldBlock));
}

#[tokio::test]
async fn only_https_urls_are_fetched() {
    for url in [
        "http://app.example/client.json",
        "http://1.1.1.1/client.json",
        "file:///etc/passwd",
        "data:application/json,{}",
        "ftp://app.example/client.json",
        "app.example/client.json",
        "https://user:password@app.example/client.json",
        "",
    ] {
        let result = fetch(url).await;
        assert!(matches!(&result, Err(Failure::Refused(why)) if !why.contains("password@")), "{url}: {result:?}");
    }
}

#[tokio::test]
async fn a_name_that_is_never_resolved_times_out() {
    let http = Http::with_resolver(USER_AGENT, Arc::new(ToLoopback)).expect("a client");
    let result = HttpsClientDocuments::new(http).fetch("https://hang.example/client.json", soon()).await;
    assert_eq!(result, Err(Failure::TimedOut));
}
