//! What the integration tests share: a server in this process with its clock, travellers and tokens ([`World`]); the server
//! as a program; a browser.
//!
//! A test with `#[api_test]` runs on each database, as `name::sqlite` and `name::postgres`; on PostgreSQL only if
//! `ITINERARY_TEST_POSTGRES=1` is set:
//!
//! ```text
//! #[api_test]
//! async fn title_is_trimmed(world: World) {
//!     // …
//! }
//! ```

pub mod app;
pub mod authenticator;
pub mod bodies;
pub mod browser;
pub mod cases;
pub mod certificates;
pub mod documents;
pub mod engines;
pub mod forms;
pub mod identity_provider;
pub mod mailbox;
pub mod program;
pub mod raw;
pub mod receiver;
pub mod sealed_files;
pub mod terminal;
pub mod wire;
pub mod world;

pub use itinerary_tests_macros::api_test;
pub use raw::RawResponse;
pub use test_support::database::Database::{self, Postgres, Sqlite};
pub use test_support::{database, postgres, skipped, sql};
pub use world::World;
