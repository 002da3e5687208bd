//! Searches on PostgreSQL, in an unordered GIN index of `tsvector`s.

use super::search::{Matching, SearchPage, SearchStrategy};
use super::{PUBLIC, region_term};
use crate::query::{Parameters, Query, query};

/// Returns a row if fewer than 2,000 entries match.
const FEW: &str = "SELECT 1 WHERE (SELECT count(*) FROM \
     (SELECT 1 FROM explore WHERE terms @@ $1::tsquery LIMIT 2000) AS m) < 2000";

/// The `tsquery`, for all entries or for public ones only. No term needs quoting: see [`Matching`].
pub(super) fn expression(matching: &Matching, public: bool) -> String {
    let regions: Vec<_> = matching.regions.iter().map(|region| region_term(*region)).collect();
    let (words, beginning) = matching.words();
    let mut parts: Vec<_> = public.then(|| PUBLIC.to_owned()).into_iter().chain(words.iter().cloned()).collect();
    parts.extend((!regions.is_empty()).then(|| format!("({})", regions.join(" | "))));
    parts.extend(beginning.map(|beginning| format!("{beginning}:*")));
    parts.join(" & ")
}

/// The condition that a row of `explore e` matches.
pub(super) fn condition(matching: &Matching, parameters: &mut Parameters) -> String {
    format!("e.terms @@ {}::tsquery", parameters.bind(expression(matching, false)))
}

/// A query that returns a row if few entries match.
pub(super) fn are_few(expression: &str) -> Query {
    query!(FEW, expression)
}

/// The text index is used if few entries match. If many do, a scan in the order of rank keys finds the first of them
/// soon. A short scan is usually enough, so it comes first.
pub(super) fn strategies(page: &SearchPage<'_>) -> Vec<SearchStrategy> {
    let expression = expression(page.matching, true);
    // $2 is the expression, $3 the rank key before the page, $4 the limit.
    let way = |only_if: Option<Query>, places: &str| {
        let mut parameters = Parameters::default();
        parameters.bind(page.reader);
        parameters.bind(expression.as_str());
        parameters.bind(page.after);
        parameters.bind(page.limit);
        SearchStrategy { only_if, places: places.to_owned(), parameters }
    };
    vec![
        way(
            None,
            "SELECT w.place FROM (SELECT place, terms FROM explore WHERE place > $3 ORDER BY place \
             LIMIT $4 * 30) AS w WHERE w.terms @@ $2::tsquery ORDER BY w.place LIMIT $4",
        ),
        way(
            Some(are_few(&expression)),
            "SELECT w.place FROM (SELECT place FROM explore WHERE terms @@ $2::tsquery OFFSET 0) AS w \
             WHERE w.place > $3 ORDER BY w.place LIMIT $4",
        ),
        way(
            None,
            "SELECT w.place FROM (SELECT place, terms FROM explore WHERE place > $3 ORDER BY place \
             OFFSET 0) AS w WHERE w.terms @@ $2::tsquery ORDER BY w.place LIMIT $4",
        ),
    ]
}

#[cfg(test)]
mod tests {
    use sea_orm::Value;

    use super::*;

    #[test]
    fn search_becomes_a_tsquery_expression() {
        let matching = Matching { words: vec!["old".to_owned(), "tow".to_owned()], regions: vec![39, 620] };
        assert_eq!(expression(&matching, true), "_public & old & (_39 | _620) & tow:*");
        let mut parameters = Parameters::default();
        assert_eq!(condition(&matching, &mut parameters), "e.terms @@ $1::tsquery");
        let values = parameters.query(String::new()).values().to_vec();
        assert_eq!(values, vec![Value::from("old & (_39 | _620) & tow:*")]);
    }
}
