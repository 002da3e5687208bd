//! Rules of access that hold whatever the snapshot says, so that a careless renewal cannot hide a hole.

use super::cells::{Cell, IfMatch, states};
use super::stage::Role;
use crate::http::cases::{Kind, NOT_FOR_READERS, ONESELF};
use crate::http::stored::Changes;

pub(super) fn check(cells: &[Cell]) {
    the_owner_with_pro_may_do_everything(cells);
    missing_scope_is_named_in_every_refusal(cells);
    hidden_itineraries_get_the_response_of_missing_ones(cells);
    only_the_owner_deletes_and_shares(cells);
    only_owner_and_editors_change_it(cells);
    everyone_who_sees_it_may_mark_it(cells);
    only_members_leave(cells);
    readers_are_not_shown_what_members_are(cells);
    expenses_packing_and_uploads_need_pro(cells);
    every_change_takes_if_match(cells);
    change_requires_the_current_version(cells);
    only_a_write_that_was_done_changes_anything(cells);
    every_response_is_documented(cells);
}

/// The cells for which this is true. There must be some, because a rule about nothing always holds.
fn of<'a>(cells: &'a [Cell], what: &str, is: impl Fn(&Cell) -> bool) -> Vec<&'a Cell> {
    let found: Vec<&Cell> = cells.iter().filter(|cell| is(cell)).collect();
    assert!(!found.is_empty(), "no cells: {what}");
    found
}

fn operation(cell: &Cell) -> &'static str {
    cell.case.operation()
}

/// Whether the caller may know that the itinerary exists.
fn sees(cell: &Cell) -> bool {
    matches!(cell.role, Role::Owner | Role::Editor | Role::Viewer | Role::Reader)
}

// Guards against a server that rejects everything. Owners cannot leave, because they are not members.
fn the_owner_with_pro_may_do_everything(cells: &[Cell]) {
    let last = |cell: &Cell| states(cell.case).last() == Some(&cell.if_match) && cell.case.about != ONESELF;
    for cell in of(cells, "the owner's", |cell| cell.role == Role::Owner && cell.pro && cell.scoped && last(cell)) {
        assert_eq!(cell.outcome.status, cell.case.sample.status, "{cell}");
    }
}

fn missing_scope_is_named_in_every_refusal(cells: &[Cell]) {
    for cell in of(cells, "without the scope", |cell| !cell.scoped) {
        let needed = cell.case.policy().scope.expect("a scope").as_str();
        assert_eq!((cell.outcome.status, cell.outcome.code()), (403, "forbidden"), "{cell}");
        assert_eq!(cell.outcome.details()["required"], needed, "{cell}");
    }
}

// Including the words of the message. Errors of the request itself come first.
fn hidden_itineraries_get_the_response_of_missing_ones(cells: &[Cell]) {
    let of_role = |role: Role| of(cells, role.name(), |cell| cell.role == role && cell.scoped);
    let (strangers, nowhere) = (of_role(Role::Stranger), of_role(Role::Nowhere));
    assert_eq!(strangers.len(), nowhere.len());
    for (hidden, absent) in strangers.into_iter().zip(nowhere) {
        let expected = match hidden.if_match {
            IfMatch::Malformed => (422, "validationFailed"),
            IfMatch::NotSent | IfMatch::Stale | IfMatch::Current => (404, "notFound"),
        };
        assert_eq!((hidden.outcome.status, hidden.outcome.code()), expected, "{hidden}");
        assert_eq!(hidden.outcome, absent.outcome, "{hidden} and {absent}");
    }
}

fn only_the_owner_deletes_and_shares(cells: &[Cell]) {
    let owners = [
        ("itinerary_delete", ""),
        ("itinerary_update", "visibility"),
        ("member_list", ""),
        ("member_set", ""),
        ("member_remove", ""),
        ("link_list", ""),
        ("link_create", ""),
        ("link_delete", ""),
    ];
    for (name, about) in owners {
        let is_it = |cell: &Cell| (operation(cell), cell.case.about) == (name, about);
        for cell in of(cells, name, |cell| is_it(cell) && cell.role != Role::Owner) {
            assert!(!cell.outcome.done(), "{cell}");
        }
    }
}

fn only_owner_and_editors_change_it(cells: &[Cell]) {
    let may_not = |cell: &Cell| !matches!(cell.role, Role::Owner | Role::Editor);
    for cell in of(cells, "changes of others", |cell| cell.case.kind() == Kind::Change && may_not(cell)) {
        assert!(!cell.outcome.done(), "{cell}");
    }
}

// With any plan, and nobody else.
fn everyone_who_sees_it_may_mark_it(cells: &[Cell]) {
    for cell in of(cells, "marks", |cell| cell.case.kind() == Kind::Mark && cell.scoped) {
        let expected = if sees(cell) { cell.case.sample.status } else { 404 };
        assert_eq!(cell.outcome.status, expected, "{cell}");
    }
}

fn only_members_leave(cells: &[Cell]) {
    for cell in of(cells, "leaving", |cell| cell.case.about == ONESELF && cell.scoped) {
        assert_eq!(cell.outcome.done(), matches!(cell.role, Role::Editor | Role::Viewer), "{cell}");
    }
}

fn readers_are_not_shown_what_members_are(cells: &[Cell]) {
    for name in NOT_FOR_READERS {
        for cell in of(cells, name, |cell| operation(cell) == name && cell.role == Role::Reader) {
            assert!(!cell.outcome.done(), "{cell}");
        }
    }
}

fn expenses_packing_and_uploads_need_pro(cells: &[Cell]) {
    for (prefix, section) in [("expense_", "expenses"), ("packing_", "packing"), ("document_upload", "documents")] {
        let is_it = |cell: &Cell| operation(cell).starts_with(prefix) || cell.case.about == section;
        for cell in of(cells, section, |cell| is_it(cell) && !cell.pro) {
            assert!(!cell.outcome.done(), "{cell}");
            if cell.outcome.code() == "subscriptionRequired" {
                assert_eq!(cell.outcome.details()["section"], section, "{cell}");
            }
        }
    }
    // Callers with Pro, and callers who may not use the section in any case, do not get `subscriptionRequired`.
    for cell in of(cells, "no reason for Pro", |cell| cell.pro || cell.role == Role::Reader) {
        assert_ne!(cell.outcome.code(), "subscriptionRequired", "{cell}");
    }
}

fn change_requires_the_current_version(cells: &[Cell]) {
    let other = |cell: &Cell| cell.case.policy().if_match && cell.if_match != IfMatch::Current;
    for cell in of(cells, "other versions", other) {
        assert!(!cell.outcome.done(), "{cell}");
        let malformed = cell.if_match == IfMatch::Malformed && cell.scoped;
        assert_eq!(malformed, cell.outcome.details()["field"] == "If-Match", "{cell}");
    }
}

// Rejected requests and reads change nothing; marks do not change the itinerary.
fn only_a_write_that_was_done_changes_anything(cells: &[Cell]) {
    for cell in cells {
        assert_eq!(cell.changes, Changes::expected(cell.case, &cell.outcome), "{cell}");
    }
}

// Otherwise the rule about versions would miss some. [`Kind`] names the writes that are not changes. An upload adds to
// any version.
fn every_change_takes_if_match(cells: &[Cell]) {
    for cell in cells.iter().filter(|cell| cell.case.operation() != "document_upload") {
        assert_eq!(cell.case.kind() == Kind::Change, cell.case.policy().if_match, "{cell}");
    }
}

fn every_response_is_documented(cells: &[Cell]) {
    for cell in of(cells, "refusals", |cell| !cell.outcome.done()) {
        let documented = cell.case.policy().errors(true);
        assert!(documented.iter().any(|code| code.as_str() == cell.outcome.code()), "{cell}");
    }
}
