//! A statement: one text for both engines, and the values of its parameters.
//!
//! Parameters are `$1`, `$2`, …: numbers for PostgreSQL, names for SQLite. There is a small fixed set of texts, so that
//! every connection prepares each of them once.

use std::borrow::Cow;

use chrono::{DateTime, Utc};
use sea_orm::Value;
use uuid::Uuid;

use crate::{Hash, Plan};

#[derive(Clone, Debug)]
pub(crate) struct Query {
    text: Cow<'static, str>,
    values: Vec<Value>,
}

impl Query {
    pub(crate) fn new(text: impl Into<Cow<'static, str>>, values: impl Into<Vec<Value>>) -> Self {
        Self { text: text.into(), values: values.into() }
    }

    pub(crate) fn text(&self) -> &Cow<'static, str> {
        &self.text
    }

    pub(crate) fn values(&self) -> &[Value] {
        &self.values
    }
}

/// A [`Query`]: its text, then the values of `$1`, `$2`, … in this order.
macro_rules! query {
    ($text:expr $(, $value:expr)* $(,)?) => {
        $crate::query::Query::new($text, [$($crate::query::ToColumn::to_column($value)),*])
    };
}
pub(crate) use query;

/// Concatenates constants at compile time.
pub(crate) use constcat::concat as text;

pub(crate) trait ToColumn {
    fn to_column(self) -> Value;
}

macro_rules! plain_columns {
    ($($type:ty),*) => { $(
        impl ToColumn for $type {
            fn to_column(self) -> Value {
                self.into()
            }
        }
    )* };
}
plain_columns!(bool, i16, i64, f64, Uuid, &str, String, Vec<u8>, Value);

impl ToColumn for &String {
    fn to_column(self) -> Value {
        self.as_str().into()
    }
}

/// Instants are stored as milliseconds since 1970.
impl ToColumn for DateTime<Utc> {
    fn to_column(self) -> Value {
        self.timestamp_millis().into()
    }
}

impl ToColumn for &Hash {
    fn to_column(self) -> Value {
        self.to_vec().into()
    }
}

impl ToColumn for Plan {
    fn to_column(self) -> Value {
        self.as_str().into()
    }
}

macro_rules! nullable_columns {
    ($($type:ty => $null:expr),* $(,)?) => { $(
        impl ToColumn for Option<$type> {
            fn to_column(self) -> Value {
                self.map_or($null, ToColumn::to_column)
            }
        }
    )* };
}
nullable_columns! {
    Uuid => Value::Uuid(None),
    String => Value::String(None),
    &str => Value::String(None),
    DateTime<Utc> => Value::BigInt(None),
    &Hash => Value::Bytes(None),
}

/// Collects the values of a query whose text is built at run time, and assigns their parameters.
#[derive(Debug, Default)]
pub(crate) struct Parameters(Vec<Value>);

impl Parameters {
    /// Appends a value; returns its parameter for the text.
    pub(crate) fn bind(&mut self, value: impl ToColumn) -> String {
        self.0.push(value.to_column());
        format!("${}", self.0.len())
    }

    /// The query with a text that uses these parameters.
    pub(crate) fn query(self, text: String) -> Query {
        Query::new(text, self.0)
    }
}
