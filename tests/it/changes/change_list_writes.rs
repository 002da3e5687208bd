//! Every write that must be in somebody's list of changes is there, and no other.

use itinerary_server::jobs;
use itinerary_tests::app::{path, published};
use itinerary_tests::bodies::on_day;
use itinerary_tests::browser::Browser;
use itinerary_tests::world::PASSWORD;
use itinerary_tests::{World, api_test};
use reqwest::Method;
use serde_json::json;

use super::{Follower, change};

#[api_test]
async fn sharing_and_its_end_are_changes_of_the_member(world: World) {
    let (mut ana, mut ben) = (Follower::of(&world, "ana").await, Follower::of(&world, "ben").await);
    let at = ana.app.created(&on_day(1)).await;
    ana.types().await;
    let invitation = format!("/v1/invitations/{}", at.id);

    ana.shares(&at.id, &ben, "viewer").await;
    assert!(ben.types().await.is_empty(), "an invitation is no membership");
    ben.does(Method::PUT, &invitation, json!({})).await;
    let latest = change("updated", &at.id);
    // The latest version may be from before.
    let joined = ben.types().await;
    assert!(joined.ends_with(&[change("shared", &at.id)]), "{joined:?}");
    ben.does(Method::PUT, &invitation, json!({})).await;
    assert!(ben.types().await.is_empty(), "it was accepted before");
    ana.shares(&at.id, &ben, "editor").await;
    assert_eq!(ben.types().await, std::slice::from_ref(&latest), "another role, another representation");

    ana.does(Method::DELETE, &format!("{}/members/{}", path(&at.id), ben.id), json!({})).await;
    assert_eq!(ben.types().await, [change("unshared", &at.id)], "removed");
    ben.follows(&ana).await;
    ana.shares(&at.id, &ben, "viewer").await;
    ben.types().await;
    ben.does(Method::DELETE, &format!("{}/members/{}", path(&at.id), ben.id), json!({})).await;
    assert_eq!(ben.types().await, [change("unshared", &at.id)], "left");
    assert!(ana.types().await.is_empty(), "the members are no part of the owner's itinerary");
}

#[api_test]
async fn a_block_ends_shared_itineraries_both_ways(world: World) {
    let (mut ana, mut ben) = (Follower::of(&world, "ana").await, Follower::of(&world, "ben").await);
    ana.follows(&ben).await;
    ben.follows(&ana).await;
    let (hers, his) = (ana.app.created(&on_day(1)).await, ben.app.created(&on_day(2)).await);
    ana.shares(&hers.id, &ben, "viewer").await;
    ben.shares(&his.id, &ana, "editor").await;
    ana.types().await;
    ben.types().await;
    ana.does(Method::PUT, &format!("/v1/accounts/{}/block", ben.id), json!({})).await;
    assert_eq!(ana.types().await, [change("unshared", &his.id)]);
    assert_eq!(ben.types().await, [change("unshared", &hers.id)]);
}

#[api_test]
async fn a_deletion_is_a_change_of_owner_and_members(world: World) {
    let (mut ana, mut ben) = (Follower::of(&world, "ana").await, Follower::of(&world, "ben").await);
    let mut cleo = Follower::of(&world, "cleo").await;
    ben.follows(&ana).await;
    let at = published(&ana.app, &on_day(1)).await;
    ana.shares(&at.id, &ben, "viewer").await;
    ana.shares(&at.id, &cleo, "viewer").await;
    ana.types().await;
    ben.types().await;
    assert_eq!(ana.app.delete(&at).await.status, 204);
    for reader in [&mut ana, &mut ben] {
        assert_eq!(reader.types().await, [change("deleted", &at.id)]);
    }
    assert!(cleo.types().await.is_empty(), "the invitation was not accepted");
}

#[api_test]
async fn the_deletion_of_an_account_deletes_its_itineraries_for_members(world: World) {
    let (ana, mut ben) = (Follower::of(&world, "ana").await, Follower::of(&world, "ben").await);
    ben.follows(&ana).await;
    let at = ana.app.created(&on_day(1)).await;
    ana.shares(&at.id, &ben, "viewer").await;
    ben.types().await;
    let browser = Browser::new(&world);
    browser.sign_in("ana", PASSWORD).await;
    let form = browser.visit("/account/delete").await.form("/account/delete");
    browser.submit(&form, &[("password", PASSWORD)]).await;
    let job = jobs::find("erase-accounts").expect("a job");
    jobs::run(world.service(), job, jobs::When::Now).await.expect("a database");
    assert_eq!(ben.types().await, [change("deleted", &at.id)]);
}

#[api_test]
async fn copies_are_changes_and_marks_are_none(world: World) {
    let (mut ana, mut ben) = (Follower::of(&world, "ana").await, Follower::of(&world, "ben").await);
    let at = published(&ana.app, &on_day(1)).await;
    assert_eq!(ana.types().await, [change("updated", &at.id)]);
    ben.does(Method::PUT, &format!("{}/like", path(&at.id)), json!({})).await;
    let copy = ben.app.call(Method::POST, &format!("{}/saves", path(&at.id))).send().await;
    let copy = itinerary_tests::app::Stored::of(&copy);
    assert_eq!(ben.types().await, [change("updated", &copy.id)]);
    ben.app.call(Method::POST, &format!("{}/saves", path(&at.id))).send().await;
    assert!(ben.types().await.is_empty(), "it had the copy");
    assert!(ana.types().await.is_empty(), "likes and copies change nothing of hers");
}
