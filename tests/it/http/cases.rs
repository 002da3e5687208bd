//! What the matrices of access ask: every operation on one itinerary, as a request that works, and what it came to.
//!
//! Who asks, and what must come of it, is for the matrices.

use std::fmt;

use itinerary_api::error::ErrorCode;
use itinerary_api::policy::{POLICIES, Policy};
use itinerary_store::Mark;
use reqwest::{Method, RequestBuilder};
use serde_json::Value;
use uuid::Uuid;

use super::samples::{COMPANION, SAMPLES, Sample};
use crate::support::raw::Call;
use crate::support::{Answer, World};

/// What an operation is there for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// It changes nothing.
    Read,
    /// It makes another version, or deletes: for owner and editors, and it takes `If-Match`.
    Change,
    /// It says who the members are.
    Sharing,
    /// It says what the caller makes of the itinerary.
    Mark,
}

/// The writes that take no `If-Match`, for they leave the version alone; who is a member is the owner's to say, and
/// nobody's content.
const SHARING: [&str; 2] = ["member_set", "member_remove"];

/// The others: what each person who may see it makes of it, in rows of their own beside it, a copy included.
const MARKS: [&str; 6] = ["like_set", "like_clear", "dislike_set", "dislike_clear", "itinerary_save", "report_create"];

/// The reads that are for owner and members, or for the owner alone.
pub(super) const NOT_FOR_READERS: [&str; 9] = [
    "flight_list",
    "hotel_list",
    "expense_list",
    "packing_list",
    "member_list",
    "document_list",
    "document_link",
    "wallet_pass_list",
    "wallet_pass_view",
];

/// What is asked by those whom a member's operation is about.
pub(super) const ONESELF: &str = "oneself";

/// A request that a matrix has a block for: an operation's sample, or the same a little different.
#[derive(Clone, Copy)]
pub(super) struct Case {
    /// What is different from the sample; empty: nothing.
    pub(super) about: &'static str,
    /// The sample.
    pub(super) sample: &'static Sample,
    /// The body instead of the sample's.
    body: Option<&'static str>,
}

impl PartialEq for Case {
    fn eq(&self, other: &Self) -> bool {
        (self.operation(), self.about) == (other.operation(), other.about)
    }
}

impl fmt::Display for Case {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.operation())?;
        if self.about.is_empty() { Ok(()) } else { write!(f, " of {}", self.about) }
    }
}

impl Case {
    /// The operation's id.
    pub(super) fn operation(&self) -> &'static str {
        self.sample.operation
    }

    /// The operation's row.
    pub(super) fn policy(&self) -> &'static Policy {
        self.sample.policy()
    }

    /// Its name and address, as the first line of a block.
    pub(super) fn title(&self) -> String {
        format!("{self}: {} {}", self.sample.method, self.sample.path)
    }

    /// What it is there for.
    pub(super) fn kind(&self) -> Kind {
        match self.operation() {
            _ if self.sample.method() == Method::GET => Kind::Read,
            operation if SHARING.contains(&operation) => Kind::Sharing,
            operation if MARKS.contains(&operation) => Kind::Mark,
            _ => Kind::Change,
        }
    }

    /// The mark that the caller must have for it to do anything.
    pub(super) fn clears(&self) -> Option<Mark> {
        match self.operation() {
            "like_clear" => Some(Mark::Like),
            "dislike_clear" => Some(Mark::Dislike),
            _ => None,
        }
    }

    /// The request, by this account, with this `If-Match` instead of the sample's.
    pub(super) fn call(&self, world: &World, itinerary: &str, account: Uuid, if_match: Option<&str>) -> Call {
        let mut request = self.sample.call(world, itinerary).0.build().expect("a request");
        request.headers_mut().remove("If-Match");
        if self.about == ONESELF {
            let path = request.url().path().replace(COMPANION, &account.to_string());
            request.url_mut().set_path(&path);
        }
        let call = Call(RequestBuilder::from_parts(world.http.clone(), request));
        let call = self.body.into_iter().fold(call, |call, body| Call(call.0.body(body)));
        if_match.into_iter().fold(call, |call, value| call.header("If-Match", value))
    }
}

/// The cases, in the order of the policy table; `patches`: what changes of the whole are about, and their bodies.
pub(super) fn cases(patches: &[(&'static str, &'static str)]) -> Vec<Case> {
    let mut cases = Vec::new();
    for policy in POLICIES {
        let sample = SAMPLES.iter().find(|sample| sample.operation == policy.operation).expect("a sample");
        if !sample.path.starts_with("/v1/itineraries/{id}") {
            continue;
        }
        cases.push(Case { about: "", sample, body: None });
        match policy.operation {
            "itinerary_update" => {
                cases.extend(patches.iter().map(|(about, body)| Case { about, sample, body: Some(body) }));
            }
            "member_remove" => cases.push(Case { about: ONESELF, sample, body: None }),
            _ => {}
        }
    }
    cases
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
    /// Reads an answer; a refusal must be one of the catalogue.
    pub(super) fn of(answer: &Answer) -> Self {
        let error = (!answer.status.is_success()).then(|| {
            let mut error = answer.json()["error"].clone();
            let code = ErrorCode::ALL.iter().find(|code| error["code"] == code.as_str());
            let code = code.unwrap_or_else(|| panic!("a code of the catalogue: {error}"));
            answer.expect_error(code.status(), code.as_str());
            error.as_object_mut().expect("an object").remove("requestId");
            error
        });
        Self { status: answer.status.as_u16(), error }
    }

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
