//! Request fingerprints for idempotency keys: two requests are the same if their query and their JSON body are.

use openssl::sha::Sha256;
use serde_json::Value;

/// SHA-256 of the query, as sorted pairs, and of the body, as JSON with sorted keys. A body that is not JSON is hashed
/// as bytes; it is rejected later.
pub fn of(query: &[(String, String)], body: &[u8]) -> [u8; 32] {
    let mut query: Vec<_> = query.iter().collect();
    query.sort();
    let mut hash = Sha256::new();
    for (name, value) in query {
        text(&mut hash, name);
        text(&mut hash, value);
    }
    hash.update(b";");
    match serde_json::from_slice(body) {
        Ok(json) => value(&mut hash, &json),
        Err(_) => hash.update(body),
    }
    hash.finish()
}

/// The fingerprint of an upload: of its request, its form fields besides the file, and the SHA-256 of the file.
pub fn of_upload(request: [u8; 32], parts: &[(&str, &str)], file: [u8; 32]) -> [u8; 32] {
    let mut hash = Sha256::new();
    hash.update(&request);
    for (name, value) in parts {
        text(&mut hash, name);
        text(&mut hash, value);
    }
    hash.update(&file);
    hash.finish()
}

/// Adds whether the caller is shown Pro sections and documents, because the stored response depends on it.
pub fn shown_to(request: [u8; 32], pro: bool, documents: bool) -> [u8; 32] {
    let mut hash = Sha256::new();
    hash.update(&request);
    hash.update(&[u8::from(pro), u8::from(documents)]);
    hash.finish()
}

/// Adds that the caller is shown the id of the itinerary that another person's copy was saved from.
pub fn told_source(request: [u8; 32]) -> [u8; 32] {
    let mut hash = Sha256::new();
    hash.update(&request);
    hash.update(b"source");
    hash.finish()
}

/// Hashes each value after its kind and length, so that different values never yield the same bytes.
fn value(hash: &mut Sha256, json: &Value) {
    match json {
        Value::Null => hash.update(b"n"),
        Value::Bool(truth) => hash.update(if *truth { b"t" } else { b"f" }),
        Value::Number(number) => {
            hash.update(b"#");
            text(hash, &number.to_string());
        }
        Value::String(string) => text(hash, string),
        Value::Array(items) => {
            hash.update(format!("[{}", items.len()).as_bytes());
            for item in items {
                value(hash, item);
            }
        }
        Value::Object(fields) => {
            let mut fields: Vec<_> = fields.iter().collect();
            fields.sort_by_key(|(name, _)| *name);
            hash.update(format!("{{{}", fields.len()).as_bytes());
            for (name, field) in fields {
                text(hash, name);
                value(hash, field);
            }
        }
    }
}

fn text(hash: &mut Sha256, text: &str) {
    hash.update(format!("\"{}\"", text.len()).as_bytes());
    hash.update(text.as_bytes());
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pairs(pairs: &[(&str, &str)]) -> Vec<(String, String)> {
        pairs.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect()
    }

    #[test]
    fn order_and_blanks_do_not_matter_and_everything_else_does() {
        let base = of(&pairs(&[("a", "1"), ("b", "2")]), br#"{"x": [1, {"y": null}], "z": "t"}"#);
        assert_eq!(base, of(&pairs(&[("b", "2"), ("a", "1")]), br#"{"z":"t","x":[1,{"y":null}]}"#));
        for (query, body) in [
            (&[("a", "1")][..], &br#"{"x": [1, {"y": null}], "z": "t"}"#[..]),
            (&[("a", "1"), ("b", "2")], br#"{"x": [{"y": null}, 1], "z": "t"}"#),
            (&[("a", "1"), ("b", "2")], br#"{"x": [1, {"y": false}], "z": "t"}"#),
            (&[("a", "1"), ("b", "2")], br#"{"x": [1, {}], "z": "t"}"#),
            (&[("a", "1"), ("b", "2")], br#"{"x": [1, {"y": null}], "z": true}"#),
            (&[("a", "1"), ("b", "2")], b"{"),
        ] {
            assert_ne!(base, of(&pairs(query), body));
        }
        assert_ne!(of(&[], b"[true]"), of(&[], b"[false]"));
    }
}
