//! The listener for the redirect. Any program on the machine can connect to it, so it accepts only a request with the right
//! `state`, and no other request can end the wait, exhaust the memory or block it.

use std::convert::Infallible;
use std::io;
use std::net::Ipv4Addr;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use http_body_util::Full;
use hyper::body::{Bytes, Incoming};
use hyper::header::{CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE, HeaderValue, REFERRER_POLICY};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Method, Request, Response, StatusCode};
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinSet;
use tokio::time::{sleep, timeout};
use url::{Url, form_urlencoded};

const PATH: &str = "/callback";
/// More than a browser opens at a time; further ones wait.
const CONNECTIONS: usize = 64;
const HEAD_BYTES: usize = 16 * 1024;
const HEAD_TIME: Duration = Duration::from_secs(if cfg!(test) { 1 } else { 5 });
const CONNECTION_TIME: Duration = Duration::from_secs(10);
/// The wait after accepting a connection failed.
const ACCEPT_PAUSE: Duration = Duration::from_millis(50);

/// The parameters of the redirect.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Outcome {
    Code(String),
    Refused { error: String, description: String },
    WrongIssuer,
}

pub(super) struct Callback {
    listener: TcpListener,
    port: u16,
}

impl Callback {
    /// Listens on a port that the system picks.
    pub(super) async fn listen() -> io::Result<Self> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await?;
        let port = listener.local_addr()?.port();
        Ok(Self { listener, port })
    }

    /// The redirect URI.
    pub(super) fn address(&self) -> Url {
        Url::parse(&format!("http://127.0.0.1:{}{PATH}", self.port)).expect("a port makes no address invalid")
    }

    /// Waits for the redirect without a time limit, then closes all connections.
    pub(super) async fn answer(self, state: &str, issuer: &str, app_name: &str) -> Outcome {
        let expected =
            Arc::new(Expected { state: state.to_owned(), issuer: issuer.to_owned(), app_name: escape(app_name) });
        let mut connections = JoinSet::new();
        loop {
            tokio::select! {
                Some(done) = connections.join_next() => {
                    if let Ok(Some(outcome)) = done {
                        return outcome;
                    }
                }
                accepted = self.listener.accept(), if connections.len() < CONNECTIONS => match accepted {
                    Ok((stream, _)) => {
                        connections.spawn(serve(stream, expected.clone()));
                    }
                    Err(_) => sleep(ACCEPT_PAUSE).await,
                },
            }
        }
    }
}

struct Expected {
    state: String,
    issuer: String,
    /// HTML-escaped.
    app_name: String,
}

/// Serves one request. Its outcome is returned after the page is sent.
async fn serve(stream: TcpStream, expected: Arc<Expected>) -> Option<Outcome> {
    let outcome = Arc::new(Mutex::new(None));
    let found = outcome.clone();
    let service = service_fn(move |request: Request<Incoming>| {
        let (answer, heard) = expected.hear(&request);
        if heard.is_some() {
            *found.lock().unwrap_or_else(PoisonError::into_inner) = heard;
        }
        async move { Ok::<_, Infallible>(answer) }
    });
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(HEAD_TIME)
        .max_buf_size(HEAD_BYTES)
        .keep_alive(false)
        .serve_connection(TokioIo::new(stream), service);
    // The redirect counts even if the browser did not read the page.
    let _ = timeout(CONNECTION_TIME, connection).await;
    outcome.lock().unwrap_or_else(PoisonError::into_inner).take()
}

impl Expected {
    /// The page for a request, and its outcome if it is the expected redirect.
    fn hear<B>(&self, request: &Request<B>) -> (Response<Full<Bytes>>, Option<Outcome>) {
        if request.uri().path() != PATH {
            return (self.page(StatusCode::NOT_FOUND, "Not found."), None);
        }
        if request.method() != Method::GET {
            return (self.page(StatusCode::METHOD_NOT_ALLOWED, "Method not allowed."), None);
        }
        let outcome = self.outcome(request.uri().query().unwrap_or_default());
        let (status, text) = match &outcome {
            Some(Outcome::Code(_)) => (StatusCode::OK, "Approved. You can close this page."),
            Some(Outcome::Refused { .. }) => (StatusCode::OK, "You are not signed in. You can close this page."),
            Some(Outcome::WrongIssuer) => (StatusCode::BAD_REQUEST, "The redirect came from another service."),
            None => (StatusCode::BAD_REQUEST, "This request does not belong to the current sign-in."),
        };
        (self.page(status, text), outcome)
    }

    /// `None` for a query without the right state, or with missing or repeated parameters.
    fn outcome(&self, query: &str) -> Option<Outcome> {
        let value = |name: &str| -> Result<Option<String>, ()> {
            let mut values = form_urlencoded::parse(query.as_bytes()).filter(|(known, _)| known == name);
            let first = values.next().map(|(_, value)| value.into_owned()).filter(|value| !value.is_empty());
            if values.next().is_some() { Err(()) } else { Ok(first) }
        };
        if value("state").ok()?? != self.state {
            return None;
        }
        let (code, error, issuer) = (value("code").ok()?, value("error").ok()?, value("iss").ok()?);
        match (code, error) {
            _ if issuer.as_ref() != Some(&self.issuer) => Some(Outcome::WrongIssuer),
            (Some(code), None) => Some(Outcome::Code(code)),
            (None, Some(error)) => {
                let description = value("error_description").ok()?.unwrap_or_default();
                Some(Outcome::Refused { error, description })
            }
            _ => None,
        }
    }

    fn page(&self, status: StatusCode, text: &str) -> Response<Full<Bytes>> {
        let app_name = &self.app_name;
        let page = format!(
            "<!doctype html><html lang=\"en\"><meta charset=\"utf-8\"><title>{app_name}</title>\
             <body style=\"font: 1.1em/1.5 sans-serif; margin: 4em auto; max-width: 32em; padding: 0 1em\">\
             <h1>{app_name}</h1><p>{text}</p></body></html>\n"
        );
        let mut answer = Response::new(Full::new(Bytes::from(page)));
        *answer.status_mut() = status;
        for (name, value) in [
            (CONTENT_TYPE, "text/html; charset=utf-8"),
            (CONTENT_SECURITY_POLICY, "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'"),
            (CACHE_CONTROL, "no-store"),
            (REFERRER_POLICY, "no-referrer"),
        ] {
            answer.headers_mut().insert(name, HeaderValue::from_static(value));
        }
        answer
    }
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

#[cfg(test)]
mod tests;
