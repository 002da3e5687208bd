//! The itineraries of a library around a date: which may run then, and which start next.

use uuid::Uuid;

use crate::query::query;
use crate::summary::{self, SummaryRow};
use crate::{Result, Store};

/// The maximum number of started itineraries that are returned, the most recent ones.
const STARTED: i64 = 10;

impl Store {
    /// The itineraries of an account's library that started last on the date (`YYYY-MM-DD`) or before it, and the first
    /// one after it; each of its own and of those shared with it. In order of their start.
    pub async fn itineraries_around(&self, account: Uuid, date: &str) -> Result<Vec<SummaryRow>> {
        let own = "FROM itineraries o WHERE o.owner_id = $1";
        // `CROSS JOIN` fixes the order: from the memberships to the itineraries.
        let shared = "FROM members x CROSS JOIN itineraries o WHERE x.account_id = $1 AND o.id = x.itinerary_id";
        let sides = [("<=", "DESC", "$3"), (">", "ASC", "1")];
        let parts = [own, shared].into_iter().flat_map(|from| {
            sides.map(|(bound, order, limit)| {
                format!(
                    "SELECT * FROM (SELECT o.id, o.start_date {from} AND o.start_date {bound} $2 \
                     ORDER BY o.start_date {order}, o.id {order} LIMIT {limit}) AS p"
                )
            })
        });
        let text = format!(
            "SELECT {} FROM ({}) AS k JOIN itineraries i ON i.id = k.id{} ORDER BY i.start_date, i.id",
            SummaryRow::COLUMNS,
            parts.collect::<Vec<_>>().join(" UNION ALL "),
            summary::joins(self.kind())
        );
        self.fetch_page(query!(text, account, date, STARTED)).await
    }
}
