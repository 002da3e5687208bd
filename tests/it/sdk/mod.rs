//! The SDK against a server: its examples, its short forms, and its retries.

mod changes;
mod examples;
mod retries;
mod short_forms;

pub(crate) use retries::NoWaits;
