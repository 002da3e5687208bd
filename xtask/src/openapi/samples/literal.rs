//! JSON values as literals of JSON, Python and TypeScript, on one line where they fit.
//!
//! A string of JSON, as `serde_json` writes it, is a string of the other two as well: it escapes quotes, backslashes and
//! control characters alone, in ways that all three read.

use serde_json::Value;

/// A value of at most this many characters stays on one line.
const LONGEST_LINE: usize = 72;

/// How a language writes what differs from JSON.
pub(super) struct Style {
    pub(super) yes: &'static str,
    pub(super) no: &'static str,
    pub(super) null: &'static str,
    /// Whether names of fields that are identifiers have no quotes.
    pub(super) has_bare_names: bool,
    /// Whether the last entry of several lines has a comma.
    pub(super) has_last_comma: bool,
    /// The spaces of one level.
    pub(super) indent: usize,
}

pub(super) const JSON: Style =
    Style { yes: "true", no: "false", null: "null", has_bare_names: false, has_last_comma: false, indent: 2 };
pub(super) const TYPESCRIPT: Style = Style { has_bare_names: true, has_last_comma: true, ..JSON };
pub(super) const PYTHON: Style =
    Style { yes: "True", no: "False", null: "None", has_last_comma: true, indent: 4, ..JSON };

impl Style {
    /// A value at a level of indentation, in spaces. The first line has none.
    pub(super) fn literal(&self, value: &Value, level: usize) -> String {
        let line = self.line(value);
        if line.chars().count() + level <= LONGEST_LINE {
            return line;
        }
        let inner = level + self.indent;
        let entry = |value: &Value| self.literal(value, inner);
        match value {
            Value::Array(items) => self.lines('[', ']', items.iter().map(entry), level),
            Value::Object(fields) => {
                let fields = fields.iter().map(|(name, value)| format!("{}: {}", self.name(name), entry(value)));
                self.lines('{', '}', fields, level)
            }
            _ => line,
        }
    }

    fn lines(&self, open: char, close: char, entries: impl Iterator<Item = String>, level: usize) -> String {
        let (inner, outer) = (" ".repeat(level + self.indent), " ".repeat(level));
        let entries = entries.collect::<Vec<_>>().join(&format!(",\n{inner}"));
        let comma = if self.has_last_comma { "," } else { "" };
        format!("{open}\n{inner}{entries}{comma}\n{outer}{close}")
    }

    fn line(&self, value: &Value) -> String {
        let join = |entries: Vec<String>| entries.join(", ");
        match value {
            Value::Null => self.null.to_owned(),
            Value::Bool(true) => self.yes.to_owned(),
            Value::Bool(false) => self.no.to_owned(),
            Value::Number(_) | Value::String(_) => value.to_string(),
            Value::Array(items) => format!("[{}]", join(items.iter().map(|item| self.line(item)).collect())),
            Value::Object(fields) if fields.is_empty() => "{}".to_owned(),
            Value::Object(fields) => {
                let fields = fields.iter().map(|(name, value)| format!("{}: {}", self.name(name), self.line(value)));
                let fields = join(fields.collect());
                if self.has_bare_names { format!("{{ {fields} }}") } else { format!("{{{fields}}}") }
            }
        }
    }

    /// The name of a field.
    fn name(&self, name: &str) -> String {
        if self.has_bare_names && is_identifier(name) { name.to_owned() } else { text(name) }
    }
}

/// Text in double quotes, for JSON, Python and TypeScript.
pub(super) fn text(text: &str) -> String {
    Value::from(text).to_string()
}

pub(super) fn is_identifier(name: &str) -> bool {
    let is_start = |letter: char| letter.is_ascii_alphabetic() || letter == '_';
    name.starts_with(is_start) && name.chars().all(|letter| is_start(letter) || letter.is_ascii_digit())
}

/// A name in snake case: `day_id` for `dayId`.
pub(super) fn snake(name: &str) -> String {
    let mut snake = String::new();
    for letter in name.chars() {
        if letter.is_ascii_uppercase() && !snake.is_empty() {
            snake.push('_');
        }
        snake.push(letter.to_ascii_lowercase());
    }
    snake.replace('-', "_")
}
