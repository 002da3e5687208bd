//! The store on every engine there is: SQLite always, PostgreSQL where it is installed.

mod accounts;
mod beside;
mod engines;
mod explore;
mod fixtures;
mod follows;
mod grants;
mod idempotency;
mod itineraries;
mod lists;
mod marks;
mod members;
mod reports;
mod schema;
