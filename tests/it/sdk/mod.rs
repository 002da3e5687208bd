//! The SDK against a server: its examples, and its retries.

mod examples;
mod retries;
