//! Items of lists, and links between them.

use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::{EVERYTHING, changed, conflicts, merged, paths, trip};
use crate::merge::{CONFLICTS, Merged, changes, merge};

/// Hotels: `a b:Inn` are two, the second named Inn.
fn hotels(text: &str) -> Value {
    let hotel = |text: &str| {
        let (id, name) = text.split_once(':').unwrap_or((text, "Hotel"));
        json!({"id": id, "name": name})
    };
    json!({"hotels": text.split_whitespace().map(hotel).collect::<Value>()})
}

fn ids(whole: &Value, list: &str) -> String {
    let items = whole[list].as_array().expect("a list").iter();
    items.map(|item| item["id"].as_str().expect("an id")).collect::<Vec<_>>().join(" ")
}

#[test]
fn additions_of_both_sides_stay() {
    assert_eq!(ids(&merged(&hotels("a"), &hotels("a b"), &hotels("a c")), "hotels"), "a b c");
}

#[test]
fn equal_additions_are_one_and_different_ones_conflict() {
    assert_eq!(ids(&merged(&hotels("a"), &hotels("a b:Inn"), &hotels("b:Inn a")), "hotels"), "a b");
    let found = conflicts(&hotels(""), &hotels("b:Inn"), &hotels("b:Spa"));
    let hotel = |name: &str| json!({"id": "b", "name": name});
    assert_eq!(found, json!([["hotels[id=b]", null, hotel("Inn"), hotel("Spa")]]));
}

#[test]
fn removal_conflicts_with_an_edit_only() {
    let hotel = |name: &str| json!({"id": "a", "name": name});
    let found = conflicts(&hotels("a:Inn"), &hotels(""), &hotels("a:Spa"));
    assert_eq!(found, json!([["hotels[id=a]", hotel("Inn"), null, hotel("Spa")]]));
    let found = conflicts(&hotels("a:Inn"), &hotels("a:Spa"), &hotels(""));
    assert_eq!(found, json!([["hotels[id=a]", hotel("Inn"), hotel("Spa"), null]]));
    for (current, yours) in [("b c", "b c"), ("b c", "b c a"), ("b c a", "b c"), ("b c", "a b c")] {
        let merged = merged(&hotels("a b c"), &hotels(current), &hotels(yours));
        assert_eq!(ids(&merged, "hotels"), "b c", "{current}, {yours}");
    }
}

#[test]
fn at_most_twenty_conflicts_are_returned() {
    let named = |name: &str| hotels(&(0..30).map(|n| format!("h{n}:{name}")).collect::<Vec<_>>().join(" "));
    assert_eq!(paths(&named("A"), &named("B"), &named("C")).len(), CONFLICTS);
}

/// A hotel if `hotel`, and an expense with a link to it or to something else.
fn linked(hotels: &[&str], link: Option<&str>) -> Value {
    let mut expense = json!({"id": "e", "name": "Fee", "cost": {"amount": 1, "currency": "EUR"}});
    if let Some(id) = link {
        expense["belongsTo"] = json!({"kind": "hotel", "id": id});
    }
    let hotels: Value = hotels.iter().map(|id| json!({"id": id, "name": "Hotel"})).collect();
    json!({"hotels": hotels, "expenses": [expense]})
}

#[test]
fn links_to_removed_items_are_dropped() {
    let base = linked(&["a", "b"], Some("a"));
    let removed = linked(&["b"], None);
    let mut renamed = base.clone();
    renamed["expenses"][0]["name"] = json!("Fare");
    for (current, yours) in [(&removed, &renamed), (&renamed, &removed)] {
        let merged = merged(&base, current, yours);
        assert_eq!(merged["expenses"][0], json!({"id": "e", "name": "Fare", "cost": {"amount": 1, "currency": "EUR"}}));
    }
    // A removal does not count as a change of the links to what it removed.
    let other = linked(&["a", "b"], Some("b"));
    assert_eq!(merged(&base, &other, &removed)["expenses"][0]["belongsTo"]["id"], "b");
    let mut gone = base.clone();
    gone["expenses"] = json!([]);
    assert_eq!(ids(&merged(&base, &gone, &removed), "expenses"), "");
}

#[test]
fn link_that_you_set_to_a_removed_item_conflicts() {
    let (base, removed, set) = (linked(&["a"], None), linked(&[], None), linked(&["a"], Some("a")));
    let link = json!({"kind": "hotel", "id": "a"});
    assert_eq!(conflicts(&base, &removed, &set), json!([["expenses[id=e].belongsTo", null, null, link]]));
    // A link that the current version set is dropped.
    assert_eq!(merged(&base, &set, &removed)["expenses"][0].get("belongsTo"), None);
}

#[test]
fn documents_are_the_current_ones_without_dangling_links() {
    let document = |name: &str, link: bool| {
        let mut document = json!({"id": "d", "name": name, "file": {"path": "p", "name": "t.pdf", "size": 1}});
        if link {
            document["belongsTo"] = json!({"kind": "hotel", "id": "a"});
        }
        document
    };
    let with = |hotel: &str, document: Value| {
        let mut trip = hotels(hotel);
        trip["documents"] = json!([document]);
        trip
    };
    let base = with("a", document("Base", false));
    let current = with("a", document("Current", true));
    let merged = merged(&base, &current, &with("", document("Base", false)));
    assert_eq!(merged["documents"], json!([document("Current", false)]));
}

#[test]
fn changes_of_items_are_listed() {
    let mut before = hotels("a b c:Inn d");
    before["packing"] = json!([{"id": "p", "name": "Hat"}]);
    let after = hotels("c:Spa b x d");
    let expected = [
        "hotels[id=c] moved",
        "hotels[id=c].name changed",
        "hotels[id=x] added",
        "hotels[id=a] removed",
        "packing[id=p] removed",
    ];
    assert_eq!(changed(&before, &after), expected);
    let first = changes(&trip(&before), &trip(&after), EVERYTHING, 1).expect("the contents can be read");
    assert_eq!(first.len(), 1);
}

#[test]
fn work_grows_with_the_lists_not_with_their_square() {
    let list = |ids: &mut dyn Iterator<Item = String>| trip(&hotels(&ids.collect::<Vec<_>>().join(" ")));
    let base = list(&mut (0..2_500).map(|n| format!("h{n}")));
    let current = list(&mut (0..2_500).flat_map(|n| [format!("h{n}"), format!("c{n}")]));
    let yours = list(&mut (0..2_500).rev().map(|n| format!("h{n}")).chain(["y".to_owned()]));
    let started = Instant::now();
    let merged = merge(&base, &current, &yours, EVERYTHING).expect("the contents can be read");
    assert!(matches!(merged, Merged::Invalid(error) if error.field.as_deref() == Some("hotels")));
    assert!(started.elapsed() < Duration::from_secs(10), "{:?}", started.elapsed());
}
