//! Finds duplicate names in objects of a JSON text, which parsed values do not show.

use std::collections::HashSet;
use std::fmt;

use serde::de::{Deserialize, Deserializer, Error, MapAccess, SeqAccess, Visitor};

/// Checks that no object of the text, at any depth, has a duplicate name.
pub(crate) fn none(json: &[u8]) -> Result<(), String> {
    serde_json::from_slice::<Distinct>(json).map(|_| ()).map_err(|error| error.to_string())
}

/// Parses any JSON and keeps nothing.
struct Distinct;

impl<'de> Deserialize<'de> for Distinct {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(Self)
    }
}

impl<'de> Visitor<'de> for Distinct {
    type Value = Self;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("JSON")
    }

    fn visit_unit<E: Error>(self) -> Result<Self, E> {
        Ok(self)
    }

    fn visit_bool<E: Error>(self, _: bool) -> Result<Self, E> {
        Ok(self)
    }

    fn visit_i64<E: Error>(self, _: i64) -> Result<Self, E> {
        Ok(self)
    }

    fn visit_u64<E: Error>(self, _: u64) -> Result<Self, E> {
        Ok(self)
    }

    fn visit_f64<E: Error>(self, _: f64) -> Result<Self, E> {
        Ok(self)
    }

    fn visit_str<E: Error>(self, _: &str) -> Result<Self, E> {
        Ok(self)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Self, A::Error> {
        while items.next_element::<Self>()?.is_some() {}
        Ok(self)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut fields: A) -> Result<Self, A::Error> {
        let mut names = HashSet::new();
        while let Some((name, Self)) = fields.next_entry::<String, Self>()? {
            if let Some(name) = names.replace(name) {
                return Err(A::Error::custom(format_args!("{name} is there twice")));
            }
        }
        Ok(self)
    }
}

#[test]
fn repeated_names_are_found_at_any_depth() {
    for good in [r#"{"a": {"a": 1}, "b": [{"a": null}, {"a": "x"}]}"#, "[]", "{}"] {
        assert_eq!(none(good.as_bytes()), Ok(()), "{good}");
    }
    for bad in [r#"{"a": 1, "a": 1}"#, r#"[{"b": {"a": 1, "c": 2, "\u0061": 3}}]"#] {
        assert!(none(bad.as_bytes()).expect_err(bad).starts_with("a is there twice"), "{bad}");
    }
}
