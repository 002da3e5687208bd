//! `llms.txt` and `llms-full.txt` for language models, as llmstxt.org describes them: a title, a summary and lists of
//! links; the full file has the guides themselves and one line for each operation.

use std::fmt::Write;

use crate::document::ApiDocument;
use crate::guides::Guide;
use crate::{Tag, text};

/// The list of links.
pub(crate) fn index(document: &ApiDocument<'_>, base_url: &str, tags: &[Tag], guides: &[Guide]) -> String {
    let mut out = head(document);
    let link = |out: &mut String, title: &str, path: &str, about: &str| {
        let colon = if about.is_empty() { "" } else { ": " };
        let _ = writeln!(out, "- [{title}]({base_url}{path}){colon}{about}");
    };
    out.push_str("\n## Start\n\n");
    link(
        &mut out,
        "Quickstart",
        "/docs/quickstart",
        "Create and change an itinerary with curl, Rust, TypeScript and Python.",
    );
    link(&mut out, "OpenAPI document", "/openapi.json", "Every operation, schema and error, with sample requests.");
    link(&mut out, "All guides in one file", "/llms-full.txt", "The texts below, and a list of operations.");
    out.push_str("\n## Guides\n\n");
    let (changelog, guides): (Vec<&Guide>, Vec<&Guide>) = guides.iter().partition(|guide| guide.path == "changelog");
    for guide in guides {
        link(&mut out, &guide.article.title, &format!("/docs/{}", guide.path), guide.about());
    }
    out.push_str("\n## Reference\n\n");
    link(&mut out, "Overview", "/docs", "Sign-in, versions, retries, paging, rate limits, errors.");
    link(&mut out, "Schemas", "/docs/schemas", "The objects of requests and responses.");
    for tag in tags {
        let about = tag.about_text.replace('\n', " ");
        link(&mut out, &tag.name, &format!("/docs#tag-{}", tag.anchor()), text::first_sentence(&about));
    }
    out.push_str("\n## Optional\n\n");
    for guide in changelog {
        link(&mut out, &guide.article.title, &format!("/docs/{}", guide.path), "What has changed.");
    }
    out
}

/// The guides and the operations.
pub(crate) fn full(document: &ApiDocument<'_>, base_url: &str, tags: &[Tag], guides: &[Guide]) -> String {
    let mut out = head(document);
    let _ =
        writeln!(out, "\nThe complete description is the OpenAPI document, {base_url}/openapi.json.\n\n## Operations");
    for tag in tags {
        let _ = writeln!(out, "\n### {}\n", tag.name);
        for entry in &tag.entries {
            let _ = writeln!(out, "- `{} {}` (`{}`): {}", entry.method, entry.path, entry.id, entry.summary);
        }
    }
    for guide in guides.iter().filter(|guide| guide.path != "changelog") {
        let _ = write!(out, "\n---\n\nSource: {base_url}/docs/{}\n\n{}", guide.path, guide.markdown);
    }
    out
}

/// The title and the summary.
fn head(document: &ApiDocument<'_>) -> String {
    let mut paragraphs = document.about().split("\n\n");
    let summary = paragraphs.next().unwrap_or_default();
    let rest = paragraphs.map(|paragraph| format!("\n{paragraph}\n")).collect::<Vec<_>>().concat();
    format!("# {}\n\n> {summary}\n{rest}", document.title())
}
