//! The rules of the service as pure functions: merging, validation, versions, cursors, OAuth decisions.
//!
//! Nothing here reads a clock, a random source, a socket or a database. Time and randomness are arguments.

pub mod access;
pub mod change_text;
pub mod clock;
pub mod content;
pub mod cursor;
pub mod daytime;
pub mod deflate;
pub mod edit;
pub mod edit_scope;
pub mod entry;
pub mod entry_path;
pub mod file_name;
pub mod fill;
pub mod fingerprint;
pub mod geo;
pub mod ids;
pub mod item_index;
pub mod legible;
pub mod legs;
pub mod link_view;
pub mod merge;
pub mod oauth;
pub mod optimise;
mod parts;
pub mod personal_token;
pub mod place_path;
pub mod places;
pub mod placing;
pub mod profile;
pub mod rank;
pub mod regions;
pub mod render;
pub mod revision;
pub mod schedule;
pub mod seal;
pub mod shift;
pub mod stored;
pub mod time_zones;
pub mod validate;
pub mod version;
pub mod words;
