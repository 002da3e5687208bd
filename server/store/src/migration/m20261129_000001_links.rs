//! Secret links of itineraries.

use super::Migration;

pub(super) const MIGRATION: Migration =
    Migration { name: "m20261129_000001_links", both: SCHEMA, postgres: &[], sqlite: &[] };

/// `hash` is the SHA-256 of the secret. `expires_at` is null if the link does not expire.
const SCHEMA: &str = "
CREATE TABLE links (
    id {uuid} NOT NULL PRIMARY KEY,
    itinerary_id {uuid} NOT NULL REFERENCES itineraries (id) ON DELETE CASCADE,
    label TEXT NOT NULL,
    hash {bytes} NOT NULL UNIQUE,
    sections TEXT NOT NULL CHECK (sections IN ('plan', 'bookings')),
    expires_at {int},
    created_at {int} NOT NULL,
    UNIQUE (itinerary_id, label)
) {end};
";
