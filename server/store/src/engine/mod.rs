//! SQLite and PostgreSQL: opening them, reading, write transactions, and replicas of PostgreSQL.
//!
//! [`Store`](crate::Store) is the handle. The other modules of the crate add methods to it.

pub(crate) mod connect;
pub(crate) mod observed;
mod permits;
pub(crate) mod postgres;
pub(crate) mod replica;
pub(crate) mod sqlite;
pub(crate) mod store;
pub(crate) mod transaction;
