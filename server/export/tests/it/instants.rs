//! Times in calendars are the right instants, by the calendar's own definitions of zones.

use itinerary_api::types::ExportFormat::Ics;
use jiff::Timestamp;
use jiff::tz::{self, TimeZone};
use serde_json::json;

use super::calendar::Calendar;
use super::{day, exported, itinerary};

/// The stops `0`, `1`, … at these times of a date.
fn stops(date: &str, destination_zone: Option<&str>, times: &[(&str, Option<&str>)]) -> Calendar {
    let stop = |(n, (time, zone)): (usize, &(&str, Option<&str>))| {
        let place = zone.map(|zone| json!({ "name": "P", "timeZone": zone }));
        let mut stop = json!({ "id": n.to_string(), "name": "S", "startTime": time, "durationMinutes": 60 });
        if let Some(place) = place {
            stop["place"] = place;
        }
        stop
    };
    let stops: Vec<_> = times.iter().enumerate().map(stop).collect();
    let mut destination = json!({ "name": "D", "coordinate": { "latitude": 0, "longitude": 0 } });
    if let Some(zone) = destination_zone {
        destination["timeZone"] = json!(zone);
    }
    let fields = json!({ "startDate": date, "destination": destination, "days": [day("d", &stops)] });
    Calendar::read(&exported(&itinerary(fields), Ics))
}

fn instant(calendar: &Calendar, stop: usize, name: &str) -> Option<Timestamp> {
    calendar.instant(calendar.event(&format!("{stop}.stop")), name)
}

fn at(text: &str) -> Option<Timestamp> {
    text.parse().ok()
}

#[test]
fn changes_to_and_from_summer_time() {
    let gap = stops("2027-03-28", Some("Europe/Lisbon"), &[("00:30", None), ("01:30", None), ("02:30", None)]);
    assert_eq!(instant(&gap, 0, "DTSTART"), at("2027-03-28T00:30:00Z"));
    assert_eq!(instant(&gap, 0, "DTEND"), at("2027-03-28T01:30:00Z"));
    assert_eq!(instant(&gap, 1, "DTSTART"), at("2027-03-28T01:30:00Z"), "skipped: the time after the gap");
    assert_eq!(instant(&gap, 2, "DTSTART"), at("2027-03-28T01:30:00Z"));
    let overlap = stops("2027-10-31", Some("Europe/Lisbon"), &[("00:30", None), ("01:30", None), ("02:00", None)]);
    assert_eq!(instant(&overlap, 1, "DTSTART"), at("2027-10-31T00:30:00Z"), "the first of two");
    assert_eq!(instant(&overlap, 1, "DTEND"), at("2027-10-31T01:30:00Z"), "the second of two");
    assert_eq!(instant(&overlap, 2, "DTSTART"), at("2027-10-31T02:00:00Z"));
}

#[test]
fn a_stop_is_in_its_own_zone_then_the_destinations_then_floating() {
    let calendar = stops("2027-05-01", Some("Europe/Lisbon"), &[("09:00", Some("Asia/Kathmandu")), ("09:00", None)]);
    assert_eq!(instant(&calendar, 0, "DTSTART"), at("2027-05-01T03:15:00Z"));
    assert_eq!(instant(&calendar, 1, "DTSTART"), at("2027-05-01T08:00:00Z"));
    let floating = stops("2027-05-01", None, &[("09:00", None), ("23:30", None)]);
    assert_eq!(instant(&floating, 0, "DTSTART"), None);
    assert_eq!(floating.event("1.stop").get("DTEND"), Some("20270502T003000"));
    assert_eq!(floating.zones(), [""; 0]);
    let utc = stops("2027-05-01", Some("Etc/UTC"), &[("09:00", None)]);
    assert_eq!(utc.event("0.stop").get("DTSTART"), Some("20270501T090000Z"));
}

#[test]
fn flights_over_the_date_line_and_without_zones() {
    let flight = |departs: &str, arrives: &str, zones: [Option<&str>; 2]| {
        let airport = |zone: Option<&str>| zone.map(|zone| json!({ "name": "A", "timeZone": zone }));
        let mut flight = json!({ "id": "f", "departureDate": departs, "arrivalDate": arrives });
        for (name, zone) in ["departureAirport", "arrivalAirport"].iter().zip(zones) {
            if let Some(airport) = airport(zone) {
                flight[name] = airport;
            }
        }
        let calendar = Calendar::read(&exported(&itinerary(json!({ "flights": [flight] })), Ics));
        let event = calendar.event("f.flight");
        let local = |name| event.get(name).expect("a time").to_owned();
        let instants = (calendar.instant(event, "DTSTART"), calendar.instant(event, "DTEND"));
        (instants, (local("DTSTART"), local("DTEND")))
    };
    let (departs, arrives) = ("2027-05-02T08:00:00+13:00", "2027-05-01T08:35:00-11:00");
    let expected = (at("2027-05-01T19:00:00Z"), at("2027-05-01T19:35:00Z"));
    let (instants, local) = flight(departs, arrives, [Some("Pacific/Apia"), Some("Pacific/Pago_Pago")]);
    assert_eq!((instants, local), (expected, ("20270502T080000".to_owned(), "20270501T083500".to_owned())));
    let (instants, local) = flight(departs, arrives, [None, None]);
    assert_eq!((instants, local.0.as_str()), (expected, "20270501T190000Z"));
    // Arrives in the second hour of the night when clocks go back.
    let zones = [Some("Europe/Lisbon"); 2];
    let (instants, _) = flight("2027-10-31T01:50:00+01:00", "2027-10-31T01:05:00+00:00", zones);
    assert_eq!(instants, (at("2027-10-31T00:50:00Z"), at("2027-10-31T01:05:00Z")));
    // Local mean time had seconds.
    let (instants, _) = flight("1900-03-10T10:00:00+00:09", "1900-03-11T10:00:00+00:09", [Some("Europe/Paris"); 2]);
    assert_eq!(instants, (at("1900-03-10T09:51:00Z"), at("1900-03-11T09:51:00Z")));
}

// Every zone, around its changes and far from them.
#[test]
fn every_zone_has_the_right_offset_at_every_time() {
    let names: Vec<String> = tz::db().available().map(|name| name.to_string()).collect();
    assert!(names.len() > 400, "{}", names.len());
    let dates = ["1900-01-01", "1941-05-04", "2027-03-28", "2027-10-31"];
    for date in dates {
        for name in names.iter().filter(|name| *name != "Etc/Unknown") {
            let Ok(zone) = TimeZone::get(name) else { panic!("{name}") };
            let times = ["00:00", "01:30", "02:30", "12:00", "23:59"];
            let calendar = stops(date, Some(name), &times.map(|time| (time, None)));
            for (n, time) in times.iter().enumerate() {
                let local = format!("{date}T{time}").parse().expect("a local time");
                let start = zone.to_zoned(local).expect("an instant").timestamp();
                assert_eq!(instant(&calendar, n, "DTSTART"), Some(start), "{name} {date} {time}");
                let end = start + jiff::SignedDuration::from_mins(60);
                assert_eq!(instant(&calendar, n, "DTEND"), Some(end), "{name} {date} {time}");
            }
        }
    }
}
