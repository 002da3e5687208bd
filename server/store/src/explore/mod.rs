//! Explore: which itineraries others may find there, by which words, and in which order.
//!
//! An itinerary that is to be found has a row here; one that is private, unlisted or hidden by moderation has none. The
//! rows change in the transaction of what they follow from. Folding words and judging scores is not done here.

mod feed;
mod rank;
mod search;

use chrono::{DateTime, Utc};
use sea_orm::{ConnectionTrait, DatabaseTransaction, Value};
use uuid::Uuid;

use crate::row::{Columns, millis};
use crate::store::{execute, retry};
use crate::{Result, Store};

pub use feed::{FeedOrder, FeedPosition, KEYS, NEW_TIER, TIERS};
pub use rank::{RankRow, Ranked};
pub use search::Matching;

/// What Explore is to know of an itinerary.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Listing {
    /// Whether everyone may find it; otherwise only the owner's followers.
    pub public: bool,
    /// When it was first shown to others.
    pub published_at: DateTime<Utc>,
    /// The numbers of the regions that its destination is in, the world's included.
    pub regions: Vec<i16>,
    /// The words that it is found by: of `a` to `z` and digits, apart by one blank.
    pub words: String,
    /// Where it stands among those that match, when it is new here: the best first.
    pub place: i64,
    /// Its keys in the random orders of the feed, when it is new here.
    pub keys: [u32; KEYS],
}

impl Listing {
    /// The words with what else can be asked for: no word of a traveller's begins with `_`.
    fn terms(&self) -> String {
        let words = Some(self.words.clone()).filter(|words| !words.is_empty());
        let public = self.public.then(|| PUBLIC.to_owned());
        let regions = self.regions.iter().map(|region| region_term(*region));
        words.into_iter().chain(public).chain(regions).collect::<Vec<_>>().join(" ")
    }

    /// The regions in whose feeds it is.
    fn feeds(&self) -> &[i16] {
        if self.public { &self.regions } else { &[] }
    }
}

/// The number of the region that everything is in.
pub const WORLD: i16 = 1;

const PUBLIC: &str = "_public";

fn region_term(region: i16) -> String {
    format!("_{region}")
}

const IS_HIDDEN: &str = "SELECT 1 FROM hidden WHERE itinerary_id = $1";
const LISTED: &str = "SELECT words FROM explore WHERE itinerary_id = $1";
const INSERT: &str =
    "INSERT INTO explore (itinerary_id, owner_id, published_at, place, words) VALUES ($1, $2, $3, $4, $5)";
const UPDATE: &str = "UPDATE explore SET words = $2 WHERE itinerary_id = $1";
const DELETE: &str = "DELETE FROM explore WHERE itinerary_id = $1";

impl Store {
    /// Lists an itinerary that moderation had hidden and has let go, if its version is still this one and nothing
    /// hides it again; says whether the version was.
    pub async fn explore_restore(&self, id: Uuid, owner_id: Uuid, version: i64, listing: &Listing) -> Result<bool> {
        retry(|| async {
            let transaction = self.begin().await?;
            let is_current = self.lock_itinerary(&transaction, id).await? == Some(version);
            if is_current {
                self.list(&transaction, id, owner_id, listing).await?;
            }
            transaction.commit().await?;
            Ok(is_current)
        })
        .await
    }

    /// Puts an itinerary into Explore, or changes what Explore knows of it. Whoever calls holds its row's lock, as who
    /// hides it does.
    pub(crate) async fn list(
        &self,
        transaction: &DatabaseTransaction,
        id: Uuid,
        owner_id: Uuid,
        listing: &Listing,
    ) -> Result<()> {
        if transaction.query_one_raw(self.statement(IS_HIDDEN, [id.into()])).await?.is_some() {
            return Ok(());
        }
        let terms = listing.terms();
        let Some(listed) = transaction.query_one_raw(self.statement(LISTED, [id.into()])).await? else {
            return self.list_new(transaction, id, owner_id, listing).await;
        };
        // Regions and publicity are among the terms: where they are the same, the feed is right as well.
        if Columns::of(&listed).take::<String>()? == terms {
            return Ok(());
        }
        execute(transaction, self.statement(UPDATE, [id.into(), terms.into()])).await?;
        self.feed_set(transaction, id, listing).await
    }

    /// Puts an itinerary into Explore that is not there.
    pub(crate) async fn list_new(
        &self,
        transaction: &DatabaseTransaction,
        id: Uuid,
        owner_id: Uuid,
        listing: &Listing,
    ) -> Result<()> {
        let (published_at, place) = (millis(listing.published_at).into(), listing.place.into());
        let values: [Value; 5] = [id.into(), owner_id.into(), published_at, place, listing.terms().into()];
        execute(transaction, self.statement(INSERT, values)).await?;
        self.feed_insert(transaction, id, listing.feeds(), NEW_TIER, listing.keys.map(i64::from)).await
    }

    /// Takes an itinerary out of Explore, if it is there.
    pub(crate) async fn unlist(&self, transaction: &DatabaseTransaction, id: Uuid) -> Result<()> {
        execute(transaction, self.statement(DELETE, [id.into()])).await?;
        Ok(())
    }
}
