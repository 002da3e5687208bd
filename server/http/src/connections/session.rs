//! The requests and responses of one connection.

use std::future::poll_fn;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};

use bytes::Bytes;
use dropshot::Body;
use futures::future::BoxFuture;
use http::header::{CONNECTION, HeaderValue};
use http::{Request, Response, StatusCode};
use http_body::{Body as _, Frame, SizeHint};
use hyper::body::Incoming;
use hyper::service::Service;
use itinerary_platform::response_budget::HeldByResponse;
use tokio::task::JoinError;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use super::link::Link;
use super::refusals::has_host;
use crate::contexts::Contexts;
use crate::pipeline::handle_request;

/// The maximum size of a frame of a response, which bounds the memory of a stalled reader.
const FRAME: usize = 64 * 1024;

/// Answers the requests of a connection.
pub(super) struct HttpSession {
    pub(super) contexts: Arc<Contexts>,
    pub(super) link: Arc<Link>,
    pub(super) tasks: TaskTracker,
    /// Cancelled when the server stops.
    pub(super) stopping: CancellationToken,
}

impl Service<Request<Incoming>> for HttpSession {
    type Response = Response<OutgoingBody>;
    type Error = JoinError;
    type Future = BoxFuture<'static, Result<Response<OutgoingBody>, JoinError>>;

    fn call(&self, request: Request<Incoming>) -> Self::Future {
        let (contexts, link, tasks) = (Arc::clone(&self.contexts), Arc::clone(&self.link), self.tasks.clone());
        let stopping = self.stopping.clone();
        Box::pin(async move {
            let has_body = !request.body().is_end_stream();
            poll_fn(|_| link.poll_begin(has_body)).await;
            if !has_host(&request) {
                return Ok(bad_request().map(|body| OutgoingBody::new(body, link, HeldByResponse::default())));
            }
            let request = request.map(|body| incoming(body, &link));
            let mut handling = Box::pin(handle_request(&contexts, Arc::clone(&link), request));
            // Reads on SQLite wait for nothing, so they are complete here. What has to wait becomes a task of its own, which
            // completes even if the client closes the connection. When the server stops, the connection first learns that this
            // response is its last.
            let first = if stopping.is_cancelled() { Poll::Pending } else { futures::poll!(&mut handling) };
            let (response, held) = match first {
                Poll::Ready(answer) => answer,
                Poll::Pending => tasks.spawn(handling).await?,
            };
            Ok(response.map(|body| OutgoingBody::new(body, link, held)))
        })
    }
}

/// The response to a request without the `Host` that HTTP demands, like hyper's to malformed HTTP.
fn bad_request() -> Response<Body> {
    let mut response = Response::new(Body::empty());
    *response.status_mut() = StatusCode::BAD_REQUEST;
    response.headers_mut().insert(CONNECTION, HeaderValue::from_static("close"));
    response
}

/// The body of a request, which notes on the connection when it has ended.
struct IncomingBody {
    body: Incoming,
    link: Arc<Link>,
}

fn incoming(body: Incoming, link: &Arc<Link>) -> Body {
    if body.is_end_stream() { Body::empty() } else { Body::wrap(IncomingBody { body, link: Arc::clone(link) }) }
}

impl http_body::Body for IncomingBody {
    type Data = Bytes;
    type Error = hyper::Error;

    fn poll_frame(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, Self::Error>>> {
        let frame = ready!(Pin::new(&mut self.body).poll_frame(cx));
        if frame.is_none() || self.body.is_end_stream() {
            self.link.body_ended();
        }
        Poll::Ready(frame)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

impl Drop for IncomingBody {
    fn drop(&mut self) {
        self.link.body_ended();
    }
}

/// The body of a response, in frames of a limited size.
pub(super) struct OutgoingBody {
    body: Body,
    /// The rest of a larger piece.
    rest: Bytes,
    link: Arc<Link>,
    held: HeldByResponse,
}

impl OutgoingBody {
    fn new(body: Body, link: Arc<Link>, held: HeldByResponse) -> Self {
        Self { body, rest: Bytes::new(), link, held }
    }
}

impl http_body::Body for OutgoingBody {
    type Data = Bytes;
    type Error = Box<dyn std::error::Error + Send + Sync>;

    fn poll_frame(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, Self::Error>>> {
        if self.rest.is_empty() {
            let frame = match ready!(Pin::new(&mut self.body).poll_frame(cx)) {
                Some(Ok(frame)) => frame,
                end => return Poll::Ready(end),
            };
            match frame.into_data() {
                Ok(data) => self.rest = data,
                Err(trailers) => return Poll::Ready(Some(Ok(trailers))),
            }
        }
        let length = self.rest.len().min(FRAME);
        Poll::Ready(Some(Ok(Frame::data(self.rest.split_to(length)))))
    }

    fn is_end_stream(&self) -> bool {
        self.rest.is_empty() && self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        let (body, rest) = (self.body.size_hint(), self.rest.len() as u64);
        let mut hint = SizeHint::new();
        if let Some(upper) = body.upper() {
            hint.set_upper(upper + rest);
        }
        hint.set_lower(body.lower() + rest);
        hint
    }
}

impl Drop for OutgoingBody {
    fn drop(&mut self) {
        self.link.handed_over(std::mem::take(&mut self.held));
    }
}
