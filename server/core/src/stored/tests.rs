//! Unknown fields of stored JSON are kept by a change.

use itinerary_api::types::{Day, Expense, Flight};
use itinerary_api::values::Text;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use super::{UnknownFields, parse, parse_with_unknown, to_string};
use crate::content::{Content, Fragments};

/// Parses JSON, changes the value, and serialises it.
fn changed<T: DeserializeOwned + Serialize>(stored: &Value, change: impl FnOnce(&mut T)) -> Value {
    let (mut value, unknown): (T, UnknownFields) =
        parse_with_unknown(stored.to_string().as_bytes()).expect("stored JSON");
    change(&mut value);
    serde_json::from_str(&to_string(&value, &unknown).expect("plain data")).expect("JSON")
}

#[test]
fn unknown_fields_of_an_item_stay() {
    let stored = json!({"id": "f1", "seatNumber": "1A", "new": {"deep": [1.50, null]}, "flightAirline": {"code": "TP", "hub": "LIS"}});
    let after = changed(&stored, |flight: &mut Flight| flight.seat_number = Some(Text::new("2B").expect("a seat")));
    let mut wanted = stored.clone();
    wanted["seatNumber"] = json!("2B");
    assert_eq!(after, wanted);
}

#[test]
fn numbers_and_order_of_unknown_fields_stay() {
    let stored = r#"{"id":"f1","seatNumber":"1A","new":{"z":1.50,"a":100000000000000000000,"m":"\u00e9"}}"#;
    let (flight, unknown) = parse_with_unknown::<Flight>(stored.as_bytes()).expect("stored JSON");
    assert_eq!(to_string(&flight, &unknown).expect("plain data"), stored);
}

#[test]
fn unknown_fields_move_with_their_stops() {
    let stop = |id: &str, notes: &str| json!({"id": id, "name": id, "startTimeSuggested": false, "notes": notes});
    let stored = json!({"id": "d1", "title": "Sintra", "stops": [stop("a", "bread"), stop("b", "wine"), stop("c", "")], "legs": []});
    let after = changed(&stored, |day: &mut Day| {
        let stop = day.stops.remove(0);
        day.stops.remove(1);
        drop(day.stops.insert(1, stop.expect("a stop")));
    });
    let wanted = json!({"id": "d1", "title": "Sintra", "stops": [stop("b", "wine"), stop("a", "bread")], "legs": []});
    assert_eq!(after, wanted);
}

#[test]
fn a_link_to_an_unknown_kind_of_item_stays() {
    let stored = json!({"id": "e1", "name": "Ticket", "cost": {"amount": 5, "currency": "EUR"},
        "belongsTo": {"kind": "spaceship", "id": "s1"}});
    let after = changed(&stored, |expense: &mut Expense| expense.name = Text::new("Tickets").expect("a name"));
    let mut wanted = stored.clone();
    wanted["name"] = json!("Tickets");
    assert_eq!(after, wanted);
}

#[test]
fn damaged_json_is_an_error() {
    for damaged in [r#"{"id":"f1","seatNumber":7}"#, r#"{"id":"f1","new":1,"seatNumber":7}"#, r#"{"id":"f1""#] {
        assert!(parse::<Flight>(damaged.as_bytes()).is_err(), "{damaged}");
    }
    assert!(parse::<Expense>(br#"{"id":"e1","new":1,"cost":{"amount":5}}"#).is_err(), "it has no name");
}

#[test]
fn serialized_content_equals_content_parsed_from_its_fragments() {
    let cover = r#"{"url":"https://images.example/1","colour":"red"}"#;
    let destination = r#"{"name":"Lisbon","coordinate":{"latitude":38.7,"longitude":-9.1}}"#;
    let expense = r#"{"id":"e1","name":"Ticket","cost":{"amount":5,"currency":"EUR"},"belongsTo":{"kind":"day","id":"d1","leg":2}}"#;
    let stored = Fragments {
        everyone: format!(
            r#"{{"title":"A","destination":{destination},"startDate":"2027-05-01","travellers":1,"tags":[],"coverImage":{cover}}}"#
        ),
        members: "{}".to_owned(),
        pro: format!(r#"{{"expenses":[{expense}]}}"#),
        documents: "{}".to_owned(),
    };
    let mut content = Content::parse(&stored).expect("stored JSON");
    content.everyone.cover_image = None;
    content.pro.expenses[0]
        .change(|expense| expense.name = Text::new("Tickets").expect("a name"))
        .expect("stored JSON");
    let fragments = content.serialize().expect("plain data");
    let parsed = Content::parse(&fragments).expect("stored JSON");
    assert_eq!(content, parsed);
    assert_eq!(content.pro.expenses[0].index(), parsed.pro.expenses[0].index());
    assert!(fragments.pro.contains(r#""leg":2"#) && !fragments.everyone.contains("colour"));
}
