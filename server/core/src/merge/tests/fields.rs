//! Fields, groups, places and nested objects.

use serde_json::{Value, json};

use super::{changed, conflicts, invalid, merged, merged_in, paths};
use crate::access::Sections;

#[test]
fn fields_of_both_sides_are_merged() {
    let base = json!({"title": "Trip", "summary": "Long"});
    let merged =
        merged(&base, &json!({"title": "Tour", "summary": "Long"}), &json!({"title": "Trip", "travellers": 3}));
    assert_eq!(
        [&merged["title"], &merged["summary"], &merged["travellers"]],
        [&json!("Tour"), &Value::Null, &json!(3)]
    );
}

#[test]
fn same_change_of_both_sides_is_no_conflict() {
    let tour = json!({"title": "Tour"});
    assert_eq!(merged(&json!({}), &tour, &tour)["title"], "Tour");
}

#[test]
fn different_changes_of_a_field_conflict() {
    let found = conflicts(&json!({"summary": "A"}), &json!({"summary": "B"}), &json!({}));
    assert_eq!(found, json!([["summary", "A", "B", null]]));
}

#[test]
fn dates_of_a_stay_are_one_value() {
    let hotel = |from: &str, to: &str| {
        let date = |day: &str| format!("2027-05-{day}T12:00:00Z");
        json!({"hotels": [{"id": "h", "name": "Inn", "checkInDate": date(from), "checkOutDate": date(to)}]})
    };
    let found = paths(&hotel("01", "05"), &hotel("02", "05"), &hotel("01", "06"));
    assert_eq!(found, ["hotels[id=h].checkInDate", "hotels[id=h].checkOutDate"]);
    let both = merged(&hotel("01", "05"), &hotel("02", "06"), &hotel("01", "05"));
    assert_eq!(both["hotels"], merged(&hotel("02", "06"), &hotel("02", "06"), &hotel("02", "06"))["hotels"]);
}

/// One stop with these fields.
fn stop(fields: &Value) -> Value {
    let mut stop = json!({"id": "s", "name": "Stop"});
    stop.as_object_mut().expect("an object").extend(fields.as_object().expect("an object").clone());
    json!({"days": [{"id": "d", "stops": [stop]}]})
}

#[test]
fn start_time_and_duration_are_one_value() {
    let base = stop(&json!({"startTime": "09:00"}));
    let found = conflicts(
        &base,
        &stop(&json!({"startTime": "10:00"})),
        &stop(&json!({"startTime": "09:00", "durationMinutes": 60})),
    );
    let expected = json!([
        ["days[id=d].stops[id=s].startTime", "09:00", "10:00", "09:00"],
        ["days[id=d].stops[id=s].durationMinutes", null, null, 60]
    ]);
    assert_eq!(found, expected);
}

#[test]
fn suggested_times_are_not_compared() {
    let suggested = |time: &str| stop(&json!({"startTime": time, "startTimeSuggested": true}));
    let fixed = stop(&json!({"startTime": "12:00"}));
    let time = |merged: &Value| merged["days"][0]["stops"][0]["startTime"].clone();
    assert_eq!(time(&merged(&suggested("09:00"), &suggested("10:00"), &suggested("11:00"))), "10:00");
    assert_eq!(time(&merged(&suggested("09:00"), &suggested("10:00"), &fixed)), "12:00");
    assert_eq!(time(&merged(&suggested("09:00"), &fixed, &suggested("11:00"))), "12:00");
    assert!(changed(&suggested("09:00"), &suggested("10:00")).is_empty());
}

#[test]
fn place_that_the_server_filled_is_not_changed() {
    let place = |fields: Value| stop(&json!({"place": fields}));
    let base = place(json!({"name": "Tower"}));
    let filled = place(json!({"name": "Tower", "address": "Av. 1", "coordinate": {"latitude": 1.0, "longitude": 2.0}}));
    let (moved, coded) = (place(json!({"name": "Castle"})), place(json!({"name": "Tower", "code": "LIS"})));
    let name = |merged: &Value| merged["days"][0]["stops"][0]["place"]["name"].clone();
    assert_eq!(name(&merged(&base, &filled, &moved)), "Castle");
    assert_eq!(merged(&stop(&json!({})), &filled, &moved)["days"][0]["stops"][0]["place"], json!({"name": "Castle"}));
    assert_eq!(paths(&base, &moved, &filled), ["days[id=d].stops[id=s].place"]);
    assert_eq!(paths(&base, &coded, &moved), ["days[id=d].stops[id=s].place"]);
    assert_eq!(changed(&base, &filled), ["days[id=d].stops[id=s].place changed"]);
}

#[test]
fn nested_objects_merge_field_by_field() {
    let flight = |airline: Value| json!({"flights": [{"id": "f", "flightNumber": "TP1", "flightAirline": airline}]});
    let base = flight(json!({"code": "TP", "name": "TAP"}));
    let both = merged(&base, &flight(json!({"code": "IB", "name": "TAP"})), &flight(json!({"code": "TP"})));
    assert_eq!(both["flights"][0]["flightAirline"], json!({"code": "IB"}));
    let found = paths(&base, &flight(json!({"code": "IB"})), &flight(json!({"code": "BA", "name": "TAP"})));
    assert_eq!(found, ["flights[id=f].flightAirline.code"]);
    assert_eq!(
        changed(&base, &flight(json!({"code": "IB"}))),
        ["flights[id=f].flightairline.code changed", "flights[id=f].flightairline.name changed"]
    );
}

#[test]
fn cost_is_one_value() {
    let expense = |amount: i32, currency: &str| json!({"expenses": [{"id": "e", "name": "Fee", "cost": {"amount": amount, "currency": currency}}]});
    assert_eq!(paths(&expense(1, "EUR"), &expense(2, "EUR"), &expense(1, "USD")), ["expenses[id=e].cost"]);
}

#[test]
fn tags_are_a_union_of_additions_and_removals() {
    let tags = |text: &str| json!({"tags": text.split_whitespace().collect::<Vec<_>>()});
    let merged =
        |base: &str, current: &str, yours: &str| merged(&tags(base), &tags(current), &tags(yours))["tags"].clone();
    assert_eq!(merged("a b c", "c b a x", "b c y x"), tags("c b x y")["tags"]);
    assert_eq!(merged("a b", "a b", "b a"), tags("b a")["tags"]);
    assert_eq!(changed(&tags("a"), &tags("a b")), ["tags changed"]);
}

#[test]
fn too_many_tags_are_invalid() {
    let tags = |last: &str| {
        let tags: Vec<_> = (0..29).map(|n| n.to_string()).chain([last.to_owned()]).collect();
        json!({ "tags": tags })
    };
    let base = json!({"tags": (0..29).map(|n| n.to_string()).collect::<Vec<_>>()});
    assert_eq!(invalid(&base, &tags("x"), &tags("y")), "tags");
}

#[test]
fn scalars_are_added_changed_and_removed() {
    let before = json!({"summary": "A", "title": "Trip"});
    let after = json!({"title": "Tour", "origin": {"name": "Porto"}});
    assert_eq!(changed(&before, &after), ["origin added", "summary removed", "title changed"]);
}

#[test]
fn hidden_sections_are_the_current_ones() {
    let expense = |name: &str| json!({"expenses": [{"id": "e", "name": name, "cost": {"amount": 1}}]});
    let mut yours = expense("Yours");
    yours["title"] = json!("Tour");
    let shown = Sections { members: true, pro: false, documents: false, source: false };
    let merged = merged_in(&expense("Base"), &expense("Current"), &yours, shown);
    assert_eq!((&merged["title"], &merged["expenses"][0]["name"]), (&json!("Tour"), &json!("Current")));
}
