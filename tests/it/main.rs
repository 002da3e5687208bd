//! The conformance tests: one binary, a module an area. Each test has a server of its own, in this process, on a free
//! loop-back port, with a fresh database and a clock that it sets; it runs on SQLite, and on PostgreSQL where that is
//! installed. Requests go through the SDK; raw HTTP is for what the SDK cannot send.

mod browser;
mod covers;
mod days;
mod documents;
mod explore;
mod http;
mod items;
mod itineraries;
mod marks;
mod mcp;
mod people;
mod places;
mod sign_in;
mod support;
mod wallet;
mod zones;
