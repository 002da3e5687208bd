//! JSON as programs really write it.

use serde_json::Value;

use crate::budget::{Exceeded, MAX_JSON_DEPTH, MAX_JSON_OBJECTS, MAX_JSON_VALUES};
use crate::file::{Ignored, Reason};

/// Parses JSON in UTF-8, with or without a byte order mark. Commas before a closing bracket and control characters in
/// strings are tolerated.
pub(crate) fn parse(content: &[u8]) -> Result<Value, Ignored> {
    let content = content.strip_prefix(b"\xef\xbb\xbf").unwrap_or(content);
    check_extent(content)?;
    serde_json::from_slice(content).or_else(|error| {
        serde_json::from_slice(&mended(content))
            .map_err(|_| Ignored { reason: Reason::Malformed, message: format!("The JSON is damaged: {error}.") })
    })
}

/// Checks the nesting and the number of values without parsing: brackets and commas outside strings.
pub(super) fn check_extent(content: &[u8]) -> Result<(), Exceeded> {
    let (mut depth, mut objects, mut values) = (0_usize, 0_usize, 0_usize);
    let mut bytes = content.iter().copied();
    while let Some(byte) = bytes.next() {
        match byte {
            b'"' => {
                while let Some(byte) = bytes.next() {
                    match byte {
                        b'"' => break,
                        b'\\' => _ = bytes.next(),
                        _ => {}
                    }
                }
            }
            b'{' | b'[' => {
                depth += 1;
                values += 1;
                objects += usize::from(byte == b'{');
            }
            b'}' | b']' => depth = depth.saturating_sub(1),
            b',' => values += 1,
            _ => {}
        }
        if depth > MAX_JSON_DEPTH {
            return Err(Exceeded::JsonDepth);
        }
        if objects > MAX_JSON_OBJECTS || values > MAX_JSON_VALUES {
            return Err(Exceeded::Elements);
        }
    }
    Ok(())
}

/// Without commas before closing brackets, and with spaces instead of control characters in strings.
fn mended(content: &[u8]) -> Vec<u8> {
    let mut mended: Vec<u8> = Vec::with_capacity(content.len());
    walk(content, |byte, is_string| {
        if !is_string && matches!(byte, b']' | b'}') {
            let blanks = mended.iter().rev().take_while(|byte| byte.is_ascii_whitespace()).count();
            let end = mended.len() - blanks;
            if end > 0 && mended[end - 1] == b',' {
                mended.truncate(end - 1);
            }
        }
        mended.push(if is_string && byte < b' ' { b' ' } else { byte });
    });
    mended
}

/// Calls back with each byte and whether it is in a string.
fn walk(content: &[u8], mut on: impl FnMut(u8, bool)) {
    let (mut is_string, mut is_escaped) = (false, false);
    for &byte in content {
        on(byte, is_string);
        match byte {
            _ if is_escaped => is_escaped = false,
            b'\\' if is_string => is_escaped = true,
            b'"' => is_string = !is_string,
            _ => {}
        }
    }
}

/// The text of a string or a number that is not blank, trimmed.
pub(super) fn text(value: &Value) -> Option<String> {
    let text = match value {
        Value::String(text) => text.trim().to_owned(),
        Value::Number(number) => number.to_string(),
        _ => return None,
    };
    (!text.is_empty()).then_some(text)
}

/// The text of a member.
pub(super) fn member(value: &Value, name: &str) -> Option<String> {
    text(value.get(name)?)
}

/// The number of a member, which may be a string.
pub(super) fn number(value: &Value, name: &str) -> Option<f64> {
    let value = value.get(name)?;
    let number = value.as_f64().or_else(|| value.as_str()?.trim().parse().ok())?;
    number.is_finite().then_some(number)
}

/// A member's elements: of an array its own, of another value that value, of none or null none.
pub(super) fn elements<'v>(value: &'v Value, name: &str) -> &'v [Value] {
    match value.get(name) {
        Some(Value::Array(elements)) => elements,
        Some(Value::Null) | None => &[],
        Some(single) => std::slice::from_ref(single),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn common_mistakes_are_tolerated() {
        let value = parse(b"\xef\xbb\xbf{\"a\": \"x,]\ty\\\"\", \"b\": [1, 2, \n],}").unwrap();
        assert_eq!(value, json!({"a": "x,] y\"", "b": [1, 2]}));
        assert_eq!(parse(b"{\"a\": }").unwrap_err().reason, Reason::Malformed);
        assert_eq!(parse(b"").unwrap_err().reason, Reason::Malformed);
        assert_eq!(parse(b",").unwrap_err().reason, Reason::Malformed);
    }

    #[test]
    fn deep_and_wide_json_is_refused() {
        let nested = |depth: usize| format!("{}{}", "[".repeat(depth), "]".repeat(depth));
        assert!(parse(nested(MAX_JSON_DEPTH).as_bytes()).is_ok());
        assert_eq!(parse(nested(MAX_JSON_DEPTH + 1).as_bytes()).unwrap_err().reason, Reason::TooLarge);
        assert!(parse(format!("\"{}\"", "[".repeat(100)).as_bytes()).is_ok());
        let wide = |count: usize| format!("[{}0]", "0,".repeat(count));
        assert!(parse(wide(MAX_JSON_VALUES - 1).as_bytes()).is_ok());
        assert_eq!(parse(wide(MAX_JSON_VALUES + 1).as_bytes()).unwrap_err().reason, Reason::TooLarge);
    }

    #[test]
    fn members_are_read_leniently() {
        let value = json!({"a": " x ", "b": 7, "c": "1.5", "d": null, "e": {}, "f": [1, 2], "g": ""});
        assert_eq!(member(&value, "a").as_deref(), Some("x"));
        assert_eq!(member(&value, "b").as_deref(), Some("7"));
        assert_eq!((member(&value, "d"), member(&value, "g")), (None, None));
        assert_eq!(number(&value, "c"), Some(1.5));
        assert_eq!(elements(&value, "d").len() + elements(&value, "z").len(), 0);
        assert_eq!((elements(&value, "e").len(), elements(&value, "f").len()), (1, 2));
    }
}
