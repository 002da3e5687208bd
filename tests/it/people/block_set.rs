//! Blocks: what a blocked traveller cannot do and does not see, and the account's page of blocks.

use itinerary_sdk::types::MemberRole::{Editor, Viewer};
use itinerary_tests::browser::Browser;
use itinerary_tests::world::PASSWORD;
use itinerary_tests::{Database, RawResponse, World, api_test};
use reqwest::Method;
use serde_json::json;

use super::{NO_IDS, NOTHING, Person, account_path, accounts, path, refused, walked};

/// The error without what differs between requests.
fn told(response: &RawResponse) -> (u16, String) {
    (response.status.as_u16(), response.text().replace(response.header("x-request-id"), "its id"))
}

#[api_test(limits = false)]
async fn block_removes_everything_two_travellers_share(world: World) {
    let (ana, ben) = (Person::of(&world, "ana").await, Person::of(&world, "ben").await);
    let (hers, his) = (ana.shows(1, "followers").await, ben.shows(2, "private").await);
    let invited = ana.shows(3, "private").await;
    ana.share(&invited, ben.id, Viewer).await.expect("a traveller");
    ana.shares(&hers, &ben, Editor).await;
    ben.shares(&his, &ana, Viewer).await;
    ana.follow(ben.id).await.expect("he is there");
    ben.follow(ana.id).await.expect("she is there");

    ben.block(ana.id).await.expect("she is there");
    ben.block(ana.id).await.expect("idempotent");
    for (person, own, other) in [(&ana, &hers, &his), (&ben, &his, &hers)] {
        person.app.view(&other.id).await.expect_error(404, "notFound");
        assert!(person.app.listed("filter=shared").await.is_empty());
        assert!(person.members(own).await.is_empty());
        assert_eq!(person.counts(person.id).await, (0, 0, false));
    }
    assert!(ben.got("/v1/invitations").await["data"].as_array().expect("a page").is_empty());
    // The blocker is told why a new follow or invitation is rejected, the blocked account is not.
    refused(ben.follow(ana.id).await, 409, "conflict");
    refused(ben.share(&his, ana.id, Viewer).await, 409, "conflict");
    refused(ana.follow(ben.id).await, 404, "notFound");
    refused(ana.share(&hers, ben.id, Viewer).await, 404, "notFound");
    // Unblocking restores nothing, and allows it again.
    for _ in 0..2 {
        let cleared = ben.app.call(Method::DELETE, &account_path(ana.id, "/block")).send().await;
        assert_eq!((cleared.status.as_u16(), cleared.text().as_str()), (204, ""));
    }
    assert!(ana.members(&hers).await.is_empty());
    ana.follow(ben.id).await.expect("he is there");
    ana.shares(&hers, &ben, Viewer).await;
}

// Like an account that does not exist, in every operation that names it.
#[api_test(limits = false)]
async fn blocked_account_gets_not_found_for_the_profile(world: World) {
    let (ana, ben, cleo) =
        (Person::of(&world, "ana").await, Person::of(&world, "ben").await, Person::of(&world, "cleo").await);
    let public = ben.shows(1, "public").await;
    let hers = ana.shows(2, "private").await;
    cleo.follow(ben.id).await.expect("he is there");
    ben.block(ana.id).await.expect("she is there");
    let operations = |account: &str| {
        [
            (Method::GET, String::new()),
            (Method::GET, "/itineraries".to_owned()),
            (Method::GET, "/itineraries?filter=liked".to_owned()),
            (Method::GET, "/followers".to_owned()),
            (Method::GET, "/following".to_owned()),
            (Method::PUT, "/follow".to_owned()),
            (Method::DELETE, "/follow".to_owned()),
        ]
        .map(|(method, rest)| (method, format!("/v1/accounts/{account}{rest}")))
        .into_iter()
        .chain([
            (Method::DELETE, format!("/v1/account/followers/{account}")),
            (Method::PUT, format!("{}/members/{account}", path(&hers.id))),
            (Method::DELETE, format!("{}/members/{account}", path(&hers.id))),
        ])
        .collect::<Vec<_>>()
    };
    let ask = async |method: &Method, path: &str| {
        let call = ana.app.call(method.clone(), path);
        let call = if path.contains("/members/") && *method == Method::PUT {
            call.json(&json!({ "role": "viewer" }))
        } else {
            call
        };
        call.send().await
    };
    for ((method, blocked), (_, nobody)) in
        operations(&ben.id.to_string()).iter().zip(&operations(&NOTHING.to_string()))
    {
        let (refused, nowhere) = (ask(method, blocked).await, ask(method, nobody).await);
        assert_eq!(told(&refused), told(&nowhere), "{method} {blocked}");
        assert!(!refused.status.is_success(), "{method} {blocked}");
    }
    let find = async |name: &str| ana.get(&format!("/v1/accounts?username={name}")).await;
    assert_eq!(told(&find("ben").await), told(&find("nobody").await));
    assert!(!accounts(&walked(&ana, &account_path(cleo.id, "/following"), 5).await).contains(&ben.id));
    // What is public stays readable; others find him, and he finds her.
    assert_eq!(ana.app.viewed(&public.id).await.json["author"]["username"], "ben");
    assert_eq!(cleo.counts(ben.id).await.0, 1);
    assert_eq!(ben.counts(ana.id).await, (0, 0, false));
    // She may block him, too.
    ana.block(ben.id).await.expect("he is there");
    ben.get(&account_path(ana.id, "")).await.expect_error(404, "notFound");
}

#[api_test(limits = false)]
async fn blocked_travellers_are_listed_newest_first(world: World) {
    let ana = Person::of(&world, "ana").await;
    let others = super::crowd(&world, "other", 5).await;
    assert_eq!(ana.got("/v1/account/blocks").await, json!({ "data": [], "nextCursor": null }));
    for other in &others {
        ana.block(other.id).await.expect("there");
        world.clock.advance(chrono::TimeDelta::seconds(1));
    }
    let listed = accounts(&walked(&ana, "/v1/account/blocks", 2).await);
    assert_eq!(listed, others.iter().rev().map(|other| other.id).collect::<Vec<_>>());
    assert_eq!(refused(ana.block(ana.id).await, 422, "validationFailed").as_deref(), Some("accountId"));
    for method in [Method::PUT, Method::DELETE] {
        ana.app.call(method.clone(), &account_path(NOTHING, "/block")).send().await.expect_error(404, "notFound");
        for bad in NO_IDS {
            let response = ana.app.call(method.clone(), &format!("/v1/accounts/{bad}/block")).send().await;
            response.expect_invalid("accountId");
        }
    }
    assert!(walked(&others[0], "/v1/account/blocks", 2).await.is_empty(), "nobody sees others' blocks");
}

#[api_test]
async fn travellers_are_blocked_and_unblocked_on_a_page(database: Database) {
    const PAGE: &str = "/account/blocks";
    let Some(world) = World::start(database).await else { return };
    let (ana, ben) = (Person::of(&world, "ana").await, Person::of(&world, "ben").await);
    let browser = Browser::new(&world);
    browser.sign_in("ana", PASSWORD).await;
    let page = browser.visit(PAGE).await;
    page.assert_says("You have blocked nobody.");
    let form = page.form(PAGE);
    browser.submit(&form, &[("username", "nobody-here")]).await.assert_says("No traveller has this username.");
    browser.submit(&form, &[("username", "ana")]).await.assert_says("You cannot block yourself.");
    let blocked = browser.submit(&form, &[("username", " BEN ")]).await;
    blocked.assert_says("The traveller is blocked.");
    assert_eq!(accounts(&walked(&ana, "/v1/account/blocks", 5).await), [ben.id]);
    let unblock = blocked.forms(PAGE).into_iter().find(|form| form.get("account") == ben.id.to_string());
    let page = browser.submit(&unblock.expect("a form for each"), &[]).await;
    page.assert_says("The traveller is not blocked any more.");
    assert!(walked(&ana, "/v1/account/blocks", 5).await.is_empty());
}
