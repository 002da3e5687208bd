//! Ranking: what is counted for each itinerary of Explore is read, and its place and tier are written, in small batches.
//!
//! How counts become a place and a tier is not known here.

use chrono::{DateTime, TimeDelta, Utc};
use uuid::Uuid;

use super::WORLD;
use crate::query::{query, text};
use crate::row::row;
use crate::transaction::End;
use crate::{Result, Store};

row! {
    /// What an itinerary is ranked by.
    #[derive(Clone, Debug, PartialEq, Eq)]
    pub struct RankRow {
        /// The itinerary.
        pub itinerary_id: Uuid = "e.itinerary_id",
        /// When it was first shown to others.
        pub published_at: DateTime<Utc> = "e.published_at",
        /// Its place now.
        pub place: i64 = "e.place",
        /// Its tier now, if it is in the feed.
        pub tier: Option<i16> = "f.tier",
        /// How many people like it.
        pub likes: i64 = "COALESCE(c.likes, 0)",
        /// How many people have saved it.
        pub saves: i64 = "COALESCE(c.saves, 0)",
        /// How often it was read.
        pub views: i64 = "COALESCE(c.views, 0)",
    }
}

/// Where an itinerary belongs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ranked {
    /// The itinerary.
    pub itinerary_id: Uuid,
    /// Its place.
    pub place: i64,
    /// Its tier.
    pub tier: i16,
}

/// The setting that says when the last ranking began, and what it left for the next.
const SETTING: &str = "explore_ranking";

/// Of several servers one takes its turn.
const TAKE_TURN: &str = "INSERT INTO settings (name, value, updated_at) VALUES ($1, '', $2) \
     ON CONFLICT (name) DO UPDATE SET updated_at = excluded.updated_at WHERE settings.updated_at <= $3";

const REMEMBER: &str = "INSERT INTO settings (name, value, updated_at) VALUES ($1, $2, $3) \
     ON CONFLICT (name) DO UPDATE SET value = excluded.value";

const MEMORY: &str = "SELECT value FROM settings WHERE name = $1";

/// The batch is taken before it is joined, so that no plan joins all there is.
const ROWS: &str = text!(
    "SELECT ",
    RankRow::COLUMNS,
    " FROM (SELECT itinerary_id, published_at, place FROM explore \
     WHERE itinerary_id > $1 ORDER BY itinerary_id LIMIT $2) AS e \
     LEFT JOIN feed f ON f.itinerary_id = e.itinerary_id AND f.region = $3 \
     LEFT JOIN itinerary_counters c ON c.itinerary_id = e.itinerary_id ORDER BY e.itinerary_id"
);

/// Two may meet in a place, very rarely: then the one that moves stays where it is.
const MOVE: &str = "UPDATE explore SET place = $2 WHERE itinerary_id = $1 AND place <> $2 \
     AND NOT EXISTS (SELECT 1 FROM explore t WHERE t.place = $2)";
const PROMOTE: &str = "UPDATE feed SET tier = $2 WHERE itinerary_id = $1 AND tier <> $2";

impl Store {
    /// Whether it is time to rank: when the last ranking, by whatever server, began long enough ago. Then this is the
    /// next one.
    pub async fn ranking_begin(&self, now: DateTime<Utc>, every: TimeDelta) -> Result<bool> {
        Ok(self.execute(query!(TAKE_TURN, SETTING, now, now - every)).await? == 1)
    }

    /// What the last ranking left; empty if there was none.
    pub async fn ranking_memory(&self) -> Result<String> {
        Ok(self.fetch_optional(&query!(MEMORY, SETTING)).await?.unwrap_or_default())
    }

    /// Leaves something for the next ranking.
    pub async fn ranking_remember(&self, value: &str, now: DateTime<Utc>) -> Result<()> {
        self.execute(query!(REMEMBER, SETTING, value, now)).await.map(|_| ())
    }

    /// The next itineraries behind one, in the order of their ids.
    pub async fn ranking_rows(&self, after: Option<Uuid>, limit: u32) -> Result<Vec<RankRow>> {
        self.fetch_all_long(query!(ROWS, after.unwrap_or_default(), i64::from(limit), WORLD)).await
    }

    /// Puts itineraries where they belong, in one transaction; those that have left Explore are passed over.
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
