//! Fills an empty database with many accounts and itineraries, with the same rows as if each had been made individually.
//!
//! A transaction has thousands of rows, because random keys touch the same pages of an index. On PostgreSQL a statement
//! has many rows; on SQLite, where a statement needs no round trip, it has one. The feed is written on its own, because
//! it has the most indexes with random keys.

use chrono::{DateTime, Utc};
use sea_orm::Value;
use uuid::Uuid;

use crate::engine::transaction::{End, Transaction};
use crate::entity::settings::Column as Setting;
use crate::itineraries::INTO as ITINERARY;
use crate::pictures::INTO as PICTURE;
use crate::query::statement::statements;
use crate::query::{Query, ToColumn, query};
use crate::settings::{CLEAR, FIND};
use crate::{DatabaseKind, ExploreEntry, IndexMerge, KEYS, NewAccount, NewItinerary, Result, Store};

/// An itinerary of any visibility.
#[derive(Clone, Debug)]
pub struct Populated {
    pub itinerary: NewItinerary,
    /// The entry in Explore, if others may find the itinerary. [`Store::populate_feed`] writes its place in the feed.
    pub explore_entry: Option<ExploreEntry>,
    /// The accounts that like it, without duplicates.
    pub liked_by: Vec<Uuid>,
}

/// An itinerary's place in the feed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FeedEntry {
    pub itinerary_id: Uuid,
    pub tier: i16,
    pub regions: Vec<i16>,
    pub keys: [u32; KEYS],
}

/// The counters of an account.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct AccountCounts {
    pub followers: i64,
    pub following: i64,
    pub itineraries: i64,
}

/// The largest number of rows of a statement on PostgreSQL, then smaller ones for what remains.
const ROWS: [usize; 3] = [128, 16, 1];

/// This row exists while the database is being filled, and after an interruption.
const UNCLEARED: &str = "demo_unfinished";

statements! {
    /// Fails if the filling of a database was broken off.
    const BEGIN = insert_values([(Setting::Name, p(1)), (Setting::Value, "".into()), (Setting::UpdatedAt, p(2))]);
}

const ACCOUNT: &str = "INSERT INTO accounts \
     (id, username, username_folded, display_name, password_hash, plan, created_at) VALUES ";
const FOLLOW: &str = "INSERT INTO follows (follower_id, followed_id, created_at) VALUES ";
const COUNTS: &str = "INSERT INTO account_counters (account_id, followers, following, itineraries) VALUES ";
const ADD_COUNTS: &str = " ON CONFLICT (account_id) DO UPDATE SET \
     followers = account_counters.followers + excluded.followers, \
     following = account_counters.following + excluded.following, \
     itineraries = account_counters.itineraries + excluded.itineraries";
const LISTED: &str = "INSERT INTO explore (itinerary_id, owner_id, published_at, place, words) VALUES ";
const LIKE: &str = "INSERT INTO reactions (itinerary_id, account_id, created_at, kind) VALUES ";
const LIKES: &str = "INSERT INTO itinerary_counters (itinerary_id, likes) VALUES ";
const FEED: &str = "INSERT INTO feed (itinerary_id, region, tier, key_0, key_1, key_2, key_3) VALUES ";

/// SQLite: a cache that holds the pages of a transaction, and a log that is copied to the file less often. The old pages
/// that a savepoint keeps go to a file: in memory they are a list that every statement walks to its end.
const LARGE: [&str; 3] =
    ["PRAGMA cache_size = -196608", "PRAGMA wal_autocheckpoint = 131072", "PRAGMA temp_store = FILE"];
/// Estimates from the first entries of each index, because reading all of them could exceed a statement's time limit.
const ESTIMATES: [&str; 9] = [
    "PRAGMA analysis_limit = 400",
    "ANALYZE accounts",
    "ANALYZE account_counters",
    "ANALYZE follows",
    "ANALYZE itineraries",
    "ANALYZE itinerary_counters",
    "ANALYZE reactions",
    "ANALYZE explore",
    "ANALYZE feed",
];

impl Store {
    /// Notes that the database is being filled. Until the store is closed, its settings are those for filling.
    pub async fn populate_begin(&self, now: DateTime<Utc>) -> Result<()> {
        self.execute(query!(BEGIN, UNCLEARED, now)).await?;
        self.pragmas(&LARGE).await
    }

    /// Notes that the database is complete, and updates the statistics for the query planner.
    pub async fn populate_finish(&self) -> Result<()> {
        if self.kind() == DatabaseKind::Sqlite {
            self.search_index_merge(IndexMerge::All).await?;
            self.pragmas(&ESTIMATES).await?;
        } else {
            self.analyse().await?;
        }
        self.execute(query!(CLEAR, UNCLEARED)).await.map(|_| ())
    }

    /// Whether filling the database has begun and not finished.
    pub async fn is_half_populated(&self) -> Result<bool> {
        self.exists(&query!(FIND, UNCLEARED)).await
    }

    /// Stores accounts, whose names must be free.
    pub async fn populate_accounts(&self, accounts: Vec<NewAccount>) -> Result<()> {
        let row = |account: NewAccount| {
            let NewAccount { id, username, username_folded, display_name, password_hash, plan, created_at } = account;
            row([id.to_column(), username.into(), username_folded.into(), display_name.into()])
                .chain([password_hash.into(), plan.to_column(), created_at.to_column()])
                .collect()
        };
        self.populate(vec![Rows::new(ACCOUNT, accounts.into_iter().map(row))]).await
    }

    /// Stores follows (follower, followed), without duplicates. Counts none.
    pub async fn populate_follows(&self, follows: Vec<(Uuid, Uuid)>, since: DateTime<Utc>) -> Result<()> {
        let rows = follows
            .into_iter()
            .map(|(follower, followed)| row([follower.to_column(), followed.to_column(), since.to_column()]).collect());
        self.populate(vec![Rows::new(FOLLOW, rows)]).await
    }

    /// Adds to the counters of accounts, each of which appears once.
    pub async fn populate_counts(&self, counts: Vec<(Uuid, AccountCounts)>) -> Result<()> {
        let rows = counts.into_iter().map(|(account, AccountCounts { followers, following, itineraries })| {
            row([account.to_column(), followers.into(), following.into(), itineraries.into()]).collect()
        });
        self.populate(vec![Rows { then: ADD_COUNTS, ..Rows::new(COUNTS, rows) }]).await
    }

    /// Stores itineraries without counting them for their owners.
    pub async fn populate_itineraries(&self, itineraries: Vec<Populated>, now: DateTime<Utc>) -> Result<()> {
        let (mut stored, mut listed, mut likes, mut counted) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        let mut pictures = Vec::new();
        for Populated { itinerary, explore_entry, liked_by } in itineraries {
            let id = itinerary.id.to_column();
            if let Some(explore_entry) = explore_entry {
                let words = explore_entry.terms();
                let entry = row([id.clone(), itinerary.owner_id.to_column(), explore_entry.published_at.to_column()]);
                listed.push((
                    explore_entry.place,
                    entry.chain([explore_entry.place.into(), words.into()]).collect::<Vec<_>>(),
                ));
            }
            if !liked_by.is_empty() {
                counted.push(row([id.clone(), i64::try_from(liked_by.len()).unwrap_or(i64::MAX).into()]).collect());
            }
            likes.extend(
                liked_by.into_iter().map(|account| {
                    row([id.clone(), account.to_column(), now.to_column(), "like".to_column()]).collect()
                }),
            );
            if let Some(picture) = &itinerary.picture {
                pictures.push(picture.insert(itinerary.id, itinerary.created_at).values().to_vec());
            }
            stored.push(itinerary.insert().values().to_vec());
        }
        // SQLite's text index merges rows that arrive in the order of their rank keys; any other order makes it write
        // each row on its own.
        listed.sort_unstable_by_key(|(place, _)| *place);
        self.populate(vec![
            Rows { version: ", 1", ..Rows::new(ITINERARY, stored.into_iter()) },
            Rows::new(PICTURE, pictures.into_iter()),
            Rows::new(LISTED, listed.into_iter().map(|(_, entry)| entry)),
            Rows::new(LIKE, likes.into_iter()),
            Rows::new(LIKES, counted.into_iter()),
        ])
        .await
    }

    /// Stores places in the feed.
    pub async fn populate_feed(&self, entries: Vec<FeedEntry>) -> Result<()> {
        let mut rows: Vec<_> = entries
            .into_iter()
            .flat_map(|FeedEntry { itinerary_id, tier, regions, keys }| {
                regions.into_iter().map(move |region| (itinerary_id, region, tier, keys))
            })
            .collect();
        // In the order of one of the indexes.
        rows.sort_unstable_by_key(|(_, region, tier, keys)| (*region, *tier, keys[0]));
        let rows = rows.into_iter().map(|(id, region, tier, keys)| {
            row([id.to_column(), region.into(), tier.into()]).chain(keys.map(|key| i64::from(key).into())).collect()
        });
        self.populate(vec![Rows::new(FEED, rows)]).await
    }

    /// Inserts rows of several tables in one transaction.
    async fn populate(&self, tables: Vec<Rows>) -> Result<()> {
        self.transaction(tables, |tables, transaction| {
            Box::pin(async move {
                for rows in tables {
                    transaction.insert_rows(rows).await?;
                }
                Ok(End::Commit(()))
            })
        })
        .await
    }

    /// Runs commands on the writing connection to SQLite.
    async fn pragmas(&self, pragmas: &[&'static str]) -> Result<()> {
        if self.kind() == DatabaseKind::Postgres {
            return Ok(());
        }
        self.transaction(pragmas.to_vec(), |pragmas, transaction| {
            Box::pin(async move {
                for pragma in pragmas {
                    // Some answer with a row.
                    transaction.fetch_optional::<i64>(&Query::new(*pragma, [])).await?;
                }
                Ok(End::Commit(()))
            })
        })
        .await
    }
}

fn row<const N: usize>(values: [Value; N]) -> impl Iterator<Item = Value> {
    values.into_iter()
}

/// Rows to insert into a table.
struct Rows {
    /// The statement up to its values.
    insert: &'static str,
    /// The version, which ends the row of an itinerary.
    version: &'static str,
    /// The end of the statement.
    then: &'static str,
    of_values: Vec<Vec<Value>>,
}

impl Rows {
    fn new(insert: &'static str, rows: impl Iterator<Item = Vec<Value>>) -> Self {
        Self { insert, version: "", then: "", of_values: rows.collect() }
    }

    /// The statement for a number of rows of this width.
    fn text(&self, rows: usize, width: usize) -> String {
        let values: Vec<_> = (0..rows)
            .map(|row| {
                let parameters: Vec<_> = (1..=width).map(|n| format!("${}", row * width + n)).collect();
                format!("({}{})", parameters.join(", "), self.version)
            })
            .collect();
        format!("{}{}{}", self.insert, values.join(", "), self.then)
    }
}

impl Transaction {
    async fn insert_rows(&mut self, rows: &Rows) -> Result<()> {
        let Some(width) = rows.of_values.first().map(Vec::len) else { return Ok(()) };
        let sizes: &[usize] = if self.kind() == DatabaseKind::Postgres { &ROWS } else { &[1] };
        let mut rest = rows.of_values.as_slice();
        for size in sizes {
            let text = rows.text(*size, width);
            while rest.len() >= *size {
                let (these, others) = rest.split_at(*size);
                self.execute(&Query::new(text.clone(), these.concat())).await?;
                rest = others;
            }
        }
        Ok(())
    }
}
