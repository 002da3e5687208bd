//! A change of an item is a merge patch (RFC 7396), and its outcome is compared with that RFC's algorithm.

use itinerary_tests::bodies::full;
use itinerary_tests::{World, api_test};
use serde_json::{Value, json};

use super::{Part, item, start};

/// `MergePatch` of RFC 7396, section 2.
fn merged(target: &Value, patch: &Value) -> Value {
    let Value::Object(patch) = patch else { return patch.clone() };
    let mut target = target.as_object().cloned().unwrap_or_default();
    for (name, value) in patch {
        if value.is_null() {
            target.remove(name);
        } else {
            let old = target.get(name).cloned().unwrap_or(Value::Null);
            target.insert(name.clone(), merged(&old, value));
        }
    }
    Value::Object(target)
}

/// The paths of all fields of an object, including nested ones.
fn paths(object: &Value) -> Vec<String> {
    let fields = object.as_object().expect("an object").iter();
    let inner = |(name, value): (&String, &Value)| {
        let within = if value.is_object() { paths(value) } else { Vec::new() };
        let within = within.into_iter().map(|path| format!("{name}.{path}")).collect::<Vec<_>>();
        [vec![name.clone()], within].concat()
    };
    fields.flat_map(inner).collect()
}

/// A patch that sets one field, with the objects around it.
fn patch(path: &str, value: &Value) -> Value {
    path.rsplit('.').fold(value.clone(), |inner, name| json!({ name: inner }))
}

fn pointer(path: &str) -> String {
    format!("/{}", path.replace('.', "/"))
}

/// Whether a field cannot be cleared.
fn is_required(part: Part, path: &str) -> bool {
    let last = path.rsplit('.').next().unwrap_or_default();
    let everywhere = matches!(last, "latitude" | "longitude" | "amount" | "kind" | "id" | "cost");
    everywhere || (path == "name" && !matches!(part, Part::Flights | Part::Transports))
}

/// The default that null restores, if the field has one.
fn default(path: &str) -> Option<Value> {
    match path {
        "quantity" => Some(json!(1)),
        "isPacked" => Some(json!(false)),
        "cost.currency" => Some(full()["currency"].clone()),
        _ => None,
    }
}

#[api_test(limits = false)]
async fn each_optional_field_is_cleared_by_null_and_set_again(world: World) {
    let (app, mut at) = start(&world).await;
    let mut cleared = 0;
    for part in Part::ALL {
        let whole = part.full();
        let id = whole["id"].as_str().expect("an id").to_owned();
        for path in paths(&whole) {
            let null = patch(&path, &Value::Null);
            if is_required(part, &path) {
                part.update(&app, &at, &id, &null).await.expect_invalid(&path);
                continue;
            }
            let expected = match default(&path) {
                Some(value) => merged(&whole, &patch(&path, &value)),
                None => merged(&whole, &null),
            };
            assert_ne!(expected, whole, "{path}: null makes a difference");
            at = part.updated(&app, &at, &id, &null).await;
            assert_eq!(item(&at, part, &id), &expected, "{part:?} {path}");
            // Repeating it changes nothing.
            at = part.updated(&app, &at, &id, &null).await;
            assert_eq!(item(&at, part, &id), &expected, "{part:?} {path}");
            at = part
                .updated(&app, &at, &id, &patch(&path, whole.pointer(&pointer(&path)).expect("it was there")))
                .await;
            assert_eq!(item(&at, part, &id), &whole, "{part:?} {path}");
            cleared += 1;
        }
    }
    assert_eq!(cleared, 112);
}

/// Patches of an item with every field.
fn patches(part: Part) -> Vec<Value> {
    let all = [json!({}), json!({ "id": part.full()["id"] }), part.full()];
    let own = match part {
        Part::Flights => vec![
            json!({ "flightAirline": { "name": "SATA" } }),
            json!({ "flightAirline": { "code": "S4", "name": null } }),
            json!({ "departureAirport": { "coordinate": { "latitude": -90.0 } }, "arrivalAirport": { "name": "A" } }),
            json!({ "departureAirport": { "name": null, "placeId": null, "coordinate": null } }),
            json!({ "arrivalAirport": null, "cabinClass": "first", "seatNumber": "1A", "gateNumber": null }),
            json!({ "arrivalAirport": { "code": "fnc" } }),
            json!({ "departureDate": "2027-09-01T05:05:00-01:00", "phoneNumber": "1\n2\t3" }),
        ],
        Part::Hotels => vec![
            json!({ "name": "Q" }),
            json!({ "place": { "address": "" } }),
            json!({ "place": { "coordinate": { "longitude": 180.0 }, "countryCode": "XK" } }),
            json!({ "place": { "name": null, "placeId": null, "code": null } }),
            json!({ "place": null, "checkInDate": null, "roomNumber": "13" }),
            json!({ "place": { "name": "p", "address": null } }),
            json!({ "checkOutDate": "2027-09-08t11:00:00.123456789z" }),
        ],
        Part::Transports => vec![
            json!({ "operator": { "name": "SAM" } }),
            json!({ "operator": { "code": null }, "departurePlace": { "coordinate": { "latitude": 32.0 } } }),
            json!({ "arrivalPlace": null, "mode": "ferry", "departureDay": null, "travelClass": null }),
            json!({ "tickets": [{ "seatNumber": "1" }, { "seatNumber": "2" }], "notes": "" }),
            json!({ "tickets": null, "bookingUrl": null }),
        ],
        Part::Reservations => vec![
            json!({ "place": { "address": "" }, "partySize": 999 }),
            json!({ "place": null, "endDate": null, "endDay": null }),
            json!({ "startDate": null, "startDay": "2027-09-04", "category": null }),
            json!({ "tickets": null, "name": "n" }),
        ],
        Part::Expenses => vec![
            json!({ "cost": {} }),
            json!({ "cost": { "amount": 0.001 } }),
            json!({ "cost": { "currency": "USD" } }),
            json!({ "cost": { "amount": 7, "currency": "CHF" }, "category": "food", "date": "2027-09-02" }),
            json!({ "belongsTo": { "kind": "hotel", "id": "hotel-1" } }),
            json!({ "belongsTo": {} }),
            json!({ "belongsTo": null, "date": null, "category": null }),
            json!({ "belongsTo": { "kind": "stop", "id": "stop-2" } }),
            json!({ "belongsTo": { "id": "stop-1" } }),
            json!({ "name": "n" }),
        ],
        Part::Packing => vec![
            json!({ "quantity": 999 }),
            json!({ "isPacked": false, "category": "gear" }),
            json!({ "belongsTo": { "id": "stop-2" } }),
            json!({ "belongsTo": null, "category": null }),
            json!({ "belongsTo": { "kind": "day", "id": "day-1" } }),
            json!({ "isPacked": true, "quantity": 1 }),
        ],
    };
    all.into_iter().chain(own).collect()
}

#[api_test(limits = false)]
async fn absent_keeps_a_value_replaces_and_an_object_merges(world: World) {
    let (app, mut at) = start(&world).await;
    for part in Part::ALL {
        let mut expected = part.full();
        let id = expected["id"].as_str().expect("an id").to_owned();
        for patch in patches(part) {
            expected = merged(&expected, &patch);
            let others = Part::ALL.map(|other| (other, at.json[other.name()].clone()));
            at = part.updated(&app, &at, &id, &patch).await;
            assert_eq!(item(&at, part, &id), &expected, "{patch}");
            for (other, before) in others.into_iter().filter(|(other, _)| *other != part) {
                assert_eq!(at.json[other.name()], before, "{patch}");
            }
            assert_eq!(part.list(&app, &at.id).await.json(), json!({ "data": [expected] }));
        }
    }
}

// An object that does not exist yet must be sent whole.
#[api_test(limits = false)]
async fn merged_into_nothing_an_object_must_be_whole(world: World) {
    let (app, mut at) = start(&world).await;
    let nothing = |part: Part| match part {
        Part::Flights => json!({ "departureAirport": null, "flightAirline": null }),
        Part::Hotels | Part::Reservations => json!({ "place": null }),
        Part::Transports => json!({ "departurePlace": null, "operator": null }),
        Part::Expenses | Part::Packing => json!({ "belongsTo": null }),
    };
    for part in Part::ALL {
        at = part.updated(&app, &at, part.full()["id"].as_str().expect("an id"), &nothing(part)).await;
    }
    for (part, patch, named) in [
        (
            Part::Hotels,
            json!({ "place": { "name": "p", "coordinate": { "latitude": 1 } } }),
            "place.coordinate.longitude",
        ),
        (Part::Hotels, json!({ "place": { "name": "p", "coordinate": {} } }), "place.coordinate.latitude"),
        (
            Part::Hotels,
            json!({ "place": { "name": "p", "coordinate": { "latitude": null } } }),
            "place.coordinate.latitude",
        ),
        (Part::Hotels, json!({ "place": {} }), "place"),
        (Part::Hotels, json!({ "place": { "address": "Rua 1" } }), "place"),
        (
            Part::Flights,
            json!({ "departureAirport": { "coordinate": { "longitude": 1 } } }),
            "departureAirport.coordinate.latitude",
        ),
        (Part::Flights, json!({ "departureAirport": {} }), "departureAirport"),
        (Part::Expenses, json!({ "belongsTo": {} }), "belongsTo.kind"),
        (Part::Expenses, json!({ "belongsTo": { "kind": "day" } }), "belongsTo.id"),
        (Part::Expenses, json!({ "belongsTo": { "id": "day-1" } }), "belongsTo.kind"),
        (Part::Packing, json!({ "belongsTo": { "kind": "flight" } }), "belongsTo.id"),
        (Part::Packing, json!({ "belongsTo": { "kind": null, "id": "day-1" } }), "belongsTo.kind"),
    ] {
        part.update(&app, &at, part.full()["id"].as_str().expect("an id"), &patch).await.expect_invalid(named);
    }
    assert_eq!(app.viewed(&at.id).await.etag, at.etag);
    // Null for an absent field has no effect.
    let patch = json!({ "place": { "name": "p", "coordinate": null, "address": null } });
    at = Part::Hotels.updated(&app, &at, "hotel-1", &patch).await;
    assert_eq!(item(&at, Part::Hotels, "hotel-1")["place"], json!({ "name": "p" }));
}
