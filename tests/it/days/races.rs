//! Concurrent writers of the days of one itinerary: nothing is lost or duplicated.

use std::collections::BTreeSet;

use futures::future::join_all;
use itinerary_sdk::types::{DayInput, StopInput, StopMove};
use itinerary_sdk::{ErrorExt, code};
use itinerary_tests::{World, api_test};
use serde_json::json;

use super::{Trip, stop, three_days, typed};

const WRITERS: usize = 16;

#[api_test]
async fn one_of_many_stop_adds_with_the_same_etag_succeeds(world: World) {
    let mut trip = Trip::start(&world, three_days()).await;
    let ids: Vec<_> = (0..WRITERS).map(|n| format!("new-{n}")).collect();
    let calls = ids.iter().map(|id| trip.stop_add("d3", typed::<StopInput>(stop(id))).position(0).send());
    let (won, lost): (Vec<_>, Vec<_>) = join_all(calls).await.into_iter().partition(Result::is_ok);
    assert_eq!((won.len(), lost.len()), (1, WRITERS - 1));
    for response in won {
        trip.wrote(response).await;
    }
    for error in lost.into_iter().filter_map(Result::err) {
        assert!(error.is(code::ITINERARY_MODIFIED), "{error}");
        assert_eq!(error.current_etag(), Some(trip.now.etag()));
    }
    assert_eq!(trip.stops("d3").len(), 1);
}

#[api_test]
async fn concurrent_stop_adds_with_if_match_star_are_each_made_once(world: World) {
    let trip = Trip::start(&world, three_days()).await;
    let ids: Vec<_> = (0..WRITERS).map(|n| format!("new-{n}")).collect();
    let calls = ids.iter().enumerate().map(|(n, id)| {
        let call = trip.client.stop_add(trip.now.id, "d3", "*", typed::<StopInput>(stop(id)));
        if n % 2 == 0 { call.position(0) } else { call }.send()
    });
    let responses = join_all(calls).await;
    let tags: BTreeSet<_> = responses.into_iter().map(|response| response.expect("made").etag().to_owned()).collect();
    assert_eq!(tags.len(), WRITERS, "each is a version of its own");
    let read = trip.read().await;
    assert_eq!(read.etag(), format!("\"v{}.m\"", WRITERS + 1));
    let mut there: Vec<_> = read.days[2].stops.iter().map(|stop| stop.id.clone()).collect();
    there.sort();
    let mut expected = ids;
    expected.sort();
    assert_eq!(there, expected);
}

// Stops that are moved concurrently end up in one place each, and all stops remain.
#[api_test(limits = false)]
async fn stops_that_move_at_once_are_each_somewhere_once(world: World) {
    let mut trip = Trip::start(&world, three_days()).await;
    let mut etags = std::collections::BTreeSet::from([trip.now.etag().to_owned()]);
    for _ in 0..5 {
        let before = trip.now.days.clone();
        let all: Vec<_> =
            before.iter().flat_map(|day| day.stops.iter().map(|stop| (day.id.clone(), stop.id.clone()))).collect();
        let calls = all.iter().enumerate().map(|(n, (day, stop))| {
            let to = ["d1", "d2", "d3"][n % 3].to_owned();
            let to = StopMove { day_id: Some(to), position: (n % 2 == 0).then_some(0) };
            trip.client.stop_move(trip.now.id, day, stop, "*", to).send()
        });
        for response in join_all(calls).await {
            etags.insert(response.expect("there is room everywhere").etag().to_owned());
        }
        trip.now = trip.read().await;
        let mut there: Vec<_> = trip.now.days.iter().flat_map(|day| &day.stops).map(|stop| stop.id.clone()).collect();
        there.sort();
        assert_eq!(there, ["a", "b", "c", "d", "x", "y"]);
    }
    // A move to where the stop is already makes no version; every other makes one of its own.
    assert_eq!(trip.now.etag(), format!("\"v{}.m\"", etags.len()));
}

// A stop that is added while its day is removed is removed with it, or comes too late.
#[api_test(limits = false)]
async fn a_day_and_a_stop_for_it_exclude_each_other(world: World) {
    let mut trip = Trip::start(&world, json!([])).await;
    for round in 0..10 {
        let day = format!("day-{round}");
        trip.wrote(trip.day_add(DayInput::default().id(&day)).send().await).await;
        let (client, id) = (&trip.client, trip.now.id);
        let added = client.stop_add(id, &day, "*", typed::<StopInput>(stop("s"))).send();
        let (removed, added) = tokio::join!(client.day_remove(id, &day, "*").send(), added);
        let removed = removed.expect("nobody else removes it");
        assert!(removed.days.is_empty());
        if let Err(error) = &added {
            assert!(error.is(code::NOT_FOUND), "{error}");
        }
        trip.now = trip.read().await;
        assert!(trip.now.days.is_empty());
    }
}
