//! Checks what every tool must have, the size of the list, and that the schemas match the API's.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::outcome::Refusal;
use super::{Annotations, INPUTS, Outcome, TOOLS, Tool, arguments, find};
use crate::mcp::operations::Reply;

/// The maximum size of the list in bytes, because it takes up the context of every conversation.
const MOST_BYTES: usize = 16 * 1024;

/// A tool as it is listed.
fn listed(tool: &Tool) -> Value {
    let Annotations { read_only, destructive, idempotent, open_world } = tool.annotations;
    json!({
        "name": tool.name,
        "title": tool.title,
        "description": tool.description,
        "inputSchema": (tool.input)(),
        "outputSchema": (tool.output)(),
        "annotations": {
            "readOnlyHint": read_only,
            "destructiveHint": destructive,
            "idempotentHint": idempotent,
            "openWorldHint": open_world,
        },
    })
}

#[test]
fn the_whole_list_is_small() {
    let bytes: Vec<_> = TOOLS.iter().map(|tool| (tool.name, listed(tool).to_string().len())).collect();
    let frame = json!({ "jsonrpc": "2.0", "id": 1, "result": { "tools": [], "resultType": "complete", "ttlMs": 300_000,
        "cacheScope": "public" } });
    let sum = frame.to_string().len() + bytes.iter().map(|(_, bytes)| bytes + 1).sum::<usize>();
    assert!(sum <= MOST_BYTES, "{sum} bytes: {bytes:?}");
}

#[test]
fn tools_are_sorted_and_found_by_their_names() {
    assert_eq!(TOOLS.len(), 16);
    assert!(TOOLS.is_sorted_by(|one, other| one.name < other.name));
    for tool in TOOLS {
        assert!(tool.name.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'_'), "{}", tool.name);
        assert_eq!(find(tool.name).map(|found| found.title), Some(tool.title));
        assert!(!tool.annotations.read_only || !tool.annotations.destructive, "{}", tool.name);
        let writes = tool.scope == Some(itinerary_api::permission::Scope::ItinerariesWrite);
        assert_eq!(tool.annotations.read_only, !writes, "{}", tool.name);
    }
    assert!(find("add").is_none() && find("").is_none() && find("update_stops").is_none());
}

/// Every object with properties in a schema.
fn objects(schema: &Value) -> Vec<&Value> {
    let inner: Vec<_> = match schema {
        Value::Object(fields) => fields.values().flat_map(objects).collect(),
        Value::Array(values) => values.iter().flat_map(objects).collect(),
        _ => Vec::new(),
    };
    let own = (schema["properties"].is_object() && schema["type"] == "object").then_some(schema);
    own.into_iter().chain(inner).collect()
}

#[test]
fn inputs_are_closed_objects_and_outputs_open_ones() {
    for tool in TOOLS {
        let (input, output) = ((tool.input)(), (tool.output)());
        assert_eq!(
            (&input["type"], &input["additionalProperties"]),
            (&json!("object"), &json!(false)),
            "{}",
            tool.name
        );
        assert_eq!((&output["type"], output.get("additionalProperties")), (&json!("object"), None), "{}", tool.name);
        for schema in objects(&input).into_iter().chain([&output]) {
            for name in schema["required"].as_array().into_iter().flatten() {
                let name = name.as_str().expect("a name");
                assert!(schema["properties"].get(name).is_some(), "{}: {name} is required and not there", tool.name);
            }
        }
        let text = input.to_string();
        assert!(!text.contains("nullable"), "{}: a word of OpenAPI", tool.name);
        for reference in text.split("\"$ref\":\"").skip(1) {
            let name = reference.strip_prefix("#/$defs/").and_then(|rest| rest.split('"').next()).expect("a local one");
            assert!(input["$defs"][name].is_object(), "{}: {name}", tool.name);
        }
    }
}

fn document() -> Value {
    serde_json::from_str(include_str!("../../../../openapi/itinerary.json")).expect("a document")
}

fn names(schema: &Value) -> BTreeSet<&str> {
    schema["properties"].as_object().expect("properties").keys().map(String::as_str).collect()
}

fn required(schema: &Value) -> BTreeSet<&str> {
    schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str).collect()
}

#[test]
fn plan_itinerary_takes_what_a_create_takes() {
    let document = document();
    let api = |name: &str| &document["components"]["schemas"][name];
    let plan = &INPUTS["plan_itinerary"];
    let mut expected = names(api("ItineraryCreate"));
    // They can only be empty, and private.
    assert!(expected.remove("documents") && expected.remove("visibility"));
    expected.extend(["dryRun", "allowDuplicate", "idempotencyKey"]);
    assert_eq!(names(plan), expected);
    let entry = |list: &str| &plan["properties"][list]["items"];
    for (ours, theirs) in [
        (&plan["$defs"]["place"], "PlaceInput"),
        (&entry("days")["properties"]["stops"]["items"], "StopInput"),
        (&plan["$defs"]["place"]["properties"]["coordinate"], "CoordinateInput"),
        (entry("days"), "DayInput"),
        (entry("flights"), "FlightInput"),
        (entry("hotels"), "HotelInput"),
    ] {
        assert_eq!((names(ours), required(ours)), (names(api(theirs)), required(api(theirs))), "{theirs}");
    }
}

/// The enum values of every property with this name in a schema.
fn values<'s>(schema: &'s Value, property: &str) -> Vec<BTreeSet<&'s str>> {
    let found = objects(schema).into_iter().filter_map(|object| object["properties"][property]["enum"].as_array());
    found.map(|values| values.iter().filter_map(Value::as_str).collect()).collect()
}

#[test]
fn lists_of_values_are_the_apis() {
    let document = document();
    let api = |name: &str| -> BTreeSet<&str> {
        let values = document["components"]["schemas"][name]["enum"].as_array().expect("values");
        values.iter().filter_map(Value::as_str).collect()
    };
    for (tool, property, theirs) in [
        ("plan_itinerary", "cabinClass", "CabinClassInput"),
        ("plan_itinerary", "category", "StopCategoryInput"),
        ("optimise_day", "mode", "LegModeInput"),
        ("list_itineraries", "filter", "ListFilter"),
        ("update_itinerary", "visibility", "VisibilityInput"),
    ] {
        let found = values(&INPUTS[tool], property);
        assert!(!found.is_empty() && found.iter().all(|values| *values == api(theirs)), "{tool} {property}");
    }
}

// Every field that a tool's arguments or descriptions mention for a part exists in that part.
#[test]
fn fields_of_parts_are_the_apis() {
    let document = document();
    let api = |name: &str| names(&document["components"]["schemas"][name]);
    for (tool, theirs, own) in [
        ("update_itinerary", "ItineraryPatch", &[][..]),
        ("optimise_day", "OptimiseRequest", &["day"]),
        ("add_day", "DayInput", &["position"]),
    ] {
        let mut sent = names(&INPUTS[tool]);
        for name in ["itineraryId", "ifMatch", "idempotencyKey"].iter().chain(own) {
            assert!(sent.remove(name), "{tool} {name}");
        }
        assert!(sent.is_subset(&api(theirs)), "{tool}: {sent:?}");
    }
    for (tool, list, theirs) in [
        ("add_stop", &INPUTS["add_stop"]["properties"]["stop"], "StopInput"),
        ("update_stop", &INPUTS["update_stop"]["properties"]["stop"], "StopInput"),
        ("set_flight", &INPUTS["set_flight"]["properties"]["flight"], "FlightInput"),
        ("set_hotel", &INPUTS["set_hotel"]["properties"]["hotel"], "HotelInput"),
        ("plan_itinerary", &INPUTS["plan_itinerary"]["properties"]["expenses"]["items"], "ExpenseInput"),
        ("plan_itinerary", &INPUTS["plan_itinerary"]["properties"]["packing"]["items"], "PackingItemInput"),
    ] {
        let told = list["description"].as_str().expect("a description").trim_start_matches("Pro: ");
        let told = told.split(';').next().unwrap_or_default();
        // Text in braces lists the fields of a field.
        let outside = told.split('{').map(|part| part.rsplit('}').next().unwrap_or_default()).collect::<String>();
        let fields: BTreeSet<_> = outside.split(',').filter_map(|field| field.split_whitespace().next()).collect();
        assert!(fields.len() > 2 && fields.is_subset(&api(theirs)), "{tool}: {fields:?}");
    }
}

fn refused(tool: &str, arguments: &Value) -> Refusal {
    let arguments = arguments.as_object().expect("an object").clone();
    arguments::check(tool, &INPUTS[tool], arguments).map(|_| ()).expect_err(tool)
}

const ID: &str = "0190b5a0-0000-7000-8000-000000000001";

#[test]
fn wrong_arguments_are_named_with_what_is_expected() {
    let destination = json!({ "name": "Lisbon", "coordinate": { "latitude": 38.7, "longitude": -9.1 } });
    let plan = |name: &str, value: Value| {
        let mut arguments = json!({ "destination": destination });
        arguments[name] = value;
        ("plan_itinerary", arguments)
    };
    for ((tool, arguments), field, expected) in [
        (("get_itinerary", json!({})), "itineraryId", "list_itineraries"),
        (("get_itinerary", json!({ "itineraryId": 7 })), "itineraryId", "must be string, not 7"),
        (plan("idempotencyKey", json!("again")), "idempotencyKey", "must be a UUID, not \"again\""),
        (("get_itinerary", json!({ "itineraryId": ID, "view": "all" })), "view", "one of full, outline"),
        (("get_itinerary", json!({ "itineraryId": ID, "day": [1] })), "day", "integer or string, not an array"),
        (("get_itinerary", json!({ "id": ID })), "id", "the known names are day, itineraryId, view"),
        (("delete_itinerary", json!({ "itineraryId": ID })), "ifMatch", "ETag"),
        (
            ("move_stop", json!({ "itineraryId": ID, "ifMatch": "*", "stopId": "a", "position": -1 })),
            "position",
            "at least 1",
        ),
        (("list_itineraries", json!({ "limit": 1.5 })), "limit", "integer"),
        (
            ("add_stop", json!({ "itineraryId": ID, "ifMatch": "*", "stop": { "name": "a" }, "position": 0 })),
            "position",
            "1 is the first",
        ),
        (("explore_itineraries", json!({ "regions": "Portugal" })), "regions", "must be array"),
        (("plan_itinerary", json!({})), "destination", "missing"),
        (plan("days", json!([{ "stops": [{ "name": "a" }, {}] }])), "days[0].stops[1].name", "missing"),
        (("add_stop", json!({ "itineraryId": ID, "ifMatch": "*", "stop": {} })), "stop.name", "missing"),
        (
            plan("days", json!([{ "stops": [{ "name": "a", "category": "pub" }] }])),
            "days[0].stops[0].category",
            "museum",
        ),
        (plan("travellers", json!("two")), "travellers", "must be integer"),
        (plan("hotels", json!([{ "name": "a", "place": "Rua 1" }])), "hotels[0].place", "must be object"),
    ] {
        let Refusal { text, code, details, .. } = refused(tool, &arguments);
        let expected_code = if field == "ifMatch" { "preconditionRequired" } else { "validationFailed" };
        assert_eq!((&*code, &details["field"]), (expected_code, &json!(field)), "{text}");
        assert!(text.starts_with(&format!("`{field}` ")) && text.contains(expected), "{text}");
    }
}

#[test]
fn null_arguments_are_dropped_unless_null_is_meaningful() {
    let arguments = json!({ "itineraryId": ID, "view": null, "day": null });
    let arguments = arguments.as_object().expect("an object").clone();
    let read = arguments::check("get_itinerary", &INPUTS["get_itinerary"], arguments).expect("good");
    assert!(read.get("day").is_none());
    // A null with a meaning stays.
    let arguments = json!({ "itineraryId": ID, "ifMatch": "*", "summary": null, "title": null });
    let arguments = arguments.as_object().expect("an object").clone();
    let change = arguments::check("update_itinerary", &INPUTS["update_itinerary"], arguments).expect("good");
    assert_eq!((change.get("summary"), change.get("title")), (Some(&Value::Null), None));
}

#[test]
fn a_wrong_value_is_not_repeated_whole() {
    let long = format!("a\u{0}\n{}", "b".repeat(100_000));
    for (tool, arguments) in [
        ("get_itinerary", json!({ "itineraryId": ID, "view": long })),
        ("list_itineraries", json!({ "filter": long })),
        ("list_itineraries", json!({ long.as_str(): 1 })),
    ] {
        let text = refused(tool, &arguments).text;
        assert!(text.len() < 500 && !text.contains(['\n', '\u{0}']), "{text}");
    }
}

/// An error of the API as the model sees it.
fn of_api(within: &str, keyed: bool, (status, error): (u16, Value)) -> Refusal {
    let body = json!({ "error": error }).to_string().into();
    let reply = Reply { status, etag: Some("\"v2.m\"".to_owned()), body, request_id: "r".to_owned(), keyed };
    Refusal::of("add_stop", within, reply)
}

#[test]
fn refusals_of_the_api_are_whole_sentences_about_arguments() {
    let invalid = |field: &str, message: &str| {
        (422, json!({ "code": "validationFailed", "message": message, "details": { "field": field } }))
    };
    let bare = |message: &str| (422, json!({ "code": "validationFailed", "message": message }));
    let forbidden = (403, json!({ "code": "forbidden", "message": "Only the owner may delete this itinerary." }));
    for (within, error, field, told) in [
        ("", invalid("id", "`id` must be a UUID."), "itineraryId", "`itineraryId` must be a UUID. list_itineraries"),
        ("stop", invalid("id", "`id` is wrong."), "stop.id", "`stop.id` is wrong. Correct it"),
        ("", invalid("position", "`position` must be at most 3, the end of the list."), "position", "past the end"),
        ("stop", invalid("stops", "`stops` is full: no more."), "stops", "The list of stops is full: no more."),
        ("stop", invalid("stops", "`stops` is not a field."), "stop.stops", "`stop.stops` is not a field."),
        ("", invalid("dayId", "`dayId` is full: no more."), "toDay", "The list of stops of that day is full: no more."),
        ("stop", bare("The body must be an object."), "", "`stop` must be an object. Correct it"),
        ("", bare("The body must be an object."), "", "The arguments must be an object. Correct it"),
        ("stop", bare("The body needs a name."), "", "`stop` needs a name. Correct it"),
        ("", forbidden, "", "Only the owner may delete this itinerary. Do not repeat the call; tell the traveller."),
    ] {
        let Refusal { text, details, .. } = of_api(within, false, error);
        assert!(text.contains(told), "{text}");
        assert_eq!(details["field"].as_str().unwrap_or_default(), field, "{text}");
    }
}

#[test]
fn a_conflict_of_what_may_be_a_retry_does_not_say_that_nothing_was_done() {
    for code in ["itineraryModified", "duplicateItinerary"] {
        let error = (409, json!({ "code": code, "message": "m", "details": { "itineraryId": ID } }));
        for keyed in [false, true] {
            let Refusal { text, .. } = of_api("", keyed, error.clone());
            let told = (text.contains("Nothing was done."), text.contains("may be in place already: read it again."));
            assert_eq!(told, (!keyed, keyed), "{text}");
        }
    }
}

#[test]
fn a_refusal_is_an_outcome() {
    let outcome = Outcome::from(Err(refused("get_itinerary", &json!({}))));
    let Outcome::Refused { request_id, .. } = outcome else { panic!("{outcome:?}") };
    assert!(request_id.is_empty(), "it is the request's around it");
}
