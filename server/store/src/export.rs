//! An account's marks, memberships and reports, for its archive: with keyset pagination.

use chrono::{DateTime, Utc};
use uuid::Uuid;

use crate::query::row::row;
use crate::query::statement::statements;
use crate::query::{query, text};
use crate::{Result, Store};

row! {
    /// A mark, membership or report.
    #[derive(Clone, Debug, PartialEq, Eq)]
    pub struct TraceRow {
        /// The keyset position of the row.
        pub key: Uuid = "x.key",
        pub itinerary_id: Uuid = "x.itinerary_id",
        /// The kind of mark, the role, or the reason of the report.
        pub what: String = "x.what",
        /// The report's text.
        pub note: Option<String> = "x.note",
        pub created_at: DateTime<Utc> = "x.created_at",
    }
}

/// Kinds of rows of an account on itineraries.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AccountRows {
    Marks,
    Memberships,
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

statements! {
    const MARKS = traces!("itinerary_id AS key, itinerary_id, kind AS what, NULL AS note, created_at FROM reactions");

    const MEMBERSHIPS =
        traces!("itinerary_id AS key, itinerary_id, role AS what, NULL AS note, created_at FROM members");

    const REPORTS = traces!("id AS key, itinerary_id, reason AS what, note, created_at FROM reports");
}

impl Store {
    /// The rows of an account of one kind, after a key.
    pub async fn traces(&self, account: Uuid, trace: AccountRows, after: Uuid, limit: u32) -> Result<Vec<TraceRow>> {
        let text = match trace {
            AccountRows::Marks => MARKS,
            AccountRows::Memberships => MEMBERSHIPS,
            AccountRows::Reports => REPORTS,
        };
        self.fetch_page(query!(text, account, after, i64::from(limit))).await
    }
}
