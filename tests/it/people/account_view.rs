//! Profiles: travellers as others see them, by id and by username.

use itinerary_sdk::{ErrorExt, code};
use itinerary_tests::app::App;
use itinerary_tests::{World, api_test};
use reqwest::Method;
use serde_json::json;

use super::{NO_IDS, NOTHING, Person, account_path, refused, uuid};

#[api_test]
async fn a_profile_tells_what_everyone_may_know(world: World) {
    let (ana, ben) = (Person::pro(&world, "ana").await, Person::of(&world, "ben").await);
    let home = json!({
        "imageUrl": "https://images.example/a.png", "homePlace": { "name": "Porto" }, "displayName": "Ana S.",
    });
    assert_eq!(ana.app.call(Method::PATCH, "/v1/account").json(&home).send().await.status, 200);
    ben.follow(ana.id).await.expect("she is there");
    let mut profile = json!({
        "accountId": ana.id, "username": "ana", "displayName": "Ana S.", "isPro": true,
        "imageUrl": "https://images.example/a.png", "followersCount": 1, "followingCount": 0, "following": true,
    });
    let response = ben.get(&account_path(ana.id, "")).await;
    assert_eq!((response.status.as_u16(), response.json()), (200, profile.clone()));
    assert_eq!((response.header("cache-control"), response.header("etag")), ("private, no-cache", ""));
    assert_eq!(ben.got("/v1/accounts?username=ana").await, profile);
    // She sees her own profile like others; she does not follow herself.
    profile["following"] = false.into();
    assert_eq!(ana.got(&account_path(ana.id, "")).await, profile);
    let other = json!({
        "accountId": ben.id, "username": "ben", "displayName": "ben", "isPro": false, "followersCount": 0,
        "followingCount": 1, "following": false,
    });
    assert_eq!(ana.got(&account_path(ben.id, "")).await, other);
    let found = ana.sdk.account_find("ben").send().await.expect("he is there");
    assert_eq!((found.account_id, found.following_count, found.image_url), (ben.id, 1, None));
    world.set_plan("ana", itinerary_model::Plan::Free).await;
    assert_eq!(ben.got(&account_path(ana.id, "")).await["isPro"], false);
}

#[api_test]
async fn a_username_is_found_whole_and_in_any_case(world: World) {
    let ana = Person::of(&world, "ana.silva-7").await;
    let ben = Person::of(&world, "ben").await;
    world.account("kim").await;
    for name in ["ana.silva-7", "ANA.Silva-7", "%20ana.silva-7%20", "+Ana.Silva-7", "ana%2Esilva-7%09"] {
        let found = ben.got(&format!("/v1/accounts?username={name}")).await;
        assert_eq!(found["accountId"], ana.id.to_string(), "{name}");
    }
    for nobody in [
        "ana",
        "ana.silva",
        "ana.silva-77",
        "ana%",
        "%25",
        "ana.silva_7",
        "ana%00silva-7",
        "",
        "%20",
        "a".repeat(400).as_str(),
        "%C3%A1na.silva-7",
        "%E2%84%AAim",
        "ana.silva-7'--",
        "ana%20.silva-7",
    ] {
        let response = ben.get(&format!("/v1/accounts?username={nobody}")).await;
        assert!(response.expect_error(404, "notFound").is_null(), "{nobody}");
    }
    for bad in ["", "?", "?name=ana", "?Username=ana", "?username=ben&username=ana.silva-7"] {
        ben.get(&format!("/v1/accounts{bad}")).await.expect_invalid("username");
    }
    assert_eq!(ben.got("/v1/accounts?username=ana.silva-7&more=1").await["accountId"], ana.id.to_string());
}

#[api_test]
async fn profile_of_an_unknown_account_is_not_found(world: World) {
    let ben = Person::of(&world, "ben").await;
    let error = ben.sdk.account_view(NOTHING).send().await.expect_err("nobody has it");
    assert!(error.is(code::NOT_FOUND), "{error}");
    for rest in ["", "/itineraries", "/followers", "/following"] {
        let response = ben.get(&account_path(NOTHING, rest)).await;
        assert!(response.expect_error(404, "notFound").is_null(), "{rest}");
        for bad in NO_IDS {
            ben.get(&format!("/v1/accounts/{bad}{rest}")).await.expect_invalid("accountId");
        }
    }
    // An itinerary's id is not an account's.
    let at = ben.shows(1, "public").await;
    refused(ben.sdk.account_view(uuid(&at.id)).send().await, 404, "notFound");
}

#[api_test]
async fn people_are_read_with_a_token_for_reading(world: World) {
    let ana = Person::of(&world, "ana").await;
    world.account("ben").await;
    let writes = App::with_scope(&world, "ben", "itineraries:write documents:read documents:write").await;
    for rest in ["/{id}", "?username=ana", "/{id}/itineraries", "/{id}/followers", "/{id}/following"] {
        let path = format!("/v1/accounts{}", rest.replace("{id}", &ana.id.to_string()));
        let refused = writes.call(Method::GET, &path).send().await;
        assert_eq!(refused.expect_error(403, "forbidden"), json!({ "required": "itineraries:read" }), "{rest}");
        world.call(Method::GET, &path).send().await.expect_error(401, "unauthenticated");
    }
    let reads = App::with_scope(&world, "ben", "itineraries:read").await;
    let follow = account_path(ana.id, "/follow");
    let remove = format!("/v1/account/followers/{}", ana.id);
    for (method, path) in [(Method::PUT, &follow), (Method::DELETE, &follow), (Method::DELETE, &remove)] {
        let refused = reads.call(method.clone(), path).send().await;
        assert_eq!(refused.expect_error(403, "forbidden"), json!({ "required": "itineraries:write" }), "{path}");
        world.call(method, path).send().await.expect_error(401, "unauthenticated");
    }
    assert_eq!(ana.counts(ana.id).await, (0, 0, false));
}
