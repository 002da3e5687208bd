//! The merge against a second implementation of its rules, on random itineraries.
//!
//! `MERGE_TRIPLES` sets how many triples of base, current version and yours are merged, `MERGE_SEED` the first seed.

mod model;
mod order;
mod random;

use std::{env, thread};

use itinerary_api::types::{ChangeKind, RevisionChange};
use itinerary_core::access::Sections;
use itinerary_core::content::{Content, Fragments};
use itinerary_core::edit_scope::EditScope;
use itinerary_core::entry::{Entry, ListItem};
use itinerary_core::merge::{CONFLICTS, Merged, changes, merge};
use itinerary_core::validate;
use serde_json::{Value, json};
use uuid::Uuid;

use crate::model::{Outcome, Shown};
use crate::random::Random;

pub(crate) const ITINERARY: Uuid = Uuid::from_u128(0x0192_0000_0000_7000_8000_0000_0000_0001);

fn setting(name: &str, default: u64) -> u64 {
    env::var(name).map_or(default, |value| value.parse().expect("a number"))
}

/// The content of a whole itinerary.
fn content(whole: &Value) -> Content {
    let names: [&[&str]; 4] = [
        &["title", "summary", "destination", "startDate", "travellers", "tags", "coverImage", "currency", "days"],
        &["origin", "flights", "hotels", "transports", "reservations"],
        &["expenses", "packing"],
        &["documents"],
    ];
    let [everyone, members, pro, documents] = names.map(|names| random::fragment(whole, names).to_string());
    Content::parse(&Fragments { everyone, members, pro, documents }).expect("what is stored can be read")
}

/// A content as one JSON object.
fn whole(content: &Content) -> Value {
    let Fragments { everyone, members, pro, documents } = content.fragments();
    let mut whole = json!({"transports": [], "reservations": []});
    for fragment in [everyone, members, pro, documents] {
        let fields: Value = serde_json::from_str(&fragment).expect("JSON");
        whole.as_object_mut().expect("an object").extend(fields.as_object().expect("an object").clone());
    }
    whole
}

/// Parses every entry, as if it had been sent.
fn touch(content: &mut Content) {
    fn list<T: ListItem>(entries: &mut [Entry<T>]) {
        for entry in entries {
            entry.change(|_| ()).expect("what is stored can be read");
        }
    }
    list(&mut content.everyone.days);
    list(&mut content.members.flights);
    list(&mut content.members.hotels);
    list(&mut content.members.transports);
    list(&mut content.members.reservations);
    list(&mut content.pro.expenses);
    list(&mut content.pro.packing);
}

/// The same with the legs of each day in the order of their text: it is not content.
fn sorted_legs(mut whole: Value) -> Value {
    for day in whole["days"].as_array_mut().expect("days") {
        day["legs"].as_array_mut().expect("legs").sort_by_key(Value::to_string);
    }
    whole
}

/// The same without what the server computes.
fn without_computed(mut whole: Value) -> Value {
    for day in whole["days"].as_array_mut().expect("days") {
        day["legs"].as_array_mut().expect("legs").retain(|leg| leg.get("source").is_none());
        for stop in day["stops"].as_array_mut().expect("stops") {
            if stop["startTimeSuggested"] == true {
                stop["startTimeSuggested"] = json!(false);
                stop.as_object_mut().expect("a stop").remove("startTime");
            }
        }
    }
    sorted_legs(whole)
}

struct Triple {
    seed: u64,
    versions: [Value; 3],
    places: bool,
    shown: Shown,
    is_sent: bool,
}

impl Triple {
    fn new(seed: u64) -> Self {
        let mut random = Random::new(seed);
        let places = random.chance(60);
        let base = random::base(&mut random);
        let current = random::changed(&mut random, &base, places);
        let yours = random::changed(&mut random, &base, places);
        let shown = Shown { members: random.chance(85), pro: random.chance(85) };
        Self { seed, versions: [base, current, yours], places, shown, is_sent: random.chance(50) }
    }

    fn sections(&self) -> Sections {
        Sections { members: self.shown.members, pro: self.shown.pro, documents: true, source: true }
    }

    fn merge(&self, base: usize, current: usize, yours: usize) -> Merged {
        let [base, current, mut yours] = [base, current, yours].map(|n| content(&self.versions[n]));
        if self.is_sent {
            touch(&mut yours);
        }
        merge(&base, &current, &yours, self.sections()).expect("the versions can be read")
    }

    fn fail(&self, what: &str, is: &impl std::fmt::Debug, expected: &impl std::fmt::Debug) -> ! {
        let [base, current, yours] = &self.versions;
        panic!(
            "seed {}: {what}\nbase    {base}\ncurrent {current}\nyours   {yours}\nshown {:?}\nis       {is:?}\nexpected {expected:?}",
            self.seed, self.shown
        );
    }

    /// Compares the merge with the model. Returns whether it was merged.
    fn compare(&self) -> bool {
        let [base, current, yours] = &self.versions;
        let merged = self.merge(0, 1, 2);
        match (&merged, model::merge(base, current, yours, self.shown)) {
            (Merged::Content(content), Outcome::Merged(expected)) => {
                let (merged, expected) = (sorted_legs(whole(content)), sorted_legs(expected));
                if merged != expected {
                    self.fail("the merged content differs", &merged.to_string(), &expected.to_string());
                }
                if let Err(refusal) = validate::content(content, ITINERARY, &EditScope::everything()) {
                    self.fail("the merged content is invalid", &refusal, &"valid");
                }
            }
            (Merged::Conflicts(conflicts), Outcome::Conflicts(mut expected)) => {
                let mut conflicts: Vec<_> = conflicts.iter().map(|conflict| json!(conflict).to_string()).collect();
                let mut expected: Vec<_> = expected.drain(..).map(|conflict| conflict.to_string()).collect();
                conflicts.sort();
                expected.sort();
                let is_part = expected.len() > CONFLICTS && conflicts.len() == CONFLICTS;
                let is_same = is_part && conflicts.iter().all(|conflict| expected.contains(conflict));
                if conflicts != expected && !is_same {
                    self.fail("the conflicts differ", &conflicts, &expected);
                }
            }
            (Merged::Invalid(error), Outcome::Invalid(field)) if error.field.as_ref() == Some(&field) => {}
            (merged, expected) => self.fail("the outcomes differ", merged, &expected),
        }
        matches!(merged, Merged::Content(_))
    }

    /// If only one side changed anything, the result is that side's.
    fn one_side(&self) {
        let [base, current, yours] = &self.versions;
        let content = |merged| match merged {
            Merged::Content(content) => whole(&content),
            other => self.fail("one side's changes conflict", &other, &"no conflict"),
        };
        let merged = content(self.merge(0, 1, 0));
        if merged != *current {
            self.fail("without changes of yours it is not the current version", &merged.to_string(), current);
        }
        // What the caller is not shown stays.
        if self.shown.members && self.shown.pro {
            let mut expected = without_computed(yours.clone());
            expected["documents"] = without_dangling(&base["documents"], yours);
            let merged = without_computed(content(self.merge(0, 0, 2)));
            if merged != expected {
                self.fail("without other changes it is not yours", &merged.to_string(), &expected.to_string());
            }
        }
    }

    /// Both sides agree on whether there is a conflict, where the rules do not tell them apart.
    fn symmetric(&self) {
        let is_conflict = |merged: &Merged| match merged {
            // Links are cleared unless you set them.
            Merged::Conflicts(conflicts) => conflicts.iter().any(|conflict| !conflict.path.ends_with(".belongsTo")),
            _ => false,
        };
        let (one, other) = (self.merge(0, 1, 2), self.merge(0, 2, 1));
        if !self.places && is_conflict(&one) != is_conflict(&other) {
            self.fail("the sides disagree", &one, &other);
        }
    }

    /// `changes` finds nothing in equal versions, and something in different ones.
    fn changes(&self) {
        let [base, _, yours] = &self.versions;
        let found = changes(&content(base), &content(yours), self.sections(), usize::MAX).expect("readable");
        if self.shown.members && self.shown.pro {
            let differ = without_computed(base.clone()) != without_computed(yours.clone());
            if found.is_empty() == differ {
                self.fail("the changes are wrong", &found, &differ);
            }
        }
        for list in ["flights", "hotels", "transports", "reservations", "expenses", "packing", "documents"] {
            let ids = |whole: &Value| {
                let items = whole[list].as_array().expect("a list").iter();
                items.map(|item| item["id"].as_str().expect("an id").to_owned()).collect::<Vec<_>>()
            };
            let (before, after) = (ids(base), ids(yours));
            let shown = match list {
                "flights" | "hotels" | "transports" | "reservations" => self.shown.members,
                "documents" => true,
                _ => self.shown.pro,
            };
            let count = |kind| {
                let is_it = |change: &&RevisionChange| change.kind == kind && is_item(&change.path, list);
                found.iter().filter(is_it).count()
            };
            let expected = |one: &[String], other: &[String]| one.iter().filter(|id| !other.contains(id)).count();
            let [added, removed] =
                [expected(&after, &before), expected(&before, &after)].map(|n| if shown { n } else { 0 });
            if (count(ChangeKind::Added), count(ChangeKind::Removed)) != (added, removed) {
                self.fail("additions or removals are wrong", &found, &(list, added, removed));
            }
        }
    }
}

/// Whether a path is that of an item of a list.
fn is_item(path: &str, list: &str) -> bool {
    path.strip_prefix(list).is_some_and(|rest| rest.starts_with("[id=") && rest.ends_with(']') && !rest.contains('.'))
}

fn without_dangling(documents: &Value, whole: &Value) -> Value {
    let targets = random::targets(whole);
    let mut documents = documents.clone();
    for document in documents.as_array_mut().expect("documents") {
        if document.get("belongsTo").is_some_and(|link| !targets.contains(link)) {
            document.as_object_mut().expect("an object").remove("belongsTo");
        }
    }
    documents
}

/// Checks the triples with these seeds. Returns how many were merged without conflict.
fn check(seeds: impl Iterator<Item = u64>) -> u64 {
    let mut merged = 0;
    for seed in seeds {
        let triple = Triple::new(seed);
        merged += u64::from(triple.compare());
        // Each takes as long as the comparison.
        match seed % 15 {
            0 => triple.one_side(),
            5 => triple.symmetric(),
            10 => triple.changes(),
            _ => {}
        }
    }
    merged
}

#[test]
fn merge_equals_the_model() {
    let (count, first) = (setting("MERGE_TRIPLES", 3_000), setting("MERGE_SEED", 1));
    let middle = first + count / 2;
    let merged = thread::scope(|scope| {
        let half = scope.spawn(|| check(first..middle));
        check(middle..first + count) + half.join().expect("the first half panicked")
    });
    println!("{merged} of {count} triples merged, the others conflict");
    assert!(count < 100 || (count / 5..count - count / 20).contains(&merged), "{merged} of {count} are merged");
}
