//! Text search.
//!
//! Matches are returned in the order of their rank keys (`place`), which only ranking changes. Ordering by the engine's
//! own relevance would read every match of a common word. `fts5.rs` and `tsvector.rs` have the engine-specific parts.

use uuid::Uuid;

use super::{fts5, tsvector};
use crate::query::{Parameters, Query};
use crate::summary::{self, SummaryRow};
use crate::{DatabaseKind, Result, Store};

/// The conditions of a search, all of which must hold.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Matching {
    /// Words of `a` to `z` and digits. The last is a prefix.
    pub words: Vec<String>,
    /// Region numbers, one of which the itinerary must have; empty means anywhere.
    pub regions: Vec<i16>,
}

impl Matching {
    /// The complete words, and the last one, which is a prefix.
    pub(super) fn words(&self) -> (&[String], Option<&String>) {
        self.words.split_last().map_or((&[], None), |(last, words)| (words, Some(last)))
    }
}

pub(super) struct SearchPage<'m> {
    pub(super) reader: Uuid,
    pub(super) matching: &'m Matching,
    /// The rank key before the page's first.
    pub(super) after: i64,
    pub(super) limit: i64,
}

/// A strategy to find the rank keys of matches in order. If a strategy does not fill the page, the next one is used.
pub(super) struct SearchStrategy {
    /// If set, the strategy is used only if this query returns a row, and is then complete.
    pub(super) only_if: Option<Query>,
    /// Selects rank keys, as `place`.
    pub(super) places: String,
    pub(super) parameters: Parameters,
}

impl Store {
    /// Matching public itineraries in the order of their rank keys, each with its key.
    pub async fn explore_search(
        &self,
        reader: Uuid,
        matching: &Matching,
        after: Option<i64>,
        limit: u32,
    ) -> Result<Vec<(i64, SummaryRow)>> {
        let page = SearchPage { reader, matching, after: after.unwrap_or(i64::MIN), limit: i64::from(limit) };
        let strategies = match self.kind() {
            DatabaseKind::Sqlite => fts5::strategies(&page, &self.ending(matching).await?),
            DatabaseKind::Postgres => tsvector::strategies(&page),
        };
        let mut found = Vec::new();
        for SearchStrategy { only_if, places, parameters } in strategies {
            if let Some(condition) = &only_if
                && !self.exists(condition).await?
            {
                continue;
            }
            let text = format!(
                "SELECT k.place, {} FROM ({places}) AS k JOIN explore e ON e.place = k.place \
                 JOIN itineraries i ON i.id = e.itinerary_id AND i.visibility = 'public'{} ORDER BY k.place",
                SummaryRow::COLUMNS,
                summary::joins(self.kind())
            );
            found = self.fetch_all_long(parameters.query(text)).await?;
            if only_if.is_some() || i64::try_from(found.len()).is_ok_and(|found| found >= page.limit) {
                break;
            }
        }
        Ok(found)
    }
}
