//! Explore: which itineraries others may find there, by which words, and in which order.
//!
//! An itinerary that is to be found has a row here; one that is private, unlisted or hidden by moderation has none. The
//! rows change in the transaction of what they follow from. Folding words and judging scores is not done here.

mod feed;
mod following;
mod fts5;
mod rank;
mod search;
mod tsvector;

use chrono::{DateTime, Utc};
use uuid::Uuid;

use crate::query::{query, text};
use crate::row::row;
use crate::transaction::{End, Transaction};
use crate::{Result, Store};

pub use feed::{FeedOrder, FeedPosition, KEYS, NEW_TIER, TIERS};
pub use following::{FollowedPage, WALKED};
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

row! {
    /// What an itinerary's listing is made from.
    #[derive(Clone, Debug, PartialEq, Eq)]
    pub struct ListingSource {
        /// Whose it is.
        pub owner_id: Uuid = "i.owner_id",
        /// Its version.
        pub version: i64 = "i.version",
        /// Who may see it besides members.
        pub visibility: String = "i.visibility",
        /// When it was first shown to others.
        pub published_at: Option<DateTime<Utc>> = "i.published_at",
        /// The JSON of what everyone who may see it is shown.
        pub everyone: String = "i.everyone",
    }
}

const SOURCE: &str = text!("SELECT ", ListingSource::COLUMNS, " FROM itineraries i WHERE i.id = $1");

impl Store {
    /// What the listing of an itinerary is made from, whoever may see it.
    pub async fn listing_source(&self, id: Uuid) -> Result<Option<ListingSource>> {
        self.fetch_optional(&query!(SOURCE, id)).await
    }

    /// Lists an itinerary that moderation had hidden and has let go, if its version is still this one and nothing
    /// hides it again; says whether the version was.
    pub async fn explore_restore(&self, id: Uuid, owner_id: Uuid, version: i64, listing: Listing) -> Result<bool> {
        self.transaction((id, owner_id, version, listing), |(id, owner_id, version, listing), transaction| {
            Box::pin(async move {
                let is_current = transaction.lock_itinerary(*id).await? == Some(*version);
                if is_current {
                    transaction.list(*id, *owner_id, listing).await?;
                }
                Ok(End::Commit(is_current))
            })
        })
        .await
    }
}

impl Transaction {
    /// Puts an itinerary into Explore, or changes what Explore knows of it. Whoever calls holds its row's lock, as who
    /// hides it does.
    pub(crate) async fn list(&mut self, id: Uuid, owner_id: Uuid, listing: &Listing) -> Result<()> {
        if self.exists(&query!(IS_HIDDEN, id)).await? {
            return Ok(());
        }
        let terms = listing.terms();
        let Some(listed) = self.fetch_optional::<String>(&query!(LISTED, id)).await? else {
            return self.list_new(id, owner_id, listing).await;
        };
        // Regions and publicity are among the terms: where they are the same, the feed is right as well.
        if listed == terms {
            return Ok(());
        }
        self.execute(&query!(UPDATE, id, terms)).await?;
        self.feed_set(id, listing).await
    }

    /// Puts an itinerary into Explore that is not there.
    pub(crate) async fn list_new(&mut self, id: Uuid, owner_id: Uuid, listing: &Listing) -> Result<()> {
        let insert = query!(INSERT, id, owner_id, listing.published_at, listing.place, listing.terms());
        self.execute(&insert).await?;
        self.feed_insert(id, listing.feeds(), NEW_TIER, listing.keys.map(i64::from)).await
    }

    /// Takes an itinerary out of Explore, if it is there.
    pub(crate) async fn unlist(&mut self, id: Uuid) -> Result<()> {
        self.execute(&query!(DELETE, id)).await.map(|_| ())
    }
}
