//! Explore where there is much of it. What travellers meet there is tested through the server.

use itinerary_store::{KEYS, Listing, Matching, Published, Store};

use crate::engines::on_each_engine;
use crate::fixtures::{at, id, itinerary, people};

/// More than are looked up in an index that knows no order.
const MANY: i64 = 2_100;
/// More than are gone through at first for a page of three.
const BEFORE: i64 = 150;

fn published(place: i64, words: &str) -> Published {
    let mut itinerary = itinerary(u128::from(place.unsigned_abs()) + 1_000);
    "public".clone_into(&mut itinerary.columns.visibility);
    let listing = Listing {
        public: true,
        published_at: at(0),
        regions: vec![1],
        words: words.to_owned(),
        place,
        keys: [0; KEYS],
    };
    Published { itinerary, listing, liked_by: Vec::new() }
}

/// The places of up to three matches behind one.
async fn places(store: &Store, words: &[&str], after: Option<i64>) -> Vec<i64> {
    let words = words.iter().map(|word| (*word).to_owned()).collect();
    let matching = Matching { words, regions: Vec::new() };
    let found = store.explore_search(id(1), &matching, after, 3).await.expect("read");
    found.into_iter().map(|(place, _)| place).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn matches_come_in_their_order_however_many_there_are_and_wherever_they_begin() {
    on_each_engine(async |store| {
        people(&store).await;
        let words = |place| match place {
            ..BEFORE => "other",
            2_000 | 2_200 => "common rare",
            _ => "common",
        };
        let all: Vec<_> = (0..BEFORE + MANY).map(|place| published(place, words(place))).collect();
        store.seed(all, at(0)).await.expect("stored");
        assert_eq!(places(&store, &["other"], None).await, [0, 1, 2]);
        assert_eq!(places(&store, &["common"], None).await, [BEFORE, BEFORE + 1, BEFORE + 2]);
        assert_eq!(places(&store, &["comm"], Some(700)).await, [701, 702, 703]);
        assert_eq!(places(&store, &["common", "rar"], None).await, [2_000, 2_200]);
        assert_eq!(places(&store, &["rare"], Some(2_000)).await, [2_200]);
        assert_eq!(places(&store, &["common"], Some(BEFORE + MANY - 2)).await, [BEFORE + MANY - 1]);
        assert!(places(&store, &["nothing"], None).await.is_empty());
    })
    .await;
}
