//! Reports: one open report per account, three hide an itinerary, resolving closes them.

use itinerary_model::Visibility;
use itinerary_store::{
    Claim, Earlier, Idempotent, Mark, NewItinerary, NewReport, REJECTED_DAYS, REPORTER_AGE_DAYS, REPORTS_TO_HIDE,
    ReportOutcome, ReportRow, Saved, Store,
};

use crate::beside::{Beside, create, crowd, with_an_itinerary};
use crate::engines::at_once;
use crate::fixtures::{at, claim, entry, id, itinerary, response};

/// The first id of itineraries that reporters have published.
const PUBLISHED: u128 = 1_000_000;

/// When an account made at `at(0)` is old enough, in seconds.
const LATER: i64 = REPORTER_AGE_DAYS * 24 * 3600;

fn report(number: u128, itinerary: u128, account: u128) -> NewReport {
    NewReport {
        id: id(number),
        itinerary_id: id(itinerary),
        account_id: id(account),
        reason: "spam".to_owned(),
        note: Some("Zoë says: it is".to_owned()),
        created_at: at(LATER),
    }
}

async fn file(store: &Store, report: &NewReport, seconds: i64) -> Idempotent<ReportOutcome> {
    store.report_create(report, None, at(seconds)).await.expect("answered")
}

/// Makes accounts whose reports count: each has published an itinerary.
async fn reporters(store: &Store, numbers: std::ops::Range<u128>) {
    crowd(store, numbers.clone()).await;
    for number in numbers {
        let mut own = NewItinerary { owner_id: id(number), ..itinerary(PUBLISHED + number) };
        own.columns.published_at = Some(at(0));
        store.itinerary_create(own, None, None, at(0)).await.expect("stored");
    }
}

/// Publishes itinerary 10.
async fn list(beside: &Beside) {
    let listed = "INSERT INTO explore (itinerary_id, owner_id, published_at, place, words) VALUES ($1, $2, 1, 1, 'x')";
    beside.execute(listed, [id(10).into(), id(1).into()]).await;
}

/// Whether itinerary 10 is hidden, and whether it is in Explore.
async fn hidden_and_listed(beside: &Beside) -> (bool, bool) {
    let hidden = beside.number("SELECT count(*) FROM hidden WHERE itinerary_id = $1", [id(10).into()]).await;
    let listed = beside.number("SELECT count(*) FROM explore WHERE itinerary_id = $1", [id(10).into()]).await;
    (hidden == 1, listed == 1)
}

#[tokio::test(flavor = "multi_thread")]
async fn an_account_has_one_open_report_of_an_itinerary() {
    with_an_itinerary(async |store, _| {
        create(&store, 11).await;
        assert_eq!(file(&store, &report(50, 10, 2), LATER).await, Idempotent::Executed(ReportOutcome::Filed));
        assert_eq!(file(&store, &report(51, 10, 2), LATER).await, Idempotent::Executed(ReportOutcome::AlreadyOpen));
        assert_eq!(
            file(&store, &report(52, 11, 2), LATER).await,
            Idempotent::Executed(ReportOutcome::Filed),
            "another itinerary"
        );
        assert_eq!(store.reports_resolve(id(10), false, &entry(LATER)).await.expect("resolved"), Some(1));
        assert_eq!(
            file(&store, &report(53, 10, 2), LATER).await,
            Idempotent::Executed(ReportOutcome::Filed),
            "the first is resolved"
        );
        assert_eq!(store.report_count().await.expect("counted"), 2);

        assert_eq!(file(&store, &report(54, 99, 2), LATER).await, Idempotent::Executed(ReportOutcome::Gone));
        assert_eq!(file(&store, &report(55, 10, 99), LATER).await, Idempotent::Executed(ReportOutcome::Gone));
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn one_of_sixteen_concurrent_reports_by_one_account_is_filed() {
    with_an_itinerary(async |store, _| {
        let outcomes = at_once(16, |index| {
            let store = store.clone();
            async move { file(&store, &report(50 + index as u128, 10, 2), LATER).await }
        })
        .await;
        assert_eq!(
            outcomes.iter().filter(|outcome| **outcome == Idempotent::Executed(ReportOutcome::Filed)).count(),
            1,
            "{outcomes:?}"
        );
        assert_eq!(
            outcomes.iter().filter(|outcome| **outcome == Idempotent::Executed(ReportOutcome::AlreadyOpen)).count(),
            15
        );
        assert_eq!(store.report_count().await.expect("counted"), 1);
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn open_reports_come_oldest_first_with_what_they_are_about() {
    with_an_itinerary(async |store, beside| {
        crowd(&store, 100..103).await;
        for (number, account, seconds) in [(52, 100, 9), (50, 101, 9), (51, 102, 5)] {
            let report = NewReport { created_at: at(seconds), note: None, ..report(number, 10, account) };
            assert_eq!(file(&store, &report, seconds).await, Idempotent::Executed(ReportOutcome::Filed));
        }
        let rows = store.reports_open(10).await.expect("read");
        let expected = ReportRow {
            id: id(51),
            itinerary_id: id(10),
            title_card: r#"{"title":"Lisbon"}"#.to_owned(),
            owner: "ANA".to_owned(),
            reporter: "TRAVELLER0102".to_owned(),
            reason: "spam".to_owned(),
            note: None,
            created_at: at(5),
            hidden: false,
            visibility: Visibility::Private,
        };
        assert_eq!(rows[0], expected);
        assert_eq!(rows.iter().map(|row| row.id).collect::<Vec<_>>(), [id(51), id(50), id(52)]);
        assert_eq!(store.reports_open(2).await.expect("read"), rows[..2]);
        beside.execute("INSERT INTO hidden (itinerary_id, created_at) VALUES ($1, 5)", [id(10).into()]).await;
        assert_eq!(store.reports_open(1).await.expect("read"), [ReportRow { hidden: true, ..expected }]);
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_report_with_a_key_is_filed_once_and_one_that_is_not_filed_leaves_no_response() {
    with_an_itinerary(async |store, _| {
        let by = |key, fingerprint| Claim { account_id: id(2), ..claim(key, fingerprint) };
        let send = async |number, itinerary, claim: &Claim, text: &str| {
            let report = report(number, itinerary, 2);
            store.report_create(&report, Some((claim, &response(text))), at(LATER)).await.expect("answered")
        };
        assert_eq!(send(50, 99, &by(1, 1), "gone").await, Idempotent::Executed(ReportOutcome::Gone));
        let outcomes = at_once(12, |index| {
            let (store, claim, report) = (store.clone(), by(1, 1), report(60 + index as u128, 10, 2));
            let response = response(&index.to_string());
            async move { store.report_create(&report, Some((&claim, &response)), at(LATER)).await.expect("answered") }
        })
        .await;
        let filed: Vec<_> =
            (0..12).filter(|index| outcomes[*index] == Idempotent::Executed(ReportOutcome::Filed)).collect();
        assert_eq!(filed.len(), 1, "{outcomes:?}");
        let replayed = Idempotent::Replayed(Earlier::Same(response(&filed[0].to_string())));
        assert_eq!(outcomes.iter().filter(|outcome| **outcome == replayed).count(), 11, "{outcomes:?}");

        assert_eq!(send(51, 10, &by(1, 2), "other").await, Idempotent::Replayed(Earlier::Other));
        assert_eq!(send(52, 10, &by(2, 1), "open").await, Idempotent::Executed(ReportOutcome::AlreadyOpen));
        assert_eq!(store.idempotency_find(&by(2, 1), at(LATER)).await.expect("read"), None);
        store.reports_resolve(id(10), false, &entry(LATER)).await.expect("resolved");
        assert_eq!(send(53, 10, &by(2, 1), "again").await, Idempotent::Executed(ReportOutcome::Filed));
        let nobody = Claim { account_id: id(99), ..claim(3, 1) };
        assert_eq!(send(54, 10, &nobody, "nobody").await, Idempotent::Executed(ReportOutcome::Gone));
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_third_report_hides_and_those_of_young_accounts_do_not_count() {
    with_an_itinerary(async |store, beside| {
        reporters(&store, 100..104).await;
        list(&beside).await;
        for (number, account, seconds) in [(50, 100, LATER), (51, 101, LATER), (52, 102, LATER - 1)] {
            file(&store, &report(number, 10, account), seconds).await;
            assert_eq!(hidden_and_listed(&beside).await, (false, true), "{number}");
        }
        file(&store, &report(53, 10, 103), LATER).await;
        assert_eq!(hidden_and_listed(&beside).await, (true, false), "by now every reporter is old enough");
        assert!(store.reports_open(10).await.expect("read").iter().all(|row| row.hidden));
        assert_eq!(beside.number("SELECT count(*) FROM hidden WHERE reviewed_at IS NULL", []).await, 1);
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn three_reports_at_once_hide() {
    with_an_itinerary(async |store, beside| {
        reporters(&store, 100..130).await;
        for round in 0..10_u128 {
            list(&beside).await;
            at_once(3, |index| {
                let store = store.clone();
                async move {
                    let index = index as u128;
                    let report = report(1000 + round * 10 + index, 10, 100 + round * 3 + index);
                    assert_eq!(file(&store, &report, LATER).await, Idempotent::Executed(ReportOutcome::Filed));
                }
            })
            .await;
            assert_eq!(hidden_and_listed(&beside).await, (true, false));
            assert_eq!(store.reports_resolve(id(10), false, &entry(LATER)).await.expect("resolved"), Some(3));
            assert_eq!(hidden_and_listed(&beside).await, (false, false));
        }
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_verdict_resolves_what_is_open_and_hides_or_shows() {
    with_an_itinerary(async |store, beside| {
        reporters(&store, 100..103).await;
        list(&beside).await;
        let resolve =
            async |hide, seconds| store.reports_resolve(id(10), hide, &entry(seconds)).await.expect("answered");
        file(&store, &report(50, 10, 100), LATER).await;
        assert_eq!(resolve(true, LATER + 1).await, Some(1), "before there are enough");
        assert_eq!(hidden_and_listed(&beside).await, (true, false));
        let reviewed = "SELECT reviewed_at - created_at FROM hidden";
        assert_eq!(beside.number(reviewed, []).await, 0);
        assert_eq!(resolve(true, LATER + 2).await, Some(0));
        assert_eq!(beside.number(reviewed, []).await, 1000, "hidden since the first verdict");
        assert_eq!(resolve(false, LATER + 3).await, Some(0));
        assert_eq!(hidden_and_listed(&beside).await, (false, false));
        let verdicts = "SELECT count(*) FROM reports WHERE verdict = 'hide' AND resolved_at = $1";
        let first = at(LATER + 1).timestamp_millis();
        assert_eq!(beside.number(verdicts, [first.into()]).await, 1, "a verdict stays as it was");
        assert_eq!(store.report_count().await.expect("counted"), 0);

        for (number, account) in [(51, 100), (52, 101)] {
            file(&store, &report(number, 10, account), LATER).await;
            assert_eq!(hidden_and_listed(&beside).await, (false, false), "resolved ones do not count");
        }
        file(&store, &report(53, 10, 102), LATER).await;
        assert_eq!(hidden_and_listed(&beside).await, (true, false));
        for hide in [false, true] {
            assert_eq!(store.reports_resolve(id(99), hide, &entry(0)).await.expect("answered"), None);
        }
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_rejected_reporter_counts_no_more_for_that_itinerary() {
    with_an_itinerary(async |store, beside| {
        reporters(&store, 100..106).await;
        create(&store, 11).await;
        let mut number = 50;
        let mut file_all = async |itinerary: u128, accounts: std::ops::Range<u128>| {
            for account in accounts {
                number += 1;
                let filed = file(&store, &report(number, itinerary, account), LATER).await;
                assert_eq!(filed, Idempotent::Executed(ReportOutcome::Filed), "it is taken all the same");
            }
        };
        let keep = async || store.reports_resolve(id(10), false, &entry(LATER)).await.expect("resolved");
        file_all(10, 100..103).await;
        assert!(hidden_and_listed(&beside).await.0);
        for _ in 0..2 {
            assert_eq!(keep().await, Some(3));
            file_all(10, 100..103).await;
            assert!(!hidden_and_listed(&beside).await.0, "the same three again");
        }
        file_all(10, 103..105).await;
        assert!(!hidden_and_listed(&beside).await.0, "with two others");
        file_all(10, 105..106).await;
        assert!(hidden_and_listed(&beside).await.0, "three others");
        file_all(11, 100..103).await;
        let hidden = "SELECT count(*) FROM hidden WHERE itinerary_id = $1";
        assert_eq!(beside.number(hidden, [id(11).into()]).await, 1, "they count for another itinerary");
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn reports_and_verdicts_at_once_agree() {
    with_an_itinerary(async |store, beside| {
        reporters(&store, 100..300).await;
        for round in 0..10_u128 {
            at_once(20, |index| {
                let store = store.clone();
                async move {
                    if index % 5 == 4 {
                        store.reports_resolve(id(10), false, &entry(LATER)).await.expect("answered");
                    } else {
                        let index = index as u128;
                        file(&store, &report(1000 + round * 100 + index, 10, 100 + round * 20 + index), LATER).await;
                    }
                }
            })
            .await;
            let open = store.report_count().await.expect("counted");
            assert_eq!(hidden_and_listed(&beside).await.0, open >= REPORTS_TO_HIDE, "{open} open");
        }
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn reports_during_deletion_leave_no_rows() {
    with_an_itinerary(async |store, beside| {
        crowd(&store, 100..120).await;
        for number in 100..120 {
            create(&store, number).await;
            at_once(8, |index| {
                let (store, beside) = (store.clone(), beside.clone());
                async move {
                    let of = report(1000 + number * 10 + index as u128, number, 1 + index as u128 % 2);
                    let by = report(5000 + number * 10 + index as u128, 10, number);
                    match index {
                        3 => drop(store.itinerary_delete(id(number), 1, at(5)).await.expect("answered")),
                        4 => drop(beside.execute("DELETE FROM accounts WHERE id = $1", [id(number).into()]).await),
                        5 => drop(store.reports_resolve(id(number), true, &entry(LATER)).await.expect("answered")),
                        6 => drop(file(&store, &by, LATER).await),
                        7 => {
                            let claim = Claim { account_id: id(number), ..claim(number, 1) };
                            let filed = store.report_create(&by, Some((&claim, &response("x"))), at(LATER)).await;
                            filed.expect("answered");
                        }
                        _ => drop(file(&store, &of, LATER).await),
                    }
                }
            })
            .await;
            assert_eq!(
                file(&store, &report(9000 + number, number, 1), LATER).await,
                Idempotent::Executed(ReportOutcome::Gone)
            );
            assert_eq!(
                file(&store, &report(9000 + number, 10, number), LATER).await,
                Idempotent::Executed(ReportOutcome::Gone)
            );
        }
        assert_eq!(store.report_count().await.expect("counted"), 0);
    })
    .await;
}

/// Files a report of each account, and returns whether the itinerary is hidden then.
async fn hide(store: &Store, beside: &Beside, number: u128, itinerary: u128, accounts: &[u128], seconds: i64) -> bool {
    for (index, account) in accounts.iter().enumerate() {
        let report = NewReport { created_at: at(seconds), ..report(number + index as u128, itinerary, *account) };
        assert_eq!(file(store, &report, seconds).await, Idempotent::Executed(ReportOutcome::Filed), "each is taken");
    }
    beside.number("SELECT count(*) FROM hidden WHERE itinerary_id = $1", [id(itinerary).into()]).await == 1
}

#[tokio::test(flavor = "multi_thread")]
async fn reports_count_of_accounts_that_have_published_or_acted_on_three_days() {
    with_an_itinerary(async |store, beside| {
        crowd(&store, 100..110).await;
        for number in 11..15 {
            create(&store, number).await;
        }
        assert!(!hide(&store, &beside, 50, 10, &[100, 101, 102], LATER).await, "accounts that have done nothing");
        let day = 24 * 3_600;
        for account in [103, 104, 105] {
            store.mark_set(id(10), id(account), Mark::Like, at(0)).await.expect("stored");
            store.follow_set(id(account), id(1), at(day - 1)).await.expect("stored");
            store.follow_set(id(account), id(2), at(day)).await.expect("stored");
        }
        assert!(!hide(&store, &beside, 60, 11, &[103, 104, 105], LATER).await, "on two days");
        for account in [103, 104, 105] {
            let copy = NewItinerary { owner_id: id(account), created_at: at(2 * day), ..itinerary(200 + account) };
            let of = Saved { itinerary_id: id(10), author_id: id(1) };
            store.itinerary_save(copy, of, None, at(2 * day)).await.expect("stored");
        }
        assert!(hide(&store, &beside, 70, 12, &[103, 104, 105], LATER).await, "on three days");
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_three_oldest_open_reports_of_an_account_count() {
    with_an_itinerary(async |store, beside| {
        reporters(&store, 100..103).await;
        for number in 11..16 {
            create(&store, number).await;
        }
        let all = [100, 101, 102];
        for (number, itinerary) in [(50, 10), (60, 11), (70, 12)] {
            let seconds = LATER + i64::try_from(number).expect("small");
            assert!(hide(&store, &beside, number, itinerary, &all, seconds).await, "{itinerary}");
        }
        for (number, itinerary) in [(80, 13), (90, 14)] {
            let seconds = LATER + i64::try_from(number).expect("small");
            assert!(!hide(&store, &beside, number, itinerary, &all, seconds).await, "{itinerary} is a further one");
        }
        let hidden = async |itinerary: u128| {
            beside.number("SELECT count(*) FROM hidden WHERE itinerary_id = $1", [id(itinerary).into()]).await == 1
        };
        // With a verdict on an older one, the next counts.
        assert_eq!(store.reports_resolve(id(11), true, &entry(LATER + 100)).await.expect("resolved"), Some(3));
        assert_eq!((hidden(13).await, hidden(14).await), (true, false));
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn three_rejected_reports_count_against_their_account_for_ninety_days() {
    with_an_itinerary(async |store, beside| {
        reporters(&store, 100..103).await;
        for number in 11..20 {
            create(&store, number).await;
        }
        let all = [100, 101, 102];
        for (number, itinerary) in [(50, 10), (60, 11), (70, 12)] {
            assert!(hide(&store, &beside, number, itinerary, &all, LATER).await, "{itinerary}");
            assert_eq!(store.reports_resolve(id(itinerary), false, &entry(LATER)).await.expect("resolved"), Some(3));
        }
        assert!(!hide(&store, &beside, 80, 13, &all, LATER + 1).await, "rejected three times");
        let rejected_until = LATER + REJECTED_DAYS * 24 * 3_600;
        assert!(!hide(&store, &beside, 90, 14, &all, rejected_until - 1).await);
        assert!(hide(&store, &beside, 110, 15, &all, rejected_until).await);
    })
    .await;
}
