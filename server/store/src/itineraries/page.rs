//! Lists of itineraries, by keyset: every page costs the same, and rows that come and go make nothing else
//! skip or repeat.
//!
//! Does not know cursors: the last row's key is the next page's start.

use chrono::{DateTime, Utc};
use sea_orm::{ConnectionTrait, QueryResult, Statement, Value};
use uuid::Uuid;

use crate::row::{Columns, millis};
use crate::{Result, Store};

/// Which of the itineraries in an account's library a list holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ListFilter {
    /// Owned and shared with the account.
    All,
    /// Owned, copies included.
    Owned,
    /// Shared with the account by others.
    Shared,
    /// Copies of others' itineraries.
    Saved,
    /// Liked by the account.
    Liked,
    /// Disliked by the account.
    Disliked,
}

/// A page to be read.
#[derive(Clone, Debug)]
pub struct ListQuery {
    /// Whose library.
    pub account_id: Uuid,
    /// Which part of it.
    pub filter: ListFilter,
    /// Only what has changed since, this instant included; the list is then oldest first.
    pub updated_since: Option<DateTime<Utc>>,
    /// The key (`updated_at`, `id`) of the row before the page's first.
    pub after: Option<(DateTime<Utc>, Uuid)>,
    /// How many rows at most.
    pub limit: u32,
}

/// An itinerary as a list shows it, with what is told of its owner.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SummaryRow {
    /// Its id.
    pub id: Uuid,
    /// Its version.
    pub version: i64,
    /// Who may see it besides members.
    pub visibility: String,
    /// When it was first shown to others.
    pub published_at: Option<DateTime<Utc>>,
    /// When its content last changed.
    pub updated_at: DateTime<Utc>,
    /// Whose it is.
    pub owner_id: Uuid,
    /// The rest of what a list shows, as JSON.
    pub card: String,
    /// The owner's username.
    pub username: String,
    /// The owner's name.
    pub display_name: String,
    /// The owner's picture.
    pub image_url: Option<String>,
}

const SUMMARIES: &str = "SELECT i.id, i.version, i.visibility, i.published_at, i.updated_at, i.owner_id, i.card, \
     a.username, a.display_name, a.image_url \
     FROM itineraries i JOIN accounts a ON a.id = i.owner_id WHERE i.owner_id = $1";

impl Store {
    /// A page of an account's library: newest change first, or with `updated_since` oldest first.
    pub async fn itinerary_page(&self, query: &ListQuery) -> Result<Vec<SummaryRow>> {
        match query.filter {
            // No operation shares, likes or dislikes yet.
            ListFilter::Shared | ListFilter::Liked | ListFilter::Disliked => Ok(Vec::new()),
            ListFilter::All | ListFilter::Owned | ListFilter::Saved => {
                self.reader.query_all_raw(self.page_of_owned(query)).await?.iter().map(summary).collect()
            }
        }
    }

    /// One of six texts, by what the query names.
    fn page_of_owned(&self, query: &ListQuery) -> Statement {
        let mut values: Vec<Value> = vec![query.account_id.into()];
        let mut bind = |value: Value| {
            values.push(value);
            format!("${}", values.len())
        };
        let (beyond, order) = if query.updated_since.is_some() { (">", "ASC") } else { ("<", "DESC") };
        let saved = if query.filter == ListFilter::Saved { " AND i.saved_from IS NOT NULL" } else { "" };
        // A later page begins after a row that was not older: without the lower bound the index leads there at once.
        let since = query.updated_since.filter(|_| query.after.is_none());
        let since = since.map(|since| format!(" AND i.updated_at >= {}", bind(millis(since).into())));
        let after = query.after.map(|(updated_at, id)| {
            let (updated_at, id) = (bind(millis(updated_at).into()), bind(id.into()));
            format!(" AND (i.updated_at, i.id) {beyond} ({updated_at}, {id})")
        });
        let (since, after) = (since.unwrap_or_default(), after.unwrap_or_default());
        let limit = bind(i64::from(query.limit).into());
        let tail = format!(" ORDER BY i.updated_at {order}, i.id {order} LIMIT {limit}");
        self.statement([SUMMARIES, saved, &since, &after, &tail].concat(), values)
    }
}

fn summary(row: &QueryResult) -> Result<SummaryRow> {
    let mut columns = Columns::of(row);
    Ok(SummaryRow {
        id: columns.take()?,
        version: columns.take()?,
        visibility: columns.take()?,
        published_at: columns.time_or_null()?,
        updated_at: columns.time()?,
        owner_id: columns.take()?,
        card: columns.take()?,
        username: columns.take()?,
        display_name: columns.take()?,
        image_url: columns.take()?,
    })
}
