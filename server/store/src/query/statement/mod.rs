//! Statements that sea-orm writes from the entities.
//!
//! ```text
//! statements! {
//!     const SESSION = Entity::find().select_row::<Session>().filter(Column::Hash.eq(p(1)));
//!     const DELETE = Entity::delete_many().filter(Column::Hash.eq(p(1)));
//! }
//! let session: Option<Session> = store.fetch_optional(&query!(SESSION, hash)).await?;
//! ```
//!
//! Writing a statement takes 6 to 10 µs, as long as SQLite needs to run one. Therefore each is written once, when it is
//! first used, with `$1`, `$2`, … in place of values: in statements that a request runs, `p(1)` stands where sea-orm's
//! documentation has a value. It is written for each engine, because they differ: SQLite has no row locks, for example.
//!
//! A test prepares every statement on both engines.

mod write;

use std::borrow::Cow;
use std::sync::LazyLock;

use sea_orm::sea_query::{
    DeleteStatement, InsertStatement, PostgresQueryBuilder, QueryStatementWriter, SelectStatement, SqliteQueryBuilder,
    UpdateStatement,
};
use sea_orm::{DeleteMany, EntityTrait, QueryTrait, Select, UpdateMany};

use crate::values::DatabaseKind;
use write::Limited;

pub(crate) use write::BATCH;

/// A statement whose texts are written when it is first used.
#[derive(Debug)]
pub(crate) struct Statement(LazyLock<Texts>);

/// The texts of a statement, one for each engine.
#[derive(Debug)]
pub(crate) struct Texts {
    sqlite: Cow<'static, str>,
    postgres: Cow<'static, str>,
}

impl Statement {
    pub(crate) const fn new(write: fn() -> Texts) -> Self {
        Self(LazyLock::new(write))
    }

    pub(crate) fn text(&self, kind: DatabaseKind) -> &Cow<'static, str> {
        match kind {
            DatabaseKind::Sqlite => &self.0.sqlite,
            DatabaseKind::Postgres => &self.0.postgres,
        }
    }
}

impl Texts {
    fn of(statement: &impl QueryStatementWriter) -> Self {
        Self {
            sqlite: statement.to_string(SqliteQueryBuilder).into(),
            postgres: statement.to_string(PostgresQueryBuilder).into(),
        }
    }
}

impl Texts {
    /// A text for each engine.
    pub(crate) fn for_engines(sqlite: impl Into<Cow<'static, str>>, postgres: impl Into<Cow<'static, str>>) -> Self {
        Self { sqlite: sqlite.into(), postgres: postgres.into() }
    }
}

/// A text that both engines take, where it reads better than what builds it.
impl From<&'static str> for Texts {
    fn from(text: &'static str) -> Self {
        Self { sqlite: text.into(), postgres: text.into() }
    }
}

impl From<String> for Texts {
    fn from(text: String) -> Self {
        Self { sqlite: text.clone().into(), postgres: text.into() }
    }
}

impl<E: EntityTrait> From<Select<E>> for Texts {
    fn from(select: Select<E>) -> Self {
        Self::of(&select.into_query())
    }
}

impl<E: EntityTrait> From<Limited<Select<E>>> for Texts {
    fn from(Limited { select, number }: Limited<Select<E>>) -> Self {
        let Self { sqlite, postgres } = select.into();
        Self {
            sqlite: format!("{sqlite} LIMIT ${number}").into(),
            postgres: format!("{postgres} LIMIT ${number}").into(),
        }
    }
}

impl<E: EntityTrait> From<UpdateMany<E>> for Texts {
    fn from(update: UpdateMany<E>) -> Self {
        Self::of(&update.into_query())
    }
}

impl<E: EntityTrait> From<DeleteMany<E>> for Texts {
    fn from(delete: DeleteMany<E>) -> Self {
        Self::of(&delete.into_query())
    }
}

/// Statements of sea-query, owned or, as its methods return them, borrowed.
macro_rules! of_sea_query {
    ($($statement:ty),*) => { $(
        impl From<$statement> for Texts {
            fn from(statement: $statement) -> Self {
                Self::of(&statement)
            }
        }

        impl From<&mut $statement> for Texts {
            fn from(statement: &mut $statement) -> Self {
                Self::of(statement)
            }
        }
    )* };
}
of_sea_query!(SelectStatement, InsertStatement, UpdateStatement, DeleteStatement);

/// Declares the statements of a module, each as sea-orm builds it. Everything in [`prelude`] is in scope.
macro_rules! statements {
    ($($(#[$meta:meta])* $vis:vis const $name:ident = $statement:expr;)*) => {
        $(
            $(#[$meta])*
            $vis const $name: &$crate::query::statement::Statement = {
                static STATEMENT: $crate::query::statement::Statement = $crate::query::statement::Statement::new(|| {
                    #[allow(clippy::wildcard_imports, unused_imports, reason = "few statements need all of it")]
                    use $crate::query::statement::prelude::*;
                    $crate::query::statement::Texts::from($statement)
                });
                &STATEMENT
            };
        )*

        /// All of them. A list that is missing in `schema::STATEMENTS` would be unused.
        pub(crate) const STATEMENTS: &[&$crate::query::statement::Statement] = &[$($name),*];
    };
}
pub(crate) use statements;

/// What statements are written with: sea-orm's traits, without the ones whose methods take values.
pub(crate) mod prelude {
    pub(crate) use sea_orm::sea_query::{Expr, ExprTrait, Func, LockType, OnConflict};
    pub(crate) use sea_orm::{
        EntityTrait, JoinType, QueryFilter, QueryOrder, QuerySelect, QueryTrait, RelationTrait, Select,
    };

    pub(crate) use super::write::{
        Compare, InsertExt, SelectExt, delete_batch, delete_some, excluded, insert, insert_values, p, returning,
    };
}
