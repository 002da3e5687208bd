//! Pages of a search, while matches come and go.

use std::collections::BTreeSet;

use itinerary_tests::app::{App, ids};
use itinerary_tests::bodies::{minimal, with};
use itinerary_tests::{World, api_test};
use serde_json::json;

use super::many_itineraries::crowd;
use super::{account, changed, cursor, deleted, follow, found, mark, page, published, ranked, walked};

/// Queries that find the same 120 matches.
const QUERIES: [&str; 4] = [
    "q=harb",
    "q=lisbon%20harbour&regions=Southern%20Europe",
    "q=harbour&following=true",
    "q=harbour%20lisb&following=true&regions=Portugal,Japan",
];

// The order is the same each time, with any page size, while nothing is ranked.
#[api_test(limits = false)]
async fn matches_keep_their_order(world: World) {
    let (ana, ben) = (App::of(&world, "ana").await, App::of(&world, "ben").await);
    follow(&ben, account(&world, "ana").await, true).await;
    let template = ana.created(&minimal()).await;
    let title = |n: usize| if n.is_multiple_of(2) { format!("Harbour {n}") } else { format!("Meadow {n}") };
    let all = crowd(&world, &template, 240, title).await;
    for id in &all[..10] {
        mark(&ben, id, "like").await;
    }
    for round in 0..2 {
        let order = walked(&ben, "q=harbour&limit=100").await;
        assert_eq!(order.iter().collect::<BTreeSet<_>>(), all.iter().step_by(2).collect::<BTreeSet<_>>());
        for query in QUERIES {
            for limit in [7, 40, 60, 100] {
                assert_eq!(walked(&ben, &format!("{query}&limit={limit}")).await, order, "{query}, {limit}");
            }
        }
        if round == 1 {
            let first: BTreeSet<_> = order[..5].iter().collect();
            assert_eq!(first, all[..10].iter().step_by(2).collect::<BTreeSet<_>>(), "the liked ones come first");
        }
        ranked(&world).await;
    }
}

// Nothing is repeated, and nothing that stayed is missing, with seven per page.
#[api_test(limits = false)]
async fn matches_come_and_go_without_disturbing_the_others(world: World) {
    let (ana, ben) = (App::of(&world, "ana").await, App::of(&world, "ben").await);
    follow(&ben, account(&world, "ana").await, true).await;
    let template = ana.created(&minimal()).await;
    for (round, query) in QUERIES.into_iter().enumerate() {
        let all = crowd(&world, &template, 120, |n| format!("Harbour {n}")).await;
        let mut stay: BTreeSet<_> = all.iter().cloned().collect();
        let (mut found, mut come, mut gone) = (Vec::new(), Vec::new(), BTreeSet::new());
        let mut next = format!("limit=7&{query}");
        loop {
            let page = page(&ben, &next).await;
            assert_eq!(ids(&self::page(&ben, &next).await), ids(&page), "the same page again");
            found.extend(ids(&page));
            let Some(cursor) = cursor(&page) else { break };
            next = format!("limit=7&{query}&cursor={cursor}");
            if come.len() == 12 {
                continue;
            }
            let last = found.last().expect("a page holds something").clone();
            let mut unseen = stay.iter().filter(|id| !found.contains(id)).cloned().collect::<Vec<_>>().into_iter();
            let (hide, rename, edit) = (unseen.next(), unseen.next(), unseen.next());
            deleted(&ana, &last).await;
            stay.remove(&last);
            come.retain(|id| *id != last);
            if let Some(id) = hide {
                changed(&ana, &id, &json!({ "visibility": "unlisted" })).await;
                stay.remove(&id);
                gone.insert(id);
            }
            if let Some(id) = rename {
                changed(&ana, &id, &json!({ "title": "Meadow" })).await;
                stay.remove(&id);
                gone.insert(id);
            }
            // With other words, but still a match.
            for id in edit.into_iter().chain(found.iter().rev().nth(2).filter(|id| stay.contains(*id)).cloned()) {
                changed(&ana, &id, &json!({ "title": "Another harbour", "tags": ["edit"] })).await;
            }
            come.push(published(&ana, &with(minimal(), json!({ "title": "New harbour" }))).await.id);
        }
        let unique: BTreeSet<_> = found.iter().cloned().collect();
        assert_eq!(unique.len(), found.len(), "{query}: nothing is there twice");
        assert_eq!(stay.difference(&unique).next(), None, "{query}: it stayed and was not shown");
        assert_eq!(gone.intersection(&unique).next(), None, "{query}: it had gone and was shown");
        assert!(gone.len() > 10 && come.len() > 5, "{query}: {} went", gone.len());
        for id in stay.iter().chain(&come) {
            deleted(&ana, id).await;
        }
        assert_eq!(self::found(&ben, "q=harbour").await, [""; 0], "round {round}");
    }
}
