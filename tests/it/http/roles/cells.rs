//! The cells of the matrix: which requests there are, and what each came to.

use std::fmt;

use itinerary_api::error::ErrorCode;
use itinerary_api::policy::{POLICIES, Policy};
use reqwest::{Method, RequestBuilder};
use serde_json::Value;

use super::stage::{Caller, Role, Stage};
use crate::http::samples::{SAMPLES, Sample};
use crate::support::World;
use crate::support::raw::Call;

/// A request that the matrix has a block for: an operation's sample, or the same with another body.
#[derive(Clone, Copy)]
pub(super) struct Case {
    /// What the body is about, where the operation asks who it is for; empty: the sample's.
    pub(super) about: &'static str,
    /// The sample.
    pub(super) sample: &'static Sample,
    /// The body instead of the sample's.
    body: Option<&'static str>,
}

impl PartialEq for Case {
    fn eq(&self, other: &Self) -> bool {
        (self.sample.operation, self.about) == (other.sample.operation, other.about)
    }
}

impl fmt::Display for Case {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.sample.operation)?;
        if self.about.is_empty() { Ok(()) } else { write!(f, " of {}", self.about) }
    }
}

impl Case {
    /// The operation's row.
    pub(super) fn policy(&self) -> &'static Policy {
        self.sample.policy()
    }

    /// Whether it is there to change the itinerary.
    pub(super) fn writes(&self) -> bool {
        self.sample.method() != Method::GET
    }

    /// The states of `If-Match` that are asked: where it is not needed, one.
    pub(super) fn states(&self) -> &'static [IfMatch] {
        if self.policy().if_match { &IfMatch::ALL } else { &[IfMatch::NotSent] }
    }
}

/// Changes of the whole that need more than a title does: who may make them depends on the field.
const FIELDS: [(&str, &str); 3] = [
    ("visibility", r#"{"visibility": "unlisted"}"#),
    ("expenses", r#"{"expenses": []}"#),
    ("packing", r#"{"packing": []}"#),
];

/// The cases, in the order of the policy table.
pub(super) fn cases() -> Vec<Case> {
    let mut cases = Vec::new();
    for policy in POLICIES {
        let sample = SAMPLES.iter().find(|sample| sample.operation == policy.operation).expect("a sample");
        if !sample.path.starts_with("/v1/itineraries/{id}") {
            continue;
        }
        cases.push(Case { about: "", sample, body: None });
        if policy.operation == "itinerary_update" {
            cases.extend(FIELDS.map(|(about, body)| Case { about, sample, body: Some(body) }));
        }
    }
    cases
}

/// What is sent as `If-Match`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum IfMatch {
    NotSent,
    Malformed,
    Stale,
    Current,
}

impl IfMatch {
    /// All of them, in the order of the columns.
    pub(super) const ALL: [Self; 4] = [Self::NotSent, Self::Malformed, Self::Stale, Self::Current];

    /// The header's value.
    fn value(self, current: &str) -> Option<&str> {
        match self {
            Self::NotSent => None,
            Self::Malformed => Some(current.trim_matches('"')),
            Self::Stale => Some("\"v1.m\""),
            Self::Current => Some(current),
        }
    }
}

/// What a request came to.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Outcome {
    /// The status.
    pub(super) status: u16,
    /// The error without its request id, if it was refused.
    pub(super) error: Option<Value>,
}

impl Outcome {
    /// Whether it was done.
    pub(super) fn done(&self) -> bool {
        self.error.is_none()
    }

    /// The error's code; nothing: it was done.
    pub(super) fn code(&self) -> &str {
        self.error.as_ref().and_then(|error| error["code"].as_str()).unwrap_or_default()
    }

    /// The error's details.
    pub(super) fn details(&self) -> Value {
        self.error.as_ref().map_or(Value::Null, |error| error["details"].clone())
    }
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.status, self.code())
    }
}

/// One request and what it came to.
pub(super) struct Cell {
    pub(super) case: Case,
    pub(super) role: Role,
    pub(super) pro: bool,
    /// Whether the token carries the scope that the operation needs; otherwise it carries every other.
    pub(super) scoped: bool,
    pub(super) if_match: IfMatch,
    pub(super) outcome: Outcome,
    /// Whether the itinerary was another, or gone, when the request had been answered.
    pub(super) changed: bool,
}

impl fmt::Display for Cell {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { case, role, pro, scoped, if_match, outcome, changed } = self;
        let (plan, scope) = (if *pro { "Pro" } else { "free" }, if *scoped { "with" } else { "without" });
        write!(f, "{case} by {} {plan} {scope} the scope, If-Match {if_match:?}", role.name())?;
        write!(f, ": {outcome} {}, changed: {changed}", outcome.details())
    }
}

/// Sends every request of the matrix.
pub(super) async fn record(world: &World) -> Vec<Cell> {
    let mut cells = Vec::new();
    for caller in Caller::all(world).await {
        let mut stage = Stage::set(world, &caller).await;
        for case in cases() {
            for scoped in [true, false] {
                for if_match in case.states() {
                    let cell = ask(world, &caller, &stage, case, scoped, *if_match).await;
                    if cell.changed {
                        stage = Stage::set(world, &caller).await;
                    }
                    cells.push(cell);
                }
            }
        }
    }
    cells
}

/// Sends one.
async fn ask(world: &World, caller: &Caller, stage: &Stage, case: Case, scoped: bool, if_match: IfMatch) -> Cell {
    let needed = case.policy().scope.expect("what is about one itinerary needs a scope");
    let call = with_if_match(world, case.sample.call(world, &stage.itinerary), if_match.value(&stage.tag));
    let call = case.body.into_iter().fold(call, |call, body| Call(call.0.body(body)));
    let answer = call.token(caller.token(needed, scoped)).send().await;
    let error = (!answer.status.is_success()).then(|| {
        let mut error = answer.json()["error"].clone();
        let code = ErrorCode::ALL.iter().find(|code| error["code"] == code.as_str()).expect("a code of the catalogue");
        answer.expect_error(code.status(), code.as_str());
        error.as_object_mut().expect("an object").remove("requestId");
        error
    });
    let outcome = Outcome { status: answer.status.as_u16(), error };
    let changed = stage.has_changed(world).await;
    Cell { case, role: caller.role, pro: caller.pro, scoped, if_match, outcome, changed }
}

/// The call with this `If-Match` instead of the sample's.
fn with_if_match(world: &World, call: Call, value: Option<&str>) -> Call {
    let mut request = call.0.build().expect("a request");
    request.headers_mut().remove("If-Match");
    let call = Call(RequestBuilder::from_parts(world.http.clone(), request));
    value.into_iter().fold(call, |call, value| call.header("If-Match", value))
}
