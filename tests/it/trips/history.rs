//! The history on a trip's page: who sees it, what it says, and restoring a version with its form.

use chrono::TimeDelta;
use itinerary_tests::app::{App, Stored, path};
use itinerary_tests::bodies::minimal;
use itinerary_tests::browser::{Browser, Page};
use itinerary_tests::world::PASSWORD;
use itinerary_tests::{World, api_test};
use reqwest::Method;
use serde_json::{Value, json};

use super::{comparable, page_of, read, unknown};
use crate::explore::{account, published};
use crate::together::joined;

fn history_of(id: &str) -> String {
    format!("/trips/{id}/history")
}

/// A browser with the session of an app's traveller.
async fn browser_of(world: &World, name: &str) -> Browser {
    let browser = Browser::new(world);
    browser.sign_in(name, PASSWORD).await;
    browser
}

fn days(first: &Value, second: &Value) -> Value {
    json!({ "days": [{ "id": "d1", "stops": first }, { "id": "d2", "stops": second }] })
}

/// A trip with three versions: created, a hotel added, a stop moved.
async fn three_versions(app: &App<'_>) -> [Stored; 3] {
    let (tower, castle) = (json!({ "id": "a", "name": "Belém Tower" }), json!({ "id": "b", "name": "Castle" }));
    let mut body = minimal();
    body.as_object_mut()
        .expect("an object")
        .extend(days(&json!([tower, castle]), &json!([])).as_object().expect("an object").clone());
    let first = app.created(&body).await;
    let second = app.patched(&first, &json!({ "hotels": [{ "id": "h", "name": "<Inn>" }] })).await;
    let third = app.patched(&second, &days(&json!([castle]), &json!([tower]))).await;
    [first, second, third]
}

/// Sends the form of a version.
async fn restore(browser: &Browser, page: &Page, id: &str, version: usize) -> Page {
    let forms = page.forms(&history_of(id));
    let form = forms.iter().find(|form| form.get("version") == version.to_string()).expect("a form of the version");
    browser.submit(form, &[]).await
}

#[api_test]
async fn owner_sees_what_changed_and_restores_a_version(world: World) {
    let app = App::of(&world, "ana").await;
    let [first, _, third] = three_versions(&app).await;
    let ana = browser_of(&world, "ana").await;
    let link = format!("<a href=\"{}\">History</a>", history_of(&first.id));
    assert!(read(&ana, &first.id).await.text().contains(&link));
    let page = ana.visit(&history_of(&first.id)).await;
    for words in [
        "Trip created",
        "Hotel added: <bdi>&#60;Inn&#62;</bdi>",
        "<bdi>Belém Tower</bdi> moved to day 2",
        "by <bdi>you</bdi> with <bdi>“",
    ] {
        assert!(page.text().contains(words), "{words} in {}", page.text());
    }
    assert!(page.text().contains(" UTC</time>") && !page.text().contains("<Inn>"), "{}", page.text());
    assert_eq!(page.forms(&history_of(&first.id)).len(), 2, "none for the current version");
    let restored = restore(&ana, &page, &first.id, 1).await;
    assert_eq!((restored.response.status.as_u16(), restored.address.path()), (200, &*page_of(&first.id)));
    restored.assert_says("Restored. The version before is still in the history.");
    let now = app.viewed(&first.id).await;
    assert_eq!((&now.json["days"], &now.json["hotels"]), (&first.json["days"], &json!([])));
    let revisions = app.call(Method::GET, &format!("{}/revisions", path(&first.id))).send().await.json();
    let (newest, before) = (&revisions["data"][0], &revisions["data"][1]);
    assert_eq!((&newest["version"], &newest["restoredFrom"], &newest["app"]), (&json!(4), &json!(1), &Value::Null));
    assert_eq!(before["etag"], third.etag);
    let page = ana.visit(&history_of(&first.id)).await;
    page.assert_says("Version 1 restored");
    // What was undone comes back in the same way.
    restore(&ana, &page, &first.id, 3).await;
    assert_eq!(app.viewed(&first.id).await.json["hotels"], third.json["hotels"]);
}

#[api_test]
async fn a_stale_form_restores_nothing(world: World) {
    let app = App::of(&world, "ana").await;
    let [first, _, third] = three_versions(&app).await;
    let ana = browser_of(&world, "ana").await;
    let page = ana.visit(&history_of(&first.id)).await;
    let fourth = app.patched(&third, &json!({ "title": "May" })).await;
    let refused = restore(&ana, &page, &first.id, 1).await;
    assert_eq!((refused.response.status.as_u16(), refused.address.path()), (409, &*history_of(&first.id)));
    refused.assert_says("The trip has changed since you opened this page. Nothing was restored.");
    refused.assert_says("Title changed to “");
    assert_eq!(app.viewed(&first.id).await.etag, fourth.etag);
    // The page that says so has the current version in its forms.
    restore(&ana, &refused, &first.id, 1).await;
    assert_eq!(app.viewed(&first.id).await.json["title"], first.json["title"]);
}

#[api_test]
async fn a_version_that_is_not_kept_cannot_be_restored(world: World) {
    let app = App::of(&world, "ana").await;
    let [first, _, third] = three_versions(&app).await;
    let ana = browser_of(&world, "ana").await;
    let form = ana.visit(&history_of(&first.id)).await.form(&history_of(&first.id));
    for (field, value, status) in [
        ("version", "99", 404),
        ("version", "-1", 404),
        ("version", "first", 404),
        ("version", "", 404),
        ("current", "", 409),
        ("current", "v3", 409),
    ] {
        let refused = ana.submit(&form.clone().with(field, value), &[]).await;
        assert_eq!(refused.response.status, status, "{field} {value}");
        refused.assert_says("Nothing was restored.");
    }
    assert_eq!(app.viewed(&first.id).await.etag, third.etag);
}

#[api_test]
async fn forms_of_other_sites_and_sessions_restore_nothing(world: World) {
    let app = App::of(&world, "ana").await;
    let [first, _, third] = three_versions(&app).await;
    let (ana, eve) = (browser_of(&world, "ana").await, Browser::signed_up(&world, "eve").await);
    let stolen = eve.visit("/sign-out").await.form("/sign-out").get("guard").to_owned();
    let form = ana.visit(&history_of(&first.id)).await.form(&history_of(&first.id));
    for form in
        [form.clone().without("guard"), form.clone().with("guard", "forged"), form.clone().with("guard", &stolen)]
    {
        let refused = ana.submit(&form, &[]).await;
        assert_eq!(refused.response.status, 403);
        refused.assert_says("This page was out of date.");
        assert_eq!(refused.forms(&history_of(&first.id)).len(), 2);
    }
    assert_eq!(app.viewed(&first.id).await.etag, third.etag);
}

#[api_test(limits = false)]
async fn only_owner_and_editors_see_the_history(world: World) {
    let app = App::of(&world, "ana").await;
    let [first, _, third] = three_versions(&app).await;
    let public = app.patched(&third, &json!({ "visibility": "public" })).await;
    let id = &*first.id;
    let viewer = Browser::signed_up(&world, "viewer").await;
    world.member(id, account(&world, "viewer").await, "viewer").await;
    let stranger = Browser::signed_up(&world, "stranger").await;
    for browser in [&viewer, &stranger] {
        assert!(!read(browser, id).await.text().contains("/history"));
        let guard = read(browser, id).await.text();
        let guard =
            guard.split("name=\"guard\" value=\"").nth(1).and_then(|rest| rest.split('"').next()).expect("a code");
        let fields = [("guard", guard), ("version", "1"), ("current", &*public.etag)];
        let restored = browser.call(Method::POST, &history_of(id)).form(&fields).send().await;
        let seen = browser.call(Method::GET, &history_of(id)).send().await;
        assert_eq!((seen.status.as_u16(), restored.status.as_u16()), (403, 403));
        assert!(!seen.text().contains("Inn"), "{}", seen.text());
    }
    let nobody = Browser::new(&world);
    assert!(!read(&nobody, id).await.text().contains("/history"));
    for method in [Method::GET, Method::POST] {
        let response = nobody.call(method, &history_of(id)).send().await;
        assert_eq!(
            (response.status.as_u16(), response.header("location")),
            (303, &*format!("/sign-in?next=%2Ftrips%2F{id}%2Fhistory"))
        );
    }
    // A trip that the traveller may not see at all answers as an unknown one.
    let hidden = app.patched(&public, &json!({ "visibility": "private" })).await;
    let reference = unknown();
    for method in [Method::GET, Method::POST] {
        let expected = comparable(&stranger.call(method.clone(), &history_of(&reference)).send().await, &reference);
        assert_eq!(expected.0, 404);
        for other in [id, "not-an-id"] {
            let response = stranger.call(method.clone(), &history_of(other)).send().await;
            assert_eq!(comparable(&response, other), expected, "{other}");
        }
    }
    assert_eq!(app.viewed(id).await.etag, hidden.etag);
}

#[api_test]
async fn an_editor_sees_and_restores_versions_since_they_joined(world: World) {
    let app = App::of(&world, "ana").await;
    let [first, _, third] = three_versions(&app).await;
    joined(&world, &app, &third, ("ben", "editor")).await;
    let ben = browser_of(&world, "ben").await;
    let fourth = app.patched(&third, &json!({ "title": "May" })).await;
    let page = ben.visit(&history_of(&first.id)).await;
    let text = page.text();
    assert!(text.contains("Version 4") && text.contains("Version 3") && !text.contains("Version 2"), "{text}");
    // What the version that was current then had changed would name what was there before.
    assert!(!text.contains("moved to day 2") && text.contains("Details of this change are not shown"), "{text}");
    assert!(text.contains("by <bdi>ana</bdi>"), "{text}");
    let form = page.form(&history_of(&first.id));
    let refused = ben.submit(&form.clone().with("version", "2"), &[]).await;
    assert_eq!(refused.response.status, 404);
    assert_eq!(app.viewed(&first.id).await.etag, fourth.etag);
    let restored = ben.submit(&form, &[]).await;
    restored.assert_says("Restored.");
    assert_eq!(app.viewed(&first.id).await.json["title"], third.json["title"]);
    // Their name is in the owner's list.
    let ana = browser_of(&world, "ana").await;
    assert!(ana.visit(&history_of(&first.id)).await.text().contains("by <bdi>ben</bdi>"));
    // Without membership, nothing is left to see.
    app.call(Method::DELETE, &format!("{}/members/{}", path(&first.id), account(&world, "ben").await)).send().await;
    assert_eq!(ben.submit(&form, &[]).await.response.status, 404);
}

#[api_test]
async fn restoring_counts_as_a_write_of_pages(world: World) {
    let app = App::of(&world, "ana").await;
    let [first, _, third] = three_versions(&app).await;
    let ana = browser_of(&world, "ana").await;
    let form = ana.visit(&history_of(&first.id)).await.form(&history_of(&first.id));
    let owner = account(&world, "ana").await;
    for _ in 0..60 {
        let kind = itinerary_api::policy::LimitKind::Write;
        assert!(itinerary_app::admission::count_on_page(world.service(), kind, owner).await.allowed);
    }
    let refused = ana.post(&form, &[]).send().await;
    assert_eq!((refused.status.as_u16(), refused.header("retry-after")), (429, "60"));
    assert_eq!(app.viewed(&first.id).await.etag, third.etag);
    world.clock.advance(TimeDelta::seconds(60));
    assert_eq!(ana.post(&form, &[]).send().await.status, 303);
}

#[api_test]
async fn a_long_change_is_cut(world: World) {
    let app = App::of(&world, "ana").await;
    let trip = published(&app, &minimal()).await;
    let hotels: Vec<_> = (0..30).map(|n| json!({ "name": format!("Inn {n}") })).collect();
    app.patched(&trip, &json!({ "hotels": hotels })).await;
    let text = browser_of(&world, "ana").await.visit(&history_of(&trip.id)).await.text();
    assert_eq!(text.matches("Hotel added: ").count(), 20);
    assert!(text.contains("and more") && text.contains("<li>Published<bdi>"), "{text}");
}
