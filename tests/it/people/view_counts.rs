//! View counts: one per day for each other traveller.

use chrono::TimeDelta;
use futures::future::join_all;
use itinerary_sdk::types::MemberRole::Editor;
use itinerary_server::jobs::count_reads;
use itinerary_tests::app::{App, Stored};
use itinerary_tests::raw::Call;
use itinerary_tests::{World, api_test};
use reqwest::Method;
use serde_json::json;

use super::{Person, account_path, crowd, path};

/// The views after counting, as the owner sees them. Does not count as a read.
async fn counted(world: &World, owner: &App<'_>, at: &Stored) -> i64 {
    count_reads(world.service()).await.expect("a database");
    owner.viewed(&at.id).await.json["viewsCount"].as_i64().expect("a number")
}

#[api_test(limits = false)]
async fn each_other_traveller_counts_once_a_day(world: World) {
    let (ana, ben, cleo) =
        (Person::of(&world, "ana").await, Person::of(&world, "ben").await, Person::of(&world, "cleo").await);
    let at = ana.shows(1, "public").await;
    let before = ana.app.view(&at.id).await;
    for _ in 0..3 {
        assert_eq!(counted(&world, &ana.app, &at).await, 0, "the owner does not count");
    }
    for _ in 0..3 {
        ben.app.viewed(&at.id).await;
        assert_eq!(counted(&world, &ana.app, &at).await, 1, "once, however often it is counted");
    }
    // A reader with two apps, who reads twice before counting, counts once.
    let other = App::with_scope(&world, "cleo", "itineraries:read").await;
    for app in [&cleo.app, &other, &cleo.app] {
        app.viewed(&at.id).await;
    }
    assert_eq!(counted(&world, &ana.app, &at).await, 2);
    // Members count, too.
    let member = Person::of(&world, "member").await;
    ana.shares(&at, &member, Editor).await;
    member.app.viewed(&at.id).await;
    assert_eq!(counted(&world, &ana.app, &at).await, 3);
    assert_eq!(ben.app.viewed(&at.id).await.json["viewsCount"], 3, "everyone is told");

    // Counting changes neither the version, nor the time of change, nor the position in lists.
    let now = ana.app.view(&at.id).await;
    let mut expected = before.json();
    expected["viewsCount"] = 3.into();
    assert_eq!((now.json(), now.header("etag")), (expected, before.header("etag")));
    let known = ana.app.call(Method::GET, &path(&at.id)).header("If-None-Match", before.header("etag")).send().await;
    assert_eq!(known.status, 304);
    assert!(ana.app.listed("updatedSince=2027-01-10T12:00:00.001Z").await.is_empty());
    let written = ana.app.patched(&at, &json!({ "title": "T" })).await;
    assert_eq!((written.etag.as_str(), &written.json["viewsCount"]), ("\"v3.m\"", &json!(3)));
}

// Days are in UTC. The clock starts at noon.
#[api_test(limits = false)]
async fn another_day_counts_again(world: World) {
    for name in ["ana", "ben", "cleo"] {
        world.account(name).await;
    }
    let at = Person::of(&world, "ana").await.shows(1, "public").await;
    let mut expected = 0;
    for (hours, who, more) in [
        (0, &["ben"][..], 1),      // the first day, 12:00
        (11, &["ben", "cleo"], 1), // 23:00
        (1, &["ben"], 1),          // the second day, 00:00
        (23, &["ben"], 0),         // 23:00
        (24, &["ben", "cleo"], 2), // the third day
        (240, &["ben"], 1),        // days without a read change nothing
    ] {
        world.clock.advance(TimeDelta::hours(hours));
        for name in who {
            App::of(&world, name).await.viewed(&at.id).await;
        }
        expected += more;
        let ana = App::of(&world, "ana").await;
        assert_eq!(counted(&world, &ana, &at).await, expected, "{hours} hours on");
    }
}

// A read counts for its own day, even if it is counted later.
#[api_test(limits = false)]
async fn a_read_counts_for_the_day_on_which_it_was(world: World) {
    for name in ["ana", "ben"] {
        world.account(name).await;
    }
    let at = Person::of(&world, "ana").await.shows(1, "public").await;
    world.clock.advance(TimeDelta::hours(12) - TimeDelta::seconds(1));
    let ben = App::of(&world, "ben").await;
    ben.viewed(&at.id).await; // 23:59:59
    world.clock.advance(TimeDelta::seconds(1));
    let ana = App::of(&world, "ana").await;
    assert_eq!(counted(&world, &ana, &at).await, 1);
    ben.viewed(&at.id).await; // 00:00:00
    assert_eq!(counted(&world, &ana, &at).await, 2, "he read it on two days");
}

// A rejected read does not count; a 304 does.
#[api_test(limits = false)]
async fn rejected_reads_are_not_counted(world: World) {
    let (ana, ben, cleo) =
        (Person::of(&world, "ana").await, Person::of(&world, "ben").await, Person::of(&world, "cleo").await);
    let at = ana.shows(1, "private").await;
    ben.app.view(&at.id).await.expect_error(404, "notFound");
    world.call(Method::GET, &path(&at.id)).send().await.expect_error(401, "unauthenticated");
    let writes = App::with_scope(&world, "cleo", "itineraries:write").await;
    writes.view(&at.id).await.expect_error(403, "forbidden");
    let at = ana.moves(&at, "public").await;
    writes.view(&at.id).await.expect_error(403, "forbidden");
    // Lists that contain the itinerary do not count as reads.
    for list in ["/v1/explore", "/v1/explore?q=Lisbon", &account_path(ana.id, "/itineraries")] {
        ben.got(list).await;
    }
    assert_eq!(counted(&world, &ana.app, &at).await, 0);
    let known = ben.app.call(Method::GET, &path(&at.id)).header("If-None-Match", "\"v2.e\"").send().await;
    assert_eq!(known.status, 304);
    assert_eq!(counted(&world, &ana.app, &at).await, 1);
    // A reader who loses access before counting has read it.
    cleo.app.viewed(&at.id).await;
    let at = ana.moves(&at, "private").await;
    assert_eq!(counted(&world, &ana.app, &at).await, 2);
    // Reads of an itinerary deleted before counting are ignored.
    let (gone, stays) = (ana.shows(2, "public").await, ana.shows(3, "public").await);
    for stored in [&gone, &stays] {
        ben.app.viewed(&stored.id).await;
    }
    assert_eq!(ana.app.delete(&gone).await.status, 204);
    assert_eq!(counted(&world, &ana.app, &stays).await, 1);
}

// Servers that count concurrently count each reader once.
#[api_test(limits = false)]
async fn servers_that_count_at_once_count_nobody_twice(world: World) {
    let replica = world.replica_with(|config| config.limits = false).await;
    let ana = Person::of(&world, "ana").await;
    let mut trips = Vec::new();
    for day in 1..=3 {
        trips.push(ana.shows(day, "public").await);
    }
    let people = crowd(&world, "p", 12).await;
    let reads = people.iter().enumerate().flat_map(|(n, person)| {
        let bases = if n < 4 {
            vec![world.base_url.clone()]
        } else {
            vec![world.base_url.clone(), format!("http://{}", replica.address)]
        };
        let urls: Vec<_> =
            bases.iter().flat_map(|base| trips.iter().map(move |at| format!("{base}{}", path(&at.id)))).collect();
        urls.into_iter().map(|url| Call(world.http.get(url)).token(&person.app.token).send())
    });
    assert!(join_all(reads).await.iter().all(|response| response.status == 200));
    let counts =
        join_all([world.service(), &replica.service, world.service(), &replica.service].map(count_reads)).await;
    let counts: Vec<_> = counts.into_iter().map(|count| count.expect("a database")).collect();
    assert_eq!(counts.iter().sum::<u64>(), 36, "{counts:?}");
    for at in &trips {
        assert_eq!(counted(&world, &ana.app, at).await, 12);
    }
    replica.stop().await;
}
