//! The rules of the service, pure: merging, validation, versions, cursors, OAuth decisions.
//!
//! Nothing here reads a clock, a random source, a socket or a database; what a rule needs of them is an argument.

pub mod clock;
pub mod ids;
pub mod oauth;
pub mod seal;
