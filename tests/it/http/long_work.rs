//! Long work takes turns, and other requests are answered meanwhile.

use std::net::IpAddr;
use std::sync::{Arc, Mutex, mpsc};
use std::time::Duration;

use futures::future::join_all;
use itinerary_platform::fair_pool::Requester;
use itinerary_tests::app::{App, path};
use itinerary_tests::{World, api_test};
use reqwest::Method;
use serde_json::json;

/// More than the turns that there are at once.
const READERS: u8 = 64;

async fn until_queued(world: &World, number: usize) {
    loop {
        let state = world.service().long_work.state();
        if state.running + state.waiting >= number {
            return;
        }
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}

#[api_test]
async fn requests_are_answered_while_long_work_waits(world: World) {
    let app = App::of(&world, "ana").await;
    let stop =
        |n: u8| json!({ "name": "S", "place": { "coordinate": { "latitude": 38.7, "longitude": f64::from(n) } } });
    let days = json!({ "days": [{ "id": "d", "stops": [stop(1), stop(3), stop(2)] }] });
    let stored = app.created(&super::lisbon_with(&days)).await;
    let trip = path(&stored.id);

    let (end, until_end) = mpsc::channel::<()>();
    let until_end = Arc::new(Mutex::new(until_end));
    let readers = join_all((0..READERS).map(|n| {
        let until_end = Arc::clone(&until_end);
        let work = move || until_end.lock().expect("no panic").recv();
        world.service().long_work.run(Requester::Address(IpAddr::from([10, 0, 0, n])), work)
    }));
    let requests = async {
        until_queued(&world, READERS.into()).await;
        let optimise = app.call(Method::POST, &format!("{trip}/days/d/optimise")).header("If-Match", &stored.etag);
        let optimise = optimise.json(&json!({ "dryRun": true })).send();
        let export = app.call(Method::GET, &format!("{trip}/export?format=html")).send();
        let others = async {
            until_queued(&world, usize::from(READERS) + 2).await;
            assert_eq!(world.call(Method::GET, "/healthz").send().await.status, 200);
            assert_eq!(app.viewed(&stored.id).await.etag, stored.etag);
            drop(end);
        };
        tokio::join!(optimise, export, others)
    };
    let (readers, (optimised, exported, ())) = tokio::join!(readers, requests);
    assert!(readers.iter().all(Result::is_ok));
    assert_eq!((optimised.status.as_u16(), exported.status.as_u16()), (200, 200), "{}", optimised.text());
}
