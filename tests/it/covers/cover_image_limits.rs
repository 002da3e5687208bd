//! Decoding and drawing in turns, and how much of it one account or address may ask for.

use std::net::{IpAddr, Ipv4Addr};
use std::time::Duration;

use chrono::TimeDelta;
use futures::future::join_all;
use itinerary_platform::fair_pool::{FairPoolState, Requester};
use itinerary_platform::limits::Bucket;
use itinerary_tests::app::App;
use itinerary_tests::bodies::on_day;
use itinerary_tests::{RawResponse, World, api_test};
use tokio::time::Instant;

use super::files::{picture, png, png_that_claims};
use super::{cover, covered, get, image_at, put, stored_files, uploaded};

async fn until_waiting(world: &World, number: usize) {
    let state = || world.service().pictures.state();
    while state().waiting < number {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    assert_eq!(state(), FairPoolState { running: 1, waiting: number });
}

fn far() -> Instant {
    Instant::now() + Duration::from_hours(1)
}

// Twelve uploads of one account wait for a turn when another traveller's cover is read. One of them and the cover come
// first, then whoever asked after them.
#[api_test(sqlite)]
async fn uploads_of_one_account_do_not_hold_up_another_travellers_cover(world: World) {
    let (ana, ben) = (App::of(&world, "ana").await, App::of(&world, "ben").await);
    let mut of_ana = Vec::new();
    for day in 1..=12 {
        of_ana.push(ana.created(&covered(day)).await);
    }
    let of_ben = ben.created(&on_day(1)).await;
    let pictures = &world.service().pictures;
    let running = pictures.turn(Requester::Server, far()).await.expect("the pool is idle");
    let bytes = png(&picture());
    let uploads = join_all(of_ana.iter().map(|seen| put(&ana, seen, "image/png", bytes.clone())));
    let others = async {
        until_waiting(&world, 12).await;
        let read = image_at(&world, cover(&of_ben));
        let after_both = async {
            until_waiting(&world, 13).await;
            let mut after_both = Box::pin(pictures.turn(Requester::Server, far()));
            assert!(futures::poll!(&mut after_both).is_pending());
            drop(running);
            after_both.await.expect("a turn")
        };
        let (_, turn) = tokio::join!(read, after_both);
        assert_eq!(pictures.state(), FairPoolState { running: 1, waiting: 11 }, "eleven uploads still wait");
        drop(turn);
    };
    let (responses, ()) = tokio::join!(uploads, others);
    assert!(responses.iter().all(|response| response.status == 200));
}

fn assert_limited(response: &RawResponse, word: &str) {
    response.expect_error(429, "rateLimited");
    assert_eq!(response.header("retry-after"), "60");
    assert!(response.text().contains(word), "{}", response.text());
}

// An image counts by its header, whether it can be decoded or not.
#[api_test]
async fn an_account_has_120_megapixels_a_minute(world: World) {
    let (ana, ben) = (App::of(&world, "ana").await, App::of(&world, "ben").await);
    let mut seen = ana.created(&covered(1)).await;
    let large = png_that_claims(6_000, 6_000);
    for _ in 0..3 {
        put(&ana, &seen, "image/png", large.clone()).await.expect_error(422, "imageRejected");
    }
    assert_limited(&put(&ana, &seen, "image/png", large.clone()).await, "120 megapixels");
    for _ in 0..12 {
        seen = uploaded(&ana, &seen, &png(&picture())).await;
    }
    assert_limited(&put(&ana, &seen, "image/png", png(&picture())).await, "120 megapixels");
    let of_ben = ben.created(&covered(1)).await;
    put(&ben, &of_ben, "image/png", large.clone()).await.expect_error(422, "imageRejected");
    world.clock.advance(TimeDelta::seconds(60));
    uploaded(&ana, &seen, &png(&picture())).await;
}

#[api_test(sqlite, limits = false)]
async fn without_limits_megapixels_are_not_limited(world: World) {
    let app = App::of(&world, "ana").await;
    let seen = app.created(&covered(1)).await;
    for _ in 0..4 {
        put(&app, &seen, "image/png", png_that_claims(6_000, 6_000)).await.expect_error(422, "imageRejected");
    }
}

#[api_test(sqlite)]
async fn an_account_has_sixteen_uploads_at_once(world: World) {
    let app = App::of(&world, "ana").await;
    let seen = app.created(&covered(1)).await;
    let account = world.service().store.account_by_username("ana").await.expect("a database").expect("a known name");
    let running: Vec<_> = (0..16).map(|_| world.service().uploads.acquire(account.id).expect("room")).collect();
    put(&app, &seen, "image/png", png(&picture())).await.expect_error(429, "rateLimited");
    drop(running);
    uploaded(&app, &seen, &png(&picture())).await;
}

// A cover that has been drawn is served all the same.
#[api_test]
async fn first_reads_count_for_the_address(world: World) {
    let app = App::of(&world, "ana").await;
    let (first, second) = (app.created(&on_day(1)).await, app.created(&on_day(2)).await);
    let drawn = image_at(&world, cover(&first)).await;
    let (limits, now) = (&world.service().limits, world.service().clock.now());
    let here = Bucket::DrawnCover(IpAddr::V4(Ipv4Addr::LOCALHOST));
    let rest = vec![here; 119];
    assert!(limits.take(&rest, now).await.allowed, "one was drawn so far");
    let files = stored_files(&world);
    assert_limited(&get(&world, cover(&second)).await, "120 covers");
    assert_eq!(stored_files(&world), files);
    assert_eq!(image_at(&world, cover(&first)).await, drawn);
    world.clock.advance(TimeDelta::seconds(60));
    image_at(&world, cover(&second)).await;
}
