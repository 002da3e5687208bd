//! Explore with many entries. Its behaviour for travellers is tested through the server.

use itinerary_model::Visibility;
use itinerary_store::{DatabaseKind, ExploreEntry, IndexMerge, KEYS, Matching, Published, Store, WALKED};

use crate::beside::{Beside, crowd, with_an_itinerary};
use crate::engines::on_each_engine;
use crate::fixtures::{at, id, itinerary, people};

/// More matches than PostgreSQL reads from its unordered index.
const MANY: i64 = 2_100;
/// More entries than the first scan for a page of three reads.
const BEFORE: i64 = 150;

pub(crate) fn published(place: i64, words: &str) -> Published {
    let mut itinerary = itinerary(u128::from(place.unsigned_abs()) + 1_000);
    itinerary.columns.visibility = Visibility::Public;
    let explore_entry = ExploreEntry {
        public: true,
        published_at: at(0),
        regions: vec![1],
        words: words.to_owned(),
        place,
        keys: [0; KEYS],
    };
    Published { itinerary, explore_entry, liked_by: Vec::new() }
}

/// The rank keys of up to three matches after one.
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

/// Words with common prefixes, for each way to look prefixes up: many and few words, common and rare ones.
fn words_of(place: i64) -> String {
    let n = place % 97;
    let common = if n % 3 == 0 { "lisbon" } else { "lisboa" };
    // Rare, and only after many words with the same first two letters.
    let rare = if place > 600 { format!("likely{place} lima{}", place % 12) } else { "li".to_owned() };
    format!(
        "{common} word{n} l{n} {rare} porto{} {}",
        place % 9,
        ["sao", "santa", "st"][usize::try_from(place % 3).expect("small")]
    )
}

#[tokio::test(flavor = "multi_thread")]
async fn every_beginning_of_a_word_finds_what_has_it() {
    const ALL: i64 = 700;
    on_each_engine(async |store| {
        people(&store).await;
        store.seed((0..ALL).map(|place| published(place, &words_of(place))).collect(), at(0)).await.expect("stored");
        let beginnings = [
            "l",
            "li",
            "lis",
            "lisb",
            "lisbo",
            "lisbon",
            "lisbons",
            "lik",
            "likely",
            "likely6",
            "likely65",
            "likely650",
            "lim",
            "lima1",
            "lima11",
            "w",
            "wo",
            "wor",
            "word",
            "word1",
            "word12",
            "word96",
            "word961",
            "por",
            "porto",
            "porto8",
            "sa",
            "san",
            "sant",
            "santan",
            "zzz",
            "z",
            "9",
        ];
        for beginning in beginnings {
            for other in [None, Some("lisbon"), Some("word12"), Some("nothing")] {
                for after in [None, Some(250), Some(640)] {
                    let is_match = |place: &i64| {
                        let words = words_of(*place);
                        words.split(' ').any(|word| word.starts_with(beginning))
                            && other.is_none_or(|other| words.split(' ').any(|word| word == other))
                    };
                    let first = after.map_or(0, |after| after + 1);
                    let expected: Vec<_> = (first..ALL).filter(is_match).take(3).collect();
                    let looked_for: Vec<_> = other.into_iter().chain([beginning]).collect();
                    assert_eq!(places(&store, &looked_for, after).await, expected, "{looked_for:?} after {after:?}");
                }
            }
        }
    })
    .await;
}

/// The number of entries of the people followed, after this number of entries of others.
const FOLLOWED: i64 = 1_200;
const OTHERS: i64 = WALKED + 100;

/// Account 1 follows accounts 100 to 103, who have published much; account 2 has published more, and all its entries
/// come first in both orders.
async fn follow_much(store: &Store) {
    crowd(store, 100..104).await;
    for number in 100..104 {
        store.follow_set(id(1), id(number), at(0)).await.expect("followed");
    }
    let all = (0..OTHERS + FOLLOWED).map(|place| {
        let rare = if place % 500 == 0 { " rare" } else { "" };
        let mut published = published(place, &format!("common word{}{rare}", place % 20));
        let owner = if place < OTHERS { 2 } else { 100 + u128::from(place.unsigned_abs()) % 4 };
        published.itinerary.owner_id = id(owner);
        published.explore_entry.published_at = at(-place);
        published
    });
    store.seed(all.collect(), at(0)).await.expect("stored");
    store.analyse().await.expect("analysed");
}

/// The number of results on each page of a search among the people followed.
async fn followed_pages(store: &Store, words: &[&str], limit: u32) -> Vec<Vec<i64>> {
    let matching = Matching { words: words.iter().map(|word| (*word).to_owned()).collect(), regions: vec![1] };
    let (mut pages, mut after) = (Vec::new(), None);
    loop {
        let page = store.explore_search_following(id(1), &matching, after, limit).await.expect("read");
        let places: Vec<_> = page.rows.iter().map(|(place, _)| *place).collect();
        let full = i64::try_from(places.len()).expect("few") == i64::from(limit);
        after = if full { places.last().copied() } else { page.reached };
        pages.push(places);
        if after.is_none() {
            return pages;
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_page_of_people_followed_goes_through_so_many_entries_at_most_and_nothing_is_missed() {
    with_an_itinerary(async |store, _: Beside| {
        follow_much(&store).await;
        let matching = |is_match: fn(&i64) -> bool| (OTHERS..OTHERS + FOLLOWED).filter(is_match).collect::<Vec<_>>();
        for (words, expected) in [
            (vec!["common"], matching(|_| true)),
            (vec!["co"], matching(|_| true)),
            (vec!["common", "word7"], matching(|place| place % 20 == 7)),
            (vec!["word"], matching(|_| true)),
            (vec!["rare"], matching(|place| place % 500 == 0)),
            (vec!["common", "rar"], matching(|place| place % 500 == 0)),
            (vec!["nothing"], Vec::new()),
            (vec!["nothing", "common"], Vec::new()),
        ] {
            let pages = followed_pages(&store, &words, 500).await;
            assert_eq!(pages.concat(), expected, "{words:?}");
            assert!(pages.len() < 8, "{words:?}: {} pages", pages.len());
            if words == ["common"] {
                assert!(pages[0].is_empty(), "the first page ended before it came to theirs");
            }
        }
        let (mut seen, mut after, mut pages) = (Vec::new(), None, 0);
        loop {
            let page = store.explore_following(id(1), &[1], after, 500).await.expect("read");
            pages += 1;
            assert!(pages > 1 || page.rows.is_empty(), "the first page ended before it came to theirs");
            seen.extend(page.rows.iter().map(|(time, _)| (at(0) - *time).num_seconds()));
            after =
                page.rows.last().map(|(time, row)| (*time, row.id)).filter(|_| page.reached.is_none()).or(page.reached);
            if page.reached.is_none() && page.rows.len() < 500 {
                break;
            }
        }
        assert_eq!(seen, (OTHERS..OTHERS + FOLLOWED).collect::<Vec<_>>());
        assert!(pages <= 5, "{pages}");
    })
    .await;
}

/// The size of SQLite's text index for 2,000 words of twelve letters.
#[tokio::test(flavor = "multi_thread")]
async fn two_thousand_words_take_at_most_sixty_kilobytes_of_the_index() {
    with_an_itinerary(async |store, beside| {
        if store.kind() != DatabaseKind::Sqlite {
            return;
        }
        let size = "SELECT sum(length(block)) FROM explore_words_data";
        let before = beside.number(size, []).await;
        let mut state = 1_u64;
        let mut letter = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            char::from(b'a' + u8::try_from((state >> 40) % 26).expect("a letter"))
        };
        let words: Vec<String> = (0..2_000).map(|_| (0..12).map(|_| letter()).collect()).collect();
        store.seed(vec![published(i64::MAX / 3, &words.join(" "))], at(0)).await.expect("stored");
        let bytes = beside.number(size, []).await - before;
        assert!((20_000..60_000).contains(&bytes), "{bytes}");
        assert_eq!(places(&store, &[&words[1_234]], None).await, [i64::MAX / 3]);
    })
    .await;
}

/// The text index of 30 itineraries of 2,000 words has more pages than one step merges.
#[tokio::test(flavor = "multi_thread")]
async fn a_merge_leaves_fewer_segments_of_the_text_index_and_the_same_matches() {
    with_an_itinerary(async |store, beside| {
        let is_sqlite = store.kind() == DatabaseKind::Sqlite;
        let segments = async || beside.number("SELECT count(DISTINCT segid) FROM explore_words_idx", []).await;
        for place in 0..30_u64 {
            let word = |n: u64| format!("x{}", (place * 2_000 + n).wrapping_mul(0x9E37_79B9_7F4A_7C15));
            let words: Vec<_> = (0..2_000).map(word).chain(["common".to_owned()]).collect();
            let published = published(place.cast_signed(), &words.join(" "));
            store.seed(vec![published], at(0)).await.expect("stored");
        }
        let before = if is_sqlite { segments().await } else { 0 };
        for (merge, at_least) in [(IndexMerge::Levels, 1), (IndexMerge::All, 2)] {
            let steps = store.search_index_merge(merge).await.expect("merged");
            if is_sqlite {
                assert!(steps >= at_least, "{merge:?}: {steps}");
                let left = segments().await;
                assert!(if merge == IndexMerge::All { left == 1 } else { left < before }, "{before} {left}");
            } else {
                assert_eq!(steps, 0);
            }
            assert_eq!(store.search_index_merge(merge).await.expect("merged"), 0);
            assert_eq!(places(&store, &["common"], Some(4)).await, [5, 6, 7]);
        }
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_change_of_the_words_leaves_the_feed_alone() {
    with_an_itinerary(async |store, beside| {
        // On SQLite, a row that is written again gets a higher number only if another one has the highest.
        let (first, other) = (published(7, "lisbon"), published(8, "other"));
        let (itinerary, explore_entry) = (first.itinerary.id, first.explore_entry.clone());
        store.seed(vec![first, other], at(0)).await.expect("stored");
        let row = match store.kind() {
            DatabaseKind::Sqlite => "SELECT max(rowid) FROM feed",
            DatabaseKind::Postgres => "SELECT max(xmin::text::bigint) FROM feed",
        };
        let before = beside.number(row, []).await;
        let version = store.explore_entry_source(itinerary).await.expect("read").expect("it is there").version;
        let list = async |explore_entry| {
            store.explore_restore(itinerary, id(1), version, explore_entry).await.expect("listed")
        };
        assert!(list(ExploreEntry { words: "porto".to_owned(), ..explore_entry.clone() }).await);
        assert_eq!(places(&store, &["porto"], None).await, [7]);
        assert!(places(&store, &["lisbon"], None).await.is_empty());
        assert_eq!(beside.number(row, []).await, before);
        for (regions, public, rows) in [(vec![1, 2], true, 3), (vec![1], true, 2), (vec![1], false, 1)] {
            assert!(list(ExploreEntry { regions, public, ..explore_entry.clone() }).await);
            assert_eq!(beside.number("SELECT count(*) FROM feed", []).await, rows);
        }
    })
    .await;
}

/// With statistics of an empty table, PostgreSQL plans to read all of it, and keeps this plan while the table is filled.
#[tokio::test(flavor = "multi_thread")]
async fn empty_tables_get_no_statistics() {
    with_an_itinerary(async |store, beside| {
        if store.kind() != DatabaseKind::Postgres {
            return;
        }
        store.analyse().await.expect("analysed");
        let analysed = "SELECT count(*) FROM pg_class WHERE reltuples >= 0 AND oid = ";
        assert_eq!(beside.number(&format!("{analysed}'gazetteer'::regclass"), []).await, 0);
        assert_eq!(beside.number(&format!("{analysed}'accounts'::regclass"), []).await, 1);
    })
    .await;
}
