//! Cases that the store's methods cannot cause: transactions that share a commit, endless statements, a full disk.

use std::sync::Arc;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use tempfile::TempDir;
use tokio::task::JoinHandle;

use super::{Connection, Settings, Sqlite, Writer};
use crate::engine::connect::Options;
use crate::engine::transaction::{End, Transaction};
use crate::payer::{Payer, paid_by};
use crate::query::query;
use crate::{Result, StoreError};

const TABLE: &str = "CREATE TABLE numbers (number INTEGER PRIMARY KEY) STRICT";
const INSERT: &str = "INSERT INTO numbers (number) VALUES ($1)";
const NUMBERS: &str = "SELECT number FROM numbers ORDER BY number";
/// Counts until it is interrupted.
const ENDLESS: &str = "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n";

/// A database with a table of numbers.
struct Numbers {
    sqlite: Sqlite,
    _folder: TempDir,
}

/// What a transaction writes.
#[derive(Clone, Copy, Debug)]
enum Does {
    Insert,
    InsertAndRollBack,
    InsertAndFail,
    InsertAndPanic,
    InsertAndRunForever,
    InsertAndWait,
}

fn numbers(prepare: impl FnOnce(&Connection)) -> Numbers {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("numbers.db");
    std::fs::File::create(&file).expect("a file");
    let options = Options { long_reads: 1, statement_timeout: Duration::from_millis(300), ..Options::default() };
    let mut sqlite = Sqlite::open(file.clone(), &options).expect("opens");
    let Options { cache_mb, mmap, statement_timeout, .. } = options;
    let settings = Settings { file, full_sync: true, use_wal: true, cache_mb, mmap, statement_timeout };
    let connection = Connection::writing(&settings).expect("opens");
    connection.execute(&query!(TABLE)).expect("a table");
    prepare(&connection);
    sqlite.writer = Writer::start(connection).expect("starts");
    Numbers { sqlite, _folder: folder }
}

async fn work(number: i64, does: Does, transaction: &mut Transaction) -> Result<End<i64>> {
    transaction.execute(&query!(INSERT, number)).await?;
    match does {
        Does::Insert => Ok(End::Commit(number)),
        Does::InsertAndRollBack => Ok(End::Rollback(number)),
        Does::InsertAndFail => Err(StoreError::Corrupt(number.to_string())),
        Does::InsertAndPanic => panic!("as the test wants"),
        Does::InsertAndRunForever => transaction.fetch_all::<i64>(&query!(ENDLESS)).await.map(|_| End::Commit(number)),
        Does::InsertAndWait => std::future::pending().await,
    }
}

impl Numbers {
    async fn write(&self, number: i64, does: Does) -> Result<i64> {
        let input = Arc::new((number, does));
        self.sqlite.transaction(input, |&(number, does), transaction| Box::pin(work(number, does, transaction))).await
    }

    fn stored(&self) -> Vec<i64> {
        self.sqlite.fetch_all(&query!(NUMBERS)).expect("read")
    }

    /// Blocks the writer until the sender is dropped, so that other writes queue up.
    fn hold(self: &Arc<Self>, until: Receiver<()>) -> JoinHandle<Result<()>> {
        let this = Arc::clone(self);
        tokio::spawn(async move {
            let until = Arc::new(Mutex::new(until));
            let wait = |until: &Mutex<Receiver<()>>, _: &mut Transaction| {
                until.lock().expect("one waits").recv().expect_err("dropped");
            };
            this.sqlite
                .transaction(until, move |until, transaction| {
                    wait(until, transaction);
                    Box::pin(async { Ok(End::Rollback(())) })
                })
                .await
        })
    }

    /// Runs these transactions in one shared commit; returns their results.
    async fn together(self: &Arc<Self>, transactions: &[(i64, Does)]) -> Vec<Result<i64>> {
        let (release, until) = channel();
        let held = self.hold(until);
        tokio::time::sleep(Duration::from_millis(50)).await;
        let writing: Vec<_> = transactions
            .iter()
            .map(|&(number, does)| {
                let this = Arc::clone(self);
                tokio::spawn(async move { this.write(number, does).await })
            })
            .collect();
        tokio::time::sleep(Duration::from_millis(50)).await;
        drop(release);
        held.await.expect("no panic").expect("held");
        let mut outcomes = Vec::new();
        for written in writing {
            outcomes.push(written.await.expect("no panic"));
        }
        outcomes
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn transactions_that_wait_share_a_commit() {
    let commits = Arc::new(AtomicU32::new(0));
    let counted = Arc::clone(&commits);
    let numbers = Arc::new(numbers(|connection| {
        let count = move || {
            counted.fetch_add(1, Ordering::SeqCst);
            false
        };
        connection.connection.commit_hook(Some(count)).expect("hooked");
    }));
    let inserts: Vec<_> = (1..=40).map(|number| (number, Does::Insert)).collect();
    for (number, outcome) in (1..).zip(numbers.together(&inserts).await) {
        assert_eq!(outcome.expect("stored"), number);
    }
    assert_eq!(numbers.stored(), (1..=40).collect::<Vec<_>>());
    // One, unless the machine was so busy that some transactions arrived late.
    let commits = commits.load(Ordering::SeqCst);
    assert!(commits <= 4, "{commits} commits of 40 transactions");
}

/// Single-threaded, so that the transactions arrive in order.
#[tokio::test]
async fn rollback_of_one_transaction_keeps_the_others() {
    let numbers = Arc::new(numbers(|_| ()));
    let transactions = [
        (1, Does::Insert),
        (2, Does::InsertAndRollBack),
        (1, Does::Insert),
        (3, Does::InsertAndFail),
        (4, Does::InsertAndPanic),
        (5, Does::InsertAndWait),
        (6, Does::Insert),
    ];
    let outcomes = numbers.together(&transactions).await;
    let good: Vec<_> = outcomes.iter().map(Result::is_ok).collect();
    assert_eq!(good, [true, true, false, false, false, false, true], "{outcomes:?}");
    assert!(matches!(&outcomes[3], Err(StoreError::Corrupt(number)) if number == "3"), "its own error");
    assert_eq!(numbers.stored(), [1, 6]);
    assert_eq!(numbers.write(7, Does::Insert).await.expect("the writer goes on"), 7);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_statement_has_an_end_and_the_others_of_its_commit_are_stored() {
    let numbers = Arc::new(numbers(|_| ()));
    let read = numbers.sqlite.fetch_all::<i64>(&query!(ENDLESS));
    assert!(matches!(read, Err(StoreError::Unavailable(_))), "{read:?}");
    let transactions = [(1, Does::Insert), (2, Does::InsertAndRunForever), (3, Does::Insert)];
    let outcomes = numbers.together(&transactions).await;
    assert!(matches!(outcomes[1], Err(StoreError::Unavailable(_))), "{outcomes:?}");
    assert_eq!(numbers.stored(), [1, 3]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_full_disk_refuses_what_does_not_fit_and_nothing_else() {
    let numbers = Arc::new(numbers(|connection| {
        connection.connection.pragma_update(None, "max_page_count", 3).expect("set");
    }));
    // A page holds a few hundred numbers.
    let inserts: Vec<_> = (1..=100).map(|number| (number * 1_000_000, Does::Insert)).collect();
    let (mut stored, mut refused) = (Vec::new(), 0);
    for batch in 0..40 {
        let inserts: Vec<_> = inserts.iter().map(|(number, does)| (number + batch, *does)).collect();
        for ((number, _), outcome) in inserts.iter().zip(numbers.together(&inserts).await) {
            match outcome {
                Ok(_) => stored.push(*number),
                Err(StoreError::Unavailable(_)) => refused += 1,
                Err(error) => panic!("{error}"),
            }
        }
        if refused > 0 {
            break;
        }
    }
    stored.sort_unstable();
    assert!(refused > 0, "it was never full");
    assert_eq!(numbers.stored(), stored, "what was acknowledged is there, and nothing else");
}

// Otherwise a log that has filled the disk would keep its space, although the database has most of its pages.
#[tokio::test(flavor = "multi_thread")]
async fn a_full_disk_makes_the_log_give_its_space_back() {
    let numbers = numbers(|connection| {
        connection.connection.pragma_update(None, "wal_autocheckpoint", 0).expect("set");
        connection.connection.pragma_update(None, "max_page_count", 3).expect("set");
    });
    let size = || std::fs::metadata(&numbers.sqlite.settings.file).expect("it is there").len();
    let before = size();
    let mut number = 0;
    while numbers.write(number, Does::Insert).await.is_ok() {
        assert_eq!(size(), before, "everything is in the log");
        number += 1_000_000;
    }
    for _ in 0..1_000 {
        if size() > before {
            return;
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    panic!("the log has not been copied");
}

#[tokio::test(flavor = "multi_thread")]
async fn short_reads_do_not_wait_for_long_ones() {
    let numbers = Arc::new(numbers(|_| ()));
    let long: Vec<_> = (0..3)
        .map(|_| {
            let numbers = Arc::clone(&numbers);
            tokio::spawn(async move { numbers.sqlite.fetch_all_long::<i64>(query!(ENDLESS)).await })
        })
        .collect();
    tokio::time::sleep(Duration::from_millis(20)).await;
    for _ in 0..100 {
        assert!(numbers.stored().is_empty());
    }
    assert!(long.iter().any(|read| !read.is_finished()), "a hundred short reads take a moment, three long ones 900 ms");
    for read in long {
        let read = read.await.expect("no panic");
        assert!(matches!(read, Err(StoreError::Unavailable(_))), "{read:?}");
    }
}

/// Notes what it pays.
#[derive(Default)]
struct Noted(Mutex<Vec<Duration>>);

impl Payer for Noted {
    fn pay(&self, spent: Duration) {
        self.0.lock().expect("no panic").push(spent);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn long_reads_are_charged_to_their_request() {
    let (numbers, noted) = (numbers(|_| ()), Arc::new(Noted::default()));
    let read = || numbers.sqlite.fetch_all_long::<i64>(query!(ENDLESS));
    assert!(paid_by(Arc::<Noted>::clone(&noted), read()).await.is_err(), "it is interrupted");
    assert!(read().await.is_err(), "nobody pays for this one");
    let paid = noted.0.lock().expect("no panic").clone();
    assert!(paid.len() == 1 && paid[0] > Duration::from_millis(1), "{paid:?}");
}

#[test]
fn a_page_that_takes_long_is_left_to_the_long_reads() {
    let numbers = numbers(|connection| assert_eq!(connection.execute(&query!(INSERT, 7_i64)).expect("stored"), 1));
    let briefly = |text| numbers.sqlite.fetch_all_briefly::<i64>(&query!(text));
    assert_eq!(briefly(NUMBERS).expect("read"), Some(vec![7]));
    assert_eq!(briefly(ENDLESS).expect("no error"), None);
    assert_eq!(briefly(NUMBERS).expect("the connection is as good as before"), Some(vec![7]));
}

/// Without `SQLITE_MAX_MMAP_SIZE` in `.cargo/config.toml` SQLite would map only the first 2 GB.
#[test]
fn readers_map_the_whole_file_or_nothing() {
    for (mmap, size) in [(true, 1_i64 << 40), (false, 0)] {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("mapped.db");
        std::fs::File::create(&file).expect("a file");
        let Options { full_sync, cache_mb, statement_timeout, .. } = Options::default();
        let settings = Settings { file, full_sync, use_wal: true, cache_mb, mmap, statement_timeout };
        let connections = [(Connection::writing(&settings), 0), (Connection::reading(&settings), size)];
        for (connection, size) in connections {
            let mapped = connection.expect("opens").fetch_optional::<i64>(&query!("PRAGMA mmap_size"));
            assert_eq!(mapped.expect("read"), Some(size));
        }
    }
}

/// `.cargo/config.toml` undefines an option of rusqlite's bundled build.
#[test]
fn page_caches_do_not_share_a_mutex() {
    let numbers = numbers(|_| ());
    let options: Vec<String> = numbers.sqlite.fetch_all(&query!("PRAGMA compile_options")).expect("read");
    assert!(!options.iter().any(|option| option == "ENABLE_MEMORY_MANAGEMENT"), "{options:?}");
    assert!(options.iter().any(|option| option == "DEFAULT_MEMSTATUS=0"), "{options:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_closed_database_refuses() {
    let numbers = numbers(|_| ());
    numbers.write(1, Does::Insert).await.expect("stored");
    numbers.sqlite.close().await.expect("closed");
    numbers.sqlite.close().await.expect("closed already");
    assert!(numbers.write(2, Does::Insert).await.is_err());
    assert!(numbers.sqlite.fetch_all::<i64>(&query!(NUMBERS)).is_err());
    assert!(numbers.sqlite.fetch_all_long::<i64>(query!(NUMBERS)).await.is_err());
}
