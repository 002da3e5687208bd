//! Every operation on one itinerary, by callers who have its id.

use std::fmt;

use itinerary_tests::World;
use reqwest::Method;
use serde_json::json;

use super::people::{People, Person, Role, VISIBILITIES};
use crate::http::cases::{self, Case, Outcome};
use crate::http::stored::{Changes, Stored};
use crate::http::{NOTHING, create_whole};

/// Changes to each visibility. Sending the current one is not a change.
const MOVES: [(&str, &str); 4] = [
    ("visibility to private", r#"{"visibility": "private"}"#),
    ("visibility to followers", r#"{"visibility": "followers"}"#),
    ("visibility to unlisted", r#"{"visibility": "unlisted"}"#),
    ("visibility to public", r#"{"visibility": "public"}"#),
];

/// The cases, in the order of the policy table.
pub(super) fn cases() -> Vec<Case> {
    cases::cases(&MOVES)
}

/// The visibility that a case changes to.
pub(super) fn moves_to(case: Case) -> Option<&'static str> {
    case.about.strip_prefix("visibility to ")
}

/// One request and its outcome.
pub(super) struct Cell {
    pub(super) case: Case,
    /// The itinerary's visibility. `None` if it does not exist.
    pub(super) visibility: Option<&'static str>,
    pub(super) role: Role,
    pub(super) outcome: Outcome,
    /// The changes that the request made.
    pub(super) changes: Changes,
}

impl fmt::Display for Cell {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { case, visibility, role, outcome, changes } = self;
        write!(f, "{case} by {} where it is {}", role.name(), visibility.unwrap_or("nowhere"))?;
        write!(f, ": {outcome} {}, {changes:?}", outcome.details())
    }
}

/// An itinerary for requests, reused until one changes it.
struct Stage {
    itinerary: String,
    tag: String,
}

impl Stage {
    /// A new itinerary of the owner, with every part and with members.
    async fn set(world: &World, people: &People, visibility: &str) -> Self {
        let token = &people.owner().token;
        let made = create_whole(world, token).await;
        let itinerary = made.json()["id"].as_str().expect("an id").to_owned();
        // Before its visibility changes, so that an editor may see its first version.
        people.join(world, &itinerary).await;
        let change = world.call(Method::PATCH, made.header("location")).token(token).header("If-Match", "*");
        let changed = change.json(&json!({ "visibility": visibility })).send().await;
        assert_eq!(changed.status, 200, "{}", changed.text());
        Self { itinerary, tag: changed.header("etag").to_owned() }
    }
}

pub(super) async fn record(world: &World, people: &People) -> Vec<Cell> {
    let mut cells = Vec::new();
    for visibility in VISIBILITIES {
        let mut stage = Stage::set(world, people, visibility).await;
        for case in cases() {
            for person in &people.all {
                if let Some(mark) = case.clears() {
                    person.mark(world, &stage.itinerary, mark).await;
                }
                let cell = ask(world, person, &stage, case, Some(visibility)).await;
                if cell.changes.any() {
                    stage = Stage::set(world, people, visibility).await;
                }
                cells.push(cell);
            }
        }
    }
    let nothing = Stage { itinerary: NOTHING.to_owned(), tag: "\"v2.mpd\"".to_owned() };
    for case in cases() {
        cells.push(ask(world, people.of(Role::Stranger), &nothing, case, None).await);
    }
    cells
}

async fn ask(world: &World, person: &Person, stage: &Stage, case: Case, visibility: Option<&'static str>) -> Cell {
    let (itinerary, account) = (&stage.itinerary, person.account);
    let before = Stored::now(world, itinerary, account).await;
    assert_eq!(before.is_there(), visibility.is_some());
    let if_match = case.policy().if_match.then_some(&*stage.tag);
    let response = case.call(world, itinerary, account, if_match).token(&person.token).send().await;
    let changes = before.changes(&Stored::now(world, itinerary, account).await);
    Cell { case, visibility, role: person.role, outcome: Outcome::of(&response), changes }
}
