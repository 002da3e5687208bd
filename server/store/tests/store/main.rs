//! Tests of the store: on SQLite always, on PostgreSQL if it is installed.

mod accounts;
mod backup;
mod beside;
mod blocks;
mod connections;
mod engines;
mod entities;
mod explore;
mod fixtures;
mod follows;
mod grants;
mod idempotency;
mod invitations;
mod itineraries;
mod lists;
mod marks;
mod members;
mod quotas;
mod released;
mod reports;
mod reuse;
mod schema;
mod statements;
mod stepwise;
mod structure;
mod together;
