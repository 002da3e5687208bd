//! A separate connection, for statements that the store has no method for, and many accounts at once.

use itinerary_store::{CreateOutcome, Idempotent, Store};
use sea_orm::Value;
use test_support::sql::Connection;

use crate::engines::{on_each_empty_database, open};
use crate::fixtures::{account, at, id, itinerary, people};

#[derive(Clone)]
pub(crate) struct Beside {
    url: String,
    connection: Connection,
}

impl Beside {
    pub(crate) async fn new(url: &str) -> Self {
        Self { url: url.to_owned(), connection: Connection::open(url).await }
    }

    pub(crate) async fn execute(&self, sql: &str, values: impl IntoIterator<Item = Value>) -> u64 {
        self.connection.execute(sql, values).await
    }

    /// A connection in a transaction that has executed a statement, and holds the rows it changed (on SQLite: the
    /// database) until `COMMIT`.
    pub(crate) async fn holding(&self, sql: &str, values: impl IntoIterator<Item = Value>) -> Connection {
        let connection = Connection::open(&self.url).await;
        connection.execute("BEGIN", []).await;
        connection.execute(sql, values).await;
        connection
    }

    /// Reads a number.
    pub(crate) async fn number(&self, sql: &str, values: impl IntoIterator<Item = Value>) -> i64 {
        self.connection.first(sql, values).await
    }
}

/// Runs a test on each engine, with a store that holds itinerary 10 of account 1, and a connection beside it.
pub(crate) async fn with_an_itinerary(test: impl AsyncFn(Store, Beside)) {
    on_each_empty_database(async |url: &str| {
        let store = open(url).await;
        store.migrate().await.expect("the schema can be made");
        people(&store).await;
        create(&store, 10).await;
        let beside = Beside::new(url).await;
        test(store.clone(), beside.clone()).await;
        beside.connection.close().await;
        store.close().await.expect("the store closes");
    })
    .await;
}

/// Makes an itinerary of account 1.
pub(crate) async fn create(store: &Store, number: u128) {
    let created = store.itinerary_create(itinerary(number), None, None, at(0)).await;
    assert_eq!(created.expect("stored"), Idempotent::Executed(CreateOutcome::Created));
}

/// Creates accounts with these ids, named after their numbers.
pub(crate) async fn crowd(store: &Store, numbers: std::ops::Range<u128>) {
    for number in numbers {
        account(store, &format!("traveller{number:04}"), id(number)).await;
    }
}
