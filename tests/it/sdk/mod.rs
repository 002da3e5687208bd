//! The SDK against a server: its examples, its short forms, and its retries.

mod examples;
mod retries;
mod short_forms;
