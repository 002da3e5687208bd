//! The last run of each periodic job.

use super::Migration;

pub(super) const MIGRATION: Migration =
    Migration { name: "m20261123_000011_jobs", both: SCHEMA, postgres: &[], sqlite: &[] };

/// `busy_until` is set while the job runs. `took_ms`, `items` and `failure` are those of the last run that ended.
const SCHEMA: &str = "
CREATE TABLE jobs (
    name TEXT NOT NULL PRIMARY KEY,
    server TEXT NOT NULL,
    started_at {int} NOT NULL,
    busy_until {int},
    took_ms {int},
    items {int},
    failure TEXT,
    succeeded_at {int},
    figures TEXT
) {end};
";
