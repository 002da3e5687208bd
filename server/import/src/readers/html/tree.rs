//! Parses HTML into a tree of bounded size and depth.
//!
//! HTML has inputs on which a parser is slow or its tree is much larger than the text, so limits are checked at each token.

use std::cell::Cell;

use html5ever::TokenizerResult;
use html5ever::tendril::StrTendril;
use html5ever::tokenizer::{BufferQueue, Token, TokenSink, TokenSinkResult, Tokenizer, TokenizerOpts};
use html5ever::tree_builder::{TreeBuilder, TreeBuilderOpts, TreeSink};
use scraper::{Html, HtmlTreeSink};

use crate::budget::{Budget, Exceeded};

/// Elements, texts and comments of a page.
pub(super) const MAX_NODES: usize = 100_000;
/// Elements in elements.
pub(super) const MAX_DEPTH: usize = 512;
/// Bytes between two looks at the time.
const CHUNK: usize = 8_192;
/// Tokens between two looks at the depth.
const TOKENS: u32 = 32;

/// Parses a page. If it exceeds a limit, the tree has what was read before.
pub(super) fn parse(text: &str, budget: &Budget) -> (Html, Option<Exceeded>) {
    let options = TreeBuilderOpts { scripting_enabled: false, ..TreeBuilderOpts::default() };
    let sink = Bounded {
        builder: TreeBuilder::new(HtmlTreeSink::new(Html::new_document()), options),
        tokens: Cell::new(0),
        exceeded: Cell::new(None),
    };
    let parser = Tokenizer::new(sink, TokenizerOpts::default());
    let input = BufferQueue::default();
    let mut rest = text;
    while !rest.is_empty() && parser.sink.exceeded.get().is_none() {
        let (chunk, after) = rest.split_at(rest.floor_char_boundary(CHUNK));
        rest = after;
        input.push_back(StrTendril::from(chunk));
        while !matches!(parser.feed(&input), TokenizerResult::Done) {}
        if let Err(exceeded) = budget.check() {
            parser.sink.exceeded.set(Some(exceeded));
        }
    }
    parser.end();
    (parser.sink.builder.sink.finish(), parser.sink.exceeded.into_inner())
}

/// Hands tokens to the builder of the tree until a limit is exceeded.
struct Bounded {
    builder: TreeBuilder<<HtmlTreeSink as TreeSink>::Handle, HtmlTreeSink>,
    tokens: Cell<u32>,
    exceeded: Cell<Option<Exceeded>>,
}

impl TokenSink for Bounded {
    type Handle = <HtmlTreeSink as TreeSink>::Handle;

    fn process_token(&self, token: Token, line: u64) -> TokenSinkResult<Self::Handle> {
        if self.exceeded.get().is_some() {
            return TokenSinkResult::Continue;
        }
        let result = self.builder.process_token(token, line);
        self.tokens.set(self.tokens.get().wrapping_add(1));
        if self.is_too_large() {
            self.exceeded.set(Some(Exceeded::Elements));
        }
        result
    }

    fn end(&self) {
        self.builder.end();
    }

    fn adjusted_current_node_present_but_not_in_html_namespace(&self) -> bool {
        self.builder.adjusted_current_node_present_but_not_in_html_namespace()
    }
}

impl Bounded {
    fn is_too_large(&self) -> bool {
        let page = self.builder.sink.0.borrow();
        if page.tree.values().len() > MAX_NODES {
            return true;
        }
        let newest = if self.tokens.get().is_multiple_of(TOKENS) { page.tree.nodes().next_back() } else { None };
        newest.is_some_and(|newest| newest.ancestors().nth(MAX_DEPTH).is_some())
    }
}
