//! Downloading one's own data.

use std::io::{Cursor, Read};

use futures::StreamExt;
use itinerary_app::export;
use itinerary_tests::app::{App as TokenApp, path};
use itinerary_tests::bodies::{full, on_day};
use itinerary_tests::browser::Browser;
use itinerary_tests::{RawResponse, World, api_test};
use reqwest::Method;
use serde_json::{Value, json};
use zip::ZipArchive;

use super::App;
use crate::documents::small;
use crate::explore::{follow, published};
use itinerary_tests::documents::{SCOPE, files};
use itinerary_tests::sealed_files;

const PATH: &str = "/account/data";

async fn download(browser: &Browser) -> RawResponse {
    let form = browser.visit(PATH).await.form(PATH);
    browser.post(&form, &[]).send().await
}

/// The files of an archive, with their names.
fn opened(archive: Vec<u8>) -> Vec<(String, Vec<u8>)> {
    let mut archive = ZipArchive::new(Cursor::new(archive)).expect("an archive");
    let number = archive.len();
    let read = |n: usize| {
        let mut file = archive.by_index(n).expect("a file");
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes).expect("its bytes");
        (file.name().expect("UTF-8").into_owned(), bytes)
    };
    (0..number).map(read).collect()
}

fn file<'f>(files: &'f [(String, Vec<u8>)], name: &str) -> &'f [u8] {
    let found = files.iter().find(|(known, _)| known == name);
    &found.unwrap_or_else(|| panic!("no {name} in {:?}", files.iter().map(|(name, _)| name).collect::<Vec<_>>())).1
}

fn json_of(files: &[(String, Vec<u8>)], name: &str) -> Value {
    serde_json::from_slice(file(files, name)).expect("JSON")
}

#[api_test(limits = false)]
async fn the_archive_has_everything(world: World) {
    let browser = Browser::signed_up(&world, "ana").await;
    world.set_plan("ana", itinerary_model::Plan::Pro).await;
    let ana = TokenApp::with_scope(&world, "ana", SCOPE).await;
    let ben = TokenApp::of(&world, "ben").await;
    App::public(&world).await.connect(&browser).await;
    let whole = ana.created(&full()).await;
    let other = ana.created(&on_day(2)).await;
    let document = small(&ana, &whole.id).await;
    let bens = published(&ben, &on_day(3)).await;
    ana.call(Method::PUT, &format!("{}/like", path(&bens.id))).send().await;
    let report = ana.call(Method::POST, &format!("{}/reports", path(&bens.id)));
    report.json(&json!({ "reason": "spam", "note": "my words" })).send().await;
    let ben_id = world.service().store.account_by_username("ben").await.expect("a database").expect("he is there").id;
    let cleo = world.account("cleo").await;
    ana.call(Method::PUT, &format!("/v1/accounts/{cleo}/block")).send().await;
    // An invitation is nothing of hers until she accepts it.
    let ana_id = world.service().store.account_by_username("ana").await.expect("a database").expect("she is there").id;
    let invite = ben.call(Method::PUT, &format!("{}/members/{ana_id}", path(&bens.id)));
    assert_eq!(invite.json(&json!({ "role": "viewer" })).send().await.json()["status"], "pending");
    follow(&ana, ben_id, true).await;
    let link = ana.call(Method::POST, &format!("{}/links", path(&whole.id)));
    assert_eq!(link.json(&json!({ "label": "Parents" })).send().await.status, 201);
    // Including sections that the plan no longer shows.
    let seen = ana.viewed(&whole.id).await.json;
    world.set_plan("ana", itinerary_model::Plan::Free).await;

    let response = download(&browser).await;
    assert_eq!((response.status.as_u16(), response.header("content-type")), (200, "application/zip"));
    assert_eq!(response.header("content-disposition"), "attachment; filename=\"itineraries-ana-2027-01-10.zip\"");
    assert_eq!(response.header("cache-control"), "no-store");
    let files = opened(response.body);
    let account = json_of(&files, "account.json");
    assert_eq!((&account["username"], &account["plan"]), (&json!("ana"), &json!("free")));
    assert!(!String::from_utf8_lossy(file(&files, "account.json")).contains("argon2"), "no hash of the password");
    let mut archived = json_of(&files, &format!("itineraries/{}/itinerary.json", whole.id));
    assert_eq!(archived["author"]["isPro"].take(), false);
    let mut seen = seen;
    seen["author"]["isPro"].take();
    assert_eq!(archived, seen);
    assert_eq!(json_of(&files, &format!("itineraries/{}/itinerary.json", other.id))["id"], other.id.as_str());
    let sealed = files.iter().filter(|(name, _)| name.contains("/documents/")).collect::<Vec<_>>();
    assert_eq!(sealed.len(), 1);
    assert!(sealed[0].0.starts_with(&format!("itineraries/{}/documents/{document}/", whole.id)), "{}", sealed[0].0);
    assert_eq!(sealed[0].1, sealed_files::age(500));
    let apps = json_of(&files, "connected-apps.json");
    assert!(apps.as_array().is_some_and(|apps| apps.iter().any(|app| app["name"] == "Trip Notes")), "{apps}");
    assert_eq!(json_of(&files, "following.json")[0]["username"], "ben");
    assert_eq!(json_of(&files, "followers.json"), json!([]));
    assert_eq!(json_of(&files, "blocked.json")[0]["username"], "cleo");
    let marks = json_of(&files, "marks.json");
    assert_eq!((&marks[0]["itineraryId"], &marks[0]["mark"]), (&json!(bens.id), &json!("like")));
    assert_eq!(json_of(&files, "reports.json")[0]["note"], "my words");
    assert_eq!(json_of(&files, "shared-with-me.json"), json!([]));
    assert_eq!(json_of(&files, "personal-access-tokens.json"), json!([]));
    let links = json_of(&files, &format!("itineraries/{}/links.json", whole.id));
    assert_eq!((&links[0]["label"], &links[0]["sections"]), (&json!("Parents"), &json!("plan")));
    assert_eq!(files.len(), 13);
}

#[api_test]
async fn a_missing_file_is_named_and_the_rest_is_there(world: World) {
    let browser = Browser::signed_up(&world, "ana").await;
    world.set_plan("ana", itinerary_model::Plan::Pro).await;
    let ana = TokenApp::with_scope(&world, "ana", SCOPE).await;
    let made = ana.created(&on_day(1)).await;
    let (lost, kept) = (small(&ana, &made.id).await, small(&ana, &made.id).await);
    assert_eq!(files(&world.data()).len(), 2);
    std::fs::remove_file(world.data().join("files/documents").join(&lost)).expect("it is there");
    let files = opened(download(&browser).await.body);
    assert_eq!(json_of(&files, "missing-files.json"), json!([lost]));
    assert!(files.iter().any(|(name, _)| name.contains(&kept)));
}

#[api_test]
async fn only_who_is_signed_in_downloads_and_once_at_a_time(world: World) {
    let browser = Browser::signed_up(&world, "ana").await;
    let form = browser.visit(PATH).await.form(PATH);
    assert_eq!(Browser::new(&world).submit(&form, &[]).await.address.path(), "/sign-in");
    assert_eq!(browser.submit(&form.clone().with("guard", "forged"), &[]).await.response.status, 403);
    let account = world.service().store.account_by_username("ana").await.expect("a database").expect("she is there");
    let running = world.service().exports.acquire(account.id).expect("the first");
    let page = browser.submit(&form, &[]).await;
    assert_eq!(page.response.status, 429);
    page.assert_says("A download of your data is already running.");
    drop(running);
    assert_eq!(download(&browser).await.status, 200);
}

// A reader that stalls makes the server hold only a few pieces; when it disconnects, the archive is abandoned.
#[api_test(limits = false)]
async fn an_archive_waits_for_its_reader(world: World) {
    let app = TokenApp::of(&world, "ana").await;
    for day in 1..=20 {
        app.created(&itinerary_tests::bodies::with(on_day(day), json!({ "summary": "é".repeat(4_000) }))).await;
    }
    let account = world.service().store.account_by_username("ana").await.expect("a database").expect("she is there");
    let service = world.shared_service();
    let mut archive = export::archive(&service, account.clone()).expect("none is running");
    let first = archive.next().await.expect("a piece").expect("it is read");
    assert!(first.len() < 256 * 1024, "{} bytes", first.len());
    let mut rest = 0;
    while let Some(piece) = archive.next().await {
        let piece = piece.expect("it is read");
        assert!(piece.len() < 256 * 1024, "{} bytes", piece.len());
        rest += 1;
    }
    assert!(rest > 1, "it comes in pieces");
    let mut given_up = export::archive(&service, account.clone()).expect("none is running");
    given_up.next().await.expect("a piece").expect("it is read");
    drop(given_up);
    let ended = async {
        while service.exports.acquire(account.id).is_none() {
            tokio::task::yield_now().await;
        }
    };
    tokio::time::timeout(std::time::Duration::from_secs(30), ended).await.expect("it ends");
}
