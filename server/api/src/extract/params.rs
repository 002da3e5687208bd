//! Path and query parameters, read from names and values.

use serde::de::value::MapDeserializer;
use serde::de::{DeserializeOwned, Deserializer, Error as _, IntoDeserializer, Visitor};

use crate::read::{FieldError, predicate};

/// Reads names and values into a type. Unknown names are ignored; a known one that appears more than once is rejected.
pub(super) fn parse<T: DeserializeOwned>(pairs: impl IntoIterator<Item = (String, String)>) -> Result<T, FieldError> {
    let pairs = pairs.into_iter().map(|(name, value)| (name, Param(value)));
    serde_path_to_error::deserialize(MapDeserializer::<_, Error>::new(pairs)).map_err(|error| {
        let path = error.path().to_string();
        let message = error.into_inner().to_string();
        let named = |start: &str| message.strip_prefix(start).and_then(|rest| rest.split('`').next());
        match (named("missing field `"), named("duplicate field `")) {
            (Some(name), _) => FieldError::new(name, "is required"),
            (_, Some(name)) => FieldError::new(name, "appears more than once"),
            _ => FieldError::new(path, predicate(&message)),
        }
    })
}

/// Reads a Boolean as the clients of several languages write it in a query: Python's `str` makes `True`, PHP's makes `1`.
pub fn boolean(text: &str) -> Option<bool> {
    match text {
        "true" | "True" | "1" => Some(true),
        "false" | "False" | "0" => Some(false),
        _ => None,
    }
}

type Error = serde::de::value::Error;

/// One parameter's text, parsed as a number or a Boolean where the type asks for one.
struct Param(String);

impl IntoDeserializer<'_, Error> for Param {
    type Deserializer = Self;

    fn into_deserializer(self) -> Self {
        self
    }
}

impl<'de> Deserializer<'de> for Param {
    type Error = Error;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_string(self.0)
    }

    fn deserialize_bool<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_bool(boolean(&self.0).ok_or_else(|| Error::custom("must be true or false"))?)
    }

    fn deserialize_i64<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        match self.0.parse() {
            Ok(number) => visitor.visit_i64(number),
            // The visitor knows the limits and names them in its error.
            Err(_) => visitor.visit_string(self.0),
        }
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_some(self)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Error> {
        visitor.visit_enum(self.0.into_deserializer())
    }

    serde::forward_to_deserialize_any! {
        i8 i16 i32 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf unit unit_struct
        newtype_struct seq tuple tuple_struct map struct identifier ignored_any
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::types::{CreateQuery, ItineraryPath, ListQuery};

    fn read<T: DeserializeOwned>(query: &str) -> Result<T, String> {
        parse(form_urlencoded::parse(query.as_bytes()).into_owned())
            .map_err(|error: FieldError| error.field.unwrap_or_default())
    }

    #[test]
    fn parameters_are_read_and_refused_by_name() {
        let query: ListQuery = read("limit=7&filter=owned&other=1&other=2").expect("a query");
        assert_eq!(query.limit.map(crate::values::Whole::get), Some(7));
        for (query, field) in [
            ("limit=0", "limit"),
            ("limit=101", "limit"),
            ("limit=abc", "limit"),
            ("limit=", "limit"),
            ("filter=x", "filter"),
            ("limit=1&limit=2", "limit"),
            ("updatedSince=yesterday", "updatedSince"),
        ] {
            assert_eq!(read::<ListQuery>(query).expect_err(query), field);
        }
        assert_eq!(read::<CreateQuery>("allowDuplicate=yes").expect_err("not a truth value"), "allowDuplicate");
        assert_eq!(read::<ItineraryPath>("id=7").expect_err("not a UUID"), "id");
    }

    #[test]
    fn booleans_are_read_as_languages_write_them() {
        for (text, wanted) in
            [("true", true), ("True", true), ("1", true), ("false", false), ("False", false), ("0", false)]
        {
            let query: CreateQuery = read(&format!("dryRun={text}&allowDuplicate={text}")).expect(text);
            assert_eq!((query.dry_run, query.allow_duplicate), (Some(wanted), Some(wanted)), "{text}");
        }
        for text in ["", "TRUE", "yes", "2", "on", "null"] {
            assert_eq!(read::<CreateQuery>(&format!("dryRun={text}")).expect_err(text), "dryRun");
        }
    }

    #[test]
    fn refusals_say_what_is_expected() {
        for (query, message) in [
            ("limit=abc", "must be a whole number from 1 to 100, not the string \"abc\""),
            ("limit=0", "must be a whole number from 1 to 100"),
            ("limit=1&limit=2", "appears more than once"),
            ("filter=x", "must be one of `all`, `owned`, `shared`, `saved`, `liked`, `disliked`"),
            ("updatedSince=x", "must be a date-time with an offset, such as 2027-05-01T09:30:00+01:00"),
        ] {
            let pairs = form_urlencoded::parse(query.as_bytes()).into_owned();
            assert_eq!(parse::<ListQuery>(pairs).expect_err(query).message, message);
        }
    }

    #[test]
    fn a_plus_that_was_not_escaped_is_understood() {
        for query in ["updatedSince=2027-05-01T10:00:00+02:00", "updatedSince=2027-05-01T10:00:00%2B02:00"] {
            let query: ListQuery = read(query).expect("a date-time");
            assert_eq!(&*query.updated_since.expect("sent"), "2027-05-01T10:00:00+02:00");
        }
    }
}
