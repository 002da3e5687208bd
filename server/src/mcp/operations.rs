//! Calls the API's operations for the tools: JSON in, JSON out, with the operation's own checks, limits and errors.
//!
//! Knows HTTP methods and headers, but nothing of MCP.

use std::sync::Arc;

use bytes::Bytes;
use form_urlencoded::Serializer;
use http::header::{self, HeaderMap, HeaderName, HeaderValue};
use http::{Method, Request, Uri};
use http_body_util::BodyExt;
use itinerary_api::error::ApiError;
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use serde_json::Value;

use crate::app::destinations::Destination;
use crate::http::InProcess;

const IDEMPOTENCY_KEY: HeaderName = HeaderName::from_static("idempotency-key");

/// Calls the API's operations in process, one at a time, for one caller and one MCP request.
#[derive(Clone)]
pub(crate) struct Operations(Arc<InProcess>);

/// A call of an operation.
#[derive(Clone, Debug)]
pub(crate) struct Call<'a> {
    pub method: Method,
    /// The path. Text from clients must go through [`segment`] first.
    pub path: String,
    /// The query parameters, not yet encoded.
    pub query: Vec<(&'a str, String)>,
    /// `If-Match`, with the quotes of the tag.
    pub if_match: Option<String>,
    /// `Idempotency-Key`.
    pub idempotency_key: Option<String>,
    pub body: Option<Value>,
}

impl Call<'_> {
    /// A call with only a method and a path.
    pub(crate) fn new(method: Method, path: impl Into<String>) -> Self {
        let path = path.into();
        Self { method, path, query: Vec::new(), if_match: None, idempotency_key: None, body: None }
    }
}

/// An operation's answer.
#[derive(Clone, Debug)]
pub(crate) struct Reply {
    pub status: u16,
    /// The `ETag`, with its quotes.
    pub etag: Option<String>,
    /// JSON or empty. An error is in `error`.
    pub body: Bytes,
    pub request_id: String,
    /// Whether the call had an idempotency key, so that it may be a retry of one that succeeded.
    pub keyed: bool,
}

/// Encodes a client's text as one segment of a path. The text can neither leave its segment nor be a dot segment. A
/// call with an empty segment is rejected.
pub(crate) fn segment(text: &str) -> String {
    const KEPT: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'_');
    utf8_percent_encode(text, KEPT).to_string()
}

impl Operations {
    pub(super) fn new(in_process: InProcess) -> Self {
        Self(Arc::new(in_process))
    }

    pub(super) fn in_process(&self) -> &InProcess {
        &self.0
    }

    /// Calls an operation. If it fails, the reply has a status of 400 or more and `error` in its body.
    pub(crate) async fn call(&self, call: Call<'_>) -> Reply {
        let keyed = call.idempotency_key.is_some();
        let request = match request(call) {
            Ok(request) => request,
            Err(error) => return self.refused(&error),
        };
        let (head, body) = self.0.perform(request).await.into_parts();
        let Ok(body) = body.collect().await.map(http_body_util::Collected::to_bytes) else {
            return self.refused(&ApiError::internal());
        };
        let etag = head.headers.get(header::ETAG).and_then(|etag| etag.to_str().ok()).map(str::to_owned);
        Reply { status: head.status.as_u16(), etag, body, request_id: self.0.request_id().to_owned(), keyed }
    }

    /// The towns that a destination's name may mean; exactly one if the name is unambiguous.
    pub(crate) async fn find_destination(&self, name: &str) -> Result<Destination, Reply> {
        self.0.find_destination(name).await.map_err(|error| self.refused(&error))
    }

    fn refused(&self, error: &ApiError) -> Reply {
        let request_id = self.0.request_id().to_owned();
        let body = serde_json::to_vec(&error.envelope(&request_id)).expect("an error is plain data");
        Reply { status: error.code.status(), etag: None, body: body.into(), request_id, keyed: false }
    }
}

fn request(call: Call<'_>) -> Result<Request<Bytes>, ApiError> {
    let Call { method, path, query, if_match, idempotency_key, body } = call;
    // The router ignores empty segments, so the path of an item without its id would be that of the list.
    if path.split('/').skip(1).any(str::is_empty) {
        return Err(ApiError::invalid("id", "must not be empty"));
    }
    let mut headers = HeaderMap::new();
    let conditions = [(header::IF_MATCH, "If-Match", if_match), (IDEMPOTENCY_KEY, "Idempotency-Key", idempotency_key)];
    for (name, written, value) in conditions {
        let Some(value) = value else { continue };
        let value = HeaderValue::from_str(&value);
        headers.insert(name, value.map_err(|_| ApiError::invalid(written, "must be plain ASCII text"))?);
    }
    let address = if query.is_empty() {
        path
    } else {
        format!("{path}?{}", Serializer::new(String::new()).extend_pairs(query).finish())
    };
    // Only a path or query that is far too long fails.
    let uri = Uri::try_from(address).map_err(|_| ApiError::not_found())?;
    let body = body.map(|body| {
        headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
        Bytes::from(body.to_string())
    });
    let mut request = Request::new(body.unwrap_or_default());
    (*request.method_mut(), *request.uri_mut(), *request.headers_mut()) = (method, uri, headers);
    Ok(request)
}
