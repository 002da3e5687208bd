//! The caller's account: which fields can be changed, and where the change shows.

use chrono::TimeDelta;
use futures::future::join_all;
use itinerary_sdk::Nullable;
use itinerary_sdk::types::MemberRole::Viewer;
use itinerary_sdk::types::{AccountPatch, CoordinatePatch, PlacePatch};
use itinerary_tests::app::{App, ids};
use itinerary_tests::bodies::{on_day, with};
use itinerary_tests::raw::Call;
use itinerary_tests::{RawResponse, World, api_test};
use reqwest::Method;
use serde_json::{Value, json};

use super::{Person, account_path, path};

fn patch_call(person: &Person<'_>, body: &Value) -> Call {
    person.app.call(Method::PATCH, "/v1/account").json(body)
}

/// A change, which must succeed: later reads return the response.
async fn patched(person: &Person<'_>, body: &Value) -> Value {
    let response = patch_call(person, body).send().await;
    assert_eq!(response.status, 200, "{body}: {}", response.text());
    assert_eq!(response.json(), person.got("/v1/account").await, "{body}");
    response.json()
}

/// The expected account on the free plan, with further fields.
fn account(person: &Person<'_>, more: Value) -> Value {
    let account = json!({
        "accountId": person.id, "username": "ana", "displayName": "ana", "isPro": false, "plan": "free",
        "scopes": ["itineraries:read", "itineraries:write"], "createdAt": "2027-01-10T12:00:00.000Z",
    });
    with(account, more)
}

#[api_test]
async fn a_change_is_merged_into_the_account(world: World) {
    let ana = Person::of(&world, "ana").await;
    assert_eq!(patched(&ana, &json!({})).await, account(&ana, json!({})));
    let home = json!({ "name": "Porto", "address": "Rua 1", "countryCode": "PT", "code": "OPO",
        "placeId": "p/1", "timeZone": "Europe/Lisbon", "coordinate": { "latitude": 41.1, "longitude": -8.6 } });
    let everything = json!({ "displayName": "Ana S.", "imageUrl": "https://images.example/a.png", "homePlace": home });
    assert_eq!(patched(&ana, &everything).await, account(&ana, everything.clone()));
    // Absent fields stay, and objects are merged.
    let named = with(everything.clone(), json!({ "displayName": "Ana Sofia" }));
    assert_eq!(patched(&ana, &json!({ "displayName": "  Ana Sofia \t" })).await, account(&ana, named.clone()));
    let merge = json!({ "homePlace": { "address": null, "name": "Gaia", "coordinate": { "latitude": 41.2 } } });
    let mut moved = named.clone();
    moved["homePlace"]["name"] = "Gaia".into();
    moved["homePlace"]["coordinate"]["latitude"] = 41.2.into();
    moved["homePlace"].as_object_mut().expect("a place").remove("address");
    assert_eq!(patched(&ana, &merge).await, account(&ana, moved.clone()));
    // What was read can be sent back.
    let read = ana.got("/v1/account").await;
    assert_eq!(patched(&ana, &read).await, read);
    let cleared = json!({ "imageUrl": null, "homePlace": null });
    assert_eq!(patched(&ana, &cleared).await, account(&ana, json!({ "displayName": "Ana Sofia" })));
    assert_eq!(patched(&ana, &cleared).await, account(&ana, json!({ "displayName": "Ana Sofia" })));
}

#[api_test]
async fn the_sdk_changes_the_account(world: World) {
    let ana = Person::of(&world, "ana").await;
    let change = |patch: AccountPatch| async { ana.sdk.account_self_update(patch).send().await.expect("a good patch") };
    let coordinate = CoordinatePatch { latitude: Some(41.1), longitude: Some(-8.6) };
    let home = PlacePatch {
        name: Some("Porto".to_owned().into()),
        coordinate: Some(coordinate.into()),
        ..PlacePatch::default()
    };
    let account = change(AccountPatch {
        display_name: Some("Ana S.".to_owned()),
        image_url: Some("https://images.example/a.png".to_owned().into()),
        home_place: Some(home.into()),
    })
    .await;
    assert_eq!((account.account_id, &*account.display_name), (ana.id, "Ana S."));
    assert_eq!(account.image_url.as_deref(), Some("https://images.example/a.png"));
    assert_eq!(account.home_place.expect("it was sent").name.as_deref(), Some("Porto"));
    let account = change(AccountPatch {
        image_url: Some(Nullable::Null),
        home_place: Some(Nullable::Null),
        ..AccountPatch::default()
    })
    .await;
    assert_eq!((account.image_url, account.home_place, &*account.display_name), (None, None, "Ana S."));
}

// Both media types are accepted, as for itineraries.
#[api_test]
async fn a_patch_of_the_account_is_of_either_type(world: World) {
    let ana = Person::of(&world, "ana").await;
    let send = |kind: &'static str| {
        let body = format!("{{\"displayName\":\"{kind}\"}}");
        ana.app.call(Method::PATCH, "/v1/account").body(kind, body).send()
    };
    for kind in ["application/json", "application/json; charset=utf-8", "application/merge-patch+json"] {
        let response = send(kind).await;
        assert_eq!(response.status, 200, "{kind}: {}", response.text());
        assert_eq!(response.json()["displayName"], kind);
    }
    for kind in ["text/plain", "application/json-patch+json", "application/x-www-form-urlencoded"] {
        send(kind).await.expect_error(415, "unsupportedMediaType");
    }
    assert_eq!(ana.got("/v1/account").await["displayName"], "application/merge-patch+json");
}

#[api_test]
async fn read_only_fields_are_ignored_and_unknown_fields_rejected(world: World) {
    let (ana, ben) = (Person::of(&world, "ana").await, Person::of(&world, "ben").await);
    let body = json!({
        "accountId": ben.id, "username": "queen", "isPro": true, "plan": "pro", "scopes": ["documents:write"],
        "createdAt": "1999-01-01T00:00:00Z", "displayName": "Ana S.",
    });
    assert_eq!(patched(&ana, &body).await, account(&ana, json!({ "displayName": "Ana S." })));
    let wrong = json!({ "accountId": 1, "username": null, "isPro": "yes", "plan": [], "scopes": {}, "createdAt": 0 });
    assert_eq!(patched(&ana, &wrong).await, account(&ana, json!({ "displayName": "Ana S." })));
    assert_eq!(ben.got("/v1/account").await["displayName"], "ben");
    // Fields that an account does not have, or that cannot be changed.
    for (body, field) in [
        (json!({ "password": "correct horse" }), "password"),
        (json!({ "email": "a@example.com" }), "email"),
        (json!({ "following": 7 }), "following"),
        (json!({ "homePlace": { "note": "x" } }), "homePlace.note"),
        (json!({ "homePlace": { "coordinate": { "height": 1 } } }), "homePlace.coordinate.height"),
    ] {
        patch_call(&ana, &body).send().await.expect_invalid(field);
    }
}

#[api_test(limits = false)]
async fn invalid_account_fields_are_rejected_and_change_nothing(world: World) {
    let ana = Person::of(&world, "ana").await;
    let start =
        json!({ "displayName": "Ana", "imageUrl": "http://images.example/a", "homePlace": { "name": "Porto" } });
    let before = patched(&ana, &start).await;
    let url = |rest: usize| format!("https://images.example/{}", "a".repeat(rest - 23));
    for (field, bad) in [
        (
            "displayName",
            vec![
                json!(""),
                json!("   "),
                json!("\t"),
                json!(null),
                json!(7),
                json!(["Ana"]),
                json!("\u{e9}".repeat(101)),
                json!("a\u{202e}b"),
                json!("a\u{200b}b"),
                json!("\u{2060}"),
                json!("a\u{0}b"),
                json!("a\nb"),
                json!("\u{ad}Ana"),
                json!("\u{1b}[31mAna"),
            ],
        ),
        (
            "imageUrl",
            vec![
                json!(""),
                json!("ftp://images.example/a"),
                json!("javascript:alert(1)"),
                json!("data:image/png;base64,AA"),
                json!("//images.example/a"),
                json!("images.example/a"),
                json!("https://"),
                json!("https:// x"),
                json!(7),
                json!({ "url": "https://images.example/a" }),
                json!(url(2001)),
            ],
        ),
        (
            "homePlace",
            vec![
                json!({ "name": null }),
                json!({ "name": null, "address": "Rua 1", "countryCode": "PT", "timeZone": "Europe/Lisbon" }),
                json!("Porto"),
                json!([]),
                json!(7),
            ],
        ),
        ("homePlace.name", vec![json!({ "name": "" }), json!({ "name": "n".repeat(201) })]),
        ("homePlace.countryCode", vec![json!({ "countryCode": "ZZ" })]),
        ("homePlace.timeZone", vec![json!({ "timeZone": "Mars/Olympus" })]),
        ("homePlace.coordinate.latitude", vec![json!({ "coordinate": { "latitude": 91, "longitude": 0 } })]),
        ("homePlace.coordinate.longitude", vec![json!({ "coordinate": { "latitude": 1 } })]),
    ] {
        let name = field.split('.').next().expect("a field");
        for bad in bad {
            let response = patch_call(&ana, &json!({ name: bad })).send().await;
            assert_eq!(response.status, 422, "{name}: {bad}: {}", response.text());
            response.expect_invalid(field);
            // If one field is invalid, the valid ones are not changed either.
            let mut both = json!({ "displayName": "Zoe", "imageUrl": null, "homePlace": null });
            both[name] = bad;
            let response = patch_call(&ana, &both).send().await;
            assert_eq!(response.status, 422, "{both}");
        }
    }
    for body in [json!([]), json!("Ana"), json!(null)] {
        patch_call(&ana, &body).send().await.expect_error(422, "validationFailed");
    }
    for body in ["", "{", "{\"displayName\":\"a\",\"displayName\":\"b\"}"] {
        let response = ana.app.call(Method::PATCH, "/v1/account").body("application/json", body).send().await;
        response.expect_error(422, "validationFailed");
    }
    let large = patch_call(&ana, &json!({ "displayName": "a".repeat(520 * 1024) })).send().await;
    large.expect_error(413, "payloadTooLarge");
    assert_eq!(ana.got("/v1/account").await, before, "none of it changed anything");
    // Values just within the limits are accepted.
    for good in [
        json!({ "displayName": "\u{e9}".repeat(100) }),
        json!({ "displayName": "\u{5f20}" }),
        json!({ "imageUrl": url(2000) }),
        json!({ "homePlace": { "name": "n".repeat(200) } }),
        json!({ "homePlace": { "name": null, "placeId": "p" } }),
        json!({ "homePlace": { "placeId": null, "code": "OPO" } }),
    ] {
        patched(&ana, &good).await;
    }
}

#[api_test]
async fn changing_the_account_needs_the_scope_for_writing(world: World) {
    let ana = Person::of(&world, "ana").await;
    let reads = App::with_scope(&world, "ana", "itineraries:read").await;
    let body = json!({ "displayName": "Zoe" });
    let response = reads.call(Method::PATCH, "/v1/account").json(&body).send().await;
    assert_eq!(response.expect_error(403, "forbidden"), json!({ "required": "itineraries:write" }));
    world.call(Method::PATCH, "/v1/account").json(&body).send().await.expect_error(401, "unauthenticated");
    assert_eq!(ana.got("/v1/account").await["displayName"], "ana");
    let writes = App::with_scope(&world, "ana", "itineraries:write").await;
    let response = writes.call(Method::PATCH, "/v1/account").json(&body).send().await;
    assert_eq!((response.status.as_u16(), &response.json()["scopes"]), (200, &json!(["itineraries:write"])));
    assert_eq!(ana.got("/v1/account").await["displayName"], "Zoe");
}

#[api_test]
async fn journeys_start_at_the_home_place(world: World) {
    let ana = Person::of(&world, "ana").await;
    // The latest one is determined by its instant.
    let created = async |body: &Value| {
        world.clock.advance(TimeDelta::seconds(1));
        ana.app.created(body).await
    };
    let first = created(&on_day(1)).await;
    assert_eq!(first.json.get("origin"), None);
    let home = json!({ "name": "Porto", "countryCode": "PT", "coordinate": { "latitude": 41.1, "longitude": -8.6 } });
    patched(&ana, &json!({ "homePlace": home })).await;
    let next = created(&on_day(2)).await;
    assert_eq!(next.json["origin"], home);
    patched(&ana, &json!({ "homePlace": { "name": "Gaia" } })).await;
    let next = created(&on_day(3)).await;
    assert_eq!(next.json["origin"], with(home.clone(), json!({ "name": "Gaia" })));
    // An origin that is sent counts. The home place does not change existing itineraries.
    let own = created(&with(on_day(4), json!({ "origin": { "name": "Faro" } }))).await;
    assert_eq!(own.json["origin"], json!({ "name": "Faro" }));
    assert_eq!(ana.app.viewed(&first.id).await.json.get("origin"), None);
    // Without one it is the latest itinerary's again.
    patched(&ana, &json!({ "homePlace": null })).await;
    assert_eq!(created(&on_day(5)).await.json["origin"], json!({ "name": "Faro" }));
}

// A new name and picture show everywhere, without changing any itinerary.
#[api_test(limits = false)]
async fn the_author_is_told_as_they_are_now(world: World) {
    let (ana, ben) = (Person::of(&world, "ana").await, Person::of(&world, "ben").await);
    let at = ana.shows(1, "public").await;
    ana.shares(&at, &ben, Viewer).await;
    ben.follow(ana.id).await.expect("she is there");
    ana.follow(ben.id).await.expect("he is there");
    let other = ben.shows(1, "private").await;
    ben.shares(&other, &ana, Viewer).await;
    let read = ben.app.viewed(&at.id).await;
    for change in [
        json!({
            "displayName": "Ana S.", "imageUrl": "https://images.example/a.png", "homePlace": { "name": "Porto" },
        }),
        json!({ "imageUrl": null }),
    ] {
        patched(&ana, &change).await;
        let mut author = json!({ "accountId": ana.id, "username": "ana", "displayName": "Ana S." });
        if let Some(url) = change["imageUrl"].as_str() {
            author["imageUrl"] = url.into();
        }
        let now = ben.app.viewed(&at.id).await;
        assert_eq!(now.json["author"], with(author.clone(), json!({ "isPro": false })));
        assert_eq!((&now.etag, &now.json["updatedAt"]), (&read.etag, &read.json["updatedAt"]), "no change of it");
        for list in ["/v1/itineraries?filter=shared", "/v1/explore", &account_path(ana.id, "/itineraries")] {
            let page = ben.got(list).await;
            assert_eq!(ids(&page), [at.id.as_str()], "{list}");
            assert_eq!((&page["data"][0]["author"], &page["data"][0]["etag"]), (&author, &json!(read.etag)), "{list}");
        }
        let member = &ben.got(&format!("{}/members", path(&other.id))).await["data"][0];
        let profiles = [
            ben.got(&account_path(ana.id, "")).await,
            ben.got("/v1/accounts?username=ana").await,
            ben.got(&account_path(ben.id, "/followers")).await["data"][0].clone(),
            ben.got(&account_path(ben.id, "/following")).await["data"][0].clone(),
        ];
        for shown in profiles.iter().chain([member]) {
            for field in ["accountId", "username", "displayName", "imageUrl"] {
                assert_eq!(shown.get(field), author.get(field), "{shown}");
            }
            assert_eq!(shown.get("homePlace"), None, "where she lives is her own");
        }
    }
    for stored in [&at, &other] {
        let text = ben.app.view(&stored.id).await.text();
        assert!(!text.contains("Porto"), "{text}");
    }
}

#[api_test(limits = false)]
async fn concurrent_account_patches_do_not_revert_other_fields(world: World) {
    let ana = Person::of(&world, "ana").await;
    patched(&ana, &json!({ "homePlace": { "name": "start" } })).await;
    let fields = ["displayName", "imageUrl", "name", "address", "placeId"];
    let value = |field: &str, n: usize| match field {
        "imageUrl" => format!("https://images.example/{n}"),
        _ => format!("{field} {n}"),
    };
    let bodies: Vec<_> = (0..50)
        .map(|n| {
            let field = fields[n % fields.len()];
            let value = value(field, n);
            if n % fields.len() < 2 { json!({ field: value }) } else { json!({ "homePlace": { field: value } }) }
        })
        .collect();
    let responses: Vec<RawResponse> = join_all(bodies.iter().map(|body| patch_call(&ana, body).send())).await;
    let refused: Vec<_> = responses.iter().filter(|response| response.status != 200).map(RawResponse::text).collect();
    assert!(refused.is_empty(), "{} of 50 were not carried out: {:?}", refused.len(), refused[0]);
    for (response, body) in responses.iter().zip(&bodies) {
        itinerary_tests::bodies::assert_holds(&response.json(), body);
    }
    let read = ana.got("/v1/account").await;
    for (f, field) in fields.into_iter().enumerate() {
        let told = if f < 2 { &read[field] } else { &read["homePlace"][field] };
        assert!((0..50).any(|n| n % fields.len() == f && *told == value(field, n)), "{field} was lost: {read}");
    }
}

// Concurrent changes of different fields are all kept, every time.
#[api_test(limits = false)]
async fn changes_of_different_fields_meet(world: World) {
    let ana = Person::of(&world, "ana").await;
    patched(&ana, &json!({ "homePlace": { "code": "OPO" } })).await;
    for round in 0..10 {
        let bodies = [
            json!({ "displayName": format!("Ana {round}") }),
            json!({ "imageUrl": format!("https://images.example/{round}") }),
            json!({ "homePlace": { "name": format!("Home {round}") } }),
            json!({ "homePlace": { "address": format!("Rua {round}") } }),
            json!({ "homePlace": { "placeId": format!("p/{round}") } }),
        ];
        let responses = join_all(bodies.iter().map(|body| patch_call(&ana, body).send())).await;
        assert!(responses.iter().all(|response| response.status == 200), "{round}");
        let read = ana.got("/v1/account").await;
        for body in &bodies {
            itinerary_tests::bodies::assert_holds(&read, body);
        }
        assert_eq!(read["homePlace"]["code"], "OPO");
    }
}
