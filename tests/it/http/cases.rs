//! The requests of the access matrices: every operation on one itinerary, as a valid request, and its outcome.
//!
//! The matrices decide who sends them and what outcome is expected.

use std::fmt;

use itinerary_api::error::ErrorCode;
use itinerary_api::policy::{POLICIES, Policy};
use itinerary_store::Mark;
use itinerary_tests::raw::Call;
use itinerary_tests::{RawResponse, World};
use reqwest::{Method, RequestBuilder};
use serde_json::Value;
use uuid::Uuid;

use super::samples::{COMPANION, SAMPLES, Sample};

/// The purpose of an operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Read,
    /// Makes a new version or deletes. For owner and editors, with `If-Match`.
    Change,
    /// Changes the members or the secret links.
    Sharing,
    /// Changes the caller's mark on the itinerary.
    Mark,
}

/// Writes without `If-Match`, because they do not change the version: members and secret links are not content, and only
/// the owner changes them.
const SHARING: [&str; 4] = ["member_set", "member_remove", "link_create", "link_delete"];

/// The other such writes, open to everyone who may see the itinerary. They change rows beside it.
const MARKS: [&str; 6] = ["like_set", "like_clear", "dislike_set", "dislike_clear", "itinerary_save", "report_create"];

/// Reads for owner and members, or only for the owner.
pub(super) const NOT_FOR_READERS: [&str; 10] = [
    "flight_list",
    "hotel_list",
    "expense_list",
    "packing_list",
    "member_list",
    "link_list",
    "document_list",
    "document_link",
    "wallet_pass_list",
    "wallet_pass_view",
];

/// Stands for the caller's own account, in operations on a member.
pub(super) const ONESELF: &str = "oneself";

/// A request with its own block in the matrix: an operation's sample, or a variant of it.
#[derive(Clone, Copy)]
pub(super) struct Case {
    /// How it differs from the sample; empty if it does not.
    pub(super) about: &'static str,
    pub(super) sample: &'static Sample,
    /// Replaces the sample's body.
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
    pub(super) fn operation(&self) -> &'static str {
        self.sample.operation
    }

    pub(super) fn policy(&self) -> &'static Policy {
        self.sample.policy()
    }

    /// Its name and address, the first line of its block.
    pub(super) fn title(&self) -> String {
        format!("{self}: {} {}", self.sample.method, self.sample.path)
    }

    pub(super) fn kind(&self) -> Kind {
        match self.operation() {
            _ if self.sample.method() == Method::GET => Kind::Read,
            operation if SHARING.contains(&operation) => Kind::Sharing,
            operation if MARKS.contains(&operation) => Kind::Mark,
            _ => Kind::Change,
        }
    }

    /// The mark that the caller must have for the request to have an effect.
    pub(super) fn clears(&self) -> Option<Mark> {
        match self.operation() {
            "like_clear" => Some(Mark::Like),
            "dislike_clear" => Some(Mark::Dislike),
            _ => None,
        }
    }

    /// The request of an account, with this `If-Match` instead of the sample's.
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

/// The cases in the order of the policy table. `patches` are kinds of changes of the whole, with their bodies.
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

/// The outcome of a request.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Outcome {
    pub(super) status: u16,
    /// The error without its request id.
    pub(super) error: Option<Value>,
}

impl Outcome {
    /// Reads a response. An error must be in the catalogue.
    pub(super) fn of(response: &RawResponse) -> Self {
        let error = (!response.status.is_success()).then(|| {
            let mut error = response.json()["error"].clone();
            let code = ErrorCode::ALL.iter().find(|code| error["code"] == code.as_str());
            let code = code.unwrap_or_else(|| panic!("a code of the catalogue: {error}"));
            response.expect_error(code.status(), code.as_str());
            if matches!(code.status(), 403 | 404) {
                let told = ["etag", "last-modified"].map(|name| response.header(name));
                assert_eq!(told, [""; 2], "a caller who may not read it is told no version");
            }
            error.as_object_mut().expect("an object").remove("requestId");
            error
        });
        Self { status: response.status.as_u16(), error }
    }

    pub(super) fn done(&self) -> bool {
        self.error.is_none()
    }

    /// The error's code; empty on success.
    pub(super) fn code(&self) -> &str {
        self.error.as_ref().and_then(|error| error["code"].as_str()).unwrap_or_default()
    }

    pub(super) fn details(&self) -> Value {
        self.error.as_ref().map_or(Value::Null, |error| error["details"].clone())
    }
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.status, self.code())
    }
}
