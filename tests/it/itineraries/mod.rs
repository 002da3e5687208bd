//! Itineraries: creating, reading, changing, deleting, listing, retries and races.
//!
//! Requests go through the SDK, or over raw HTTP by the small [`App`] if JSON or headers matter. Other areas test
//! sign-in, rate limits and what all operations share.

use itinerary_tests::app::{App, Stored, WITH_DOCUMENTS, attention, ids, key, path};
use itinerary_tests::bodies as fixtures;
mod account;
mod boundaries;
mod clock;
mod create;
mod delete;
mod duplicates;
mod fill;
mod idempotency;
mod list;
mod messages;
mod races;
mod rules;
mod schema;
mod size;
mod unchanged;
mod update;
mod versions;
mod view;
