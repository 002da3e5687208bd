//! Generators of inputs, from small to large: values, resources, contents, edits, bytes.

pub(crate) mod bytes;
pub(crate) mod content;
pub(crate) mod edits;
pub(crate) mod objects;
pub(crate) mod resources;
pub(crate) mod tidy;
pub(crate) mod values;
