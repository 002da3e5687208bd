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

pub mod app;
pub mod browser;
pub mod engines;
pub mod program;
pub mod world;

pub use test_support::database::Database::{self, Postgres, Sqlite};
pub use test_support::raw::RawResponse;
pub use test_support::{bodies, certificates, database, postgres, raw, sql, terminal};
pub use world::World;
