//! The tests: one binary, a module for each area. Each test has its own server in this process, on a free
//! loopback port, with a fresh database and a clock that the test sets. Tests run on SQLite, and with
//! `ITINERARY_TEST_POSTGRES=1` on PostgreSQL too. Requests go through the SDK, or over raw HTTP if the SDK cannot send them.

// The futures of tests contain those of the SDK and of the server's start.
#![recursion_limit = "256"]

mod changes;
mod cli;
mod contract;
mod covers;
mod days;
mod documents;
mod explore;
mod exports;
mod http;
mod imports;
mod items;
mod itineraries;
mod links;
mod marks;
mod mcp;
mod moderation;
mod people;
mod places;
mod sdk;
mod sign_in;
mod snapshot;
mod together;
mod trips;
mod wallet;
mod webhooks;
mod zones;
