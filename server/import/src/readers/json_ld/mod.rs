//! JSON-LD as it is found in pages, mails and files: text to values.
//!
//! Accepts several values behind each other and repairs what templates break (`repair`). What the values mean is read by
//! [`super::schema_org`].

mod repair;

use mail_parser::decoders::html::html_to_text;
use serde_json::Value;

use crate::budget::Exceeded;
use crate::file::{Ignored, Reason};
use crate::readers::json;

/// The values of a text, in order. Text without any is no error.
pub fn values(text: &str) -> Result<Vec<Value>, Ignored> {
    let text = without_wrapping(text);
    if text.is_empty() {
        return Ok(Vec::new());
    }
    if let Ok(values) = parse(text)? {
        return Ok(values);
    }
    let repaired = repair::repair(text);
    let error = match parse(&repaired)? {
        Ok(values) => return Ok(values),
        Err(error) => error,
    };
    // Mail programs encode the quotes of scripts as entities.
    if text.contains("&quot;") || text.contains("&#34;") {
        let decoded = repair::repair(&html_to_text(text));
        if let Ok(values) = parse(&decoded)? {
            return Ok(values);
        }
    }
    Err(Ignored { reason: Reason::Malformed, message: format!("The JSON-LD is not valid JSON: {error}.") })
}

/// Removes the comments and CDATA sections that hide scripts from old programs.
fn without_wrapping(text: &str) -> &str {
    const STARTS: [&str; 7] =
        ["<!--", "/*-->", "//<![CDATA[", "// <![CDATA[", "/*<![CDATA[*/", "<![CDATA[", "\u{feff}"];
    const ENDS: [&str; 7] = ["//-->", "// -->", "-->", "//]]>", "// ]]>", "/*]]>*/", "]]>"];
    let mut text = text.trim();
    while let Some(rest) = STARTS.iter().find_map(|start| text.strip_prefix(start)) {
        text = rest.trim_start();
    }
    while let Some(rest) = ENDS.iter().find_map(|end| text.strip_suffix(end)) {
        text = rest.trim_end();
    }
    text
}

/// Fails with [`Exceeded`] before anything is parsed, else with what is wrong.
fn parse(text: &str) -> Result<Result<Vec<Value>, serde_json::Error>, Exceeded> {
    json::check_extent(text.as_bytes())?;
    Ok(serde_json::Deserializer::from_str(text).into_iter().collect())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::budget::{MAX_JSON_DEPTH, MAX_JSON_OBJECTS, MAX_JSON_VALUES};

    #[test]
    fn wrapped_and_repeated_values_are_read() {
        let expected = vec![json!({"a": 1}), json!([2])];
        for text in [
            "{\"a\": 1}[2]",
            "\u{feff} {\"a\": 1},\n[2];",
            "<!-- {\"a\": 1} [2] -->",
            "//<![CDATA[\n{\"a\": 1}\n[2]\n//]]>",
            "<!--/*--><![CDATA[{\"a\": 1} [2]]]>",
            "{&quot;a&quot;: 1} [2]",
        ] {
            assert_eq!(values(text).unwrap(), expected, "{text}");
        }
        assert_eq!(values(" \n").unwrap(), Vec::<Value>::new());
    }

    #[test]
    fn other_text_is_malformed() {
        for text in ["{\"a\": \"b", "Dear guest", "{\"a\" \"b\" 1 :: }"] {
            assert_eq!(values(text).unwrap_err().reason, Reason::Malformed, "{text}");
        }
    }

    #[test]
    fn depth_and_number_are_bounded() {
        let nested = |depth: usize| "[".repeat(depth) + &"]".repeat(depth);
        assert!(values(&nested(MAX_JSON_DEPTH)).is_ok());
        for text in
            [nested(MAX_JSON_DEPTH + 1), "[".repeat(1_000_000), "[0,".repeat(100_000), "{\"a\":[".repeat(100_000)]
        {
            assert_eq!(values(&text).unwrap_err().reason, Reason::TooLarge);
        }
        let wide = |count: usize, value: &str| format!("[{}0]", format!("{value},").repeat(count));
        assert_eq!(values(&wide(MAX_JSON_VALUES + 1, "0")).unwrap_err().reason, Reason::TooLarge);
        assert_eq!(values(&wide(MAX_JSON_OBJECTS + 1, "{}")).unwrap_err().reason, Reason::TooLarge);
        assert!(values(&wide(MAX_JSON_OBJECTS - 1, "{}")).is_ok());
    }
}
