//! The SDK against a small service of the tests' own, which can do what the real one never would.

mod documents;
mod lists;
mod parts;
mod readme;
mod renewal;
mod requests;
mod service;
mod sign_in;
