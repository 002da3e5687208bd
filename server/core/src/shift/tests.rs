//! Examples; `tests/properties/shift.rs` moves any content there and back.

use serde_json::{Value, json};

use super::{Refusal, shift};
use crate::content::{Content, Fragments};

fn trip(members: &Value) -> Content {
    let everyone = json!({"title": "Lisbon", "startDate": "2027-03-20", "travellers": 1, "tags": [], "days": [],
        "destination": {"name": "Lisbon", "coordinate": {"latitude": 38.7, "longitude": -9.1}}});
    let texts = [everyone, members.clone(), json!({}), json!({})].map(|fragment| fragment.to_string());
    let [everyone, members, pro, documents] = texts;
    Content::parse(&Fragments { everyone, members, pro, documents }).expect("a content")
}

fn lisbon(departs: &str) -> Value {
    json!({"flights": [{"id": "f", "departureDate": departs, "departureAirport": {"code": "LIS", "timeZone": "Europe/Lisbon"}}]})
}

/// The departure after moving by so many days, and the codes of what needs attention.
fn moved(departs: &str, days: i64) -> (String, usize) {
    let mut content = trip(&lisbon(departs));
    let attention = shift(&mut content, days, |_| None).expect("moved");
    let flight = content.members.flights[0].value().expect("a flight").into_owned();
    (flight.departure_date.expect("a departure").to_string(), attention.len())
}

#[test]
fn local_times_stay() {
    assert_eq!(moved("2027-03-20T08:05:00+00:00", 10), ("2027-03-30T08:05:00+01:00".to_owned(), 0));
    assert_eq!(moved("2027-03-20t08:05:00.250Z", 1), ("2027-03-21t08:05:00.250Z".to_owned(), 0));
    assert_eq!(moved("2027-03-30T08:05:00+01:00", -10), ("2027-03-20T08:05:00+00:00".to_owned(), 0));
}

#[test]
fn a_time_of_another_zone_is_moved_by_the_local_time_of_the_place() {
    // 23:05 in Lisbon before and after.
    assert_eq!(moved("2027-03-20T18:05:00-05:00", 10), ("2027-03-30T17:05:00-05:00".to_owned(), 0));
}

#[test]
fn a_time_that_the_clocks_skip_needs_attention_and_comes_back() {
    let (there, attention) = moved("2027-03-20T01:30:00+00:00", 8);
    assert_eq!((there.as_str(), attention), ("2027-03-28T01:30:00+00:00", 1));
    assert_eq!(moved(&there, -8).0, "2027-03-20T01:30:00+00:00");
}

#[test]
fn a_date_out_of_range_is_refused_with_its_field() {
    let mut content = trip(&lisbon("2199-12-31T08:05:00+00:00"));
    let Err(Refusal::Invalid(error)) = shift(&mut content, 366 + 1, |_| None) else { panic!("it is in the year 2201") };
    assert_eq!(error.field.as_deref(), Some("flights[0].departureDate"));
}

#[test]
fn bookings_need_attention() {
    let mut content = trip(&json!({
        "hotels": [{"id": "h", "name": "Inn", "confirmationNumber": "X1"}, {"id": "i", "name": "Other"}],
        "transports": [{"id": "t", "mode": "train", "tickets": [{"holder": "Ana"}], "departureDay": "2027-03-21"}],
    }));
    let attention = shift(&mut content, 2, |_| None).expect("moved");
    let fields: Vec<_> = attention.iter().map(|attention| &*attention.field).collect();
    assert_eq!(fields, ["hotels[0]", "transports[0]"]);
    let transport = content.members.transports[0].value().expect("a transport").into_owned();
    assert_eq!(transport.departure_day.map(|day| day.to_string()).as_deref(), Some("2027-03-23"));
    assert_eq!(content.everyone.start_date.to_string(), "2027-03-22");
}

#[test]
fn nothing_is_touched_by_no_days() {
    let mut content = trip(&lisbon("2027-03-20T08:05:00+00:00"));
    let before = content.clone();
    assert!(shift(&mut content, 0, |_| None).expect("nothing to do").is_empty());
    assert_eq!(content.fragments(), before.fragments());
}
