//! Ranking: what is counted for each itinerary of Explore is read, and its place and tier are written, in small batches.
//!
//! How counts become a place and a tier is not known here.

use chrono::{DateTime, TimeDelta, Utc};
use sea_orm::ConnectionTrait;
use uuid::Uuid;

use super::WORLD;
use crate::row::{Columns, millis};
use crate::store::{execute, retry};
use crate::{Result, Store};

/// What an itinerary is ranked by.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RankRow {
    /// The itinerary.
    pub itinerary_id: Uuid,
    /// When it was first shown to others.
    pub published_at: DateTime<Utc>,
    /// Its place now.
    pub place: i64,
    /// Its tier now, if it is in the feed.
    pub tier: Option<i16>,
    /// How many people like it.
    pub likes: i64,
    /// How many people have saved it.
    pub saves: i64,
    /// How often it was read.
    pub views: i64,
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

/// The batch is taken before it is joined, so that no plan joins all there is.
const ROWS: &str = "SELECT e.itinerary_id, e.published_at, e.place, f.tier, COALESCE(c.likes, 0), \
     COALESCE(c.saves, 0), COALESCE(c.views, 0) FROM (SELECT itinerary_id, published_at, place FROM explore \
     WHERE itinerary_id > $1 ORDER BY itinerary_id LIMIT $2) AS e \
     LEFT JOIN feed f ON f.itinerary_id = e.itinerary_id AND f.region = $3 \
     LEFT JOIN itinerary_counters c ON c.itinerary_id = e.itinerary_id ORDER BY e.itinerary_id";

/// Two may meet in a place, very rarely: then the one that moves stays where it is.
const MOVE: &str = "UPDATE explore SET place = $2 WHERE itinerary_id = $1 AND place <> $2 \
     AND NOT EXISTS (SELECT 1 FROM explore t WHERE t.place = $2)";
const PROMOTE: &str = "UPDATE feed SET tier = $2 WHERE itinerary_id = $1 AND tier <> $2";

impl Store {
    /// Whether it is time to rank: when the last ranking, by whatever server, began long enough ago. Then this is the
    /// next one.
    pub async fn ranking_begin(&self, now: DateTime<Utc>, every: TimeDelta) -> Result<bool> {
        let values = [SETTING.into(), millis(now).into(), millis(now - every).into()];
        Ok(self.execute(self.statement(TAKE_TURN, values)).await? == 1)
    }

    /// What the last ranking left; empty if there was none.
    pub async fn ranking_memory(&self) -> Result<String> {
        let statement = self.statement("SELECT value FROM settings WHERE name = $1", [SETTING.into()]);
        let row = self.reader.query_one_raw(statement).await?;
        row.as_ref().map_or_else(|| Ok(String::new()), |row| Columns::of(row).take())
    }

    /// Leaves something for the next ranking.
    pub async fn ranking_remember(&self, value: &str, now: DateTime<Utc>) -> Result<()> {
        self.execute(self.statement(REMEMBER, [SETTING.into(), value.into(), millis(now).into()])).await?;
        Ok(())
    }

    /// The next itineraries behind one, in the order of their ids.
    pub async fn ranking_rows(&self, after: Option<Uuid>, limit: u32) -> Result<Vec<RankRow>> {
        let values = [after.unwrap_or_default().into(), i64::from(limit).into(), WORLD.into()];
        let rows = self.reader.query_all_raw(self.statement(ROWS, values)).await?;
        let rows = rows.iter().map(|row| {
            let mut columns = Columns::of(row);
            Ok(RankRow {
                itinerary_id: columns.take()?,
                published_at: columns.time()?,
                place: columns.take()?,
                tier: columns.take()?,
                likes: columns.take()?,
                saves: columns.take()?,
                views: columns.take()?,
            })
        });
        rows.collect()
    }

    /// Puts itineraries where they belong, in one transaction; those that have left Explore are passed over.
    pub async fn ranking_apply(&self, ranked: &[Ranked]) -> Result<()> {
        retry(|| async {
            let transaction = self.begin().await?;
            for Ranked { itinerary_id, place, tier } in ranked {
                execute(&transaction, self.statement(MOVE, [(*itinerary_id).into(), (*place).into()])).await?;
                execute(&transaction, self.statement(PROMOTE, [(*itinerary_id).into(), (*tier).into()])).await?;
            }
            transaction.commit().await?;
            Ok(())
        })
        .await
    }
}
