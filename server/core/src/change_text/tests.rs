use serde_json::{Value, json};

use super::*;
use crate::merge::changes;
use crate::merge::tests::{EVERYTHING, trip};

/// The sentences for what changed from one trip to another.
fn described(before: &Value, after: &Value) -> Vec<String> {
    let version = |fields: &Value| Version { visibility: Visibility::Private, content: trip(fields) };
    let (before, after) = (version(before), version(after));
    let changes = changes(&before.content, &after.content, EVERYTHING, 20).expect("the contents can be read");
    sentences(&changes, &before, &after).iter().map(ToString::to_string).collect()
}

fn days(first: &Value, second: &Value) -> Value {
    json!({ "days": [{ "id": "d1", "stops": first }, { "id": "d2", "stops": second }] })
}

#[test]
fn stops_are_named_with_the_number_of_their_day() {
    let (tower, castle) = (json!({ "id": "a", "name": "Belém Tower" }), json!({ "id": "b", "name": "Castle" }));
    let both = days(&json!([tower, castle]), &json!([]));
    for (after, expected) in [
        (days(&json!([castle]), &json!([tower])), "Belém Tower moved to day 2"),
        (days(&json!([castle]), &json!([])), "Belém Tower removed from day 1"),
        (days(&json!([castle, tower]), &json!([])), "Castle moved within day 1"),
        (days(&json!([tower, castle]), &json!([{ "id": "c", "name": "Sintra" }])), "Sintra added to day 2"),
        (
            days(
                &json!([{ "id": "a", "name": "Tower", "startTime": "09:00", "durationMinutes": 60 }, castle]),
                &json!([]),
            ),
            "Tower: name, start time and duration changed",
        ),
    ] {
        let sentences = described(&both, &after);
        assert_eq!(sentences, [expected]);
    }
}

#[test]
fn days_are_named_by_number() {
    let day = |id: &str| json!({ "id": id, "stops": [] });
    let two = json!({ "days": [day("d1"), day("d2")] });
    assert_eq!(described(&two, &json!({ "days": [day("d1"), day("d2"), day("d3")] })), ["Day 3 added"]);
    assert_eq!(described(&two, &json!({ "days": [day("d2")] })), ["Day 1 removed"]);
    let image = json!({ "id": "d2", "stops": [], "image": { "url": "https://a.example/b.jpg" } });
    assert_eq!(described(&two, &json!({ "days": [day("d1"), image] })), ["Day 2: image changed"]);
    let [moved] = &described(&two, &json!({ "days": [day("d2"), day("d1")] }))[..] else { panic!("one sentence") };
    assert!(["Day 2 moved: now day 1", "Day 1 moved: now day 2"].contains(&&**moved), "{moved}");
}

#[test]
fn items_are_named_by_kind_and_name() {
    let hotel = |check_in: &str| json!({ "hotels": [{ "id": "h", "name": "Inn", "checkInDate": check_in }] });
    let may = hotel("2027-05-01T15:00:00+01:00");
    assert_eq!(described(&json!({}), &may), ["Hotel added: Inn"]);
    assert_eq!(described(&may, &json!({})), ["Hotel removed: Inn"]);
    assert_eq!(described(&may, &hotel("2027-05-02T15:00:00+01:00")), ["Inn: check-in date changed"]);
    let flight = |fields: Value| json!({ "flights": [fields] });
    let airports = json!({ "id": "f", "departureAirport": { "code": "LHR" }, "arrivalAirport": { "name": "Lisbon" } });
    assert_eq!(described(&json!({}), &flight(airports)), ["Flight added: LHR to Lisbon"]);
    let numbered = flight(json!({ "id": "f", "flightNumber": "TP1363" }));
    assert_eq!(described(&json!({}), &numbered), ["Flight added: TP1363"]);
    let seat = |seat: &str| flight(json!({ "id": "f", "seatNumber": seat }));
    assert_eq!(described(&json!({}), &seat("1A")), ["Flight added"]);
    assert_eq!(described(&seat("1A"), &seat("2A")), ["Flight: seat number changed"]);
    let packing = |packed: bool, quantity: u8| json!({ "packing": [{ "id": "p", "name": "Hat", "isPacked": packed, "quantity": quantity }] });
    assert_eq!(described(&packing(false, 1), &packing(true, 1)), ["Hat: packed"]);
    assert_eq!(described(&packing(true, 1), &packing(false, 1)), ["Hat: no longer packed"]);
    assert_eq!(described(&packing(true, 1), &packing(false, 2)), ["Hat: packed or not and quantity changed"]);
}

#[test]
fn fields_of_the_itinerary_are_sentences_of_their_own() {
    let after = json!({ "title": "May", "summary": "Sun", "travellers": 3, "startDate": "2027-05-02" });
    let expected = ["Start date changed", "Summary added", "Title changed to “May”", "Travellers changed"];
    assert_eq!(described(&json!({}), &after), expected);
    let version = |visibility| Version { visibility, content: trip(&json!({})) };
    let change = RevisionChange { path: "visibility".to_owned(), kind: ChangeKind::Changed };
    let published = sentences(&[change], &version(Visibility::Private), &version(Visibility::Public));
    assert_eq!(published, [ChangeText::words("Published")]);
}

#[test]
fn only_user_content_is_a_name() {
    let before = Version { visibility: Visibility::Private, content: trip(&json!({})) };
    let after = Version { content: trip(&json!({ "hotels": [{ "id": "h", "name": "<b>" }] })), ..before.clone() };
    let changes = changes(&before.content, &after.content, EVERYTHING, 20).expect("the contents can be read");
    let expected = ChangeText { before: "Hotel added: ".to_owned(), name: "<b>".to_owned(), after: String::new() };
    assert_eq!(sentences(&changes, &before, &after), [expected]);
}
