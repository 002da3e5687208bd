//! Pages and HTML mails: JSON-LD in scripts, and microdata.
//!
//! Runs no script and fetches nothing. Text without mark-up is not read.

mod microdata;
mod tree;

use scraper::{ElementRef, Html};
use serde_json::Value;

use super::{json_ld, schema_org};
use crate::budget::Budget;
use crate::file::{Found, Ignored};
use crate::text::contains_ignoring_case;

/// Reads a page. What was read before a limit is exceeded is kept.
pub fn read(text: &str, budget: &mut Budget) -> (Found, Vec<Ignored>) {
    let mut found = Found::default();
    let mut ignored = Vec::new();
    let has_microdata = contains_ignoring_case(text.as_bytes(), b"itemscope");
    let has_scripts = contains_ignoring_case(text.as_bytes(), b"ld+json");
    // Most mails have neither.
    if !has_microdata && !has_scripts {
        return (found, ignored);
    }
    let (page, exceeded) = tree::parse(text, budget);
    ignored.extend(exceeded.map(Ignored::from));
    let mut values = scripts(&page, &mut ignored);
    if has_microdata {
        ignored.extend(microdata::items(&page, budget, &mut values).err().map(Ignored::from));
    }
    // Trees are large.
    drop(page);
    ignored.extend(schema_org::read(&values, budget, &mut found.bookings).err().map(Ignored::from));
    (found, ignored)
}

/// The values of all JSON-LD scripts.
fn scripts(page: &Html, ignored: &mut Vec<Ignored>) -> Vec<Value> {
    let mut values = Vec::new();
    for script in page.tree.nodes().filter_map(ElementRef::wrap).filter(is_json_ld) {
        let text: String = script.text().collect();
        match json_ld::values(&text) {
            Ok(more) => values.extend(more),
            Err(error) => ignored.push(error),
        }
    }
    values
}

fn is_json_ld(element: &ElementRef) -> bool {
    let media_type = element.attr("type").unwrap_or_default();
    element.value().name() == "script" && contains_ignoring_case(media_type.as_bytes(), b"ld+json")
}

#[cfg(test)]
mod tests;
