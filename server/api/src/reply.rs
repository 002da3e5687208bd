//! The responses of handlers: serialised bytes with a type.
//!
//! Stored itineraries are sent without parsing them, so a response holds bytes; its type only describes it in the document.

use std::convert::Infallible;
use std::fmt;
use std::marker::PhantomData;
use std::pin::Pin;
use std::task::{Context, Poll};

use bytes::Bytes;
use dropshot::{
    ApiEndpointResponse, Body, ErrorStatusCode, HttpError, HttpResponse, HttpResponseDeleted, HttpResponseError,
    HttpResponseOk,
};
use http::header::{self, HeaderMap, HeaderName, HeaderValue};
use http::{Response, StatusCode};
use http_body::{Frame, SizeHint};
use schemars::JsonSchema;
use schemars::r#gen::SchemaGenerator;
use schemars::schema::Schema;
use serde::{Serialize, Serializer};

use crate::error::{ApiError, ErrorEnvelope};
use crate::oauth_error::{OAuthError, OAuthErrorBody};
use crate::request_state;
use crate::types::{ChangePage, RpcMessage, WalletLink};

const JSON: HeaderValue = HeaderValue::from_static("application/json");

/// The usual number of headers of a response, those of the request pipeline included.
const HEADERS: usize = 16;

/// A response with the JSON of a `T` and the status `STATUS`, unless it is given another.
pub struct Reply<T, const STATUS: u16 = 200> {
    status: StatusCode,
    headers: HeaderMap,
    body: Vec<Bytes>,
    described_by: PhantomData<fn() -> T>,
}

impl<T, const STATUS: u16> Reply<T, STATUS> {
    /// A response of serialised JSON, as consecutive chunks.
    pub fn stored(body: Vec<Bytes>) -> Self {
        let status = StatusCode::from_u16(STATUS).expect("the endpoint trait names real statuses");
        let mut headers = HeaderMap::with_capacity(HEADERS);
        headers.insert(header::CONTENT_TYPE, JSON);
        Self { status, headers, body, described_by: PhantomData }
    }

    /// Replaces `STATUS`, for the second success status of an operation.
    #[must_use]
    pub fn with_status(mut self, status: StatusCode) -> Self {
        self.status = status;
        self
    }

    /// Sets a header. A value that is not valid in a header is dropped.
    #[must_use]
    pub fn with_header(mut self, name: HeaderName, value: &str) -> Self {
        if let Ok(value) = HeaderValue::from_str(value) {
            self.headers.insert(name, value);
        }
        self
    }

    /// Removes the body and its type, for 304 and 204.
    #[must_use]
    pub fn without_body(mut self) -> Self {
        self.headers.remove(header::CONTENT_TYPE);
        self.body = Vec::new();
        self
    }
}

impl<T: Serialize, const STATUS: u16> Reply<T, STATUS> {
    /// A response of a value that is serialised now.
    pub fn json(value: &T) -> Self {
        Self::stored(vec![serde_json::to_vec(value).expect("wire types are plain data").into()])
    }
}

impl<T: JsonSchema + Serialize + Send + Sync + 'static, const STATUS: u16> HttpResponse for Reply<T, STATUS> {
    fn to_result(self) -> Result<Response<Body>, HttpError> {
        let mut response = Response::new(Pieces::body(self.body));
        *response.status_mut() = self.status;
        *response.headers_mut() = self.headers;
        Ok(response)
    }

    fn response_metadata() -> ApiEndpointResponse {
        let success = StatusCode::from_u16(STATUS).ok();
        ApiEndpointResponse { success, ..HttpResponseOk::<T>::response_metadata() }
    }

    fn status_code(&self) -> StatusCode {
        self.status
    }
}

/// A body that is sent chunk by chunk. No chunk is empty.
struct Pieces {
    pieces: std::vec::IntoIter<Bytes>,
    left: u64,
}

impl Pieces {
    fn body(mut pieces: Vec<Bytes>) -> Body {
        if pieces.len() <= 1 {
            return pieces.pop().map_or_else(Body::empty, Body::from);
        }
        let left = pieces.iter().map(|piece| piece.len() as u64).sum();
        Body::wrap(Self { pieces: pieces.into_iter(), left })
    }
}

impl http_body::Body for Pieces {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(mut self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        let piece = self.pieces.next();
        self.left -= piece.as_ref().map_or(0, |piece| piece.len() as u64);
        Poll::Ready(piece.map(|piece| Ok(Frame::data(piece))))
    }

    fn is_end_stream(&self) -> bool {
        self.left == 0
    }

    fn size_hint(&self) -> SizeHint {
        SizeHint::with_exact(self.left)
    }
}

/// A response without a body: 204.
#[derive(Debug, Default)]
pub struct Empty {
    etag: Option<HeaderValue>,
}

impl Empty {
    /// Sets the `ETag`: the itinerary's new version.
    pub fn tagged(etag: &str) -> Self {
        Self { etag: HeaderValue::from_str(etag).ok() }
    }
}

impl HttpResponse for Empty {
    fn to_result(self) -> Result<Response<Body>, HttpError> {
        let mut response = Response::new(Body::empty());
        *response.status_mut() = StatusCode::NO_CONTENT;
        if let Some(etag) = self.etag {
            response.headers_mut().insert(header::ETAG, etag);
        }
        Ok(response)
    }

    fn response_metadata() -> ApiEndpointResponse {
        HttpResponseDeleted::response_metadata()
    }

    fn status_code(&self) -> StatusCode {
        StatusCode::NO_CONTENT
    }
}

/// A wallet pass: a file for Apple Wallet, or JSON with a link for Google Wallet.
pub struct Pass(pub Response<Body>);

impl HttpResponse for Pass {
    fn to_result(self) -> Result<Response<Body>, HttpError> {
        Ok(self.0)
    }

    /// The document's overlay adds the file.
    fn response_metadata() -> ApiEndpointResponse {
        HttpResponseOk::<WalletLink>::response_metadata()
    }

    fn status_code(&self) -> StatusCode {
        self.0.status()
    }
}

/// An export of an itinerary, as a file.
pub struct Export(pub Response<Body>);

impl HttpResponse for Export {
    fn to_result(self) -> Result<Response<Body>, HttpError> {
        Ok(self.0)
    }

    /// The document's overlay adds the media types.
    fn response_metadata() -> ApiEndpointResponse {
        HttpResponseOk::<String>::response_metadata()
    }

    fn status_code(&self) -> StatusCode {
        self.0.status()
    }
}

/// A page of changes, or a stream of them.
pub struct Changes(pub Response<Body>);

impl HttpResponse for Changes {
    fn to_result(self) -> Result<Response<Body>, HttpError> {
        Ok(self.0)
    }

    /// The document's overlay adds the stream.
    fn response_metadata() -> ApiEndpointResponse {
        HttpResponseOk::<ChangePage>::response_metadata()
    }

    fn status_code(&self) -> StatusCode {
        self.0.status()
    }
}

/// A JSON-RPC response, or 202 without a body for a notification.
pub struct RpcReply(pub Response<Body>);

impl HttpResponse for RpcReply {
    fn to_result(self) -> Result<Response<Body>, HttpError> {
        Ok(self.0)
    }

    /// The document's overlay adds the other statuses.
    fn response_metadata() -> ApiEndpointResponse {
        HttpResponseOk::<RpcMessage>::response_metadata()
    }

    fn status_code(&self) -> StatusCode {
        self.0.status()
    }
}

fn error_response(status: u16, headers: &[(HeaderName, HeaderValue)], body: &impl Serialize) -> Response<Body> {
    let body = serde_json::to_vec(body).expect("an error is plain data");
    let mut response = Response::new(Body::from(body));
    *response.status_mut() = StatusCode::from_u16(status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    response.headers_mut().insert(header::CONTENT_TYPE, JSON);
    for (name, value) in headers {
        response.headers_mut().append(name, value.clone());
    }
    response
}

impl ApiError {
    /// The response in the API's error shape.
    pub fn response(&self, request_id: &str) -> Response<Body> {
        error_response(self.code.status(), &self.headers, &self.envelope(request_id))
    }
}

impl OAuthError {
    /// The response in the OAuth error shape, which must not be cached.
    pub fn response(&self) -> Response<Body> {
        let mut response = error_response(self.status.as_u16(), &self.headers, &self.body());
        response.headers_mut().insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
        response.headers_mut().insert(header::PRAGMA, HeaderValue::from_static("no-cache"));
        response
    }
}

/// What a handler returned: a response, or an error, which is rendered with its headers.
///
/// dropshot renders the errors of handlers itself, from their serialisation and without headers. So to dropshot a handler
/// always succeeds, and only an extractor can fail.
pub struct Handled<R, E>(Result<R, E>);

/// The response of an operation, with errors in the API's shape.
pub type ApiResponse<R> = Result<Handled<R, ApiError>, Refused<ApiError>>;
/// The response of an operation, with errors in the OAuth shape.
pub type OAuthResponse<R> = Result<Handled<R, OAuthError>, Refused<OAuthError>>;

/// Returns a handler's result to dropshot.
pub fn handled<R, E>(result: Result<R, impl Into<E>>) -> Result<Handled<R, E>, Refused<E>> {
    Ok(Handled(result.map_err(Into::into)))
}

/// Marks the response of a handler that returned an error.
#[derive(Clone, Copy, Debug)]
pub struct IsError;

/// Marks a response that stays open. It has a limit of its own, and does not count as one in progress.
#[derive(Clone, Copy, Debug)]
pub struct IsStream;

/// An error that a handler may return.
pub trait HandlerError {
    /// Its JSON, for the document.
    type Shape: JsonSchema;

    /// The response, with the id of the current request.
    fn rendered(&self) -> Response<Body>;
}

impl HandlerError for ApiError {
    type Shape = ErrorEnvelope;

    fn rendered(&self) -> Response<Body> {
        request_state::with(|state| self.response(state.request_id())).unwrap_or_else(|| self.response(""))
    }
}

impl HandlerError for OAuthError {
    type Shape = OAuthErrorBody;

    fn rendered(&self) -> Response<Body> {
        self.response()
    }
}

impl<R: HttpResponse, E: HandlerError> HttpResponse for Handled<R, E> {
    fn to_result(self) -> Result<Response<Body>, HttpError> {
        self.0.map_or_else(
            |error| {
                let mut response = error.rendered();
                response.extensions_mut().insert(IsError);
                Ok(response)
            },
            R::to_result,
        )
    }

    fn response_metadata() -> ApiEndpointResponse {
        R::response_metadata()
    }

    fn status_code(&self) -> StatusCode {
        self.0.as_ref().map_or_else(|error| error.rendered().status(), R::status_code)
    }
}

/// An extractor's refusal of a request, whose error is in the request's state. A handler cannot make one, so it cannot
/// return its errors this way.
pub struct Refused<E>(PhantomData<fn() -> E>);

impl<E> From<HttpError> for Refused<E> {
    fn from(_: HttpError) -> Self {
        Self(PhantomData)
    }
}

impl<E> fmt::Display for Refused<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an extractor refused the request")
    }
}

/// dropshot's own rendering is discarded.
impl<E> Serialize for Refused<E> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_unit()
    }
}

impl<E: HandlerError> JsonSchema for Refused<E> {
    fn schema_name() -> String {
        E::Shape::schema_name()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        E::Shape::json_schema(generator)
    }
}

impl<E: HandlerError + 'static> HttpResponseError for Refused<E> {
    fn status_code(&self) -> ErrorStatusCode {
        ErrorStatusCode::INTERNAL_SERVER_ERROR
    }
}
