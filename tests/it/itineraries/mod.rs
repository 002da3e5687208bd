//! Itineraries as their traveller's app meets them: created, read, changed, deleted, listed, retried, raced for.
//!
//! What the SDK shows goes through the SDK; what is about the JSON itself, or about headers, goes over raw HTTP by the
//! small [`App`]. Sign-in, rate limits and what every operation shares are other areas'.

mod account;
mod boundaries;
mod create;
mod delete;
mod duplicates;
mod fill;
mod idempotency;
mod list;
mod races;
mod rules;
mod schema;
mod size;
mod update;
mod versions;
mod view;

use crate::support::app::{App, Stored, WITH_DOCUMENTS, attention, ids, key, path};
use crate::support::bodies as fixtures;
