//! Filling a database for trying and measuring: many itineraries in one transaction, stored as if each had been published
//! and liked by itself.

use chrono::{DateTime, Utc};
use uuid::Uuid;

use crate::query::query;
use crate::transaction::{End, Transaction};
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
        Ok(!self.exists(&query!(IS_EMPTY)).await?)
    }

    /// Stores public itineraries, all of them or none.
    pub async fn seed(&self, itineraries: Vec<Published>, now: DateTime<Utc>) -> Result<()> {
        self.transaction((itineraries, now), |(itineraries, now), transaction| {
            Box::pin(async move {
                for published in itineraries {
                    transaction.publish(published, *now).await?;
                }
                Ok(End::Commit(()))
            })
        })
        .await
    }

    /// Lets the database look at what it holds, so that it plans well from the beginning.
    pub async fn analyse(&self) -> Result<()> {
        self.execute(query!("ANALYZE")).await.map(|_| ())
    }
}

impl Transaction {
    async fn publish(&mut self, published: &Published, now: DateTime<Utc>) -> Result<()> {
        let Published { itinerary, listing, liked_by } = published;
        // Whoever fills a database for measuring is not held up by quotas.
        self.count_owned(itinerary.owner_id, i64::MAX).await?;
        self.execute(&itinerary.clone().insert()).await?;
        self.list_new(itinerary.id, itinerary.owner_id, listing).await?;
        for account in liked_by {
            self.execute(&query!(LIKE, itinerary.id, *account, now)).await?;
        }
        if !liked_by.is_empty() {
            let likes = i64::try_from(liked_by.len()).unwrap_or(i64::MAX);
            self.execute(&query!(COUNT_LIKES, itinerary.id, likes)).await?;
        }
        Ok(())
    }
}
