//! What travellers mean by the names in `server/data/meanings.tsv`, whatever the towns' populations say.

use std::collections::HashMap;
use std::sync::LazyLock;

/// What a name without an area means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Meaning {
    /// The town with this id.
    Town(&'static str),
    /// One of the towns; the traveller must say which.
    AnyTown,
    /// An island or a province, and no town.
    Area,
}

static MEANINGS: LazyLock<HashMap<&'static str, Meaning>> = LazyLock::new(|| {
    let rows = include_str!("../../../data/meanings.tsv").lines().filter(|row| !row.starts_with('#'));
    rows.filter_map(row).collect()
});

/// The meaning of a name, which is without case, accents and punctuation.
pub(super) fn of(folded: &str) -> Option<Meaning> {
    MEANINGS.get(folded).copied()
}

fn row(row: &'static str) -> Option<(&'static str, Meaning)> {
    let mut cells = row.split('\t');
    let (name, meaning) = (cells.next()?, cells.next()?);
    let meaning = match meaning {
        "?" => Meaning::AnyTown,
        "area" => Meaning::Area,
        id => Meaning::Town(id),
    };
    Some((name, meaning))
}

#[cfg(test)]
mod tests {
    use super::{MEANINGS, Meaning, of};

    #[test]
    fn every_row_is_read() {
        let text = include_str!("../../../data/meanings.tsv");
        assert_eq!(MEANINGS.len(), text.lines().filter(|row| !row.starts_with('#')).count(), "no name twice");
        let is_id = |meaning: &Meaning| !matches!(meaning, Meaning::Town(id) if !id.starts_with("geonames:"));
        assert!(MEANINGS.values().all(is_id));
        assert!(MEANINGS.keys().all(|name| crate::places::cities::folded(name) == *name));
        assert_eq!((of("bali"), of("victoria")), (Some(Meaning::Area), Some(Meaning::AnyTown)));
    }
}
