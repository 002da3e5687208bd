//! Fills a database for demos and benchmarks: many itineraries in one transaction, with the same rows as if each had
//! been published and liked individually.

use chrono::{DateTime, Utc};
use uuid::Uuid;

use crate::engine::transaction::{End, Transaction};
use crate::entity::accounts;
use crate::entity::itinerary_counters::Column as Counter;
use crate::entity::reactions::Column as Reaction;
use crate::query::query;
use crate::query::statement::statements;
use crate::{DatabaseKind, ExploreEntry, NewItinerary, Result, Store};

#[derive(Clone, Debug)]
pub struct Published {
    /// Must be public.
    pub itinerary: NewItinerary,
    /// The entry in Explore.
    pub explore_entry: ExploreEntry,
    /// The accounts that like it, without duplicates.
    pub liked_by: Vec<Uuid>,
}

statements! {
    const ANY_ACCOUNT = accounts::Entity::find().select_found().limit(1);

    const LIKE = insert_values([
        (Reaction::ItineraryId, p(1)),
        (Reaction::AccountId, p(2)),
        (Reaction::Kind, "like".into()),
        (Reaction::CreatedAt, p(3)),
    ]);

    const COUNT_LIKES = insert([Counter::ItineraryId, Counter::Likes]);
}

const ANALYSE_FILLED: &str = "DO $$ DECLARE filled text; BEGIN \
     SELECT string_agg(format('%I', relname), ', ') INTO filled FROM pg_class \
     WHERE relkind = 'r' AND relnamespace = (SELECT oid FROM pg_namespace WHERE nspname = current_schema()) AND pg_relation_size(oid) > 0; \
     IF filled IS NOT NULL THEN EXECUTE 'ANALYZE ' || filled; END IF; END $$";

impl Store {
    /// Whether there are no accounts, and therefore no itineraries.
    pub async fn is_empty(&self) -> Result<bool> {
        Ok(!self.exists(&query!(ANY_ACCOUNT)).await?)
    }

    /// Stores public itineraries in one transaction.
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

    /// Updates the database's statistics for the query planner. On PostgreSQL this may take longer than other statements,
    /// and omits tables without pages: with statistics of an empty table, plans for filling it are slow.
    pub async fn analyse(&self) -> Result<()> {
        self.transaction((), |(), transaction| {
            Box::pin(async move {
                let analyse = match transaction.kind() {
                    DatabaseKind::Sqlite => "ANALYZE",
                    DatabaseKind::Postgres => {
                        transaction.execute(&query!("SET LOCAL statement_timeout = 0")).await?;
                        transaction.without_limit();
                        ANALYSE_FILLED
                    }
                };
                transaction.execute(&query!(analyse)).await?;
                Ok(End::Commit(()))
            })
        })
        .await
    }
}

impl Transaction {
    async fn publish(&mut self, published: &Published, now: DateTime<Utc>) -> Result<()> {
        let Published { itinerary, explore_entry, liked_by } = published;
        // Quotas do not apply.
        self.count_owned(itinerary.owner_id, i64::MAX).await?;
        self.execute(&itinerary.clone().insert()).await?;
        if let Some(picture) = &itinerary.picture {
            self.add_picture(itinerary.id, picture, itinerary.created_at).await?;
        }
        self.list_new(itinerary.id, itinerary.owner_id, explore_entry).await?;
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
