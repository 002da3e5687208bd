//! Invalid bodies: bytes, JSON of any shape, and damaged valid bodies.

use proptest::collection::{btree_map, vec};
use proptest::prelude::{Just, Strategy, any};
use proptest::prop_oneof;
use proptest::sample::{Index, select};
use proptest::strategy::BoxedStrategy;
use serde_json::Value;

use super::resources::{BELONGS_TO, CONTENT, COST, DAY, EXPENSE, FLIGHT, HOTEL, LEG, PACKING, PLACE, STOP};
use super::values::{item_id, name};

/// Any bytes, some of which resemble JSON.
pub(crate) fn any_bytes() -> BoxedStrategy<Vec<u8>> {
    let like_json = "[\\[\\]{}:,\"0-9eE.+\\-ntfu\\\\ a-z]{0,40}".prop_map(String::into_bytes);
    prop_oneof![vec(any::<u8>(), 0..64), like_json].boxed()
}

/// Names that the contract has, and a few others.
fn key() -> BoxedStrategy<String> {
    let tables = [CONTENT, DAY, STOP, LEG, FLIGHT, HOTEL, EXPENSE, PACKING, PLACE, COST, BELONGS_TO];
    let known = tables.into_iter().flatten().map(|field| field.name.to_owned());
    let others = ["id", "documents", "visibility", "savedFrom", "dayId", "position", "", "nothing"].map(str::to_owned);
    select(known.chain(others).collect::<Vec<_>>()).boxed()
}

/// Any JSON, with names that the contract has.
pub(crate) fn any_json() -> BoxedStrategy<Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        name(),
        item_id(),
    ];
    let nested = leaf.prop_recursive(5, 40, 6, |inner| {
        prop_oneof![
            1 => vec(inner.clone(), 0..4).prop_map(Value::from),
            2 => btree_map(key(), inner, 0..6).prop_map(|fields| fields.into_iter().collect::<Value>()),
        ]
    });
    nested.boxed()
}

/// A kind of damage to a body.
#[derive(Clone, Debug)]
enum Harm {
    Byte(Index, u8),
    Insert(Index, &'static str),
    Cut(Index, usize),
    Repeat(Index, Index),
}

/// Characters of two and four bytes, to find code that counts bytes.
const LONG: &str = "é😀é😀é😀é😀é😀é😀é😀é😀é😀é😀é😀é😀é😀é😀é😀é😀é😀é😀é😀é😀é😀é😀é😀é😀é😀é😀é😀é😀é😀é😀é😀é😀é😀é😀é😀é😀é😀é😀é😀é😀é😀";

const TOKENS: [&str; 25] = [
    "null",
    "true",
    "{",
    "}",
    "[",
    "]",
    ",",
    ":",
    "\"",
    "-",
    "-0",
    "1e400",
    "0.0000001",
    "99999999999999999999",
    "\"\\ud800\"",
    "\\",
    "\"id\":null,",
    "\"\":",
    "\0",
    " ",
    "[[[[[[[[",
    "{\"a\":",
    "\u{1f600}",
    "\"id\":\"a\",",
    LONG,
];

fn harm() -> BoxedStrategy<Harm> {
    prop_oneof![
        (any::<Index>(), any::<u8>()).prop_map(|(at, byte)| Harm::Byte(at, byte)),
        (any::<Index>(), select(TOKENS.to_vec())).prop_map(|(at, token)| Harm::Insert(at, token)),
        (any::<Index>(), 1..12usize).prop_map(|(at, length)| Harm::Cut(at, length)),
        (any::<Index>(), any::<Index>()).prop_map(|(from, to)| Harm::Repeat(from, to)),
    ]
    .boxed()
}

/// The body with one or a few kinds of damage.
pub(crate) fn harmed(body: BoxedStrategy<Value>) -> BoxedStrategy<Vec<u8>> {
    (body, vec(harm(), 1..4))
        .prop_map(|(body, harms)| {
            let mut bytes = body.to_string().into_bytes();
            for harm in &harms {
                apply(&mut bytes, harm);
            }
            bytes
        })
        .boxed()
}

fn apply(bytes: &mut Vec<u8>, harm: &Harm) {
    let end = bytes.len();
    match harm {
        Harm::Byte(at, byte) => {
            if end > 0 {
                bytes[at.index(end)] = *byte;
            }
        }
        Harm::Insert(at, token) => {
            let at = at.index(end + 1);
            bytes.splice(at..at, token.bytes());
        }
        Harm::Cut(at, length) => {
            let at = at.index(end + 1);
            bytes.drain(at..end.min(at + length));
        }
        Harm::Repeat(from, to) => {
            let (from, to) = (from.index(end + 1), to.index(end + 1));
            let part = bytes[from.min(to)..from.max(to)].to_vec();
            bytes.splice(to..to, part);
        }
    }
}

/// The body with one value, at any depth, replaced by a value that is probably invalid there.
pub(crate) fn misfit(body: BoxedStrategy<Value>) -> BoxedStrategy<Value> {
    let other = prop_oneof![2 => Just(Value::from(LONG)), 1 => any_json()];
    (body, any::<Index>(), other)
        .prop_map(|(mut body, at, other)| {
            let mut places = Vec::new();
            pointers(&body, "", &mut places);
            if let Some(place) = places.get(at.index(places.len().max(1))).and_then(|place| body.pointer_mut(place)) {
                *place = other;
            }
            body
        })
        .boxed()
}

/// The JSON pointers to the values inside a value.
fn pointers(value: &Value, parent: &str, found: &mut Vec<String>) {
    let inside: Vec<(String, &Value)> = match value {
        Value::Object(fields) => fields.iter().map(|(name, value)| (format!("{parent}/{name}"), value)).collect(),
        Value::Array(items) => items.iter().enumerate().map(|(n, value)| (format!("{parent}/{n}"), value)).collect(),
        _ => Vec::new(),
    };
    for (place, value) in inside {
        pointers(value, &place, found);
        found.push(place);
    }
}
