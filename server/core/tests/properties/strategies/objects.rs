//! JSON objects and merge patches of the shape that a table specifies.

use proptest::collection::vec;
use proptest::prelude::{Just, Strategy};
use proptest::prop_oneof;
use proptest::strategy::BoxedStrategy;
use serde_json::Value;

use crate::shape::{Field, Kind, Need};

/// Where a patch has nulls.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Nulls {
    /// Only in fields that may be cleared.
    Allowed,
    /// Also in required fields, where they are rejected.
    Anywhere,
}

/// An object with its required and some optional fields. Optional fields are sometimes null, which counts as absent.
pub(crate) fn object(fields: &'static [Field]) -> BoxedStrategy<Value> {
    assembled(fields, |field| {
        let value = match field.kind {
            Kind::Leaf(leaf) => leaf(),
            Kind::Object(inner) => object(inner),
            Kind::List(item, most) => vec(object(item), 0..=most).prop_map(Value::from).boxed(),
        };
        match field.need {
            Need::Required => value.prop_map(Some).boxed(),
            Need::Optional | Need::Identity => sometimes(value, 4),
            Need::Else(_) | Need::Sparse => sometimes(value, 16),
        }
    })
}

/// The value with the given weight, absent with weight three, and null with weight one.
fn sometimes(value: BoxedStrategy<Value>, weight: u32) -> BoxedStrategy<Option<Value>> {
    prop_oneof![3 => Just(None), 1 => Just(Some(Value::Null)), weight => value.prop_map(Some)].boxed()
}

/// A merge patch for such an object.
pub(crate) fn patch(fields: &'static [Field], nulls: Nulls) -> BoxedStrategy<Value> {
    assembled(fields, move |field| {
        let value = match field.kind {
            Kind::Leaf(leaf) => leaf(),
            Kind::Object(inner) => patch(inner, nulls),
            Kind::List(item, most) => vec(object(item), 0..=most).prop_map(Value::from).boxed(),
        };
        let may_be_null = nulls == Nulls::Anywhere || !matches!(field.need, Need::Required | Need::Identity);
        let null = u32::from(may_be_null);
        prop_oneof![4 => Just(None), null => Just(Some(Value::Null)), 4 => value.prop_map(Some)].boxed()
    })
}

/// A merge patch, usually without rejected nulls.
pub(crate) fn any_patch(fields: &'static [Field]) -> BoxedStrategy<Value> {
    prop_oneof![5 => patch(fields, Nulls::Allowed), 1 => patch(fields, Nulls::Anywhere)].boxed()
}

fn assembled(
    fields: &'static [Field],
    value: impl Fn(&'static Field) -> BoxedStrategy<Option<Value>>,
) -> BoxedStrategy<Value> {
    let values: Vec<_> = fields.iter().map(value).collect();
    let named = move |values: Vec<Option<Value>>| {
        let named = fields.iter().zip(values).filter_map(|(field, value)| Some((field.name.to_owned(), value?)));
        Value::Object(named.collect())
    };
    values.prop_map(named).boxed()
}
