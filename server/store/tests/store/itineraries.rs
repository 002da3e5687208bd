//! Itineraries: round trips, concurrent writes, duplicates.

use bytes::Bytes;
use itinerary_model::Plan;
use itinerary_store::{
    ContentRow, ContentSelection, CreateOutcome, Idempotent, ItineraryChange, ItineraryColumns, ItineraryRow,
    NewItinerary, SavedFromRow, Store, VisibleSections, WriteOutcome,
};

use crate::beside::with_an_itinerary;
use crate::engines::{at_once, on_each_engine};
use crate::fixtures::{at, change, id, itinerary, people, rule};

async fn create(store: &Store, new: &NewItinerary) {
    assert_eq!(
        store.itinerary_create(new.clone(), None, None, at(0)).await.expect("stored"),
        Idempotent::Executed(CreateOutcome::Created)
    );
}

async fn read(store: &Store, number: u128) -> (ItineraryRow, ContentRow) {
    store.itinerary(id(number), id(1), ContentSelection::Everything).await.expect("read").expect("there")
}

#[tokio::test(flavor = "multi_thread")]
async fn stored_itinerary_is_read_back_unchanged() {
    on_each_engine(async |store| {
        people(&store).await;
        let mut new = itinerary(10);
        new.columns.everyone = format!(r#"{{"summary":"{}"}}"#, "Zoë \u{1f9f3} ".repeat(20_000));
        new.columns.published_at = Some(at(3));
        create(&store, &new).await;
        let expected = ItineraryRow {
            id: new.id,
            owner_id: new.owner_id,
            version: 1,
            visibility: new.columns.visibility,
            published_at: new.columns.published_at,
            created_at: new.created_at,
            updated_at: new.columns.updated_at,
            picture: None,
            has_cover_of_before: false,
            username: "ANA".to_owned(),
            display_name: "ana the traveller".to_owned(),
            image_url: None,
            plan: Plan::Free,
            member_role: None,
            follows: false,
            invited: false,
            likes: 0,
            views: 0,
            saved_from: SavedFromRow {
                itinerary_id: None,
                is_shown: false,
                username: None,
                display_name: None,
                plan: None,
            },
        };
        let content = ContentRow {
            everyone: new.columns.everyone.into(),
            members: new.columns.members.into(),
            pro: new.columns.pro.into(),
            documents: new.columns.documents.into(),
        };
        assert_eq!(read(&store, 10).await, (expected.clone(), content));
        assert_eq!(store.itinerary(id(11), id(1), ContentSelection::Everything).await.expect("read"), None);

        let change = change(10, 1, "New");
        assert_eq!(
            store.itinerary_update(change.clone(), None, at(9)).await.expect("answered"),
            Idempotent::Executed(WriteOutcome::Written)
        );
        let changed = ItineraryRow {
            version: 2,
            visibility: change.columns.visibility,
            published_at: change.columns.published_at,
            updated_at: change.columns.updated_at,
            ..expected
        };
        let content = ContentRow {
            everyone: change.columns.everyone.into(),
            members: change.columns.members.into(),
            pro: change.columns.pro.into(),
            documents: change.columns.documents.into(),
        };
        assert_eq!(read(&store, 10).await, (changed, content));
    })
    .await;
}

// On SQLite, a change that leaves these columns as they are is another statement.
#[tokio::test(flavor = "multi_thread")]
async fn a_change_stores_columns_that_have_an_index() {
    with_an_itinerary(async |store, beside| {
        let steps: [fn(&mut ItineraryColumns); 6] = [
            |_| (),
            |columns| columns.start_date = "2027-01-02".to_owned(),
            |columns| columns.origin = None,
            |columns| columns.origin = Some("{}".to_owned()),
            |columns| columns.cover_id = Some(id(77)),
            |columns| columns.cover_id = None,
        ];
        let mut columns = change(10, 1, "Porto").columns;
        for (version, step) in (1..).zip(steps) {
            step(&mut columns);
            let change = ItineraryChange { columns: columns.clone(), ..change(10, version, "Porto") };
            let written = store.itinerary_update(change, None, at(9)).await.expect("answered");
            assert_eq!(written, Idempotent::Executed(WriteOutcome::Written), "version {version}");
            let stored = "SELECT count(*) FROM itineraries WHERE start_date = $1 AND version = $2 \
                 AND origin IS NOT DISTINCT FROM $3 AND cover_id IS NOT DISTINCT FROM $4";
            let ItineraryColumns { start_date, origin, cover_id, .. } = columns.clone();
            let values = [start_date.into(), (version + 1).into(), origin.into(), cover_id.into()];
            assert_eq!(beside.number(stored, values).await, 1, "version {version}");
        }
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn no_more_of_the_content_is_read_than_is_wanted_and_may_be_seen() {
    with_an_itinerary(async |store, beside| {
        let show = async |visibility: &str| {
            beside.execute("UPDATE itineraries SET visibility = $1", [visibility.into()]).await;
        };
        let (row, whole) = read(&store, 10).await;
        let shown = |visible, known| ContentSelection::Sections { visible, known };
        let all = |pro, documents| VisibleSections::All { pro, documents };
        let only = |parts: &str| {
            let take = |letter, text: &Bytes| if parts.contains(letter) { text.clone() } else { Bytes::new() };
            ContentRow {
                everyone: take('e', &whole.everyone),
                members: take('m', &whole.members),
                pro: take('p', &whole.pro),
                documents: take('d', &whole.documents),
            }
        };
        for (selection, owner, reader) in [
            (ContentSelection::Everything, "empd", ""),
            (ContentSelection::Nothing, "", ""),
            (shown(all(true, true), None), "empd", "e"),
            (shown(all(true, false), None), "emp", "e"),
            (shown(all(false, true), None), "emd", "e"),
            (shown(all(false, false), Some(7)), "em", "e"),
            (shown(all(true, true), Some(1)), "", ""),
            (shown(VisibleSections::Everyone, None), "e", "e"),
            (shown(VisibleSections::Members, None), "m", ""),
            (shown(VisibleSections::Pro, None), "p", ""),
            (shown(VisibleSections::Pro, Some(1)), "", ""),
        ] {
            let read =
                async |reader| store.itinerary(id(10), id(reader), selection).await.expect("read").expect("there");
            assert_eq!(read(1).await, (row.clone(), only(owner)), "{selection:?}, the owner");
            assert_eq!(read(2).await.1, only(""), "{selection:?}, while it is private");
            show("public").await;
            assert_eq!(read(2).await.1, only(reader), "{selection:?}, while it is public");
            show("private").await;
            assert_eq!(store.itinerary(id(11), id(1), selection).await.expect("read"), None);
        }
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn one_of_twenty_concurrent_changes_to_one_version_is_written() {
    on_each_engine(async |store| {
        people(&store).await;
        create(&store, &itinerary(10)).await;
        let outcomes = at_once(20, |index| {
            let store = store.clone();
            async move {
                let change = change(10, 1, &format!("Title {index}"));
                store.itinerary_update(change.clone(), None, at(9)).await.expect("answered")
            }
        })
        .await;
        let winners: Vec<_> =
            (0..20).filter(|index| outcomes[*index] == Idempotent::Executed(WriteOutcome::Written)).collect();
        assert_eq!(winners.len(), 1, "{outcomes:?}");
        assert_eq!(
            outcomes.iter().filter(|outcome| **outcome == Idempotent::Executed(WriteOutcome::Stale(2))).count(),
            19
        );
        let (row, content) = read(&store, 10).await;
        assert_eq!((row.version, content.everyone), (2, format!(r#"{{"title":"Title {}"}}"#, winners[0]).into()));
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn no_update_is_lost_among_writers_that_try_again() {
    on_each_engine(async |store| {
        people(&store).await;
        create(&store, &itinerary(10)).await;
        at_once(16, |_| {
            let store = store.clone();
            async move {
                let mut written = 0;
                while written < 10 {
                    let version = read(&store, 10).await.0.version;
                    match store.itinerary_update(change(10, version, "x"), None, at(9)).await.expect("answered") {
                        Idempotent::Executed(WriteOutcome::Written) => written += 1,
                        outcome => {
                            assert!(matches!(outcome, Idempotent::Executed(WriteOutcome::Stale(_))), "{outcome:?}");
                        }
                    }
                }
            }
        })
        .await;
        assert_eq!(read(&store, 10).await.0.version, 161);
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_itinerary_is_deleted_once_and_only_in_its_version() {
    on_each_engine(async |store| {
        people(&store).await;
        create(&store, &itinerary(10)).await;
        assert_eq!(store.itinerary_delete(id(10), 2, at(5)).await.expect("answered"), WriteOutcome::Stale(1));
        let outcomes = at_once(10, |_| {
            let store = store.clone();
            async move { store.itinerary_delete(id(10), 1, at(5)).await.expect("answered") }
        })
        .await;
        assert_eq!(outcomes.iter().filter(|outcome| **outcome == WriteOutcome::Written).count(), 1);
        assert_eq!(outcomes.iter().filter(|outcome| **outcome == WriteOutcome::Gone).count(), 9);
        assert_eq!(store.itinerary(id(10), id(1), ContentSelection::Everything).await.expect("read"), None);
        let late = store.itinerary_update(change(10, 1, "x"), None, at(9)).await;
        assert_eq!(late.expect("answered"), Idempotent::Executed(WriteOutcome::Gone));
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn one_of_twenty_concurrent_duplicates_is_created_and_named() {
    on_each_engine(async |store| {
        people(&store).await;
        let outcomes = at_once(20, |index| {
            let store = store.clone();
            async move {
                let new = itinerary(100 + index as u128);
                store.itinerary_create(new.clone(), Some(rule(&new)), None, at(0)).await.expect("answered")
            }
        })
        .await;
        let winners: Vec<_> =
            (0..20).filter(|index| outcomes[*index] == Idempotent::Executed(CreateOutcome::Created)).collect();
        assert_eq!(winners.len(), 1, "{outcomes:?}");
        let named = Idempotent::Executed(CreateOutcome::Duplicate(id(100 + winners[0] as u128)));
        assert_eq!(outcomes.iter().filter(|outcome| **outcome == named).count(), 19, "{outcomes:?}");
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_duplicate_has_the_same_owner_start_and_destination() {
    on_each_engine(async |store| {
        people(&store).await;
        let mut first = itinerary(10);
        first.columns.place_id = Some("osm:1".to_owned());
        create(&store, &first).await;
        let duplicate = async |change: fn(&mut NewItinerary)| {
            let mut other = itinerary(11);
            change(&mut other);
            store.itinerary_duplicate(&rule(&other)).await.expect("read").is_some()
        };
        assert!(duplicate(|_| ()).await);
        assert!(duplicate(|other| other.columns.latitude += 0.2).await, "22 km away");
        assert!(!duplicate(|other| other.columns.latitude += 0.25).await, "28 km away");
        assert!(!duplicate(|other| other.columns.destination_key = "lisboa".to_owned()).await, "another name");
        assert!(!duplicate(|other| other.columns.start_date = "2027-05-02".to_owned()).await, "another day");
        assert!(!duplicate(|other| other.owner_id = id(2)).await, "another owner");
        let same_place: fn(&mut NewItinerary) = |other| {
            other.columns.destination_key = "lisboa".to_owned();
            other.columns.place_id = Some("osm:1".to_owned());
            other.columns.latitude = 10.0;
        };
        assert!(duplicate(same_place).await, "the same place, whatever its name");
        let other_place: fn(&mut NewItinerary) = |other| other.columns.place_id = Some("osm:2".to_owned());
        assert!(duplicate(other_place).await, "another id, but the same name near by");
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_latest_origin_is_that_of_the_newest_itinerary_with_one() {
    on_each_engine(async |store| {
        people(&store).await;
        assert_eq!(store.latest_origin(id(1)).await.expect("read"), None);
        for (number, seconds, origin) in [(10, 30, Some("Porto")), (11, 20, Some("Faro")), (12, 40, None)] {
            let mut new = itinerary(number);
            new.created_at = at(seconds);
            new.columns.origin = origin.map(str::to_owned);
            create(&store, &new).await;
        }
        assert_eq!(store.latest_origin(id(1)).await.expect("read").as_deref(), Some("Porto"));
        assert_eq!(store.latest_origin(id(2)).await.expect("read"), None);
    })
    .await;
}
