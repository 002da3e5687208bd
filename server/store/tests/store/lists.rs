//! Pages of an account's library.

use chrono::{DateTime, Utc};
use itinerary_model::{ListFilter, Visibility};
use itinerary_store::{CreateOutcome, Idempotent, ListContent, ListQuery, SaveOutcome, Saved, Store, SummaryRow};
use uuid::Uuid;

use crate::engines::on_each_engine;
use crate::fixtures::{account, at, id, itinerary, people};

const NUMBERS: std::ops::Range<u128> = 100..125;

/// 25 itineraries of account 1, four per instant, every third a copy of one of account 3; and one of account 2.
async fn library(store: &Store) {
    people(store).await;
    account(store, "cai", id(3)).await;
    for number in NUMBERS {
        let mut new = itinerary(number);
        new.columns.updated_at = updated_at(number);
        if number.is_multiple_of(3) {
            let source = of_account(store, 3, 900 + number).await;
            let of = Saved { itinerary_id: source, author_id: id(3) };
            let saved = store.itinerary_save(new.clone(), of, None, at(0)).await;
            assert_eq!(saved.expect("stored"), Idempotent::Executed(SaveOutcome::Created));
        } else {
            assert_eq!(
                store.itinerary_create(new.clone(), None, None, at(0)).await.expect("stored"),
                Idempotent::Executed(CreateOutcome::Created)
            );
        }
    }
    of_account(store, 2, 200).await;
}

/// Creates an itinerary of an account and returns its id.
async fn of_account(store: &Store, owner: u128, number: u128) -> Uuid {
    let mut new = itinerary(number);
    new.owner_id = id(owner);
    store.itinerary_create(new.clone(), None, None, at(0)).await.expect("stored");
    new.id
}

fn updated_at(number: u128) -> DateTime<Utc> {
    at(i64::try_from(number % 7).expect("small"))
}

fn query(filter: ListFilter) -> ListQuery {
    ListQuery { account_id: id(1), content: ListContent::Library(filter), updated_since: None, after: None, limit: 4 }
}

async fn walk(store: &Store, mut query: ListQuery, mut between: impl AsyncFnMut(usize)) -> Vec<(DateTime<Utc>, Uuid)> {
    let mut seen = Vec::new();
    for page in 0.. {
        let rows = store.itinerary_page(&query).await.expect("read");
        assert!(rows.len() <= 4);
        seen.extend(rows.iter().map(|(time, row)| (*time, row.id)));
        let Some((time, last)) = rows.last() else { break };
        query.after = Some((*time, last.id));
        between(page).await;
    }
    seen
}

/// The keys of the library's itineraries, oldest first.
fn keys(wanted: impl Fn(u128) -> bool) -> Vec<(DateTime<Utc>, Uuid)> {
    let mut keys: Vec<_> =
        NUMBERS.filter(|number| wanted(*number)).map(|number| (updated_at(number), id(number))).collect();
    keys.sort_unstable();
    keys
}

#[tokio::test(flavor = "multi_thread")]
async fn a_walk_sees_every_itinerary_once_newest_first() {
    on_each_engine(async |store| {
        library(&store).await;
        let mut expected = keys(|_| true);
        expected.reverse();
        for filter in [ListFilter::All, ListFilter::Owned] {
            assert_eq!(walk(&store, query(filter), async |_| ()).await, expected);
        }
        let mut saved = keys(|number| number.is_multiple_of(3));
        saved.reverse();
        assert_eq!(walk(&store, query(ListFilter::Saved), async |_| ()).await, saved);
        for filter in [ListFilter::Shared, ListFilter::Liked, ListFilter::Disliked] {
            assert_eq!(store.itinerary_page(&query(filter)).await.expect("read"), []);
        }
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn with_updated_since_a_walk_begins_there_oldest_first() {
    on_each_engine(async |store| {
        library(&store).await;
        let since = |filter| ListQuery { updated_since: Some(at(3)), ..query(filter) };
        let expected = keys(|number| updated_at(number) >= at(3));
        assert!(expected.len() < 25 && expected[0].0 == at(3), "the instant itself is included");
        assert_eq!(walk(&store, since(ListFilter::All), async |_| ()).await, expected);
        let saved = keys(|number| number.is_multiple_of(3) && updated_at(number) >= at(3));
        assert_eq!(walk(&store, since(ListFilter::Saved), async |_| ()).await, saved);
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn rows_that_come_and_go_make_nothing_else_skip_or_repeat() {
    on_each_engine(async |store| {
        library(&store).await;
        let mut expected = keys(|_| true);
        expected.reverse();
        let first = expected[1];
        let seen = walk(&store, query(ListFilter::All), async |page| {
            if page == 0 {
                store.itinerary_delete(first.1, 1, at(5)).await.expect("deleted");
                let mut newest = itinerary(500);
                newest.columns.updated_at = at(1000);
                store.itinerary_create(newest.clone(), None, None, at(0)).await.expect("stored");
            }
        })
        .await;
        assert_eq!(seen, expected);
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_summary_says_whose_itinerary_it_is() {
    on_each_engine(async |store| {
        library(&store).await;
        let rows = store.itinerary_page(&ListQuery { account_id: id(2), ..query(ListFilter::All) }).await;
        let expected = SummaryRow {
            id: id(200),
            version: 1,
            visibility: Visibility::Private,
            published_at: None,
            updated_at: at(0),
            owner_id: id(2),
            picture: None,
            card: r#"{"title":"Lisbon"}"#.to_owned(),
            username: "BEN".to_owned(),
            display_name: "ben the traveller".to_owned(),
            image_url: None,
            member_role: None,
            likes: 0,
            shows_source: false,
        };
        assert_eq!(rows.expect("read"), [(at(0), expected)]);
    })
    .await;
}
