//! Reads rows into structs that declare the column of each field, so that fields and columns cannot diverge.
//!
//! ```text
//! row! {
//!     pub struct Session {
//!         pub hash: Hash = sessions::Column::Hash,
//!         pub expires_at: DateTime<Utc> = sessions::Column::ExpiresAt,
//!     }
//! }
//! statements! {
//!     const OF_ACCOUNT = sessions::Entity::find().select_row::<Session>().filter(Column::AccountId.eq(p(1)));
//! }
//! let sessions: Vec<Session> = store.fetch_all(&query!(OF_ACCOUNT, account)).await?;
//! ```
//!
//! The columns of a statement that is a text are texts, too; `COLUMNS` is then its select list:
//!
//! ```text
//! row! {
//!     pub struct Member {
//!         pub account_id: Uuid = "m.account_id",
//!         pub since: DateTime<Utc> = "m.created_at",
//!     }
//! }
//! const MEMBERS: &str = text!("SELECT ", Member::COLUMNS, " FROM members m WHERE m.itinerary_id = $1");
//! ```
//!
//! Columns are read by position, which avoids a look-up by name.

use bytes::Bytes;
use chrono::{DateTime, Utc};
use itinerary_model::{MemberRole, Plan, Visibility};
use rusqlite::types::{FromSql, FromSqlError, FromSqlResult, ValueRef};
use sea_orm::sea_query::Expr;
use sea_orm::sqlx::error::BoxDynError;
use sea_orm::sqlx::postgres::{PgRow, PgTypeInfo, PgValueRef};
use sea_orm::sqlx::{self, Decode, Postgres, Type};
use uuid::Uuid;

use crate::{Hash, Result, StoreError};

/// Declares the struct of a row. Each field is followed by `=` and its column: all of them columns of entities, or all
/// of them SQL expressions; a field that is itself a row has that row's `COLUMNS`.
macro_rules! row {
    (
        $(#[$meta:meta])*
        $vis:vis struct $name:ident {
            $($(#[$field_meta:meta])* $field_vis:vis $field:ident: $type:ty = $entity:ident::Column::$column:ident,)*
        }
    ) => {
        $crate::query::row::row_struct! { $(#[$meta])* $vis struct $name { $($(#[$field_meta])* $field_vis $field: $type,)* } }

        impl $crate::query::row::EntityRow for $name {
            fn columns() -> Vec<::sea_orm::sea_query::Expr> {
                vec![$($crate::query::statement::prelude::Compare::col($entity::Column::$column)),*]
            }
        }
    };
    (
        $(#[$meta:meta])*
        $vis:vis struct $name:ident {
            $($(#[$field_meta:meta])* $field_vis:vis $field:ident: $type:ty = $column:expr,)*
        }
    ) => {
        $crate::query::row::row_struct! { $(#[$meta])* $vis struct $name { $($(#[$field_meta])* $field_vis $field: $type,)* } }

        impl $name {
            /// The select list of this row.
            pub(crate) const COLUMNS: &'static str = $crate::query::row::columns!($($column),*);
        }
    };
}
pub(crate) use row;

/// The struct of a row, which is read from left to right.
macro_rules! row_struct {
    (
        $(#[$meta:meta])*
        $vis:vis struct $name:ident {
            $($(#[$field_meta:meta])* $field_vis:vis $field:ident: $type:ty,)*
        }
    ) => {
        $(#[$meta])*
        $vis struct $name {
            $($(#[$field_meta])* $field_vis $field: $type,)*
        }

        impl $crate::query::row::FromRow for $name {
            fn from_row(columns: &mut $crate::query::row::Columns<'_>) -> $crate::Result<Self> {
                Ok(Self { $($field: columns.take()?,)* })
            }
        }
    };
}
pub(crate) use row_struct;

/// Builds a select list.
macro_rules! columns {
    ($first:expr $(, $rest:expr)*) => {
        $crate::query::text!($first $(, ", ", $rest)*)
    };
}
pub(crate) use columns;

/// The columns of one row, read from left to right.
pub(crate) struct Columns<'r> {
    row: EngineRow<'r>,
    next: usize,
}

enum EngineRow<'r> {
    Sqlite(&'r rusqlite::Row<'r>),
    Postgres(&'r PgRow),
}

impl<'r> From<&'r rusqlite::Row<'r>> for Columns<'r> {
    fn from(row: &'r rusqlite::Row<'r>) -> Self {
        Self { row: EngineRow::Sqlite(row), next: 0 }
    }
}

impl<'r> From<&'r PgRow> for Columns<'r> {
    fn from(row: &'r PgRow) -> Self {
        Self { row: EngineRow::Postgres(row), next: 0 }
    }
}

impl Columns<'_> {
    /// Reads the next column, or as many as the type has.
    pub(crate) fn take<T: FromRow>(&mut self) -> Result<T> {
        T::from_row(self)
    }

    fn stored<T: Stored>(&mut self) -> Result<T> {
        let index = self.next;
        self.next += 1;
        let corrupt = |error: String| StoreError::Corrupt(format!("column {index}: {error}"));
        match self.row {
            EngineRow::Sqlite(row) => row.get(index).map_err(|error| corrupt(error.to_string())),
            EngineRow::Postgres(row) => sqlx::Row::try_get(row, index).map_err(|error| corrupt(error.to_string())),
        }
    }
}

/// A type that can be read from a row, or a part of one.
pub(crate) trait FromRow: Sized {
    fn from_row(columns: &mut Columns<'_>) -> Result<Self>;
}

impl<T: FromColumn> FromRow for T {
    fn from_row(columns: &mut Columns<'_>) -> Result<Self> {
        T::from_column(columns.stored()?)
    }
}

/// A row whose fields are columns of entities.
pub(crate) trait EntityRow: FromRow {
    /// The select list.
    fn columns() -> Vec<Expr>;
}

/// A row whose content is ignored.
pub(crate) struct AnyRow;

impl FromRow for AnyRow {
    fn from_row(_: &mut Columns<'_>) -> Result<Self> {
        Ok(Self)
    }
}

impl<A: FromRow, B: FromRow> FromRow for (A, B) {
    fn from_row(columns: &mut Columns<'_>) -> Result<Self> {
        Ok((columns.take()?, columns.take()?))
    }
}

/// A column's value, on either engine.
pub(crate) trait Stored: FromSql + for<'r> Decode<'r, Postgres> + Type<Postgres> {}

impl<T: FromSql + for<'r> Decode<'r, Postgres> + Type<Postgres>> Stored for T {}

/// A type that can be read from one column.
pub(crate) trait FromColumn: Sized {
    type Stored: Stored;

    /// Converts the stored value.
    fn from_column(stored: Self::Stored) -> Result<Self>;
}

macro_rules! plain_columns {
    ($($type:ty),*) => { $(
        impl FromColumn for $type {
            type Stored = Self;

            fn from_column(stored: Self) -> Result<Self> {
                Ok(stored)
            }
        }
    )* };
}
plain_columns!(bool, i16, i64, f64, String, Uuid, Vec<u8>);

/// A text column whose UTF-8 is not validated: JSON of up to 250 KB that this server wrote and sends unchanged.
pub(crate) struct Unvalidated(Bytes);

impl FromSql for Unvalidated {
    fn column_result(value: ValueRef<'_>) -> FromSqlResult<Self> {
        let ValueRef::Text(bytes) = value else { return Err(FromSqlError::InvalidType) };
        Ok(Self(Bytes::copy_from_slice(bytes)))
    }
}

impl Type<Postgres> for Unvalidated {
    fn type_info() -> PgTypeInfo {
        <String as Type<Postgres>>::type_info()
    }

    fn compatible(type_info: &PgTypeInfo) -> bool {
        <String as Type<Postgres>>::compatible(type_info)
    }
}

impl<'r> Decode<'r, Postgres> for Unvalidated {
    fn decode(value: PgValueRef<'r>) -> Result<Self, BoxDynError> {
        Ok(Self(Bytes::copy_from_slice(value.as_bytes()?)))
    }
}

impl FromColumn for Bytes {
    type Stored = Unvalidated;

    fn from_column(text: Unvalidated) -> Result<Self> {
        Ok(text.0)
    }
}

impl<T: FromColumn> FromColumn for Option<T> {
    type Stored = Option<T::Stored>;

    fn from_column(stored: Self::Stored) -> Result<Self> {
        stored.map(T::from_column).transpose()
    }
}

impl FromColumn for DateTime<Utc> {
    type Stored = i64;

    fn from_column(millis: i64) -> Result<Self> {
        Self::from_timestamp_millis(millis).ok_or_else(|| StoreError::Corrupt(format!("{millis} is not an instant")))
    }
}

impl FromColumn for Hash {
    type Stored = Vec<u8>;

    fn from_column(bytes: Vec<u8>) -> Result<Self> {
        bytes.try_into().map_err(|bytes: Vec<u8>| StoreError::Corrupt(format!("a hash of {} bytes", bytes.len())))
    }
}

/// Values that are stored by their names.
macro_rules! named_columns {
    ($($type:ty),*) => { $(
        impl FromColumn for $type {
            type Stored = String;

            fn from_column(name: String) -> Result<Self> {
                Self::from_name(&name).ok_or_else(|| StoreError::Corrupt(format!("no {} is named {name:?}", stringify!($type))))
            }
        }
    )* };
}
named_columns!(MemberRole, Plan, Visibility);
