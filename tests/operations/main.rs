//! Tests of running the server: several servers on one database, restarts of what they need, backups, and commands. Each
//! starts the real program (`tests/src/program.rs`), and PostgreSQL and Redis if they are installed.
//!
//! `program` comes before `slow`, because the harness sorts tests by name: the slow ones are last.

mod authority;
mod keep_alive;
mod load;
mod program;
mod redis;
mod servers;
mod slow;
