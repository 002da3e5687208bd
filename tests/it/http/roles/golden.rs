//! The matrix as a text, and its comparison with the one that was committed.
//!
//! A block for each case. Callers who are answered alike share a line: a line that parts in two is a difference between
//! people that was not there before.

use std::env;
use std::fs;
use std::sync::OnceLock;

use similar::TextDiff;

use super::cells::{Case, Cell, IfMatch, cases};
use super::stage::Role;

const FILE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/it/http/roles.golden.txt");

const HOW_TO_RENEW: &str = "UPDATE_GOLDEN=1 cargo test -p conformance --test it http::roles";

const HEAD: &str = "\
# Who is answered what, for each operation on one itinerary: by what the caller is to it and the caller's plan, by the
# If-Match that is sent, and to a token with every scope but the one that is needed, whatever If-Match is sent.
#
# reader: no member, the itinerary is public. stranger: no member, it is private. nowhere: there is no such itinerary.
# Where no plan is named, it makes no difference. -: the operation takes no If-Match.
#
# Generated. To renew it, and then to read what is different:";

const COLUMNS: [&str; 5] = ["not sent", "malformed", "stale", "current", "without the scope"];

/// The whole text.
pub(super) fn render(cells: &[Cell]) -> String {
    let mut text = format!("{HEAD}\n#     {HOW_TO_RENEW}\n\n{}", line("", &COLUMNS.map(str::to_owned)));
    for case in cases() {
        text.push_str(&block(case, cells));
    }
    text
}

/// The lines of a case.
fn block(case: Case, cells: &[Cell]) -> String {
    let mut groups: Vec<(Vec<String>, Vec<Who>)> = Vec::new();
    for role in Role::ALL {
        for pro in [false, true] {
            let mine = cells.iter().filter(|cell| (cell.role, cell.pro, cell.case) == (role, pro, case));
            let columns = columns(&mine.collect::<Vec<_>>());
            match groups.iter_mut().find(|(known, _)| *known == columns) {
                Some((_, who)) => who.push((role, pro)),
                None => groups.push((columns, vec![(role, pro)])),
            }
        }
    }
    let lines = groups.iter().map(|(columns, who)| line(&names(who), columns));
    let scope = case.policy().scope.map_or("", |scope| scope.as_str());
    format!("\n{case}: {} {} ({scope})\n{}", case.sample.method, case.sample.path, lines.collect::<String>())
}

/// A role, with or without Pro.
type Who = (Role, bool);

/// The names of those who share a line.
fn names(who: &[Who]) -> String {
    let name = |&(role, pro): &Who| match (pro, who.contains(&(role, !pro))) {
        (false, true) => Some(role.name().to_owned()),
        (true, true) => None,
        (false, false) => Some(format!("{} free", role.name())),
        (true, false) => Some(format!("{} Pro", role.name())),
    };
    who.iter().filter_map(name).collect::<Vec<_>>().join(", ")
}

/// What one caller was told in one case.
fn columns(cells: &[&Cell]) -> Vec<String> {
    let of = |scoped: bool, states: &[IfMatch]| {
        let asked = cells.iter().filter(|cell| cell.scoped == scoped && states.contains(&cell.if_match));
        let mut told: Vec<String> = asked.map(|cell| cell.outcome.to_string()).collect();
        told.dedup();
        if told.is_empty() { "-".to_owned() } else { told.join(" or ") }
    };
    IfMatch::ALL.iter().map(|state| of(true, &[*state])).chain([of(false, &IfMatch::ALL)]).collect()
}

fn line(who: &str, columns: &[String]) -> String {
    let line = columns.iter().fold(format!("    {who:<40}"), |line, column| format!("{line}{column:<26}"));
    format!("{}\n", line.trim_end())
}

/// Compares the text with the committed one, or renews that one where it is asked for.
pub(super) fn check(text: &str) {
    // The first to come writes; both databases are compared with what was written.
    static RENEWED: OnceLock<String> = OnceLock::new();
    let committed = if may_write(env::var("UPDATE_GOLDEN").ok().as_deref(), env::var("CI").ok().as_deref()) {
        RENEWED.get_or_init(|| {
            fs::write(FILE, text).expect("the golden file can be written");
            text.to_owned()
        })
    } else {
        // Where there is no file, every line differs.
        &fs::read_to_string(FILE).unwrap_or_default()
    };
    if let Some(difference) = difference(committed, text) {
        panic!("access is not what roles.golden.txt says. Where it is meant: {HOW_TO_RENEW}\n\n{difference}");
    }
}

/// Whether the file is renewed: where it is asked for, and never in CI.
fn may_write(update: Option<&str>, ci: Option<&str>) -> bool {
    update == Some("1") && ci.is_none()
}

/// How two texts differ, with the lines around; `None`: not at all.
fn difference(committed: &str, now: &str) -> Option<String> {
    let differ = committed != now;
    differ.then(|| {
        let lines = TextDiff::from_lines(committed, now);
        lines.unified_diff().context_radius(4).header("roles.golden.txt", "the server's answers").to_string()
    })
}

#[test]
fn the_golden_file_is_written_on_request_and_never_in_ci() {
    assert!(may_write(Some("1"), None));
    for (update, ci) in [(None, None), (Some("0"), None), (Some("1"), Some("true")), (Some("1"), Some(""))] {
        assert!(!may_write(update, ci), "{update:?} {ci:?}");
    }
}

#[test]
fn a_difference_shows_both_lines() {
    assert_eq!(difference("a\nb\n", "a\nb\n"), None);
    let shown = difference("a\nb\n", "a\nc\n").expect("a difference");
    assert!(shown.contains("\n-b\n+c\n"), "{shown}");
}

#[test]
fn those_who_are_answered_alike_share_a_line() {
    let who = [(Role::Owner, false), (Role::Owner, true), (Role::Editor, true), (Role::Viewer, false)];
    assert_eq!(names(&who), "owner, editor Pro, viewer free");
}
