//! The samples as drafts. Those of KDE Itinerary are no part of this project: set `ITINERARY_BOOKING_SAMPLES` to their folder, or
//! they are skipped.

use std::path::{Path, PathBuf};

use itinerary_api::types::ItineraryDraft;
use itinerary_import::{Context, Nothing, Source, draft, into_trip};

use super::places::Places;
use super::source;
use super::trips::{assert_rules, stored};

fn files(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            files(&path, found);
        } else {
            found.push(path);
        }
    }
    found.sort();
}

fn sources(folder: &Path) -> Vec<Source> {
    let mut paths = Vec::new();
    files(folder, &mut paths);
    let name = |path: &PathBuf| path.file_name().unwrap().to_string_lossy().into_owned();
    paths.iter().map(|path| source(&name(path), &std::fs::read(path).unwrap())).collect()
}

fn kde() -> Option<PathBuf> {
    let folder = std::env::var_os("ITINERARY_BOOKING_SAMPLES").map(PathBuf::from);
    if folder.is_none() {
        println!("skipped: ITINERARY_BOOKING_SAMPLES is not set");
    }
    folder
}

/// Drafts, imports again, and compares.
fn assert_stable(sources: &[Source], label: &str) {
    let places = Places::new();
    for context in [Context { lookup: &places, is_pro: true }, Context { lookup: &Nothing, is_pro: false }] {
        let import = draft(sources, context);
        let trip = stored(None, &import.itinerary);
        assert_rules(&trip);
        let again = into_trip(sources, context, &trip, false);
        assert_eq!(again.itinerary, ItineraryDraft::default(), "{label}: {:#?}", again.items);
        let mut reversed = sources.to_vec();
        reversed.reverse();
        assert!(import == draft(&reversed, context), "{label}: the order of files matters");
    }
}

#[test]
fn our_samples() {
    let sources = sources(&Path::new(env!("CARGO_MANIFEST_DIR")).join("samples"));
    assert!(sources.len() > 20);
    for source in &sources {
        assert_stable(std::slice::from_ref(source), &source.file);
    }
    assert_stable(&sources, "all");
}

#[test]
fn samples_of_kde() {
    let Some(folder) = kde() else { return };
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            let sources = sources(&path);
            for source in &sources {
                assert_stable(std::slice::from_ref(source), &source.file);
            }
            assert_stable(&sources, &path.display().to_string());
        }
    }
}

/// What KDE merges is one here, with the same fields.
#[test]
fn merged_samples_of_kde() {
    let Some(folder) = kde() else { return };
    let read = |name: &str| source(name, &std::fs::read(folder.join("mergedata").join(name)).unwrap());
    let places = Places::new();
    let context = Context { lookup: &places, is_pro: true };
    for name in ["iata-bcbp", "subject-of", "train-unbound"] {
        let both = [read(&format!("{name}.lhs.json")), read(&format!("{name}.rhs.json"))];
        let merged = draft(&both, context).itinerary;
        let expected = draft(&[read(&format!("{name}.merged.json"))], context).itinerary;
        assert_eq!(serde_json::to_value(merged).unwrap(), serde_json::to_value(expected).unwrap(), "{name}");
    }
    let both = [read("cancellation.lhs.json"), read("cancellation.rhs.json")];
    let import = draft(&both, context);
    assert_eq!((import.itinerary.flights, import.ignored.len()), (None, 1));
}
