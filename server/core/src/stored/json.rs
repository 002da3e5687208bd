//! JSON as a tree whose values and order stay as they were written.

use std::fmt;

use serde::de::{Error as _, MapAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::value::{RawValue, to_raw_value};
use serde_path_to_error::{Path, Segment};

/// A JSON value. Numbers, strings, booleans and null keep their text.
#[derive(Clone, Debug)]
pub(super) enum Json {
    Object(Vec<(String, Self)>),
    Array(Vec<Self>),
    Other(Box<RawValue>),
}

/// A step from a value to one that it contains.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Step {
    Field(String),
    /// The item of an array with this id, as JSON.
    Id(String),
    /// The item of an array whose items have no ids.
    Index(usize),
}

/// The place of a field in all objects of a kind.
#[derive(Debug)]
pub(super) struct Pattern(Vec<PatternStep>);

#[derive(Debug, PartialEq)]
enum PatternStep {
    Field(String),
    AnyItem,
}

impl Pattern {
    /// The pattern of a path of an error.
    pub(super) fn of(path: &Path) -> Self {
        Self(
            path.iter()
                .filter_map(|segment| match segment {
                    Segment::Map { key } => Some(PatternStep::Field(key.clone())),
                    Segment::Seq { .. } => Some(PatternStep::AnyItem),
                    Segment::Enum { .. } | Segment::Unknown => None,
                })
                .collect(),
        )
    }

    /// Appends a field, unless the pattern ends with it.
    pub(super) fn end_with(&mut self, name: &str) {
        let field = PatternStep::Field(name.to_owned());
        if self.0.last() != Some(&field) {
            self.0.push(field);
        }
    }
}

impl Json {
    /// The value that steps lead to.
    pub(super) fn find(&mut self, steps: &[Step]) -> Option<&mut Self> {
        let Some((step, rest)) = steps.split_first() else { return Some(self) };
        let next = match (step, self) {
            (Step::Field(name), Self::Object(fields)) => {
                fields.iter_mut().find(|(other, _)| other == name).map(|(_, json)| json)
            }
            (Step::Id(id), Self::Array(items)) => items.iter_mut().find(|item| item.id() == Some(id)),
            (Step::Index(index), Self::Array(items)) => items.get_mut(*index),
            _ => None,
        };
        next?.find(rest)
    }

    /// Adds a field to an object that lacks it.
    pub(super) fn add(&mut self, name: &str, json: &RawValue) {
        if self.field(name).is_some() {
            return;
        }
        if let (Self::Object(fields), Ok(json)) = (self, serde_json::from_str(json.get())) {
            fields.push((name.to_owned(), json));
        }
    }

    /// Takes the fields at a pattern out that `wanted` accepts, and hands each over: its object, its name and its value.
    pub(super) fn take(
        &mut self,
        pattern: &Pattern,
        wanted: &dyn Fn(&Self) -> bool,
        taken: &mut dyn FnMut(&[Step], &str, &Self),
    ) {
        self.take_at(&pattern.0, &mut Vec::new(), wanted, taken);
    }

    fn take_at(
        &mut self,
        pattern: &[PatternStep],
        place: &mut Vec<Step>,
        wanted: &dyn Fn(&Self) -> bool,
        taken: &mut dyn FnMut(&[Step], &str, &Self),
    ) {
        match (pattern, self) {
            ([PatternStep::Field(name)], Self::Object(fields)) => fields.retain(|(other, json)| {
                let goes = other == name && wanted(json);
                if goes {
                    taken(place, name, json);
                }
                !goes
            }),
            ([PatternStep::Field(name), rest @ ..], Self::Object(fields)) => {
                for (_, json) in fields.iter_mut().filter(|(other, _)| other == name) {
                    place.push(Step::Field(name.clone()));
                    json.take_at(rest, place, wanted, taken);
                    place.pop();
                }
            }
            ([PatternStep::AnyItem, rest @ ..], Self::Array(items)) => {
                for (index, json) in items.iter_mut().enumerate() {
                    place.push(json.id().map_or(Step::Index(index), |id| Step::Id(id.to_owned())));
                    json.take_at(rest, place, wanted, taken);
                    place.pop();
                }
            }
            _ => {}
        }
    }

    /// A field of an object.
    pub(super) fn field(&self, name: &str) -> Option<&Self> {
        let Self::Object(fields) = self else { return None };
        fields.iter().find(|(other, _)| other == name).map(|(_, json)| json)
    }

    /// Whether it is this string.
    pub(super) fn is_text(&self, text: &str) -> bool {
        matches!(self, Self::Other(json) if serde_json::from_str(json.get()).is_ok_and(|own: String| own == text))
    }

    /// The value as JSON.
    pub(super) fn raw(&self) -> Box<RawValue> {
        to_raw_value(self).expect("it was JSON")
    }

    fn id(&self) -> Option<&str> {
        match self.field("id")? {
            Self::Other(json) => Some(json.get()),
            Self::Object(_) | Self::Array(_) => None,
        }
    }
}

impl<'de> Deserialize<'de> for Json {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let json = Box::<RawValue>::deserialize(deserializer)?;
        let parsed = match json.get().as_bytes().first() {
            Some(b'{') => serde_json::from_str(json.get()).map(|Fields(fields)| Self::Object(fields)),
            Some(b'[') => serde_json::from_str(json.get()).map(Self::Array),
            _ => Ok(Self::Other(json)),
        };
        parsed.map_err(D::Error::custom)
    }
}

impl Serialize for Json {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Object(fields) => serializer.collect_map(fields.iter().map(|(name, json)| (name, json))),
            Self::Array(items) => serializer.collect_seq(items),
            Self::Other(json) => json.serialize(serializer),
        }
    }
}

/// The fields of an object, in their order.
struct Fields(Vec<(String, Json)>);

impl<'de> Deserialize<'de> for Fields {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct InOrder;

        impl<'de> Visitor<'de> for InOrder {
            type Value = Fields;

            fn expecting(&self, formatter: &mut fmt::Formatter) -> fmt::Result {
                formatter.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Fields, A::Error> {
                let mut fields = Vec::new();
                while let Some(field) = map.next_entry()? {
                    fields.push(field);
                }
                Ok(Fields(fields))
            }
        }

        deserializer.deserialize_map(InOrder)
    }
}
