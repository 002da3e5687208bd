//! A reverse proxy on loopback. It changes what passes through it as a broken server would.

use std::convert::Infallible;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::{Arc, Mutex};

use bytes::Bytes;
use http::{HeaderName, Request, Response, StatusCode, header};
use http_body_util::{BodyExt, Full};
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use itinerary_tests::raw;
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinHandle;

use super::mutation::Mutation;

/// Headers that concern one connection, or that hyper writes anew.
const NOT_FORWARDED: [HeaderName; 3] = [header::CONNECTION, header::TRANSFER_ENCODING, header::CONTENT_LENGTH];

/// A proxy that ends with the test.
pub(super) struct Proxy {
    pub(super) base_url: String,
    shared: Arc<Shared>,
    task: JoinHandle<()>,
}

struct Shared {
    http: reqwest::Client,
    target: Mutex<Option<SocketAddr>>,
    mutation: Mutex<Option<Mutation>>,
}

impl Proxy {
    /// A proxy on a free port. It has an address before the server has one, because the server needs it as its base URL.
    pub(super) async fn start() -> Self {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.expect("a free port");
        let address = listener.local_addr().expect("an address");
        let http = raw::client_builder().build().expect("a client");
        let shared = Arc::new(Shared { http, target: Mutex::default(), mutation: Mutex::default() });
        let task = tokio::spawn(accept(listener, Arc::clone(&shared)));
        Self { base_url: format!("http://{address}"), shared, task }
    }

    /// Sets the server to which requests go.
    pub(super) fn forward_to(&self, address: SocketAddr) {
        *self.shared.target.lock().expect("no task panics while it holds the lock") = Some(address);
    }

    /// Sets the change, or none.
    pub(super) fn mutate(&self, mutation: Option<Mutation>) {
        *self.shared.mutation.lock().expect("no task panics while it holds the lock") = mutation;
    }
}

impl Drop for Proxy {
    fn drop(&mut self) {
        self.task.abort();
    }
}

async fn accept(listener: TcpListener, shared: Arc<Shared>) {
    while let Ok((stream, _)) = listener.accept().await {
        tokio::spawn(serve(stream, Arc::clone(&shared)));
    }
}

async fn serve(stream: TcpStream, shared: Arc<Shared>) {
    let service = service_fn(move |request| {
        let shared = Arc::clone(&shared);
        async move { Ok::<_, Infallible>(shared.forward(request).await) }
    });
    // An error concerns the client that broke the connection; the test sees it there.
    let _ = http1::Builder::new().serve_connection(TokioIo::new(stream), service).await;
}

impl Shared {
    async fn forward(&self, request: Request<Incoming>) -> Response<Full<Bytes>> {
        let mutation = *self.mutation.lock().expect("no task panics while it holds the lock");
        let (parts, body) = request.into_parts();
        let body = body.collect().await.map(http_body_util::Collected::to_bytes).unwrap_or_default();
        let mut request = Request::from_parts(parts, body);
        if let Some(mutation) = mutation {
            mutation.change_request(&mut request);
        }
        let asked = (request.method().clone(), request.uri().clone());
        let mut response = self.response(request).await.unwrap_or_else(|error| {
            let mut response = Response::new(Bytes::from(error.to_string()));
            *response.status_mut() = StatusCode::BAD_GATEWAY;
            response
        });
        if let Some(mutation) = mutation {
            mutation.change_response(&asked.0, &asked.1, &mut response);
        }
        response.map(Full::new)
    }

    async fn response(&self, request: Request<Bytes>) -> reqwest::Result<Response<Bytes>> {
        let target = self.target.lock().expect("no task panics while it holds the lock").expect("a server");
        let (parts, body) = request.into_parts();
        let mut headers = parts.headers;
        for name in &NOT_FORWARDED {
            headers.remove(name);
        }
        let url = format!("http://{target}{}", parts.uri);
        let call = self.http.request(parts.method.clone(), url).headers(headers);
        let call = if body.is_empty() { call } else { call.body(body) };
        let answer = call.send().await?;
        let mut response = Response::new(Bytes::new());
        *response.status_mut() = answer.status();
        *response.headers_mut() = answer.headers().clone();
        for name in &NOT_FORWARDED {
            response.headers_mut().remove(name);
        }
        *response.body_mut() = answer.bytes().await?;
        Ok(response)
    }
}
