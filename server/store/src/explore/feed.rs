//! The feed: tiers by score, the best first, and within a tier a random order that stays the same throughout a walk.
//!
//! Each itinerary has a few random keys. A walk uses one of them, a direction and a pivot: it reads a tier from the
//! pivot to the end, then from the beginning to the pivot, then the next tier. A page continues in the index where the
//! last one ended, so its cost does not depend on its depth.

use uuid::Uuid;

use super::ExploreEntry;
use crate::engine::transaction::Transaction;
use crate::entity::feed;
use crate::query::row::row;
use crate::query::statement::statements;
use crate::query::{Parameters, Query, query};
use crate::summary::{self, SummaryRow};
use crate::{DatabaseKind, Result, Store, StoreError};

pub const KEYS: usize = 4;

/// Tiers are numbered from 0, the best.
pub const TIERS: i16 = 3;

/// The tier of itineraries that are not ranked yet.
pub const NEW_TIER: i16 = 1;

/// The order of a walk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FeedOrder {
    /// Which of the keys, from 0.
    pub key: u8,
    /// Whether the keys fall.
    pub descending: bool,
    /// Where the walk begins in each tier.
    pub pivot: u32,
}

/// The position of a walk: after a key and id, in one of a tier's two halves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FeedPosition {
    pub tier: i16,
    /// Whether the walk has passed the tier's end and is in its second half.
    pub wrapped: bool,
    /// Key and id of the last entry; `None` at the start of a half.
    pub after: Option<(u32, Uuid)>,
}

impl FeedPosition {
    /// The start of every walk.
    pub const START: Self = Self { tier: 0, wrapped: false, after: None };

    /// The start of the next half.
    fn next_half(self) -> Option<Self> {
        let tier = self.tier + i16::from(self.wrapped);
        (tier < TIERS).then_some(Self { tier, wrapped: !self.wrapped, after: None })
    }
}

row! {
    struct FeedRow {
        tier: i16 = feed::Column::Tier,
        key_0: i64 = feed::Column::Key0,
        key_1: i64 = feed::Column::Key1,
        key_2: i64 = feed::Column::Key2,
        key_3: i64 = feed::Column::Key3,
    }
}

statements! {
    const ENTRY = feed::Entity::find().select_row::<FeedRow>().filter(feed::Column::ItineraryId.eq(p(1))).limit(1);

    const DELETE = feed::Entity::delete_many().filter(feed::Column::ItineraryId.eq(p(1)));
}

/// One past the largest key.
const END: i64 = 1 << 32;

impl FeedOrder {
    /// The keys of a half: from the first number (inclusive) to the second (exclusive).
    fn half(self, wrapped: bool) -> (i64, i64) {
        let pivot = i64::from(self.pivot);
        if wrapped == self.descending { (pivot, END) } else { (0, pivot) }
    }

    /// The exclusive lower bound of key and id, and the bound at which the half ends.
    fn range(self, position: FeedPosition) -> ((i64, Uuid), i64) {
        let (low, high) = self.half(position.wrapped);
        let (start, stop) = if self.descending { ((high, Uuid::nil()), low) } else { ((low - 1, Uuid::max()), high) };
        (position.after.map_or(start, |(key, id)| (i64::from(key), id)), stop)
    }
}

impl Store {
    /// The next entries of a walk through these regions, which must not overlap, each with its position. Excludes
    /// itineraries that the reader dislikes.
    pub async fn explore_feed(
        &self,
        reader: Uuid,
        regions: &[i16],
        order: FeedOrder,
        from: FeedPosition,
        limit: u32,
    ) -> Result<Vec<(FeedPosition, SummaryRow)>> {
        let limit = usize::try_from(limit).unwrap_or(usize::MAX);
        let mut entries = Vec::with_capacity(limit.min(128));
        let mut half = Some(from);
        while let Some(position) = half.filter(|_| entries.len() < limit) {
            let query = feed_half(self.kind(), reader, regions, order, position, limit - entries.len());
            for (key, summary) in self.fetch_all::<(i64, SummaryRow)>(&query).await? {
                let key = u32::try_from(key).map_err(|_| StoreError::Corrupt(format!("the feed's key {key}")))?;
                entries.push((FeedPosition { after: Some((key, summary.id)), ..position }, summary));
            }
            half = position.next_half();
        }
        Ok(entries)
    }
}

/// One of a few texts, depending on the number of regions and the order. Entries are selected from the index of each
/// region and joined with their itineraries only after that.
fn feed_half(
    kind: DatabaseKind,
    reader: Uuid,
    regions: &[i16],
    order: FeedOrder,
    position: FeedPosition,
    limit: usize,
) -> Query {
    let candidate = match kind {
        // A lookup by the itinerary reads a random page of a large index: not for readers who dislike nothing. SQLite
        // looks for no `NULL`.
        DatabaseKind::Sqlite => {
            "CASE WHEN EXISTS (SELECT 1 FROM reactions g WHERE g.account_id = $1 AND g.kind = 'dislike') \
             THEN f.itinerary_id END"
        }
        DatabaseKind::Postgres => "f.itinerary_id",
    };
    let ((key, id), stop) = order.range(position);
    let column = usize::from(order.key) % KEYS;
    let (beyond, within, direction) = if order.descending { ("<", ">=", "DESC") } else { (">", "<", "ASC") };
    let mut parameters = Parameters::default();
    parameters.bind(reader);
    let (tier, key, id) = (parameters.bind(position.tier), parameters.bind(key), parameters.bind(id));
    let stop = parameters.bind(stop);
    let limit = parameters.bind(i64::try_from(limit).unwrap_or(i64::MAX));
    let mut parts = Vec::with_capacity(regions.len());
    for (n, region) in regions.iter().enumerate() {
        let region = parameters.bind(*region);
        parts.push(format!(
            "SELECT * FROM (SELECT f.key_{column} AS at, f.itinerary_id AS id FROM feed f \
             WHERE f.region = {region} AND f.tier = {tier} AND (f.key_{column}, f.itinerary_id) {beyond} ({key}, {id}) \
             AND f.key_{column} {within} {stop} AND NOT EXISTS (SELECT 1 FROM reactions d \
             WHERE d.itinerary_id = {candidate} AND d.account_id = $1 AND d.kind = 'dislike') \
             ORDER BY f.key_{column} {direction}, f.itinerary_id {direction} LIMIT {limit}) AS p{n}"
        ));
    }
    let text = format!(
        "SELECT k.at, {} FROM (SELECT * FROM ({}) AS u ORDER BY at {direction}, id {direction} LIMIT {limit}) AS k \
         JOIN itineraries i ON i.id = k.id AND i.visibility = 'public'{} ORDER BY k.at {direction}, k.id {direction}",
        SummaryRow::COLUMNS,
        parts.join(" UNION ALL "),
        summary::joins(kind)
    );
    parameters.query(text)
}

impl Transaction {
    /// Adds an itinerary to the feeds of its regions and removes it from others. Existing keys and the tier stay.
    pub(super) async fn feed_set(&mut self, id: Uuid, explore_entry: &ExploreEntry) -> Result<()> {
        let (mut tier, mut keys) = (NEW_TIER, explore_entry.keys.map(i64::from));
        if let Some(entry) = self.fetch_optional::<FeedRow>(&query!(ENTRY, id)).await? {
            (tier, keys) = (entry.tier, [entry.key_0, entry.key_1, entry.key_2, entry.key_3]);
            self.execute(&query!(DELETE, id)).await?;
        }
        self.feed_insert(id, explore_entry.feeds(), tier, keys).await
    }

    /// Inserts an itinerary into feeds, with one statement.
    pub(super) async fn feed_insert(&mut self, id: Uuid, regions: &[i16], tier: i16, keys: [i64; KEYS]) -> Result<()> {
        if regions.is_empty() {
            return Ok(());
        }
        let mut parameters = Parameters::default();
        let same = [parameters.bind(id), parameters.bind(tier)].into_iter();
        let same = same.chain(keys.map(|key| parameters.bind(key))).collect::<Vec<_>>().join(", ");
        let rows: Vec<_> = regions.iter().map(|region| format!("({same}, {})", parameters.bind(*region))).collect();
        let insert = format!(
            "INSERT INTO feed (itinerary_id, tier, key_0, key_1, key_2, key_3, region) VALUES {}",
            rows.join(", ")
        );
        self.execute(&parameters.query(insert)).await.map(|_| ())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The keys that a half of a walk contains, in any order.
    fn taken(order: FeedOrder, wrapped: bool, keys: &[u32]) -> Vec<u32> {
        let ((key, id), stop) = order.range(FeedPosition { tier: 0, wrapped, after: None });
        let entry = Uuid::from_u128(7);
        let is_in = |at: &&u32| {
            let at = i64::from(**at);
            if order.descending { (at, entry) < (key, id) && at >= stop } else { (at, entry) > (key, id) && at < stop }
        };
        keys.iter().filter(is_in).copied().collect()
    }

    #[test]
    fn the_two_halves_of_a_tier_hold_every_key_once() {
        let keys = [0, 1, 41, 42, 43, u32::MAX - 1, u32::MAX];
        for descending in [false, true] {
            for pivot in keys {
                let order = FeedOrder { key: 0, descending, pivot };
                let mut both = [taken(order, false, &keys), taken(order, true, &keys)].concat();
                both.sort_unstable();
                assert_eq!(both, keys, "{order:?}");
            }
        }
    }

    #[test]
    fn walk_visits_both_halves_of_every_tier() {
        let halves: Vec<_> = std::iter::successors(Some(FeedPosition::START), |half| half.next_half())
            .map(|half| (half.tier, half.wrapped))
            .collect();
        assert_eq!(halves, [(0, false), (0, true), (1, false), (1, true), (2, false), (2, true)]);
    }
}
