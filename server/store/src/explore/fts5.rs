//! How SQLite finds words: in an FTS5 table whose rows are numbered by place, so that it gives matches best first without
//! sorting them.
//!
//! The index has whole words and beginnings of one and two letters. Longer beginnings would be most of it: an itinerary of
//! 2,000 words would take 400 KB instead of 53 KB. The words that begin with more letters are looked up. Where they are
//! few, they are looked for instead; where they are many, a match is soon met among those of the first two letters.

use super::search::{Matching, Page, Way};
use super::{PUBLIC, region_term};
use crate::query::{Parameters, query};
use crate::{Result, Store};

/// How many letters of a beginning are indexed.
const INDEXED: usize = 2;

/// How many words that begin alike are looked for one by one.
const FEW: usize = 8;

/// How many matches of the indexed beginning are looked through for a longer one. Of those, at least one in a dozen must
/// have it to fill a page; where fewer have it, few enough begin like this to read them all.
const LOOKED_THROUGH: i64 = 300;

/// The words that begin with $1, as far as $2, $3 at most: from one to the next, passing over the entries of each. No
/// character of a word is smaller than `0`.
const WORDS: &str = "WITH RECURSIVE w (term) AS ( \
     SELECT (SELECT term FROM explore_vocabulary WHERE term >= $1 LIMIT 1) UNION ALL \
     SELECT (SELECT term FROM explore_vocabulary WHERE term >= w.term || '0' LIMIT 1) FROM w WHERE w.term < $2 LIMIT $3) \
     SELECT term FROM w WHERE term < $2";

/// Behind the last character that a word can have.
const BEHIND: char = '{';

/// The last word of a search, which may be the beginning of one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Ending {
    /// There is none.
    None,
    /// It is indexed as it is.
    Indexed(String),
    /// All words that begin with it.
    Words(Vec<String>),
    /// It is longer than what is indexed, and many words begin with it.
    Longer(String),
}

impl Store {
    /// What the last word of a search is looked for by.
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
    /// The expression of what is looked up in the index, wherever it is or in public itineraries alone. Nothing in it needs
    /// quoting: see [`Matching`]. `None`: nothing can match.
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

    /// The condition on `explore w` that the expression leaves open.
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

/// Whether the words of a row of `explore` have one that begins with `beginning` and goes on with `end`.
fn has_word(row: &str, beginning: &str, end: &str, parameters: &mut Parameters) -> String {
    format!("instr(' ' || {row}.words || ' ', {}) > 0", parameters.bind(format!(" {beginning}{end}")))
}

/// The condition that `explore e`, which was found by other means, matches. The words stand in the row: to ask the index
/// again for every row would cost far more than to look at them.
pub(super) fn condition(matching: &Matching, parameters: &mut Parameters) -> String {
    let (words, beginning) = matching.words();
    let mut parts: Vec<_> = words.iter().map(|word| has_word("e", word, " ", parameters)).collect();
    let regions: Vec<_> =
        matching.regions.iter().map(|region| has_word("e", &region_term(*region), " ", parameters)).collect();
    parts.extend((!regions.is_empty()).then(|| format!("({})", regions.join(" OR "))));
    parts.extend(beginning.map(|beginning| has_word("e", beginning, "", parameters)));
    parts.join(" AND ")
}

/// The rows of the index that match, by place.
fn matches(expression: &str, after: &str, limit: &str) -> String {
    format!(
        "SELECT rowid AS place FROM explore_words WHERE explore_words MATCH {expression} AND rowid > {after} \
         ORDER BY rowid LIMIT {limit}"
    )
}

pub(super) fn ways(page: &Page<'_>, ending: &Ending) -> Vec<Way> {
    let Some(expression) = ending.expression(page.matching, true) else { return Vec::new() };
    let Ending::Longer(beginning) = ending else { return vec![way(page, &expression)] };
    let mut parameters = Parameters::default();
    parameters.bind(page.reader);
    let (match_, after) = (parameters.bind(expression.as_str()), parameters.bind(page.after));
    let (limit, through) = (parameters.bind(page.limit), parameters.bind(LOOKED_THROUGH));
    let condition = has_word("e", beginning, "", &mut parameters);
    // In the order of the index: only so many are looked through as are needed.
    let places = format!(
        "SELECT e.place FROM ({}) AS m CROSS JOIN explore e WHERE e.place = m.place AND {condition} LIMIT {limit}",
        matches(&match_, &after, &through)
    );
    let look_through = Way { only_if: None, places, parameters };
    let more = "SELECT 1 FROM explore_words WHERE explore_words MATCH $1 AND rowid > $2 LIMIT 1 OFFSET $3";
    let all = way(page, &all_of(page.matching, true, Some(begins(beginning))));
    let read_all = Way { only_if: Some(query!(more, &expression, page.after, LOOKED_THROUGH)), ..all };
    vec![look_through, read_all]
}

fn way(page: &Page<'_>, expression: &str) -> Way {
    let mut parameters = Parameters::default();
    parameters.bind(page.reader);
    let (expression, after) = (parameters.bind(expression), parameters.bind(page.after));
    let limit = parameters.bind(page.limit);
    Way { only_if: None, places: matches(&expression, &after, &limit), parameters }
}

#[cfg(test)]
mod tests {
    use sea_orm::Value;

    use super::*;

    #[test]
    fn what_is_looked_for_is_said_in_the_language_of_fts5() {
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
