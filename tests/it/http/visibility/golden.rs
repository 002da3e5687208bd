//! Both matrices as a text: a block for each case and for each way. People who are answered alike share a line.

use itinerary_store::Mark;

use super::by_id::{Cell, cases};
use super::finding::{Findings, Way, ways};
use super::people::{Role, VISIBILITIES};
use crate::http::cases::Case;
use crate::http::golden::{Golden, grouped, line};

static GOLDEN: Golden = Golden::new("visibility");

const ABOUT: &str = "\
Who is answered what, for each operation on one itinerary, by who may see it and by what the caller is to it; and who
finds it in which list. Everyone has Pro, every scope and the current If-Match.

follower: follows the owner, and is no member. stranger: neither. Members follow nobody. hidden: by moderation.
What is about a member is about another than the caller, but where it says: of oneself.";

/// Compares them with the committed text.
pub(super) fn check(cells: &[Cell], findings: &Findings) {
    let by_id = cases().into_iter().map(|case| case_block(case, cells)).collect::<String>();
    let alike = grouped(ways().into_iter().map(|way| (way, way_lines(way, findings))));
    let finding = alike.iter().map(|(ways, lines)| way_block(ways, lines)).collect::<String>();
    let subjects: Vec<_> = findings.subjects.iter().map(ToString::to_string).collect();
    GOLDEN.check(&format!(
        "{}\n# To those who have the id\n\n{}{by_id}\n# To those who look for it\n\n{}{finding}",
        GOLDEN.head(ABOUT),
        line("", &VISIBILITIES),
        line("", &subjects)
    ));
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

/// The lines of those who are answered alike.
fn lines(rows: impl IntoIterator<Item = (Role, Vec<String>)>) -> String {
    let groups = grouped(rows);
    groups.iter().map(|(who, columns)| line(&who.iter().map(|role| role.name()).collect::<Vec<_>>().join(", "), columns)).collect()
}

/// The lines of a way.
fn way_lines(way: Way, findings: &Findings) -> Vec<String> {
    let rows = Role::ALL.map(|role| {
        let mine = findings.all.iter().filter(|finding| (finding.way, finding.role) == (way, role));
        (role, mine.map(|finding| if finding.entries.is_empty() { "-" } else { "found" }.to_owned()).collect())
    });
    vec![lines(rows)]
}

/// The ways in which the same is found, and who finds it.
fn way_block(ways: &[Way], lines: &[String]) -> String {
    let names = ways.iter().map(|way| format!("{way}\n"));
    format!("\n{}{}", names.collect::<String>(), lines.concat())
}
