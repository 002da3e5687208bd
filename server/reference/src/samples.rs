//! Sample requests for curl, in a POSIX shell.

use serde_json::Value;

use crate::document::string;
use crate::fields::shown;
use crate::operation::{BodyForm, MediaContent, Parameter};

/// The parts of a sample request.
pub(crate) struct Sample<'a> {
    pub(crate) method: &'a str,
    pub(crate) path: &'a str,
    pub(crate) base_url: &'a str,
    pub(crate) parameters: &'a [Parameter],
    pub(crate) body: Option<&'a MediaContent>,
    pub(crate) needs_token: bool,
    /// The media type of the file to ask for, if the operation has several.
    pub(crate) accept: Option<&'a str>,
    /// Whether the response is a file.
    pub(crate) saves: bool,
}

impl Sample<'_> {
    /// The command. Path parameters and the token are shell variables.
    pub(crate) fn curl(&self) -> String {
        let mut lines = Vec::new();
        let method = if self.method == "GET" { String::new() } else { format!(" -X {}", self.method) };
        let query: Vec<String> = self
            .parameters
            .iter()
            .filter(|it| it.place == "query" && it.required)
            .map(|it| {
                format!("{}={}", it.name, it.example.as_deref().map_or_else(|| variable(&it.name), str::to_owned))
            })
            .collect();
        let query = if query.is_empty() { String::new() } else { format!("?{}", query.join("&")) };
        lines.push(format!("curl{method} \"{}{}{query}\"", self.base_url, variables(self.path)));
        if self.needs_token {
            lines.push("-H \"Authorization: Bearer $TOKEN\"".to_owned());
        }
        if let Some(media) = self.accept {
            lines.push(format!("-H {}", quoted(&format!("Accept: {media}"))));
        }
        let wanted =
            self.parameters.iter().filter(|it| it.place == "header" && (it.required || it.name == "Idempotency-Key"));
        for header in wanted {
            let value = header.example.as_deref().unwrap_or_default();
            lines.push(format!("-H {}", quoted(&format!("{}: {value}", header.name))));
        }
        self.add_body(&mut lines);
        if self.saves {
            lines.push("-o FILE".to_owned());
        }
        lines.join(" \\\n  ")
    }

    fn add_body(&self, lines: &mut Vec<String>) {
        let Some(body) = self.body else { return };
        match &body.form {
            BodyForm::Json => {
                lines.push(format!("-H \"Content-Type: {}\"", body.media));
                lines.push(format!("-d {}", quoted(body.example.as_deref().unwrap_or("{}"))));
            }
            BodyForm::Pairs(pairs) => {
                for (name, value) in pairs {
                    lines.push(format!("--data-urlencode {}", quoted(&format!("{name}={value}"))));
                }
            }
            BodyForm::Multipart(fields) => {
                for field in fields.iter().filter(|field| field.required) {
                    let value = if field.is_file { "@FILE" } else { "…" };
                    lines.push(format!("-F \"{}={value}\"", field.name));
                }
            }
            BodyForm::File => {
                lines.push(format!("-H \"Content-Type: {}\"", body.media));
                lines.push("--data-binary @FILE".to_owned());
            }
        }
    }
}

/// The pairs of a form's example.
pub(crate) fn pairs(example: &Value) -> Vec<(String, String)> {
    crate::document::members(example).map(|(name, value)| (name.clone(), shown(value))).collect()
}

/// An example as indented JSON.
pub(crate) fn pretty(example: &Value) -> String {
    serde_json::to_string_pretty(example).expect("a value serialises")
}

/// The path with a shell variable in place of each parameter.
fn variables(path: &str) -> String {
    let segments = path.split('/').map(|segment| {
        let name = segment.strip_prefix('{').and_then(|it| it.strip_suffix('}'));
        name.map_or_else(|| segment.to_owned(), variable)
    });
    segments.collect::<Vec<_>>().join("/")
}

/// A shell variable for a parameter: `$DAY_ID` for `dayId`.
fn variable(name: &str) -> String {
    let mut variable = String::from("$");
    for letter in name.chars() {
        if letter.is_ascii_uppercase() {
            variable.push('_');
        }
        variable.push(letter.to_ascii_uppercase());
    }
    variable
}

/// Text in single quotes for the shell.
fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', r"'\''"))
}

/// The example of a parameter: its own, or one for its format.
pub(crate) fn example(parameter: &Value, schema: &Value) -> Option<String> {
    let own = parameter.get("example").or_else(|| schema.get("example")).map(shown);
    own.filter(|example| !example.is_empty() && string(&parameter["in"]) != "path")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn samples_are_quoted_for_the_shell() {
        assert_eq!(quoted("it's"), r"'it'\''s'");
        assert_eq!(variables("/v1/itineraries/{id}/days/{dayId}"), "/v1/itineraries/$ID/days/$DAY_ID");
    }
}
