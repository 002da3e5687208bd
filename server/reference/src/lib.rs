//! The reference pages of the API, rendered from its OpenAPI document.
//!
//! Pure: a document goes in, HTML comes out. Each operation and each schema has a page of its own, whose address is its
//! name in the document. [`Facts`] are the few facts that the document lacks. The guides and the changelog are the
//! project's Markdown files, compiled in.

mod document;
mod fields;
mod guides;
mod llms;
mod markdown;
mod operation;
mod overview;
mod schema;
mod search;
mod text;

use askama::Template;
use serde_json::Value;

use document::ApiDocument;
use guides::{GuideIndexPage, GuidePage, QuickstartPage};
use operation::Operation;
use overview::{OverviewPage, SearchPage};
use schema::{SchemaIndexPage, SchemaPage};
use search::Index;

/// The style sheet of the pages, in addition to the style sheet of all pages of the server.
pub const STYLE: &str = include_str!("../assets/docs.css");
/// The script of the pages: the filter, signing in and trying operations.
pub const SCRIPT: &str = include_str!("../assets/docs.js");

/// The client with which the pages sign in.
pub const CLIENT_ID: &str = "reference-pages";
/// The name of this client on the consent page.
pub const CLIENT_NAME: &str = "Reference pages";
/// The path to which this client is redirected after sign-in.
pub const REDIRECT_PATH: &str = "/docs/signed-in";

/// The rate limit of a kind of operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limit {
    pub name: &'static str,
    /// The operations that it counts.
    pub about: &'static str,
    pub per_minute: u32,
}

/// What the document does not say about the server.
pub struct Facts<'a> {
    /// The server's address without a trailing slash.
    pub base_url: &'a str,
    /// All rate limits.
    pub limits: &'a [Limit],
    /// The rate limit of an operation.
    pub limit_of: &'a dyn Fn(&str) -> Option<Limit>,
}

/// Everything that is rendered from a document.
#[derive(Clone, Debug)]
pub struct Rendered {
    pub reference: Reference,
    pub pages: Vec<Page>,
    /// The file `llms.txt`: links for language models.
    pub llms: String,
    /// The file `llms-full.txt`: the guides and a list of operations.
    pub llms_full: String,
}

/// A rendered page.
#[derive(Clone, Debug)]
pub struct Page {
    /// The path below `/docs`, without a leading slash; empty for the overview.
    pub path: String,
    pub html: String,
}

/// An operation in the index.
#[derive(Clone, Debug)]
struct IndexEntry {
    id: String,
    method: String,
    path: String,
    summary: String,
    tag: String,
    is_deprecated: bool,
}

impl IndexEntry {
    /// Whether the summary, the path and the id contain every word; `None` if not even all its text does. The words are
    /// in lower case.
    fn matches(&self, words: &[&str]) -> Option<bool> {
        let named = format!("{} {} {}", self.id, self.path, self.summary).to_lowercase();
        let text = format!("{named} {} {}", self.method, self.tag).to_lowercase();
        let has_all = |text: &str| words.iter().all(|word| text.contains(word));
        has_all(&text).then(|| has_all(&named))
    }
}

/// The operations of a tag.
#[derive(Clone, Debug)]
struct Tag {
    name: String,
    /// HTML.
    about: String,
    /// The same as text.
    about_text: String,
    entries: Vec<IndexEntry>,
}

impl Tag {
    /// The name as a fragment of an address.
    fn anchor(&self) -> String {
        self.name.to_lowercase().replace(' ', "-")
    }
}

/// What every page shows.
struct PageFrame {
    viewer: Option<String>,
}

impl PageFrame {
    const PUBLIC: Self = Self { viewer: None };
}

/// A scope that a reader may request.
#[derive(Clone, Debug)]
struct ScopeRow {
    name: String,
    about: String,
}

/// What the panel for signing in needs.
#[derive(Clone, Debug)]
struct SignIn {
    base_url: String,
    scopes: Vec<ScopeRow>,
    /// The scope that the operation on the page needs.
    needed: Option<String>,
}

impl SignIn {
    fn is_chosen(&self, scope: &str) -> bool {
        scope == "itineraries:read" || self.needed.as_deref() == Some(scope)
    }

    /// An id for the checkbox of a scope.
    fn id(scope: &str) -> String {
        scope.replace(':', "-")
    }
}

/// What searches look through.
#[derive(Clone, Debug)]
pub struct Reference {
    tags: Vec<Tag>,
    index: Index,
}

/// Renders all pages of a document, and the written pages.
pub fn render(document: &Value, facts: &Facts<'_>) -> Rendered {
    let document = ApiDocument::new(document);
    let operations: Vec<Operation> =
        document.operations().map(|found| Operation::read(&document, &found, facts)).collect();
    let tags = tags(&document, &operations);
    let guides = guides::guides(facts.base_url);
    let reference = Reference { tags, index: Index::new(&document, &guides) };
    let scopes = document.scopes();
    let sign_in = |needed: Option<&str>| SignIn {
        base_url: facts.base_url.to_owned(),
        scopes: scopes.clone(),
        needed: needed.map(str::to_owned),
    };
    let tags = &reference.tags;
    let mut pages = vec![
        page("", &OverviewPage::new(&document, facts, tags, sign_in(None))),
        page("signed-in", &SignedInPage { frame: PageFrame::PUBLIC }),
        page("schemas", &SchemaIndexPage::new(&document, tags)),
        page("quickstart", &QuickstartPage::new(tags, facts.base_url)),
        page("guides", &GuideIndexPage::new(tags, &guides)),
    ];
    pages.extend(guides.iter().map(|guide| page(guide.path, &GuidePage::new(tags, guide))));
    for operation in &operations {
        let sign_in = operation.needs_token.then(|| sign_in(operation.scope.as_deref()));
        let template = operation::OperationPage {
            frame: PageFrame::PUBLIC,
            tags,
            current: &operation.entry.id,
            operation,
            sign_in,
        };
        pages.push(page(&operation.entry.id, &template));
    }
    for (name, schema) in document.schemas() {
        pages.push(page(&format!("schemas/{name}"), &SchemaPage::new(&document, tags, &operations, name, schema)));
    }
    let llms = llms::index(&document, facts.base_url, tags, &guides);
    let llms_full = llms::full(&document, facts.base_url, tags, &guides);
    Rendered { reference, pages, llms, llms_full }
}

impl Reference {
    /// Renders everything that has all words of a search. Bounded: a search is cut after 100 characters, and long lists
    /// are cut.
    pub fn search(&self, search: &str) -> String {
        let search = search::cut(search);
        let lower = search.to_lowercase();
        let words: Vec<&str> = lower.split_whitespace().collect();
        let operations = search::operations(self.tags.iter().flat_map(|tag| &tag.entries), &words);
        html(&SearchPage {
            frame: PageFrame::PUBLIC,
            tags: &self.tags,
            current: "",
            operations,
            found: self.index.find(&words),
            search: &search,
        })
    }

    /// What searches find besides operations, as JSON for the pages' script.
    pub fn search_index(&self) -> String {
        self.index.json()
    }
}

/// The operations by tag, in the order of the document's tags.
fn tags(document: &ApiDocument<'_>, operations: &[Operation]) -> Vec<Tag> {
    let tags = document.tags().map(|(name, about)| {
        let entries = operations.iter().map(|it| &it.entry).filter(|entry| entry.tag == name).cloned().collect();
        Tag { name: name.to_owned(), about: text::inline(about), about_text: about.replace('`', ""), entries }
    });
    tags.filter(|tag| !tag.entries.is_empty()).collect()
}

fn page(path: &str, template: &impl Template) -> Page {
    Page { path: path.to_owned(), html: html(template) }
}

fn html(template: &impl Template) -> String {
    template.render().expect("templates are rendered to memory")
}

/// The page on which a sign-in ends. The script exchanges the code and returns to the page where it began.
#[derive(Template)]
#[template(path = "signed_in.html")]
struct SignedInPage {
    frame: PageFrame,
}

#[cfg(test)]
mod tests;
