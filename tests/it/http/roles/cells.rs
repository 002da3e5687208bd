//! The cells of the matrix: the requests and their outcomes.

use std::fmt;

use itinerary_tests::World;

use super::stage::{Caller, Role, Stage};
use crate::http::cases::{self, Case, Outcome};
use crate::http::stored::Changes;

/// Changes of the whole whose permission depends on the field.
const FIELDS: [(&str, &str); 3] = [
    ("visibility", r#"{"visibility": "unlisted"}"#),
    ("expenses", r#"{"expenses": [{"name": "Tram", "cost": {"amount": 3}}]}"#),
    ("packing", r#"{"packing": [{"name": "Hat"}]}"#),
];

/// The cases, in the order of the policy table.
pub(super) fn cases() -> Vec<Case> {
    cases::cases(&FIELDS)
}

/// The states of `If-Match` to try: only one if the operation does not need it.
pub(super) fn states(case: Case) -> &'static [IfMatch] {
    if case.policy().if_match { &IfMatch::ALL } else { &[IfMatch::NotSent] }
}

/// The value of `If-Match`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum IfMatch {
    NotSent,
    Malformed,
    Stale,
    Current,
}

impl IfMatch {
    pub(super) const ALL: [Self; 4] = [Self::NotSent, Self::Malformed, Self::Stale, Self::Current];

    fn value(self, current: &str) -> Option<&str> {
        match self {
            Self::NotSent => None,
            Self::Malformed => Some(current.trim_matches('"')),
            Self::Stale => Some("\"v1.m\""),
            Self::Current => Some(current),
        }
    }
}

/// One request and its outcome.
pub(super) struct Cell {
    pub(super) case: Case,
    pub(super) role: Role,
    pub(super) pro: bool,
    /// Whether the token has the required scope; otherwise it has all other scopes.
    pub(super) scoped: bool,
    pub(super) if_match: IfMatch,
    pub(super) outcome: Outcome,
    /// The changes that the request made.
    pub(super) changes: Changes,
}

impl fmt::Display for Cell {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { case, role, pro, scoped, if_match, outcome, changes } = self;
        let (plan, scope) = (if *pro { "Pro" } else { "free" }, if *scoped { "with" } else { "without" });
        write!(f, "{case} by {} {plan} {scope} the scope, If-Match {if_match:?}", role.name())?;
        write!(f, ": {outcome} {}, {changes:?}", outcome.details())
    }
}

/// Sends every request of the matrix.
pub(super) async fn record(world: &World) -> Vec<Cell> {
    let mut cells = Vec::new();
    for caller in Caller::all(world).await {
        let mut stage = Stage::set(world, &caller).await;
        for case in cases() {
            stage.prepare(world, case).await;
            for scoped in [true, false] {
                for if_match in states(case) {
                    let cell = ask(world, &caller, &stage, case, scoped, *if_match).await;
                    if cell.changes.any() {
                        stage = Stage::set(world, &caller).await;
                        stage.prepare(world, case).await;
                    }
                    cells.push(cell);
                }
            }
        }
    }
    cells
}

async fn ask(world: &World, caller: &Caller, stage: &Stage, case: Case, scoped: bool, if_match: IfMatch) -> Cell {
    let needed = case.policy().scope.expect("what is about one itinerary needs a scope");
    let call = case.call(world, &stage.itinerary, caller.account, if_match.value(&stage.tag));
    let outcome = Outcome::of(&call.token(caller.token(needed, scoped)).send().await);
    let changes = stage.changes(world).await;
    Cell { case, role: caller.role, pro: caller.pro, scoped, if_match, outcome, changes }
}
