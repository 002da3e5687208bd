//! The written pages: guides, the changelog and the quickstart. The texts are the project's Markdown files, compiled in.

use askama::Template;

use crate::markdown::{self, Article};
use crate::search::SearchEntry;
use crate::{PageFrame, Tag, text};

/// The server's address in the texts.
const BASE_URL: &str = "http://127.0.0.1:8080";

/// A text of the project.
struct Source {
    /// The file's path in the project, for links between texts.
    file: &'static str,
    /// The page's path below `/docs`.
    path: &'static str,
    /// A title in place of the first heading, for a file whose heading is the name of a package.
    title: Option<&'static str>,
    text: &'static str,
}

/// A source with the text of its file.
macro_rules! source {
    ($path:literal, $file:literal) => {
        Source { file: $file, path: $path, title: None, text: include_str!(concat!("../../../", $file)) }
    };
    ($path:literal, $file:literal, $title:literal) => {
        Source { title: Some($title), ..source!($path, $file) }
    };
}

/// All texts, in the order of the list of guides.
const SOURCES: [Source; 19] = [
    source!("guides/sign-in", "docs/guides/sign-in.md"),
    source!("guides/keep-a-local-copy", "docs/guides/keep-a-local-copy.md"),
    source!("guides/edit-together", "docs/guides/edit-together.md"),
    source!("guides/bring-your-bookings", "docs/guides/bring-your-bookings.md"),
    source!("guides/share-and-explore", "docs/guides/share-and-explore.md"),
    source!("guides/sealed-documents", "docs/guides/sealed-documents.md"),
    source!("guides/plan-with-an-assistant", "docs/guides/plan-with-an-assistant.md"),
    source!("guides/rust", "client-sdk/README.md", "The Rust SDK"),
    source!("guides/clients", "docs/clients.md"),
    source!("guides/typescript", "docs/clients/typescript.md"),
    source!("guides/python", "docs/clients/python.md"),
    source!("guides/mcp", "docs/mcp.md"),
    source!("guides/exports", "docs/exports.md"),
    source!("guides/sealing", "docs/sealing.md"),
    source!("guides/command-line", "client-sdk/cli/README.md", "The command line"),
    source!("guides/conformance", "docs/conformance.md"),
    source!("guides/known-quirks", "docs/known-quirks.md"),
    source!("deprecation", "docs/deprecation.md"),
    source!("changelog", "CHANGELOG.md"),
];

/// Files of the project that a server has under other addresses.
const OTHERS: [(&str, &str); 3] =
    [("openapi/itinerary.json", "/openapi.json"), ("docs/guides/README.md", "/docs/guides"), ("README.md", "/docs")];

/// A text as a page.
pub(crate) struct Guide {
    /// The page's path below `/docs`.
    pub(crate) path: &'static str,
    pub(crate) article: Article,
    /// The text itself, with this server's address.
    pub(crate) markdown: String,
}

impl Guide {
    /// The first sentence.
    pub(crate) fn about(&self) -> &str {
        self.article.sections.first().map(|section| text::first_sentence(&section.about)).unwrap_or_default()
    }

    fn is_changelog(&self) -> bool {
        self.path == "changelog"
    }
}

/// All texts as pages, with this server's address.
pub(crate) fn guides(base_url: &str) -> Vec<Guide> {
    let guides = SOURCES.iter().map(|source| {
        let markdown = source.text.replace(BASE_URL, base_url);
        let mut article = markdown::render(&markdown, |link| address(source.file, link));
        if let Some(title) = source.title {
            title.clone_into(&mut article.title);
        }
        let markdown = linked(&markdown, |link| {
            let address = address(source.file, link)?;
            Some(if address.starts_with('/') { format!("{base_url}{address}") } else { address })
        });
        Guide { path: source.path, article, markdown }
    });
    guides.collect()
}

/// The address of a link in a file; `None` if it leads to a file that the server does not have.
fn address(file: &str, link: &str) -> Option<String> {
    if link.starts_with("https://") || link.starts_with('#') {
        return Some(link.to_owned());
    }
    let (target, fragment) = link.split_once('#').map_or((link, String::new()), |(path, id)| (path, format!("#{id}")));
    let mut parts: Vec<&str> = file.split('/').collect();
    parts.pop();
    for part in target.split('/') {
        match part {
            ".." => drop(parts.pop()?),
            "." => {}
            part => parts.push(part),
        }
    }
    let target = parts.join("/");
    let other = OTHERS.iter().find(|(file, _)| *file == target).map(|(_, address)| (*address).to_owned());
    let page = SOURCES.iter().find(|source| source.file == target);
    other.or_else(|| page.map(|source| format!("/docs/{}{fragment}", source.path)))
}

/// A Markdown text with whole addresses in its links. A link that does not resolve becomes its text.
fn linked(markdown: &str, resolve: impl Fn(&str) -> Option<String>) -> String {
    let mut parts = markdown.split("](");
    let mut out = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let end = part.find(')').filter(|end| !part[..*end].contains(char::is_whitespace));
        match (end, end.and_then(|end| resolve(&part[..end])), out.rfind('[')) {
            (Some(end), Some(address), _) => {
                out.extend(["](", &address, &part[end..]]);
            }
            (Some(end), None, Some(start)) => {
                out.remove(start);
                out.push_str(&part[end + 1..]);
            }
            _ => {
                out.push_str("](");
                out.push_str(part);
            }
        }
    }
    out
}

/// The guides and their sections, for searches.
pub(crate) fn entries(guides: &[Guide]) -> Vec<SearchEntry> {
    let entries = guides.iter().flat_map(|guide| {
        guide.article.sections.iter().map(|section| {
            let title = &guide.article.title;
            let about = text::first_sentence(&section.about).to_owned();
            if section.id.is_empty() {
                SearchEntry::new(title.clone(), format!("/docs/{}", guide.path), about)
            } else {
                let href = format!("/docs/{}#{}", guide.path, section.id);
                SearchEntry::new(format!("{title}: {}", section.title), href, about)
            }
        })
    });
    entries.collect()
}

#[derive(Template)]
#[template(path = "guide.html")]
pub(crate) struct GuidePage<'a> {
    pub(crate) frame: PageFrame,
    pub(crate) tags: &'a [Tag],
    pub(crate) current: &'a str,
    pub(crate) guide: &'a Guide,
}

impl<'a> GuidePage<'a> {
    pub(crate) fn new(tags: &'a [Tag], guide: &'a Guide) -> Self {
        let current = if guide.is_changelog() { "changelog" } else { "guides" };
        Self { frame: PageFrame::PUBLIC, tags, current, guide }
    }
}

#[derive(Template)]
#[template(path = "guides.html")]
pub(crate) struct GuideIndexPage<'a> {
    pub(crate) frame: PageFrame,
    pub(crate) tags: &'a [Tag],
    pub(crate) current: &'a str,
    pub(crate) guides: Vec<&'a Guide>,
}

impl<'a> GuideIndexPage<'a> {
    pub(crate) fn new(tags: &'a [Tag], guides: &'a [Guide]) -> Self {
        let guides = guides.iter().filter(|guide| !guide.is_changelog()).collect();
        Self { frame: PageFrame::PUBLIC, tags, current: "guides", guides }
    }
}

/// A program of the quickstart.
struct Program {
    label: &'static str,
    /// HTML: what it needs.
    before: String,
    source: String,
}

#[derive(Template)]
#[template(path = "quickstart.html")]
pub(crate) struct QuickstartPage<'a> {
    frame: PageFrame,
    tags: &'a [Tag],
    current: &'a str,
    programs: Vec<Program>,
}

impl<'a> QuickstartPage<'a> {
    pub(crate) fn new(tags: &'a [Tag], base_url: &str) -> Self {
        // The tests compile and run these files.
        let programs = [
            ("curl", "", include_str!("../../../tests/clients/quickstart/quickstart.sh")),
            (
                "Rust",
                "Needs `cargo add tokio --features full`, and with a checkout `cargo add --path itinerary/client-sdk`.",
                include_str!("../../../client-sdk/examples/quickstart.rs"),
            ),
            (
                "TypeScript",
                "Needs `npm install openapi-fetch openapi-typescript` and `npx openapi-typescript http://127.0.0.1:8080/openapi.json --output schema.d.ts`.",
                include_str!("../../../tests/clients/quickstart/quickstart.ts"),
            ),
            ("Python", "Needs `pip install httpx`.", include_str!("../../../tests/clients/quickstart/quickstart.py")),
        ];
        let programs = programs.map(|(label, before, source)| Program {
            label,
            before: text::inline(&before.replace(BASE_URL, base_url)),
            source: without_head(source).replace(BASE_URL, base_url),
        });
        Self { frame: PageFrame::PUBLIC, tags, current: "quickstart", programs: programs.into() }
    }
}

/// A program without the comment at its beginning, which says what tests it.
fn without_head(source: &str) -> String {
    let is_comment = |line: &&str| line.starts_with("//") || line.starts_with('#') || line.is_empty();
    source.lines().skip_while(is_comment).collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_plain_texts_have_whole_addresses() {
        let guides = guides("https://trips.example");
        let all: String = guides.iter().map(|guide| guide.markdown.as_str()).collect();
        assert!(all.contains("](https://trips.example/docs/guides/"));
        assert!(!all.contains("](../") && !all.contains("](guides/"), "a link that leads nowhere");
    }

    #[test]
    fn links_between_files_lead_to_pages() {
        let from = |file: &str, link: &str| address(file, link);
        assert_eq!(from("docs/guides/sign-in.md", "../mcp.md#tools"), Some("/docs/guides/mcp#tools".to_owned()));
        assert_eq!(from("docs/mcp.md", "guides/sign-in.md"), Some("/docs/guides/sign-in".to_owned()));
        assert_eq!(from("docs/clients.md", "../openapi/itinerary.json"), Some("/openapi.json".to_owned()));
        assert_eq!(from("docs/clients.md", "../tests/clients"), None);
        assert_eq!(from("docs/clients.md", "../../../etc/passwd"), None);
        assert_eq!(from("docs/clients.md", "http://plain.example"), None);
        assert_eq!(
            from("docs/clients.md", "https://age-encryption.org"),
            Some("https://age-encryption.org".to_owned())
        );
    }
}
