//! The listener's responses to honest and hostile requests.

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::task::JoinHandle;

use super::*;

const ISSUER: &str = "https://trips.example";
const GOOD: &str = "/callback?code=c0de&state=st4te&iss=https%3A%2F%2Ftrips.example";

fn expected() -> Expected {
    Expected { state: "st4te".to_owned(), issuer: ISSUER.to_owned(), app_name: "App".to_owned() }
}

fn outcome(query: &str) -> Option<Outcome> {
    expected().outcome(query)
}

#[test]
fn the_state_the_issuer_and_a_code_make_an_answer() {
    let code = outcome("code=c0de&state=st4te&iss=https%3A%2F%2Ftrips.example&more=x");
    assert_eq!(code, Some(Outcome::Code("c0de".to_owned())));
}

#[test]
fn a_refusal_is_an_answer() {
    let refused = outcome("error=access_denied&error_description=no+thanks&state=st4te&iss=https://trips.example");
    let (error, description) = ("access_denied".to_owned(), "no thanks".to_owned());
    assert_eq!(refused, Some(Outcome::Refused { error, description }));
}

#[test]
fn another_issuer_or_none_is_refused() {
    for issuer in ["", "&iss=", "&iss=https://evil.example", "&iss=https://trips.example/"] {
        assert_eq!(outcome(&format!("code=c0de&state=st4te{issuer}")), Some(Outcome::WrongIssuer), "{issuer}");
    }
}

#[test]
fn invalid_or_ambiguous_callbacks_are_ignored() {
    for query in [
        "",
        "code=c0de",
        "code=c0de&state=",
        "code=c0de&state=other&iss=https://trips.example",
        "error=access_denied&state=other",
        "state=st4te&iss=https://trips.example",
        "code=&state=st4te&iss=https://trips.example",
        "code=c0de&error=e&state=st4te&iss=https://trips.example",
        "code=c0de&code=c0de&state=st4te&iss=https://trips.example",
        "code=c0de&state=st4te&state=other&iss=https://trips.example",
        "code=c0de&state=st4te&iss=https://trips.example&iss=https://evil.example",
    ] {
        assert_eq!(outcome(query), None, "{query}");
    }
}

async fn listening() -> (u16, JoinHandle<Outcome>) {
    let callback = Callback::listen().await.unwrap();
    let port = callback.port;
    assert_eq!(callback.address().as_str(), format!("http://127.0.0.1:{port}/callback"));
    (port, tokio::spawn(async move { callback.answer("st4te", ISSUER, "<Trips & more>").await }))
}

/// The answer's text: what arrives until the other side closes.
async fn exchange(port: u16, request: &[u8]) -> String {
    let mut stream = TcpStream::connect((Ipv4Addr::LOCALHOST, port)).await.unwrap();
    // The other side may close before it has read everything.
    let _ = stream.write_all(request).await;
    let mut answer = Vec::new();
    let _ = stream.read_to_end(&mut answer).await;
    String::from_utf8_lossy(&answer).into_owned()
}

async fn get(port: u16, target: &str) -> String {
    exchange(port, format!("GET {target} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n\r\n").as_bytes()).await
}

#[tokio::test]
async fn the_browser_reads_a_page_that_holds_nothing_of_the_answer() {
    let (port, answer) = listening().await;
    let page = get(port, GOOD).await;
    assert!(page.starts_with("HTTP/1.1 200 OK"), "{page}");
    assert!(page.contains("<h1>&lt;Trips &amp; more&gt;</h1>") && page.contains("no-referrer"), "{page}");
    assert!(!page.contains("c0de") && !page.contains("st4te"), "{page}");
    assert_eq!(answer.await.unwrap(), Outcome::Code("c0de".to_owned()));
}

#[tokio::test]
async fn hostile_requests_neither_end_the_wait_nor_hold_it_up() {
    let (port, answer) = listening().await;
    assert!(get(port, "/").await.starts_with("HTTP/1.1 404"));
    assert!(get(port, "/favicon.ico").await.starts_with("HTTP/1.1 404"));
    assert!(get(port, "/callback?code=evil&state=guess").await.starts_with("HTTP/1.1 400"));
    let submitted = format!("POST {GOOD} HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\n\r\n");
    assert!(exchange(port, submitted.as_bytes()).await.starts_with("HTTP/1.1 405"));
    exchange(port, b"\x16\x03\x01 not http\r\n\r\n").await;
    let huge = format!("GET /callback?{} HTTP/1.1\r\n\r\n", "x".repeat(1024 * 1024));
    assert!(!exchange(port, huge.as_bytes()).await.starts_with("HTTP/1.1 200"));
    // One that says nothing, one that stops in the middle, and one that leaves.
    let _silent = TcpStream::connect((Ipv4Addr::LOCALHOST, port)).await.unwrap();
    let mut slow = TcpStream::connect((Ipv4Addr::LOCALHOST, port)).await.unwrap();
    slow.write_all(b"GET /callback?code=").await.unwrap();
    drop(TcpStream::connect((Ipv4Addr::LOCALHOST, port)).await.unwrap());
    assert!(!answer.is_finished());
    assert!(get(port, GOOD).await.starts_with("HTTP/1.1 200"));
    let outcome = timeout(Duration::from_secs(2), answer).await.expect("the slow ones do not hold it up").unwrap();
    assert_eq!(outcome, Outcome::Code("c0de".to_owned()));
    assert!(TcpStream::connect((Ipv4Addr::LOCALHOST, port)).await.is_err(), "the listener is gone");
}

#[tokio::test]
async fn silent_connections_only_delay_a_full_server() {
    let (port, answer) = listening().await;
    let mut silent = Vec::new();
    for _ in 0..CONNECTIONS {
        silent.push(TcpStream::connect((Ipv4Addr::LOCALHOST, port)).await.unwrap());
    }
    assert!(get(port, GOOD).await.starts_with("HTTP/1.1 200"));
    assert_eq!(answer.await.unwrap(), Outcome::Code("c0de".to_owned()));
}
