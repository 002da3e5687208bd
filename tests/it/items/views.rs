//! Conditional reads when the reader's view changes: the ETag of another view never yields 304.

use itinerary_tests::app::{App, Stored, WITH_DOCUMENTS, path};
use itinerary_tests::world::READ_WRITE;
use itinerary_tests::{RawResponse, World, api_test};
use reqwest::Method;
use serde_json::json;

use super::roles::{share, unshare};
use super::{Part, one_of_each, set_pro, version};

async fn read_if_changed(app: &App<'_>, path: &str, tag: &str) -> RawResponse {
    app.call(Method::GET, path).header("If-None-Match", tag).send().await
}

/// The views in ETags: letters of the sections, `w` for an editor, `v` for a viewer.
const VIEWS: [&str; 13] = ["e", "m", "mp", "md", "mpd", "mw", "mpw", "mdw", "mpdw", "mv", "mpv", "mdv", "mpdv"];

/// Checks that a reader with this view gets 304 for its ETag only, for the itinerary and every list that is visible.
async fn expect_view(app: &App<'_>, at: &Stored, letters: &str) {
    let version = version(at);
    let lists = Part::ALL.map(|part| (part.path(&at.id), letters.contains(if part.needs_pro() { 'p' } else { 'm' })));
    for (path, open) in [(path(&at.id), true)].into_iter().chain(lists) {
        for view in VIEWS {
            let response = read_if_changed(app, &path, &format!("\"{version}.{view}\"")).await;
            let expected = match (open, view == letters) {
                (false, _) => 403,
                (true, true) => 304,
                (true, false) => 200,
            };
            assert_eq!(response.status, expected, "{path}: {view} for {letters}");
            if open {
                assert_eq!(response.header("etag"), format!("\"{version}.{letters}\""));
            }
            if expected == 200 && path.ends_with(&at.id) {
                for part in Part::ALL {
                    let shown = letters.contains(if part.needs_pro() { 'p' } else { 'm' });
                    assert_eq!(response.json().get(part.name()).is_some(), shown, "{part:?} in {letters}");
                }
            }
        }
    }
}

#[api_test(limits = false)]
async fn the_tag_of_one_plan_or_scope_is_not_good_for_another(world: World) {
    world.account("ana").await;
    let plain = App::with_scope(&world, "ana", READ_WRITE).await;
    let documents = App::with_scope(&world, "ana", WITH_DOCUMENTS).await;
    set_pro(&world, "ana", true).await;
    let at = plain.created(&one_of_each()).await;
    for _ in 0..2 {
        set_pro(&world, "ana", false).await;
        expect_view(&plain, &at, "m").await;
        expect_view(&documents, &at, "md").await;
        set_pro(&world, "ana", true).await;
        expect_view(&plain, &at, "mp").await;
        expect_view(&documents, &at, "mpd").await;
    }
}

#[api_test(limits = false)]
async fn the_tag_of_one_role_is_not_good_for_another(world: World) {
    let owner = App::pro(&world, "ana").await;
    let at = owner.created(&one_of_each()).await;
    let at = owner.patched(&at, &json!({ "visibility": "public" })).await;
    let app = App::of(&world, "ben").await;
    for pro in [false, true] {
        set_pro(&world, "ben", pro).await;
        expect_view(&app, &at, "e").await;
        for (role, letter) in [("viewer", "v"), ("editor", "w")] {
            share(&world, &at, "ben", role).await;
            expect_view(&app, &at, &format!("{}{letter}", if pro { "mp" } else { "m" })).await;
            unshare(&world, &at, "ben").await;
            expect_view(&app, &at, "e").await;
        }
    }
}

// Two views of one version have equal lists where they show the same, but different ETags.
#[api_test(limits = false)]
async fn a_list_is_the_same_in_every_view_that_shows_it(world: World) {
    let owner = App::pro(&world, "ana").await;
    let at = owner.created(&one_of_each()).await;
    let viewer = App::of(&world, "vic").await;
    share(&world, &at, "vic", "viewer").await;
    set_pro(&world, "vic", true).await;
    for part in Part::ALL {
        let (own, theirs) = (part.list(&owner, &at.id).await, part.list(&viewer, &at.id).await);
        assert_eq!((own.status.as_u16(), own.text()), (200, theirs.text()));
        assert_eq!((own.header("etag"), theirs.header("etag")), ("\"v1.mpd\"", "\"v1.mpv\""));
    }
}
