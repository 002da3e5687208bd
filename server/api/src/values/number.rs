//! Numbers within limits.

use std::fmt;

use schemars::JsonSchema;
use schemars::r#gen::SchemaGenerator;
use schemars::schema::{InstanceType, NumberValidation, Schema, SchemaObject};
use serde::de::{Error as _, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

fn number_schema(kind: InstanceType, format: &str, minimum: f64, maximum: f64) -> Schema {
    SchemaObject {
        instance_type: Some(kind.into()),
        format: Some(format.to_owned()),
        number: Some(Box::new(NumberValidation {
            minimum: Some(minimum),
            maximum: Some(maximum),
            ..NumberValidation::default()
        })),
        ..SchemaObject::default()
    }
    .into()
}

/// A whole number from `MIN` to `MAX`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(transparent)]
pub struct Whole<const MIN: i64, const MAX: i64>(i64);

impl<const MIN: i64, const MAX: i64> Whole<MIN, MAX> {
    /// Checks the limits. The error says what is expected.
    pub fn new(number: i64) -> Result<Self, String> {
        if (MIN..=MAX).contains(&number) { Ok(Self(number)) } else { Err(Self::refusal()) }
    }

    /// The number itself, from `MIN` to `MAX`.
    pub fn get(self) -> i64 {
        self.0
    }

    fn refusal() -> String {
        format!("must be a whole number from {MIN} to {MAX}")
    }
}

impl<'de, const MIN: i64, const MAX: i64> Deserialize<'de> for Whole<MIN, MAX> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_i64(WholeVisitor)
    }
}

struct WholeVisitor<const MIN: i64, const MAX: i64>;

impl<const MIN: i64, const MAX: i64> Visitor<'_> for WholeVisitor<MIN, MAX> {
    type Value = Whole<MIN, MAX>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "a whole number from {MIN} to {MAX}")
    }

    fn visit_i64<E: serde::de::Error>(self, number: i64) -> Result<Self::Value, E> {
        Whole::new(number).map_err(E::custom)
    }

    fn visit_u64<E: serde::de::Error>(self, number: u64) -> Result<Self::Value, E> {
        i64::try_from(number).map_err(|_| E::custom(Self::Value::refusal())).and_then(|n| self.visit_i64(n))
    }

    /// JSON Schema counts `3.0` as an integer.
    fn visit_f64<E: serde::de::Error>(self, number: f64) -> Result<Self::Value, E> {
        if number.fract() != 0.0 || number.abs() > 9e15 {
            return Err(E::custom(Self::Value::refusal()));
        }
        #[expect(clippy::cast_possible_truncation, reason = "whole and below 2^53")]
        self.visit_i64(number as i64)
    }
}

impl<const MIN: i64, const MAX: i64> JsonSchema for Whole<MIN, MAX> {
    fn schema_name() -> String {
        format!("Whole{MIN}To{MAX}")
    }

    fn is_referenceable() -> bool {
        false
    }

    #[expect(clippy::cast_precision_loss, reason = "limits are far below 2^53")]
    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        let format = if i32::try_from(MAX).is_ok() { "int32" } else { "int64" };
        number_schema(InstanceType::Integer, format, MIN as f64, MAX as f64)
    }
}

/// The least and the largest number, for messages.
#[derive(Clone, Copy)]
struct Range(f64, f64);

impl fmt::Display for Range {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "a number from {} to {}", self.0, self.1)
    }
}

/// Reads any number; its errors say what is expected.
struct NumberVisitor<E>(E);

impl<E: fmt::Display> Visitor<'_> for NumberVisitor<E> {
    type Value = f64;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }

    fn visit_f64<F: serde::de::Error>(self, number: f64) -> Result<f64, F> {
        Ok(number)
    }

    #[expect(clippy::cast_precision_loss, reason = "a number of JSON is read as a double")]
    fn visit_i64<F: serde::de::Error>(self, number: i64) -> Result<f64, F> {
        Ok(number as f64)
    }

    #[expect(clippy::cast_precision_loss, reason = "a number of JSON is read as a double")]
    fn visit_u64<F: serde::de::Error>(self, number: u64) -> Result<f64, F> {
        Ok(number as f64)
    }
}

macro_rules! bounded_number {
    ($(#[$meta:meta])* $name:ident, $min:literal, $max:literal) => {
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, PartialEq, PartialOrd, Serialize)]
        #[serde(transparent)]
        pub struct $name(f64);

        impl $name {
            /// Returns `None` if the number is outside its limits.
            pub fn new(number: f64) -> Option<Self> {
                ($min..=$max).contains(&number).then_some(Self(number))
            }

            /// The number itself, within its limits.
            pub fn get(self) -> f64 {
                self.0
            }
        }

        impl<'de> Deserialize<'de> for $name {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                let range = Range($min, $max);
                let number = deserializer.deserialize_f64(NumberVisitor(range))?;
                Self::new(number).ok_or_else(|| D::Error::custom(format!("must be {range}")))
            }
        }

        impl JsonSchema for $name {
            fn schema_name() -> String {
                stringify!($name).to_owned()
            }

            fn is_referenceable() -> bool {
                false
            }

            fn json_schema(_: &mut SchemaGenerator) -> Schema {
                number_schema(InstanceType::Number, "double", $min, $max)
            }
        }
    };
}

bounded_number!(
    /// Degrees north of the equator, -90 to 90.
    Latitude, -90.0, 90.0
);
bounded_number!(
    /// Degrees east of Greenwich, -180 to 180.
    Longitude, -180.0, 180.0
);
bounded_number!(
    /// The duration (minutes) or length (metres) of a leg, 0 to 1,000,000,000.
    Measure, 0.0, 1_000_000_000.0
);
bounded_number!(
    /// An average rating, 0 to 5.
    Rating, 0.0, 5.0
);

/// An amount of money in whole thousandths of the currency's main unit: 0 to 999,999,999,999.999.
///
/// On the wire it is a JSON number with at most three decimals. A double keeps 15 decimal digits, so conversion goes
/// through the shortest decimal text and never through floating-point arithmetic.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Amount(u64);

impl Amount {
    const MAX: f64 = 999_999_999_999.999;
    const EXPECTED: &str = "a number from 0 to 999999999999.999 with at most three decimals";

    /// The amount in thousandths: 12.5 is 12,500.
    pub fn thousandths(self) -> u64 {
        self.0
    }

    /// Returns `None` above 999,999,999,999,999 thousandths.
    pub fn from_thousandths(thousandths: u64) -> Option<Self> {
        (thousandths <= 999_999_999_999_999).then_some(Self(thousandths))
    }

    fn from_double(number: f64) -> Option<Self> {
        if !(0.0..=Self::MAX).contains(&number) {
            return None;
        }
        // The shortest decimal text of this double: equal to what was sent, up to 15 digits.
        let text = number.abs().to_string();
        let (units, decimals) = text.split_once('.').unwrap_or((&text, ""));
        if decimals.len() > 3 {
            return None;
        }
        format!("{units}{decimals:0<3}").parse().ok().and_then(Self::from_thousandths)
    }
}

impl fmt::Display for Amount {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{:03}", self.0 / 1000, self.0 % 1000)
    }
}

impl Serialize for Amount {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if self.0.is_multiple_of(1000) {
            serializer.serialize_u64(self.0 / 1000)
        } else {
            serializer.serialize_f64(self.to_string().parse().expect("digits and a point"))
        }
    }
}

impl<'de> Deserialize<'de> for Amount {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let number = deserializer.deserialize_f64(NumberVisitor(Self::EXPECTED))?;
        Self::from_double(number).ok_or_else(|| D::Error::custom(format!("must be {}", Self::EXPECTED)))
    }
}

impl JsonSchema for Amount {
    fn schema_name() -> String {
        "Amount".to_owned()
    }

    fn is_referenceable() -> bool {
        false
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        // Not `multipleOf: 0.001`: validators that divide doubles would reject valid amounts.
        number_schema(InstanceType::Number, "double", 0.0, Self::MAX)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn amounts_come_back_as_the_same_number() {
        for text in ["0", "12", "12.5", "0.001", "0.1", "19.99", "999999999999.999", "123456789012.345"] {
            let amount: Amount = serde_json::from_str(text).expect(text);
            assert_eq!(serde_json::to_string(&amount).expect("plain"), text);
        }
        assert_eq!(serde_json::from_str::<Amount>("1e2").expect("100").thousandths(), 100_000);
        for text in ["-1", "0.0001", "12.3456", "1000000000000", "1e300", "\"1\"", "-0.001"] {
            assert!(serde_json::from_str::<Amount>(text).is_err(), "{text}");
        }
    }

    #[test]
    fn whole_numbers_may_carry_a_zero_fraction() {
        type Travellers = Whole<1, 100>;
        assert_eq!(serde_json::from_str::<Travellers>("3.0").expect("whole").get(), 3);
        for text in ["0", "101", "2.5", "1e300", "\"2\"", "18446744073709551615", "null", "-1"] {
            assert!(serde_json::from_str::<Travellers>(text).is_err(), "{text}");
        }
    }
}
