//! Explore filtered by the people whom the reader follows.
//!
//! If they have published little, all of it is read and sorted. If they have published much, a page scans a limited
//! number of entries of all accounts in the order of the list and skips those of other people. It may then have fewer
//! entries than requested, or none, and still not be the last page. Either way the work for a page is bounded.

use chrono::{DateTime, Utc};
use uuid::Uuid;

use super::search::Matching;
use super::{fts5, tsvector};
use crate::query::row::{AnyRow, FromRow};
use crate::query::statement::statements;
use crate::query::{Parameters, Query, query, text};
use crate::summary::{self, SummaryRow};
use crate::{DatabaseKind, Result, Store};

/// Up to this number of entries, everything that the people followed have published is read.
const LITTLE: i64 = 1_000;

/// The number of entries that a page scans otherwise.
pub const WALKED: i64 = 2_000;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FollowedPage<K, P> {
    /// Entries with their sort keys.
    pub rows: Vec<(K, SummaryRow)>,
    /// The start of the next page, if the scan ended before the page was full.
    pub reached: Option<P>,
}

/// `CROSS JOIN` fixes the order: from the people followed to their entries.
const FOLLOWED: &str = "follows f CROSS JOIN explore e WHERE f.follower_id = $1 AND e.owner_id = f.followed_id";

/// Checks the entry against the itinerary's own visibility.
const FOR_FOLLOWERS: &str = "i.visibility IN ('public', 'followers')";

statements! {
    const IS_MUCH = text!("SELECT 1 FROM ", FOLLOWED, " LIMIT 1 OFFSET $2");

    /// The last entry of the next scan by date, from the instant $1 and the id $2.
    const FEED_WALK = "SELECT published_at, itinerary_id FROM explore WHERE (published_at, itinerary_id) < ($1, $2) \
         ORDER BY published_at DESC, itinerary_id DESC LIMIT 1 OFFSET $3";

    /// The last rank key of the next scan by rank key, from the key $1, over all entries: on PostgreSQL.
    const PLACE_WALK = "SELECT place FROM explore WHERE place > $1 ORDER BY place LIMIT 1 OFFSET $2";
}

/// The same over matches of $3: on SQLite.
const MATCH_WALK: &str = "SELECT rowid FROM explore_words WHERE explore_words MATCH $3 AND rowid > $1 ORDER BY rowid \
     LIMIT 1 OFFSET $2";

/// Whether the reader follows the owner of `explore w`.
const IS_FOLLOWED: &str = "EXISTS (SELECT 1 FROM follows f WHERE f.follower_id = $1 AND f.followed_id = w.owner_id)";

impl Store {
    /// Itineraries of people whom the reader follows, in these regions if any are given, newest first, each with its
    /// date of publication.
    pub async fn explore_following(
        &self,
        reader: Uuid,
        regions: &[i16],
        after: Option<(DateTime<Utc>, Uuid)>,
        limit: u32,
    ) -> Result<FollowedPage<DateTime<Utc>, (DateTime<Utc>, Uuid)>> {
        let from = after.unwrap_or((DateTime::<Utc>::MAX_UTC, Uuid::max()));
        let (mut end, mut until) = (None, None);
        if self.is_much(reader).await? {
            end = self.first_long(query!(FEED_WALK, from.0, from.1, WALKED - 1)).await?;
            until = Some(end.unwrap_or((DateTime::<Utc>::MIN_UTC, Uuid::nil())));
        }
        let rows = self.fetch_all_long(self.feed_page(reader, regions, from, until, limit)).await?;
        Ok(FollowedPage::new(rows, end, limit))
    }

    /// Matching itineraries of people whom the reader follows, in the order of their rank keys, each with its key.
    pub async fn explore_search_following(
        &self,
        reader: Uuid,
        matching: &Matching,
        after: Option<i64>,
        limit: u32,
    ) -> Result<FollowedPage<i64, i64>> {
        let after = after.unwrap_or(i64::MIN);
        let mut parameters = Parameters::default();
        parameters.bind(reader);
        let (from, most) = (parameters.bind(after), parameters.bind(i64::from(limit)));
        let found = match (self.is_much(reader).await?, self.kind()) {
            (false, _) => {
                let condition = self.matches(matching, &mut parameters);
                let all =
                    format!("SELECT e.place, e.itinerary_id FROM {FOLLOWED} AND e.place > {from} AND {condition}");
                Some((all, None))
            }
            (true, DatabaseKind::Sqlite) => self.walk_matches(matching, after, &mut parameters).await?,
            (true, DatabaseKind::Postgres) => Some(self.walk_places(matching, after, &mut parameters).await?),
        };
        let Some((found, end)) = found else { return Ok(FollowedPage { rows: Vec::new(), reached: None }) };
        let text = format!(
            "SELECT k.place, {} FROM ({found} ORDER BY 1 LIMIT {most}) AS k \
             JOIN itineraries i ON i.id = k.itinerary_id AND {FOR_FOLLOWERS}{} ORDER BY k.place",
            SummaryRow::COLUMNS,
            summary::joins(self.kind())
        );
        let rows = self.fetch_all_long(parameters.query(text)).await?;
        Ok(FollowedPage::new(rows, end, limit))
    }

    /// On SQLite: scans matches and selects those of the people followed; also returns the last rank key scanned if
    /// there are more. `None` if nothing can match. Starts after the rank key $2.
    async fn walk_matches(
        &self,
        matching: &Matching,
        after: i64,
        parameters: &mut Parameters,
    ) -> Result<Option<(String, Option<i64>)>> {
        let ending = self.ending(matching).await?;
        let Some(expression) = ending.expression(matching, false) else { return Ok(None) };
        let end = self.first_long(query!(MATCH_WALK, after, WALKED - 1, &expression)).await?;
        let (expression, to) = (parameters.bind(expression), parameters.bind(end.unwrap_or(i64::MAX)));
        let condition = ending.condition(parameters).map(|condition| format!(" AND {condition}")).unwrap_or_default();
        let found = format!(
            "SELECT w.place, w.itinerary_id FROM (SELECT rowid AS place FROM explore_words \
             WHERE explore_words MATCH {expression} AND rowid > $2 AND rowid <= {to}) AS m CROSS JOIN explore w \
             WHERE w.place = m.place AND {IS_FOLLOWED}{condition}"
        );
        Ok(Some((found, end)))
    }

    /// On PostgreSQL: scans entries and selects matches of the people followed; also returns the last rank key scanned
    /// if there are more. Uses the text index if few entries match. Starts after the rank key $2.
    async fn walk_places(
        &self,
        matching: &Matching,
        after: i64,
        parameters: &mut Parameters,
    ) -> Result<(String, Option<i64>)> {
        let expression = tsvector::expression(matching, false);
        let are_few = self.exists(&tsvector::are_few(&expression)).await?;
        let expression = parameters.bind(expression);
        if are_few {
            let found = format!(
                "SELECT w.place, w.itinerary_id FROM (SELECT place, itinerary_id, owner_id FROM explore \
                 WHERE terms @@ {expression}::tsquery OFFSET 0) AS w WHERE w.place > $2 AND {IS_FOLLOWED}"
            );
            return Ok((found, None));
        }
        let end = self.first_long(query!(PLACE_WALK, after, WALKED - 1)).await?;
        let to = parameters.bind(end.unwrap_or(i64::MAX));
        // The column `words` is large, so it is read only for the people followed.
        let found = format!(
            "SELECT e.place, e.itinerary_id FROM (SELECT w.* FROM explore w WHERE w.place > $2 AND w.place <= {to} \
             AND {IS_FOLLOWED} OFFSET 0) AS e WHERE e.terms @@ {expression}::tsquery"
        );
        Ok((found, end))
    }

    /// A page by date: with `until` all entries down to there are scanned, otherwise only those of the people followed.
    fn feed_page(
        &self,
        reader: Uuid,
        regions: &[i16],
        from: (DateTime<Utc>, Uuid),
        until: Option<(DateTime<Utc>, Uuid)>,
        limit: u32,
    ) -> Query {
        let mut parameters = Parameters::default();
        parameters.bind(reader);
        let (time, id) = (parameters.bind(from.0), parameters.bind(from.1));
        let limit = parameters.bind(i64::from(limit));
        let mut condition = String::new();
        if !regions.is_empty() {
            let matching = Matching { words: Vec::new(), regions: regions.to_vec() };
            condition = format!(" AND {}", self.matches(&matching, &mut parameters));
        }
        let source = match until {
            None => format!("{FOLLOWED} AND (e.published_at, e.itinerary_id) < ({time}, {id})"),
            Some((end_time, end_id)) => {
                let (end_time, end_id) = (parameters.bind(end_time), parameters.bind(end_id));
                format!(
                    "(SELECT w.itinerary_id AS id FROM explore w WHERE (w.published_at, w.itinerary_id) < ({time}, {id}) \
                     AND (w.published_at, w.itinerary_id) >= ({end_time}, {end_id}) AND {IS_FOLLOWED}) AS m \
                     CROSS JOIN explore e WHERE e.itinerary_id = m.id"
                )
            }
        };
        let text = format!(
            "SELECT k.published_at, {} FROM (SELECT e.published_at, e.itinerary_id FROM {source}{condition} \
             ORDER BY e.published_at DESC, e.itinerary_id DESC LIMIT {limit}) AS k \
             JOIN itineraries i ON i.id = k.itinerary_id AND {FOR_FOLLOWERS}{} \
             ORDER BY k.published_at DESC, k.itinerary_id DESC",
            SummaryRow::COLUMNS,
            summary::joins(self.kind())
        );
        parameters.query(text)
    }

    fn matches(&self, matching: &Matching, parameters: &mut Parameters) -> String {
        match self.kind() {
            DatabaseKind::Sqlite => fts5::condition(matching, parameters),
            DatabaseKind::Postgres => tsvector::condition(matching, parameters),
        }
    }

    /// Whether the people whom a reader follows have published more than the limit. Reads at most that many index
    /// entries.
    async fn is_much(&self, reader: Uuid) -> Result<bool> {
        Ok(self.first_long::<AnyRow>(query!(IS_MUCH, reader, LITTLE)).await?.is_some())
    }

    async fn first_long<R: FromRow + Send + 'static>(&self, query: Query) -> Result<Option<R>> {
        Ok(self.fetch_all_long(query).await?.pop())
    }
}

impl<K, P> FollowedPage<K, P> {
    fn new(rows: Vec<(K, SummaryRow)>, end: Option<P>, limit: u32) -> Self {
        let is_full = u32::try_from(rows.len()).is_ok_and(|found| found >= limit);
        Self { rows, reached: end.filter(|_| !is_full) }
    }
}
