//! Whether a copy reveals its source: to its owner always, to others only if the source is public, their own or shared
//! with them.

use itinerary_tests::app::{App, Stored, expect_replay, key, path};
use itinerary_tests::bodies::minimal;
use itinerary_tests::{World, api_test};
use reqwest::Method;
use serde_json::{Value, json};

use super::{changed, deleted, saved};
use crate::explore::{account, follow, page, published};

const VISIBILITIES: [&str; 4] = ["public", "unlisted", "followers", "private"];

/// Ana's source, Ben's public copy of it, and the readers of the copy.
struct Stage<'w> {
    source: Stored,
    copy: Stored,
    ana: App<'w>,
    ben: App<'w>,
    /// A member of the source, and an editor of the copy.
    member: App<'w>,
    editor: App<'w>,
    /// A follower of the source's owner, and a stranger.
    follower: App<'w>,
    stranger: App<'w>,
}

impl<'w> Stage<'w> {
    async fn of(world: &'w World) -> Self {
        let (ana, ben) = (App::of(world, "ana").await, App::of(world, "ben").await);
        let (member, editor) = (App::of(world, "mia").await, App::of(world, "eva").await);
        let (follower, stranger) = (App::of(world, "flo").await, App::of(world, "sam").await);
        let source = published(&ana, &minimal()).await;
        let copy = saved(&ben, &source.id).await;
        let copy = changed(&ben, &copy.id, &json!({ "title": "Wonderland", "visibility": "public" })).await;
        world.member(&source.id, account(world, "mia").await, "viewer").await;
        world.member(&copy.id, account(world, "eva").await, "editor").await;
        follow(&follower, account(world, "ana").await, true).await;
        for reader in [&ana, &member, &editor, &follower, &stranger] {
            follow(reader, account(world, "ben").await, true).await;
        }
        Self { source, copy, ana, ben, member, editor, follower, stranger }
    }

    /// Each reader, and whether they may learn the source whatever its visibility.
    fn readers(&self) -> [(&'static str, &App<'w>, bool); 6] {
        [
            ("the copy's owner", &self.ben, true),
            ("the source's owner", &self.ana, true),
            ("the source's member", &self.member, true),
            ("the copy's editor", &self.editor, false),
            ("a follower", &self.follower, false),
            ("a stranger", &self.stranger, false),
        ]
    }

    fn saved_from(&self, is_shown: bool) -> Value {
        let author = json!({ "author": "ana", "authorDisplayName": "ana", "authorIsPro": false });
        if is_shown { itinerary_tests::bodies::with(author, json!({ "itineraryId": self.source.id })) } else { author }
    }
}

/// Checks what a reader learns about the source by every operation that shows it. Returns the ETag.
async fn expect(app: &App<'_>, stage: &Stage<'_>, ben: uuid::Uuid, expected: &Value, what: &str) -> String {
    let read = app.view(&stage.copy.id).await;
    assert_eq!(read.status, 200, "{what}: {}", read.text());
    assert_eq!(&read.json()["savedFrom"], expected, "{what}");
    let is_shown = expected.get("itineraryId").is_some();
    assert_eq!(read.text().contains(&stage.source.id), is_shown, "{what}");
    let etag = read.header("etag").to_owned();
    assert_eq!(etag.contains('s'), is_shown, "{what}: {etag}");
    let known = app.call(Method::GET, &path(&stage.copy.id)).header("If-None-Match", &etag).send().await;
    assert_eq!((known.status.as_u16(), known.header("etag")), (304, etag.as_str()), "{what}");
    let days = app.call(Method::GET, &format!("{}/days", path(&stage.copy.id))).send().await;
    assert_eq!(days.header("etag"), etag, "{what}");
    let theirs = app.call(Method::GET, &format!("/v1/accounts/{ben}/itineraries")).send().await.json();
    let mut pages = vec![theirs, page(app, "limit=100").await, page(app, "q=wonderl").await];
    if app.token != stage.ben.token {
        pages.extend([page(app, "following=true").await, page(app, "following=true&q=wonderl").await]);
    }
    if app.token == stage.ben.token || app.token == stage.editor.token {
        pages.push(app.list("").await.json());
    }
    for page in pages {
        let entries = page["data"].as_array().expect("a page");
        let entry = entries.iter().find(|entry| entry["id"] == stage.copy.id.as_str()).expect("it is listed");
        assert_eq!(entry["etag"], etag.as_str(), "{what}: the tag that reading it gives");
    }
    etag
}

#[api_test(limits = false)]
async fn the_id_of_what_is_hidden_is_told_to_those_who_know_it(world: World) {
    let stage = Stage::of(&world).await;
    let ben = account(&world, "ben").await;
    let mut public = Vec::new();
    for visibility in VISIBILITIES {
        changed(&stage.ana, &stage.source.id, &json!({ "visibility": visibility })).await;
        for (n, (who, app, knows)) in stage.readers().into_iter().enumerate() {
            let what = format!("{who}, {visibility}");
            let is_shown = knows || visibility == "public";
            let etag = expect(app, &stage, ben, &stage.saved_from(is_shown), &what).await;
            if visibility == "public" {
                public.push(etag);
            } else {
                // Another representation, so the public one's ETag does not yield 304.
                let call = app.call(Method::GET, &path(&stage.copy.id)).header("If-None-Match", &public[n]);
                assert_eq!(call.send().await.status, if knows { 304 } else { 200 }, "{what}");
            }
        }
    }
    // Membership of the source takes effect at once.
    world.no_member(&stage.source.id, account(&world, "mia").await).await;
    expect(&stage.member, &stage, ben, &stage.saved_from(false), "no member any more").await;
    let (client, id) = (world.client("sam").await, stage.copy.id.parse::<uuid::Uuid>().expect("a UUID"));
    let from =
        client.itinerary_view(id).send().await.expect("a public copy").into_inner().saved_from.expect("it is a copy");
    assert_eq!((from.itinerary_id, from.author.as_deref()), (None, Some("ana")));
}

#[api_test(limits = false)]
async fn a_copy_stays_a_copy_when_its_source_and_author_are_gone(world: World) {
    let stage = Stage::of(&world).await;
    let ben = account(&world, "ben").await;
    deleted(&stage.ana, &stage.source.id).await;
    for (who, app, _) in stage.readers() {
        let is_shown = app.token == stage.ben.token;
        expect(app, &stage, ben, &stage.saved_from(is_shown), who).await;
    }
    world.sql("DELETE FROM accounts WHERE username_folded = 'ana'").await;
    let id_alone = json!({ "itineraryId": stage.source.id });
    expect(&stage.ben, &stage, ben, &id_alone, "the copy's owner").await;
    expect(&stage.stranger, &stage, ben, &json!({}), "a stranger").await;
    expect(&stage.editor, &stage, ben, &json!({}), "the copy's editor").await;
    let patched = changed(&stage.ben, &stage.copy.id, &json!({ "title": "Still a wonderland" })).await;
    assert_eq!(patched.json["savedFrom"], id_alone);
    assert_eq!(stage.ben.listed("filter=saved").await, [stage.copy.id.as_str()]);
}

// Responses to writes reveal the same as reads, and a replay never reveals an id that was hidden since.
#[api_test(limits = false)]
async fn editor_of_a_copy_learns_no_more_than_a_reader(world: World) {
    let stage = Stage::of(&world).await;
    let rename = async |app: &App<'_>, title: &str, key: &str| {
        let call = app.patch_call(&stage.copy.id, &json!({ "title": title })).header("If-Match", "*");
        call.header("Idempotency-Key", key).send().await
    };
    let (editors, owners, hidden) = (key(), key(), key());
    let first = rename(&stage.editor, "By an editor", &editors).await;
    assert_eq!(first.json()["savedFrom"], stage.saved_from(true));
    expect_replay(&rename(&stage.editor, "By an editor", &editors).await, &first);
    let own = rename(&stage.ben, "By its owner", &owners).await;
    changed(&stage.ana, &stage.source.id, &json!({ "visibility": "unlisted" })).await;
    let again = rename(&stage.editor, "By an editor", &editors).await;
    again.expect_error(422, "idempotencyKeyReused");
    assert!(!again.text().contains(&stage.source.id));
    expect_replay(&rename(&stage.ben, "By its owner", &owners).await, &own);
    let second = rename(&stage.editor, "Again", &hidden).await;
    assert_eq!(second.json()["savedFrom"], stage.saved_from(false));
    assert!(second.header("etag").ends_with(".mw\""), "{}", second.header("etag"));
    expect_replay(&rename(&stage.editor, "Again", &hidden).await, &second);
}
