//! Repairs JSON as templates and mail programs break it.
//!
//! Repairs only what has one meaning: trailing, doubled and missing commas, missing values, raw control characters and unknown
//! escapes in strings, comments. Text that is still no JSON afterwards is left to the parser to reject.

use std::iter::Peekable;
use std::str::CharIndices;

/// What comes before the next token.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Last {
    /// The start of the text or of an array or object.
    Open,
    /// A string, number, literal, array or object; a key too.
    Value,
    /// A comma, and where it is in the output.
    Comma(usize),
    Colon,
}

/// Returns `text` with the repairs.
pub(super) fn repair(text: &str) -> String {
    let mut repair = Repair {
        text,
        characters: text.char_indices().peekable(),
        output: String::with_capacity(text.len()),
        last: Last::Open,
        depth: 0,
    };
    while let Some((at, character)) = repair.characters.next() {
        repair.token(at, character);
    }
    repair.output
}

struct Repair<'a> {
    text: &'a str,
    characters: Peekable<CharIndices<'a>>,
    output: String,
    last: Last,
    depth: usize,
}

impl Repair<'_> {
    fn token(&mut self, at: usize, character: char) {
        match character {
            '"' => self.string(),
            '{' | '[' => {
                self.separate();
                self.output.push(character);
                self.depth += 1;
                self.last = Last::Open;
            }
            '}' | ']' => self.close(character),
            ',' => self.comma(),
            ':' => {
                self.output.push(':');
                self.last = Last::Colon;
            }
            ';' => self.output.push(' '),
            '/' if self.text[at..].starts_with("//") => self.skip_past("\n", at),
            '/' if self.text[at..].starts_with("/*") => self.skip_past("*/", at),
            _ if character.is_whitespace() || character == '\u{feff}' => self.output.push(' '),
            _ => self.literal(character),
        }
    }

    /// Adds the comma that is missing before a value.
    fn separate(&mut self) {
        if self.last == Last::Value {
            self.output.push(if self.depth > 0 { ',' } else { ' ' });
        }
    }

    fn close(&mut self, bracket: char) {
        match self.last {
            Last::Comma(at) => self.output.replace_range(at..=at, " "),
            Last::Colon => self.output.push_str("null"),
            Last::Open | Last::Value => {}
        }
        self.output.push(bracket);
        self.depth = self.depth.saturating_sub(1);
        self.last = Last::Value;
    }

    fn comma(&mut self) {
        if self.last == Last::Colon {
            self.output.push_str("null");
            self.last = Last::Value;
        }
        if self.last != Last::Value {
            return;
        }
        if self.depth == 0 {
            self.output.push(' ');
            return;
        }
        self.last = Last::Comma(self.output.len());
        self.output.push(',');
    }

    fn literal(&mut self, first: char) {
        self.separate();
        self.output.push(first);
        while let Some((_, next)) =
            self.characters.next_if(|(_, next)| next.is_alphanumeric() || "+-._".contains(*next))
        {
            self.output.push(next);
        }
        self.last = Last::Value;
    }

    fn string(&mut self) {
        self.separate();
        self.output.push('"');
        self.last = Last::Value;
        while let Some((at, character)) = self.characters.next() {
            match character {
                '"' => {
                    self.output.push('"');
                    return;
                }
                '\\' => self.escape(at),
                '\n' => self.output.push_str("\\n"),
                '\t' => self.output.push_str("\\t"),
                _ if character < ' ' => {}
                _ => self.output.push(character),
            }
        }
    }

    fn escape(&mut self, at: usize) {
        let Some((_, escaped)) = self.characters.next() else { return };
        match escaped {
            '"' | '\\' | '/' | 'b' | 'f' | 'n' | 'r' | 't' => {
                self.output.push('\\');
                self.output.push(escaped);
            }
            'u' if self.text[at + 2..].len() >= 4
                && self.text.as_bytes()[at + 2..at + 6].iter().all(u8::is_ascii_hexdigit) =>
            {
                self.output.push_str("\\u");
            }
            '\n' | '\r' => {}
            _ => self.output.push(escaped),
        }
    }

    fn skip_past(&mut self, end: &str, at: usize) {
        let rest = &self.text[at..];
        let end = rest.find(end).map_or(self.text.len(), |found| at + found + end.len());
        while self.characters.next_if(|(next, _)| *next < end).is_some() {}
        self.output.push(' ');
    }
}

#[cfg(test)]
mod tests {
    use super::repair;

    fn repaired(text: &str) -> serde_json::Value {
        serde_json::from_str(&repair(text)).unwrap_or_else(|error| panic!("{error}: {}", repair(text)))
    }

    #[test]
    fn commas_are_mended() {
        let expected = serde_json::json!({"a": [1, 2], "b": {"c": "x"}, "d": true});
        for text in [
            r#"{"a": [1, 2,], "b": {"c": "x",}, "d": true,}"#,
            r#"{"a": [1,, 2] "b": {"c": "x"} "d": true}"#,
            "{, \"a\": [1\n 2], \"b\": {\"c\": \"x\"}\n\"d\": true};",
            "// c\n{\"a\": [1, 2], /* {\" */ \"b\": {\"c\": \"x\"}, \"d\": true}",
        ] {
            assert_eq!(repaired(text), expected, "{text}");
        }
    }

    #[test]
    fn missing_values_are_null() {
        let expected = serde_json::json!({"a": null, "b": null});
        assert_eq!(repaired(r#"{"a": , "b": }"#), expected);
    }

    #[test]
    fn strings_are_mended() {
        assert_eq!(repaired("\"a\nb\tc\u{1}d\""), "a\nb\tcd");
        assert_eq!(repaired(r#""it\'s \x \u00e9 \u12""#), "it's x é u12");
        assert_eq!(repaired("\"http://a, b: {c}\""), "http://a, b: {c}");
    }

    #[test]
    fn correct_json_keeps_its_meaning() {
        let text = r#"[{"a": "x\"\\/\b\f\n\r\t\u00df", "n": -1.5e+3, "e": []}, null, false]"#;
        assert_eq!(repaired(text), serde_json::from_str::<serde_json::Value>(text).unwrap());
    }
}
