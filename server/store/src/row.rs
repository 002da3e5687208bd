//! Between Rust's types and the columns': instants as milliseconds, hashes as bytes, rows by position.
//!
//! Reading by position spares the hot reads a look-up by name for every column; a select list and the
//! constructor that reads it therefore stand next to each other.

use chrono::{DateTime, Utc};
use sea_orm::{QueryResult, TryGetable, Value};

use crate::{Hash, Result, StoreError};

/// The columns of one row, taken from left to right.
pub(crate) struct Columns<'r> {
    row: &'r QueryResult,
    next: usize,
}

impl<'r> Columns<'r> {
    pub(crate) fn of(row: &'r QueryResult) -> Self {
        Self { row, next: 0 }
    }

    /// The next column.
    pub(crate) fn take<T: TryGetable>(&mut self) -> Result<T> {
        let index = self.next;
        self.next += 1;
        self.row.try_get_by_index(index).map_err(|error| StoreError::Corrupt(format!("column {index}: {error}")))
    }

    /// The next column, an instant.
    pub(crate) fn time(&mut self) -> Result<DateTime<Utc>> {
        time(self.take()?)
    }

    /// The next column, an instant or nothing.
    pub(crate) fn time_or_null(&mut self) -> Result<Option<DateTime<Utc>>> {
        self.take::<Option<i64>>()?.map(time).transpose()
    }

    /// The next column, a hash.
    pub(crate) fn hash(&mut self) -> Result<Hash> {
        hash(self.take()?)
    }
}

/// Milliseconds since 1970, the stored form of an instant.
pub(crate) fn millis(time: DateTime<Utc>) -> i64 {
    time.timestamp_millis()
}

/// An optional instant as a statement's value.
pub(crate) fn millis_or_null(time: Option<DateTime<Utc>>) -> Value {
    time.map(millis).into()
}

/// The instant of a stored number of milliseconds.
pub(crate) fn time(millis: i64) -> Result<DateTime<Utc>> {
    DateTime::from_timestamp_millis(millis).ok_or_else(|| StoreError::Corrupt(format!("{millis} is not an instant")))
}

/// An optional instant of a stored number of milliseconds.
pub(crate) fn time_or_null(millis: Option<i64>) -> Result<Option<DateTime<Utc>>> {
    millis.map(time).transpose()
}

/// A hash as a statement's value.
pub(crate) fn bytes(hash: &Hash) -> Value {
    hash.to_vec().into()
}

/// The hash of a stored byte string.
pub(crate) fn hash(bytes: Vec<u8>) -> Result<Hash> {
    bytes.try_into().map_err(|bytes: Vec<u8>| StoreError::Corrupt(format!("a hash of {} bytes", bytes.len())))
}
