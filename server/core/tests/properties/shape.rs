//! What the contract says of a resource's fields, as a table: what the strategies and the model of merging are made from.
//!
//! The tables (`strategies/resources.rs`) are written from the contract, not from the types that they are to test.

use proptest::strategy::BoxedStrategy;
use serde_json::Value;

/// A field of an object.
pub(crate) struct Field {
    pub(crate) name: &'static str,
    pub(crate) need: Need,
    pub(crate) kind: Kind,
}

/// Whether a field has to be there.
pub(crate) enum Need {
    Required,
    Optional,
    /// Made when it is missing, and then never changed.
    Identity,
    /// What is not there is this, in JSON.
    Else(&'static str),
}

/// What a field holds.
pub(crate) enum Kind {
    /// Something without parts that merge.
    Leaf(fn() -> BoxedStrategy<Value>),
    Object(&'static [Field]),
    /// Objects, at most so many when they are made up.
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

pub(crate) const fn list(name: &'static str, fields: &'static [Field], most: usize) -> Field {
    Field { name, need: Need::Else("[]"), kind: Kind::List(fields, most) }
}
