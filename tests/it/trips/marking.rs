//! Liking a trip and saving a copy on its page: by the rules of the API's operations, and protected against other sites.

use chrono::TimeDelta;
use itinerary_tests::app::{App, ids};
use itinerary_tests::bodies::{minimal, on_day};
use itinerary_tests::browser::{Browser, Page};
use itinerary_tests::world::PASSWORD;
use itinerary_tests::{Database, World, api_test};
use reqwest::Method;
use serde_json::{Value, json};
use uuid::Uuid;

use super::{comparable, page_of, read, unknown};
use crate::explore::{account, follow, published, shown};

/// The marks that an app of the traveller reads.
async fn marks(app: &App<'_>, id: &str) -> Value {
    app.call(Method::GET, &format!("/v1/itineraries/{id}/marks")).send().await.json()
}

fn like_of(id: &str) -> String {
    format!("/trips/{id}/like")
}

fn save_of(id: &str) -> String {
    format!("/trips/{id}/save")
}

async fn like(browser: &Browser, page: &Page, id: &str) -> Page {
    let set = if page.text().contains("value=\"clear\"") { "clear" } else { "set" };
    browser.submit(&page.form(&like_of(id)), &[("do", set)]).await
}

#[api_test]
async fn a_like_is_set_and_taken_back(world: World) {
    let app = App::of(&world, "ana").await;
    let trip = published(&app, &minimal()).await;
    let (ben, bens) = (Browser::signed_up(&world, "ben").await, App::of(&world, "ben").await);
    let page = ben.visit(&page_of(&trip.id)).await;
    assert!(page.text().contains("aria-pressed=\"false\">Like <"), "{}", page.text());
    let before = page.response.header("etag").to_owned();
    let liked = like(&ben, &page, &trip.id).await;
    assert_eq!((liked.response.status.as_u16(), liked.address.path()), (200, &*page_of(&trip.id)));
    assert!(liked.text().contains("aria-pressed=\"true\">Liked <"), "{}", liked.text());
    assert!(liked.text().contains(">1<span class=\"unseen\"> like</span>"), "{}", liked.text());
    assert_ne!(liked.response.header("etag"), before);
    assert_eq!(marks(&bens, &trip.id).await["liked"], true);
    // A second click on the page of before.
    let again = ben.submit(&page.form(&like_of(&trip.id)), &[("do", "set")]).await;
    assert!(again.text().contains("aria-pressed=\"true\">Liked <"), "{}", again.text());
    assert_eq!(marks(&bens, &trip.id).await["likesCount"], 1);
    // Others see the count, and that they do not like it.
    let ana = Browser::new(&world);
    ana.sign_in("ana", PASSWORD).await;
    let others = read(&ana, &trip.id).await.text();
    assert!(others.contains("aria-pressed=\"false\">Like <") && others.contains(">1<span"), "{others}");
    let none = like(&ben, &again, &trip.id).await;
    assert!(none.text().contains("aria-pressed=\"false\">Like <"), "{}", none.text());
    assert_eq!(none.response.header("etag"), before, "the same page as before");
    assert_eq!(
        marks(&bens, &trip.id).await,
        json!({
            "liked": false, "disliked": false, "saved": false, "likesCount": 0, "savesCount": 0,
        })
    );
    // A like replaces a dislike, as in the API.
    bens.call(Method::PUT, &format!("/v1/itineraries/{}/dislike", trip.id)).send().await;
    like(&ben, &none, &trip.id).await;
    let now = marks(&bens, &trip.id).await;
    assert_eq!((&now["liked"], &now["disliked"]), (&json!(true), &json!(false)));
}

#[api_test]
async fn a_copy_is_saved_once_and_shown(world: World) {
    let app = App::of(&world, "ana").await;
    let trip = published(&app, &minimal()).await;
    let (ben, bens) = (Browser::signed_up(&world, "ben").await, App::of(&world, "ben").await);
    let page = ben.visit(&page_of(&trip.id)).await;
    let form = page.form(&save_of(&trip.id));
    let copy = ben.submit(&form, &[]).await;
    copy.assert_says("Saved. This is your own copy, which only you can see.");
    let list = bens.list("filter=saved").await.json();
    let saved = ids(&list);
    assert_eq!(saved.len(), 1);
    assert_eq!(copy.address.path(), page_of(&saved[0]));
    // A second click leads to the same copy; a third at once with a fourth, too.
    let again = ben.submit(&form, &[]).await;
    assert_eq!(again.address, copy.address);
    let (one, two) = tokio::join!(ben.submit(&form, &[]), ben.submit(&form, &[]));
    assert_eq!((one.address, two.address), (copy.address.clone(), copy.address.clone()));
    assert_eq!(bens.listed("filter=saved").await, saved);
    let source = ben.visit(&page_of(&trip.id)).await;
    assert!(source.text().contains(&format!("<a href=\"{}\">Saved: open your copy</a>", page_of(&saved[0]))));
    assert!(source.forms(&save_of(&trip.id)).is_empty(), "there is nothing more to save");
    assert_ne!(source.response.header("etag"), page.response.header("etag"));
    // The notice is not part of the page without it.
    assert!(!ben.visit(&page_of(&saved[0])).await.text().contains("Saved. This is"));
    // Its owner may copy it, as in the API.
    let ana = Browser::new(&world);
    ana.sign_in("ana", PASSWORD).await;
    let own = ana.visit(&page_of(&trip.id)).await;
    let copy = ana.submit(&own.form(&save_of(&trip.id)), &[]).await;
    assert_eq!(app.listed("filter=saved").await, [copy.address.path().trim_start_matches("/trips/")]);
}

#[api_test]
async fn visitors_see_counts_and_the_way_to_sign_in(world: World) {
    let app = App::of(&world, "ana").await;
    let trip = published(&app, &minimal()).await;
    let nobody = Browser::new(&world);
    let page = nobody.visit(&page_of(&trip.id)).await;
    page.assert_says("0 likes · 0 saved copies");
    let next = format!("/sign-in?next=%2Ftrips%2F{}", trip.id);
    assert!(page.text().contains(&format!("<a href=\"{next}\">Sign in to like or save</a>")), "{}", page.text());
    assert!(!page.text().contains("<form") && !page.text().contains("name=\"guard\""), "{}", page.text());
    app.call(Method::PUT, &format!("/v1/itineraries/{}/like", trip.id)).send().await;
    nobody.visit(&page_of(&trip.id)).await.assert_says("1 like · 0 saved copies");
    for path in [like_of(&trip.id), save_of(&trip.id), like_of("not-an-id"), save_of(&unknown())] {
        let response = nobody.call(Method::POST, &path).form(&[("do", "set")]).send().await;
        assert_eq!(response.status, 303, "{path}");
        assert!(response.header("location").starts_with("/sign-in"), "{path}: {}", response.header("location"));
    }
    assert_eq!(nobody.call(Method::GET, &like_of(&trip.id)).send().await.status, 405);
    assert_eq!(marks(&app, &trip.id).await["likesCount"], 1);
}

#[api_test]
async fn forms_of_other_sites_and_sessions_change_nothing(world: World) {
    let app = App::of(&world, "ana").await;
    let trip = published(&app, &minimal()).await;
    let (ben, bens) = (Browser::signed_up(&world, "ben").await, App::of(&world, "ben").await);
    let eve = Browser::signed_up(&world, "eve").await;
    let stolen = eve.visit(&page_of(&trip.id)).await.form(&like_of(&trip.id)).get("guard").to_owned();
    let page = ben.visit(&page_of(&trip.id)).await;
    for action in [like_of(&trip.id), save_of(&trip.id)] {
        let own = page.form(&action);
        for form in
            [own.clone().without("guard"), own.clone().with("guard", "forged"), own.clone().with("guard", &stolen)]
        {
            let refused = ben.submit(&form, &[("do", "set")]).await;
            assert_eq!((refused.response.status.as_u16(), refused.address.path()), (403, &*action));
            refused.assert_says("This page was out of date.");
            assert_eq!(refused.response.header("etag"), "");
            assert!(refused.text().contains("Trip to Lisbon") && !refused.forms(&action).is_empty());
        }
    }
    assert_eq!(marks(&bens, &trip.id).await["likesCount"], 0);
    assert_eq!(bens.listed("filter=saved").await, [""; 0]);
    // After signing in anew, the page is not the one of before, whose forms would be rejected.
    let tag = page.response.header("etag").to_owned();
    let sign_out = ben.visit("/sign-out").await.form("/sign-out");
    ben.submit(&sign_out, &[]).await;
    ben.sign_in("ben", PASSWORD).await;
    let now = ben.call(Method::GET, &page_of(&trip.id)).header("If-None-Match", &tag).send().await;
    assert_eq!(now.status, 200);
}

#[api_test(limits = false)]
async fn only_readers_of_a_trip_can_mark_it(world: World) {
    let ana = App::of(&world, "ana").await;
    let (ben, bens) = (Browser::signed_up(&world, "ben").await, App::of(&world, "ben").await);
    let public = published(&ana, &on_day(1)).await;
    let guard = ben.visit(&page_of(&public.id)).await.form(&like_of(&public.id)).get("guard").to_owned();
    let private = ana.created(&on_day(2)).await;
    let followers = shown(&ana, &on_day(3), "followers").await;
    let unlisted = shown(&ana, &on_day(4), "unlisted").await;
    let post = async |path: &str, guard: &str| {
        ben.call(Method::POST, path).form(&[("guard", guard), ("do", "set")]).send().await
    };
    let reference = unknown();
    let expected = comparable(&post(&like_of(&reference), &guard).await, &reference);
    assert_eq!(expected.0, 404);
    for id in [&*private.id, &followers.id, &reference, "not-an-id"] {
        for path in [like_of(id), save_of(id)] {
            for guard in [&*guard, "forged"] {
                assert_eq!(comparable(&post(&path, guard).await, id), expected, "{path} {guard}");
            }
        }
    }
    for id in [&private.id, &followers.id] {
        let marks = marks(&ana, id).await;
        assert_eq!((&marks["likesCount"], &marks["savesCount"]), (&json!(0), &json!(0)));
    }
    // Those who may see it may mark it: followers, members, and who has the address of an unlisted one.
    follow(&bens, account(&world, "ana").await, true).await;
    world.member(&private.id, account(&world, "ben").await, "viewer").await;
    for id in [&followers.id, &private.id, &unlisted.id] {
        assert_eq!(post(&like_of(id), &guard).await.header("location"), page_of(id));
        let to = post(&save_of(id), &guard).await.header("location").to_owned();
        let copy = to.trim_start_matches("/trips/").trim_end_matches("?done=saved");
        assert!(Uuid::try_parse(copy).is_ok() && copy != id, "{to}");
        let marks = marks(&bens, id).await;
        assert_eq!((&marks["liked"], &marks["saved"]), (&json!(true), &json!(true)), "{id}");
    }
    // A blocked traveller loses what following gave; what is public can still be read and marked, as in the API.
    let block = ana.call(Method::PUT, &format!("/v1/accounts/{}/block", account(&world, "ben").await)).send().await;
    assert_eq!(block.status, 204, "{}", block.text());
    for (id, status) in [(&followers.id, 404), (&private.id, 404), (&public.id, 303)] {
        assert_eq!(post(&like_of(id), &guard).await.status, status, "{id}");
        assert_eq!(post(&save_of(id), &guard).await.status, status, "{id}");
    }
    let api = bens.call(Method::PUT, &format!("/v1/itineraries/{}/like", followers.id)).send().await;
    assert_eq!(api.status, 404);
}

#[api_test]
async fn forms_count_as_writes_of_one_app(world: World) {
    let app = App::of(&world, "ana").await;
    let trip = published(&app, &minimal()).await;
    let (ben, bens) = (Browser::signed_up(&world, "ben").await, App::of(&world, "ben").await);
    let guard = ben.visit(&page_of(&trip.id)).await.form(&like_of(&trip.id)).get("guard").to_owned();
    // Each form counts as a page of its address, too; from several addresses the limit of writes is met first.
    let service = world.service();
    let account = account(&world, "ben").await;
    for _ in 0..60 {
        let verdict =
            itinerary_app::admission::count_on_page(service, itinerary_api::policy::LimitKind::Write, account);
        assert!(verdict.await.allowed);
    }
    for path in [like_of(&trip.id), save_of(&trip.id)] {
        let refused = ben.call(Method::POST, &path).form(&[("guard", &*guard), ("do", "set")]).send().await;
        assert_eq!((refused.status.as_u16(), refused.header("retry-after")), (429, "60"), "{path}");
        assert!(refused.text().contains("One moment, please"), "{}", refused.text());
    }
    assert_eq!(marks(&bens, &trip.id).await["likesCount"], 0, "apps have limits of their own");
    world.clock.advance(TimeDelta::seconds(60));
    let liked = ben.call(Method::POST, &like_of(&trip.id)).form(&[("guard", &*guard), ("do", "set")]).send().await;
    assert_eq!(liked.status, 303);
    // The address's own limit: a page and sixty forms.
    for _ in 0..59 {
        ben.call(Method::POST, &like_of(&trip.id)).form(&[("guard", "forged")]).send().await;
    }
    let refused = ben.call(Method::POST, &like_of(&trip.id)).form(&[("guard", "forged")]).send().await;
    assert_eq!(refused.status, 429);
}

#[api_test]
async fn a_full_library_saves_nothing(database: Database) {
    let configure = |config: &mut itinerary_platform::settings::Config| config.quota_itineraries = 1;
    let Some(world) = World::start_with(database, configure).await else { return };
    let trip = published(&App::of(&world, "ana").await, &minimal()).await;
    let (ben, bens) = (Browser::signed_up(&world, "ben").await, App::of(&world, "ben").await);
    let own = bens.created(&minimal()).await;
    let page = ben.visit(&page_of(&trip.id)).await;
    let refused = ben.submit(&page.form(&save_of(&trip.id)), &[]).await;
    assert_eq!(refused.response.status, 409);
    refused.assert_says("You have as many itineraries as an account can have.");
    assert_eq!(bens.listed("").await, [own.id]);
}
