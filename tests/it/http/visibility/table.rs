//! Both matrices as a table: a block for each case and for each list. People with the same responses share a line.

use itinerary_store::Mark;

use super::by_id::{Cell, cases};
use super::finding::{Findings, MARKS, Way, ways};
use super::people::{Role, VISIBILITIES};
use crate::http::cases::Case;
use crate::http::tables::{assert_committed, grouped, line};

const ABOUT: &str = "\
Who is answered what, for each operation on one itinerary, by who may see it and by what the caller is to it; and who
finds it in which list. Everyone has Pro, every scope and the current If-Match.

follower: follows the owner, and is no member. stranger: neither. Members follow nobody. Follower and stranger
are members of another itinerary of the owner's, who follows the stranger. hidden: by moderation.
What is about a member is about another than the caller, but where it says: of oneself.";

/// Compares them with the committed text.
pub(super) fn check(cells: &[Cell], findings: &Findings) {
    let by_id = cases().into_iter().map(|case| case_block(case, cells)).collect::<String>();
    let alike = grouped(ways().into_iter().map(|way| (way, way_lines(way, findings))));
    let finding = alike.iter().map(|(ways, lines)| way_block(ways, lines)).collect::<String>();
    let subjects: Vec<_> = findings.subjects.iter().map(ToString::to_string).collect();
    let table = format!(
        "# To those who have the id\n\n{}{by_id}\n# To those who look for it\n\n{}{finding}",
        line("", &VISIBILITIES),
        line("", &subjects)
    );
    assert_committed("visibility", ABOUT, &table);
}

/// The lines of a case.
fn case_block(case: Case, cells: &[Cell]) -> String {
    let told = |role: Role, visibility: &str| {
        let is_it = |cell: &&Cell| (cell.case, cell.visibility, cell.role) == (case, Some(visibility), role);
        cells.iter().find(is_it).map_or_else(String::new, |cell| cell.outcome.to_string())
    };
    let rows = Role::ALL.map(|role| (role, VISIBILITIES.map(|visibility| told(role, visibility)).to_vec()));
    format!("\n{}\n{}", case.title(), lines(rows))
}

/// The lines of people with the same responses.
fn lines(rows: impl IntoIterator<Item = (Role, Vec<String>)>) -> String {
    let name = |who: &[Role]| match who.len() {
        all if all == Role::ALL.len() => "everyone".to_owned(),
        _ => who.iter().map(|role| role.name()).collect::<Vec<_>>().join(", "),
    };
    grouped(rows).iter().map(|(who, columns)| line(&name(who), columns)).collect()
}

/// The lines of a list: who finds what.
fn way_lines(way: Way, findings: &Findings) -> Vec<String> {
    let rows = Role::ALL.map(|role| {
        let mine = findings.all.iter().filter(|finding| (finding.way, finding.role) == (way, role));
        (role, mine.map(|finding| if finding.entries.is_empty() { "-" } else { "found" }.to_owned()).collect())
    });
    vec![lines(rows)]
}

/// The lists with the same findings, and who finds what.
fn way_block(ways: &[Way], lines: &[String]) -> String {
    format!("\n{}{}", names(ways), lines.concat())
}

/// The names of lists, a line each, without the caller's mark if it makes no difference.
fn names(ways: &[Way]) -> String {
    let name = |way: &Way| {
        let whatever = |marked: Option<Mark>| ways.contains(&Way { marked, ..*way });
        match way.marked {
            None if MARKS.into_iter().all(whatever) => Some(format!("{way}\n")),
            Some(_) if MARKS.into_iter().all(whatever) => None,
            None => Some(format!("{way}, not marked\n")),
            Some(Mark::Like) => Some(format!("{way}, liked by the caller\n")),
            Some(Mark::Dislike) => Some(format!("{way}, disliked by the caller\n")),
        }
    };
    ways.iter().filter_map(name).collect()
}

#[test]
fn a_mark_is_named_where_it_makes_a_difference() {
    let way = |query, marked| Way { operation: "explore_list", query, marked };
    let [none, like, dislike] = MARKS;
    assert_eq!(names(&[none, like, dislike].map(|marked| way("q=a", marked))), "explore_list q=a\n");
    let some = [way("q=a", none), way("", dislike)];
    assert_eq!(names(&some), "explore_list q=a, not marked\nexplore_list, disliked by the caller\n");
}
