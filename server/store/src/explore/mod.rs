//! Explore: the itineraries that others may find, their search words, and their order.
//!
//! Itineraries that others may find have a row; private, unlisted and hidden ones have none. The rows change in the
//! transaction of the itinerary's change. Callers fold words and compute scores.

mod favourite;
pub(crate) mod feed;
pub(crate) mod following;
mod fts5;
pub(crate) mod rank;
mod search;
mod tsvector;

use chrono::{DateTime, Utc};
use itinerary_model::Visibility;
use uuid::Uuid;

use crate::engine::transaction::{End, Transaction};
use crate::entity::explore::{self, Column};
use crate::entity::itineraries;
use crate::query::query;
use crate::query::row::row;
use crate::query::statement::statements;
use crate::{Result, Store};

pub use feed::{FeedOrder, FeedPosition, KEYS, NEW_TIER, TIERS};
pub use following::{FollowedPage, WALKED};
pub use fts5::IndexMerge;
pub use rank::{RankRow, Ranked};
pub use search::Matching;

/// An itinerary's entry in Explore.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExploreEntry {
    /// Whether everyone may find the itinerary; otherwise only the owner's followers.
    pub public: bool,
    pub published_at: DateTime<Utc>,
    /// The numbers of the destination's regions, including the world.
    pub regions: Vec<i16>,
    /// The search words: letters `a` to `z` and digits, separated by one space.
    pub words: String,
    /// The initial rank key; smaller is better.
    pub place: i64,
    /// The initial random keys for the feed.
    pub keys: [u32; KEYS],
}

impl ExploreEntry {
    /// The words, and terms for the filters, which begin with `_`; no search word does.
    pub(crate) fn terms(&self) -> String {
        let words = Some(self.words.clone()).filter(|words| !words.is_empty());
        let public = self.public.then(|| PUBLIC.to_owned());
        let regions = self.regions.iter().map(|region| region_term(*region));
        words.into_iter().chain(public).chain(regions).collect::<Vec<_>>().join(" ")
    }

    /// The regions in whose feeds the itinerary is.
    fn feeds(&self) -> &[i16] {
        if self.public { &self.regions } else { &[] }
    }
}

/// The number of the world.
pub const WORLD: i16 = 1;

const PUBLIC: &str = "_public";

fn region_term(region: i16) -> String {
    format!("_{region}")
}

/// The terms for the filters, in their order.
fn filters(terms: &str) -> impl Iterator<Item = &str> {
    terms.split(' ').filter(|term| term.starts_with('_'))
}

row! {
    /// The source data of an itinerary's entry.
    #[derive(Clone, Debug, PartialEq, Eq)]
    pub struct ExploreEntrySource {
        pub owner_id: Uuid = itineraries::Column::OwnerId,
        pub version: i64 = itineraries::Column::Version,
        pub visibility: Visibility = itineraries::Column::Visibility,
        pub published_at: Option<DateTime<Utc>> = itineraries::Column::PublishedAt,
        /// The public section, as JSON.
        pub everyone: String = itineraries::Column::Everyone,
    }
}

statements! {
    const SOURCE = itineraries::Entity::find()
        .select_row::<ExploreEntrySource>()
        .filter(itineraries::Column::Id.eq(p(1)));

    /// Whether moderation has hidden the itinerary $1, or its owner $2 is suspended.
    const IS_HIDDEN = "SELECT 1 WHERE EXISTS (SELECT 1 FROM hidden WHERE itinerary_id = $1) \
         OR EXISTS (SELECT 1 FROM accounts WHERE id = $2 AND suspended_at IS NOT NULL)";

    const LISTED = explore::Entity::find().select_only().column(Column::Words).filter(Column::ItineraryId.eq(p(1)));

    const INSERT =
        insert([Column::ItineraryId, Column::OwnerId, Column::PublishedAt, Column::Place, Column::Words]);

    const UPDATE = explore::Entity::update_many().col_expr(Column::Words, p(2)).filter(Column::ItineraryId.eq(p(1)));

    const DELETE = explore::Entity::delete_many().filter(Column::ItineraryId.eq(p(1)));
}

impl Store {
    /// The source data of an itinerary's entry, regardless of its visibility.
    pub async fn explore_entry_source(&self, id: Uuid) -> Result<Option<ExploreEntrySource>> {
        self.fetch_optional(&query!(SOURCE, id)).await
    }

    /// Adds an itinerary that moderation has shown again to Explore, if it still has this version and is not hidden
    /// again. Returns whether the version matched.
    pub async fn explore_restore(
        &self,
        id: Uuid,
        owner_id: Uuid,
        version: i64,
        explore_entry: ExploreEntry,
    ) -> Result<bool> {
        self.transaction(
            (id, owner_id, version, explore_entry),
            |(id, owner_id, version, explore_entry), transaction| {
                Box::pin(async move {
                    let is_current = transaction.lock_itinerary(*id).await? == Some(*version);
                    if is_current {
                        transaction.list(*id, *owner_id, explore_entry).await?;
                    }
                    Ok(End::Commit(is_current))
                })
            },
        )
        .await
    }
}

impl Transaction {
    /// Inserts or updates an itinerary's entry. The caller holds the itinerary's lock, as does the code that hides it.
    pub(crate) async fn list(&mut self, id: Uuid, owner_id: Uuid, explore_entry: &ExploreEntry) -> Result<()> {
        if self.exists(&query!(IS_HIDDEN, id, owner_id)).await? {
            return Ok(());
        }
        let terms = explore_entry.terms();
        let Some(listed) = self.fetch_optional::<String>(&query!(LISTED, id)).await? else {
            return self.list_new(id, owner_id, explore_entry).await;
        };
        if listed == terms {
            return Ok(());
        }
        self.execute(&query!(UPDATE, id, &terms)).await?;
        // They contain regions and visibility: if these are unchanged, so is the feed.
        if filters(&listed).eq(filters(&terms)) { Ok(()) } else { self.feed_set(id, explore_entry).await }
    }

    /// Inserts an itinerary that has no entry.
    pub(crate) async fn list_new(&mut self, id: Uuid, owner_id: Uuid, explore_entry: &ExploreEntry) -> Result<()> {
        let insert =
            query!(INSERT, id, owner_id, explore_entry.published_at, explore_entry.place, explore_entry.terms());
        self.execute(&insert).await?;
        self.feed_insert(id, explore_entry.feeds(), NEW_TIER, explore_entry.keys.map(i64::from)).await
    }

    /// Removes an itinerary from Explore, if it has an entry.
    pub(crate) async fn unlist(&mut self, id: Uuid) -> Result<()> {
        self.execute(&query!(DELETE, id)).await.map(|_| ())
    }
}
