//! Searches on SQLite, in an FTS5 table whose row numbers are the rank keys, so that it returns matches best first
//! without sorting.
//!
//! The index has whole words and prefixes of one and two letters. With longer prefixes an itinerary of 2,000 words
//! would take 400 KB instead of 53 KB. For a longer prefix, the words that have it are listed. If they are few, the
//! search is for these words; if they are many, a match is soon found among those of the first two letters.

use super::search::{Matching, SearchPage, SearchStrategy};
use super::{PUBLIC, region_term};
use crate::engine::transaction::End;
use crate::query::{Parameters, query};
use crate::{DatabaseKind, Result, Store};

/// The longest indexed prefix.
const INDEXED: usize = 2;

/// Up to this number of words with a prefix, the search is for these words.
const FEW: usize = 8;

/// The number of matches of the indexed prefix that are filtered by a longer one. If at least one in a dozen has the
/// longer prefix, these fill a page; if fewer do, reading the entries of all words with the prefix is cheap enough.
const LOOKED_THROUGH: i64 = 300;

/// The words from $1 to $2 (the prefix and its upper bound), at most $3, read word by word without their entries. No
/// character of a word is smaller than `0`.
const WORDS: &str = "WITH RECURSIVE w (term) AS ( \
     SELECT (SELECT term FROM explore_vocabulary WHERE term >= $1 LIMIT 1) UNION ALL \
     SELECT (SELECT term FROM explore_vocabulary WHERE term >= w.term || '0' LIMIT 1) FROM w WHERE w.term < $2 LIMIT $3) \
     SELECT term FROM w WHERE term < $2";

/// One past the largest character of a word.
const BEHIND: char = '{';

/// The last word of a query, which is a prefix.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Ending {
    None,
    /// The prefix itself is indexed.
    Indexed(String),
    /// All words with the prefix.
    Words(Vec<String>),
    /// The prefix is longer than the indexed ones, and many words have it.
    Longer(String),
}

/// The number of pages (of 4 KB) that one step of a merge writes: a transaction of a few milliseconds.
const MERGED: i64 = 256;

const MERGE: &str = "INSERT INTO explore_words (explore_words, rank) VALUES ('merge', $1)";

/// The number of rows that the connection has changed so far.
const CHANGES: &str = "SELECT total_changes()";

/// Which segments of the text index are merged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IndexMerge {
    /// Those of one level, so that each level has at most one. Most of the index is not written again.
    Levels,
    /// All, into one. It writes the whole index, and raises the number of levels each time.
    All,
}

impl Store {
    /// Merges segments of SQLite's text index, because a search reads all of them: each change adds one, and FTS5 itself
    /// merges only four of a level. Returns the number of steps. Other writes are possible between steps. On PostgreSQL
    /// there is nothing to merge.
    pub async fn search_index_merge(&self, merge: IndexMerge) -> Result<u64> {
        let (mut steps, mut is_complete) = (0, self.kind() == DatabaseKind::Postgres);
        while !is_complete {
            // A negative number makes all segments part of one merge, which a positive number continues.
            let pages = if merge == IndexMerge::All && steps == 0 { -MERGED } else { MERGED };
            let changes = self.merge_step(pages).await?;
            steps += u64::from(changes > 0);
            is_complete = changes < MERGED;
        }
        Ok(steps)
    }

    /// Merges until this number of pages is written. Returns the number of rows of the index that were changed: fewer than
    /// pages if nothing is left to merge.
    async fn merge_step(&self, pages: i64) -> Result<i64> {
        self.transaction(pages, |pages, transaction| {
            Box::pin(async move {
                let before: i64 = transaction.fetch_optional(&query!(CHANGES)).await?.unwrap_or_default();
                transaction.execute(&query!(MERGE, *pages)).await?;
                let after: i64 = transaction.fetch_optional(&query!(CHANGES)).await?.unwrap_or_default();
                // The statement itself counts as one.
                Ok(End::Commit(after - before - 1))
            })
        })
        .await
    }

    /// Determines how to search for the last word of a query.
    pub(super) async fn ending(&self, matching: &Matching) -> Result<Ending> {
        let Some(beginning) = matching.words().1 else { return Ok(Ending::None) };
        if beginning.len() <= INDEXED {
            return Ok(Ending::Indexed(beginning.clone()));
        }
        let most = i64::try_from(FEW + 1).expect("a few");
        let words = self.fetch_all(&query!(WORDS, beginning, format!("{beginning}{BEHIND}"), most)).await?;
        Ok(if words.len() > FEW { Ending::Longer(beginning.clone()) } else { Ending::Words(words) })
    }
}

impl Ending {
    /// The FTS5 expression, for all entries or for public ones only. No term needs quoting: see [`Matching`]. `None` if
    /// nothing can match.
    pub(super) fn expression(&self, matching: &Matching, public: bool) -> Option<String> {
        let ending = match self {
            Self::None => None,
            Self::Indexed(beginning) => Some(begins(beginning)),
            Self::Words(words) if words.is_empty() => return None,
            Self::Words(words) => Some(any_of(words.iter().map(String::as_str))),
            Self::Longer(beginning) => Some(begins(&beginning[..INDEXED])),
        };
        Some(all_of(matching, public, ending))
    }

    /// The condition on `explore w` that the expression does not check.
    pub(super) fn condition(&self, parameters: &mut Parameters) -> Option<String> {
        match self {
            Self::Longer(beginning) => Some(has_word("w", beginning, "", parameters)),
            Self::None | Self::Indexed(_) | Self::Words(_) => None,
        }
    }
}

fn begins(beginning: &str) -> String {
    format!("\"{beginning}\" *")
}

fn any_of<'t>(terms: impl Iterator<Item = &'t str>) -> String {
    let terms: Vec<_> = terms.map(|term| format!("\"{term}\"")).collect();
    format!("({})", terms.join(" OR "))
}

fn all_of(matching: &Matching, public: bool, ending: Option<String>) -> String {
    let quoted = |term: &str| format!("\"{term}\"");
    let regions: Vec<_> = matching.regions.iter().map(|region| region_term(*region)).collect();
    let mut parts: Vec<_> = public.then(|| quoted(PUBLIC)).into_iter().collect();
    parts.extend(matching.words().0.iter().map(|word| quoted(word)));
    parts.extend((!regions.is_empty()).then(|| any_of(regions.iter().map(String::as_str))));
    parts.extend(ending);
    parts.join(" AND ")
}

/// Whether a row of `explore` has a word that starts with `beginning` and continues with `end`.
fn has_word(row: &str, beginning: &str, end: &str, parameters: &mut Parameters) -> String {
    format!("instr(' ' || {row}.words || ' ', {}) > 0", parameters.bind(format!(" {beginning}{end}")))
}

/// The condition that a row of `explore e` matches. It compares the row's column `words`, because a query of the index
/// for each row would cost far more.
pub(super) fn condition(matching: &Matching, parameters: &mut Parameters) -> String {
    let (words, beginning) = matching.words();
    let mut parts: Vec<_> = words.iter().map(|word| has_word("e", word, " ", parameters)).collect();
    let regions: Vec<_> =
        matching.regions.iter().map(|region| has_word("e", &region_term(*region), " ", parameters)).collect();
    parts.extend((!regions.is_empty()).then(|| format!("({})", regions.join(" OR "))));
    parts.extend(beginning.map(|beginning| has_word("e", beginning, "", parameters)));
    parts.join(" AND ")
}

/// Matching rows of the index, in the order of rank keys.
fn matches(expression: &str, after: &str, limit: &str) -> String {
    format!(
        "SELECT rowid AS place FROM explore_words WHERE explore_words MATCH {expression} AND rowid > {after} \
         ORDER BY rowid LIMIT {limit}"
    )
}

pub(super) fn strategies(page: &SearchPage<'_>, ending: &Ending) -> Vec<SearchStrategy> {
    let Some(expression) = ending.expression(page.matching, true) else { return Vec::new() };
    let Ending::Longer(beginning) = ending else { return vec![strategy(page, &expression)] };
    let mut parameters = Parameters::default();
    parameters.bind(page.reader);
    let (match_, after) = (parameters.bind(expression.as_str()), parameters.bind(page.after));
    let (limit, through) = (parameters.bind(page.limit), parameters.bind(LOOKED_THROUGH));
    let condition = has_word("e", beginning, "", &mut parameters);
    // In the order of the index, so the scan stops when the page is full.
    let places = format!(
        "SELECT e.place FROM ({}) AS m CROSS JOIN explore e WHERE e.place = m.place AND {condition} LIMIT {limit}",
        matches(&match_, &after, &through)
    );
    let look_through = SearchStrategy { only_if: None, places, parameters };
    let more = "SELECT 1 FROM explore_words WHERE explore_words MATCH $1 AND rowid > $2 LIMIT 1 OFFSET $3";
    let all = strategy(page, &all_of(page.matching, true, Some(begins(beginning))));
    let read_all = SearchStrategy { only_if: Some(query!(more, &expression, page.after, LOOKED_THROUGH)), ..all };
    vec![look_through, read_all]
}

fn strategy(page: &SearchPage<'_>, expression: &str) -> SearchStrategy {
    let mut parameters = Parameters::default();
    parameters.bind(page.reader);
    let (expression, after) = (parameters.bind(expression), parameters.bind(page.after));
    let limit = parameters.bind(page.limit);
    SearchStrategy { only_if: None, places: matches(&expression, &after, &limit), parameters }
}

#[cfg(test)]
mod tests {
    use sea_orm::Value;

    use super::*;

    #[test]
    fn search_becomes_an_fts5_expression() {
        let matching = Matching { words: vec!["old".to_owned(), "town".to_owned()], regions: vec![39, 620] };
        let said = |ending: Ending| ending.expression(&matching, true);
        let words = ["town", "towns"].map(str::to_owned).to_vec();
        let expected = |ending: &str| Some(format!(r#""_public" AND "old" AND ("_39" OR "_620") AND {ending}"#));
        assert_eq!(said(Ending::Words(words)), expected(r#"("town" OR "towns")"#));
        assert_eq!(said(Ending::Indexed("to".to_owned())), expected(r#""to" *"#));
        assert_eq!(said(Ending::Longer("town".to_owned())), expected(r#""to" *"#));
        assert_eq!(said(Ending::Words(Vec::new())), None);
        let mut parameters = Parameters::default();
        let condition = condition(&matching, &mut parameters);
        let values = parameters.query(String::new()).values().to_vec();
        assert_eq!(values, [" old ", " _39 ", " _620 ", " town"].map(Value::from));
        assert_eq!(condition.matches("instr").count(), 4);
        assert_eq!((condition.matches(" AND ").count(), condition.matches(" OR ").count()), (2, 1));
    }
}
