//! What sea-orm lacks to write statements without values.

use sea_orm::sea_query::{
    BinOper, Expr, ExprTrait, InsertStatement, IntoIden, OnConflict, Query, ReturningClause, SelectStatement,
};
use sea_orm::{
    ColumnTrait, DeleteMany, EntityName, EntityTrait, Iterable, PrimaryKeyToColumn, QueryFilter, QuerySelect,
    QueryTrait, Select,
};

use crate::query::row::EntityRow;

/// The number of rows that a clean-up deletes in one transaction.
pub(crate) const BATCH: i64 = 500;

/// The parameter `$number`.
pub(crate) fn p(number: u8) -> Expr {
    Expr::custom_keyword(format!("${number}"))
}

/// Comparisons of a column with an expression: a parameter, a constant, or another column. The methods of sea-orm's
/// `ColumnTrait` with these names take only values.
pub(crate) trait Compare: ColumnTrait {
    /// The column as an expression, with its table.
    fn col(self) -> Expr {
        Expr::col(self.as_column_ref())
    }

    fn eq(self, other: impl Into<Expr>) -> Expr {
        self.col().eq(other)
    }

    fn ne(self, other: impl Into<Expr>) -> Expr {
        self.col().ne(other)
    }

    fn gt(self, other: impl Into<Expr>) -> Expr {
        self.col().gt(other)
    }

    fn gte(self, other: impl Into<Expr>) -> Expr {
        self.col().gte(other)
    }

    fn lt(self, other: impl Into<Expr>) -> Expr {
        self.col().lt(other)
    }

    fn lte(self, other: impl Into<Expr>) -> Expr {
        self.col().lte(other)
    }

    /// Equal, where `NULL` equals `NULL`.
    fn is_not_distinct_from(self, other: impl Into<Expr>) -> Expr {
        self.col().binary(BinOper::Custom("IS NOT DISTINCT FROM"), other)
    }

    fn is_null(self) -> Expr {
        self.col().is_null()
    }

    fn is_not_null(self) -> Expr {
        self.col().is_not_null()
    }

    fn in_subquery(self, select: SelectStatement) -> Expr {
        self.col().in_subquery(select)
    }
}

impl<C: ColumnTrait> Compare for C {}

/// The select list.
pub(crate) trait SelectExt: QuerySelect {
    /// The columns of a row.
    fn select_row<R: EntityRow>(self) -> Self;

    /// Only whether there is a row: `SELECT 1`.
    fn select_found(self) -> Self;

    /// Only the number of rows.
    fn select_count(self) -> Self;

    /// `LIMIT` with the parameter `$number`: sea-orm's `limit` takes only a constant. Comes last.
    fn limit_p(self, number: u8) -> Limited<Self>
    where
        Self: Sized;
}

/// A `SELECT` whose `LIMIT` is a parameter.
#[derive(Debug)]
pub(crate) struct Limited<S> {
    pub(super) select: S,
    pub(super) number: u8,
}

impl<E: EntityTrait> SelectExt for Select<E> {
    fn select_row<R: EntityRow>(self) -> Self {
        R::columns().into_iter().fold(self.select_only(), QuerySelect::expr)
    }

    fn select_found(self) -> Self {
        self.select_only().expr(Expr::val(1))
    }

    fn select_count(self) -> Self {
        self.select_only().expr(Expr::cust("count(*)"))
    }

    fn limit_p(self, number: u8) -> Limited<Self> {
        Limited { select: self, number }
    }
}

/// `INSERT` of these columns; their values are `$1`, `$2`, … in this order.
pub(crate) fn insert<C: ColumnTrait, const N: usize>(columns: [C; N]) -> InsertStatement {
    let mut number = 0;
    insert_values(columns.map(|column| {
        number += 1;
        (column, p(number))
    }))
}

/// `INSERT` of these columns with these values.
pub(crate) fn insert_values<C: ColumnTrait, const N: usize>(columns: [(C, Expr); N]) -> InsertStatement {
    let (columns, values): (Vec<_>, Vec<_>) = columns.into_iter().unzip();
    let mut insert = InsertStatement::new();
    insert.into_table(C::EntityName::default().table_ref()).columns(columns).values_panic(values);
    insert
}

/// `RETURNING` the columns of a row.
pub(crate) fn returning<R: EntityRow>() -> ReturningClause {
    Query::returning().exprs(R::columns())
}

/// What to do if a row with the same key exists. Anything else is said with `on_conflict`.
pub(crate) trait InsertExt {
    /// Leaves the row as it is.
    fn or_nothing<C: IntoIden, const K: usize>(self, key: [C; K]) -> Self;

    /// Sets these columns of the row to the values that would have been inserted.
    fn or_update<C: IntoIden, const K: usize, const N: usize>(self, key: [C; K], columns: [C; N]) -> Self;
}

impl InsertExt for InsertStatement {
    fn or_nothing<C: IntoIden, const K: usize>(mut self, key: [C; K]) -> Self {
        self.on_conflict(OnConflict::columns(key).do_nothing().to_owned()).take()
    }

    fn or_update<C: IntoIden, const K: usize, const N: usize>(mut self, key: [C; K], columns: [C; N]) -> Self {
        self.on_conflict(OnConflict::columns(key).update_columns(columns).to_owned()).take()
    }
}

/// In `on_conflict`: the value that would have been inserted.
pub(crate) fn excluded<C: ColumnTrait>(column: C) -> Expr {
    Expr::col(("excluded", column))
}

/// Deletes the selected rows, at most [`BATCH`], for `Store::delete_in_batches`.
pub(crate) fn delete_batch<E: EntityTrait>(select: Select<E>) -> DeleteMany<E> {
    delete_some(select, BATCH)
}

/// Deletes the selected rows, at most `limit`.
pub(crate) fn delete_some<E: EntityTrait>(select: Select<E>, limit: i64) -> DeleteMany<E> {
    let key: Vec<_> = E::PrimaryKey::iter().map(PrimaryKeyToColumn::into_column).collect();
    let some = select.select_only().columns(key.iter().copied()).limit(limit.unsigned_abs());
    let columns = match *key {
        [only] => only.col(),
        _ => Expr::tuple(key.into_iter().map(Compare::col)),
    };
    E::delete_many().filter(columns.in_subquery(some.into_query()))
}
