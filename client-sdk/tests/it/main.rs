//! The SDK against a small service of the tests' own, which can do what the real one never would.

mod changes;
mod codes;
mod documents;
mod edit_together;
mod lists;
mod parts;
mod readme;
mod renewal;
mod requests;
mod retries;
mod scripted;
mod service;
mod sign_in;
