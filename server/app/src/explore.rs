//! Explore: the feed, search, what followed people published, and the ranking that a job runs.

use chrono::{DateTime, Utc};
use itinerary_api::request_state::Caller;
use itinerary_api::types::{ExploreQuery, ListedItinerary, Page};
use itinerary_core::rank::{self, BANDS, Counts, Cuts};
use itinerary_core::regions::{self, Region};
use itinerary_core::words;
use itinerary_platform::context::Service;
use itinerary_store::{FeedOrder, FeedPosition, FollowedPage, Matching, RankRow, Ranked, StoreError};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::page::Paging;
use super::{Rendered, Result};

pub async fn explore(
    service: &Service,
    caller: &Caller,
    query: ExploreQuery,
) -> Result<Rendered<Page<ListedItinerary>>> {
    let following = query.filter.is_some() || query.following == Some(true);
    let regions = query.regions.as_deref().map(regions::parse).transpose()?.unwrap_or_default();
    let regions: Vec<_> = regions.into_iter().map(Region::code).collect();
    let words = query.q.as_deref().map(words::looked_for);
    let name = format!("explore_list {} {following} {regions:?} {words:?}", caller.account);
    let mut paging = Paging::new(service, name, query.limit);
    let cursor = query.cursor.as_deref();
    let (account, wanted) = (caller.account, paging.wanted());
    match (words, following) {
        (None, false) => feed(service, caller, paging, &regions, cursor).await,
        (None, true) => {
            let (store, after) = paging.lagging::<(DateTime<Utc>, Uuid)>(account, cursor).await?;
            let FollowedPage { rows, reached } = store.explore_following(account, &regions, after, wanted).await?;
            Ok(paging.itineraries_until(caller, rows, |(time, row)| (*time, row.id), reached))
        }
        (Some(words), following) => {
            let (store, after) = paging.lagging(account, cursor).await?;
            let matching = Matching { words, regions };
            let page = match following {
                // A search without words finds nothing.
                _ if matching.words.is_empty() => FollowedPage { rows: Vec::new(), reached: None },
                true => store.explore_search_following(account, &matching, after, wanted).await?,
                false => {
                    FollowedPage { rows: store.explore_search(account, &matching, after, wanted).await?, reached: None }
                }
            };
            Ok(paging.itineraries_until(caller, page.rows, |(place, _)| *place, page.reached))
        }
    }
}

/// A walk through the feed: its order and its position.
#[derive(Clone, Copy, Serialize, Deserialize)]
struct Walk {
    key: u8,
    descending: bool,
    pivot: u32,
    tier: i16,
    wrapped: bool,
    after: Option<(u32, Uuid)>,
}

impl Walk {
    /// Starts a new walk in a random order.
    fn draw(service: &Service) -> Self {
        let [order, pivot @ ..] = service.random.bytes::<5>();
        let FeedPosition { tier, wrapped, after } = FeedPosition::START;
        let (key, descending) = (order >> 1 & 3, order & 1 == 1);
        Self { key, descending, pivot: u32::from_le_bytes(pivot), tier, wrapped, after }
    }

    fn order(self) -> FeedOrder {
        FeedOrder { key: self.key, descending: self.descending, pivot: self.pivot }
    }

    fn position(self) -> FeedPosition {
        FeedPosition { tier: self.tier, wrapped: self.wrapped, after: self.after }
    }

    fn at(self, position: FeedPosition) -> Self {
        let FeedPosition { tier, wrapped, after } = position;
        Self { tier, wrapped, after, ..self }
    }
}

async fn feed(
    service: &Service,
    caller: &Caller,
    mut paging: Paging<'_>,
    regions: &[i16],
    cursor: Option<&str>,
) -> Result<Rendered<Page<ListedItinerary>>> {
    let (store, walk) = paging.lagging(caller.account, cursor).await?;
    let walk = walk.unwrap_or_else(|| Walk::draw(service));
    let world = [Region::WORLD.code()];
    let regions = if regions.is_empty() { &world } else { regions };
    let rows = store.explore_feed(caller.account, regions, walk.order(), walk.position(), paging.wanted()).await?;
    Ok(paging.itineraries(caller, rows, |(position, _)| walk.at(*position)))
}

/// The number of itineraries that one statement reads.
const BATCH: u32 = 200;
/// The number moved in one transaction, kept low because it reindexes their words while other writers wait.
const MOVED: usize = 10;

/// Ranks Explore in small batches, so that others can read and write between them. Counts the bands on the way, to
/// compute the cuts of the next ranking.
pub async fn rank(service: &Service) -> Result<u64, StoreError> {
    let (store, now) = (&service.store, service.clock.now());
    let cuts = Cuts::remembered(&store.ranking_memory().await?);
    let (mut bands, mut looked_at) = ([0; BANDS], 0);
    let mut after = None;
    loop {
        let rows = store.ranking_rows(after, BATCH).await?;
        let ranked = rows.iter().filter_map(|row| {
            let band = band_of(row, now);
            // Itineraries that only followers see are in no tier.
            bands[usize::from(band)] += u64::from(row.tier.is_some());
            looked_at += 1;
            moved(row, band, cuts)
        });
        let ranked: Vec<_> = ranked.collect();
        for few in ranked.chunks(MOVED) {
            store.ranking_apply(few).await?;
        }
        match rows.last() {
            Some(last) => after = Some(last.itinerary_id),
            None => break,
        }
    }
    if bands.iter().any(|count| *count > 0) {
        store.ranking_remember(&Cuts::of(&bands).memory(), now).await?;
    }
    Ok(looked_at)
}

fn band_of(row: &RankRow, now: DateTime<Utc>) -> u8 {
    let counts = Counts { likes: row.likes, saves: row.saves, views: row.views };
    rank::band(counts, (now - row.published_at).num_days())
}

/// The new rank of an itinerary, or `None` if it is unchanged.
fn moved(row: &RankRow, band: u8, cuts: Cuts) -> Option<Ranked> {
    let ranked =
        Ranked { itinerary_id: row.itinerary_id, place: rank::moved(row.place, band), tier: cuts.tier(band).number() };
    let is_there = ranked.place == row.place && row.tier.is_none_or(|tier| tier == ranked.tier);
    (!is_there).then_some(ranked)
}

#[cfg(test)]
mod tests {
    use itinerary_core::rank::Tier;
    use itinerary_store::{NEW_TIER, TIERS, WORLD};

    use super::*;

    #[test]
    fn the_store_knows_the_rules_numbers() {
        assert_eq!(Region::WORLD.code(), WORLD);
        assert_eq!(Tier::Middle.number(), NEW_TIER);
        assert_eq!([Tier::Best, Tier::Middle, Tier::Rest].map(Tier::number).to_vec(), (0..TIERS).collect::<Vec<_>>());
    }
}
