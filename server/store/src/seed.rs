//! Filling a database for trying and measuring: many itineraries in one transaction, stored as if each had been published
//! and liked by itself.

use chrono::{DateTime, Utc};
use sea_orm::ConnectionTrait;
use uuid::Uuid;

use crate::row::millis;
use crate::store::execute;
use crate::{Listing, NewItinerary, Result, Store};

/// A public itinerary.
#[derive(Clone, Debug)]
pub struct Published {
    /// The itinerary, whose columns say that it is public.
    pub itinerary: NewItinerary,
    /// What Explore is to know of it.
    pub listing: Listing,
    /// Who likes it, each once.
    pub liked_by: Vec<Uuid>,
}

const IS_EMPTY: &str = "SELECT 1 FROM accounts LIMIT 1";

const LIKE: &str = "INSERT INTO reactions (itinerary_id, account_id, kind, created_at) VALUES ($1, $2, 'like', $3)";

const COUNT_LIKES: &str = "INSERT INTO itinerary_counters (itinerary_id, likes) VALUES ($1, $2)";

impl Store {
    /// Whether nobody has an account here, and so no itinerary is here.
    pub async fn is_empty(&self) -> Result<bool> {
        Ok(self.reader.query_one_raw(self.statement(IS_EMPTY, [])).await?.is_none())
    }

    /// Stores public itineraries, all of them or none.
    pub async fn seed(&self, itineraries: &[Published], now: DateTime<Utc>) -> Result<()> {
        let transaction = self.begin().await?;
        for Published { itinerary, listing, liked_by } in itineraries {
            execute(&transaction, self.insert(itinerary, None)).await?;
            self.list_new(&transaction, itinerary.id, itinerary.owner_id, listing).await?;
            for account in liked_by {
                let values = [itinerary.id.into(), (*account).into(), millis(now).into()];
                execute(&transaction, self.statement(LIKE, values)).await?;
            }
            if !liked_by.is_empty() {
                let likes = i64::try_from(liked_by.len()).unwrap_or(i64::MAX);
                execute(&transaction, self.statement(COUNT_LIKES, [itinerary.id.into(), likes.into()])).await?;
            }
        }
        Ok(transaction.commit().await?)
    }

    /// Lets the database look at what it holds, so that it plans well from the beginning.
    pub async fn analyse(&self) -> Result<()> {
        self.execute(self.statement("ANALYZE", [])).await?;
        Ok(())
    }
}
