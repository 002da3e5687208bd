//! Looking for words, and what people whom one follows have published.
//!
//! Matches come in the order of their places, which is fixed while they are not ranked anew: an engine's own ranking
//! would have to look at every match of a common word. The engines differ in how they find words; that is [`TextIndex`].

use chrono::{DateTime, Utc};
use uuid::Uuid;

use super::{PUBLIC, region_term};
use crate::itineraries::summary::{self, SummaryRow};
use crate::query::{Parameters, query};
use crate::{DatabaseKind, Result, Store};

/// What is looked for: all of it must hold.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Matching {
    /// Words of `a` to `z` and digits. The last may be the beginning of one.
    pub words: Vec<String>,
    /// The numbers of regions, one of which must be the itinerary's; none: anywhere.
    pub regions: Vec<i16>,
}

/// How an engine finds words.
trait TextIndex: Sync {
    /// What public itineraries are looked for by, in the engine's language. Nothing in it needs quoting: see
    /// [`Matching`].
    fn expression(&self, matching: &Matching) -> String;

    /// The condition that `explore e`, which was found by other means, matches.
    fn condition(&self, matching: &Matching, parameters: &mut Parameters) -> String;

    /// Ways to find the matches' places in their order. Each finds the first ones; the next is for when one did not
    /// find as many as were wanted.
    fn ways(&self) -> &'static [Way];
}

/// A way to find places.
struct Way {
    /// When it is taken, and then finds all there are: when this, of the expression $1, gives a row. Otherwise always.
    only_if: Option<&'static str>,
    /// The places that match the expression $2 behind the place $3, $4 at most.
    places: &'static str,
}

struct Fts5;

impl TextIndex for Fts5 {
    fn expression(&self, matching: &Matching) -> String {
        let quoted = |term: &str| format!("\"{term}\"");
        let regions: Vec<_> = matching.regions.iter().map(|region| quoted(&region_term(*region))).collect();
        let (words, beginning) = matching.words();
        let mut parts = vec![quoted(PUBLIC)];
        parts.extend(words.iter().map(|word| quoted(word)));
        parts.extend((!regions.is_empty()).then(|| format!("({})", regions.join(" OR "))));
        parts.extend(beginning.map(|beginning| format!("\"{beginning}\" *")));
        parts.join(" AND ")
    }

    /// The words stand in the row: to ask the index again for every row would cost far more than to look at them.
    fn condition(&self, matching: &Matching, parameters: &mut Parameters) -> String {
        let mut holds = |text: String| format!("instr(' ' || e.words || ' ', {}) > 0", parameters.bind(text));
        let (words, beginning) = matching.words();
        let mut parts: Vec<_> = words.iter().map(|word| holds(format!(" {word} "))).collect();
        let regions: Vec<_> =
            matching.regions.iter().map(|region| holds(format!(" {} ", region_term(*region)))).collect();
        parts.extend((!regions.is_empty()).then(|| format!("({})", regions.join(" OR "))));
        parts.extend(beginning.map(|beginning| holds(format!(" {beginning}"))));
        parts.join(" AND ")
    }

    fn ways(&self) -> &'static [Way] {
        &[Way {
            only_if: None,
            places: "SELECT rowid AS place FROM explore_words WHERE explore_words MATCH $2 AND rowid > $3 \
                 ORDER BY rowid LIMIT $4",
        }]
    }
}

struct TsVector;

impl TsVector {
    fn terms(matching: &Matching, public: bool) -> String {
        let regions: Vec<_> = matching.regions.iter().map(|region| region_term(*region)).collect();
        let (words, beginning) = matching.words();
        let mut parts: Vec<_> = public.then(|| PUBLIC.to_owned()).into_iter().chain(words.iter().cloned()).collect();
        parts.extend((!regions.is_empty()).then(|| format!("({})", regions.join(" | "))));
        parts.extend(beginning.map(|beginning| format!("{beginning}:*")));
        parts.join(" & ")
    }
}

impl TextIndex for TsVector {
    fn expression(&self, matching: &Matching) -> String {
        Self::terms(matching, true)
    }

    fn condition(&self, matching: &Matching, parameters: &mut Parameters) -> String {
        format!("e.terms @@ {}::tsquery", parameters.bind(Self::terms(matching, false)))
    }

    /// The index knows no order, so it is asked when few match. Where many do, the first of them are soon met by going
    /// through the places: very soon, mostly, so that is tried first.
    fn ways(&self) -> &'static [Way] {
        &[
            Way {
                only_if: None,
                places: "SELECT w.place FROM (SELECT place, terms FROM explore WHERE place > $3 ORDER BY place \
                     LIMIT $4 * 40) AS w WHERE w.terms @@ $2::tsquery ORDER BY w.place LIMIT $4",
            },
            Way {
                only_if: Some(
                    "SELECT 1 WHERE (SELECT count(*) FROM \
                     (SELECT 1 FROM explore WHERE terms @@ $1::tsquery LIMIT 2000) AS m) < 2000",
                ),
                places: "SELECT w.place FROM (SELECT place FROM explore WHERE terms @@ $2::tsquery OFFSET 0) AS w \
                     WHERE w.place > $3 ORDER BY w.place LIMIT $4",
            },
            Way {
                only_if: None,
                places: "SELECT w.place FROM (SELECT place, terms FROM explore WHERE place > $3 ORDER BY place \
                     OFFSET 0) AS w WHERE w.terms @@ $2::tsquery ORDER BY w.place LIMIT $4",
            },
        ]
    }
}

impl Matching {
    /// The words that must be there whole, and the one that may be a beginning.
    fn words(&self) -> (&[String], Option<&String>) {
        self.words.split_last().map_or((&[], None), |(last, words)| (words, Some(last)))
    }
}

/// The join goes from the people followed to what they have published, however much others have.
const FOLLOWED: &str = "follows f CROSS JOIN explore e WHERE f.follower_id = $1 AND e.owner_id = f.followed_id";

/// What Explore knows is believed only as far as the itinerary itself says so.
const FOR_FOLLOWERS: &str = "i.visibility IN ('public', 'followers')";

impl Store {
    fn text_index(&self) -> &'static dyn TextIndex {
        match self.kind() {
            DatabaseKind::Sqlite => &Fts5,
            DatabaseKind::Postgres => &TsVector,
        }
    }

    /// The public itineraries in which all of it is, by place; each with its place.
    pub async fn explore_search(
        &self,
        reader: Uuid,
        matching: &Matching,
        after: Option<i64>,
        limit: u32,
    ) -> Result<Vec<(i64, SummaryRow)>> {
        let index = self.text_index();
        let expression = index.expression(matching);
        let (after, limit) = (after.unwrap_or(i64::MIN), i64::from(limit));
        let mut found = Vec::new();
        for Way { only_if, places } in index.ways() {
            if let Some(condition) = only_if
                && !self.exists(&query!(*condition, &expression)).await?
            {
                continue;
            }
            let text = format!(
                "SELECT k.place, {} FROM ({places}) AS k JOIN explore e ON e.place = k.place \
                 JOIN itineraries i ON i.id = e.itinerary_id AND i.visibility = 'public'{} ORDER BY k.place",
                SummaryRow::COLUMNS,
                summary::JOINS
            );
            found = self.fetch_all_long(query!(text, reader, &expression, after, limit)).await?;
            if only_if.is_some() || i64::try_from(found.len()).is_ok_and(|found| found >= limit) {
                break;
            }
        }
        Ok(found)
    }

    /// The itineraries of people whom the reader follows in which all of it is, by place; each with its place.
    pub async fn explore_search_following(
        &self,
        reader: Uuid,
        matching: &Matching,
        after: Option<i64>,
        limit: u32,
    ) -> Result<Vec<(i64, SummaryRow)>> {
        let mut parameters = Parameters::default();
        parameters.bind(reader);
        let after = parameters.bind(after.unwrap_or(i64::MIN));
        let limit = parameters.bind(i64::from(limit));
        let condition = self.text_index().condition(matching, &mut parameters);
        let text = format!(
            "SELECT k.place, {} FROM (SELECT e.place, e.itinerary_id FROM {FOLLOWED} AND e.place > {after} \
             AND {condition} ORDER BY e.place LIMIT {limit}) AS k \
             JOIN itineraries i ON i.id = k.itinerary_id AND {FOR_FOLLOWERS}{} ORDER BY k.place",
            SummaryRow::COLUMNS,
            summary::JOINS
        );
        self.fetch_all_long(parameters.query(text)).await
    }

    /// The itineraries of people whom the reader follows, in these regions if any are named: what was published last
    /// first; each with when it was.
    pub async fn explore_following(
        &self,
        reader: Uuid,
        regions: &[i16],
        after: Option<(DateTime<Utc>, Uuid)>,
        limit: u32,
    ) -> Result<Vec<(DateTime<Utc>, SummaryRow)>> {
        let (time, id) = after.unwrap_or((DateTime::<Utc>::MAX_UTC, Uuid::max()));
        let mut parameters = Parameters::default();
        parameters.bind(reader);
        let (time, id) = (parameters.bind(time), parameters.bind(id));
        let limit = parameters.bind(i64::from(limit));
        let mut condition = String::new();
        if !regions.is_empty() {
            let matching = Matching { words: Vec::new(), regions: regions.to_vec() };
            condition = format!(" AND {}", self.text_index().condition(&matching, &mut parameters));
        }
        let text = format!(
            "SELECT k.published_at, {} FROM (SELECT e.published_at, e.itinerary_id FROM {FOLLOWED} \
             AND (e.published_at, e.itinerary_id) < ({time}, {id}){condition} \
             ORDER BY e.published_at DESC, e.itinerary_id DESC LIMIT {limit}) AS k \
             JOIN itineraries i ON i.id = k.itinerary_id AND {FOR_FOLLOWERS}{} \
             ORDER BY k.published_at DESC, k.itinerary_id DESC",
            SummaryRow::COLUMNS,
            summary::JOINS
        );
        self.fetch_all_long(parameters.query(text)).await
    }
}

#[cfg(test)]
mod tests {
    use sea_orm::Value;

    use super::*;

    fn condition(index: &dyn TextIndex, matching: &Matching) -> (String, Vec<Value>) {
        let mut parameters = Parameters::default();
        let condition = index.condition(matching, &mut parameters);
        (condition, parameters.query(String::new()).values().to_vec())
    }

    #[test]
    fn what_is_looked_for_is_said_in_each_engines_language() {
        let matching = Matching { words: vec!["old".to_owned(), "tow".to_owned()], regions: vec![39, 620] };
        assert_eq!(Fts5.expression(&matching), r#""_public" AND "old" AND ("_39" OR "_620") AND "tow" *"#);
        assert_eq!(TsVector.expression(&matching), "_public & old & (_39 | _620) & tow:*");
        let (said, values) = condition(&TsVector, &matching);
        assert_eq!((said.as_str(), values), ("e.terms @@ $1::tsquery", vec!["old & (_39 | _620) & tow:*".into()]));
        let (said, values) = condition(&Fts5, &matching);
        assert_eq!(values, [" old ", " _39 ", " _620 ", " tow"].map(Value::from));
        assert_eq!(said.matches("instr").count(), 4);
        assert_eq!((said.matches(" AND ").count(), said.matches(" OR ").count()), (2, 1));
    }
}
