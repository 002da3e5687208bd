//! The matrix as a table: a block for each case. Callers with the same outcomes share a line.

use super::cells::{Cell, IfMatch, cases};
use super::stage::Role;
use crate::http::cases::Case;
use crate::http::tables::{assert_committed, grouped, line};

const ABOUT: &str = "\
Who is answered what, for each operation on one itinerary: by what the caller is to it and the caller's plan, by the
If-Match that is sent, and to a token with every scope but the one that is needed, whatever If-Match is sent.

reader: no member, the itinerary is public. stranger: no member, it is private. nowhere: there is no such itinerary.
Where no plan is named, it makes no difference. -: the operation takes no If-Match.
What is about a member is about another than the caller, but where it says: of oneself.";

const COLUMNS: [&str; 5] = ["not sent", "malformed", "stale", "current", "without the scope"];

/// Compares the matrix with the committed one.
pub(super) fn check(cells: &[Cell]) {
    let blocks = cases().into_iter().map(|case| block(case, cells));
    assert_committed("roles", ABOUT, &format!("{}{}", line("", &COLUMNS), blocks.collect::<String>()));
}

/// The lines of a case.
fn block(case: Case, cells: &[Cell]) -> String {
    let everyone = Role::ALL.into_iter().flat_map(|role| [(role, false), (role, true)]);
    let rows = everyone.map(|(role, pro)| {
        let mine = cells.iter().filter(|cell| (cell.role, cell.pro, cell.case) == (role, pro, case));
        ((role, pro), columns(&mine.collect::<Vec<_>>()))
    });
    let groups = grouped(rows);
    let lines = groups.iter().map(|(who, columns)| line(&names(who), columns));
    let scope = case.policy().scope.map_or("", |scope| scope.as_str());
    format!("\n{} ({scope})\n{}", case.title(), lines.collect::<String>())
}

/// A role, with or without Pro.
type Who = (Role, bool);

/// The names of the callers of a line.
fn names(who: &[Who]) -> String {
    let name = |&(role, pro): &Who| match (pro, who.contains(&(role, !pro))) {
        (false, true) => Some(role.name().to_owned()),
        (true, true) => None,
        (false, false) => Some(format!("{} free", role.name())),
        (true, false) => Some(format!("{} Pro", role.name())),
    };
    who.iter().filter_map(name).collect::<Vec<_>>().join(", ")
}

/// The outcomes of one caller in one case.
fn columns(cells: &[&Cell]) -> Vec<String> {
    let of = |scoped: bool, states: &[IfMatch]| {
        let asked = cells.iter().filter(|cell| cell.scoped == scoped && states.contains(&cell.if_match));
        let mut told: Vec<String> = asked.map(|cell| cell.outcome.to_string()).collect();
        told.dedup();
        if told.is_empty() { "-".to_owned() } else { told.join(" or ") }
    };
    IfMatch::ALL.iter().map(|state| of(true, &[*state])).chain([of(false, &IfMatch::ALL)]).collect()
}

#[test]
fn people_with_equal_responses_share_a_line() {
    let who = [(Role::Owner, false), (Role::Owner, true), (Role::Editor, true), (Role::Viewer, false)];
    assert_eq!(names(&who), "owner, editor Pro, viewer free");
}
