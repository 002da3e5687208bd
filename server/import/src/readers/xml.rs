//! XML as a tree, within limits: no document types, no entities of its own, bounded depth and size.

use quick_xml::Reader;
use quick_xml::events::{BytesStart, Event};

use crate::budget::{Budget, Exceeded};
use crate::file::{Ignored, Reason};

/// Elements inside elements.
const MAX_DEPTH: usize = 64;
/// Elements that are kept.
const MAX_ELEMENTS: usize = 100_000;
/// Bytes of one text. What is longer is cut.
const LONGEST_TEXT: usize = 20_000;
/// Events after which the budget is asked.
const CHECK_EVERY: usize = 1_000;

/// An element. Names are without their prefixes.
#[derive(Debug, Default)]
pub(super) struct Element {
    pub(super) name: String,
    attributes: Vec<(String, String)>,
    text: String,
    pub(super) children: Vec<Element>,
}

impl Element {
    /// The first child of a name.
    pub(super) fn child(&self, name: &str) -> Option<&Element> {
        self.children.iter().find(|child| child.name == name)
    }

    /// All children of a name.
    pub(super) fn all<'e>(&'e self, name: &'e str) -> impl Iterator<Item = &'e Element> {
        self.children.iter().filter(move |child| child.name == name)
    }

    /// Its own text, trimmed. `None` if it is blank.
    pub(super) fn text(&self) -> Option<&str> {
        Some(self.text.trim()).filter(|text| !text.is_empty())
    }

    /// The text of the first child of a name.
    pub(super) fn text_of(&self, name: &str) -> Option<&str> {
        self.child(name)?.text()
    }

    /// An attribute, trimmed.
    pub(super) fn attribute(&self, name: &str) -> Option<&str> {
        self.attributes.iter().find(|(found, _)| found == name).map(|(_, value)| value.trim())
    }
}

/// Parses a document into its root. Elements of the names in `skipped` are left out with all that is in them. A document
/// that breaks off is read as far as it goes.
pub(super) fn parse(text: &str, skipped: &[&str], budget: &Budget<'_>) -> Result<Element, Ignored> {
    budget.check()?;
    let mut reader = Reader::from_str(text);
    reader.config_mut().check_end_names = false;
    let mut open = vec![Element::default()];
    let (mut skipping, mut elements, mut events) = (0_usize, 0_usize, 0_usize);
    loop {
        events += 1;
        if events.is_multiple_of(CHECK_EVERY) {
            budget.check()?;
        }
        match reader.read_event() {
            Ok(Event::Start(start)) if skipping > 0 || is_skipped(&start, skipped) => {
                skipping += 1;
                if skipping > MAX_DEPTH {
                    return Err(malformed("Elements are nested too deep."));
                }
            }
            Ok(Event::Start(start)) => {
                elements += 1;
                if open.len() > MAX_DEPTH {
                    return Err(malformed("Elements are nested too deep."));
                }
                open.push(element(&start));
            }
            Ok(Event::Empty(start)) if skipping == 0 && !is_skipped(&start, skipped) => {
                elements += 1;
                let child = element(&start);
                innermost(&mut open).children.push(child);
            }
            Ok(Event::End(_)) if skipping > 0 => skipping -= 1,
            Ok(Event::End(_)) => close(&mut open),
            Ok(Event::Text(text)) if skipping == 0 => push(&mut open, &text.decode().unwrap_or_default()),
            Ok(Event::CData(text)) if skipping == 0 => push(&mut open, &text.decode().unwrap_or_default()),
            Ok(Event::GeneralRef(reference)) if skipping == 0 => {
                let character = reference.resolve_char_ref().ok().flatten();
                let name = reference.decode().unwrap_or_default();
                match character
                    .map(String::from)
                    .or_else(|| quick_xml::escape::resolve_predefined_entity(&name).map(str::to_owned))
                {
                    Some(text) => push(&mut open, &text),
                    None => return Err(malformed("The XML uses an entity of its own, which is not read.")),
                }
            }
            Ok(Event::DocType(_)) => {
                let message = "The XML has a document type, which is not read.".to_owned();
                return Err(Ignored { reason: Reason::Unsupported, message });
            }
            Ok(Event::Eof) => break,
            Ok(_) => {}
            Err(error) if elements == 0 => return Err(malformed(&format!("The XML is damaged: {error}."))),
            Err(_) => break,
        }
        if elements > MAX_ELEMENTS {
            return Err(Exceeded::Elements.into());
        }
    }
    while open.len() > 1 {
        close(&mut open);
    }
    let root = open.pop().and_then(|document| document.children.into_iter().next());
    root.ok_or_else(|| malformed("The XML has no element."))
}

fn is_skipped(start: &BytesStart<'_>, skipped: &[&str]) -> bool {
    let name = start.local_name();
    skipped.iter().any(|skipped| skipped.as_bytes() == name.as_ref())
}

fn element(start: &BytesStart<'_>) -> Element {
    let name = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let attributes = start.attributes().flatten().take(20).map(|attribute| {
        let raw = String::from_utf8_lossy(&attribute.value);
        let value = quick_xml::escape::unescape(&raw).map_or_else(|_| raw.to_string(), std::borrow::Cow::into_owned);
        (name(attribute.key.local_name().as_ref()), value)
    });
    Element { attributes: attributes.collect(), name: name(start.local_name().as_ref()), ..Element::default() }
}

/// The innermost open element. The document itself is never closed.
fn innermost(open: &mut Vec<Element>) -> &mut Element {
    if open.is_empty() {
        open.push(Element::default());
    }
    let last = open.len() - 1;
    &mut open[last]
}

/// Closes the innermost element.
fn close(open: &mut Vec<Element>) {
    if open.len() > 1
        && let Some(child) = open.pop()
    {
        innermost(open).children.push(child);
    }
}

fn push(open: &mut Vec<Element>, text: &str) {
    let element = innermost(open);
    if element.text.len() < LONGEST_TEXT {
        element.text.extend(text.chars().take(LONGEST_TEXT));
    }
}

fn malformed(message: &str) -> Ignored {
    Ignored { reason: Reason::Malformed, message: message.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(text: &str) -> Result<Element, Ignored> {
        parse(text, &["skip"], &Budget::new(&|| false))
    }

    #[test]
    fn a_tree_of_elements() {
        let root = parsed("<?xml version=\"1.0\"?><a:r x=\"1 &amp; 2\"><b>q &lt;&#233;<![CDATA[<i>]]></b><skip><b>no</b></skip><c/></a:r>").unwrap();
        assert_eq!((root.name.as_str(), root.attribute("x")), ("r", Some("1 & 2")));
        assert_eq!(root.text_of("b"), Some("q <é<i>"));
        assert_eq!(root.children.len(), 2);
        // Broken off, and closed by other names.
        assert_eq!(parsed("<r><b>x</b><b>y").unwrap().all("b").count(), 2);
        assert_eq!(parsed("<r><b>x</i></r>").unwrap().text_of("b"), Some("x"));
    }

    #[test]
    fn what_is_dangerous_is_refused() {
        let reason = |text: &str| parsed(text).unwrap_err().reason;
        assert_eq!(reason("<!DOCTYPE r [<!ENTITY a \"b\">]><r>&a;</r>"), Reason::Unsupported);
        assert_eq!(reason("<r>&a;</r>"), Reason::Malformed);
        assert_eq!(reason(&"<r>".repeat(100)), Reason::Malformed);
        assert_eq!(reason(&format!("<r>{}</r>", "<b/>".repeat(MAX_ELEMENTS))), Reason::TooLarge);
        assert_eq!(reason(""), Reason::Malformed);
        assert_eq!(reason("<"), Reason::Malformed);
        assert_eq!(
            parse(&format!("<r>{}</r>", "<b/>".repeat(5_000)), &[], &Budget::new(&|| true)).unwrap_err().reason,
            Reason::TooLarge
        );
    }
}
