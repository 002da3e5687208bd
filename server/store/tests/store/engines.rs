//! Runs every test body on each engine, in an empty database of its own.

use itinerary_store::{Options, Store};
use test_support::database::Database;

const ENGINES: [Database; 2] = [Database::Sqlite, Database::Postgres];

/// Runs a test on each engine, with a store whose schema is up to date.
pub(crate) async fn on_each_engine(test: impl AsyncFn(Store)) {
    for engine in ENGINES {
        let folder = tempfile::tempdir().expect("a temporary folder");
        // If it skips PostgreSQL, the cluster prints so.
        let Some((url, _lease)) = engine.leased(folder.path()).await else { continue };
        let store = open(&url).await;
        test(store.clone()).await;
        store.close().await.expect("the store closes");
    }
}

/// Runs a test on each engine, with the address of an empty database.
pub(crate) async fn on_each_empty_database(test: impl AsyncFn(&str)) {
    for engine in ENGINES {
        let folder = tempfile::tempdir().expect("a temporary folder");
        if let Some(url) = engine.empty(folder.path()) {
            test(&url).await;
        }
    }
}

/// Opens a store as the server would.
pub(crate) async fn open(url: &str) -> Store {
    Store::open(url, &Options::default()).await.expect("the database opens")
}

/// Runs tasks concurrently on a store and returns their results.
pub(crate) async fn at_once<T, F>(count: usize, task: impl Fn(usize) -> F) -> Vec<T>
where
    F: Future<Output = T> + Send + 'static,
    T: Send + 'static,
{
    let start = std::sync::Arc::new(tokio::sync::Barrier::new(count));
    let tasks: Vec<_> = (0..count)
        .map(|index| {
            let (start, task) = (start.clone(), task(index));
            tokio::spawn(async move {
                start.wait().await;
                task.await
            })
        })
        .collect();
    let mut outcomes = Vec::with_capacity(count);
    for task in tasks {
        outcomes.push(task.await.expect("no task panics"));
    }
    outcomes
}
