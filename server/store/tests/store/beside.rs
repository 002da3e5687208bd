//! A connection beside the store's own, for what the store has no method for, and crowds of travellers.

use itinerary_store::{CreateOutcome, Once, Store};
use sea_orm::{ConnectionTrait, Database, DatabaseConnection, DatabaseTransaction, Statement, TransactionTrait, Value};

use crate::engines::{on_each_empty_database, open};
use crate::fixtures::{account, at, id, itinerary, people};

/// A connection to the database that a store uses.
#[derive(Clone)]
pub(crate) struct Beside(DatabaseConnection);

impl Beside {
    /// Executes a statement; returns how many rows it changed.
    pub(crate) async fn execute(&self, sql: &str, values: impl IntoIterator<Item = Value>) -> u64 {
        self.0.execute_raw(self.statement(sql, values)).await.expect("executed").rows_affected()
    }

    /// A transaction that has executed a statement, and holds the rows it changed (on SQLite: the database).
    pub(crate) async fn holding(&self, sql: &str, values: impl IntoIterator<Item = Value>) -> DatabaseTransaction {
        let transaction = self.0.begin().await.expect("begun");
        transaction.execute_raw(self.statement(sql, values)).await.expect("executed");
        transaction
    }

    /// The number that a statement selects.
    pub(crate) async fn number(&self, sql: &str, values: impl IntoIterator<Item = Value>) -> i64 {
        let row = self.0.query_one_raw(self.statement(sql, values)).await.expect("read").expect("a row");
        row.try_get_by_index(0).expect("a number")
    }

    fn statement(&self, sql: &str, values: impl IntoIterator<Item = Value>) -> Statement {
        Statement::from_sql_and_values(self.0.get_database_backend(), sql, values)
    }
}

/// Runs a test on each engine, with a store that holds itinerary 10 of account 1, and a connection beside it.
pub(crate) async fn with_an_itinerary(test: impl AsyncFn(Store, Beside)) {
    on_each_empty_database(async |url: &str| {
        let store = open(url).await;
        store.migrate().await.expect("the schema can be made");
        people(&store).await;
        create(&store, 10).await;
        let beside = Beside(Database::connect(url).await.expect("the database opens"));
        test(store.clone(), beside.clone()).await;
        beside.0.close().await.expect("the connection closes");
        store.close().await.expect("the store closes");
    })
    .await;
}

/// Makes an itinerary of account 1.
pub(crate) async fn create(store: &Store, number: u128) {
    let created = store.itinerary_create(itinerary(number), None, None, at(0)).await;
    assert_eq!(created.expect("stored"), Once::First(CreateOutcome::Created));
}

/// Makes accounts of these ids, each named after its number.
pub(crate) async fn crowd(store: &Store, numbers: std::ops::Range<u128>) {
    for number in numbers {
        account(store, &format!("traveller{number:04}"), id(number)).await;
    }
}
