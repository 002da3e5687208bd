//! Text of limited length without control characters.

use std::fmt;
use std::ops::Deref;

use schemars::JsonSchema;
use schemars::r#gen::SchemaGenerator;
use schemars::schema::{InstanceType, Schema, SchemaObject};
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize};

/// The pattern of the texts that [`Text`] accepts, in ASCII: beyond it, engines match bytes or reject the range. The check
/// also rejects U+0080 to U+009F.
const NO_CONTROL_CHARACTERS: &str = r"^[^\x00-\x08\x0B-\x1F\x7F]*$";

/// Text of `MIN` to `MAX` characters, without control characters other than newline and tab.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(transparent)]
pub struct Text<const MIN: usize, const MAX: usize>(String);

impl<const MIN: usize, const MAX: usize> Text<MIN, MAX> {
    /// Checks length and characters. The error says what is expected.
    pub fn new(text: impl Into<String>) -> Result<Self, String> {
        let text = text.into();
        let length = text.chars().count();
        if length < MIN || length > MAX {
            return Err(format!("must have {MIN} to {MAX} characters, not {length}"));
        }
        if text.chars().any(|c| c.is_control() && c != '\n' && c != '\t') {
            return Err("must not contain control characters".to_owned());
        }
        Ok(Self(text))
    }

    /// Shortens the text to `MAX` characters and removes control characters.
    pub fn truncated(text: &str) -> Self {
        Self(text.chars().filter(|c| !c.is_control()).take(MAX).collect())
    }
}

impl<const MIN: usize, const MAX: usize> Deref for Text<MIN, MAX> {
    type Target = str;

    fn deref(&self) -> &str {
        &self.0
    }
}

impl<const MIN: usize, const MAX: usize> fmt::Display for Text<MIN, MAX> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl<'de, const MIN: usize, const MAX: usize> Deserialize<'de> for Text<MIN, MAX> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Self::new(String::deserialize(deserializer)?).map_err(D::Error::custom)
    }
}

impl<const MIN: usize, const MAX: usize> JsonSchema for Text<MIN, MAX> {
    fn schema_name() -> String {
        format!("Text{MIN}To{MAX}")
    }

    fn is_referenceable() -> bool {
        false
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        let mut schema = SchemaObject { instance_type: Some(InstanceType::String.into()), ..SchemaObject::default() };
        let limits = schema.string();
        limits.min_length = (MIN > 0).then(|| u32::try_from(MIN).unwrap_or(u32::MAX));
        limits.max_length = u32::try_from(MAX).ok();
        limits.pattern = Some(NO_CONTROL_CHARACTERS.to_owned());
        schema.into()
    }
}

/// The schema of a string with a format or a pattern, never both: generated clients parse a `format: date` and then fail to
/// match the pattern.
pub(crate) fn string_schema(format: Option<&str>, pattern: Option<&str>, max_length: Option<usize>) -> Schema {
    let mut schema = SchemaObject {
        instance_type: Some(InstanceType::String.into()),
        format: format.map(str::to_owned),
        ..SchemaObject::default()
    };
    if pattern.is_some() || max_length.is_some() {
        let limits = schema.string();
        limits.pattern = pattern.map(str::to_owned);
        limits.max_length = max_length.and_then(|length| u32::try_from(length).ok());
    }
    schema.into()
}

/// The schema of a string that is one of these.
pub(crate) fn one_of(values: &[&str]) -> Schema {
    let values = values.iter().map(|value| (*value).into()).collect();
    SchemaObject {
        instance_type: Some(InstanceType::String.into()),
        enum_values: Some(values),
        ..SchemaObject::default()
    }
    .into()
}

/// Declares a newtype over text with a check, its (de)serialisation, `Deref`, `Display` and schema.
macro_rules! checked_text {
    ($(#[$meta:meta])* $name:ident, $check:expr, format: $format:expr, pattern: $pattern:expr, max: $max:expr) => {
        $(#[$meta])*
        #[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, serde::Serialize)]
        #[serde(transparent)]
        pub struct $name(String);

        impl $name {
            /// Checks the text. The error says what is expected.
            pub fn new(text: impl Into<String>) -> Result<Self, String> {
                let text = text.into();
                let check: fn(&str) -> Result<(), String> = $check;
                check(&text).map(|()| Self(text))
            }
        }

        impl std::ops::Deref for $name {
            type Target = str;

            fn deref(&self) -> &str {
                &self.0
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(&self.0)
            }
        }

        impl<'de> serde::Deserialize<'de> for $name {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                let text = <String as serde::Deserialize>::deserialize(deserializer)?;
                Self::new(text).map_err(serde::de::Error::custom)
            }
        }

        impl schemars::JsonSchema for $name {
            fn schema_name() -> String {
                stringify!($name).to_owned()
            }

            fn is_referenceable() -> bool {
                false
            }

            fn json_schema(_: &mut schemars::r#gen::SchemaGenerator) -> schemars::schema::Schema {
                $crate::values::text::string_schema($format, $pattern, $max)
            }
        }
    };
}
pub(super) use checked_text;
