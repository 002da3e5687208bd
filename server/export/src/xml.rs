//! A small XML writer. Every text and attribute is escaped; element names are ours.

use std::fmt::Write;

use crate::text;

pub(crate) struct Xml {
    out: String,
    open: Vec<&'static str>,
}

impl Xml {
    pub(crate) fn new() -> Self {
        Self { out: "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n".to_owned(), open: Vec::new() }
    }

    /// Opens an element.
    pub(crate) fn start(&mut self, name: &'static str, attributes: &[(&str, &str)]) {
        self.tag(name, attributes, ">\n");
        self.open.push(name);
    }

    /// Closes the innermost open element.
    pub(crate) fn end(&mut self) {
        if let Some(name) = self.open.pop() {
            _ = writeln!(self.out, "</{name}>");
        }
    }

    /// An element with text, cleaned. No element if the text is empty.
    pub(crate) fn text(&mut self, name: &'static str, content: &str) {
        if !content.is_empty() {
            self.tag(name, &[], ">");
            self.out.push_str(&text::markup(&text::clean(content)));
            _ = writeln!(self.out, "</{name}>");
        }
    }

    fn tag(&mut self, name: &'static str, attributes: &[(&str, &str)], end: &str) {
        _ = write!(self.out, "<{name}");
        for (attribute, value) in attributes {
            _ = write!(self.out, " {attribute}=\"{}\"", text::markup(&text::line(value)));
        }
        self.out.push_str(end);
    }

    /// The document, with every element closed.
    pub(crate) fn finish(mut self) -> String {
        while !self.open.is_empty() {
            self.end();
        }
        self.out
    }
}
