//! The tables that are read and written through entities. Itineraries, stored answers and the look-up of a
//! caller are not among them: theirs are the hot statements, written by hand in their own files.
//!
//! The models are the bare columns (milliseconds, bytes); the types that leave the crate are the areas'.

#![expect(unreachable_pub, reason = "the entity derive wants its model public")]

pub(crate) mod accounts;
pub(crate) mod clients;
pub(crate) mod codes;
pub(crate) mod grants;
pub(crate) mod sessions;
pub(crate) mod settings;
pub(crate) mod tokens;
