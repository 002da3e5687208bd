//! Markdown and maps: what they contain, and that hidden sections are absent.

use itinerary_api::types::ExportFormat::{self, Geojson, Gpx, Kml, Md};
use serde_json::{Value, json};

use super::{day, exported, itinerary, lisbon};

#[test]
fn markdown_reads_well() {
    let stop = json!({ "id": "s1", "name": "Castelo de S. Jorge", "startTime": "09:30", "durationMinutes": 90, "category": "landmark" });
    let mut first = day("d1", &[stop, json!({ "id": "s2", "name": "Lunch" })]);
    first["legs"] = json!([{ "from": "s1", "to": "s2", "mode": "walk", "minutes": 12, "metres": 850 }]);
    let text = exported(
        &itinerary(json!({
            "summary": "First line.\n\nSecond - with a dash.",
            "days": [first],
            "currency": "EUR",
            "expenses": [{ "id": "e1", "name": "Dinner", "cost": { "amount": 48.5 } }],
            "packing": [{ "id": "p1", "name": "Shoes", "quantity": 2, "isPacked": true }],
        })),
        Md,
    );
    let expected = "# Lisbon\n\n\
        Lisbon · 2027-03-27 · 2 travellers · by Ana\n\n\
        First line.\n\n\
        Second - with a dash.\n\n\
        <https://trips.example/trips/0197a1f0-6a3e-7c1d-9d3f-2b8a4c5d6e7f>\n\n\
        ## Day 1: Saturday, 27 March 2027\n\n\
        1. 09:30–11:00 **Castelo de S. Jorge**\n   \
        - Landmark\n   \
        - Then: Walk, 12 min, 850 m\n\
        2. **Lunch**\n\n\
        On the way: 12 min, 850 m\n\n\
        ## Expenses\n\n\
        - Dinner, 48.50 EUR\n\n\
        ## Packing\n\n\
        - [x] 2 × Shoes\n";
    assert_eq!(text, expected);
}

#[test]
fn hidden_sections_are_nowhere() {
    let mut whole = lisbon();
    let secrets: Vec<String> = whole
        .hotels
        .iter()
        .flat_map(|hotels| hotels.iter().filter_map(|hotel| hotel.room_number.as_ref().map(ToString::to_string)))
        .chain(
            whole
                .flights
                .iter()
                .flat_map(|all| all.iter().filter_map(|it| it.flight_number.as_ref().map(ToString::to_string))),
        )
        .collect();
    assert!(!secrets.is_empty());
    (whole.flights, whole.hotels, whole.expenses, whole.packing, whole.documents) = (None, None, None, None, None);
    for format in ExportFormat::ALL {
        let text = exported(&whole, format);
        for secret in secrets.iter().filter(|secret| secret.len() > 3) {
            assert!(!text.contains(secret), "{format:?} has {secret}");
        }
        for heading in ["## Flights", "## Hotels", "Flights</name>", "\"hotel\"", "<rte>", "Check-in"] {
            assert!(!text.contains(heading), "{format:?} has {heading}");
        }
    }
}

#[test]
fn a_day_without_legs_has_zero_minutes_and_metres() {
    let stop =
        |id: &str| json!({ "id": id, "name": "a", "place": { "coordinate": { "latitude": 1, "longitude": 1 } } });
    let text = exported(&itinerary(json!({ "days": [day("d1", &[stop("s1"), stop("s2")])] })), Geojson);
    assert!(text.contains("\"metres\":0.0,\"minutes\":0.0"), "{text}");
}

#[test]
fn maps_have_a_point_for_each_stop_and_a_line_for_each_day() {
    let whole = lisbon();
    let points = whole
        .days
        .iter()
        .flat_map(|day| day.stops.iter())
        .filter(|stop| stop.place.as_ref().is_some_and(|place| place.coordinate.is_some()));
    let (points, days) = (points.count(), whole.days.len());
    let hotels = whole.hotels.as_ref().map_or(0, |hotels| hotels.len());
    let gpx = exported(&whole, Gpx);
    assert_eq!((gpx.matches("<wpt ").count(), gpx.matches("<trk>").count()), (points + hotels, days));
    assert_eq!(gpx.matches("<trkpt ").count(), points);
    let kml = exported(&whole, Kml);
    assert_eq!((kml.matches("<Point>").count(), kml.matches("Way of day").count()), (points + hotels, days));
    let geojson: Value = serde_json::from_str(&exported(&whole, Geojson)).expect("JSON");
    let features = geojson["features"].as_array().expect("features");
    let count = |kind: &str| features.iter().filter(|feature| feature["properties"]["kind"] == kind).count();
    assert_eq!((count("stop"), count("day"), count("hotel")), (points, days, hotels));
    assert_eq!(features[0]["properties"]["startTime"], "2027-05-15T13:35:00+01:00");
    assert_eq!(features[0]["properties"]["startTimeZone"], "Europe/Lisbon");
}

#[test]
fn an_empty_itinerary_has_every_format() {
    let empty = itinerary(json!({}));
    for format in ExportFormat::ALL {
        assert!(exported(&empty, format).contains("Lisbon"), "{format:?}");
    }
    let gpx = exported(
        &itinerary(json!({ "days": [day("d", &[json!({
        "id": "s", "name": "S", "place": { "coordinate": { "latitude": -90, "longitude": 180 } }
    })])] })),
        Gpx,
    );
    assert!(gpx.contains("lat=\"-90\" lon=\"-180\""), "{gpx}");
}
