//! The search over everything that the pages describe: operations, schemas, fields, parameters, error codes and headers.
//!
//! The server answers searches with a page. The script of the pages shows the same entries while somebody types; it
//! reads them from the file of [`Index::json`] and knows the operations from the navigation.

use serde_json::{Value, json};

use crate::IndexEntry;
use crate::document::{ApiDocument, list, members, string};
use crate::fields::description;
use crate::guides::{self, Guide};
use crate::text;

/// The maximum length of a search, in characters.
const LONGEST_SEARCH: usize = 100;
/// How many entries of a kind a page lists.
const MOST_LISTED: usize = 40;

/// Something that is found by its name, its description or the words that belong to it.
#[derive(Clone, Debug)]
pub(crate) struct SearchEntry {
    pub(crate) name: String,
    /// The path and fragment of its description.
    pub(crate) href: String,
    /// One sentence, as plain text.
    pub(crate) about: String,
    /// More words that find it, such as the values of an enum.
    words: String,
}

impl SearchEntry {
    pub(crate) fn new(name: String, href: String, about: String) -> Self {
        Self { name, href, about, words: String::new() }
    }

    /// Whether the name contains every word; `None` if not even all its text does. The words are in lower case.
    fn matches(&self, words: &[&str]) -> Option<bool> {
        let name = self.name.to_lowercase();
        if words.iter().all(|word| name.contains(word)) {
            return Some(true);
        }
        let text = format!("{name} {} {}", self.about, self.words).to_lowercase();
        words.iter().all(|word| text.contains(word)).then_some(false)
    }
}

/// The entries of one kind.
#[derive(Clone, Debug)]
pub(crate) struct SearchGroup {
    /// The kind, in the plural.
    pub(crate) title: &'static str,
    entries: Vec<SearchEntry>,
}

/// The entries of a kind that a search finds.
pub(crate) struct Found<'a> {
    pub(crate) title: &'static str,
    /// The first ones, those with a matching name before the others.
    pub(crate) entries: Vec<&'a SearchEntry>,
    /// How many more there are.
    pub(crate) more: usize,
}

/// Everything but the operations.
#[derive(Clone, Debug)]
pub(crate) struct Index {
    groups: Vec<SearchGroup>,
}

impl Index {
    pub(crate) fn new(document: &ApiDocument<'_>, guides: &[Guide]) -> Self {
        let group = |title, entries| SearchGroup { title, entries };
        Self {
            groups: vec![
                group("Guides", guides::entries(guides)),
                group("Schemas", schemas(document)),
                group("Fields", fields(document)),
                group("Parameters", parameters(document)),
                group("Error codes", error_codes(document)),
                group("Response headers", headers(document)),
            ],
        }
    }

    /// The entries with all words, by kind.
    pub(crate) fn find(&self, words: &[&str]) -> Vec<Found<'_>> {
        let found = self.groups.iter().map(|group| {
            let matching = group.entries.iter().filter_map(|entry| Some((entry.matches(words)?, entry)));
            let (named, described): (Vec<_>, Vec<_>) = matching.partition(|(is_named, _)| *is_named);
            let all: Vec<_> = named.into_iter().chain(described).map(|(_, entry)| entry).collect();
            let more = all.len().saturating_sub(MOST_LISTED);
            Found { title: group.title, entries: all.into_iter().take(MOST_LISTED).collect(), more }
        });
        found.filter(|found| !found.entries.is_empty()).collect()
    }

    /// The entries as JSON: a list of kinds, and for each entry its name, its address, its description and more words.
    pub(crate) fn json(&self) -> String {
        let groups = self.groups.iter().map(|group| {
            let rows = group.entries.iter().map(|it| json!([it.name, it.href, it.about, it.words]));
            json!({ "title": group.title, "entries": rows.collect::<Vec<_>>() })
        });
        Value::Array(groups.collect()).to_string()
    }
}

/// A search as it is used: trimmed, and cut after 100 characters.
pub(crate) fn cut(search: &str) -> String {
    search.trim().chars().take(LONGEST_SEARCH).collect()
}

fn schemas(document: &ApiDocument<'_>) -> Vec<SearchEntry> {
    let entries = document.schemas().map(|(name, schema)| SearchEntry {
        name: name.to_owned(),
        href: format!("/docs/schemas/{name}"),
        about: text::summary(string(&schema["description"])),
        words: values(schema),
    });
    entries.collect()
}

fn fields(document: &ApiDocument<'_>) -> Vec<SearchEntry> {
    let entries = document.schemas().flat_map(|(schema_name, schema)| {
        members(&schema["properties"]).map(move |(name, field)| SearchEntry {
            name: format!("{schema_name}.{name}"),
            href: format!("/docs/schemas/{schema_name}#field-{name}"),
            about: text::summary(description(document, field)),
            words: values(field),
        })
    });
    entries.collect()
}

/// The values of an enum, which find it too.
fn values(schema: &Value) -> String {
    let values = list(&schema["enum"]).iter().chain(list(&schema["x-extensible-enum"]));
    values.filter_map(Value::as_str).collect::<Vec<_>>().join(" ")
}

/// Parameters that several operations share are one entry, which leads to the first of them.
fn parameters(document: &ApiDocument<'_>) -> Vec<SearchEntry> {
    let mut entries: Vec<(SearchEntry, usize)> = Vec::new();
    for operation in document.operations() {
        for parameter in list(&operation.value["parameters"]).iter().map(|it| document.resolve(it)) {
            let (name, place) = (string(&parameter["name"]), string(&parameter["in"]));
            let about =
                format!("{}, in the {place}.", text::summary(string(&parameter["description"])).trim_end_matches('.'));
            if let Some((_, uses)) = entries.iter_mut().find(|(known, _)| known.name == name && known.about == about) {
                *uses += 1;
                continue;
            }
            let href = format!("/docs/{}#parameter-{name}", string(&operation.value["operationId"]));
            let words = format!("{place} parameter {}", values(&parameter["schema"]));
            entries.push((SearchEntry { name: name.to_owned(), href, about, words }, 1));
        }
    }
    let counted = entries.into_iter().map(|(entry, uses)| match uses {
        1 => entry,
        uses => SearchEntry { about: format!("{} {uses} operations have it.", entry.about), ..entry },
    });
    counted.collect()
}

fn error_codes(document: &ApiDocument<'_>) -> Vec<SearchEntry> {
    let entries = document.error_codes().into_iter().map(|row| SearchEntry {
        href: format!("/docs#error-{}", row.code),
        about: text::summary(&row.text),
        words: format!("{} error", row.status),
        name: row.code,
    });
    entries.collect()
}

fn headers(document: &ApiDocument<'_>) -> Vec<SearchEntry> {
    let entries = document.headers().map(|(name, header)| SearchEntry {
        name: name.to_owned(),
        href: format!("/docs#header-{name}"),
        about: text::summary(string(&header["description"])),
        words: "header".to_owned(),
    });
    entries.collect()
}

/// The operations with all words, those whose summary or path has them first.
pub(crate) fn operations<'a>(entries: impl Iterator<Item = &'a IndexEntry>, words: &[&str]) -> Vec<&'a IndexEntry> {
    let matching = entries.filter_map(|entry| Some((entry.matches(words)?, entry)));
    let (named, others): (Vec<_>, Vec<_>) = matching.partition(|(is_named, _)| *is_named);
    named.into_iter().chain(others).map(|(_, entry)| entry).collect()
}
