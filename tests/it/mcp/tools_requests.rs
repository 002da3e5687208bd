//! Requests of travellers with the calls that a model should make: each call matches the listed schemas, and does what
//! was requested.

use std::collections::BTreeMap;

use chrono::TimeDelta;
use itinerary_tests::bodies::minimal;
use itinerary_tests::{World, api_test};
use serde_json::{Value, json};

use super::tools::{done, planned, refused};
use super::{Assistant, result};

/// A request, its calls, and the expected last response. `$id` and `$etag` stand for the last ones in a response.
struct Request {
    said: &'static str,
    calls: Vec<(&'static str, Value)>,
    response: Answer,
}

enum Answer {
    /// Successful, and the text contains all of these.
    Says(&'static [&'static str]),
    /// Fails with this code, and the text contains this.
    Refuses(&'static str, &'static str),
}

use Answer::{Refuses, Says};

fn request(said: &'static str, calls: Vec<(&'static str, Value)>, response: Answer) -> Request {
    Request { said, calls, response }
}

/// A change of the trip.
fn change(tool: &'static str, mut arguments: Value) -> (&'static str, Value) {
    (arguments["itineraryId"], arguments["ifMatch"]) = (json!("$id"), json!("$etag"));
    (tool, arguments)
}

fn read(mut arguments: Value) -> (&'static str, Value) {
    arguments["itineraryId"] = json!("$id");
    ("get_itinerary", arguments)
}

/// Requests about dates, zones, and which day is meant.
fn about_days() -> Vec<Request> {
    let tokyo = json!({
        "destination": { "name": "Tokyo", "coordinate": { "latitude": 35.68, "longitude": 139.76 } },
        "startDate": "2027-10-02",
        "flights": [{
            "flightNumber": "JL408", "departureAirport": { "code": "FRA" }, "arrivalAirport": { "code": "NRT" },
            "departureDate": "2027-10-01T19:10:00+02:00", "arrivalDate": "2027-10-02T15:40:00+09:00",
        }],
        "hotels": [{ "name": "Hotel Niwa", "checkInDate": "2027-10-02T16:00:00+09:00",
            "checkOutDate": "2027-10-05T11:00:00+09:00" }],
        "days": [{}, { "stops": [{ "name": "Senso-ji", "startTime": "09:00" }] }, {}, {}],
    });
    let honolulu = json!({ "flight": {
        "flightNumber": "HA458", "departureAirport": { "code": "HND" }, "arrivalAirport": { "code": "HNL" },
        "departureDate": "2027-05-17T20:00:00+09:00", "arrivalDate": "2027-05-17T08:30:00-10:00",
    } });
    let mut weekend = minimal();
    (weekend["startDate"], weekend["days"]) = (json!("2027-06-05"), json!([{}, {}]));
    vec![
        request(
            "What is planned on the second day?",
            vec![read(json!({ "day": 2 }))],
            Says(&["Day 2 · Sun 2027-05-16", "id \"tower\""]),
        ),
        request("And on 17 May?", vec![read(json!({ "day": "2027-05-17" }))], Says(&["Day 3", "nothing planned"])),
        request("What about the fourth day?", vec![read(json!({ "day": 4 }))], Refuses("validationFailed", "1 to 3")),
        request(
            "Give me an overview",
            vec![read(json!({ "view": "outline" }))],
            Says(&["Day 1", "19:00 \"Dinner in Alfama\"", "Also: 1 flights, 1 hotels."]),
        ),
        request(
            "Plan four days in Tokyo; we fly JL408 on 1 October at 19:10, landing 15:40 the next day",
            vec![("plan_itinerary", tokyo)],
            Says(&["Sat 2027-10-02 to Tue 2027-10-05", "2027-10-02T15:40:00+09:00", "09:00 \"Senso-ji\""]),
        ),
        request(
            "We fly to Honolulu on the 17th at eight in the evening and land that morning",
            vec![change("set_flight", honolulu)],
            Says(&["HND 2027-05-17T20:00:00+09:00 → HNL 2027-05-17T08:30:00-10:00"]),
        ),
        request(
            "Plan an empty weekend in Lisbon, first weekend of June",
            vec![("plan_itinerary", weekend)],
            Says(&["Sat 2027-06-05 to Sun 2027-06-06 (2 days)"]),
        ),
        request(
            "Start a day later",
            vec![change("update_itinerary", json!({ "startDate": "2027-05-16" }))],
            Says(&["Sun 2027-05-16 to Tue 2027-05-18"]),
        ),
        request("Stay a day longer", vec![change("add_day", json!({}))], Says(&["Day 4 · Tue 2027-05-18", "(4 days)"])),
        request(
            "Put a free day after the first",
            vec![change("add_day", json!({ "position": 2 }))],
            Says(&["Day 2 · Sun 2027-05-16", "nothing planned", "(4 days)"]),
        ),
        request(
            "Drop the last day",
            vec![change("remove_item", json!({ "kind": "day", "id": 3 }))],
            Says(&["Removed day 3, Mon 2027-05-17 (id \"monday\").", "(2 days)"]),
        ),
        request(
            "Drop the 16th",
            vec![change("remove_item", json!({ "kind": "day", "id": "2027-05-16" }))],
            Says(&["Removed day 2, Sun 2027-05-16 (id \"sunday\").", "Day 2 · Sun 2027-05-16 · id \"monday\""]),
        ),
        request(
            "Drop the fourth day",
            vec![change("remove_item", json!({ "kind": "day", "id": 4 }))],
            Refuses("validationFailed", "1 to 3"),
        ),
        request(
            "Make the second day efficient, on foot, from ten",
            vec![change("optimise_day", json!({ "day": 2, "mode": "walk", "startAt": "10:00" }))],
            Says(&["Optimised", "id \"tower\"", "~10:"]),
        ),
    ]
}

/// Requests about stops and their order.
fn about_stops() -> Vec<Request> {
    let stop = |more: Value| change("update_stop", more);
    let add = |more: Value| change("add_stop", more);
    vec![
        request(
            "Move dinner before the museum",
            vec![change("move_stop", json!({ "stopId": "dinner", "beforeStopId": "museum" }))],
            Says(&["2. 19:00 \"Dinner in Alfama\"", "3. 14:00 \"Museu do Fado\"", "correct startTime"]),
        ),
        request(
            "Dinner before the museum, at half past twelve",
            vec![
                change("move_stop", json!({ "stopId": "dinner", "beforeStopId": "museum" })),
                stop(json!({ "stopId": "dinner", "stop": { "startTime": "12:30" } })),
            ],
            Says(&["2. 12:30 \"Dinner in Alfama\""]),
        ),
        request(
            "Start with the museum",
            vec![change("move_stop", json!({ "stopId": "museum", "position": 1 }))],
            Says(&["1. 14:00 \"Museu do Fado\""]),
        ),
        request(
            "Do the museum last",
            vec![change("move_stop", json!({ "stopId": "museum", "afterStopId": "dinner" }))],
            Says(&["3. 14:00 \"Museu do Fado\""]),
        ),
        request(
            "Dinner on Sunday instead",
            vec![change("move_stop", json!({ "stopId": "dinner", "toDay": "2027-05-16" }))],
            Says(&["Day 2 · Sun 2027-05-16", "2. 19:00 \"Dinner in Alfama\""]),
        ),
        request(
            "Swap castle and museum",
            vec![change("move_stop", json!({ "stopId": "museum", "beforeStopId": "castle" }))],
            Says(&["1. 14:00 \"Museu do Fado\"", "2. 10:00 \"Castelo"]),
        ),
        request(
            "Coffee between castle and museum",
            vec![add(json!({ "afterStopId": "castle", "stop": { "name": "Coffee", "category": "cafe" } }))],
            Says(&["2. \"Coffee\" · cafe", "3. 14:00"]),
        ),
        request(
            "Breakfast first thing on day two",
            vec![add(json!({ "day": 2, "position": 1, "stop": { "name": "Breakfast", "startTime": "08:30" } }))],
            Says(&["1. 08:30 \"Breakfast\"", "2. \"Torre de Belém\""]),
        ),
        request(
            "A drink at one at night after dinner",
            vec![add(json!({ "afterStopId": "dinner", "stop": { "name": "Drink", "startTime": "01:00" } }))],
            Says(&["4. 01:00 \"Drink\"", "If that is not meant"]),
        ),
        request(
            "Call the dinner Ana's birthday",
            vec![stop(json!({ "stopId": "dinner", "stop": { "name": "Ana's birthday" } }))],
            Says(&["\"Ana's birthday\" · restaurant · id \"dinner\""]),
        ),
        request(
            "Somewhere else for dinner: Clube de Jornalistas",
            vec![stop(json!({ "stopId": "dinner", "stop": { "name": "Clube de Jornalistas", "place": null } }))],
            Says(&["\"Clube de Jornalistas\" · restaurant · not placed", "Needs attention", "day 1, stop 3"]),
        ),
        request(
            "No fixed time for the castle",
            vec![stop(json!({ "stopId": "castle", "stop": { "startTime": null } }))],
            Says(&["1. \"Castelo"]),
        ),
        request(
            "Skip the tower",
            vec![change("remove_item", json!({ "kind": "stop", "id": "tower" }))],
            Says(&["Day 2", "nothing planned"]),
        ),
        request(
            "Move lunch to the evening",
            vec![stop(json!({ "stopId": "lunch", "stop": { "startTime": "19:00" } }))],
            Refuses("notFound", "id \"dinner\""),
        ),
    ]
}

/// All other requests.
fn about_the_trip() -> Vec<Request> {
    let hotel = json!({ "hotelId": "salvador", "hotel": { "checkOutDate": "2027-05-18T11:00:00+01:00" } });
    vec![
        request(
            "Which trips do I have?",
            vec![("list_itineraries", json!({ "filter": "owned" }))],
            Says(&["A weekend in Lisbon", "itineraryId", "ETag"]),
        ),
        request("We are three", vec![change("update_itinerary", json!({ "travellers": 3 }))], Says(&["3 travelling"])),
        request(
            "I sit in 14A, gate unknown",
            vec![change(
                "set_flight",
                json!({ "flightId": "outbound", "flight": { "seatNumber": "14A", "gateNumber": null } }),
            )],
            Says(&["Flight TP1363", " · seat 14A · id \"outbound\""]),
        ),
        request(
            "It leaves from terminal 2, gate B 7; the hotel gave us room 12",
            vec![
                change("set_hotel", json!({ "hotelId": "salvador", "hotel": { "roomNumber": "12" } })),
                change(
                    "set_flight",
                    json!({ "flightId": "outbound", "flight": { "departureTerminal": "2", "gateNumber": "B 7" } }),
                ),
                read(json!({})),
            ],
            Says(&[
                "LHR 2027-05-15T06:05:00+01:00 terminal 2 → LIS",
                " · gate \"B 7\" · ",
                " · room 12 · id \"salvador\"",
            ]),
        ),
        request(
            "Tag it food and fado; we pay in euros",
            vec![change("update_itinerary", json!({ "tags": ["food", "fado"], "currency": "EUR" }))],
            Says(&[" · EUR · tags \"food\", \"fado\""]),
        ),
        request(
            "We stay a night longer in the hotel",
            vec![change("set_hotel", hotel)],
            Says(&["to 2027-05-18T11:00:00+01:00"]),
        ),
        request(
            "The hotel fell through",
            vec![change("remove_item", json!({ "kind": "hotel", "id": "salvador" }))],
            Says(&["Removed the hotel \"salvador\"."]),
        ),
        request("Find the places again", vec![change("refresh_places", json!({}))], Says(&["itineraryId"])),
        request(
            "What have others done in Portugal?",
            vec![("explore_itineraries", json!({ "q": "food", "regions": ["Portugal"] }))],
            Says(&["Nothing was found"]),
        ),
        request(
            "What else is there to see near the tower?",
            vec![("suggest_activities", json!({ "itineraryId": "$id", "stopId": "tower" }))],
            Says(&["itineraryId"]),
        ),
        request(
            "Delete the trip",
            vec![change("delete_itinerary", json!({})), read(json!({}))],
            Refuses("notFound", "list_itineraries"),
        ),
    ]
}

#[api_test]
async fn requests_lead_to_calls_that_do_what_was_asked(world: World) {
    let assistant = Assistant::of(&world, "ana").await;
    let described = result(&assistant.legacy("tools/list", &json!({})).await)["tools"].clone();
    let tools: BTreeMap<_, _> = described
        .as_array()
        .expect("tools")
        .iter()
        .map(|tool| (tool["name"].as_str().expect("a name"), tool))
        .collect();
    let requests: Vec<_> = about_days().into_iter().chain(about_stops()).chain(about_the_trip()).collect();
    assert!(requests.len() >= 30, "{}", requests.len());
    let used: std::collections::BTreeSet<_> =
        requests.iter().flat_map(|request| &request.calls).map(|(tool, _)| *tool).collect();
    assert_eq!(used.len(), tools.len(), "every tool is asked for");
    for Request { said, calls, response } in requests {
        world.clock.advance(TimeDelta::minutes(1));
        let trip = planned(&assistant).await;
        let (mut id, mut etag, mut last) = (trip.id().to_owned(), trip.etag().to_owned(), Value::Null);
        for (tool, arguments) in calls {
            let arguments = arguments.to_string().replace("$id", &id).replace("\"$etag\"", &json!(etag).to_string());
            let arguments: Value = serde_json::from_str(&arguments).expect("JSON");
            let schema = &tools[tool]["inputSchema"];
            conforms(schema, schema, &arguments).unwrap_or_else(|wrong| panic!("{said}: {tool}: {wrong}"));
            last = assistant.tool(tool, &arguments).await;
            if last["isError"] != true {
                let (schema, structured) = (&tools[tool]["outputSchema"], &last["structuredContent"]);
                conforms(schema, schema, structured).unwrap_or_else(|wrong| panic!("{said}: {tool}: {wrong}"));
                if let Some(now) = structured["itinerary"]["id"].as_str() {
                    now.clone_into(&mut id);
                }
                if let Some(now) = structured["etag"].as_str() {
                    now.clone_into(&mut etag);
                }
            }
        }
        match response {
            Says(parts) => {
                let text = done(&last).text;
                for part in parts {
                    assert!(text.contains(part), "{said}: {part} is not in\n{text}");
                }
            }
            Refuses(code, part) => {
                let (text, _) = refused(&last, code);
                assert!(text.contains(part), "{said}: {part} is not in\n{text}");
            }
        }
    }
}

/// Whether a value matches a schema, for the keywords that the tools use.
fn conforms(root: &Value, schema: &Value, value: &Value) -> Result<(), String> {
    if let Some(name) = schema["$ref"].as_str() {
        let name = name.strip_prefix("#/$defs/").ok_or("a reference to outside")?;
        conforms(root, &root["$defs"][name], value)?;
    }
    let types: Vec<_> = match &schema["type"] {
        Value::Array(types) => types.iter().filter_map(Value::as_str).collect(),
        one => one.as_str().into_iter().collect(),
    };
    let kind = match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(number) if number.is_f64() => "number",
        Value::Number(_) => "integer",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    };
    let fits = |wanted: &&str| *wanted == kind || (*wanted == "number" && kind == "integer");
    if !types.is_empty() && !types.iter().any(fits) {
        return Err(format!("{value} is no {types:?}"));
    }
    if schema["enum"].as_array().is_some_and(|values| !values.contains(value)) {
        return Err(format!("{value} is none of {}", schema["enum"]));
    }
    for (name, field) in value.as_object().into_iter().flatten() {
        match schema["properties"].get(name) {
            Some(schema) => conforms(root, schema, field)?,
            None if schema["additionalProperties"] == false => return Err(format!("{name} is not allowed")),
            None => {}
        }
    }
    for name in schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str) {
        value.get(name).ok_or_else(|| format!("{name} is missing"))?;
    }
    let items = schema.get("items").into_iter();
    items
        .flat_map(|items| value.as_array().into_iter().flatten().map(move |item| (items, item)))
        .try_for_each(|(items, item)| conforms(root, items, item))
}
