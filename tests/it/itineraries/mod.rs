//! Itineraries: creating, reading, changing, deleting, listing, retries and races.
//!
//! Requests go through the SDK, or over raw HTTP by the small [`App`] if JSON or headers matter. Other areas test
//! sign-in, rate limits and what all operations share.

use itinerary_tests::app::{App, Stored, WITH_DOCUMENTS, attention, ids, key, path};
use itinerary_tests::bodies as fixtures;
mod account_self;
mod clock;
mod duplicates;
mod field_limits;
mod idempotency;
mod itinerary_create;
mod itinerary_create_defaults;
mod itinerary_delete;
mod itinerary_list;
mod itinerary_shift;
mod itinerary_update;
mod itinerary_view;
mod messages;
mod newer_server;
mod races;
mod schema;
mod size;
mod unchanged;
mod validation;
mod versions;
