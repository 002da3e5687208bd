//! The itinerary of Explore that the start page shows to visitors.

use std::sync::LazyLock;

use crate::query::query;
use crate::summary::{self, SummaryRow};
use crate::{Result, Store};

/// The number of entries that are compared: the best by rank key. So the cost does not depend on the size of Explore.
const COMPARED: i64 = 100;

/// A visitor has no role, and is not shown where a copy comes from.
static FAVOURITE: LazyLock<String> = LazyLock::new(|| {
    let columns = SummaryRow::COLUMNS.replace(summary::MEMBER_ROLE, "NULL").replace(summary::SHOWS_SOURCE, "1 = 0");
    let counters = summary::COUNTERS;
    format!(
        "SELECT {columns} FROM (SELECT e.itinerary_id AS id, e.place FROM explore e ORDER BY e.place LIMIT $1) AS k \
         JOIN itineraries i ON i.id = k.id AND i.visibility = 'public' \
         JOIN accounts a ON a.id = i.owner_id AND a.deleted_at IS NULL{counters} \
         ORDER BY COALESCE(c.likes, 0) DESC, k.place LIMIT 1"
    )
});

impl Store {
    /// The public itinerary with the most likes among the best-ranked ones of Explore. `None` if there is none.
    pub async fn explore_favourite(&self) -> Result<Option<SummaryRow>> {
        Ok(self.fetch_page(query!(&**FAVOURITE, COMPARED)).await?.into_iter().next())
    }
}
