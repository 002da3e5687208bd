//! Receives the events of a webhook: verifies each request, prints its event, and ignores repetitions.
//!
//! `WEBHOOK_SECRET=whsec_… cargo run -p itinerary-sdk --features webhooks --example webhook_receiver -- --listen 127.0.0.1:8089`.
//! The service delivers to https addresses, so a proxy with a certificate is in front of it.

use std::collections::HashSet;
use std::convert::Infallible;
use std::error::Error;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex};

use clap::Parser;
use http_body_util::{BodyExt, Empty, Limited};
use hyper::body::{Bytes, Incoming};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Method, Request, Response, StatusCode};
use hyper_util::rt::{TokioIo, TokioTimer};
use itinerary_sdk::webhooks::{self, WebhookEvent, WebhookEventType};
use tokio::net::TcpListener;

/// No event is larger, in bytes.
const LARGEST: usize = 20 * 1024;

#[derive(Parser)]
#[command(about = "Receives the events of a webhook.")]
struct Arguments {
    /// The address to listen at.
    #[arg(long, default_value = "127.0.0.1:8089")]
    listen: SocketAddr,
    /// The secret of the webhook, from the response that created it.
    #[arg(long, env = "WEBHOOK_SECRET", hide_env_values = true)]
    secret: String,
}

struct Receiver {
    secret: String,
    /// The ids of events that were processed. A program would store them with what it does for an event.
    seen: Mutex<HashSet<String>>,
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let arguments = Arguments::parse();
    let receiver = Arc::new(Receiver { secret: arguments.secret, seen: Mutex::default() });
    let listener = TcpListener::bind(arguments.listen).await?;
    println!("listening at http://{}", listener.local_addr()?);
    loop {
        let (stream, _) = listener.accept().await?;
        let receiver = receiver.clone();
        let service = service_fn(move |request| answer(receiver.clone(), request));
        let connection = http1::Builder::new().timer(TokioTimer::new()).serve_connection(TokioIo::new(stream), service);
        tokio::spawn(async move {
            if let Err(error) = connection.await {
                eprintln!("a connection failed: {error}");
            }
        });
    }
}

async fn answer(receiver: Arc<Receiver>, request: Request<Incoming>) -> Result<Response<Empty<Bytes>>, Infallible> {
    let mut response = Response::new(Empty::new());
    *response.status_mut() = receiver.receive(request).await;
    Ok(response)
}

impl Receiver {
    /// The status of the response. The service sends an event again after any other than 2xx, so a receiver responds with 2xx
    /// once it has stored the event, and does what takes long afterwards.
    async fn receive(&self, request: Request<Incoming>) -> StatusCode {
        if request.method() != Method::POST {
            return StatusCode::METHOD_NOT_ALLOWED;
        }
        let (head, body) = request.into_parts();
        let Ok(body) = Limited::new(body, LARGEST).collect().await else { return StatusCode::BAD_REQUEST };
        match webhooks::verify(&head.headers, &body.to_bytes(), &self.secret) {
            Ok(event) => {
                let id = head.headers["webhook-id"].to_str().unwrap_or_default().to_owned();
                let mut seen = self.seen.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
                if seen.insert(id) {
                    print(&event);
                }
                StatusCode::NO_CONTENT
            }
            Err(error) => {
                eprintln!("refused: {error}");
                StatusCode::UNAUTHORIZED
            }
        }
    }
}

fn print(event: &WebhookEvent) {
    match (event.kind.known(), event.data.itinerary_id) {
        (Some(WebhookEventType::Test), _) => println!("the webhook works"),
        (_, Some(id)) => println!("{} {id} {}", event.kind, event.data.etag.as_deref().unwrap_or_default()),
        _ => println!("{}", event.kind),
    }
}
