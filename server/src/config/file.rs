//! Reads the config file, whose values replace the flags' defaults; the flags' own parsers check them.
//!
//! A table is a prefix, at any depth: `strict_refresh` under `[oauth]` is the key `oauth_strict_refresh`, and `walk.kmh`
//! under `[legs]` is `legs_walk_kmh`. An array of tables, such as `[[oidc]]`, is a value: its flag takes the same as JSON.

use std::collections::BTreeSet;
use std::error::Error;

use clap::error::{ContextKind, ContextValue};
use clap::{Arg, Command};
use serde_json::{Map, Value};
use toml::de::{DeTable, DeValue};

use super::names::{key, most_similar, settings};

/// A key of the file with its value.
struct FileEntry<'f> {
    line: usize,
    /// The names of its tables and its own.
    path: Vec<String>,
    value: &'f DeValue<'f>,
}

impl FileEntry<'_> {
    fn key(&self) -> String {
        self.path.join("_")
    }
}

/// Replaces the flags' defaults by the values of a config file; also returns the keys in it. Errors name the line, and
/// never repeat a value: it may be a password.
pub(super) fn apply(mut command: Command, text: &str) -> Result<(Command, BTreeSet<String>), String> {
    let table = DeTable::parse(text).map_err(|error| {
        let at = error.span().map_or(0, |span| span.start);
        format!("line {}: {}", line(text, at), error.message())
    })?;
    let mut entries = Vec::new();
    collect(table.get_ref(), text, &[], &mut entries);
    entries.sort_by_key(|entry| entry.line);
    let mut keys = BTreeSet::new();
    for entry in entries {
        command = set(command, &entry).map_err(|error| format!("line {}: {error}", entry.line))?;
        if !keys.insert(entry.key()) {
            return Err(format!("line {}: `{}` is set twice", entry.line, entry.key()));
        }
    }
    Ok((command, keys))
}

/// The line of a position, counted from 1.
fn line(text: &str, at: usize) -> usize {
    text.get(..at).unwrap_or_default().matches('\n').count() + 1
}

fn collect<'f>(table: &'f DeTable<'f>, text: &str, tables: &[String], entries: &mut Vec<FileEntry<'f>>) {
    for (name, value) in table {
        let mut path = tables.to_vec();
        path.push(name.get_ref().to_string());
        match value.get_ref() {
            DeValue::Table(inner) if !inner.is_empty() => collect(inner, text, &path, entries),
            value => entries.push(FileEntry { line: line(text, name.span().start), path, value }),
        }
    }
}

fn set(command: Command, entry: &FileEntry<'_>) -> Result<Command, String> {
    let name = entry.key();
    if matches!(entry.value, DeValue::Table(_)) {
        return if is_table(&command, &name) { Ok(command) } else { Err(format!("there is no table `[{name}]`")) };
    }
    let Some(flag) = settings(&command).find(|arg| key(arg) == name) else { return Err(unknown(&command, entry)) };
    let words: Option<Vec<String>> = match entry.value {
        DeValue::Array(tables)
            if is_tables(flag) && tables.iter().all(|it| matches!(it.get_ref(), DeValue::Table(_))) =>
        {
            json(entry.value).map(|tables| vec![tables.to_string()])
        }
        DeValue::Array(values) if is_list(flag) => values.iter().map(|value| word(value.get_ref())).collect(),
        value => word(value).map(|word| vec![word]),
    };
    let words = words.ok_or_else(|| {
        format!("`{name}` must be a string, a number or a boolean, or an array of them if it is a list")
    })?;
    let (id, long) = (flag.get_id().clone(), name.replace('_', "-"));
    let flags = words.iter().map(|word| format!("--{long}={word}"));
    let tried = command.clone().try_get_matches_from([command.get_name().to_owned()].into_iter().chain(flags));
    tried.map_err(|error| format!("`{name}`: {}", reason(&error)))?;
    Ok(command.mut_arg(id, |arg| arg.default_values(words)))
}

/// Whether a setting's value is a list.
pub(super) fn is_list(arg: &Arg) -> bool {
    arg.get_value_delimiter().is_some()
}

/// Whether a setting's value is an array of tables by its placeholder in the help.
fn is_tables(arg: &Arg) -> bool {
    arg.get_value_names().unwrap_or_default().iter().any(|name| name == "TABLES")
}

/// A value as JSON. `None` for dates, which no setting has.
fn json(value: &DeValue<'_>) -> Option<Value> {
    match value {
        DeValue::String(text) => Some(text.to_string().into()),
        DeValue::Integer(number) => i64::from_str_radix(number.as_str(), number.radix()).ok().map(Value::from),
        DeValue::Float(number) => number.as_str().parse::<f64>().ok().map(Value::from),
        DeValue::Boolean(value) => Some((*value).into()),
        DeValue::Array(values) => values.iter().map(|value| json(value.get_ref())).collect(),
        DeValue::Table(table) => {
            let pairs = table.iter().map(|(name, value)| Some((name.get_ref().to_string(), json(value.get_ref())?)));
            pairs.collect::<Option<Map<_, _>>>().map(Value::Object)
        }
        DeValue::Datetime(_) => None,
    }
}

/// Whether some setting's key begins with a table's name.
fn is_table(command: &Command, name: &str) -> bool {
    settings(command).any(|arg| key(arg).strip_prefix(name).is_some_and(|rest| rest.starts_with('_')))
}

/// The value as text for the command line.
fn word(value: &DeValue<'_>) -> Option<String> {
    match value {
        DeValue::String(text) => Some(text.to_string()),
        DeValue::Integer(number) => i64::from_str_radix(number.as_str(), number.radix()).ok().map(|it| it.to_string()),
        DeValue::Float(number) => Some(number.as_str().to_owned()),
        DeValue::Boolean(value) => Some(value.to_string()),
        DeValue::Datetime(_) | DeValue::Array(_) | DeValue::Table(_) => None,
    }
}

/// What is wrong with a key that no setting has: it is misspelt, or under the wrong table.
fn unknown(command: &Command, entry: &FileEntry<'_>) -> String {
    let name = entry.key();
    let keys: Vec<String> = settings(command).map(key).collect();
    let (own, tables) = entry.path.split_last().expect("a key has a name");
    let own = own.replace('-', "_");
    let elsewhere = format!("_{own}");
    if let Some(first) = tables.first()
        && settings(command).any(|arg| key(arg) == *first && is_tables(arg))
    {
        return format!("`{first}` is an array of tables: write `[[{first}]]` instead of `[{first}]`");
    }
    if !tables.is_empty() && keys.contains(&own) {
        return format!(
            "there is no key `{name}`; did you mean `{own}`? Keys without a table come before the first table"
        );
    }
    let dashes = name.replace('-', "_");
    let same = keys.iter().find(|key| **key == dashes || (!tables.is_empty() && key.ends_with(&elsewhere)));
    let similar = same.map(String::as_str).or_else(|| most_similar(&dashes, keys.iter().map(String::as_str)));
    match similar {
        Some(similar) => format!("there is no key `{name}`; did you mean `{similar}`?"),
        None => format!("there is no key `{name}`"),
    }
}

/// The reason why a flag's value is invalid, without the value.
fn reason(error: &clap::Error) -> String {
    match (error.get(ContextKind::ValidValue), error.source()) {
        (Some(ContextValue::Strings(valid)), _) if !valid.is_empty() => format!("must be one of {}", valid.join(", ")),
        (_, Some(source)) => in_plain_words(source.to_string()),
        _ => "must not be empty".to_owned(),
    }
}

/// The reason without the value, and without the types of this program, which the library's parsers of numbers mention.
fn in_plain_words(reason: String) -> String {
    if let Some((_, range)) = reason.split_once(" is not in ")
        && let Some((least, largest)) = range.split_once("..")
    {
        return match largest.trim_start_matches('=') {
            "" => format!("must be a whole number of at least {least}"),
            largest => format!("must be a whole number from {least} to {largest}"),
        };
    }
    match reason.as_str() {
        "invalid digit found in string" | "cannot parse integer from empty string" => {
            "must be a whole number".to_owned()
        }
        "number too large to fit in target type" => "is too large".to_owned(),
        "number too small to fit in target type" => "is too small".to_owned(),
        "invalid float literal" | "cannot parse float from empty string" => "must be a number".to_owned(),
        _ => reason,
    }
}
