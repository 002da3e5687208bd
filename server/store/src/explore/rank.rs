//! Ranking: reads the counters of each itinerary in Explore and writes its rank key (`place`) and tier, in small
//! batches.
//!
//! The caller computes rank keys and tiers.

use chrono::{DateTime, Utc};
use uuid::Uuid;

use super::WORLD;
use crate::engine::transaction::End;
use crate::entity::feed;
use crate::entity::settings::Column as Setting;
use crate::query::row::row;
use crate::query::statement::statements;
use crate::query::{query, text};
use crate::settings::FIND;
use crate::{Result, Store};

row! {
    #[derive(Clone, Debug, PartialEq, Eq)]
    pub struct RankRow {
        pub itinerary_id: Uuid = "e.itinerary_id",
        pub published_at: DateTime<Utc> = "e.published_at",
        pub place: i64 = "e.place",
        pub tier: Option<i16> = "f.tier",
        pub likes: i64 = "COALESCE(c.likes, 0)",
        pub saves: i64 = "COALESCE(c.saves, 0)",
        pub views: i64 = "COALESCE(c.views, 0)",
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ranked {
    pub itinerary_id: Uuid,
    pub place: i64,
    pub tier: i16,
}

/// The setting with the data of the last ranking for the next.
const SETTING: &str = "explore_ranking";

statements! {
    const REMEMBER =
        insert([Setting::Name, Setting::Value, Setting::UpdatedAt]).or_update([Setting::Name], [Setting::Value]);

    const PROMOTE = feed::Entity::update_many()
        .col_expr(feed::Column::Tier, p(2))
        .filter(feed::Column::ItineraryId.eq(p(1)))
        .filter(feed::Column::Tier.ne(p(2)));

    /// The batch is selected before the join, so that no plan joins all rows.
    const ROWS = text!(
        "SELECT ",
        RankRow::COLUMNS,
        " FROM (SELECT itinerary_id, published_at, place FROM explore \
         WHERE itinerary_id > $1 ORDER BY itinerary_id LIMIT $2) AS e \
         LEFT JOIN feed f ON f.itinerary_id = e.itinerary_id AND f.region = $3 \
         LEFT JOIN itinerary_counters c ON c.itinerary_id = e.itinerary_id ORDER BY e.itinerary_id"
    );

    /// Rank keys are unique; in the rare case of a collision the row keeps its old key.
    const MOVE = "UPDATE explore SET place = $2 WHERE itinerary_id = $1 AND place <> $2 \
         AND NOT EXISTS (SELECT 1 FROM explore t WHERE t.place = $2)";
}

impl Store {
    /// The data that the last ranking has stored; empty if there was none.
    pub async fn ranking_memory(&self) -> Result<String> {
        Ok(self.fetch_optional(&query!(FIND, SETTING)).await?.unwrap_or_default())
    }

    /// Stores data for the next ranking.
    pub async fn ranking_remember(&self, value: &str, now: DateTime<Utc>) -> Result<()> {
        self.execute(query!(REMEMBER, SETTING, value, now)).await.map(|_| ())
    }

    /// The itineraries after this id, in the order of their ids.
    pub async fn ranking_rows(&self, after: Option<Uuid>, limit: u32) -> Result<Vec<RankRow>> {
        self.fetch_all_long(query!(ROWS, after.unwrap_or_default(), i64::from(limit), WORLD)).await
    }

    /// Writes rank keys and tiers in one transaction; skips itineraries that have left Explore.
    pub async fn ranking_apply(&self, ranked: &[Ranked]) -> Result<()> {
        self.transaction(ranked.to_vec(), |ranked, transaction| {
            Box::pin(async move {
                for Ranked { itinerary_id, place, tier } in ranked {
                    transaction.execute(&query!(MOVE, *itinerary_id, *place)).await?;
                    transaction.execute(&query!(PROMOTE, *itinerary_id, *tier)).await?;
                }
                Ok(End::Commit(()))
            })
        })
        .await
    }
}
