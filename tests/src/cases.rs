//! Runs one test on one database: what `#[api_test]` generates calls this.

use std::future::Future;
use std::pin::Pin;

use itinerary_platform::settings::Config;

use crate::{Database, World};

/// On the heap, so that running one is compiled once and not for each test.
type Body = Pin<Box<dyn Future<Output = ()>>>;

/// Runs a test with a server that has these settings. Skips it if PostgreSQL is not available.
pub fn on_world(database: Database, configure: fn(&mut Config), test: fn(World) -> Body) {
    on_database(database, |database| {
        Box::pin(async move {
            if let Some(world) = World::start_with(database, configure).await {
                test(world).await;
            }
        })
    });
}

/// Runs a test that starts its servers itself.
pub fn on_database(database: Database, test: impl FnOnce(Database) -> Body) {
    // Two threads, because a server and its clients also run at the same time.
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build();
    runtime.expect("a runtime").block_on(test(database));
}
