//! How a check ends.

use serde::Serialize;

/// The result of a check, or of a step of it.
pub type Checked<T = ()> = Result<T, Stop>;

/// Why a check ends early.
#[derive(Clone, Debug)]
pub enum Stop {
    /// The server breaks the promise.
    Failed(Box<Failure>),
    /// The promise cannot be checked in this run, for this reason.
    Skipped(String),
}

/// What was expected, and what came instead.
#[derive(Clone, Debug, Serialize)]
pub struct Failure {
    /// What the promise requires of the response.
    pub expected: String,
    /// The request as a curl command, without credentials. Empty if no request was sent.
    pub request: String,
    /// Status, headers and the beginning of the body. Empty if no response came.
    pub response: String,
}

impl Stop {
    /// A failure that belongs to no single response.
    pub fn failed(expected: impl Into<String>) -> Self {
        Self::Failed(Box::new(Failure { expected: expected.into(), request: String::new(), response: String::new() }))
    }

    pub fn skipped(reason: impl Into<String>) -> Self {
        Self::Skipped(reason.into())
    }
}

/// Fails unless the condition holds.
pub fn ensure(holds: bool, expected: impl Into<String>) -> Checked {
    if holds { Ok(()) } else { Err(Stop::failed(expected)) }
}
