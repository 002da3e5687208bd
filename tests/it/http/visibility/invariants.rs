//! Rules of visibility that hold whatever the snapshot says, so that a careless renewal cannot hide a hole.

use itinerary_store::Mark;

use super::by_id::{Cell, moves_to};
use super::finding::{Finding, Findings};
use super::people::{Role, VISIBILITIES};
use crate::http::cases::{Kind, NOT_FOR_READERS, ONESELF};
use crate::http::stored::Changes;

pub(super) fn check(cells: &[Cell], findings: &Findings) {
    hidden_itineraries_get_the_response_of_missing_ones(cells);
    the_owner_may_do_everything(cells);
    responses_to_members_do_not_depend_on_visibility(cells);
    responses_to_readers_are_the_same_for_every_visibility(cells);
    only_the_owner_says_who_may_see_it(cells);
    only_the_owner_deletes_and_says_who_is_a_member(cells);
    only_members_leave(cells);
    only_owner_and_editors_change_it(cells);
    readers_are_not_shown_what_members_are(cells);
    everyone_who_sees_it_may_mark_it(cells);
    only_a_write_that_was_done_changes_anything(cells);

    found_entries_match_the_itinerary_as_read(findings);
    only_those_who_may_see_it_can_read_it(findings);
    unreadable_itineraries_are_not_listed_or_mentioned(findings);
    private_and_unlisted_are_found_only_by_owner_and_members(findings);
    explore_has_what_is_published_and_not_hidden(findings);
    followers_find_itineraries_for_followers(findings);
    everyone_finds_public_itineraries(findings);
    library_lists_owned_shared_and_saved_itineraries(findings);
    lists_of_marks_have_what_one_marked_and_may_see(findings);
}

/// Those for which this is true. There must be some, because a rule about nothing always holds.
fn of<'a, T>(all: &'a [T], what: &str, is: impl Fn(&T) -> bool) -> Vec<&'a T> {
    let found: Vec<&T> = all.iter().filter(|one| is(one)).collect();
    assert!(!found.is_empty(), "nothing to look at: {what}");
    found
}

/// The meaning of the visibilities.
fn may_see(role: Role, visibility: &str) -> bool {
    match visibility {
        "private" => role.belongs(),
        "followers" => role.belongs() || role == Role::Follower,
        "unlisted" | "public" => true,
        other => panic!("no visibility {other}"),
    }
}

/// Whether the caller may know that the itinerary exists.
fn sees(cell: &Cell) -> bool {
    cell.visibility.is_some_and(|visibility| may_see(cell.role, visibility))
}

// Including the words of the message; and nothing else is answered so.
fn hidden_itineraries_get_the_response_of_missing_ones(cells: &[Cell]) {
    let nowhere = of(cells, "nowhere", |cell| cell.visibility.is_none());
    for cell in cells {
        assert_eq!(cell.outcome.status == 404, !sees(cell), "{cell}");
        let nothing = nowhere.iter().find(|other| other.case == cell.case).expect("each case is asked of nothing");
        assert_eq!((nothing.outcome.status, nothing.outcome.code()), (404, "notFound"), "{nothing}");
        assert_eq!(cell.outcome == nothing.outcome, !sees(cell), "{cell} and {nothing}");
    }
}

// Guards against a server that rejects everything. Owners cannot leave, because they are not members.
fn the_owner_may_do_everything(cells: &[Cell]) {
    let may = |cell: &Cell| cell.role == Role::Owner && cell.visibility.is_some() && cell.case.about != ONESELF;
    for cell in of(cells, "the owner's", may) {
        assert_eq!(cell.outcome.status, cell.case.sample.status, "{cell}");
    }
}

// Except for sending the current visibility, which is not a change.
fn responses_to_members_do_not_depend_on_visibility(cells: &[Cell]) {
    for cell in of(cells, "members'", |cell| cell.role.belongs() && moves_to(cell.case).is_none()) {
        let alike = |other: &Cell| (other.case, other.role) == (cell.case, cell.role);
        let others = of(cells, "the same", |other| alike(other) && other.visibility.is_some());
        assert_eq!(others.len(), VISIBILITIES.len());
        for other in others {
            assert_eq!(other.outcome, cell.outcome, "{other} and {cell}");
        }
    }
}

// Following shows more itineraries, but not more of one.
fn responses_to_readers_are_the_same_for_every_visibility(cells: &[Cell]) {
    let reads = |cell: &Cell| !cell.role.belongs() && sees(cell);
    for cell in of(cells, "readers'", |cell| reads(cell) && moves_to(cell.case).is_none()) {
        for other in of(cells, "the same", |other| reads(other) && other.case == cell.case) {
            assert_eq!(other.outcome, cell.outcome, "{other} and {cell}");
        }
    }
}

fn only_the_owner_says_who_may_see_it(cells: &[Cell]) {
    let moves = |cell: &Cell| moves_to(cell.case).is_some_and(|to| cell.visibility.is_some_and(|from| from != to));
    let moves = of(cells, "moves", moves);
    assert_eq!(moves.len(), VISIBILITIES.len() * (VISIBILITIES.len() - 1) * Role::ALL.len());
    for cell in moves {
        assert_eq!(cell.outcome.done(), cell.role == Role::Owner, "{cell}");
    }
}

fn only_the_owner_deletes_and_says_who_is_a_member(cells: &[Cell]) {
    let owners =
        ["itinerary_delete", "member_list", "member_set", "member_remove", "link_list", "link_create", "link_delete"];
    for name in owners {
        let is_it = |cell: &Cell| (cell.case.operation(), cell.case.about) == (name, "");
        for cell in of(cells, name, |cell| is_it(cell) && cell.visibility.is_some()) {
            assert_eq!(cell.outcome.done(), cell.role == Role::Owner, "{cell}");
        }
    }
}

fn only_members_leave(cells: &[Cell]) {
    for cell in of(cells, "leaving", |cell| cell.case.about == ONESELF && cell.visibility.is_some()) {
        assert_eq!(cell.outcome.done(), matches!(cell.role, Role::Editor | Role::Viewer), "{cell}");
    }
}

fn only_owner_and_editors_change_it(cells: &[Cell]) {
    let may_not = |cell: &Cell| !matches!(cell.role, Role::Owner | Role::Editor);
    for cell in of(cells, "changes of others", |cell| cell.case.kind() == Kind::Change && may_not(cell)) {
        assert!(!cell.outcome.done(), "{cell}");
    }
}

fn readers_are_not_shown_what_members_are(cells: &[Cell]) {
    for name in NOT_FOR_READERS {
        for cell in of(cells, name, |cell| cell.case.operation() == name && !cell.role.belongs()) {
            assert!(!cell.outcome.done(), "{cell}");
        }
    }
}

fn everyone_who_sees_it_may_mark_it(cells: &[Cell]) {
    for cell in of(cells, "marks", |cell| cell.case.kind() == Kind::Mark) {
        let expected = if sees(cell) { cell.case.sample.status } else { 404 };
        assert_eq!(cell.outcome.status, expected, "{cell}");
    }
}

// Rejected requests and reads change nothing; marks do not change the itinerary.
fn only_a_write_that_was_done_changes_anything(cells: &[Cell]) {
    for cell in cells {
        let mut expected = Changes::expected(cell.case, &cell.outcome);
        // The visibility that it has already is no change.
        expected.itinerary &= moves_to(cell.case).is_none_or(|visibility| cell.visibility != Some(visibility));
        // The restored version has the content that it has already.
        expected.itinerary &= cell.case.operation() != "revision_restore";
        assert_eq!(cell.changes, expected, "{cell}");
    }
}

fn found(finding: &Finding) -> bool {
    !finding.entries.is_empty()
}

// Found once, by those who may read it. The entry's fields equal those of the itinerary, its ETag the one that reading
// returns.
fn found_entries_match_the_itinerary_as_read(findings: &Findings) {
    for finding in of(&findings.all, "what was found", found) {
        let words = findings.words(finding);
        let [entry] = finding.entries.as_slice() else { panic!("it is there twice: {words}") };
        let read = findings.read(finding).unwrap_or_else(|| panic!("it cannot be read: {words}"));
        assert_eq!(entry["etag"], *read.etag, "{words}");
        for field in ["title", "destination", "visibility", "role", "updatedAt", "startDate", "tags", "likesCount"] {
            assert_eq!(entry[field], read.itinerary[field], "{field}: {words}");
        }
        for field in ["accountId", "username", "displayName"] {
            assert_eq!(entry["author"][field], read.itinerary["author"][field], "{field}: {words}");
        }
    }
}

// With the reader's role. Hiding affects only Explore.
fn only_those_who_may_see_it_can_read_it(findings: &Findings) {
    for finding in &findings.all {
        let role = match finding.role {
            Role::Owner | Role::Editor => finding.role,
            Role::Viewer | Role::Follower | Role::Stranger => Role::Viewer,
        };
        let subject = findings.subject(finding);
        let expected =
            may_see(finding.role, subject.visibility).then(|| (role.name().into(), subject.visibility.into()));
        let told = findings.read(finding).map(|read| (&read.itinerary["role"], &read.itinerary["visibility"]));
        let told = told.map(|(role, visibility)| (role.clone(), visibility.clone()));
        assert_eq!(told, expected, "{}", findings.words(finding));
    }
}

fn unreadable_itineraries_are_not_listed_or_mentioned(findings: &Findings) {
    for finding in of(&findings.all, "what cannot be read", |finding| findings.read(finding).is_none()) {
        assert!(!finding.told && !found(finding), "{}", findings.words(finding));
    }
}

// Marking an unlisted itinerary requires its id. Whoever marked it finds it among their marks, and nowhere else.
fn private_and_unlisted_are_found_only_by_owner_and_members(findings: &Findings) {
    let others = |finding: &Finding| {
        let visibility = findings.subject(finding).visibility;
        let marked = visibility == "unlisted" && finding.way.wants().is_some();
        matches!(visibility, "private" | "unlisted") && !marked && !finding.role.belongs()
    };
    for finding in of(&findings.all, "not to be found", others) {
        assert!(!finding.told, "{}", findings.words(finding));
    }
}

// Not even for owner and members. Itineraries for followers appear only among followed people, here for one follower.
// Disliked ones are missing from the feed.
fn explore_has_what_is_published_and_not_hidden(findings: &Findings) {
    for finding in of(&findings.all, "explore", |finding| finding.way.operation == "explore_list") {
        let (way, subject) = (finding.way, findings.subject(finding));
        let is_feed = !way.asks("q") && !way.follows();
        let may = !subject.hidden
            && matches!(subject.visibility, "followers" | "public")
            && (way.follows() || subject.visibility == "public")
            && (!way.follows() || finding.role == Role::Follower)
            && (!is_feed || way.marked != Some(Mark::Dislike));
        assert!(may || !finding.told, "{}", findings.words(finding));
    }
}

// Guards against a server where nothing is found.
fn followers_find_itineraries_for_followers(findings: &Findings) {
    let is_it = |finding: &Finding| {
        let subject = findings.subject(finding);
        let way = finding.way.follows() || finding.way.operation == "account_itinerary_list";
        way && !subject.hidden && matches!(subject.visibility, "followers" | "public") && finding.role == Role::Follower
    };
    for finding in of(&findings.all, "for followers", is_it) {
        assert!(found(finding), "{}", findings.words(finding));
    }
}

// In the feed unless disliked, by its words, and among its owner's itineraries, there even when hidden.
fn everyone_finds_public_itineraries(findings: &Findings) {
    let is_it = |finding: &Finding| {
        let (way, subject) = (finding.way, findings.subject(finding));
        let explore = way.operation == "explore_list" && !way.follows() && !subject.hidden;
        let shown = way.asks("q") || way.marked != Some(Mark::Dislike);
        subject.visibility == "public" && (way.operation == "account_itinerary_list" || explore && shown)
    };
    for finding in of(&findings.all, "public", is_it) {
        assert!(found(finding), "{}", findings.words(finding));
    }
}

// Owned, shared and saved ones, whatever the visibility and moderation; none of anybody else.
fn library_lists_owned_shared_and_saved_itineraries(findings: &Findings) {
    let is_it = |finding: &Finding| finding.way.operation == "itinerary_list" && finding.way.wants().is_none();
    for finding in of(&findings.all, "the library", is_it) {
        let way = finding.way;
        let has = match finding.role {
            // It is a copy.
            Role::Owner => !way.asks("filter=shared"),
            Role::Editor | Role::Viewer => !way.asks("filter=owned") && !way.asks("filter=saved"),
            Role::Follower | Role::Stranger => false,
        };
        assert_eq!(found(finding), has, "{}", findings.words(finding));
    }
}

fn lists_of_marks_have_what_one_marked_and_may_see(findings: &Findings) {
    for finding in of(&findings.all, "marks", |finding| finding.way.wants().is_some()) {
        let has = finding.way.wants() == finding.way.marked;
        let has = has && may_see(finding.role, findings.subject(finding).visibility);
        assert_eq!(found(finding), has, "{}", findings.words(finding));
    }
}
