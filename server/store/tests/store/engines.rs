//! Fresh databases: every test body runs on each engine, in a database of its own.

use itinerary_store::{Options, Store};

#[path = "../../../../tests/it/support/postgres.rs"]
mod postgres;

/// Runs a test on each engine, with a store whose schema is up to date.
pub(crate) async fn on_each_engine(test: impl AsyncFn(Store)) {
    on_each_empty_database(async |url: &str| {
        let store = open(url).await;
        store.migrate().await.expect("the schema can be made");
        test(store.clone()).await;
        store.close().await.expect("the store closes");
    })
    .await;
}

/// Runs a test on each engine, with the address of an empty database.
pub(crate) async fn on_each_empty_database(test: impl AsyncFn(&str)) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    test(&format!("sqlite://{}", folder.path().join("store.sqlite").display())).await;
    // Where PostgreSQL is not installed, the cluster says that it is skipped.
    if let Some(cluster) = postgres::postgres() {
        test(&cluster.fresh_database()).await;
    }
}

/// Opens a store as the server would.
pub(crate) async fn open(url: &str) -> Store {
    Store::open(url, &Options::default()).await.expect("the database opens")
}

/// Runs so many tasks at once on a store and returns what each came to.
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
