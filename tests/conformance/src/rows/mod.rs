//! The rows, by area.

use crate::row::Row;

mod conditions;
mod create;
mod export;
mod fields;
mod idempotency;
mod mcp;
mod oauth;
mod pages;
mod update;
mod view;

/// All rows, in the order in which they are started. Rows that exhaust a rate limit come last.
pub fn all() -> Vec<Row> {
    let protocols = [oauth::rows(), mcp::rows(), export::rows(), pages::rows()];
    let resources =
        [create::rows(), fields::rows(), view::rows(), update::rows(), conditions::rows(), idempotency::rows()];
    protocols.into_iter().chain(resources).flatten().collect()
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
            assert!(row.promise.ends_with('.') && row.promise.len() > 20, "{}: {}", row.id, row.promise);
            assert!(!row.section.is_empty(), "{}", row.id);
            assert!(ids.insert(row.id.clone()), "{} is there twice", row.id);
        }
    }
}
