//! Lists: filters, order, pages while rows come and go, and cursors, which are valid for one list only (H-35).

use std::collections::BTreeSet;

use chrono::TimeDelta;
use futures::TryStreamExt;
use itinerary_sdk::Paged;
use itinerary_sdk::types::ListFilter;
use itinerary_tests::{World, api_test};
use serde_json::{Value, json};

use super::fixtures::{full, lisbon, minimal, on_day, with};
use super::{App, Stored, ids};

const FILTERS: [&str; 6] = ["all", "owned", "saved", "shared", "liked", "disliked"];

/// Creates this many itineraries, one second after the other except for pairs of the same instant. Oldest first.
async fn made(world: &World, app: &App<'_>, count: usize) -> Vec<Stored> {
    let mut made = Vec::new();
    for n in 0..count {
        let response = app.create_call("?allowDuplicate=true", &minimal()).send().await;
        made.push(Stored::of(&response));
        world.clock.advance(TimeDelta::seconds((n % 2).try_into().expect("0 or 1")));
    }
    made
}

async fn refused(app: &App<'_>, query: String) {
    app.list(&query).await.expect_invalid("cursor");
}

fn cursor(page: &Value) -> Option<String> {
    let cursor = page.get("nextCursor").expect("a page always says whether there is another");
    cursor.as_str().map(str::to_owned)
}

/// The ids of every page.
async fn walked(app: &App<'_>, query: &str) -> Vec<String> {
    let (mut found, mut next) = (Vec::new(), String::new());
    loop {
        let response = app.list(&format!("{query}{next}")).await;
        assert_eq!(response.status, 200, "{}", response.text());
        found.extend(ids(&response.json()));
        match cursor(&response.json()) {
            Some(cursor) => next = format!("&cursor={cursor}"),
            None => return found,
        }
    }
}

#[api_test]
async fn an_entry_says_what_the_itinerary_says(world: World) {
    let app = App::pro(&world, "ana").await;
    let stored = app.created(&full()).await;
    let response = app.list("").await;
    assert_eq!(response.header("cache-control"), "private, no-cache");
    assert_eq!(response.header("vary"), "Authorization, Service-Itinerary-Shape, Accept-Encoding");
    assert_eq!(response.header("etag"), "");
    assert_eq!(response.json()["nextCursor"], Value::Null);
    let mut expected = json!({
        "coverImageUrl": "https://images.example/madeira.jpg?w=1&h=2", "daysCount": 1, "stopsCount": 2,
        "etag": "\"v1.mpd\"", "likesCount": 0,
    });
    let same = ["id", "title", "destination", "summary", "startDate", "tags", "visibility", "role", "updatedAt"];
    for field in same {
        expected[field] = stored.json[field].clone();
    }
    let author = &stored.json["author"];
    expected["author"] = json!({
        "accountId": author["accountId"], "username": author["username"], "displayName": author["displayName"],
    });
    assert_eq!(response.json()["data"], json!([expected]));

    // The ETag equals the one that this reader would get by reading (H-04), and follows every change.
    let poor = App::of(&world, "ana").await;
    assert_eq!(poor.list("").await.json()["data"][0]["etag"], poor.viewed(&stored.id).await.etag);
    let patch = json!({ "title": "U", "summary": null, "coverImage": null, "tags": [], "startDate": "2028-01-01",
        "days": [{}, { "stops": [{ "name": "a" }] }], "destination": { "name": "Porto Santo" },
        "packing": [] });
    let changed = app.patched(&stored, &patch).await;
    let entry = app.list("").await.json()["data"][0].clone();
    for field in same.into_iter().filter(|field| *field != "summary") {
        assert_eq!(entry[field], changed.json[field], "{field}");
    }
    assert_eq!((entry.get("summary"), entry.get("coverImageUrl")), (None, None));
    assert_eq!((&entry["daysCount"], &entry["stopsCount"]), (&json!(2), &json!(1)));
    assert_eq!(entry["etag"], changed.etag);
}

#[api_test]
async fn each_list_holds_its_own(world: World) {
    let (app, other) = (App::of(&world, "ana").await, App::of(&world, "ben").await);
    let one = app.created(&lisbon()).await;
    let theirs = other.created(&minimal()).await;
    other.patched(&theirs, &json!({ "visibility": "public" })).await;
    for filter in FILTERS {
        let expected: &[String] = if ["all", "owned"].contains(&filter) { std::slice::from_ref(&one.id) } else { &[] };
        assert_eq!(app.listed(&format!("filter={filter}")).await, expected, "{filter}");
        assert_eq!(walked(&app, &format!("filter={filter}&updatedSince=2027-01-01T00:00:00Z")).await, expected);
    }
    assert_eq!(app.listed("").await, std::slice::from_ref(&one.id));
    let client = world.client("ana").await;
    let saved: Vec<_> = client.itinerary_list().filter(ListFilter::Saved).stream().try_collect().await.expect("a list");
    assert!(saved.is_empty());
    for bad in ["filter=mine", "filter=", "filter=Owned", "filter=all&filter=all", "filter=following"] {
        app.list(bad).await.expect_invalid("filter");
    }
}

#[api_test]
async fn the_newest_change_comes_first(world: World) {
    let app = App::of(&world, "ana").await;
    let mut trips = Vec::new();
    for day in 1..=4 {
        trips.push(app.created(&on_day(day)).await);
        world.clock.advance(TimeDelta::seconds(1));
    }
    let ids = |order: [usize; 4]| order.map(|n| trips[n].id.clone());
    assert_eq!(app.listed("").await, ids([3, 2, 1, 0]));
    app.patched(&trips[1], &json!({ "title": "T" })).await;
    assert_eq!(app.listed("").await, ids([1, 3, 2, 0]));
}

#[api_test]
async fn updated_since_is_inclusive_and_oldest_first(world: World) {
    let app = App::of(&world, "ana").await;
    let mut trips = Vec::new();
    for day in 1..=3 {
        trips.push(app.created(&on_day(day)).await.id);
        world.clock.advance(TimeDelta::milliseconds(1500));
    }
    for (since, first) in [
        ("2027-01-10T12:00:00Z", 0),
        ("2027-01-10T12:00:00.001Z", 1),
        ("2027-01-10T12:00:01.500Z", 1),
        ("2027-01-10T12:00:01.501Z", 2),
        ("2027-01-10T13:00:03%2B01:00", 2),
        // An unescaped plus is understood.
        ("2027-01-10T13:00:01.500+01:00", 1),
        ("2027-01-10T07:00:03-05:00", 2),
        ("2027-01-10T12:00:03.001Z", 3),
    ] {
        assert_eq!(app.listed(&format!("updatedSince={since}")).await, trips[first..], "{since}");
    }
    for bad in ["", "yesterday", "2027-01-10", "2027-01-10T12:00:00", "1768046400"] {
        app.list(&format!("updatedSince={bad}")).await.expect_invalid("updatedSince");
    }
    let client = world.client("ana").await;
    let since: chrono::DateTime<chrono::Utc> = "2027-01-10T12:00:01.500Z".parse().expect("a time");
    let found: Vec<_> =
        client.itinerary_list().updated_since(since).limit(1).stream().try_collect().await.expect("a list");
    let found: Vec<_> = found.into_iter().map(|entry| entry.id.to_string()).collect();
    assert_eq!(found, trips[1..]);
}

/// H-35.
#[api_test(limits = false)]
async fn a_page_holds_1_to_100_and_25_unless_it_is_said(world: World) {
    let app = App::of(&world, "ana").await;
    let mut newest_first: Vec<_> = made(&world, &app, 101).await.into_iter().map(|stored| stored.id).collect();
    newest_first.reverse();
    for (query, length) in [("", 25), ("limit=1", 1), ("limit=25", 25), ("limit=100", 100)] {
        let page = app.list(query).await.json();
        assert_eq!(ids(&page).len(), length, "{query}");
        assert!(cursor(&page).is_some());
    }
    for bad in ["0", "101", "-1", "abc", "", "1.5", "99999999999999999999", "1&limit=1"] {
        app.list(&format!("limit={bad}")).await.expect_invalid("limit");
    }
    let all: BTreeSet<_> = newest_first.iter().cloned().collect();
    let found = walked(&app, "limit=100").await;
    assert_eq!((found.len(), found.iter().cloned().collect::<BTreeSet<_>>()), (101, all));
    // The last page has no cursor, even if it is full.
    let page = app.list("limit=100&filter=owned").await.json();
    let last = app.list(&format!("limit=1&filter=owned&cursor={}", cursor(&page).expect("another"))).await.json();
    assert_eq!((ids(&last).len(), cursor(&last)), (1, None));
}

// H-35: rows that come and go make no other row skip or repeat, in either direction, ties included.
#[api_test(limits = false)]
async fn nothing_is_skipped_or_repeated_while_others_come_and_go(world: World) {
    for (name, since) in [("ana", ""), ("ben", "&updatedSince=2027-01-01T00:00:00Z")] {
        let app = App::of(&world, name).await;
        let mut here = made(&world, &app, 60).await;
        let (mut found, mut next, mut gone, mut come) = (Vec::new(), String::new(), BTreeSet::new(), Vec::new());
        loop {
            let page = app.list(&format!("limit=7{since}{next}")).await.json();
            found.extend(ids(&page));
            let Some(cursor) = cursor(&page) else { break };
            next = format!("&cursor={cursor}");
            if come.len() == 6 {
                continue;
            }
            // One shown row goes, at which the cursor stands; one that was not shown goes; one comes.
            let last = found.last().expect("a page is not empty").clone();
            let shown = here.iter().position(|stored| stored.id == last).expect("it is there");
            assert_eq!(app.delete(&here.remove(shown)).await.status, 204);
            let unseen = here.iter().rposition(|stored| !found.contains(&stored.id)).expect("there are more");
            let unseen = here.remove(unseen);
            assert_eq!(app.delete(&unseen).await.status, 204);
            gone.insert(unseen.id);
            world.clock.advance(TimeDelta::seconds(1));
            come.push(made(&world, &app, 1).await.remove(0).id);
        }
        let unique: BTreeSet<_> = found.iter().cloned().collect();
        assert_eq!(unique.len(), found.len(), "nothing twice");
        assert!(found.iter().all(|id| !gone.contains(id)), "what went before it was reached is not shown");
        assert!(here.iter().all(|stored| unique.contains(&stored.id)), "nothing is left out");
        // In forward order new rows come last; in reverse order they precede the first page.
        assert_eq!(
            come.iter().filter(|id| unique.contains(*id)).count(),
            if since.is_empty() { 0 } else { come.len() }
        );
    }
}

#[api_test(limits = false)]
async fn the_sdk_walks_all_pages(world: World) {
    let app = App::of(&world, "ana").await;
    let expected: BTreeSet<_> = made(&world, &app, 15).await.into_iter().map(|stored| stored.id).collect();
    let client = world.client("ana").await;
    let found: Vec<_> = client.itinerary_list().limit(4).stream().try_collect().await.expect("a list");
    assert_eq!(found.len(), 15);
    assert_eq!(found.iter().map(|entry| entry.id.to_string()).collect::<BTreeSet<_>>(), expected);
    assert!(found.is_sorted_by(|a, b| (b.updated_at, b.id) < (a.updated_at, a.id)));
    let pages: Vec<_> = client.itinerary_list().limit(4).pages().try_collect().await.expect("a list");
    assert_eq!(pages.iter().map(|page| page.data.len()).collect::<Vec<_>>(), [4, 4, 4, 3]);
}

// H-35: a cursor that is foreign, altered or of another list is rejected. It works on another server and with another
// page size.
#[api_test]
async fn a_cursor_is_good_for_its_list_alone(world: World) {
    let (app, other) = (App::of(&world, "ana").await, App::of(&world, "ben").await);
    made(&world, &app, 5).await;
    made(&world, &other, 5).await;
    let since = "updatedSince=2027-01-10T12:00:00Z";
    let plain = cursor(&app.list("limit=2").await.json()).expect("another page");
    let dated = cursor(&app.list(&format!("limit=2&{since}")).await.json()).expect("another page");
    refused(&other, format!("limit=2&cursor={plain}")).await;
    for filter in ["owned", "saved", "shared", "liked", "disliked"] {
        refused(&app, format!("filter={filter}&cursor={plain}")).await;
    }
    refused(&app, format!("{since}&cursor={plain}")).await;
    refused(&app, format!("cursor={dated}")).await;
    refused(&app, format!("updatedSince=2027-01-10T12:00:01Z&cursor={dated}")).await;
    refused(&app, format!("cursor={plain}&cursor={plain}")).await;
    for bad in ["", "x", "null", &plain[1..], &plain[..plain.len() - 1], &format!("{plain}A"), &plain.to_lowercase()] {
        refused(&app, format!("cursor={bad}")).await;
    }
    for at in 0..plain.len() {
        let mut altered = plain.clone().into_bytes();
        altered[at] = if altered[at] == b'A' { b'B' } else { b'A' };
        refused(&app, format!("cursor={}", String::from_utf8(altered).expect("plain text"))).await;
        if at % 50 == 0 {
            world.clock.advance(TimeDelta::seconds(60));
        }
    }
    // Opaque: no cursor shows its content, and no two are equal.
    assert_ne!(plain, cursor(&app.list("limit=2").await.json()).expect("another page"));

    let rest = app.list(&format!("limit=100&cursor={plain}")).await.json();
    assert_eq!((ids(&rest).len(), cursor(&rest)), (3, None));
    assert_eq!(ids(&app.list(&format!("filter=all&cursor={plain}")).await.json()), ids(&rest));
    assert_eq!(ids(&app.list(&format!("{since}&cursor={dated}")).await.json()).len(), 3);
    let replica = world.replica().await;
    let address = format!("http://{}/v1/itineraries?cursor={plain}", replica.address);
    let there = itinerary_tests::raw::Call(world.http.get(address)).token(&app.token).send().await;
    assert_eq!(ids(&there.json()), ids(&rest));
    replica.stop().await;
}

#[api_test]
async fn every_duplicate_that_was_allowed_is_listed(world: World) {
    let app = App::of(&world, "ana").await;
    let one = app.created(&minimal()).await;
    let response = app.create_call("?allowDuplicate=true", &with(minimal(), json!({ "title": "again" }))).send().await;
    let found: BTreeSet<_> = app.listed("").await.into_iter().collect();
    assert_eq!(found, BTreeSet::from([one.id, Stored::of(&response).id]));
}
