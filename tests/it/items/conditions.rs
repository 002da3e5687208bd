//! Versions: the ETag that a write must name, and conditional reads of a list.

use itinerary_tests::app::{App, key, path};
use itinerary_tests::bodies::on_day;
use itinerary_tests::raw::Call;
use itinerary_tests::{World, api_test};
use reqwest::Method;
use serde_json::json;

use super::{Part, done, if_match, one_of_each, start, version};

#[api_test(limits = false)]
async fn a_write_names_the_version_that_it_was_made_from(world: World) {
    let app = App::pro(&world, "ana").await;
    let mut at = app.created(&one_of_each()).await;
    for part in Part::ALL {
        let id = part.name();
        for call in part.writes(&app, &at.id, id) {
            assert!(call.send().await.expect_error(428, "preconditionRequired").is_null());
        }
        let bare = format!("\"{}\"", version(&at));
        for stale in ["\"v0.mpd\"", &format!("W/{}", at.etag), &bare, "\"\""] {
            for call in part.writes(&app, &at.id, id) {
                let response = call.header("If-Match", stale).send().await;
                assert!(response.expect_error(409, "itineraryModified").is_null(), "{stale}");
                assert_eq!(response.header("etag"), at.etag);
            }
        }
        for bad in ["", "v1.m", "1", "\"v1.m", "\"v1.m\", *"] {
            for call in part.writes(&app, &at.id, id) {
                call.header("If-Match", bad).send().await.expect_invalid("If-Match");
            }
        }
        assert_eq!(app.viewed(&at.id).await.etag, at.etag, "nothing was changed");
        // The ETag of any view names the version, and so does that of a list. A star matches any version.
        let forms: [fn(&str, &str) -> String; 3] =
            [|version, _| format!("\"{version}.e\""), |_, etag| format!("\"v0.m\", {etag}"), |_, _| "*".to_owned()];
        for (n, call) in part.writes(&app, &at.id, id).into_iter().enumerate() {
            at = done(&call.header("If-Match", &forms[n](version(&at), &at.etag)).send().await);
        }
    }
    assert_eq!(at.etag, "\"v19.mpd\"");
}

// 422 of the syntax, 404, 403, the plan, then replay, 428, 409, and finally the body's meaning.
#[api_test(limits = false)]
async fn a_write_of_an_item_is_judged_in_one_order(world: World) {
    let (app, stranger) = (App::pro(&world, "ana").await, App::pro(&world, "ben").await);
    let at = app.created(&one_of_each()).await;
    for part in Part::ALL {
        // Valid JSON with an invalid meaning: an id that exists, or for a change, another id.
        let taken = part.item("flights");
        let other = json!({ "id": "other" });
        let writes = |app: &App<'_>| -> [Call; 2] {
            [part.add_call(app, &at.id, &taken), part.update_call(app, &at.id, part.name(), &other)]
        };
        let broken = |app: &App<'_>| -> [Call; 2] {
            let unknown = json!({ "surprise": 1 });
            [part.add_call(app, &at.id, &unknown), part.update_call(app, &at.id, "nothing", &unknown)]
        };
        for call in broken(&stranger) {
            assert_eq!(call.send().await.status, 422, "what cannot be read is refused before anything is looked up");
        }
        for call in broken(&stranger) {
            call.header("Idempotency-Key", "x").send().await.expect_invalid("Idempotency-Key");
        }
        for call in writes(&stranger).into_iter().chain(part.writes(&stranger, &at.id, part.name())) {
            assert!(call.send().await.expect_error(404, "notFound").is_null());
        }
        for call in writes(&app) {
            call.send().await.expect_error(428, "preconditionRequired");
        }
        for call in writes(&app) {
            call.header("If-Match", "\"v7.m\"").send().await.expect_error(409, "itineraryModified");
        }
        for call in writes(&app) {
            call.header("If-Match", &at.etag).send().await.expect_invalid("id");
        }
    }
    assert_eq!(app.viewed(&at.id).await.etag, at.etag);
}

#[api_test(limits = false)]
async fn missing_plan_is_reported_before_the_version_and_the_item(world: World) {
    let app = App::of(&world, "ana").await;
    let at = app.created(&on_day(1)).await;
    for part in [Part::Expenses, Part::Packing] {
        for tag in [None, Some("\"v7.m\""), Some("*")] {
            for call in part.writes(&app, &at.id, "nothing") {
                let call = if_match(call, tag);
                let response = call.header("Idempotency-Key", &key()).send().await;
                let details = response.expect_error(403, "subscriptionRequired");
                assert_eq!(details, json!({ "section": part.name() }));
                assert_eq!(response.header("etag"), "");
            }
        }
    }
}

#[api_test(limits = false)]
async fn a_list_that_the_reader_has_is_not_sent_again(world: World) {
    let (app, mut at) = start(&world).await;
    for part in Part::ALL {
        let read = |if_none_match: &str| {
            app.call(Method::GET, &part.path(&at.id)).header("If-None-Match", if_none_match).send()
        };
        let list = part.list(&app, &at.id).await;
        assert_eq!((list.header("etag"), list.header("cache-control")), (&*at.etag, "private, no-cache"));
        assert_eq!(list.header("vary"), "Authorization, Service-Itinerary-Shape, Accept-Encoding");
        for same in [at.etag.clone(), format!("W/{}", at.etag), format!("\"x\", {}", at.etag), "*".to_owned()] {
            let response = read(&same).await;
            assert_eq!((response.status.as_u16(), response.body.len()), (304, 0), "{same}");
            assert_eq!((response.header("etag"), response.header("content-type")), (&*at.etag, ""));
            assert_eq!(response.header("cache-control"), "private, no-cache");
            assert_eq!(response.header("vary"), "Authorization, Service-Itinerary-Shape, Accept-Encoding");
        }
        let view = |letters: &str| at.etag.replace("mpd", letters);
        for other in [view("mp"), view("md"), view("m"), view("e"), "\"v0.mpd\"".to_owned(), "\"x\"".to_owned()] {
            let response = read(&other).await;
            assert_eq!((response.status.as_u16(), response.header("etag")), (200, &*at.etag), "{other}");
            assert_eq!(response.body, list.body);
        }
        read("v1.m").await.expect_invalid("If-None-Match");
        // Its ETag is valid for the next write, and outdated afterwards for every list.
        let old = list.header("etag").to_owned();
        at = app.patched(&at, &json!({ "title": part.name() })).await;
        let again = app.call(Method::GET, &part.path(&at.id)).header("If-None-Match", &old).send().await;
        assert_eq!((again.status.as_u16(), again.header("etag")), (200, &*at.etag));
        assert_eq!(again.body, list.body, "the list itself is the same");
    }
}

// The itinerary and its lists have one ETag.
#[api_test(limits = false)]
async fn a_list_and_the_itinerary_have_one_tag(world: World) {
    let (app, mut at) = start(&world).await;
    for part in Part::ALL {
        at = part.added(&app, &at, &part.least("n")).await;
        assert_eq!(app.view(&at.id).await.header("etag"), at.etag);
        for other in Part::ALL {
            let list = other.list(&app, &at.id).await;
            assert_eq!((list.header("etag"), &list.json()["data"]), (&*at.etag, &at.json[other.name()]));
        }
        let known = app.call(Method::GET, &path(&at.id)).header("If-None-Match", &at.etag).send().await;
        assert_eq!(known.status, 304);
    }
}
