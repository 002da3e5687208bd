//! The service's JSON as text: printed as it was sent, and laid out for an editor with its fields in their order.

use std::fmt;
use std::fmt::Write as _;

use serde::de::{Deserializer, MapAccess, Visitor};
use serde_json::value::RawValue;

use crate::text;

/// Lines of laid-out JSON are broken where they would be longer.
const WIDEST: usize = 110;
const INDENT: usize = 2;

type Fields = Vec<(String, Box<RawValue>)>;

/// The fields of an object in their order. `None` for anything else.
pub(crate) fn fields(raw: &str) -> Option<Fields> {
    struct Object;

    impl<'de> Visitor<'de> for Object {
        type Value = Fields;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("an object")
        }

        fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Fields, A::Error> {
            let mut fields = Vec::new();
            while let Some(field) = map.next_entry()? {
                fields.push(field);
            }
            Ok(fields)
        }
    }

    serde_json::Deserializer::from_str(raw).deserialize_map(Object).ok()
}

/// JSON on one line. Within strings, control characters and bidirectional overrides that JSON allows are escaped, because
/// terminals interpret them.
pub(crate) fn one_line(raw: &str) -> String {
    let mut line = String::with_capacity(raw.len());
    for character in raw.chars() {
        match character {
            '\n' | '\r' => {}
            '\t' => line.push(' '),
            character if character.is_control() || text::is_override(character) => {
                let _ = write!(line, "\\u{:04x}", u32::from(character));
            }
            character => line.push(character),
        }
    }
    line
}

/// JSON laid out over lines. A value that fits on a line stays on it, so that a change of a stop is a change of its line.
pub(crate) fn pretty(raw: &str) -> String {
    let mut out = String::new();
    write(&mut out, raw, 0, 0);
    out.push('\n');
    out
}

fn write(out: &mut String, raw: &str, indent: usize, before: usize) {
    let short = spaced(raw);
    // The object itself is always laid out.
    if indent > 0 && before + short.chars().count() < WIDEST {
        out.push_str(&short);
    } else if let Some(fields) = fields(raw).filter(|fields| !fields.is_empty()) {
        let lines = fields.iter().map(|(name, value)| (serde_json::json!(name).to_string() + ": ", value));
        block(out, ['{', '}'], lines, indent);
    } else if let Some(items) = serde_json::from_str::<Vec<Box<RawValue>>>(raw).ok().filter(|items| !items.is_empty()) {
        block(out, ['[', ']'], items.iter().map(|item| (String::new(), item)), indent);
    } else {
        out.push_str(&short);
    }
}

fn block<'raw>(
    out: &mut String,
    brackets: [char; 2],
    lines: impl Iterator<Item = (String, &'raw Box<RawValue>)>,
    indent: usize,
) {
    let inner = indent + INDENT;
    out.push(brackets[0]);
    for (at, (name, value)) in lines.enumerate() {
        let _ = write!(out, "{}\n{:inner$}{name}", if at == 0 { "" } else { "," }, "");
        write(out, value.get(), inner, inner + name.chars().count());
    }
    let _ = write!(out, "\n{:indent$}{}", "", brackets[1]);
}

/// JSON on one line with a space after each comma and colon.
fn spaced(raw: &str) -> String {
    let mut line = String::with_capacity(raw.len());
    let (mut in_string, mut escaped) = (false, false);
    for character in one_line(raw).chars() {
        if in_string {
            line.push(character);
            in_string = escaped || character != '"';
            escaped = !escaped && character == '\\';
            continue;
        }
        match character {
            ' ' | '\t' => {}
            ',' | ':' => line.extend([character, ' ']),
            character => {
                in_string = character == '"';
                line.push(character);
            }
        }
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn json_is_laid_out_in_its_order() {
        let raw = r#"{"title":"a, \"b\": c\\","empty":[],"none":{},"place":{"latitude":1.50,"longitude":2}}"#;
        let expected = r#"{
  "title": "a, \"b\": c\\",
  "empty": [],
  "none": {},
  "place": {"latitude": 1.50, "longitude": 2}
}
"#;
        assert_eq!(pretty(raw), expected);
        assert_eq!(pretty(&pretty(raw)), expected, "laying out is idempotent");
    }

    #[test]
    fn long_values_are_broken_over_lines() {
        let name = "n".repeat(60);
        let raw = format!(r#"{{"stops":[{{"name":"{name}"}},{{"name":"{name}"}}]}}"#);
        let expected =
            format!("{{\n  \"stops\": [\n    {{\"name\": \"{name}\"}},\n    {{\"name\": \"{name}\"}}\n  ]\n}}\n");
        assert_eq!(pretty(&raw), expected);
    }

    #[test]
    fn one_line_is_one_line_and_says_the_same() {
        let raw = "{\n\t\"title\": \"a\u{9b}2J\u{7f}\u{202e}\"\r\n}";
        assert_eq!(one_line(raw), "{ \"title\": \"a\\u009b2J\\u007f\\u202e\"}");
        let values: [serde_json::Value; 2] = [raw, &one_line(raw)].map(|text| serde_json::from_str(text).unwrap());
        assert_eq!(values[0], values[1]);
    }

    #[test]
    fn only_objects_have_fields() {
        assert!(fields("[1]").is_none() && fields("{").is_none());
        let names: Vec<_> = fields(r#"{"b":1,"a":2}"#).unwrap().into_iter().map(|(name, _)| name).collect();
        assert_eq!(names, ["b", "a"]);
    }
}
