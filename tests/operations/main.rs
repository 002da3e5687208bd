//! Tests of running the server: several servers on one database, restarts of what they need, backups, and commands. Each
//! starts the real program (`support/program.rs`), and PostgreSQL and Redis if they are installed.

#[path = "../it/support/mod.rs"]
#[allow(dead_code, unused_imports, reason = "shared with the tests in tests/it")]
mod support;

mod demo;
