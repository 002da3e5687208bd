//! Searching for words.
//!
//! Matches come in the order of their places, which is fixed while they are not ranked anew: an engine's own ranking
//! would have to look at every match of a common word. The engines differ in how they find words: `fts5.rs` and
//! `tsvector.rs`.

use uuid::Uuid;

use super::{fts5, tsvector};
use crate::itineraries::summary::{self, SummaryRow};
use crate::query::{Parameters, Query};
use crate::{DatabaseKind, Result, Store};

/// What is looked for: all of it must hold.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Matching {
    /// Words of `a` to `z` and digits. The last may be the beginning of one.
    pub words: Vec<String>,
    /// The numbers of regions, one of which must be the itinerary's; none: anywhere.
    pub regions: Vec<i16>,
}

impl Matching {
    /// The words that must be there whole, and the one that may be a beginning.
    pub(super) fn words(&self) -> (&[String], Option<&String>) {
        self.words.split_last().map_or((&[], None), |(last, words)| (words, Some(last)))
    }
}

/// A page of a search.
pub(super) struct Page<'m> {
    pub(super) reader: Uuid,
    pub(super) matching: &'m Matching,
    /// The place before the page's first.
    pub(super) after: i64,
    pub(super) limit: i64,
}

/// A way to find the matches' places in their order. Each finds the first ones; the next is for when one did not find as
/// many as were wanted.
pub(super) struct Way {
    /// When it is taken, and then finds all there are: when this gives a row. Otherwise always.
    pub(super) only_if: Option<Query>,
    /// Selects the places, as `place`.
    pub(super) places: String,
    /// Its parameters, the reader first.
    pub(super) parameters: Parameters,
}

impl Store {
    /// The public itineraries in which all of it is, by place; each with its place.
    pub async fn explore_search(
        &self,
        reader: Uuid,
        matching: &Matching,
        after: Option<i64>,
        limit: u32,
    ) -> Result<Vec<(i64, SummaryRow)>> {
        let page = Page { reader, matching, after: after.unwrap_or(i64::MIN), limit: i64::from(limit) };
        let ways = match self.kind() {
            DatabaseKind::Sqlite => fts5::ways(&page, &self.ending(matching).await?),
            DatabaseKind::Postgres => tsvector::ways(&page),
        };
        let mut found = Vec::new();
        for Way { only_if, places, parameters } in ways {
            if let Some(condition) = &only_if
                && !self.exists(condition).await?
            {
                continue;
            }
            let text = format!(
                "SELECT k.place, {} FROM ({places}) AS k JOIN explore e ON e.place = k.place \
                 JOIN itineraries i ON i.id = e.itinerary_id AND i.visibility = 'public'{} ORDER BY k.place",
                SummaryRow::COLUMNS,
                summary::JOINS
            );
            found = self.fetch_all_long(parameters.query(text)).await?;
            if only_if.is_some() || i64::try_from(found.len()).is_ok_and(|found| found >= page.limit) {
                break;
            }
        }
        Ok(found)
    }
}
