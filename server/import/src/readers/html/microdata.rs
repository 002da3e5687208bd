//! Microdata to JSON, so that one reader reads both.
//!
//! Follows the HTML standard, but takes `content` and `datetime` of any element, as senders use them. Values are texts.

use std::collections::HashMap;

use scraper::{ElementRef, Html};
use serde_json::{Map, Value};

use crate::budget::{Budget, Exceeded};

/// Items in items.
const MAX_DEPTH: usize = 16;
/// Properties of all items.
const MAX_PROPERTIES: usize = 50_000;
/// Bytes of all values together.
const MAX_BYTES: usize = 5_000_000;
/// Bytes of one value; descriptions may be cut.
const MAX_VALUE: usize = 20_000;

/// Adds the top-level items of a page to `values`, in order.
pub(super) fn items(page: &Html, budget: &Budget, values: &mut Vec<Value>) -> Result<(), Exceeded> {
    let mut crawler = Crawler { by_id: HashMap::new(), budget, properties: 0, bytes: 0 };
    let elements = || page.tree.nodes().filter_map(ElementRef::wrap);
    for element in elements() {
        if let Some(id) = element.attr("id") {
            crawler.by_id.entry(id).or_insert(element);
        }
    }
    let has_references = elements().any(|element| element.attr("itemref").is_some());
    for element in elements().filter(|element| is_item(*element)) {
        // Senders forget the item around a property. With references it may be anywhere in the page.
        let is_top = element.attr("itemprop").is_none()
            || (!has_references && !element.ancestors().filter_map(ElementRef::wrap).any(is_item));
        if is_top {
            values.push(crawler.item(element, 0)?);
        }
    }
    Ok(())
}

fn is_item(element: ElementRef) -> bool {
    element.attr("itemscope").is_some()
}

struct Crawler<'p, 'b> {
    by_id: HashMap<&'p str, ElementRef<'p>>,
    budget: &'p Budget<'b>,
    properties: usize,
    bytes: usize,
}

impl<'p> Crawler<'p, '_> {
    fn item(&mut self, item: ElementRef<'p>, depth: usize) -> Result<Value, Exceeded> {
        let mut object = Map::new();
        if let Some(name) = item.attr("itemtype").and_then(|types| types.split_ascii_whitespace().next()) {
            object.insert("@type".to_owned(), Value::from(name));
        }
        if let Some(id) = item.attr("itemid") {
            object.insert("@id".to_owned(), Value::from(id));
        }
        let referred = item.attr("itemref").unwrap_or_default().split_ascii_whitespace();
        let referred: Vec<ElementRef> = referred.filter_map(|id| self.by_id.get(id).copied()).collect();
        let mut open: Vec<ElementRef> = referred.into_iter().rev().collect();
        push_children(&mut open, item);
        while let Some(element) = open.pop() {
            if let Some(names) = element.attr("itemprop") {
                self.property(&mut object, names, element, depth)?;
            }
            if !is_item(element) {
                push_children(&mut open, element);
            }
        }
        Ok(Value::Object(object))
    }

    fn property(
        &mut self,
        object: &mut Map<String, Value>,
        names: &str,
        element: ElementRef<'p>,
        depth: usize,
    ) -> Result<(), Exceeded> {
        self.budget.check()?;
        let mut names = names.split_ascii_whitespace();
        if is_item(element) {
            // One name only: copies of items in items would multiply.
            let Some(name) = names.next().filter(|_| depth < MAX_DEPTH) else { return Ok(()) };
            self.count(0)?;
            let item = self.item(element, depth + 1)?;
            add(object, name, item);
            return Ok(());
        }
        let value = text(element);
        for name in names {
            self.count(value.len())?;
            add(object, name, Value::from(value.as_str()));
        }
        Ok(())
    }

    fn count(&mut self, bytes: usize) -> Result<(), Exceeded> {
        self.properties += 1;
        self.bytes += bytes;
        if self.properties > MAX_PROPERTIES || self.bytes > MAX_BYTES { Err(Exceeded::Elements) } else { Ok(()) }
    }
}

/// Adds children so that the first is taken first.
fn push_children<'p>(open: &mut Vec<ElementRef<'p>>, element: ElementRef<'p>) {
    open.extend(element.children().rev().filter_map(ElementRef::wrap));
}

/// Several values of a property become an array.
fn add(object: &mut Map<String, Value>, name: &str, value: Value) {
    match object.get_mut(name) {
        None => _ = object.insert(name.to_owned(), value),
        Some(Value::Array(values)) => values.push(value),
        Some(first) => {
            let first_value = first.take();
            *first = Value::Array(vec![first_value, value]);
        }
    }
}

/// The value of a property that is no item.
fn text(element: ElementRef) -> String {
    let attribute = match element.value().name() {
        "a" | "area" | "link" => "href",
        "audio" | "embed" | "iframe" | "img" | "source" | "track" | "video" => "src",
        "object" => "data",
        "data" | "meter" => "value",
        _ => "datetime",
    };
    match element.attr("content").or_else(|| element.attr(attribute)) {
        Some(value) => value.to_owned(),
        None => content(element),
    }
}

/// The text in an element, with line breaks where the page shows them.
fn content(element: ElementRef) -> String {
    let mut text = String::new();
    for node in element.descendants().skip(1) {
        if let Some(part) = node.value().as_text() {
            text.push_str(part);
        } else if node
            .value()
            .as_element()
            .is_some_and(|element| matches!(element.name(), "br" | "p" | "div" | "li" | "tr"))
        {
            text.push('\n');
        }
        if text.len() > MAX_VALUE {
            break;
        }
    }
    text.truncate(text.floor_char_boundary(MAX_VALUE));
    text
}
