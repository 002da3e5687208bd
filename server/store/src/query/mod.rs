//! Queries: statements that sea-orm writes (`statement`), the values of their parameters ([`Query`]), and the rows that they
//! return (`row`).
//!
//! The statement is one of [`statements!`](crate::query::statement), or a text for both engines. Parameters are `$1`, `$2`, …:
//! numbers for PostgreSQL, names for SQLite. There is a small fixed set of texts, so that every connection prepares each
//! of them once.

pub(crate) mod row;
pub(crate) mod statement;

use std::borrow::Cow;

use chrono::{DateTime, Utc};
use itinerary_model::{MemberRole, Plan, Visibility};
use sea_orm::Value;
use uuid::Uuid;

use crate::{DatabaseKind, Hash};
use statement::Statement;

#[derive(Clone, Debug)]
pub(crate) struct Query {
    source: Source,
    values: Vec<Value>,
}

/// Where the text of a query comes from.
#[derive(Clone, Debug)]
pub(crate) enum Source {
    Statement(&'static Statement),
    Text(Cow<'static, str>),
}

impl Query {
    pub(crate) fn new(source: impl Into<Source>, values: impl Into<Vec<Value>>) -> Self {
        Self { source: source.into(), values: values.into() }
    }

    /// Another statement with the same values.
    pub(crate) fn with_statement(&self, statement: &'static Statement) -> Self {
        Self::new(statement, self.values.clone())
    }

    /// The text for an engine.
    pub(crate) fn text(&self, kind: DatabaseKind) -> &Cow<'static, str> {
        match &self.source {
            Source::Statement(statement) => statement.text(kind),
            Source::Text(text) => text,
        }
    }

    pub(crate) fn values(&self) -> &[Value] {
        &self.values
    }
}

impl From<&'static Statement> for Source {
    fn from(statement: &'static Statement) -> Self {
        Self::Statement(statement)
    }
}

impl From<&'static str> for Source {
    fn from(text: &'static str) -> Self {
        Self::Text(text.into())
    }
}

impl From<String> for Source {
    fn from(text: String) -> Self {
        Self::Text(text.into())
    }
}

/// A [`Query`]: its statement or text, then the values of `$1`, `$2`, … in this order.
macro_rules! query {
    ($source:expr $(, $value:expr)* $(,)?) => {
        $crate::query::Query::new($source, [$($crate::query::ToColumn::to_column($value)),*])
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

/// Values that are stored by their names.
macro_rules! named_columns {
    ($($type:ty),*) => { $(
        impl ToColumn for $type {
            fn to_column(self) -> Value {
                self.as_str().into()
            }
        }
    )* };
}
named_columns!(MemberRole, Plan, Visibility);

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
    Vec<u8> => Value::Bytes(None),
    i64 => Value::BigInt(None),
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
