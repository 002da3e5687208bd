//! Sequences of arbitrary edits, each applied as the service does.

use std::cell::Cell;

use itinerary_api::types::StopMove;
use itinerary_api::values::ItemId;
use itinerary_core::content;
use itinerary_core::edit::{Edit, Refusal};
use itinerary_core::edit_scope::EditScope;
use itinerary_core::{fill, validate};
use proptest::collection::vec;

use crate::plain::Content;
use crate::strategies::content::valid;
use crate::strategies::edits::{edit, item_edit};
use crate::support::{Counter, ITINERARY, check, happens};
use crate::{frame, invariants};

/// A completed content, as it is stored.
pub(crate) fn stored(content: &Content, random: &Counter) -> Content {
    let mut content = content.touched();
    fill::complete(&mut content, random).expect("values");
    (&content).into()
}

/// Applies the edit, then completes and checks the outcome. Errors name fields as the sender of an item sees them.
pub(crate) fn attempt(
    edit: Edit,
    mut content: content::Content,
    random: &Counter,
) -> Result<content::Content, Refusal> {
    let scope = edit.apply(&mut content)?;
    fill::complete(&mut content, random)?;
    let checked = validate::content(&content, ITINERARY, &scope);
    // Removing or moving an item repairs the references to it, and such a request contains nothing that could be invalid.
    assert!(checked.is_ok() || scope != EditScope::Nothing, "{checked:?} though nothing was sent");
    checked?;
    Ok(content)
}

#[test]
fn every_sequence_of_edits_keeps_the_rules() {
    let (made, refused) = (Cell::new(0), Cell::new(0));
    check(150, (valid("p"), vec(edit(), 1..12)), |(start, asks)| {
        let random = Counter::default();
        let mut content = stored(&start, &random);
        assert_eq!(
            validate::content(&content.touched(), ITINERARY, &EditScope::Nothing),
            Ok(()),
            "the start keeps the rules"
        );
        invariants::check(&content);
        for ask in asks {
            let edit = ask.of(&content);
            let found = edit.finds(&content.stored());
            match attempt(edit.clone(), content.stored(), &random) {
                Ok(after) => {
                    let after = Content::from(&after);
                    assert!(found, "it was made, so it was there: {edit:?}");
                    invariants::check(&after);
                    frame::check(&content, &edit, &after);
                    content = after;
                    made.set(made.get() + 1);
                }
                Err(refusal) => {
                    assert!(!found || refusal != Refusal::NotFound, "it is there: {edit:?}");
                    refused.set(refused.get() + 1);
                }
            }
        }
    });
    happens(made.get(), "an edit is made");
    happens(refused.get(), "an edit is refused");
    happens((made.get() * 2).saturating_sub(refused.get()), "a third of the edits is made");
}

#[test]
fn edit_is_not_found_if_and_only_if_its_target_is_missing() {
    let gone = Cell::new(0);
    check(400, (valid("p"), item_edit()), |(content, ask)| {
        let edit = ask.of(&content);
        gone.set(gone.get() + usize::from(!edit.finds(&content.stored())));
        is_found_or_not(&edit, &content);
    });
    happens(gone.get(), "something is not there");
}

/// An edit fails with `NotFound` if and only if its target does not exist.
fn is_found_or_not(edit: &Edit, content: &Content) {
    let mut content = content.stored();
    let found = edit.finds(&content);
    let outcome = edit.clone().apply(&mut content);
    assert_eq!(outcome == Err(Refusal::NotFound), !found, "{edit:?} is {outcome:?}");
}

// Also if the target of the move does not exist either.
#[test]
fn a_stop_that_is_not_there_is_not_found_wherever_it_is_to_go() {
    let id = |text: &str| ItemId::new(text).expect("an id");
    let to = StopMove { day_id: Some(id("gone")), position: None };
    check(20, valid("p"), |content| {
        for day in content.everyone.days.iter().filter_map(|day| day.id.clone()) {
            is_found_or_not(&Edit::StopMove { day, stop: id("gone"), to: to.clone() }, &content);
        }
    });
}

/// The first name of a path: `stops` of `stops[1].name`.
fn first_name(path: &str) -> &str {
    path.split(['.', '[']).next().unwrap_or_default()
}

#[test]
fn an_item_s_errors_are_told_as_its_sender_reads_them() {
    let named = Cell::new(0);
    check(500, (valid("p"), item_edit()), |(start, ask)| {
        let random = Counter::default();
        let content = stored(&start, &random);
        let edit = ask.of(&content);
        let Err(Refusal::Invalid(error)) = attempt(edit.clone(), content.stored(), &random) else { return };
        let Some(field) = error.field else {
            assert!(matches!(edit, Edit::Flight(_)), "only a flight is wrong as a whole: {error:?}");
            return;
        };
        let known = ask.names().any(|name| name == first_name(&field));
        assert!(known, "{field} is no field of what was sent: {edit:?}");
        named.set(named.get() + 1);
    });
    happens(named.get(), "an edit is refused for one of its fields");
}
