//! Expectations of a response.

use serde_json::Value;

use crate::outcome::Checked;
use crate::response::ReceivedResponse;

impl ReceivedResponse {
    /// Expects this status.
    pub fn status(&self, status: u16) -> Checked<&Self> {
        self.ensure(self.status == status, format!("status {status}"))
    }

    /// Expects this status and a JSON body, which it returns.
    pub fn json_with(&self, status: u16) -> Checked<Value> {
        self.status(status)?;
        self.is_json()?.json()
    }

    fn is_json(&self) -> Checked<&Self> {
        let media_type = self.header("content-type").split(';').next().unwrap_or_default().trim();
        self.ensure(media_type == "application/json", "Content-Type application/json")
    }

    /// Expects the error shape of section 7.1 with this status and code. Returns the error's details.
    pub fn error(&self, status: u16, code: &str) -> Checked<Value> {
        let expected = format!("status {status} with error.code \"{code}\"");
        self.ensure(self.status == status, &expected)?;
        let body = self.is_json()?.json()?;
        let error = &body["error"];
        self.ensure(error["code"] == code, expected)?;
        let has_message = error["message"].as_str().is_some_and(|message| !message.is_empty());
        self.ensure(has_message, "a message in error.message")?;
        let id = self.header("x-request-id");
        self.ensure(!id.is_empty() && error["requestId"] == id, "error.requestId equal to the header X-Request-Id")?;
        Ok(error["details"].clone())
    }

    /// Expects `validationFailed` for this field.
    pub fn invalid(&self, field: &str) -> Checked {
        let details = self.error(422, "validationFailed")?;
        self.ensure(details["field"] == field, format!("error.details.field \"{field}\"")).map(|_| ())
    }

    /// Expects a header with exactly this value.
    pub fn has(&self, name: &str, value: &str) -> Checked<&Self> {
        self.ensure(self.header(name) == value, format!("the header {name}: {value}"))
    }

    /// Expects a header and returns its value.
    pub fn with_header(&self, name: &str) -> Checked<&str> {
        let value = self.header(name);
        self.ensure(!value.is_empty(), format!("the header {name}"))?;
        Ok(value)
    }

    /// Expects a strong `ETag`, quoted, and returns it.
    pub fn etag(&self) -> Checked<&str> {
        let etag = self.header("etag");
        let quoted = etag.len() > 2 && etag.starts_with('"') && etag.ends_with('"');
        self.ensure(quoted, "a strong ETag in quotation marks")?;
        Ok(etag)
    }

    /// Expects an empty body.
    pub fn empty(&self) -> Checked<&Self> {
        self.ensure(self.body.is_empty(), "an empty body")
    }

    /// Expects a value in the JSON body, at a path such as `/days/0/id`.
    pub fn at(&self, pointer: &str, expected: impl Into<Value>) -> Checked<&Self> {
        let (body, expected) = (self.json()?, expected.into());
        let found = if pointer.is_empty() { Some(&body) } else { body.pointer(pointer) };
        self.ensure(found.unwrap_or(&Value::Null) == &expected, format!("{expected} at {pointer}"))
    }

    /// Expects the body to contain everything of this value. Objects may have more fields, arrays may not have more
    /// entries; numbers are compared by value.
    pub fn holds(&self, sent: &Value) -> Checked<&Self> {
        let mut lost = Vec::new();
        compare(&self.json()?, sent, "", &mut lost);
        self.ensure(lost.is_empty(), format!("a body with {}", lost.join(", ")))
    }

    /// Expects this field to be absent from the JSON body, at a path such as `/origin`.
    pub fn lacks(&self, pointer: &str) -> Checked<&Self> {
        let body = self.json()?;
        self.ensure(body.pointer(pointer).is_none(), format!("a body without {pointer}"))
    }

    /// Expects a condition about this response.
    pub fn ensure(&self, holds: bool, expected: impl Into<String>) -> Checked<&Self> {
        if holds { Ok(self) } else { Err(self.unlike(expected)) }
    }
}

/// Adds what `found` does not have of `sent`.
fn compare(found: &Value, sent: &Value, path: &str, lost: &mut Vec<String>) {
    match (found, sent) {
        (Value::Object(found), Value::Object(sent)) => {
            for (name, sent) in sent {
                compare(found.get(name).unwrap_or(&Value::Null), sent, &format!("{path}/{name}"), lost);
            }
        }
        (Value::Array(found), Value::Array(sent)) if found.len() == sent.len() => {
            for (index, (found, sent)) in found.iter().zip(sent).enumerate() {
                compare(found, sent, &format!("{path}/{index}"), lost);
            }
        }
        (Value::Number(found), Value::Number(sent)) if found.as_f64() == sent.as_f64() => {}
        _ if found == sent => {}
        _ => lost.push(format!("{sent} at {path}")),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::compare;

    #[test]
    fn a_body_contains_what_was_sent() {
        let lost = |found, sent| {
            let mut lost = Vec::new();
            compare(&found, &sent, "", &mut lost);
            lost
        };
        assert_eq!(lost(json!({"a": [1.0], "b": 2}), json!({"a": [1]})), Vec::<String>::new());
        assert_eq!(lost(json!({"a": [1, 2]}), json!({"a": [1]})), ["[1] at /a"]);
        assert_eq!(lost(json!({"a": {"b": 1}}), json!({"a": {"b": 2, "c": 3}})), ["2 at /a/b", "3 at /a/c"]);
    }
}
