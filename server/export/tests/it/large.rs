//! The largest itineraries have exports of a bounded size.

use itinerary_api::types::ExportFormat;
use serde_json::json;

use super::calendar::Calendar;
use super::{exported, itinerary};

/// The size of a stored itinerary.
const LARGEST: usize = 262_144;

#[test]
fn a_full_itinerary_of_a_year_is_exported() {
    let zones = ["Europe/Lisbon", "Asia/Tokyo", "America/Argentina/ComodRivadavia"];
    let days: Vec<_> = (0..366)
        .map(|d| {
            let stops: Vec<_> = (0..5)
                .map(|s| {
                    let zone = zones[(d + s) % zones.len()];
                    let place = json!({ "timeZone": zone, "coordinate": { "latitude": s, "longitude": 9.5 } });
                    json!({ "id": format!("{d}-{s}"), "name": "S", "startTime": "09:30", "place": place })
                })
                .collect();
            json!({ "id": format!("d{d}"), "stops": stops })
        })
        .collect();
    let sent = json!({ "days": days });
    assert!((LARGEST * 3 / 4..LARGEST).contains(&sent.to_string().len()), "{}", sent.to_string().len());
    let itinerary = itinerary(sent);
    for format in ExportFormat::ALL {
        let text = exported(&itinerary, format);
        assert!(text.len() < 4 * LARGEST, "{format:?} has {} bytes", text.len());
    }
    let calendar = Calendar::read(&exported(&itinerary, ExportFormat::Ics));
    assert_eq!(calendar.events.len(), 1 + 366 * 5);
}

// Each leg is drawn as a great circle, on the map of its day and on both maps of the trip.
#[test]
fn maps_of_legs_around_the_earth_are_bounded() {
    let days: Vec<_> = (0..40)
        .map(|d| {
            let stop = |s: u32| {
                let (latitude, longitude) =
                    (f64::from(s) / 2.0 - 16.0, if s.is_multiple_of(2) { -60.5 } else { 110.5 });
                let place = json!({ "coordinate": { "latitude": latitude, "longitude": longitude } });
                json!({ "id": format!("{d}-{s}"), "name": "S", "place": place })
            };
            json!({ "id": format!("d{d}"), "stops": (0..64).map(stop).collect::<Vec<_>>() })
        })
        .collect();
    let sent = json!({ "days": days });
    assert!((LARGEST * 3 / 4..LARGEST).contains(&sent.to_string().len()), "{}", sent.to_string().len());
    let text = exported(&itinerary(sent), ExportFormat::Html);
    assert!(text.len() < 12 * LARGEST, "{} bytes", text.len());
}

// Three hundred years between two flights, in every zone.
#[test]
fn definitions_of_zones_are_no_longer_than_the_events() {
    let zones: Vec<String> =
        jiff::tz::db().available().map(|name| name.to_string()).filter(|n| n != "Etc/Unknown").collect();
    let flight = |(n, zone): (usize, &String)| {
        let airport = json!({ "name": "A", "timeZone": zone });
        let (departs, arrives) = ("1900-01-01T00:00:00Z", "2200-12-30T00:00:00Z");
        json!({ "id": n.to_string(), "departureDate": departs, "arrivalDate": arrives, "departureAirport": airport, "arrivalAirport": airport })
    };
    let flights: Vec<_> = zones.iter().enumerate().map(flight).collect();
    let text = exported(&itinerary(json!({ "flights": flights })), ExportFormat::Ics);
    let events: usize = text.split("BEGIN:VEVENT").skip(1).map(str::len).sum();
    assert!(text.len() < 2 * events, "{} of {}", events, text.len());
}
