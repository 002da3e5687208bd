//! Publishing and unpublishing take effect in Explore at once, with the itinerary's current words and regions, and with
//! nothing that is not public.

use chrono::TimeDelta;
use futures::future::join_all;
use itinerary_tests::app::{App, Stored, expect_replay, ids, key};
use itinerary_tests::bodies::{full, minimal, on_day, to, with};
use itinerary_tests::raw::Call;
use itinerary_tests::{World, api_test};
use serde_json::{Value, json};

use super::{account, changed, deleted, explore, follow, found, page, published, q, shown};

/// Whether somebody finds an itinerary in the feed, in search, among followed people, and in search among these.
async fn places(app: &App<'_>, id: &str, word: &str) -> [bool; 4] {
    let mut found = [false; 4];
    let word = q(word);
    let queries = [String::new(), word.clone(), "following=true".to_owned(), format!("filter=following&{word}")];
    for (found, query) in found.iter_mut().zip(queries) {
        *found = super::found(app, &query).await.iter().any(|entry| entry == id);
    }
    found
}

const NOWHERE: [bool; 4] = [false; 4];
const EVERYWHERE: [bool; 4] = [true; 4];
/// The result for someone who does not follow the owner.
const IN_PUBLIC: [bool; 4] = [true, true, false, false];
/// The result for someone who follows the owner.
const AMONG_FOLLOWED: [bool; 4] = [false, false, true, true];

#[api_test(limits = false)]
async fn visibility_change_takes_effect_in_explore_at_once(world: World) {
    let (ana, ben, cyn) = (App::of(&world, "ana").await, App::of(&world, "ben").await, App::of(&world, "cyn").await);
    follow(&ben, account(&world, "ana").await, true).await;
    let body = with(minimal(), json!({ "title": "Quiet harbours" }));
    let made = ana.created(&body).await;
    // Contains every step from each of the four to each other one.
    let walk = [
        "private",
        "public",
        "followers",
        "public",
        "unlisted",
        "followers",
        "unlisted",
        "public",
        "private",
        "followers",
        "private",
        "unlisted",
        "private",
    ];
    for visibility in walk {
        changed(&ana, &made.id, &json!({ "visibility": visibility })).await;
        let (own, follower, stranger) = match visibility {
            "public" => (IN_PUBLIC, EVERYWHERE, IN_PUBLIC),
            "followers" => (NOWHERE, AMONG_FOLLOWED, NOWHERE),
            _ => (NOWHERE, NOWHERE, NOWHERE),
        };
        assert_eq!(places(&ana, &made.id, "harbours").await, own, "{visibility}, to its owner");
        assert_eq!(places(&ben, &made.id, "harbours").await, follower, "{visibility}, to a follower");
        assert_eq!(places(&cyn, &made.id, "harbours").await, stranger, "{visibility}, to a stranger");
    }
    for visibility in ["public", "followers"] {
        let gone = shown(&ana, &body, visibility).await;
        assert_ne!(places(&ben, &gone.id, "harbours").await, NOWHERE);
        deleted(&ana, &gone.id).await;
        for app in [&ana, &ben, &cyn] {
            assert_eq!(places(app, &gone.id, "harbours").await, NOWHERE, "{visibility}, deleted");
        }
    }
}

// A rejected change leaves Explore unchanged.
#[api_test(limits = false)]
async fn rejected_change_leaves_explore_unchanged(world: World) {
    let app = App::of(&world, "ana").await;
    let made = app.created(&with(minimal(), json!({ "title": "Quiet harbours" }))).await;
    let publish = json!({ "visibility": "public", "title": "Loud harbours" });
    app.patch_call(&made.id, &publish)
        .header("If-Match", "\"v9.m\"")
        .send()
        .await
        .expect_error(409, "itineraryModified");
    app.patch_call(&made.id, &publish).send().await.expect_error(428, "preconditionRequired");
    let invalid = with(publish.clone(), json!({ "startDate": null }));
    app.patch(&made, &invalid).await.expect_invalid("startDate");
    assert_eq!(places(&app, &made.id, "harbours").await, NOWHERE);
    let editor = App::of(&world, "eva").await;
    world.member(&made.id, account(&world, "eva").await, "editor").await;
    editor.patch_call(&made.id, &publish).header("If-Match", "*").send().await.expect_error(403, "forbidden");
    assert_eq!(places(&app, &made.id, "harbours").await, NOWHERE);

    app.patched(&made, &publish).await;
    assert_eq!(places(&app, &made.id, "loud").await, IN_PUBLIC);
    // An editor's words are found like the owner's.
    changed(&editor, &made.id, &json!({ "title": "Still harbours" })).await;
    assert_eq!(places(&app, &made.id, "still").await, IN_PUBLIC);
    assert_eq!(found(&app, &q("loud")).await, [""; 0]);
}

#[api_test(limits = false)]
async fn changed_itinerary_is_found_only_by_its_new_words(world: World) {
    let app = App::of(&world, "ana").await;
    let body = with(
        to("Lisboa", 38.7223, -9.1393),
        json!({
            "title": "Aqueducts", "summary": "Bookshops", "tags": ["ceramics"],
            "days": [{ "id": "d", "stops": [{ "id": "s", "name": "Dovecote" }] }],
        }),
    );
    let made = published(&app, &body).await;
    let other = published(&app, &with(to("Faro", 37.0194, -7.9304), json!({ "title": "Estuary" }))).await;
    for (old, patch, new) in [
        ("aqueducts", json!({ "title": "Foundries" }), "foundries"),
        ("bookshops", json!({ "summary": "Glaciers" }), "glaciers"),
        ("ceramics", json!({ "tags": ["heathland"] }), "heathland"),
        ("dovecote", json!({ "days": [{ "id": "d", "stops": [{ "id": "s", "name": "Icehouse" }] }] }), "icehouse"),
        ("lisboa", json!({ "destination": to("Kyoto", 35.0116, 135.7681)["destination"] }), "kyoto"),
        ("glaciers", json!({ "summary": null }), "kyoto"),
    ] {
        assert_eq!(found(&app, &q(old)).await, [made.id.as_str()], "{old} before");
        changed(&app, &made.id, &patch).await;
        assert_eq!(found(&app, &q(old)).await, [""; 0], "{old} after");
        assert_eq!(found(&app, &q(new)).await, [made.id.as_str()], "{new}");
    }
    assert_eq!(found(&app, "q=estuary&regions=Portugal").await, [other.id.as_str()], "the other one is as it was");
}

#[api_test(limits = false)]
async fn a_change_of_country_moves_it_to_new_regions(world: World) {
    let app = App::of(&world, "ana").await;
    let made = published(&app, &with(to("Lisboa", 38.7223, -9.1393), json!({ "title": "Gardens" }))).await;
    let is_in = async |region: &str| {
        let feed = found(&app, &format!("regions={region}")).await == [made.id.as_str()];
        let search = found(&app, &format!("regions={region}&q=gardens")).await == [made.id.as_str()];
        assert_eq!(feed, search, "{region}");
        feed
    };
    assert_eq!((is_in("Portugal").await, is_in("Europe").await, is_in("Japan").await), (true, true, false));
    let destination = json!({ "name": "Kyoto", "coordinate": { "latitude": 35.0116, "longitude": 135.7681 },
        "countryCode": "JP", "timeZone": null });
    changed(&app, &made.id, &json!({ "destination": destination })).await;
    assert_eq!((is_in("Portugal").await, is_in("Europe").await, is_in("Japan").await), (false, false, true));
    assert!(is_in("Asia").await);
    changed(&app, &made.id, &json!({ "destination": { "countryCode": null } })).await;
    assert_eq!((is_in("Japan").await, is_in("Asia").await), (false, false));
    assert_eq!(found(&app, "").await, [made.id.as_str()], "in the whole world it still is");
}

// Flights, hotels, expenses, packing and the origin are not public: none of their words finds the itinerary.
#[api_test(limits = false)]
async fn nothing_is_found_by_what_is_not_for_everyone(world: World) {
    let app = App::pro(&world, "ana").await;
    let secrets = json!({
        "origin": { "name": "Homestead" },
        "flights": [
            { "flightNumber": "ZX1234", "seatNumber": "Windowseat", "departureAirport": { "name": "Airfield" } },
        ],
        "hotels": [{ "name": "Innkeeper", "roomNumber": "Attic", "place": { "name": "Courtyard" } }],
        "expenses": [{ "name": "Souvenirs", "cost": { "amount": 5 } }],
        "packing": [{ "name": "Umbrella" }],
    });
    let made = published(&app, &with(full(), secrets)).await;
    for secret in [
        "homestead",
        "zx1234",
        "windowseat",
        "airfield",
        "innkeeper",
        "attic",
        "courtyard",
        "souvenirs",
        "umbrella",
        "public",
        "150",
        "620",
        "owner",
        "ana",
    ] {
        assert_eq!(found(&app, &q(secret)).await, [""; 0], "{secret}");
    }
    for word in ["week", "levadas", "funchal", "portugal", "cafe", "lavradores", "formosa"] {
        assert_eq!(found(&app, &q(word)).await, [made.id.as_str()], "{word}");
    }
}

// The time of the first publication stays.
#[api_test(limits = false)]
async fn when_it_was_first_published_stays(world: World) {
    let app = App::of(&world, "ana").await;
    let made = app.created(&on_day(1)).await;
    let published_at = async || {
        let entry = app.list("").await.json()["data"][0].clone();
        entry.get("publishedAt").cloned().unwrap_or(Value::Null)
    };
    assert_eq!(published_at().await, Value::Null);
    world.clock.advance(TimeDelta::seconds(10));
    changed(&app, &made.id, &json!({ "visibility": "unlisted" })).await;
    assert_eq!(published_at().await, Value::Null, "who has the id is not everyone");
    for (visibility, first) in [("followers", 20), ("public", 20), ("private", 20), ("public", 20)] {
        world.clock.advance(TimeDelta::seconds(10));
        changed(&app, &made.id, &json!({ "visibility": visibility })).await;
        assert_eq!(published_at().await, format!("2027-01-10T12:00:{first}.000Z"), "{visibility}");
    }
    let entry = page(&app, "").await["data"][0].clone();
    assert_eq!((&entry["id"], &entry["publishedAt"]), (&json!(made.id), &json!("2027-01-10T12:00:20.000Z")));
    assert_eq!(entry["updatedAt"], "2027-01-10T12:00:50.000Z");
}

// Without any letter, digit or country there is no word to find it by, but it is in the feed.
#[api_test(limits = false)]
async fn an_itinerary_without_a_single_word_is_published(world: World) {
    let app = App::of(&world, "ana").await;
    follow(&App::of(&world, "ben").await, account(&world, "ana").await, true).await;
    let body = with(to("\u{2014}", -40.0, -120.0), json!({ "title": "!" }));
    for visibility in ["public", "followers"] {
        let made = Stored::of(&app.create_call("?allowDuplicate=true", &body).send().await);
        let response = app.patch(&made, &json!({ "visibility": visibility })).await;
        assert_eq!(response.status, 200, "{visibility}: {}", response.text());
        let reader = App::of(&world, "ben").await;
        let query = if visibility == "public" { "" } else { "following=true" };
        assert!(found(&reader, query).await.contains(&made.id), "{visibility}");
    }
}

// A retry with the same key repeats the first response and does not publish again.
#[api_test(limits = false)]
async fn a_replayed_change_does_not_publish_again(world: World) {
    let app = App::of(&world, "ana").await;
    let made = app.created(&with(minimal(), json!({ "title": "Harbours" }))).await;
    let key = key();
    let publish = async || {
        let call = app.patch_call(&made.id, &json!({ "visibility": "public" })).header("If-Match", &made.etag);
        call.header("Idempotency-Key", &key).send().await
    };
    let first = publish().await;
    assert_eq!(first.status, 200);
    assert_eq!(places(&app, &made.id, "harbours").await, IN_PUBLIC);
    changed(&app, &made.id, &json!({ "visibility": "private" })).await;
    expect_replay(&publish().await, &first);
    assert_eq!(places(&app, &made.id, "harbours").await, NOWHERE);
}

// The same on every server.
#[api_test(limits = false)]
async fn another_server_finds_the_same_at_once(world: World) {
    let app = App::of(&world, "ana").await;
    let replica = world.replica().await;
    let there = async |query: &str| {
        let address = format!("http://{}/v1/explore?{query}", replica.address);
        ids(&Call(world.http.get(address)).token(&app.token).send().await.json())
    };
    for _ in 0..5 {
        let made = published(&app, &with(minimal(), json!({ "title": "Harbours" }))).await;
        for query in ["", "q=harbours"] {
            assert_eq!(there(query).await, [made.id.as_str()]);
        }
        changed(&app, &made.id, &json!({ "visibility": "unlisted" })).await;
        for query in ["", "q=harbours"] {
            assert_eq!(there(query).await, [""; 0]);
        }
    }
    replica.stop().await;
}

#[api_test(limits = false)]
async fn explore_reflects_the_last_of_many_concurrent_changes(world: World) {
    let app = App::of(&world, "ana").await;
    let made = app.created(&with(minimal(), json!({ "title": "Harbours" }))).await;
    for round in 0..4 {
        let change = async |n: usize| {
            let visibility = ["public", "private", "followers", "unlisted"][(n + round) % 4];
            let body = json!({ "visibility": visibility, "title": format!("Harbours {n}") });
            let response = app.patch_call(&made.id, &body).header("If-Match", "*").send().await;
            assert!([200, 409].contains(&response.status.as_u16()), "{}", response.text());
        };
        join_all((0..16).map(change)).await;
        let now = app.viewed(&made.id).await;
        let expected = if now.json["visibility"] == "public" { IN_PUBLIC } else { NOWHERE };
        assert_eq!(places(&app, &made.id, now.json["title"].as_str().expect("a title")).await, expected);
        assert_eq!(explore(&app, "q=nothing").await.json()["data"], json!([]));
    }
}

// A server from before Explore existed, running beside a new one, changes only the itinerary.
#[api_test(limits = false)]
async fn explore_checks_visibility_even_if_its_index_is_outdated(world: World) {
    let (ana, ben) = (App::of(&world, "ana").await, App::of(&world, "ben").await);
    follow(&ben, account(&world, "ana").await, true).await;
    let made = published(&ana, &with(minimal(), json!({ "title": "Quiet harbours" }))).await;
    assert_eq!(places(&ben, &made.id, "harbours").await, EVERYWHERE);
    for (visibility, expected) in [("followers", AMONG_FOLLOWED), ("unlisted", NOWHERE), ("private", NOWHERE)] {
        world.sql(&format!("UPDATE itineraries SET visibility = '{visibility}'")).await;
        assert_eq!(places(&ben, &made.id, "harbours").await, expected, "{visibility}");
    }
}
