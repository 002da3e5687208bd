//! Exports of this service come back as the same trip.

use std::path::Path;

use itinerary_api::types::{ExportFormat, ImportIgnoredCode, ItineraryDraft};
use itinerary_export::{Trip, export};
use itinerary_import::file::Format;
use serde_json::{Value, json};

use super::places::Places;
use super::trips::stored;
use super::{draft, drafted, json_ld, source, trip};
use itinerary_import::{Context, into_trip};

/// The itineraries of the demo.
pub(super) fn demo() -> Vec<Value> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../src/demo/itineraries");
    let files = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let lists = files.map(|file| serde_json::from_slice::<Vec<Value>>(&std::fs::read(file).unwrap()).unwrap());
    lists.flatten().map(|mut entry| entry["itinerary"].take()).collect()
}

#[test]
fn every_demo_trip_comes_back() {
    let places = Places::new();
    let context = Context { lookup: &places, is_pro: true };
    let demo = demo();
    assert!(demo.len() > 20);
    for value in demo {
        let written: ItineraryDraft = serde_json::from_value(value).unwrap();
        let trip = stored(None, &written);
        let exported = serde_json::to_value(&trip).unwrap();
        let file = export(&Trip::new(&trip, 1, "https://trips.example/trips/1".to_owned()), ExportFormat::Json);
        let source = source("trip.json", &file);
        assert_eq!(source.reading.found[0].0, Format::Itinerary);
        let import = draft(std::slice::from_ref(&source), context);
        let again = stored(None, &import.itinerary);
        assert_eq!(serde_json::to_value(&again).unwrap(), exported);
        assert_eq!(import.ignored, [], "{}", trip.title);
        let update = into_trip(&[source], context, &trip, true);
        assert_eq!(update.itinerary, ItineraryDraft::default(), "{}", trip.title);
    }
}

#[test]
fn without_pro_expenses_stay_out() {
    let mut exported = serde_json::to_value(stored(None, &drafted(&trip()).itinerary)).unwrap();
    exported["documents"] = json!([{"id": "d1", "name": "x", "file": {"path": "p", "name": "x", "size": 1}}]);
    let places = Places::new();
    let import = draft(&[json_ld("trip.json", &exported)], Context { lookup: &places, is_pro: false });
    assert_eq!(import.itinerary.expenses, None);
    assert_eq!(import.ignored[0].code, ImportIgnoredCode::NeedsPro);
}

#[test]
fn an_export_that_is_damaged_is_malformed() {
    let mut exported = serde_json::to_value(stored(None, &drafted(&trip()).itinerary)).unwrap();
    exported["flights"][0]["flightNumber"] = 7.into();
    let import = drafted(&[json_ld("trip.json", &exported)]);
    assert_eq!(import.ignored[0].code, ImportIgnoredCode::Malformed);
    assert_eq!(import.itinerary, ItineraryDraft::default());
}
