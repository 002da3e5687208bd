//! Fresh databases: every test body runs on each engine, in a database of its own.

use std::sync::atomic::{AtomicU32, Ordering};

use itinerary_store::{Options, Store};
use sea_orm::{ConnectionTrait, Database};

/// Where the throw-away PostgreSQL server is.
const POSTGRES: &str = "ITINERARY_TEST_POSTGRES";

static DATABASES: AtomicU32 = AtomicU32::new(0);

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
    match std::env::var(POSTGRES) {
        Ok(server) => on_postgres(&server, test).await,
        Err(_) => eprintln!("skipped on PostgreSQL: {POSTGRES} is not set"),
    }
}

async fn on_postgres(server: &str, test: impl AsyncFn(&str)) {
    let name = format!("store_{}_{}", std::process::id(), DATABASES.fetch_add(1, Ordering::Relaxed));
    let admin = Database::connect(server).await.expect("the test server answers");
    admin.execute_unprepared(&format!("CREATE DATABASE {name}")).await.expect("a database can be created");
    let mut url = server.to_owned();
    let path = url.rfind('/').expect("an address with a database") + 1;
    let end = url[path..].find('?').map_or(url.len(), |query| path + query);
    url.replace_range(path..end, &name);
    test(&url).await;
    admin.execute_unprepared(&format!("DROP DATABASE {name} WITH (FORCE)")).await.expect("it can be dropped");
    admin.close().await.expect("the connection closes");
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
