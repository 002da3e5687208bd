//! JSON-RPC responses: results, and errors with their codes.

use dropshot::Body;
use http::header::{self, HeaderValue};
use http::{Response, StatusCode};
use itinerary_api::error::ErrorCode;
use serde_json::{Map, Value, json};

pub(super) const PARSE_ERROR: i32 = -32700;
pub(super) const INVALID_REQUEST: i32 = -32600;
pub(super) const METHOD_NOT_FOUND: i32 = -32601;
pub(super) const INVALID_PARAMS: i32 = -32602;
pub(super) const INTERNAL_ERROR: i32 = -32603;
pub(super) const HEADER_MISMATCH: i32 = -32020;
pub(super) const UNSUPPORTED_VERSION: i32 = -32022;

/// The beginning of a response, up to its result.
pub(super) fn response_start(id: &Value) -> Vec<u8> {
    format!(r#"{{"jsonrpc":"2.0","id":{id},"result":"#).into_bytes()
}

/// Completes a response that ends with its result.
pub(super) fn finish_response(mut message: Vec<u8>) -> Response<Body> {
    message.push(b'}');
    json_response(message)
}

/// The response with this result, which is JSON.
pub(super) fn response(id: &Value, result: &[u8]) -> Response<Body> {
    let mut message = response_start(id);
    message.extend_from_slice(result);
    finish_response(message)
}

fn json_response(message: impl Into<Body>) -> Response<Body> {
    let mut response = Response::new(message.into());
    response.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
    response
}

#[derive(Clone, Debug, PartialEq)]
pub(super) struct RpcError {
    /// The HTTP status that it is sent with.
    pub status: StatusCode,
    /// The code of JSON-RPC or MCP.
    pub code: i32,
    /// The problem and the expected value.
    pub message: String,
    /// The invalid field or header.
    pub field: Option<String>,
    /// Members of `data` that MCP requires in addition to the API's.
    pub data: Map<String, Value>,
}

impl RpcError {
    /// An error with status 400.
    pub(super) fn new(code: i32, message: impl Into<String>) -> Self {
        let data = Map::new();
        Self { status: StatusCode::BAD_REQUEST, code, message: message.into(), field: None, data }
    }

    /// Invalid parameters. The request itself is well-formed, so the status is 200.
    pub(super) fn invalid_params(field: &str, message: impl Into<String>) -> Self {
        Self::new(INVALID_PARAMS, message).about(field).with_status(StatusCode::OK)
    }

    /// An internal error without details.
    pub(super) fn internal() -> Self {
        let message = "Internal error. The operator can look it up by the request id.";
        Self::new(INTERNAL_ERROR, message).with_status(StatusCode::INTERNAL_SERVER_ERROR)
    }

    pub(super) fn with_status(self, status: StatusCode) -> Self {
        Self { status, ..self }
    }

    /// Names the invalid field or header.
    pub(super) fn about(self, field: &str) -> Self {
        Self { field: Some(field.to_owned()), ..self }
    }

    /// The API's error code.
    fn api_code(&self) -> ErrorCode {
        match self.code {
            METHOD_NOT_FOUND => ErrorCode::NotFound,
            INTERNAL_ERROR => ErrorCode::InternalError,
            _ => ErrorCode::ValidationFailed,
        }
    }

    pub(super) fn data(&self, request_id: &str) -> Value {
        let mut data = self.data.clone();
        data.insert("code".to_owned(), self.api_code().as_str().into());
        data.insert("requestId".to_owned(), request_id.into());
        if let Some(field) = &self.field {
            data.insert("details".to_owned(), json!({ "field": field }));
        }
        Value::Object(data)
    }

    /// Renders the error. `id` is `None` if the request's id is unknown.
    pub(super) fn response(&self, id: Option<&Value>, request_id: &str) -> Response<Body> {
        let error = json!({ "code": self.code, "message": self.message, "data": self.data(request_id) });
        let mut body = json!({ "jsonrpc": "2.0", "error": error });
        if let Some(id) = id {
            body["id"] = id.clone();
        }
        let mut response = json_response(body.to_string());
        *response.status_mut() = self.status;
        response
    }
}
