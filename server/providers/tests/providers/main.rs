//! Tests of the adapters against a provider on 127.0.0.1 with recorded responses and every fault.
//!
//! The recorded responses are written from the documentation that each adapter names. No test reaches the network:
//! every name resolves to 127.0.0.1, and no public address is called.

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
mod webhooks;
