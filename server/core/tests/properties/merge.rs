//! Merging typed patches follows RFC 7396, except for the differences that `model` lists.

use std::cell::Cell;
use std::collections::BTreeSet;

use itinerary_api::values::{ItemId, Merge};
use itinerary_core::edit::{Edit, Item, ItemEdit, Refusal};
use proptest::bool::weighted;
use proptest::prelude::{Strategy, any};
use proptest::sample::{Index, select};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use crate::model;
use crate::plain::Content;
use crate::shape::Field;
use crate::strategies::content::valid;
use crate::strategies::objects::{any_patch, object};
use crate::strategies::resources::{CONTENT, DAY, EXPENSE, FLIGHT, HOTEL, PACKING, RESERVATION, STOP, TRANSPORT};
use crate::support::{check, doubles, happens, try_typed, typed, whole};

/// Counts outcomes, so that a property is noticed if it only ever has one kind of outcome.
#[derive(Default)]
struct Seen {
    merged: Cell<usize>,
    refused: Cell<usize>,
}

impl Seen {
    /// Compares an outcome with the model's.
    fn compare(&self, outcome: Result<Value, String>, expected: Result<Value, BTreeSet<String>>) {
        match (outcome, expected) {
            (Ok(merged), Ok(expected)) => {
                assert_eq!(doubles(merged), doubles(expected));
                self.merged.set(self.merged.get() + 1);
            }
            (Err(field), Err(wrong)) => {
                assert!(wrong.contains(&field), "{field} is named, and wrong are {wrong:?}");
                self.refused.set(self.refused.get() + 1);
            }
            (outcome, expected) => panic!("the outcome is {outcome:?}, and the model's {expected:?}"),
        }
    }

    fn both(&self) {
        happens(self.merged.get(), "a patch is merged");
        happens(self.refused.get(), "a patch is refused");
    }
}

/// Applies the edit. Returns the whole, or the rejected field.
fn applied(edit: Edit, content: &Content) -> Result<Value, String> {
    let mut content = content.stored();
    match edit.apply(&mut content) {
        Ok(_) => Ok(whole(&Content::from(&content))),
        Err(Refusal::Invalid(error)) => Err(error.field.unwrap_or_default()),
        Err(refusal) => panic!("what is there is not found: {refusal:?}"),
    }
}

#[test]
fn a_patch_of_the_whole_merges_as_in_the_rfc() {
    // Not content of the patch: ignored fields, and the visibility, which the caller handles.
    let others = [
        json!({}),
        json!({"visibility": "public", "id": 7}),
        json!({"role": null, "savedFrom": {"a": [{}]}, "likesCount": -1, "needsAttention": [1]}),
    ];
    // Difference: documents may be sent unchanged only.
    let documents = || select(vec![None, None, None, Some(true), Some(false)]);
    let strategy = (valid("p"), any_patch(CONTENT), select(others.to_vec()), documents());
    let seen = Seen::default();
    check(150, strategy, |(content, patch, others, documents)| {
        let before = whole(&content);
        let mut expected = model::merge(CONTENT, &before, &patch);
        let mut sent = model::merge_patch(patch.clone(), json!({}));
        for (name, value) in others.as_object().expect("an object") {
            sent[name] = value.clone();
        }
        if let Some(as_they_are) = documents {
            let there = before["documents"].as_array().expect("a list");
            sent["documents"] = if as_they_are { json!(there) } else { Value::Null };
            if !as_they_are && !there.is_empty() {
                expected = Err(expected.err().into_iter().flatten().chain(["documents".to_owned()]).collect());
            }
        }
        let expected = expected.map(|mut merged| {
            // Difference: links in the request are checked later; other links are repaired immediately.
            let unsent = ["expenses", "packing", "documents"].into_iter().filter(|list| patch.get(*list).is_none());
            model::drop_dangling(&mut merged, &unsent.collect::<Vec<_>>());
            merged
        });
        let outcome = try_typed(&sent).and_then(|patch| applied(Edit::Itinerary(Box::new(patch)), &content));
        seen.compare(outcome, expected);
    });
    seen.both();
}

/// A patch, and which id is sent with it.
fn item_patch(fields: &'static [Field]) -> impl Strategy<Value = (Value, u8)> {
    (any_patch(fields), 0..12u8)
}

/// The patch with the item's own id, another id, null, or usually none.
fn with_id(mut patch: Value, id: &Value, choice: u8) -> Value {
    let fields = patch.as_object_mut().expect("an object");
    match choice {
        0 => drop(fields.insert("id".to_owned(), json!("another"))),
        1 => drop(fields.insert("id".to_owned(), Value::Null)),
        2 | 3 => drop(fields.insert("id".to_owned(), id.clone())),
        _ => drop(fields.remove("id")),
    }
    patch
}

/// The model's outcome of a patch of the item at this pointer.
fn expected(fields: &[Field], content: &Content, pointer: &str, patch: &Value) -> Result<Value, BTreeSet<String>> {
    let mut whole = whole(content);
    let item = whole.pointer(pointer).expect("an item").clone();
    let merged = model::merge(fields, &item, patch);
    if model::changes_id(&item, patch) {
        return Err(merged.err().into_iter().flatten().chain(["id".to_owned()]).collect());
    }
    *whole.pointer_mut(pointer).expect("an item") = merged?;
    Ok(whole)
}

/// Tries patches of the items of one list. `after` is what the model does to the whole, in which the item is at a
/// pointer, after the merge.
fn try_items<T: Item<Patch: DeserializeOwned> + DeserializeOwned>(
    fields: &'static [Field],
    list: &'static str,
    edit: impl Fn(ItemEdit<T>) -> Edit,
    after: impl Fn(&mut Value, &str, &Value),
) {
    let seen = Seen::default();
    let strategy = (valid("p"), object(fields), any::<Index>(), item_patch(fields));
    check(100, strategy, |(content, item, at, (patch, id_choice))| {
        // Ensures that there is at least one.
        let mut item = model::completed(fields, item);
        item["id"] = json!("one");
        item.as_object_mut().expect("an object").remove("belongsTo");
        let mut items = whole(&content).get(list).cloned().unwrap_or_else(|| json!([]));
        items.as_array_mut().expect("a list").push(model::completed(fields, item));
        let with_one = json!({ list: items.clone() });
        let mut longer = content.stored();
        Edit::Itinerary(Box::new(typed(&with_one))).apply(&mut longer).expect("items that fit");
        let content = Content::from(&longer);

        let at = at.index(items.as_array().expect("a list").len());
        let id = &whole(&content)[list][at]["id"].clone();
        let pointer = format!("/{list}/{at}");
        let patch = with_id(patch, id, id_choice);
        let expected = expected(fields, &content, &pointer, &patch).map(|mut merged| {
            after(&mut merged, &pointer, &patch);
            merged
        });
        let outcome = try_typed::<<T as Merge>::Patch>(&patch)
            .and_then(|patch| applied(edit(ItemEdit::Update { id: typed(id), patch }), &content));
        seen.compare(outcome, expected);
    });
    seen.both();
}

const LINKED: [&str; 3] = ["expenses", "packing", "documents"];

#[test]
fn a_patch_of_a_flight_merges_as_in_the_rfc() {
    try_items(FLIGHT, "flights", Edit::Flight, |_, _, _| {});
}

#[test]
fn a_patch_of_a_hotel_merges_as_in_the_rfc() {
    try_items(HOTEL, "hotels", Edit::Hotel, |_, _, _| {});
}

#[test]
fn a_patch_of_a_transport_merges_as_in_the_rfc() {
    try_items(TRANSPORT, "transports", Edit::Transport, |_, _, _| {});
}

#[test]
fn a_patch_of_a_reservation_merges_as_in_the_rfc() {
    try_items(RESERVATION, "reservations", Edit::Reservation, |_, _, _| {});
}

#[test]
fn a_patch_of_an_expense_merges_as_in_the_rfc() {
    try_items(EXPENSE, "expenses", Edit::Expense, |_, _, _| {});
}

#[test]
fn a_patch_of_a_packing_item_merges_as_in_the_rfc() {
    try_items(PACKING, "packing", Edit::PackingItem, |_, _, _| {});
}

#[test]
fn a_patch_of_a_day_merges_as_in_the_rfc() {
    try_items(DAY, "days", Edit::Day, |whole, pointer, patch| {
        let brought = patch.get("legs").map(|_| whole.pointer(pointer).expect("a day").clone());
        whole["days"].as_array_mut().expect("a list").iter_mut().for_each(model::keep_neighbours);
        if let Some(day) = brought {
            *whole.pointer_mut(pointer).expect("a day") = day;
        }
        model::drop_dangling(whole, &LINKED);
    });
}

// The same for days whose new stops include some of the old ones, so that some legs stay.
#[test]
fn legs_stay_between_neighbours_when_a_day_s_stops_are_replaced() {
    let (stayed, went) = (Cell::new(0), Cell::new(0));
    let keep = [weighted(0.8), weighted(0.8), weighted(0.8), weighted(0.8)];
    check(300, (valid("p"), any::<Index>(), keep, weighted(0.2)), |(content, at, keep, turn)| {
        let before = whole(&content);
        let days = before["days"].as_array().expect("a list");
        if days.is_empty() {
            return;
        }
        let at = at.index(days.len());
        let stops = days[at]["stops"].as_array().expect("a list");
        let mut kept: Vec<_> = stops.iter().zip(keep).filter_map(|(stop, keep)| keep.then_some(stop.clone())).collect();
        if turn {
            kept.reverse();
        }
        let (pointer, patch) = (format!("/days/{at}"), json!({"stops": kept}));
        let mut expected = expected(DAY, &content, &pointer, &patch).expect("stops that fit");
        let legs = |whole: &Value| whole["days"][at]["legs"].as_array().expect("a list").len();
        model::keep_neighbours(expected.pointer_mut(&pointer).expect("a day"));
        model::drop_dangling(&mut expected, &LINKED);
        stayed.set(stayed.get() + legs(&expected));
        went.set(went.get() + legs(&before) - legs(&expected));
        let edit = Edit::Day(ItemEdit::Update { id: typed(&days[at]["id"]), patch: typed(&patch) });
        assert_eq!(applied(edit, &content), Ok(expected));
    });
    happens(stayed.get(), "a leg stays");
    happens(went.get(), "a leg goes");
}

#[test]
fn a_patch_of_a_stop_merges_as_in_the_rfc() {
    let seen = Seen::default();
    let strategy = (valid("p"), any::<Index>(), any::<Index>(), item_patch(STOP));
    check(150, strategy, |(content, day, at, (patch, id_choice))| {
        let before = whole(&content);
        let with_stops = before["days"].as_array().expect("a list").iter().enumerate();
        let with_stops: Vec<_> = with_stops.filter(|(_, day)| day["stops"] != json!([])).collect();
        if with_stops.is_empty() {
            return;
        }
        let (d, day) = day.get(&with_stops);
        let at = at.index(day["stops"].as_array().expect("a list").len());
        let id = &day["stops"][at]["id"];
        let patch = with_id(patch, id, id_choice);
        let expected = expected(STOP, &content, &format!("/days/{d}/stops/{at}"), &patch);
        let outcome = try_typed(&patch).and_then(|patch| {
            applied(Edit::Stop(typed::<ItemId>(&day["id"]), ItemEdit::Update { id: typed(id), patch }), &content)
        });
        seen.compare(outcome, expected);
    });
    seen.both();
}
