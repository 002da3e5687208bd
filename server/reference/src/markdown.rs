//! Markdown as HTML for the pages: headings with ids, tables and code that scroll, and links that lead to other pages.
//! HTML in the text is shown as text.

use std::vec::IntoIter;

use pulldown_cmark::{CodeBlockKind, Event, HeadingLevel, Options, Parser, Tag, TagEnd, html};

use crate::text;

/// Ids of the layout, which no heading may have.
const TAKEN: [&str; 6] = ["found", "main", "matches", "page", "search", "top"];

/// A text that is rendered.
pub(crate) struct Article {
    /// The first heading, as plain text.
    pub(crate) title: String,
    /// All but the first heading.
    pub(crate) html: String,
    /// The text under the first heading, then those under the others.
    pub(crate) sections: Vec<Section>,
}

/// The text under a heading.
pub(crate) struct Section {
    /// The id of the heading; empty under the first one.
    pub(crate) id: String,
    pub(crate) title: String,
    /// The first paragraph, as plain text.
    pub(crate) about: String,
}

/// Renders a text. `resolve` returns the address of a link; a link without one is shown as text.
pub(crate) fn render(source: &str, resolve: impl Fn(&str) -> Option<String>) -> Article {
    let mut writer = Writer {
        events: Parser::new_ext(source, Options::ENABLE_TABLES).collect::<Vec<_>>().into_iter(),
        out: Vec::new(),
        sections: Vec::new(),
        tables: 0,
        resolve,
    };
    writer.run();
    let mut rendered = String::new();
    html::push_html(&mut rendered, writer.out.into_iter());
    let title = writer.sections.first().map(|section| section.title.clone()).unwrap_or_default();
    Article { title, html: rendered, sections: writer.sections }
}

struct Writer<'a, R> {
    events: IntoIter<Event<'a>>,
    out: Vec<Event<'a>>,
    sections: Vec<Section>,
    /// How many tables there are so far.
    tables: usize,
    resolve: R,
}

impl<'a, R: Fn(&str) -> Option<String>> Writer<'a, R> {
    fn run(&mut self) {
        let mut links = Vec::new();
        while let Some(event) = self.events.next() {
            match event {
                Event::Start(Tag::Heading { level, .. }) => self.heading(level),
                Event::Start(Tag::CodeBlock(kind)) => self.code(&kind),
                Event::Start(Tag::Paragraph) => self.paragraph_starts(),
                Event::Start(Tag::Table(alignments)) => {
                    self.tables += 1;
                    let open = format!(
                        "<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"Table {}\">",
                        self.tables
                    );
                    self.out.extend([Event::Html(open.into()), Event::Start(Tag::Table(alignments))]);
                }
                Event::End(TagEnd::Table) => self.out.extend([event, Event::Html("</div>\n".into())]),
                Event::Start(Tag::Link { link_type, dest_url, title, id }) => {
                    let address = (self.resolve)(&dest_url);
                    links.push(address.is_some());
                    self.out.extend(
                        address
                            .map(|address| Event::Start(Tag::Link { link_type, dest_url: address.into(), title, id })),
                    );
                }
                Event::End(TagEnd::Link) => self.out.extend(links.pop().is_some_and(|kept| kept).then_some(event)),
                // The pages show no pictures; their descriptions stay.
                Event::Start(Tag::Image { .. }) | Event::End(TagEnd::Image) => {}
                Event::Html(text) | Event::InlineHtml(text) => self.out.push(Event::Text(text)),
                other => self.out.push(other),
            }
        }
    }

    fn heading(&mut self, level: HeadingLevel) {
        let end = TagEnd::Heading(level);
        let inner: Vec<Event<'a>> = self.events.by_ref().take_while(|event| *event != Event::End(end)).collect();
        let title = plain(inner.iter());
        if self.sections.is_empty() {
            self.sections.push(Section { id: String::new(), title, about: String::new() });
            return;
        }
        let id = self.free_id(&title);
        let start = Tag::Heading { level, id: Some(id.clone().into()), classes: Vec::new(), attrs: Vec::new() };
        self.out.push(Event::Start(start));
        self.out.extend(inner);
        self.out.push(Event::End(end));
        self.sections.push(Section { id, title, about: String::new() });
    }

    /// The id of a heading as on GitHub, with a number if it is taken.
    fn free_id(&self, title: &str) -> String {
        let id = anchor(title);
        let is_taken = |id: &str| TAKEN.contains(&id) || self.sections.iter().any(|section| section.id == id);
        if !is_taken(&id) {
            return id;
        }
        // One of them is free, because there are more of them than ids.
        let most = TAKEN.len() + self.sections.len() + 1;
        (1..=most).map(|n| format!("{id}-{n}")).find(|id| !is_taken(id)).unwrap_or_default()
    }

    /// Notes the first paragraph of a section.
    fn paragraph_starts(&mut self) {
        if let Some(section) = self.sections.last_mut().filter(|section| section.about.is_empty()) {
            let rest = self.events.as_slice().iter();
            section.about = plain(rest.take_while(|event| **event != Event::End(TagEnd::Paragraph)));
        }
        self.out.push(Event::Start(Tag::Paragraph));
    }

    /// A block of code. In Rust, lines that documentation hides are left out.
    fn code(&mut self, kind: &CodeBlockKind<'_>) {
        let inner = self.events.by_ref().take_while(|event| *event != Event::End(TagEnd::CodeBlock));
        let code = plain(inner.collect::<Vec<_>>().iter());
        let language = match kind {
            CodeBlockKind::Fenced(info) => info.split([',', ' ']).next().unwrap_or_default(),
            CodeBlockKind::Indented => "",
        };
        let is_hidden = |line: &str| language == "rust" && (line == "#" || line.starts_with("# "));
        let lines: Vec<&str> = code.trim_end().lines().filter(|line| !is_hidden(line)).collect();
        let (class, label) = match language {
            "" | "text" => ("", "Output"),
            "sh" => (" class=\"sample\"", "Commands"),
            _ => (" class=\"sample\"", "Code"),
        };
        let code = text::escape(&lines.join("\n"));
        let block = format!("<pre{class} tabindex=\"0\" aria-label=\"{label}\"><code>{code}</code></pre>\n");
        self.out.push(Event::Html(block.into()));
    }
}

/// The text of events without its format.
fn plain<'e>(events: impl Iterator<Item = &'e Event<'e>>) -> String {
    let pieces = events.map(|event| match event {
        Event::Text(text) | Event::Code(text) => text.as_ref(),
        Event::SoftBreak | Event::HardBreak => " ",
        _ => "",
    });
    pieces.collect()
}

/// A heading as the fragment of an address: in lower case, with hyphens for spaces, without punctuation.
fn anchor(title: &str) -> String {
    let kept = title.chars().filter(|it| it.is_alphanumeric() || matches!(it, ' ' | '-' | '_'));
    kept.flat_map(char::to_lowercase).map(|it| if it == ' ' { '-' } else { it }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rendered(source: &str) -> Article {
        render(source, |link| link.strip_suffix(".md").map(|name| format!("/docs/{name}")))
    }

    #[test]
    fn html_is_shown_as_text() {
        let article = rendered(
            "# T\n\n<script>alert(1)</script>\n\na <b onclick=x>b</b> <img src=x>\n\n![a <b>](https://x.example/i.png)",
        );
        assert!(!article.html.contains("<script") && !article.html.contains("<b ") && !article.html.contains("<img"));
        assert!(article.html.contains("&lt;script&gt;"), "{}", article.html);
    }

    #[test]
    fn links_lead_to_pages_or_are_text() {
        let article = rendered("# T\n\n[one](other.md) and [two](file.rs) and [three](javascript:alert)");
        assert_eq!(article.html, "<p><a href=\"/docs/other\">one</a> and two and three</p>\n");
    }

    #[test]
    fn headings_have_ids_of_their_own() {
        let article =
            rendered("# The *title*\n\nFirst `words`\nhere.\n\n## What's new?\n\n### Page\n\n## What's new?\n\nText.");
        assert_eq!(article.title, "The title");
        let ids: Vec<&str> = article.sections.iter().map(|section| section.id.as_str()).collect();
        assert_eq!(ids, ["", "whats-new", "page-1", "whats-new-1"]);
        assert_eq!(article.sections[0].about, "First words here.");
        assert_eq!(article.sections[3].about, "Text.");
        assert!(article.html.contains("<h2 id=\"whats-new\">What's new?</h2>"), "{}", article.html);
    }

    #[test]
    fn code_is_escaped_and_hidden_lines_are_left_out() {
        let article =
            rendered("# T\n\n```rust,no_run\n# fn main() {\nlet a = \"<b>\";\n# }\n```\n\n```sh\n# a comment\n```");
        assert!(article.html.contains("<code>let a = &quot;&lt;b&gt;&quot;;</code>"), "{}", article.html);
        assert!(article.html.contains("<code># a comment</code>"));
    }
}
