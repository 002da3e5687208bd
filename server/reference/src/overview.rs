//! The overview, and the page with what a search finds.

use askama::Template;

use crate::document::{ApiDocument, CodeRow, string};
use crate::search::Found;
use crate::{Facts, IndexEntry, Limit, PageFrame, SignIn, Tag, text};

#[derive(Template)]
#[template(path = "overview.html")]
pub(crate) struct OverviewPage<'a> {
    frame: PageFrame,
    tags: &'a [Tag],
    current: &'a str,
    title: &'a str,
    version: &'a str,
    /// HTML.
    about: String,
    base_url: &'a str,
    count: usize,
    errors: Vec<CodeRow>,
    /// Names and descriptions.
    headers: Vec<(&'a str, String)>,
    limits: &'a [Limit],
    sign_in: SignIn,
}

impl<'a> OverviewPage<'a> {
    pub(crate) fn new(document: &ApiDocument<'a>, facts: &Facts<'a>, tags: &'a [Tag], sign_in: SignIn) -> Self {
        let headers = document.headers().map(|(name, header)| (name, text::inline(string(&header["description"]))));
        Self {
            frame: PageFrame::PUBLIC,
            tags,
            current: "",
            title: document.title(),
            version: document.version(),
            about: text::paragraphs(document.about()),
            base_url: facts.base_url,
            count: tags.iter().map(|tag| tag.entries.len()).sum(),
            errors: document.error_codes(),
            headers: headers.collect(),
            limits: facts.limits,
            sign_in,
        }
    }
}

#[derive(Template)]
#[template(path = "search.html")]
pub(crate) struct SearchPage<'a> {
    pub(crate) frame: PageFrame,
    pub(crate) tags: &'a [Tag],
    pub(crate) current: &'a str,
    pub(crate) operations: Vec<&'a IndexEntry>,
    /// Everything else.
    pub(crate) found: Vec<Found<'a>>,
    pub(crate) search: &'a str,
}

impl SearchPage<'_> {
    fn count(&self) -> usize {
        let others: usize = self.found.iter().map(|it| it.entries.len() + it.more).sum();
        self.operations.len() + others
    }
}
