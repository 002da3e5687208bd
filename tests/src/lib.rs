//! What the integration tests share: a server in this process with its clock, travellers and tokens ([`World`]); the server
//! as a program; a browser.
//!
//! A test runs once on each database, as a case named after it:
//!
//! ```text
//! #[rstest]
//! #[tokio::test(flavor = "multi_thread")]
//! async fn a_title_is_kept(#[values(Sqlite, Postgres)] database: Database) {
//!     let Some(world) = World::start(database).await else { return };
//!     // …
//! }
//! ```

pub mod app;
pub mod bodies;
pub mod browser;
pub mod certificates;
pub mod engines;
pub mod program;
pub mod raw;
pub mod terminal;
pub mod world;

pub use raw::RawResponse;
pub use test_support::database::Database::{self, Postgres, Sqlite};
pub use test_support::{database, postgres, sql};
pub use world::World;
