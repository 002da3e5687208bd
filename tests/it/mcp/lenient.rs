//! What some models send instead of what the schemas ask for: JSON in strings, codes in place of airports, empty ids.

use itinerary_tests::{World, api_test};
use serde_json::{Value, json};

use super::tools::{done, lisbon, planned, refused};
use super::{Assistant, result};

#[api_test]
async fn objects_in_strings_and_codes_of_airports_are_understood(world: World) {
    let assistant = Assistant::of(&world, "ana").await;
    let mut plan = lisbon();
    plan["flights"][0]["departureAirport"] = json!("LHR");
    plan["flights"][0]["arrivalAirport"] = json!("LIS");
    for name in ["destination", "days", "flights"] {
        plan[name] = plan[name].to_string().into();
    }
    let call = json!({ "name": "plan_itinerary", "arguments": plan.to_string() });
    let planned = done(&result(&assistant.legacy("tools/call", &call).await));
    let whole = done(&assistant.tool("get_itinerary", &json!({ "itineraryId": planned.id() })).await);
    let itinerary = &whole.structured["itinerary"];
    assert_eq!(itinerary["destination"]["name"], "Lisbon");
    assert_eq!(itinerary["days"][0]["stops"][0]["id"], "castle");
    let flight = &itinerary["flights"][0];
    let airports = (&flight["departureAirport"]["code"], &flight["arrivalAirport"]["code"]);
    assert_eq!(airports, (&json!("LHR"), &json!("LIS")));

    let change = json!({
        "itineraryId": planned.id(), "ifMatch": "*", "flightId": "outbound",
        "flight": json!({ "arrivalAirport": "OPO" }).to_string(),
    });
    let changed = done(&assistant.tool("set_flight", &change).await);
    assert_eq!(changed.structured["flight"]["arrivalAirport"]["code"], "OPO");
    // Only a code is an airport; a name may have several.
    let named = json!({ "itineraryId": planned.id(), "ifMatch": "*", "flight": { "arrivalAirport": "Porto Airport" } });
    let (_, field) = refused(&assistant.tool("set_flight", &named).await, "validationFailed");
    assert_eq!(field, "flight.arrivalAirport");
}

#[api_test]
async fn empty_optional_ids_are_absent(world: World) {
    let assistant = Assistant::of(&world, "ana").await;
    let trip = planned(&assistant).await;
    let call = async |tool: &str, mut arguments: Value| {
        (arguments["itineraryId"], arguments["ifMatch"]) = (json!(trip.id()), json!("*"));
        assistant.tool(tool, &arguments).await
    };
    let stop = json!({ "id": "", "name": "Lunch", "place": { "name": "Time Out Market", "placeId": "" } });
    let arguments =
        json!({ "day": 2, "beforeStopId": "", "afterStopId": "", "idempotencyKey": "", "position": 1, "stop": stop });
    let added = done(&call("add_stop", arguments).await);
    let first = &added.structured["day"]["stops"][0];
    assert_eq!(first["name"], "Lunch");
    assert!(first["id"].as_str().is_some_and(|id| !id.is_empty()), "{first}");

    let flight = json!({ "flightId": "", "flight": { "flightNumber": "TP 1" } });
    let flight = done(&call("set_flight", flight).await).structured["flight"].clone();
    assert_eq!(flight["flightNumber"], "TP 1");
    let moved = done(&call("move_stop", json!({ "stopId": "tower", "toDay": "", "position": 1 })).await);
    assert_eq!(moved.structured["day"]["stops"][0]["id"], "tower");
    done(&assistant.tool("list_itineraries", &json!({ "cursor": "" })).await);

    // A required one is missing.
    let (_, field) = refused(&call("update_stop", json!({ "stopId": "", "stop": { "name": "a" } })).await, "notFound");
    assert!(field.is_null(), "{field}");
}
