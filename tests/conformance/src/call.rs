//! A request under construction.

use std::fmt::Write;
use std::sync::Arc;

use reqwest::Method;
use serde_json::Value;

use crate::outcome::Checked;
use crate::response::ReceivedResponse;
use crate::service::Service;

/// A request under construction.
#[derive(Clone)]
pub struct Call {
    service: Arc<Service>,
    pub(crate) method: Method,
    /// From the base URL on, with the query.
    pub(crate) path: String,
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) body: Vec<u8>,
    pub(crate) token: Option<String>,
    pub(crate) waits: bool,
}

impl Call {
    pub(crate) fn new(service: &Arc<Service>, method: Method, path: &str) -> Self {
        Self {
            service: Arc::clone(service),
            method,
            path: path.to_owned(),
            headers: Vec::new(),
            body: Vec::new(),
            token: None,
            waits: true,
        }
    }

    /// Sends this access token.
    #[must_use]
    pub fn token(mut self, token: &str) -> Self {
        self.token = Some(token.to_owned());
        self
    }

    #[must_use]
    pub fn header(mut self, name: &str, value: &str) -> Self {
        self.headers.push((name.to_owned(), value.to_owned()));
        self
    }

    #[must_use]
    pub fn if_match(self, etag: &str) -> Self {
        self.header("If-Match", etag)
    }

    #[must_use]
    pub fn key(self, key: &str) -> Self {
        self.header("Idempotency-Key", key)
    }

    #[must_use]
    pub fn json(self, body: &Value) -> Self {
        self.body("application/json", body.to_string())
    }

    #[must_use]
    pub fn body(mut self, content_type: &str, body: impl Into<Vec<u8>>) -> Self {
        self.body = body.into();
        self.header("Content-Type", content_type)
    }

    /// Sends a form, as a browser and an OAuth client do.
    #[must_use]
    pub fn form(self, fields: &[(&str, &str)]) -> Self {
        let pairs: Vec<String> =
            fields.iter().map(|(name, value)| format!("{}={}", encoded(name), encoded(value))).collect();
        self.body("application/x-www-form-urlencoded", pairs.join("&"))
    }

    /// Sends a multipart form: fields as text, then a file.
    #[must_use]
    pub fn multipart(self, fields: &[(&str, &str)], file_name: &str, file: &[u8]) -> Self {
        const BOUNDARY: &str = "conformance-5d1f0c7a";
        let mut body = Vec::new();
        for (name, value) in fields {
            let part = format!("--{BOUNDARY}\r\nContent-Disposition: form-data; name=\"{name}\"\r\n\r\n{value}\r\n");
            body.extend_from_slice(part.as_bytes());
        }
        let disposition = format!("Content-Disposition: form-data; name=\"file\"; filename=\"{file_name}\"");
        let head = format!("--{BOUNDARY}\r\n{disposition}\r\nContent-Type: application/octet-stream\r\n\r\n");
        body.extend_from_slice(head.as_bytes());
        body.extend_from_slice(file);
        body.extend_from_slice(format!("\r\n--{BOUNDARY}--\r\n").as_bytes());
        self.body(&format!("multipart/form-data; boundary={BOUNDARY}"), body)
    }

    /// Returns a 429 instead of waiting and trying again.
    #[must_use]
    pub fn without_waiting(mut self) -> Self {
        self.waits = false;
        self
    }

    /// Sends the request. A 429 is repeated after `Retry-After`.
    pub async fn send(self) -> Checked<ReceivedResponse> {
        let service = Arc::clone(&self.service);
        service.send(&self).await
    }
}

/// Percent-encodes everything but unreserved characters.
pub fn encoded(text: &str) -> String {
    let mut encoded = String::new();
    for byte in text.bytes() {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' => encoded.push(char::from(byte)),
            _ => _ = write!(encoded, "%{byte:02X}"),
        }
    }
    encoded
}
