//! The lists of liked and disliked itineraries in the library.

use chrono::TimeDelta;
use futures::TryStreamExt;
use itinerary_sdk::Paged;
use itinerary_sdk::types::ListFilter;
use itinerary_tests::app::{App, ids};
use itinerary_tests::bodies::{minimal, on_day};
use itinerary_tests::{World, api_test};
use serde_json::{Value, json};

use super::{changed, deleted, saved, set};
use crate::explore::{account, follow, published, shown};

// Each list has the caller's marks, newest change of the itinerary first. A mark is not a change.
#[api_test(limits = false)]
async fn each_list_has_the_itineraries_with_its_mark(world: World) {
    let (ana, ben) = (App::of(&world, "ana").await, App::of(&world, "ben").await);
    let mut made = Vec::new();
    for day in 1..=4 {
        made.push(published(&ana, &on_day(day)).await.id);
        world.clock.advance(TimeDelta::seconds(1));
    }
    let ids = |order: &[usize]| order.iter().map(|n| made[*n].clone()).collect::<Vec<_>>();
    // Marked in another order than they were changed in.
    for n in [1, 3, 0] {
        set(&ben, &made[n], "like", true).await;
        world.clock.advance(TimeDelta::seconds(1));
    }
    set(&ben, &made[2], "dislike", true).await;
    assert_eq!(ben.listed("filter=liked").await, ids(&[3, 1, 0]));
    assert_eq!(ben.listed("filter=disliked").await, ids(&[2]));
    for filter in ["all", "owned", "shared", "saved"] {
        assert_eq!(ben.listed(&format!("filter={filter}")).await, [""; 0], "{filter}: a mark is no copy");
    }
    assert_eq!(ana.listed("filter=liked").await, [""; 0]);

    set(&ben, &made[1], "dislike", true).await;
    set(&ben, &made[2], "like", true).await;
    set(&ben, &made[0], "like", false).await;
    changed(&ana, &made[2], &json!({ "title": "Changed" })).await;
    assert_eq!(ben.listed("filter=liked").await, ids(&[2, 3]));
    assert_eq!(ben.listed("filter=disliked").await, ids(&[1]));
    let client = world.client("ben").await;
    let liked: Vec<_> =
        client.itinerary_list().filter(ListFilter::Liked).limit(1).stream().try_collect().await.expect("a list");
    assert_eq!(liked.iter().map(|entry| entry.id.to_string()).collect::<Vec<_>>(), ids(&[2, 3]));
    assert_eq!(liked[0].likes_count, 1);
    // One's own, too.
    set(&ana, &made[0], "like", true).await;
    assert_eq!(ana.listed("filter=liked").await, ids(&[0]));
}

// A marked itinerary that is no longer visible is not listed; once it is visible again, it is.
#[api_test(limits = false)]
async fn marked_itinerary_is_listed_only_while_visible(world: World) {
    let (ana, ben) = (App::of(&world, "ana").await, App::of(&world, "ben").await);
    let ana_id = account(&world, "ana").await;
    follow(&ben, ana_id, true).await;
    for (mark, filter) in [("like", "filter=liked"), ("dislike", "filter=disliked")] {
        for visibility in ["public", "unlisted", "followers"] {
            let id = shown(&ana, &minimal(), visibility).await.id;
            set(&ben, &id, mark, true).await;
            assert_eq!(ben.listed(filter).await, [id.as_str()], "{visibility}");
            changed(&ana, &id, &json!({ "visibility": "private" })).await;
            assert_eq!(ben.listed(filter).await, [""; 0], "{visibility}");
            assert_eq!(ben.listed(&format!("{filter}&updatedSince=2027-01-01T00:00:00Z")).await, [""; 0]);
            changed(&ana, &id, &json!({ "visibility": "followers" })).await;
            assert_eq!(ben.listed(filter).await, [id.as_str()], "{visibility}");
            follow(&ben, ana_id, false).await;
            assert_eq!(ben.listed(filter).await, [""; 0], "not followed");
            world.member(&id, account(&world, "ben").await, "viewer").await;
            let entry = ben.list(filter).await.json()["data"][0].clone();
            assert_eq!((&entry["id"], &entry["role"]), (&json!(id), &json!("viewer")));
            assert_eq!(entry["etag"], ben.viewed(&id).await.etag);
            follow(&ben, ana_id, true).await;
            deleted(&ana, &id).await;
            assert_eq!(ben.listed(filter).await, [""; 0], "deleted");
        }
    }
}

// `updatedSince` compares the later of the itinerary's change and the mark; oldest first.
#[api_test(limits = false)]
async fn updated_since_includes_itineraries_marked_or_changed_since(world: World) {
    let (ana, ben) = (App::of(&world, "ana").await, App::of(&world, "ben").await);
    let [old, new, newest] = [
        published(&ana, &on_day(1)).await.id,
        published(&ana, &on_day(2)).await.id,
        published(&ana, &on_day(3)).await.id,
    ];
    let since = async |seconds: u32, filter: &str| {
        ben.listed(&format!("filter={filter}&updatedSince=2027-01-10T12:00:{seconds:02}Z")).await
    };
    world.clock.advance(TimeDelta::seconds(10));
    set(&ben, &new, "like", true).await;
    set(&ben, &newest, "like", true).await;
    world.clock.advance(TimeDelta::seconds(10));
    set(&ben, &old, "like", true).await;
    set(&ben, &new, "like", true).await;
    world.clock.advance(TimeDelta::seconds(10));
    changed(&ana, &newest, &json!({ "title": "Changed" })).await;
    // new arrived at 10 (liking it again is no arrival), old at 20, newest changed at 30.
    for (seconds, expected) in [
        (0, vec![&new, &old, &newest]),
        (10, vec![&new, &old, &newest]),
        (11, vec![&old, &newest]),
        (20, vec![&old, &newest]),
        (21, vec![&newest]),
        (31, vec![]),
    ] {
        assert_eq!(since(seconds, "liked").await.iter().collect::<Vec<_>>(), expected, "{seconds}");
    }
    // Another mark is an arrival in the other list.
    set(&ben, &new, "dislike", true).await;
    assert_eq!(since(30, "disliked").await, [new.as_str()]);
    assert_eq!(since(0, "liked").await, [old.as_str(), newest.as_str()]);
    assert_eq!(since(31, "disliked").await, [""; 0]);
}

// Pages stay consistent while others are marked and unmarked, and cursors are valid for their own list only.
#[api_test(limits = false)]
async fn pages_of_marks_hold_while_others_come_and_go(world: World) {
    let (ana, ben) = (App::of(&world, "ana").await, App::of(&world, "ben").await);
    let mut newest_first = Vec::new();
    for _ in 0..24 {
        let id = published(&ana, &minimal()).await.id;
        set(&ben, &id, "like", true).await;
        newest_first.insert(0, id);
        world.clock.advance(TimeDelta::milliseconds(1));
    }
    let (mut found, mut gone, mut next) = (Vec::new(), Vec::new(), String::new());
    loop {
        let page = ben.list(&format!("filter=liked&limit=5{next}")).await.json();
        found.extend(ids(&page));
        let Value::String(cursor) = &page["nextCursor"] else { break };
        ben.list(&format!("filter=disliked&cursor={cursor}")).await.expect_invalid("cursor");
        ana.list(&format!("filter=liked&cursor={cursor}")).await.expect_invalid("cursor");
        next = format!("&cursor={cursor}");
        let unseen = newest_first.iter().rfind(|id| !found.contains(id) && !gone.contains(*id)).expect("more").clone();
        set(&ben, found.last().expect("a page holds something"), "like", false).await;
        set(&ben, &unseen, "dislike", true).await;
        gone.push(unseen);
        let come = published(&ana, &minimal()).await.id;
        set(&ben, &come, "like", true).await;
        saved(&ben, &come).await;
    }
    newest_first.retain(|id| !gone.contains(id));
    assert_eq!(found, newest_first);
    assert!(gone.len() >= 3);
}
