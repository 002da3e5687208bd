//! The body of one item: a JSON object with known fields of the right type.

use itinerary_tests::app::{App, Stored};
use itinerary_tests::bodies::with;
use itinerary_tests::{RawResponse, World, api_test};
use reqwest::Method;
use serde_json::{Value, json};

use super::{Part, done, start};

/// Sends a text as the body of an addition, and of a change of the one existing item.
async fn both(part: Part, app: &App<'_>, at: &Stored, content_type: &str, body: &str) -> [RawResponse; 2] {
    let own = part.full()["id"].as_str().expect("an id").to_owned();
    let add = app.call(Method::POST, &part.path(&at.id));
    let update = app.call(Method::PATCH, &part.item_path(&at.id, &own));
    let [add, update] = [add, update].map(|call| call.header("If-Match", &at.etag));
    [add.body(content_type, body.to_owned()).send().await, update.body(content_type, body.to_owned()).send().await]
}

#[api_test(limits = false)]
async fn a_body_is_one_json_object(world: World) {
    let (app, at) = start(&world).await;
    for part in Part::ALL {
        let whole = part.least("n").to_string();
        for body in [
            "",
            " ",
            "{",
            "[]",
            "null",
            "7",
            "\"text\"",
            "[{}]",
            "{'name': 'n'}",
            "{\"id\": NaN}",
            &format!("{whole} {whole}"),
            &format!("{whole}x"),
            &format!("\u{feff}{whole}"),
            &format!("[{whole}]"),
        ] {
            for response in both(part, &app, &at, "application/json", body).await {
                assert_eq!(response.expect_error(422, "validationFailed"), Value::Null, "{part:?} {body}");
            }
        }
        // Nesting must be limited, because it is traversed.
        let deep = format!(r#"{{"id": {}{}}}"#, "[".repeat(100_000), "]".repeat(100_000));
        for response in both(part, &app, &at, "application/json", &deep).await {
            response.expect_error(422, "validationFailed");
        }
    }
    assert_eq!(app.viewed(&at.id).await.etag, at.etag);
}

/// Texts for a body, and the field that each error names.
fn wrong(part: Part) -> Vec<(&'static str, &'static str)> {
    let all = [
        (r#"{"surprise": 1}"#, "surprise"),
        (r#"{"Id": "a"}"#, "Id"),
        (r#"{"id": "a", "id": "b"}"#, "id"),
        (r#"{"createdAt": null}"#, "createdAt"),
    ];
    let own: &[(&str, &str)] = match part {
        Part::Flights => &[
            (r#"{"name": "n"}"#, "name"),
            (r#"{"flightAirline": ["TP", "TAP"]}"#, "flightAirline"),
            (r#"{"flightAirline": "TP"}"#, "flightAirline"),
            (r#"{"flightAirline": {"surprise": 1}}"#, "flightAirline.surprise"),
            (r#"{"departureAirport": {"surprise": 1}}"#, "departureAirport.surprise"),
            (r#"{"arrivalAirport": []}"#, "arrivalAirport"),
            (r#"{"arrivalAirport": {"coordinate": [1, 2]}}"#, "arrivalAirport.coordinate"),
            (
                r#"{"arrivalAirport": {"coordinate": {"latitude": 1, "longitude": 2, "height": 3}}}"#,
                "arrivalAirport.coordinate.height",
            ),
            (r#"{"seatNumber": 14}"#, "seatNumber"),
            (r#"{"cabinClass": "steerage"}"#, "cabinClass"),
            (r#"{"cabinClass": 1}"#, "cabinClass"),
            (r#"{"gateNumber": "\u0007"}"#, "gateNumber"),
        ],
        Part::Hotels => &[
            (r#"{"name": "n", "stars": 5}"#, "stars"),
            (r#"{"name": ""}"#, "name"),
            (r#"{"name": ["n"]}"#, "name"),
            (r#"{"name": "\ud800"}"#, "name"),
            (r#"{"name": "n", "place": ["p"]}"#, "place"),
            (r#"{"name": "n", "place": "p"}"#, "place"),
            (r#"{"name": "n", "place": {"name": "p", "city": "c"}}"#, "place.city"),
            (r#"{"name": "n", "place": {"name": "p", "name": "q"}}"#, "place.name"),
            (r#"{"name": "n", "place": {"coordinate": [32.6, -16.9]}}"#, "place.coordinate"),
            (r#"{"name": "n", "checkInDate": 20270901}"#, "checkInDate"),
        ],
        Part::Transports => &[
            (r#"{"name": "n"}"#, "name"),
            (r#"{"mode": "flight"}"#, "mode"),
            (r#"{"mode": "train", "operator": "CP"}"#, "operator"),
            (r#"{"mode": "train", "operator": {"surprise": 1}}"#, "operator.surprise"),
            (r#"{"departurePlace": {"surprise": 1}}"#, "departurePlace.surprise"),
            (r#"{"arrivalPlace": "Porto"}"#, "arrivalPlace"),
            (r#"{"departureDay": "2027-02-29"}"#, "departureDay"),
            (r#"{"confirmationNumber": ""}"#, "confirmationNumber"),
            (r#"{"tickets": {}}"#, "tickets"),
            (r#"{"tickets": [{"surprise": 1}]}"#, "tickets[0].surprise"),
            (r#"{"number": 523}"#, "number"),
        ],
        Part::Reservations => &[
            (r#"{"name": "n", "table": 5}"#, "table"),
            (r#"{"name": ""}"#, "name"),
            (r#"{"name": "n", "category": "theatre"}"#, "category"),
            (r#"{"name": "n", "place": {"name": "p", "city": "c"}}"#, "place.city"),
            (r#"{"name": "n", "partySize": "2"}"#, "partySize"),
            (r#"{"name": "n", "startDay": "15 May"}"#, "startDay"),
            (r#"{"name": "n", "bookingUrl": "ftp://a.example"}"#, "bookingUrl"),
            (r#"{"name": "n", "notes": ["a"]}"#, "notes"),
        ],
        Part::Expenses => &[
            (r#"{"name": "n", "cost": {"amount": 1}, "note": "x"}"#, "note"),
            (r#"{"name": "n", "cost": [1, "EUR"]}"#, "cost"),
            (r#"{"name": "n", "cost": 1}"#, "cost"),
            (r#"{"name": "n", "cost": {"amount": 1, "vat": 2}}"#, "cost.vat"),
            (r#"{"name": "n", "cost": {"amount": 1, "amount": 2}}"#, "cost.amount"),
            (r#"{"name": "n", "cost": {"amount": 1}, "category": "bribe"}"#, "category"),
            (r#"{"name": "n", "cost": {"amount": 1}, "belongsTo": ["day", "day-1"]}"#, "belongsTo"),
            (r#"{"name": "n", "cost": {"amount": 1}, "belongsTo": {"kind": "planet", "id": "x"}}"#, "belongsTo.kind"),
            (
                r#"{"name": "n", "cost": {"amount": 1}, "belongsTo": {"kind": "day", "id": "day-1", "x": 1}}"#,
                "belongsTo.x",
            ),
        ],
        Part::Packing => &[
            (r#"{"name": "n", "weight": 1}"#, "weight"),
            (r#"{"name": "n", "quantity": "2"}"#, "quantity"),
            (r#"{"name": "n", "isPacked": "yes"}"#, "isPacked"),
            (r#"{"name": "n", "isPacked": 1}"#, "isPacked"),
            (r#"{"name": "n", "category": "weapons"}"#, "category"),
            (r#"{"name": "n", "belongsTo": "day-1"}"#, "belongsTo"),
            (r#"{"name": "n", "belongsTo": {"kind": "expense", "id": "expense-1"}}"#, "belongsTo.kind"),
            (r#"{"name": "n", "belongsTo": {"kind": "day", "id": "a b"}}"#, "belongsTo.id"),
        ],
    };
    all.iter().chain(own).copied().collect()
}

#[api_test(limits = false)]
async fn a_wrong_field_is_named_by_its_path_from_the_item(world: World) {
    let (app, at) = start(&world).await;
    for part in Part::ALL {
        for (body, named) in wrong(part) {
            for response in both(part, &app, &at, "application/json", body).await {
                assert_eq!(response.expect_error(422, "validationFailed")["field"], named, "{part:?} {body}");
            }
        }
    }
    assert_eq!(app.viewed(&at.id).await.etag, at.etag);
}

// In an addition; a change leaves out what stays.
#[api_test(limits = false)]
async fn missing_required_fields_are_rejected_by_path(world: World) {
    let (app, at) = start(&world).await;
    let cost = json!({ "amount": 1 });
    for (part, body, named) in [
        (Part::Hotels, json!({}), "name"),
        (Part::Hotels, json!({ "name": null }), "name"),
        (
            Part::Hotels,
            json!({ "name": "n", "place": { "coordinate": { "latitude": 1 } } }),
            "place.coordinate.longitude",
        ),
        (Part::Hotels, json!({ "name": "n", "place": { "coordinate": {} } }), "place.coordinate.latitude"),
        (
            Part::Flights,
            json!({ "arrivalAirport": { "coordinate": { "longitude": 1 } } }),
            "arrivalAirport.coordinate.latitude",
        ),
        (Part::Expenses, json!({ "cost": cost }), "name"),
        (Part::Expenses, json!({ "name": "n" }), "cost"),
        (Part::Expenses, json!({ "name": "n", "cost": null }), "cost"),
        (Part::Expenses, json!({ "name": "n", "cost": {} }), "cost.amount"),
        (Part::Expenses, json!({ "name": "n", "cost": { "currency": "EUR" } }), "cost.amount"),
        (Part::Expenses, json!({ "name": "n", "cost": { "amount": null } }), "cost.amount"),
        (Part::Expenses, json!({ "name": "n", "cost": cost, "belongsTo": { "kind": "day" } }), "belongsTo.id"),
        (Part::Packing, json!({}), "name"),
        (Part::Packing, json!({ "name": "n", "belongsTo": { "id": "day-1" } }), "belongsTo.kind"),
    ] {
        part.add(&app, &at, &body).await.expect_invalid(named);
    }
    for part in [json!({}), json!({ "id": "f" }), json!({ "seatNumber": null }), json!({ "flightAirline": {} })] {
        let response = Part::Flights.add(&app, &at, &part).await;
        assert_eq!(
            response.expect_error(422, "validationFailed"),
            Value::Null,
            "a flight with nothing is wrong as a whole"
        );
    }
    assert_eq!(app.viewed(&at.id).await.etag, at.etag);
}

// As in creating an itinerary.
#[api_test(limits = false)]
async fn in_an_addition_null_is_as_if_absent(world: World) {
    let (app, mut at) = start(&world).await;
    for (n, part) in Part::ALL.into_iter().enumerate() {
        let id = json!({ "id": format!("n{n}") });
        let least = with(part.least("n"), id);
        let nulls =
            part.full().as_object().expect("an object").keys().map(|name| (name.clone(), Value::Null)).collect();
        at = part.added(&app, &at, &with(Value::Object(nulls), least.clone())).await;
        let plain = part.added(&app, &at, &with(least.clone(), json!({ "id": format!("p{n}") }))).await;
        let items = plain.json[part.name()].as_array().expect("a list").clone();
        assert_eq!(with(items[2].clone(), json!({ "id": format!("n{n}") })), items[1], "{part:?}");
        at = plain;
    }
}

#[api_test(limits = false)]
async fn only_a_change_may_be_called_a_merge_patch(world: World) {
    let (app, mut at) = start(&world).await;
    for part in Part::ALL {
        let body = part.least("n").to_string();
        for bad in ["text/plain", "application/xml", "multipart/form-data", "application/json-patch+json", "json", ""] {
            for response in both(part, &app, &at, bad, &body).await {
                assert!(response.expect_error(415, "unsupportedMediaType").is_null(), "{bad}");
            }
        }
        let [add, update] = both(part, &app, &at, "application/merge-patch+json", &body).await;
        assert!(add.expect_error(415, "unsupportedMediaType").is_null(), "a merge patch is no new {part:?}");
        at = done(&update);
        for good in ["application/json; charset=utf-8", "APPLICATION/JSON"] {
            // Both are parsed; the second is outdated by the first.
            let [add, update] = both(part, &app, &at, good, &body).await;
            update.expect_error(409, "itineraryModified");
            at = done(&add);
        }
        let own = part.full()["id"].as_str().expect("an id").to_owned();
        let call = app.call(Method::PATCH, &part.item_path(&at.id, &own)).header("If-Match", &at.etag);
        at = done(&call.body("Application/Merge-Patch+JSON; charset=utf-8", "{}").send().await);
    }
}
