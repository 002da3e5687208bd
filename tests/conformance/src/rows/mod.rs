//! The rows, by area.

#![allow(clippy::too_many_lines, reason = "the functions are tables")]

use crate::row::Row;

mod access;
mod changes;
mod conditions;
mod consent;
mod create;
mod days;
mod explore;
mod export;
mod fields;
mod files;
mod idempotency;
mod items;
mod limits;
mod lists;
mod marks;
mod mcp;
mod oauth;
mod pages;
mod paused;
mod people;
mod protocol;
mod sharing;
mod update;
mod view;

/// All rows, in the order in which they are started. Rows that exhaust a rate limit come last.
pub fn all() -> Vec<Row> {
    let areas = [
        oauth::rows,
        mcp::rows,
        export::rows,
        pages::rows,
        create::rows,
        fields::rows,
        view::rows,
        update::rows,
        conditions::rows,
        idempotency::rows,
        lists::rows,
        changes::rows,
        access::rows,
        protocol::rows,
        sharing::rows,
        consent::rows,
        people::rows,
        marks::rows,
        days::rows,
        items::rows,
        files::rows,
        explore::rows,
        paused::rows,
        limits::rows,
    ];
    areas.iter().flat_map(|area| area()).collect()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::all;

    #[test]
    fn ids_are_unique_and_promises_are_sentences() {
        let mut ids = BTreeSet::new();
        for row in all() {
            let is_name =
                |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-');
            assert!(row.id.split('.').all(is_name) && row.id.contains('.'), "{}", row.id);
            assert!(row.promise.ends_with('.') && row.promise.contains(' '), "{}: {}", row.id, row.promise);
            assert!(!row.section.is_empty(), "{}", row.id);
            assert!(ids.insert(row.id.clone()), "{} is there twice", row.id);
        }
    }
}
