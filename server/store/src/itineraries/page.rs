//! Lists of itineraries, by keyset: rows that come and go make nothing else skip or repeat.
//!
//! Does not know cursors: the last row's key is the next page's start. What an account owns is read in order from an
//! index; what is shared with it or marked by it is looked through, as far as there is of it.

use chrono::{DateTime, Utc};
use uuid::Uuid;

use super::summary::{self, SummaryRow};
use crate::query::{Parameters, Query};
use crate::{Result, Store};

/// Which itineraries a list holds, for the account that reads it.
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
    /// Liked by the account, and visible to it.
    Liked,
    /// Disliked by the account, and visible to it.
    Disliked,
    /// Owned by this account, as far as the one that reads may find them.
    OwnedBy(Uuid),
}

/// A page to be read.
#[derive(Clone, Debug)]
pub struct ListQuery {
    /// Who reads.
    pub account_id: Uuid,
    /// Which itineraries.
    pub filter: ListFilter,
    /// Only what has changed or has come into the library since, this instant included; the list is then oldest first.
    pub updated_since: Option<DateTime<Utc>>,
    /// The key (time, id) of the row before the page's first.
    pub after: Option<(DateTime<Utc>, Uuid)>,
    /// How many rows at most.
    pub limit: u32,
}

/// The itineraries that an account ($1) may see: [`crate::itineraries`]' readers apply the same rule to one that was read.
const VISIBLE: &str = "(i.owner_id = $1 OR i.visibility IN ('unlisted', 'public') \
     OR EXISTS (SELECT 1 FROM members v WHERE v.itinerary_id = i.id AND v.account_id = $1) \
     OR (i.visibility = 'followers' \
     AND EXISTS (SELECT 1 FROM follows v WHERE v.followed_id = i.owner_id AND v.follower_id = $1)))";

const OWNED: &str = "itineraries i WHERE i.owner_id = $1";
const SAVED: &str = "itineraries i WHERE i.owner_id = $1 AND i.saved_from IS NOT NULL";
const SHARED: &str = "members x JOIN itineraries i ON i.id = x.itinerary_id WHERE x.account_id = $1";
const MARKED: &str = "reactions x JOIN itineraries i ON i.id = x.itinerary_id WHERE x.account_id = $1 AND x.kind = ";

/// What was last: the itinerary's change or its arrival in the library.
const CHANGE_OR_ARRIVAL: &str = "CASE WHEN x.created_at > i.updated_at THEN x.created_at ELSE i.updated_at END";

/// One source of a list: from where, and the time by which it is ordered.
struct Source {
    from: String,
    time: &'static str,
}

impl Store {
    /// A page of itineraries, each with the time by which the list is ordered: newest change first, or with
    /// `updated_since` oldest first.
    pub async fn itinerary_page(&self, query: &ListQuery) -> Result<Vec<(DateTime<Utc>, SummaryRow)>> {
        self.fetch_all_long(query.page()).await
    }
}

impl ListQuery {
    /// One of a few dozen texts, by what is asked for.
    fn page(&self) -> Query {
        let mut parameters = Parameters::default();
        parameters.bind(self.account_id);
        let sources = sources(self, &mut parameters);
        let (beyond, order) = if self.updated_since.is_some() { (">", "ASC") } else { ("<", "DESC") };
        // A later page begins after a row that was not older: without the lower bound the index leads there at once.
        let since = self.updated_since.filter(|_| self.after.is_none()).map(|since| parameters.bind(since));
        let after = self.after.map(|(time, id)| (parameters.bind(time), parameters.bind(id)));
        let limit = parameters.bind(i64::from(self.limit));
        let part = |(n, Source { from, time }): (usize, &Source)| {
            let since = since.as_ref().map(|since| format!(" AND {time} >= {since}"));
            let after = after.as_ref().map(|(at, id)| format!(" AND ({time}, i.id) {beyond} ({at}, {id})"));
            format!(
                "SELECT * FROM (SELECT {time} AS at, i.id FROM {from}{}{} ORDER BY {time} {order}, i.id {order} \
                 LIMIT {limit}) AS p{n}",
                since.unwrap_or_default(),
                after.unwrap_or_default()
            )
        };
        let parts: Vec<_> = sources.iter().enumerate().map(part).collect();
        let text = format!(
            "SELECT k.at, {} FROM ({}) AS k JOIN itineraries i ON i.id = k.id{} \
             ORDER BY k.at {order}, k.id {order} LIMIT {limit}",
            SummaryRow::COLUMNS,
            parts.join(" UNION ALL "),
            summary::JOINS
        );
        parameters.query(text)
    }
}

fn sources(query: &ListQuery, parameters: &mut Parameters) -> Vec<Source> {
    // What is ordered by change alone need not look at when it came.
    let arrival = if query.updated_since.is_some() { CHANGE_OR_ARRIVAL } else { "i.updated_at" };
    let own = |from: &str| Source { from: from.to_owned(), time: "i.updated_at" };
    let other = |from: String| Source { from, time: arrival };
    match query.filter {
        ListFilter::All => vec![own(OWNED), other(SHARED.to_owned())],
        ListFilter::Owned => vec![own(OWNED)],
        ListFilter::Saved => vec![own(SAVED)],
        ListFilter::Shared => vec![other(SHARED.to_owned())],
        ListFilter::Liked => vec![other(format!("{MARKED}'like' AND {VISIBLE}"))],
        ListFilter::Disliked => vec![other(format!("{MARKED}'dislike' AND {VISIBLE}"))],
        ListFilter::OwnedBy(owner) => {
            let owner = parameters.bind(owner);
            // Unlisted ones are for those who were given their id.
            let findable = "(i.visibility <> 'unlisted' OR i.owner_id = $1 \
                 OR EXISTS (SELECT 1 FROM members x WHERE x.itinerary_id = i.id AND x.account_id = $1))";
            vec![own(&format!("itineraries i WHERE i.owner_id = {owner} AND {VISIBLE} AND {findable}"))]
        }
    }
}
