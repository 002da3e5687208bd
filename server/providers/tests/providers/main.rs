//! Tests of the adapters against a provider on 127.0.0.1 that answers with recorded answers and every fault.
//!
//! The recorded answers are written from the documentation that each adapter names.
//! No test reaches the network: every name resolves to 127.0.0.1, and no public address is called.

mod cache;
mod client_documents;
mod endpoint;
mod faults;
mod geocoders;
mod guard;
mod openverse;
mod routes;
mod stub;
mod viator;
