//! The fields of the contract's resources as a table, from which the strategies and the model of merging are made.
//!
//! The tables (`strategies/resources.rs`) are written from the contract, not from the types under test.

use proptest::strategy::BoxedStrategy;
use serde_json::Value;

pub(crate) struct Field {
    pub(crate) name: &'static str,
    pub(crate) need: Need,
    pub(crate) kind: Kind,
}

/// Whether a field is required.
pub(crate) enum Need {
    Required,
    Optional,
    /// Made if absent, and never changed afterwards.
    Identity,
    /// Defaults to this JSON.
    Else(&'static str),
    /// A list that is left out if it is empty.
    Sparse,
}

/// The type of a field.
pub(crate) enum Kind {
    /// A value that merges as a whole.
    Leaf(fn() -> BoxedStrategy<Value>),
    Object(&'static [Field]),
    /// Objects, at most this many when generated.
    List(&'static [Field], usize),
}

pub(crate) const fn required(name: &'static str, leaf: fn() -> BoxedStrategy<Value>) -> Field {
    Field { name, need: Need::Required, kind: Kind::Leaf(leaf) }
}

/// The id of an item.
pub(crate) const fn identity(leaf: fn() -> BoxedStrategy<Value>) -> Field {
    Field { name: "id", need: Need::Identity, kind: Kind::Leaf(leaf) }
}

pub(crate) const fn required_object(name: &'static str, fields: &'static [Field]) -> Field {
    Field { name, need: Need::Required, kind: Kind::Object(fields) }
}

pub(crate) const fn optional(name: &'static str, leaf: fn() -> BoxedStrategy<Value>) -> Field {
    Field { name, need: Need::Optional, kind: Kind::Leaf(leaf) }
}

pub(crate) const fn object(name: &'static str, fields: &'static [Field]) -> Field {
    Field { name, need: Need::Optional, kind: Kind::Object(fields) }
}

pub(crate) const fn defaulted(name: &'static str, leaf: fn() -> BoxedStrategy<Value>, default: &'static str) -> Field {
    Field { name, need: Need::Else(default), kind: Kind::Leaf(leaf) }
}

/// A list that is left out if it is empty.
pub(crate) const fn sparse_list(name: &'static str, fields: &'static [Field], most: usize) -> Field {
    Field { name, need: Need::Sparse, kind: Kind::List(fields, most) }
}

pub(crate) const fn list(name: &'static str, fields: &'static [Field], most: usize) -> Field {
    Field { name, need: Need::Else("[]"), kind: Kind::List(fields, most) }
}
