//! Raw HTTP, for requests that the SDK cannot send and answers that it does not show.

use reqwest::header::HeaderMap;
use reqwest::{RequestBuilder, StatusCode};
use serde_json::Value;

/// A client that follows no redirects and trusts no certificates, because loading the system's takes longer than most
/// tests.
pub fn client_builder() -> reqwest::ClientBuilder {
    reqwest::Client::builder().redirect(reqwest::redirect::Policy::none()).tls_certs_only([])
}

/// A request under construction.
pub struct Call(pub RequestBuilder);

impl Call {
    #[must_use]
    pub fn token(self, token: &str) -> Self {
        self.header("Authorization", &format!("Bearer {token}"))
    }

    #[must_use]
    pub fn header(self, name: &str, value: &str) -> Self {
        Self(self.0.header(name, value))
    }

    #[must_use]
    pub fn json(self, body: &Value) -> Self {
        Self(self.0.json(body))
    }

    #[must_use]
    pub fn body(self, content_type: &str, body: impl Into<reqwest::Body>) -> Self {
        Self(self.0.header("Content-Type", content_type).body(body))
    }

    #[must_use]
    pub fn form(self, pairs: &[(&str, &str)]) -> Self {
        Self(self.0.form(pairs))
    }

    pub async fn send(self) -> RawResponse {
        let response = self.0.send().await.expect("an answer");
        let (status, headers) = (response.status(), response.headers().clone());
        RawResponse { status, headers, body: response.bytes().await.expect("a body").to_vec() }
    }
}

/// A complete response.
#[derive(Clone, Debug)]
pub struct RawResponse {
    pub status: StatusCode,
    pub headers: HeaderMap,
    pub body: Vec<u8>,
}

impl RawResponse {
    pub fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or_else(|_| panic!("no JSON: {}", self.text()))
    }

    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }

    /// A header's value, or an empty string.
    pub fn header(&self, name: &str) -> &str {
        self.headers.get(name).map_or("", |value| value.to_str().unwrap_or_default())
    }

    /// Checks an error: status, code, the request id in header and body, and the rate limit headers. Returns the
    /// error's details.
    #[track_caller]
    pub fn expect_error(&self, status: u16, code: &str) -> Value {
        assert_eq!(self.status.as_u16(), status, "{}", self.text());
        assert_eq!(self.header("content-type"), "application/json");
        let error = &self.json()["error"];
        assert_eq!(error["code"], code, "{error}");
        assert!(error["message"].as_str().is_some_and(|message| !message.is_empty()), "{error}");
        assert_eq!(error["requestId"], self.header("x-request-id"), "{error}");
        assert!(!self.header("x-request-id").is_empty());
        error["details"].clone()
    }

    /// Checks a `validationFailed` that names the field.
    #[track_caller]
    pub fn expect_invalid(&self, field: &str) {
        assert_eq!(self.expect_error(422, "validationFailed")["field"], field, "{}", self.text());
    }
}
