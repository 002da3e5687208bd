//! Lists of itineraries, with keyset pagination: inserted and deleted rows do not cause others to be skipped or
//! repeated.
//!
//! The last row's key is the next page's start; callers encode cursors. Own itineraries are read in order from an
//! index; shared and marked ones are all read and sorted.

use std::sync::LazyLock;

use chrono::{DateTime, Utc};
use itinerary_model::ListFilter;
use uuid::Uuid;

use crate::query::{Parameters, Query};
use crate::summary::{self, SummaryRow, VISIBLE};
use crate::{DatabaseKind, Result, Store};

/// Which itineraries a list has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ListContent {
    /// Those of the reader's library. Marked ones are only those that the reader may see.
    Library(ListFilter),
    /// Those that this account owns, if the reader may find them and the account has not blocked the reader.
    OwnedBy(Uuid),
}

#[derive(Clone, Debug)]
pub struct ListQuery {
    pub account_id: Uuid,
    pub content: ListContent,
    /// Only itineraries that were changed or arrived in the list at or after this instant; the list is then oldest
    /// first.
    pub updated_since: Option<DateTime<Utc>>,
    /// The key (time, id) of the row before the page's first.
    pub after: Option<(DateTime<Utc>, Uuid)>,
    pub limit: u32,
}

const SHARED: &str = "members x JOIN itineraries i ON i.id = x.itinerary_id WHERE x.account_id = $1";
const MARKED: &str = "reactions x JOIN itineraries i ON i.id = x.itinerary_id WHERE x.account_id = $1 AND x.kind = ";

/// The later of the itinerary's change and its arrival in the list.
const CHANGE_OR_ARRIVAL: &str = "CASE WHEN x.created_at > i.updated_at THEN x.created_at ELSE i.updated_at END";

/// A source of a list, with the time by which it is ordered.
enum ListSource {
    /// The reader's own itineraries, read in the order of an index.
    Own { only: &'static str },
    /// Others: sorts the keys of all matches, then reads the rows of the page.
    Other { from: String, time: &'static str },
}

impl Store {
    /// A page of itineraries, each with the time by which the list is ordered: newest first, or with `updated_since`
    /// oldest first.
    pub async fn itinerary_page(&self, query: &ListQuery) -> Result<Vec<(DateTime<Utc>, SummaryRow)>> {
        self.fetch_page(query.page(self.kind())).await
    }
}

impl ListQuery {
    /// One of a few dozen texts, depending on the query.
    fn page(&self, kind: DatabaseKind) -> Query {
        let mut parameters = Parameters::default();
        parameters.bind(self.account_id);
        let sources = sources(self, &mut parameters);
        let (beyond, order) = if self.updated_since.is_some() { (">", "ASC") } else { ("<", "DESC") };
        // A later page starts at `after`, which is not older than `updated_since`; with one bound the index seeks there
        // directly.
        let since = self.updated_since.filter(|_| self.after.is_none()).map(|since| parameters.bind(since));
        let after = self.after.map(|(time, id)| (parameters.bind(time), parameters.bind(id)));
        let limit = parameters.bind(i64::from(self.limit));
        let bounds = |time: &str| {
            let since = since.as_ref().map(|since| format!(" AND {time} >= {since}"));
            let after = after.as_ref().map(|(at, id)| format!(" AND ({time}, i.id) {beyond} ({at}, {id})"));
            since.unwrap_or_default() + &after.unwrap_or_default()
        };
        let part = |source: &ListSource| match source {
            ListSource::Own { only } => own_page(only, &bounds("i.updated_at")),
            ListSource::Other { from, time } => other_page(kind, from, time, &bounds(time), order, &limit),
        };
        let parts: Vec<_> = sources.iter().map(part).collect();
        let page = format!(" ORDER BY 1 {order}, 2 {order} LIMIT {limit}");
        let text = match kind {
            _ if parts.len() == 1 => parts.concat() + &page,
            // SQLite merges the sorted parts, and stops at the LIMIT.
            DatabaseKind::Sqlite => parts.join(" UNION ALL ") + &page,
            // PostgreSQL would read each part to its end without a LIMIT of its own.
            DatabaseKind::Postgres => {
                let parts: Vec<_> = parts.iter().map(|part| format!("({part}{page})")).collect();
                parts.join(" UNION ALL ") + &page
            }
        };
        parameters.query(text)
    }
}

/// The columns for the owner, who is never a member and may see the source of a copy.
static OWN_COLUMNS: LazyLock<String> = LazyLock::new(|| {
    SummaryRow::COLUMNS.replace(summary::MEMBER_ROLE, "NULL").replace(summary::SHOWS_SOURCE, "i.saved_from IS NOT NULL")
});

/// Rows that the reader owns. The owner's account is looked up once.
fn own_page(only: &str, bounds: &str) -> String {
    let (columns, counters) = (&*OWN_COLUMNS, summary::COUNTERS);
    format!(
        "SELECT i.updated_at AS at, {columns} FROM accounts a CROSS JOIN itineraries i{counters} \
         WHERE a.id = $1 AND i.owner_id = $1{only}{bounds}"
    )
}

/// Rows that the reader does not own.
fn other_page(kind: DatabaseKind, from: &str, time: &str, bounds: &str, order: &str, limit: &str) -> String {
    let (columns, joins) = (SummaryRow::COLUMNS, summary::joins(kind));
    format!(
        "SELECT k.at, {columns} FROM (SELECT {time} AS at, i.id FROM {from}{bounds} \
         ORDER BY {time} {order}, i.id {order} LIMIT {limit}) AS k JOIN itineraries i ON i.id = k.id{joins}"
    )
}

fn sources(query: &ListQuery, parameters: &mut Parameters) -> Vec<ListSource> {
    // Ordered by change alone, so the time of arrival is not needed.
    let arrival = if query.updated_since.is_some() { CHANGE_OR_ARRIVAL } else { "i.updated_at" };
    let other = |from: String| ListSource::Other { from, time: arrival };
    match query.content {
        ListContent::Library(ListFilter::All) => vec![ListSource::Own { only: "" }, other(SHARED.to_owned())],
        ListContent::Library(ListFilter::Owned) => vec![ListSource::Own { only: "" }],
        ListContent::Library(ListFilter::Saved) => vec![ListSource::Own { only: " AND i.saved_from IS NOT NULL" }],
        ListContent::Library(ListFilter::Shared) => vec![other(SHARED.to_owned())],
        ListContent::Library(ListFilter::Liked) => vec![other(format!("{MARKED}'like' AND {VISIBLE}"))],
        ListContent::Library(ListFilter::Disliked) => vec![other(format!("{MARKED}'dislike' AND {VISIBLE}"))],
        ListContent::OwnedBy(owner) => {
            let owner = parameters.bind(owner);
            // Unlisted itineraries are only for those who have their id.
            let findable = "(i.visibility <> 'unlisted' OR i.owner_id = $1 \
                 OR EXISTS (SELECT 1 FROM members x WHERE x.itinerary_id = i.id AND x.account_id = $1))";
            let from = format!(
                "itineraries i WHERE i.owner_id = {owner} AND {VISIBLE} AND {findable} AND NOT EXISTS \
                 (SELECT 1 FROM blocks b WHERE b.account_id = {owner} AND b.blocked_id = $1)"
            );
            vec![ListSource::Other { from, time: "i.updated_at" }]
        }
    }
}
