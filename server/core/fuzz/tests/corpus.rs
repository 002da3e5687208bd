//! Runs every input of the corpus, so that a finding stays fixed. Needs neither libFuzzer nor coverage.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use itinerary_fuzz::{OPERATIONS, Refused};

/// How often an operation succeeded and was refused.
#[derive(Default)]
struct Seen {
    done: usize,
    refused: usize,
    too_large: usize,
}

#[test]
fn every_operation_is_carried_out_and_refused() {
    let mut seen: BTreeMap<_, Seen> = BTreeMap::new();
    for entry in fs::read_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus/edit")).expect("the corpus") {
        let path = entry.expect("an entry of the corpus").path();
        let bytes = fs::read(&path).expect("an input");
        // A failing test prints its output: the last path is that of the failing input.
        println!("{}", path.display());
        let count = seen.entry(itinerary_fuzz::operation(&bytes)).or_default();
        match itinerary_fuzz::run(&bytes) {
            Ok(()) => count.done += 1,
            Err(Refused::Invalid(_) | Refused::NotFound) => count.refused += 1,
            Err(Refused::TooLarge(_)) => count.too_large += 1,
        }
    }
    for operation in OPERATIONS {
        let Seen { done, refused, .. } = seen.get(operation).expect(operation);
        assert!(*done > 0 && *refused > 0, "{operation}: {done} done, {refused} refused");
    }
    assert!(seen.values().any(|count| count.too_large > 0), "nothing was too large");
}

#[test]
fn a_part_of_an_input_is_an_input() {
    for bytes in [&b""[..], b"a", b"b0", b"c09"] {
        assert!(matches!(itinerary_fuzz::run(bytes), Err(Refused::Invalid(_))), "{bytes:?}");
    }
}
