//! What an account has done besides its itineraries, for its own archive: a page at a time, by keyset.

use chrono::{DateTime, Utc};
use uuid::Uuid;

use crate::query::{query, text};
use crate::row::row;
use crate::{Result, Store};

row! {
    /// Something that an account has done to an itinerary, or is to one.
    #[derive(Clone, Debug, PartialEq, Eq)]
    pub struct TraceRow {
        /// What the next page comes after.
        pub key: Uuid = "x.key",
        /// The itinerary.
        pub itinerary_id: Uuid = "x.itinerary_id",
        /// What: a mark, a role, the reason of a report.
        pub what: String = "x.what",
        /// The account's own words.
        pub note: Option<String> = "x.note",
        /// When.
        pub created_at: DateTime<Utc> = "x.created_at",
    }
}

/// What an account leaves behind on others' itineraries.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Trace {
    /// Likes and dislikes.
    Marks,
    /// Memberships, with their role.
    Memberships,
    /// Reports, with their reason.
    Reports,
}

macro_rules! traces {
    ($columns:literal) => {
        text!(
            "SELECT ",
            TraceRow::COLUMNS,
            " FROM (SELECT ",
            $columns,
            " WHERE account_id = $1) AS x WHERE x.key > $2 ORDER BY x.key LIMIT $3"
        )
    };
}

const MARKS: &str = traces!("itinerary_id AS key, itinerary_id, kind AS what, NULL AS note, created_at FROM reactions");
const MEMBERSHIPS: &str =
    traces!("itinerary_id AS key, itinerary_id, role AS what, NULL AS note, created_at FROM members");
const REPORTS: &str = traces!("id AS key, itinerary_id, reason AS what, note, created_at FROM reports");

impl Store {
    /// What an account has left of a kind, after a key, by their keys.
    pub async fn traces(&self, account: Uuid, trace: Trace, after: Uuid, limit: u32) -> Result<Vec<TraceRow>> {
        let text = match trace {
            Trace::Marks => MARKS,
            Trace::Memberships => MEMBERSHIPS,
            Trace::Reports => REPORTS,
        };
        self.fetch_page(query!(text, account, after, i64::from(limit))).await
    }
}
