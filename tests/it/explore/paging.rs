//! Walks through many itineraries while others come and go.

use std::collections::BTreeSet;

use futures::future::join_all;
use itinerary_tests::app::{App, ids};
use itinerary_tests::bodies::{minimal, with};
use itinerary_tests::{World, api_test};
use serde_json::json;

use super::many_itineraries::crowd;
use super::{changed, cursor, deleted, page, published, sorted, walked};

/// Enough for twenty pages of 40.
const MANY: usize = 800;

/// A walk during which others are published, unpublished, deleted and edited between pages.
struct Disturbed<'a> {
    owner: &'a App<'a>,
    reader: &'a App<'a>,
    /// Itineraries that the walk must find, because they exist all the time.
    stay: BTreeSet<String>,
    gone: BTreeSet<String>,
    come: Vec<String>,
    found: Vec<String>,
}

impl Disturbed<'_> {
    /// An itinerary that was not shown yet and will be if it stays.
    fn unseen(&self, skip: usize) -> Option<String> {
        self.stay.iter().filter(|id| !self.found.contains(id)).nth(skip).cloned()
    }

    async fn take(&mut self, id: String, delete: bool) {
        self.stay.remove(&id);
        self.come.retain(|come| *come != id);
        if delete {
            deleted(self.owner, &id).await;
        } else {
            changed(self.owner, &id, &json!({ "visibility": "private" })).await;
        }
        self.gone.insert(id);
    }

    /// Changes itineraries between two pages.
    async fn disturb(&mut self, n: usize) {
        // The itinerary at the cursor goes, then two that were not shown.
        let last = self.found.last().expect("a page holds something").clone();
        self.take(last.clone(), n.is_multiple_of(2)).await;
        self.gone.remove(&last);
        for delete in [true, false] {
            if let Some(id) = self.unseen(7) {
                self.take(id, delete).await;
            }
        }
        let body = with(minimal(), json!({ "title": "Newcomer" }));
        self.come.push(published(self.owner, &body).await.id);
        let (shown, unseen) = (self.found[self.found.len() / 2].clone(), self.unseen(3));
        for id in [Some(shown).filter(|id| self.stay.contains(id)), unseen].into_iter().flatten() {
            changed(self.owner, &id, &json!({ "tags": [format!("edit{n}")] })).await;
        }
    }

    /// Walks all pages and checks the result.
    async fn walk(mut self, query: &str, disturbances: usize) -> BTreeSet<String> {
        let (mut next, mut n) = (query.to_owned(), 0);
        loop {
            let (page, again) = (page(self.reader, &next).await, page(self.reader, &next).await);
            if n > 0 {
                assert_eq!(ids(&again), ids(&page), "the same cursor gives the same page");
            }
            self.found.extend(ids(&page));
            let Some(cursor) = cursor(&page) else { break };
            next = format!("{query}&cursor={cursor}");
            if n < disturbances {
                self.disturb(n).await;
            }
            n += 1;
        }
        let unique: BTreeSet<_> = self.found.iter().cloned().collect();
        assert_eq!(unique.len(), self.found.len(), "{query}: nothing is there twice");
        assert_eq!(self.gone.iter().find(|id| unique.contains(*id)), None, "{query}: what had gone is not shown");
        let missing: Vec<_> = self.stay.difference(&unique).collect();
        assert!(missing.is_empty(), "{query}: {missing:?} stayed and were not shown");
        assert!(n >= disturbances, "{query}: {n} pages are too few");
        self.stay.extend(self.come);
        self.stay
    }
}

// Nothing is repeated, and nothing that stayed is missing, with any page size, in the world and in regions.
#[api_test(limits = false)]
async fn many_are_walked_while_others_come_and_go(world: World) {
    let (owner, reader) = (App::of(&world, "ana").await, App::of(&world, "ben").await);
    let template = owner.created(&minimal()).await;
    let mut there: BTreeSet<_> = crowd(&world, &template, MANY, |n| format!("Trip {n}")).await.into_iter().collect();
    for (query, disturbances) in [
        ("limit=40", 12),
        ("limit=20&regions=Europe", 30),
        ("regions=Portugal,Japan,Spain", 20),
        ("limit=39&q=lisbon", 12),
        ("limit=100&following=false", 5),
    ] {
        let walk = Disturbed {
            owner: &owner,
            reader: &reader,
            stay: there,
            gone: BTreeSet::new(),
            come: Vec::new(),
            found: Vec::new(),
        };
        there = walk.walk(query, disturbances).await;
    }
}

// Each of eight concurrent walks shows everything once. A rare word finds its few itineraries wherever they are.
#[api_test(limits = false)]
async fn many_are_each_shown_once_in_every_order(world: World) {
    let (owner, reader) = (App::of(&world, "ana").await, App::of(&world, "ben").await);
    let template = owner.created(&minimal()).await;
    let title = |n: usize| if n.is_multiple_of(39) { format!("Lighthouse {n}") } else { format!("Trip {n}") };
    let all = crowd(&world, &template, MANY, title).await;
    let rare = sorted(all.iter().step_by(39).cloned());
    let all = sorted(all);

    let mut orders = BTreeSet::new();
    for walk in join_all((0..8).map(|_| walked(&reader, "limit=100"))).await {
        orders.insert(walk[..25].to_vec());
        assert!(sorted(walk.clone()) == all, "{} of {MANY} found", walk.len());
    }
    assert!(orders.len() >= 4, "{} orders", orders.len());

    for limit in [1, 4, 20, 21, 22, 100] {
        let query = format!("q=lighthouse&limit={limit}");
        assert_eq!(sorted(walked(&reader, &query).await), rare, "{query}");
    }
    for query in ["q=trip&limit=100", "q=lisbon&regions=Europe&limit=100"] {
        let expected = if query.starts_with("q=trip") { MANY - rare.len() } else { MANY };
        let found = walked(&reader, query).await;
        assert_eq!((found.len(), found.iter().collect::<BTreeSet<_>>().len()), (expected, expected), "{query}");
    }
    assert_eq!(walked(&reader, "q=lighthouse&regions=Japan").await, [""; 0]);
}
