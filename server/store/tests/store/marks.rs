//! Marks and reads: counters match the rows under concurrency.

use itinerary_store::{Mark, MarksRow, Store};
use uuid::Uuid;

use crate::beside::{Beside, create, crowd, with_an_itinerary};
use crate::engines::at_once;
use crate::fixtures::{at, id};

const NOTHING: MarksRow = MarksRow { liked: false, disliked: false, copy: None, likes: 0, saves: 0 };

async fn likes(beside: &Beside, itinerary: Uuid) -> (i64, i64) {
    let rows = "SELECT count(*) FROM reactions WHERE itinerary_id = $1 AND kind = 'like'";
    let counter = "SELECT COALESCE((SELECT likes FROM itinerary_counters WHERE itinerary_id = $1), 0)";
    (beside.number(rows, [itinerary.into()]).await, beside.number(counter, [itinerary.into()]).await)
}

async fn views(beside: &Beside, itinerary: Uuid) -> i64 {
    let counter = "SELECT COALESCE((SELECT views FROM itinerary_counters WHERE itinerary_id = $1), 0)";
    beside.number(counter, [itinerary.into()]).await
}

/// Sets or removes a mark, depending on the lowest two bits of the number, and checks the result.
async fn mark(store: &Store, number: usize, itinerary: Uuid, account: Uuid) -> Option<MarksRow> {
    let mark = if number & 1 == 0 { Mark::Like } else { Mark::Dislike };
    let sets = number & 2 == 0;
    let marked = if sets {
        store.mark_set(itinerary, account, mark, at(0)).await
    } else {
        store.mark_clear(itinerary, account, mark).await
    };
    let marks = marked.expect("answered")?;
    let (this, other) = if mark == Mark::Like { (marks.liked, marks.disliked) } else { (marks.disliked, marks.liked) };
    assert!(this == sets && !(this && other), "{sets} {mark:?}: {marks:?}");
    Some(marks)
}

#[tokio::test(flavor = "multi_thread")]
async fn a_like_and_a_dislike_take_each_other_back() {
    with_an_itinerary(async |store, _| {
        let liked = MarksRow { liked: true, likes: 1, ..NOTHING };
        let disliked = MarksRow { disliked: true, ..NOTHING };
        assert_eq!(store.marks(id(10), id(2)).await.expect("read"), NOTHING);
        for (set, wanted, expected) in [
            (false, Mark::Like, NOTHING),
            (false, Mark::Dislike, NOTHING),
            (true, Mark::Like, liked),
            (true, Mark::Like, liked),
            (false, Mark::Dislike, liked),
            (true, Mark::Dislike, disliked),
            (true, Mark::Dislike, disliked),
            (false, Mark::Like, disliked),
            (true, Mark::Like, liked),
            (false, Mark::Like, NOTHING),
            (true, Mark::Dislike, disliked),
            (false, Mark::Dislike, NOTHING),
        ] {
            let marked = if set {
                store.mark_set(id(10), id(2), wanted, at(0)).await
            } else {
                store.mark_clear(id(10), id(2), wanted).await
            };
            assert_eq!(marked.expect("answered"), Some(expected), "{set} {wanted:?}");
            assert_eq!(store.marks(id(10), id(2)).await.expect("read"), expected);
        }
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn marks_are_of_one_account_and_their_counts_of_all() {
    with_an_itinerary(async |store, beside| {
        create(&store, 11).await;
        store.mark_set(id(10), id(1), Mark::Like, at(0)).await.expect("answered");
        beside.execute("UPDATE itineraries SET saved_from = $1 WHERE id = $2", [id(10).into(), id(11).into()]).await;
        beside.execute("UPDATE itinerary_counters SET saves = 1 WHERE itinerary_id = $1", [id(10).into()]).await;
        let both = store.mark_set(id(10), id(2), Mark::Like, at(0)).await.expect("answered");
        assert_eq!(both, Some(MarksRow { liked: true, likes: 2, saves: 1, ..NOTHING }));
        let owner = store.marks(id(10), id(1)).await.expect("read");
        assert_eq!(owner, MarksRow { liked: true, copy: Some(id(11)), likes: 2, saves: 1, ..NOTHING });
        assert_eq!(store.marks(id(11), id(1)).await.expect("read"), NOTHING);
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn unknown_itineraries_and_accounts_cannot_be_marked() {
    with_an_itinerary(async |store, beside| {
        for number in 0..4 {
            assert_eq!(mark(&store, number, id(99), id(2)).await, None);
            assert_eq!(mark(&store, number, id(10), id(99)).await, None);
        }
        assert_eq!(store.marks(id(99), id(2)).await.expect("read"), NOTHING);
        assert_eq!(beside.number("SELECT count(*) FROM itinerary_counters", []).await, 0);
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn likes_stay_exact_whatever_runs_at_once() {
    with_an_itinerary(async |store, beside| {
        crowd(&store, 100..104).await;
        for round in 0..4 {
            at_once(64, |index| {
                let store = store.clone();
                async move {
                    for step in 0..4 {
                        // Deterministic, but in scattered order.
                        let number = (index * 7 + step * 13 + round * 5) * 31 % 97;
                        let marks = mark(&store, number, id(10), id(100 + (index % 4) as u128)).await;
                        let marks = marks.expect("both are there");
                        assert!((0..=4).contains(&marks.likes), "{marks:?}");
                    }
                }
            })
            .await;
            let (rows, counter) = likes(&beside, id(10)).await;
            assert_eq!(rows, counter);
        }
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_first_likes_at_once_are_all_counted_and_an_accounts_once() {
    with_an_itinerary(async |store, beside| {
        crowd(&store, 100..116).await;
        at_once(64, |index| {
            let store = store.clone();
            async move { mark(&store, 0, id(10), id(100 + (index % 16) as u128)).await.expect("both are there") }
        })
        .await;
        assert_eq!(likes(&beside, id(10)).await, (16, 16));
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_itinerary_deleted_at_the_same_moment_is_not_there() {
    with_an_itinerary(async |store, beside| {
        for number in 20..40_u128 {
            create(&store, number).await;
            at_once(16, |index| {
                let store = store.clone();
                async move {
                    let account = id(1 + (index % 2) as u128);
                    match index {
                        7 => drop(store.itinerary_delete(id(number), 1, at(5)).await.expect("answered")),
                        8..12 => drop(store.views_add(&[(id(number), account)], 5).await.expect("answered")),
                        _ => drop(mark(&store, index, id(number), account).await),
                    }
                }
            })
            .await;
            assert_eq!(mark(&store, 0, id(number), id(2)).await, None);
        }
        for table in ["reactions", "views", "itinerary_counters"] {
            assert_eq!(beside.number(&format!("SELECT count(*) FROM {table}"), []).await, 0, "{table}");
        }
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_account_deleted_at_the_same_moment_is_not_there() {
    with_an_itinerary(async |store, beside| {
        crowd(&store, 100..110).await;
        for number in 100..110 {
            at_once(8, |index| {
                let (store, beside) = (store.clone(), beside.clone());
                async move {
                    match index {
                        3 => drop(beside.execute("DELETE FROM accounts WHERE id = $1", [id(number).into()]).await),
                        4 => drop(store.views_add(&[(id(10), id(number))], 5).await.expect("answered")),
                        _ => drop(mark(&store, index, id(10), id(number)).await),
                    }
                }
            })
            .await;
            assert_eq!(mark(&store, 0, id(10), id(number)).await, None);
            assert_eq!(mark(&store, 2, id(10), id(number)).await, None);
        }
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_reader_counts_once_a_day() {
    with_an_itinerary(async |store, beside| {
        create(&store, 11).await;
        let both = [(id(11), id(2)), (id(10), id(2)), (id(10), id(1))];
        for (given, day, counted) in [
            (&both[..], 7, 3),
            (&both, 7, 0),
            (&both, 6, 0),
            (&both[..1], 8, 1),
            (&both, 8, 2),
            (&[], 9, 0),
            (&[both[0], both[0]], 9, 1),
        ] {
            assert_eq!(store.views_add(given, day).await.expect("counted"), counted, "{given:?} {day}");
        }
        assert_eq!((views(&beside, id(10)).await, views(&beside, id(11)).await), (4, 3));
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn missing_itineraries_and_readers_do_not_lose_other_views() {
    with_an_itinerary(async |store, beside| {
        let given = [(id(10), id(1)), (id(99), id(1)), (id(10), id(99)), (id(99), id(99)), (id(10), id(2))];
        assert_eq!(store.views_add(&given, 7).await.expect("counted"), 2);
        assert_eq!(views(&beside, id(10)).await, 2);
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn views_counted_by_several_servers_at_once_are_counted_once() {
    with_an_itinerary(async |store, beside| {
        crowd(&store, 100..110).await;
        for number in 11..20 {
            create(&store, number).await;
        }
        let given: Vec<_> =
            (10..20).flat_map(|number| (100..110).map(move |reader| (id(number), id(reader)))).collect();
        for day in 1..4 {
            let counted = at_once(8, |index| {
                let (store, mut given) = (store.clone(), given.clone());
                given.rotate_left(index * 11);
                if index % 2 == 0 {
                    given.reverse();
                }
                async move { store.views_add(&given, day).await.expect("counted") }
            })
            .await;
            assert_eq!(counted.iter().sum::<u64>(), 100, "{counted:?}");
            for number in 10..20 {
                assert_eq!(views(&beside, id(number)).await, 10 * day);
            }
        }
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn reads_of_other_days_are_forgotten_and_stay_counted() {
    with_an_itinerary(async |store, beside| {
        for (reader, day) in [(1, 5), (2, 6)] {
            assert_eq!(store.views_add(&[(id(10), id(reader))], day).await.expect("counted"), 1);
        }
        let rows = async || beside.number("SELECT count(*) FROM views", []).await;
        assert_eq!((store.views_expire(5).await.expect("done"), rows().await), (0, 2));
        assert_eq!((store.views_expire(6).await.expect("done"), rows().await), (1, 1));
        let counted = beside.number("SELECT views FROM itinerary_counters WHERE itinerary_id = $1", [id(10).into()]);
        assert_eq!(counted.await, 2);
    })
    .await;
}
