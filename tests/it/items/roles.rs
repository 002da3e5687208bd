//! The lists of another person's itinerary: what members are shown and change. `http::roles` has the response to every
//! operation by role and plan. A statement adds the members, because sharing is not tested here.

use futures::future::join_all;
use itinerary_tests::app::{App, Stored, key, path};
use itinerary_tests::bodies::on_day;
use itinerary_tests::{World, api_test};
use reqwest::Method;
use serde_json::{Value, json};
use uuid::Uuid;

use super::{Part, done, ids_of, one_of_each, set_pro};

/// Makes someone a member with this role.
pub(super) async fn share(world: &World, at: &Stored, name: &str, role: &str) {
    unshare(world, at, name).await;
    world.member(&at.id, account(world, name).await, role).await;
}

pub(super) async fn unshare(world: &World, at: &Stored, name: &str) {
    world.no_member(&at.id, account(world, name).await).await;
}

async fn account(world: &World, name: &str) -> Uuid {
    world.service().store.account_by_username(name).await.expect("a database").expect("a known name").id
}

#[api_test(limits = false)]
async fn a_member_is_shown_what_plan_and_scope_show(world: World) {
    let owner = App::pro(&world, "ana").await;
    let at = owner.created(&one_of_each()).await;
    let with_documents = itinerary_tests::app::WITH_DOCUMENTS;
    for (name, role, pro, scope, letters) in [
        ("eda", "editor", false, "itineraries:read", "mw"),
        ("eda", "editor", true, "itineraries:read", "mpw"),
        ("vic", "viewer", false, with_documents, "mdv"),
        ("vic", "viewer", true, with_documents, "mpdv"),
    ] {
        let app = App::with_scope(&world, name, scope).await;
        app.view(&at.id).await.expect_error(404, "notFound");
        set_pro(&world, name, pro).await;
        share(&world, &at, name, role).await;
        let read = app.viewed(&at.id).await;
        assert_eq!((read.json["role"].as_str(), read.etag), (Some(role), format!("\"v1.{letters}\"")));
        for part in Part::ALL {
            let shown = read.json.get(part.name()).is_some();
            assert_eq!(shown, pro || !part.needs_pro(), "{name} {part:?}");
        }
        assert_eq!(read.json.get("documents").is_some(), letters.contains('d'));
        assert_eq!(read.json["author"]["username"], "ana");
        unshare(&world, &at, name).await;
    }
}

#[api_test(limits = false)]
async fn an_editor_changes_the_content_and_nothing_else(world: World) {
    let owner = App::pro(&world, "ana").await;
    let editor = App::of(&world, "eda").await;
    let at = owner.created(&one_of_each()).await;
    share(&world, &at, "eda", "editor").await;
    let mut at = editor.viewed(&at.id).await;
    at = editor.patched(&at, &json!({ "title": "T", "visibility": "private" })).await;
    at = editor.patched(&at, &editor.viewed(&at.id).await.json).await;
    for part in [Part::Flights, Part::Hotels] {
        at = part.added(&editor, &at, &part.least("n")).await;
    }
    editor.patch(&at, &json!({ "visibility": "public" })).await.expect_error(403, "forbidden");
    editor.delete(&at).await.expect_error(403, "forbidden");
    for part in [Part::Expenses, Part::Packing] {
        let changed = json!({ part.name(): [part.item("other")] });
        let details = editor.patch(&at, &changed).await.expect_error(403, "subscriptionRequired");
        assert_eq!(details, json!({ "section": part.name() }));
    }
    // Members with Pro see everything, whatever the owner's plan.
    set_pro(&world, "eda", true).await;
    set_pro(&world, "ana", false).await;
    for part in [Part::Expenses, Part::Packing] {
        at = part.added(&editor, &at, &part.item(&format!("by-eda-{}", part.name()))).await;
        owner_sees_nothing(&owner, &at, part).await;
    }
    set_pro(&world, "ana", true).await;
    let read = owner.viewed(&at.id).await;
    for part in [Part::Expenses, Part::Packing] {
        assert_eq!(read.json[part.name()], at.json[part.name()]);
    }
}

async fn owner_sees_nothing(owner: &App<'_>, at: &Stored, part: Part) {
    part.list(owner, &at.id).await.expect_error(403, "subscriptionRequired");
    assert_eq!(owner.viewed(&at.id).await.json.get(part.name()), None);
}

// An editor's removal clears links that the editor cannot see, like the owner's.
#[api_test(limits = false)]
async fn removal_by_an_editor_clears_links_of_hidden_items(world: World) {
    let owner = App::pro(&world, "ana").await;
    let editor = App::of(&world, "eda").await;
    let mut at = owner.created(&one_of_each()).await;
    for (part, kind, id) in [(Part::Expenses, "flight", "flights"), (Part::Packing, "hotel", "hotels")] {
        at = part.updated(&owner, &at, part.name(), &json!({ "belongsTo": { "kind": kind, "id": id } })).await;
    }
    share(&world, &at, "eda", "editor").await;
    let before = at.clone();
    let seen = Part::Flights.removed(&editor, &at, "flights").await;
    assert!(seen.json.get("expenses").is_none() && !seen.etag.contains('p'), "they are not told either");
    let read = owner.viewed(&at.id).await.json;
    assert_eq!(read["expenses"][0].get("belongsTo"), None);
    assert_eq!(read["packing"], before.json["packing"], "the other link stays");
    Part::Hotels.removed(&editor, &seen, "hotels").await;
    let read = owner.viewed(&at.id).await.json;
    assert_eq!(read["packing"][0].get("belongsTo"), None);
    for part in [Part::Expenses, Part::Packing] {
        let mut expected = before.json[part.name()].clone();
        expected[0].as_object_mut().expect("an object").remove("belongsTo");
        assert_eq!(read[part.name()], expected, "and nothing else of it is touched");
    }
}

// Takes effect with the next request, even for replays.
#[api_test(limits = false)]
async fn a_role_that_ends_ends_at_once(world: World) {
    let owner = App::pro(&world, "ana").await;
    let editor = App::of(&world, "eda").await;
    let mut at = owner.created(&one_of_each()).await;
    let public = owner.created(&on_day(2)).await;
    for part in [Part::Flights, Part::Hotels] {
        let key = key();
        share(&world, &at, "eda", "editor").await;
        let send = || {
            let call = part.add_call(&editor, &at.id, &part.least("n")).header("Idempotency-Key", &key);
            call.header("If-Match", &at.etag).send()
        };
        let first = send().await;
        assert_eq!(send().await.header("idempotency-replayed"), "true");
        share(&world, &at, "eda", "viewer").await;
        send().await.expect_error(403, "forbidden");
        assert_eq!(part.list(&editor, &at.id).await.json()["data"], done(&first).json[part.name()]);
        unshare(&world, &at, "eda").await;
        send().await.expect_error(404, "notFound");
        let known = editor.call(Method::GET, &part.path(&at.id)).header("If-None-Match", first.header("etag"));
        known.send().await.expect_error(404, "notFound");
        at = done(&first);
    }
    // A former member of a public itinerary is a reader.
    let public = owner.patched(&public, &json!({ "visibility": "public" })).await;
    share(&world, &public, "eda", "viewer").await;
    let member = editor.viewed(&public.id).await;
    unshare(&world, &public, "eda").await;
    for part in Part::ALL {
        let call = editor.call(Method::GET, &part.path(&public.id)).header("If-None-Match", &member.etag);
        call.send().await.expect_error(403, "forbidden");
    }
    let again = editor.call(Method::GET, &path(&public.id)).header("If-None-Match", &member.etag).send().await;
    assert_eq!((again.status.as_u16(), again.header("etag")), (200, "\"v2.e\""));
    assert_eq!(again.json().get("flights"), None);
}

// Concurrent writers do not lose each other's changes.
#[api_test(limits = false)]
async fn owner_and_editors_write_side_by_side(world: World) {
    let owner = App::pro(&world, "ana").await;
    let editor = App::of(&world, "eda").await;
    let at = owner.created(&on_day(1)).await;
    share(&world, &at, "eda", "editor").await;
    let writes = (0..12).map(|n| {
        let (app, part) = if n % 2 == 0 { (&owner, Part::Packing) } else { (&editor, Part::Hotels) };
        let call = part.add_call(app, &at.id, &part.item(&format!("n{n}"))).header("If-Match", "*");
        async move { call.send().await }
    });
    let responses = join_all(writes).await;
    assert!(responses.iter().all(|response| response.status == 200));
    let read = owner.viewed(&at.id).await;
    let ids = |part: Part| {
        let mut ids: Vec<_> = ids_of(&read, part).into_iter().map(str::to_owned).collect();
        ids.sort_by_key(|id| id[1..].parse::<u32>().expect("a number"));
        Value::from(ids)
    };
    assert_eq!(ids(Part::Packing), json!(["n0", "n2", "n4", "n6", "n8", "n10"]));
    assert_eq!(ids(Part::Hotels), json!(["n1", "n3", "n5", "n7", "n9", "n11"]));
    assert_eq!(read.etag, "\"v13.mpd\"");
}
