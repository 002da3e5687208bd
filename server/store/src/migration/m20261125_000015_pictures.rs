//! Pictures: rows of their own, each of one itinerary.

use super::Migration;

pub(super) const MIGRATION: Migration =
    Migration { name: "m20261125_000015_pictures", both: SCHEMA, postgres: &[], sqlite: &[] };

/// A picture without an itinerary is of a deleted one; a job deletes it. `file_id` names its files, which copies share.
/// `former_pictures` has the ids that an itinerary had. `itineraries.picture_id` equals `cover_id` if the cover has a row
/// here: servers of the version before write `cover_id` alone, and a job adds the row.
const SCHEMA: &str = "
CREATE TABLE pictures (
    id {uuid} NOT NULL PRIMARY KEY,
    itinerary_id {uuid} REFERENCES itineraries (id) ON DELETE SET NULL,
    file_id {uuid} NOT NULL,
    drawing TEXT,
    source TEXT,
    created_at {int} NOT NULL,
    replaced_at {int}
) {end};
CREATE INDEX pictures_itinerary ON pictures (itinerary_id);
CREATE INDEX pictures_file ON pictures (file_id);
CREATE INDEX pictures_replaced ON pictures (replaced_at) WHERE replaced_at IS NOT NULL;

CREATE TABLE former_pictures (
    id {uuid} NOT NULL PRIMARY KEY,
    itinerary_id {uuid} NOT NULL REFERENCES itineraries (id) ON DELETE CASCADE,
    replaced_at {int} NOT NULL
) {end};
CREATE INDEX former_pictures_itinerary ON former_pictures (itinerary_id);
CREATE INDEX former_pictures_age ON former_pictures (replaced_at);

ALTER TABLE itineraries ADD COLUMN picture_id {uuid};
";
