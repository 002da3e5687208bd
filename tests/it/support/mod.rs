//! The setup of every test: a world with a server, a clock, travellers and their tokens.
//!
//! A test runs once on each database, as a case named after it:
//!
//! ```ignore
//! #[rstest]
//! #[tokio::test(flavor = "multi_thread")]
//! async fn a_title_is_kept(#[values(Sqlite, Postgres)] database: Database) {
//!     let Some(world) = World::start(database).await else { return };
//! ```

pub(crate) mod app;
pub(crate) mod bodies;
pub(crate) mod certificates;
pub(crate) mod database;
pub(crate) mod engines;
pub(crate) mod postgres;
pub(crate) mod program;
pub(crate) mod raw;
pub(crate) mod sql;
pub(crate) mod terminal;
pub(crate) mod world;

pub(crate) use database::Database::{self, Postgres, Sqlite};
pub(crate) use raw::RawResponse;
pub(crate) use world::World;
