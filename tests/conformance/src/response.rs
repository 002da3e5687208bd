//! A complete response, and the request that it belongs to.

use std::fmt::Write;
use std::sync::Arc;

use reqwest::header::HeaderMap;
use serde_json::Value;

use crate::call::Call;
use crate::outcome::{Checked, Failure, Stop};

/// The length after which bodies are cut in reports, in characters.
const SHOWN: usize = 1_500;

/// A request as it was sent, without its credentials.
#[derive(Debug)]
pub(crate) struct Sent {
    curl: String,
}

/// A complete response.
#[derive(Clone, Debug)]
pub struct ReceivedResponse {
    pub status: u16,
    pub headers: HeaderMap,
    pub body: Vec<u8>,
    sent: Arc<Sent>,
}

impl Sent {
    pub(crate) fn of(call: &Call, url: &str) -> Self {
        let url = match url.split_once("access_token=") {
            Some((start, _)) => format!("{start}access_token=***"),
            None => url.to_owned(),
        };
        let mut curl = format!("curl -i -X {} '{url}'", call.method);
        if call.token.is_some() {
            curl.push_str(" -H 'Authorization: Bearer ***'");
        }
        for (name, value) in &call.headers {
            let value = if is_secret(name) { "***" } else { value };
            _ = write!(curl, " -H '{name}: {value}'");
        }
        if !call.body.is_empty() {
            let is_form = call.headers.iter().any(|(_, value)| value == "application/x-www-form-urlencoded");
            let body = if is_form { without_secrets(&call.body) } else { shown(&call.body) };
            _ = write!(curl, " --data-binary '{}'", body.replace('\'', "'\\''"));
        }
        Self { curl }
    }
}

impl ReceivedResponse {
    pub(crate) async fn read(response: reqwest::Result<reqwest::Response>, sent: Arc<Sent>) -> Checked<Self> {
        let unanswered = |error: reqwest::Error| {
            let mut reasons = error.to_string();
            let mut cause = std::error::Error::source(&error);
            while let Some(reason) = cause {
                _ = write!(reasons, ": {reason}");
                cause = reason.source();
            }
            let expected = format!("a response ({reasons})");
            Stop::Failed(Box::new(Failure { expected, request: sent.curl.clone(), response: String::new() }))
        };
        let response = response.map_err(unanswered)?;
        let (status, headers) = (response.status().as_u16(), response.headers().clone());
        let body = response.bytes().await.map_err(unanswered)?.to_vec();
        Ok(Self { status, headers, body, sent })
    }

    /// A header's value, or an empty string.
    pub fn header(&self, name: &str) -> &str {
        self.headers.get(name).map_or("", |value| value.to_str().unwrap_or_default())
    }

    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }

    /// The body as JSON.
    pub fn json(&self) -> Checked<Value> {
        serde_json::from_slice(&self.body).map_err(|error| self.unlike(format!("a JSON body ({error})")))
    }

    /// A failure of this response.
    pub fn unlike(&self, expected: impl Into<String>) -> Stop {
        let mut response = format!("HTTP {}\n", self.status);
        for (name, value) in &self.headers {
            let value = if is_secret(name.as_str()) { "***" } else { value.to_str().unwrap_or("(not ASCII)") };
            _ = writeln!(response, "{name}: {value}");
        }
        _ = write!(response, "\n{}", without_tokens(&shown(&self.body)));
        Stop::Failed(Box::new(Failure { expected: expected.into(), request: self.sent.curl.clone(), response }))
    }
}

fn is_secret(header: &str) -> bool {
    ["authorization", "cookie", "set-cookie"].iter().any(|name| header.eq_ignore_ascii_case(name))
}

/// The beginning of a body.
fn shown(body: &[u8]) -> String {
    let Ok(text) = std::str::from_utf8(body) else { return format!("({} bytes, not text)", body.len()) };
    let mut start: String = text.chars().take(SHOWN).collect();
    if start.len() < text.len() {
        _ = write!(start, "… ({} bytes in all)", body.len());
    }
    start
}

/// A form without the values of secret fields.
fn without_secrets(body: &[u8]) -> String {
    const SECRET: [&str; 7] =
        ["password", "code", "code_verifier", "client_secret", "refresh_token", "token", "access_token"];
    let text = String::from_utf8_lossy(body);
    let pairs = text.split('&').map(|pair| match pair.split_once('=') {
        Some((name, _)) if SECRET.contains(&name) => format!("{name}=***"),
        _ => pair.to_owned(),
    });
    pairs.collect::<Vec<_>>().join("&")
}

/// A body without the values of tokens and secrets in JSON.
fn without_tokens(text: &str) -> String {
    let Ok(Value::Object(mut fields)) = serde_json::from_str::<Value>(text) else { return text.to_owned() };
    let mut found = false;
    for name in ["access_token", "refresh_token", "client_secret"] {
        if let Some(value) = fields.get_mut(name) {
            *value = Value::from("***");
            found = true;
        }
    }
    if found { Value::Object(fields).to_string() } else { text.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::{shown, without_secrets, without_tokens};

    #[test]
    fn reports_contain_no_secrets() {
        let form = b"grant_type=authorization_code&code=abc&client_secret=def&redirect_uri=http%3A%2F%2Fx";
        let form = without_secrets(form);
        assert_eq!(form, "grant_type=authorization_code&code=***&client_secret=***&redirect_uri=http%3A%2F%2Fx");
        let tokens = without_tokens(r#"{"access_token":"abc","expires_in":3600}"#);
        assert_eq!(tokens, r#"{"access_token":"***","expires_in":3600}"#);
    }

    #[test]
    fn long_bodies_are_cut_between_characters() {
        assert!(shown("é".repeat(2_000).as_bytes()).ends_with("é… (4000 bytes in all)"));
        assert_eq!(shown(&[0xff, 0xfe]), "(2 bytes, not text)");
        assert_eq!(shown(b"short"), "short");
    }
}
