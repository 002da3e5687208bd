//! The two engines: opening them, reads and write transactions on them, and a replica of PostgreSQL.
//!
//! [`Store`] is the handle; every area of the store is an `impl Store` block above this module. Nothing here knows a table
//! of the service.

pub(crate) mod connect;
pub(crate) mod observed;
mod permits;
pub(crate) mod postgres;
pub(crate) mod replica;
pub(crate) mod sqlite;
pub(crate) mod store;
pub(crate) mod transaction;
