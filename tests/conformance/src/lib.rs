//! Contract tests for any server of the itinerary API.
//!
//! Each [`row::Row`] is a promise of the specification with a check. The checks use HTTP alone: they apply to a server
//! in any language.

pub mod browser;
pub mod call;
pub mod cli;
pub mod context;
mod declared;
mod expect;
mod junit;
pub mod operations;
pub mod outcome;
pub mod report;
pub mod response;
pub mod row;
pub mod rows;
mod runner;
pub mod service;
pub mod shape;
pub mod sign_in;
pub mod travellers;

pub use runner::run;

/// What to check, and where.
#[derive(Clone, Debug)]
pub struct Options {
    /// The URL of the service, without a slash at its end.
    pub base_url: String,
    /// Further URLs of the same service. Requests to `/v1` take turns.
    pub replicas: Vec<String>,
    /// Access tokens of a traveller. If there are none, travellers are signed up through the service's pages.
    pub tokens: Vec<String>,
    /// Access tokens of other travellers.
    pub second_tokens: Vec<String>,
    /// Access tokens of travellers with Pro.
    pub pro_tokens: Vec<String>,
    /// Whether the service applies its rate limits.
    pub limits: bool,
    /// Whether a field that the OpenAPI document does not declare is a failure, and not only a warning.
    pub strict: bool,
    /// Whether integrations are paused: only the rows about that run, with the tokens that were given.
    pub paused: bool,
    /// Patterns of which a row's id must match one. `*` stands for any text. If there are none, all rows run.
    pub only: Vec<String>,
}

impl Options {
    /// Checks every row at this URL, with travellers who sign up there.
    pub fn new(base_url: &str) -> Self {
        Self {
            base_url: base_url.to_owned(),
            replicas: Vec::new(),
            tokens: Vec::new(),
            second_tokens: Vec::new(),
            pro_tokens: Vec::new(),
            limits: true,
            strict: false,
            paused: false,
            only: Vec::new(),
        }
    }
}
