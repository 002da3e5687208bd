//! A change of stored content parses only what it touches. The outcome is the same as if everything were parsed, and
//! untouched entries keep their bytes.

use std::cell::Cell;
use std::collections::HashMap;

use itinerary_core::content::{Content, Fragments, Part};
use itinerary_core::edit::{Edit, ItemEdit};
use proptest::collection::vec;
use proptest::prop_oneof;
use serde_json::Value;
use serde_json::value::RawValue;

use crate::edits::{attempt, stored};
use crate::strategies::content::valid;
use crate::strategies::edits::{edit, item_edit, removal};
use crate::support::{Counter, check, happens};

#[test]
fn a_change_of_what_is_stored_is_a_change_of_what_is_parsed() {
    let (made, refused) = (Cell::new(0), Cell::new(0));
    check(150, (valid("p"), vec(edit(), 1..12)), |(start, asks)| {
        let mut content = stored(&start, &Counter::default());
        for ask in asks {
            let edit = ask.of(&content);
            assert_eq!(edit.finds(&content.stored()), edit.finds(&content.touched()), "{edit:?}");
            // The same ids are made for both.
            let lazily = attempt(edit.clone(), content.stored(), &Counter::from(1_000));
            let wholly = attempt(edit, content.touched(), &Counter::from(1_000));
            let fragments = |content: &Content| content.fragments();
            assert_eq!(lazily.as_ref().map(fragments), wholly.as_ref().map(fragments));
            match lazily {
                Ok(after) => {
                    content = stored(&(&after).into(), &Counter::from(2_000));
                    made.set(made.get() + 1);
                }
                Err(_) => refused.set(refused.get() + 1),
            }
        }
    });
    happens(made.get(), "an edit is made");
    happens(refused.get(), "an edit is refused");
}

/// The same content in other bytes: with white space, which the service never writes.
fn spaced(fragments: &Fragments) -> Fragments {
    let spaced = |fragment: &str| {
        let value: Value = serde_json::from_str(fragment).expect("JSON");
        serde_json::to_string_pretty(&value).expect("JSON")
    };
    let Fragments { everyone, members, pro, documents } = fragments;
    Fragments { everyone: spaced(everyone), members: spaced(members), pro: spaced(pro), documents: spaced(documents) }
}

/// The JSON of every entry of a list, by id.
fn entries(fragments: &Fragments, part: Part) -> HashMap<String, String> {
    let list = fragments.list(part).expect("every part is there");
    let entries: Vec<Box<RawValue>> = serde_json::from_str(list).expect("a list");
    let id = |json: &str| serde_json::from_str::<Value>(json).expect("JSON")["id"].as_str().expect("an id").to_owned();
    entries.iter().map(|json| (id(json.get()), json.get().to_owned())).collect()
}

/// The ids of the entries that an edit names.
fn named(edit: &Edit) -> Vec<String> {
    fn of<T: itinerary_core::edit::Item>(edit: &ItemEdit<T>) -> Vec<String> {
        match edit {
            ItemEdit::Add { .. } => Vec::new(),
            ItemEdit::Update { id, .. } | ItemEdit::Remove { id } => vec![id.to_string()],
        }
    }
    match edit {
        Edit::Itinerary(_) => panic!("it names no entry"),
        Edit::Day(edit) => of(edit),
        Edit::Stop(day, _) | Edit::DayMove { day, .. } => vec![day.to_string()],
        Edit::StopMove { day, to, .. } => {
            let days = [Some(day), to.day_id.as_ref()];
            days.into_iter().flatten().map(ToString::to_string).collect()
        }
        Edit::Flight(edit) => of(edit),
        Edit::Hotel(edit) => of(edit),
        Edit::Transport(edit) => of(edit),
        Edit::Reservation(edit) => of(edit),
        Edit::Expense(edit) => of(edit),
        Edit::PackingItem(edit) => of(edit),
        Edit::Document(edit) => of(edit),
    }
}

#[test]
fn entries_not_touched_by_a_change_keep_their_bytes() {
    let (kept, written) = (Cell::new(0), Cell::new(0));
    let edits = prop_oneof![2 => item_edit(), 1 => removal()];
    check(300, (valid("p"), edits), |(start, ask)| {
        let content = stored(&start, &Counter::default());
        let edit = ask.of(&content);
        let before = spaced(&content.fragments());
        let there = Content::parse(&before).expect("blanks change nothing");
        let named = named(&edit);
        let Ok(after) = attempt(edit, there, &Counter::from(1_000)) else { return };
        let after = after.fragments();
        for part in Part::ALL {
            let before = entries(&before, part);
            for (id, json) in entries(&after, part) {
                let Some(old) = before.get(&id).filter(|_| !named.contains(&id)) else { continue };
                let value = |json: &str| serde_json::from_str::<Value>(json).expect("JSON");
                if value(old) == value(&json) {
                    assert_eq!(json, *old, "{part:?} {id} is as it was");
                    kept.set(kept.get() + 1);
                } else {
                    assert!(
                        matches!(part, Part::Expenses | Part::Packing | Part::Documents),
                        "only links of {part:?} {id} may go"
                    );
                    written.set(written.get() + 1);
                }
            }
        }
    });
    happens(kept.get(), "an entry keeps its bytes");
    happens(written.get(), "a link is taken off something");
}
