//! Translations of a pass: `en.lproj/pass.strings` and its like.

use std::collections::HashMap;

use crate::budget::Budget;
use crate::file::Ignored;
use crate::readers::archive::Archive;

/// Texts by their keys.
#[derive(Debug, Default)]
pub(super) struct Strings(HashMap<String, String>);

impl Strings {
    /// Reads the English translation, or that of the first language if there is no English one.
    pub(super) fn read(archive: &mut Archive<'_>, folder: &str, budget: &mut Budget<'_>) -> Result<Self, Ignored> {
        let mut files: Vec<String> = archive
            .names()
            .into_iter()
            .filter(|name| name.strip_prefix(folder).is_some_and(|name| name.ends_with(".lproj/pass.strings")))
            .collect();
        files.sort();
        let english = files.iter().find(|file| file[folder.len()..].starts_with("en"));
        let Some(file) = english.or(files.first()) else { return Ok(Self::default()) };
        let content = archive.read(file, budget)?.unwrap_or_default();
        Ok(Self(parse(&decode(&content))))
    }

    /// The text of a key, or the key itself if it has no translation.
    pub(super) fn get<'s>(&'s self, key: &'s str) -> &'s str {
        self.0.get(key).map_or(key, String::as_str)
    }
}

/// Text in UTF-16 with a byte order mark, otherwise in UTF-8.
fn decode(content: &[u8]) -> String {
    // Without a mark: the first character of such a file is a quotation mark, a slash or a line break.
    let encoding = match content {
        [0xff, 0xfe, ..] | [_, 0, ..] => encoding_rs::UTF_16LE,
        [0xfe, 0xff, ..] | [0, _, ..] => encoding_rs::UTF_16BE,
        _ => encoding_rs::UTF_8,
    };
    encoding.decode(content).0.into_owned()
}

/// The lines `"key" = "text";`. Comments and everything else are skipped.
fn parse(text: &str) -> HashMap<String, String> {
    let mut strings = HashMap::new();
    let mut rest = text;
    while let Some(start) = rest.find(['"', '/']) {
        rest = &rest[start..];
        if let Some(comment) = rest.strip_prefix("/*") {
            rest = comment.split_once("*/").map_or("", |(_, after)| after);
        } else if rest.starts_with("//") {
            rest = rest.split_once('\n').map_or("", |(_, after)| after);
        } else if let Some(after) = rest.strip_prefix('/') {
            rest = after;
        } else {
            let Some((key, after)) = quoted(rest) else { break };
            rest = after.trim_start();
            let Some(value) = rest.strip_prefix('=').map(str::trim_start) else { continue };
            let Some((value, after)) = quoted(value) else { continue };
            strings.insert(key, value);
            rest = after;
        }
    }
    strings
}

/// A text in quotation marks, and what follows it.
fn quoted(text: &str) -> Option<(String, &str)> {
    let mut characters = text.strip_prefix('"')?.char_indices();
    let mut value = String::new();
    while let Some((at, character)) = characters.next() {
        match character {
            '"' => return Some((value, &text[at + 2..])),
            '\\' => match characters.next()?.1 {
                'n' => value.push('\n'),
                't' => value.push('\t'),
                'r' => value.push('\r'),
                escaped => value.push(escaped),
            },
            character => value.push(character),
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_and_texts() {
        let text = "/* \"a\" = \"no\"; */\n// \"b\" = \"no\";\n\"gate\" = \"Gate\";\n\"name\"=\"Says \\\"hi\\\"\\n\";\"x\";\"open\" = \"";
        let strings = parse(text);
        assert_eq!(strings.len(), 2);
        assert_eq!(strings["gate"], "Gate");
        assert_eq!(strings["name"], "Says \"hi\"\n");
        assert_eq!(parse("a / b"), HashMap::new());
    }

    #[test]
    fn encodings() {
        let text = "\"k\" = \"Übergang\";";
        let little: Vec<u8> = text.encode_utf16().flat_map(u16::to_le_bytes).collect();
        let big: Vec<u8> = text.encode_utf16().flat_map(u16::to_be_bytes).collect();
        assert_eq!(parse(&decode(text.as_bytes()))["k"], "Übergang");
        assert_eq!(parse(&decode(&little))["k"], "Übergang");
        assert_eq!(parse(&decode(&big))["k"], "Übergang");
        assert_eq!(parse(&decode(&[&[0xff, 0xfe], &little[..]].concat()))["k"], "Übergang");
        assert_eq!(parse(&decode(&[&[0xfe, 0xff], &big[..]].concat()))["k"], "Übergang");
    }
}
