//! Text that tries to leave its place.

use itinerary_api::types::ExportFormat::{self, Geojson, Gpx, Html, Ics, Kml, Md};
use itinerary_api::types::Itinerary;
use serde_json::{Value, json};

use super::calendar::Calendar;
use super::{day, exported, itinerary};

const TEXTS: [&str; 11] = [
    "a\nBEGIN:VEVENT\nEND:VEVENT",
    "a\r\nATTACH:file:///etc/passwd",
    "]]><script>alert(1)</script>",
    "\"><img src=x onerror=alert(1)>",
    "&lt;script&gt;alert(1)&lt;/script&gt;",
    "[pay](javascript:alert(1)) ![x](data:text/html,1)",
    "# *not* a _heading_ `code` | <b>bold</b> ~~x~~ $1$",
    "1. one\n- two\n> three\n\n    four\n===",
    "\u{202e}moc.live\u{2066} a\u{2028}b\u{ffff}\u{fffe}c",
    "a\\nb\\;c,d;e:f\\",
    "\t\u{feff}שלום\u{200f} 🗼",
];

fn with(text: &str) -> Itinerary {
    let text = text.replace('\r', "");
    let stop = json!({
        "id": "s1", "name": text, "startTime": "09:30", "phoneNumber": text, "notes": text,
        "place": { "name": text, "address": text, "coordinate": { "latitude": 1, "longitude": 2 } },
        "activity": { "provider": text, "bookingUrl": "https://book.example/?a=<b>&c='d'\"e\\f]]>" },
    });
    let flight = json!({
        "id": "f1", "flightNumber": text, "seatNumber": text, "departureDate": "2027-05-01T10:00:00Z",
        "flightAirline": { "name": text }, "departureAirport": { "name": text },
    });
    let link = "https://book.example/?a=<b>&c='d'\"e\\f]]>";
    let transport = json!({
        "id": "t1", "mode": "train", "number": text, "departureDay": "2027-05-01", "travelClass": text,
        "operator": { "name": text }, "departurePlace": { "name": text, "address": text },
        "provider": text, "bookingUrl": link, "notes": text, "tickets": [{ "holder": text, "seatNumber": text }],
    });
    let reservation = json!({
        "id": "r1", "name": text, "startDate": "2027-05-01T19:00:00Z", "place": { "name": text, "address": text },
        "confirmationNumber": text.chars().take(50).collect::<String>(), "bookingUrl": link, "notes": text,
    });
    let mut first = day("d1", &[stop, json!({ "id": "s2", "name": text, "notes": text })]);
    (first["title"], first["notes"]) = (json!(text), json!(text));
    let fields: Value = json!({
        "title": text, "summary": text, "tags": [text.chars().take(50).collect::<String>()],
        "destination": { "name": text, "coordinate": { "latitude": 1, "longitude": 2 } },
        "days": [first],
        "flights": [flight],
        "hotels": [{ "id": "h1", "name": text, "checkInDate": "2027-05-01T10:00:00Z", "roomNumber": text }],
        "transports": [transport],
        "reservations": [reservation],
        "expenses": [{ "id": "e1", "name": text, "cost": { "amount": 1.5 } }],
        "packing": [{ "id": "p1", "name": text }],
    });
    let mut itinerary = itinerary(fields);
    itinerary.author.display_name = text;
    itinerary
}

fn all(format: ExportFormat) -> impl Iterator<Item = String> {
    TEXTS.iter().map(move |text| exported(&with(text), format))
}

#[test]
fn no_format_has_characters_that_turn_the_text_around_or_that_xml_forbids() {
    // JSON is for programs, which need the texts as they are.
    for format in ExportFormat::ALL.into_iter().filter(|format| *format != ExportFormat::Json) {
        for text in all(format) {
            let bad = |c: char| {
                matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{2028}' | '\u{2029}' | '\u{fffe}' | '\u{ffff}')
                    || c.is_control() && !matches!(c, '\n' | '\t' | '\r')
            };
            assert!(!text.contains(bad), "{format:?}: {text:?}");
        }
    }
}

#[test]
fn no_text_becomes_a_property_of_a_calendar() {
    for text in all(Ics) {
        let calendar = Calendar::read(&text);
        assert_eq!(calendar.events.len(), 7, "{text}");
        for event in &calendar.events {
            assert!(event.get("ATTACH").is_none());
            for name in ["SUMMARY", "LOCATION", "DESCRIPTION"] {
                event.text(name);
            }
        }
    }
    let first = with(TEXTS[0]);
    let calendar = Calendar::read(&exported(&first, Ics));
    assert_eq!(calendar.event("s1").text("SUMMARY"), "a BEGIN:VEVENT END:VEVENT");
    assert_eq!(calendar.event("trip").text("DESCRIPTION"), TEXTS[0]);
}

#[test]
fn no_text_becomes_an_element() {
    for format in [Gpx, Kml, Html] {
        for text in all(format) {
            // Elements of HTML follow each other without a space.
            let attribute_end = if format == Html { "\"><img" } else { "\"><" };
            for bad in ["<script", "<img", "<b>", "]]>", attribute_end] {
                assert!(!text.contains(bad), "{format:?} has {bad}: {text}");
            }
        }
    }
    // Map programs read descriptions as HTML.
    for text in all(Kml) {
        for description in text.split("<description>").skip(1) {
            let html = description.split("</description>").next().unwrap_or_default();
            let html = html.replace("&lt;", "<").replace("&gt;", ">").replace("&quot;", "\"").replace("&#39;", "'");
            let html = html.replace("&amp;", "&");
            assert!(!html.replace("<br>", "").contains(['<', '>']), "{html}");
        }
    }
}

#[test]
fn geojson_is_json() {
    for (text, sent) in all(Geojson).zip(TEXTS) {
        let collection: Value = serde_json::from_str(&text).expect("JSON");
        assert_eq!(collection["features"].as_array().map(Vec::len), Some(6), "{sent:?}");
    }
}

#[test]
fn markdown_shows_text_as_it_is() {
    for text in all(Md) {
        let bare = without_escapes(&text);
        let ours = bare.replace("](<https://book.example/?a=%3Cb%3E&amp;c=%27d%27%22e%5Cf]]%3E>)", "");
        let ours = ours.replace("<https://trips.example/", "");
        assert!(!ours.contains(['<', '`', '&', '|', '~']), "{text}");
        assert!(!ours.contains("]("), "{text}");
        for line in bare.lines() {
            let start = line.trim_start_matches('#').trim_start();
            assert!(!start.starts_with(['#', '=', '>', '+']), "{line}");
            // Our own emphasis opens and closes on its line.
            assert_eq!(line.matches("**").count() * 2, line.matches('*').count(), "{line}");
        }
        assert!(!text.lines().any(|line| line.starts_with("    ")), "{text}");
    }
}

/// Markdown with a dot for each escaped character.
fn without_escapes(text: &str) -> String {
    let mut bare = String::new();
    let mut characters = text.chars();
    while let Some(c) = characters.next() {
        if c == '\\' {
            characters.next();
            bare.push('.');
        } else {
            bare.push(c);
        }
    }
    bare
}
