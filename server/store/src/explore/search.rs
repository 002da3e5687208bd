//! Looking for words, and what people whom one follows have published.
//!
//! Matches come in the order of their places, which is fixed while they are not ranked anew: an engine's own ranking
//! would have to look at every match of a common word. The engines differ in how they find words; that is [`TextIndex`].

use chrono::{DateTime, Utc};
use sea_orm::{ConnectionTrait, Value};
use uuid::Uuid;

use super::{PUBLIC, region_term};
use crate::itineraries::summary::{self, SummaryRow};
use crate::row::{Columns, millis};
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
    /// What is looked for, in the engine's language. Nothing in it needs quoting: see [`Matching`].
    fn expression(&self, all: &[String], any: &[String], beginning: Option<&str>) -> String;

    /// The condition that `explore e` matches the expression of the parameter.
    fn condition(&self, parameter: &str) -> String;

    /// Ways to find the places that match the expression $2 behind the place $3 in their order, $4 at most. Each finds
    /// the first ones; the next is for when one did not find as many as were wanted.
    fn ways(&self) -> &'static [&'static str];
}

struct Fts5;

impl TextIndex for Fts5 {
    fn expression(&self, all: &[String], any: &[String], beginning: Option<&str>) -> String {
        let quoted = |term: &String| format!("\"{term}\"");
        let any: Vec<_> = any.iter().map(quoted).collect();
        let mut parts: Vec<_> = all.iter().map(quoted).collect();
        parts.extend((!any.is_empty()).then(|| format!("({})", any.join(" OR "))));
        parts.extend(beginning.map(|beginning| format!("\"{beginning}\" *")));
        parts.join(" AND ")
    }

    fn condition(&self, parameter: &str) -> String {
        format!("EXISTS (SELECT 1 FROM explore_words WHERE explore_words MATCH {parameter} AND rowid = e.place)")
    }

    fn ways(&self) -> &'static [&'static str] {
        &[
            "SELECT rowid AS place FROM explore_words WHERE explore_words MATCH $2 AND rowid > $3 ORDER BY rowid LIMIT $4",
        ]
    }
}

struct TsVector;

impl TextIndex for TsVector {
    fn expression(&self, all: &[String], any: &[String], beginning: Option<&str>) -> String {
        let mut parts = all.to_vec();
        parts.extend((!any.is_empty()).then(|| format!("({})", any.join(" | "))));
        parts.extend(beginning.map(|beginning| format!("{beginning}:*")));
        parts.join(" & ")
    }

    fn condition(&self, parameter: &str) -> String {
        format!("e.terms @@ {parameter}::tsquery")
    }

    /// The index knows no order. Where many match, the first of them are soon met by going through the places; where few
    /// do, the index finds them all.
    fn ways(&self) -> &'static [&'static str] {
        &[
            "SELECT w.place FROM (SELECT place, terms FROM explore WHERE place > $3 ORDER BY place LIMIT 1000) AS w \
             WHERE w.terms @@ $2::tsquery ORDER BY w.place LIMIT $4",
            "SELECT w.place FROM (SELECT place FROM explore WHERE terms @@ $2::tsquery OFFSET 0) AS w \
             WHERE w.place > $3 ORDER BY w.place LIMIT $4",
        ]
    }
}

impl Matching {
    fn expression(&self, index: &dyn TextIndex, public: bool) -> String {
        let (last, words) = self.words.split_last().map_or((None, &[][..]), |(last, words)| (Some(last), words));
        let all: Vec<_> = public.then(|| PUBLIC.to_owned()).into_iter().chain(words.iter().cloned()).collect();
        let any: Vec<_> = self.regions.iter().map(|region| region_term(*region)).collect();
        index.expression(&all, &any, last.map(String::as_str))
    }
}

impl Store {
    fn text_index(&self) -> &'static dyn TextIndex {
        match self.kind {
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
        let expression = matching.expression(index, true);
        let mut found = Vec::new();
        for way in index.ways() {
            let sql = format!(
                "SELECT k.place, {} FROM ({way}) AS k JOIN explore e ON e.place = k.place \
                 JOIN itineraries i ON i.id = e.itinerary_id{} ORDER BY k.place",
                summary::COLUMNS,
                summary::JOINS
            );
            let (expression, after) = (expression.as_str().into(), after.unwrap_or(i64::MIN).into());
            found = self.placed(sql, [reader.into(), expression, after, i64::from(limit).into()]).await?;
            if found.len() >= usize::try_from(limit).unwrap_or(usize::MAX) {
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
        let index = self.text_index();
        let sql = format!(
            "SELECT k.place, {} FROM (SELECT e.place, e.itinerary_id FROM follows f \
             JOIN explore e ON e.owner_id = f.followed_id WHERE f.follower_id = $1 AND e.place > $3 AND {} \
             ORDER BY e.place LIMIT $4) AS k JOIN itineraries i ON i.id = k.itinerary_id{} ORDER BY k.place",
            summary::COLUMNS,
            index.condition("$2"),
            summary::JOINS
        );
        let (expression, after) = (matching.expression(index, false).into(), after.unwrap_or(i64::MIN).into());
        self.placed(sql, [reader.into(), expression, after, i64::from(limit).into()]).await
    }

    async fn placed(&self, sql: String, values: [Value; 4]) -> Result<Vec<(i64, SummaryRow)>> {
        let rows = self.reader.query_all_raw(self.statement(sql, values)).await?;
        let rows = rows.iter().map(|row| {
            let mut columns = Columns::of(row);
            Ok((columns.take()?, summary::take(&mut columns)?))
        });
        rows.collect()
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
        let index = self.text_index();
        let matching = Matching { words: Vec::new(), regions: regions.to_vec() };
        let (time, id) = after.map_or((i64::MAX, Uuid::max()), |(time, id)| (millis(time), id));
        let mut values: Vec<Value> = vec![reader.into(), time.into(), id.into(), i64::from(limit).into()];
        let mut condition = String::new();
        if !regions.is_empty() {
            values.push(matching.expression(index, false).into());
            condition = format!(" AND {}", index.condition("$5"));
        }
        let sql = format!(
            "SELECT k.published_at, {} FROM (SELECT e.published_at, e.itinerary_id FROM follows f \
             JOIN explore e ON e.owner_id = f.followed_id WHERE f.follower_id = $1 \
             AND (e.published_at, e.itinerary_id) < ($2, $3){condition} \
             ORDER BY e.published_at DESC, e.itinerary_id DESC LIMIT $4) AS k \
             JOIN itineraries i ON i.id = k.itinerary_id{} ORDER BY k.published_at DESC, k.itinerary_id DESC",
            summary::COLUMNS,
            summary::JOINS
        );
        let rows = self.reader.query_all_raw(self.statement(sql, values)).await?;
        let rows = rows.iter().map(|row| {
            let mut columns = Columns::of(row);
            Ok((columns.time()?, summary::take(&mut columns)?))
        });
        rows.collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_looked_for_is_said_in_each_engines_language() {
        let matching = Matching { words: vec!["old".to_owned(), "tow".to_owned()], regions: vec![39, 620] };
        assert_eq!(matching.expression(&Fts5, true), r#""_public" AND "old" AND ("_39" OR "_620") AND "tow" *"#);
        assert_eq!(matching.expression(&TsVector, true), "_public & old & (_39 | _620) & tow:*");
        let anywhere = Matching { words: vec!["tow".to_owned()], regions: Vec::new() };
        assert_eq!(anywhere.expression(&Fts5, false), r#""tow" *"#);
        assert_eq!(anywhere.expression(&TsVector, false), "tow:*");
    }
}
