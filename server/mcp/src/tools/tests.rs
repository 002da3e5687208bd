//! Checks what every tool must have, the size of the list, and which keywords the schemas use.

use std::collections::BTreeSet;

use itinerary_api::error::{ApiError, ErrorCode};
use serde_json::{Map, Value, json};

use super::arguments::ToolArguments;
use super::outcome::Refusal;
use super::*;
use crate::protocol::ListedTool;

/// The maximum size of the list in bytes, because it takes up the context of every conversation.
const MOST_BYTES: usize = 24 * 1024;

fn input(tool: &str) -> &'static Value {
    find(tool).expect("a tool").input
}

#[test]
fn the_whole_list_is_small() {
    let bytes: Vec<_> = TOOLS.iter().map(|tool| (tool.name, json!(ListedTool::from(tool)).to_string().len())).collect();
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

/// Calls a function for every schema: the arguments, and those of their properties, entries and definitions.
fn each_schema<'s>(schema: &'s Value, visit: &mut impl FnMut(&'s Value)) {
    visit(schema);
    let fields = ["properties", "$defs"].into_iter().filter_map(|name| schema[name].as_object());
    fields.flat_map(Map::values).for_each(|schema| each_schema(schema, visit));
    schema["anyOf"].as_array().into_iter().flatten().for_each(|schema| each_schema(schema, visit));
    schema.get("items").into_iter().for_each(|schema| each_schema(schema, visit));
}

#[test]
fn inputs_are_closed_objects_and_outputs_open_ones() {
    for tool in TOOLS {
        let (input, output) = (&**tool.input, (tool.output)());
        let name = tool.name;
        assert_eq!((&input["type"], &input["additionalProperties"]), (&json!("object"), &json!(false)), "{name}");
        assert_eq!((&output["type"], output.get("additionalProperties")), (&json!("object"), None), "{name}");
        each_schema(input, &mut |schema| {
            for required in schema["required"].as_array().into_iter().flatten() {
                let required = required.as_str().expect("a name");
                assert!(schema["properties"].get(required).is_some(), "{name}: {required} is required and not there");
            }
        });
    }
}

/// The keywords that both function declarations of Gemini and strict schemas of `OpenAI` support. Both reject or ignore
/// others.
const KEYWORDS: [&str; 11] = [
    "$defs",
    "$ref",
    "additionalProperties",
    "anyOf",
    "description",
    "enum",
    "items",
    "minimum",
    "properties",
    "required",
    "type",
];

// A model is shown one tool at a time, by clients that understand a subset of JSON Schema.
#[test]
fn schemas_are_complete_and_use_common_keywords() {
    for tool in TOOLS {
        let name = tool.name;
        each_schema(tool.input, &mut |schema| {
            let fields = schema.as_object().expect("an object");
            for keyword in fields.keys().map(String::as_str) {
                assert!(KEYWORDS.contains(&keyword), "{name}: {keyword}");
            }
            if let Some(target) = schema["$ref"].as_str() {
                assert_eq!(fields.len(), 1, "{name}: nothing may stand beside {target}");
                let target = target.strip_prefix("#/$defs/").expect("a local definition");
                assert!(tool.input["$defs"][target].is_object(), "{name}: {target}");
                return;
            }
            if let Some(variants) = schema["anyOf"].as_array() {
                assert!(variants.len() > 1 && schema["type"].is_null(), "{name}: {schema}");
                return;
            }
            let kind = match &schema["type"] {
                Value::String(kind) => kind.as_str(),
                Value::Array(kinds) => {
                    assert!(kinds.len() == 2 && kinds[1] == "null", "{name}: {schema}");
                    kinds[0].as_str().expect("a type")
                }
                _ => panic!("{name}: no type: {schema}"),
            };
            match kind {
                // An object without properties would have to be empty in a strict schema.
                "object" => {
                    assert!(schema["properties"].as_object().is_some_and(|it| !it.is_empty()), "{name}: {schema}");
                }
                "array" => assert!(schema["items"].is_object(), "{name}: {schema}"),
                _ => {}
            }
        });
        each_schema(&(tool.output)(), &mut |schema| assert_ne!(*schema, json!({}), "{name}"));
    }
}

fn names(schema: &Value) -> BTreeSet<&str> {
    schema["properties"].as_object().expect("properties").keys().map(String::as_str).collect()
}

#[test]
fn inputs_have_the_fields_of_the_contract() {
    let document: Value = serde_json::from_str(include_str!("../../../../openapi/itinerary.json")).expect("a document");
    let api = |name: &str| names(&document["components"]["schemas"][name]);
    let mut create = api("ItineraryCreate");
    assert!(create.remove("documents") && create.remove("visibility"));
    create.extend(["dryRun", "allowDuplicate", "idempotencyKey", "bookings"]);
    assert_eq!(names(input("plan_itinerary")), create);
    for (tool, argument, theirs) in [
        ("add_stop", "stop", "StopInput"),
        ("update_stop", "stop", "StopPatch"),
        ("set_flight", "flight", "FlightPatch"),
        ("set_hotel", "hotel", "HotelPatch"),
    ] {
        let (ours, mut theirs) = (names(&input(tool)["properties"][argument]), api(theirs));
        // The id of an existing item is an argument of its own.
        theirs.retain(|name| *name != "id" || ours.contains("id"));
        theirs.retain(|name| argument == "stop" || !schemas::LEFT_OUT.contains(name));
        assert_eq!(ours, theirs, "{tool}");
    }
    let stop = &input("update_stop")["properties"]["stop"]["properties"];
    assert_eq!((&stop["startTime"]["type"], &stop["name"]["type"]), (&json!(["string", "null"]), &json!("string")));
    assert!(stop["category"]["enum"].as_array().expect("values").contains(&json!("museum")));
}

fn refused(tool: &str, arguments: &Value) -> Refusal {
    fn refusal<T: ToolArguments>(tool: &str, arguments: Map<String, Value>) -> Refusal {
        arguments::parse::<T>(tool, input(tool), arguments).map(|_| ()).expect_err(tool)
    }
    let arguments = arguments.as_object().expect("an object").clone();
    match tool {
        "get_itinerary" => refusal::<(ReadTarget, reading::GetItinerary)>(tool, arguments),
        "plan_itinerary" => refusal::<(PlanOptions, planning::PlanFields)>(tool, arguments),
        "delete_itinerary" => refusal::<(ChangeTarget, NoArguments)>(tool, arguments),
        "move_stop" => refusal::<(RetriableTarget, parts::MoveStop)>(tool, arguments),
        "list_itineraries" => refusal::<(Paging, reading::ListItineraries)>(tool, arguments),
        "add_stop" => refusal::<(RetriableTarget, parts::AddStop)>(tool, arguments),
        "explore_itineraries" => refusal::<(Paging, exploring::ExploreItineraries)>(tool, arguments),
        tool => panic!("{tool} is not among the tools that are tested"),
    }
}

const ID: &str = "0190b5a0-0000-7000-8000-000000000001";

#[test]
fn wrong_arguments_are_named_with_what_is_expected() {
    for ((tool, arguments), field, expected) in [
        (("get_itinerary", json!({})), "itineraryId", "list_itineraries"),
        (("get_itinerary", json!({ "itineraryId": 7 })), "itineraryId", "UUID"),
        (("plan_itinerary", json!({ "idempotencyKey": "again" })), "idempotencyKey", "must be a UUID"),
        (("get_itinerary", json!({ "itineraryId": ID, "view": "all" })), "view", "must be `full` or `outline`"),
        (("get_itinerary", json!({ "itineraryId": ID, "day": [1] })), "day", "integer or a string"),
        (("get_itinerary", json!({ "id": ID })), "id", "the known names are day, itineraryId, view"),
        (("delete_itinerary", json!({ "itineraryId": ID })), "ifMatch", "ETag"),
        (
            ("move_stop", json!({ "itineraryId": ID, "ifMatch": "*", "stopId": "a", "position": -1 })),
            "position",
            "from 1 to",
        ),
        (("list_itineraries", json!({ "limit": 1.5 })), "limit", "a whole number"),
        (
            ("add_stop", json!({ "itineraryId": ID, "ifMatch": "*", "stop": { "name": "a" }, "position": 0 })),
            "position",
            "1 is the first",
        ),
        (("explore_itineraries", json!({ "regions": "Portugal" })), "regions", "must be an array"),
        (("add_stop", json!({ "itineraryId": ID, "ifMatch": "*", "stop": {} })), "stop.name", "is required"),
        (
            ("add_stop", json!({ "itineraryId": ID, "ifMatch": "*", "stop": { "name": "a", "category": "pub" } })),
            "stop.category",
            "museum",
        ),
        (
            ("add_stop", json!({ "itineraryId": ID, "ifMatch": "*", "stop": { "name": "a", "place": "Rua 1" } })),
            "stop.place",
            "must be an object",
        ),
    ] {
        let Refusal { text, code, details } = refused(tool, &arguments);
        let expected_code =
            if field == "ifMatch" { ErrorCode::PreconditionRequired } else { ErrorCode::ValidationFailed };
        assert_eq!((code, &details["field"]), (expected_code, &json!(field)), "{text}");
        assert!(text.starts_with(&format!("`{field}` ")) && text.contains(expected), "{text}");
    }
}

#[test]
fn null_arguments_are_dropped_unless_null_is_meaningful() {
    for (tool, argument, takes_null) in
        [("get_itinerary", "day", false), ("update_itinerary", "summary", true), ("update_itinerary", "title", false)]
    {
        assert_eq!(schemas::takes_null(&input(tool)["properties"][argument]), takes_null, "{argument}");
    }
    let arguments = json!({ "itineraryId": ID, "view": null, "day": null });
    let arguments = arguments.as_object().expect("an object").clone();
    arguments::parse::<(ReadTarget, reading::GetItinerary)>("get_itinerary", input("get_itinerary"), arguments)
        .expect("good");
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
fn refusal_of(within: &str, keyed: bool, error: &ApiError) -> Refusal {
    Refusal::of("add_stop", within, keyed, error)
}

#[test]
fn refusals_of_the_api_are_whole_sentences_about_arguments() {
    let invalid = |field: &str, message: &str| ApiError::invalid(field, message);
    let bare = |message: &str| ApiError::new(ErrorCode::ValidationFailed, message);
    let forbidden = ApiError::new(ErrorCode::Forbidden, "Only the owner may delete this itinerary.");
    for (within, error, field, told) in [
        ("", invalid("id", "must be a UUID"), "itineraryId", "`itineraryId` must be a UUID. list_itineraries"),
        ("stop", invalid("id", "is wrong"), "stop.id", "`stop.id` is wrong. Correct it"),
        ("", invalid("position", "must be at most 3, the end of the list"), "position", "past the end"),
        ("stop", invalid("stops", "is full: no more"), "stops", "The list of stops is full: no more."),
        ("stop", invalid("stops", "is not a field"), "stop.stops", "`stop.stops` is not a field."),
        ("", invalid("dayId", "is full: no more"), "toDay", "The list of stops of that day is full: no more."),
        ("stop", bare("The body must be an object."), "", "`stop` must be an object. Correct it"),
        ("", bare("The body must be an object."), "", "The arguments must be an object. Correct it"),
        ("stop", bare("The body needs a name."), "", "`stop` needs a name. Correct it"),
        ("", forbidden, "", "Only the owner may delete this itinerary. Do not repeat the call; tell the traveller."),
    ] {
        let Refusal { text, details, .. } = refusal_of(within, false, &error);
        assert!(text.contains(told), "{text}");
        assert_eq!(details["field"].as_str().unwrap_or_default(), field, "{text}");
    }
}

#[test]
fn a_conflict_of_what_may_be_a_retry_does_not_say_that_nothing_was_done() {
    let id = uuid::Uuid::try_parse(ID).expect("an id");
    for error in [ApiError::itinerary_modified("\"v2.m\""), ApiError::duplicate(id)] {
        for keyed in [false, true] {
            let Refusal { text, .. } = refusal_of("", keyed, &error);
            let told = (text.contains("Nothing was done."), text.contains("may be in place already: read it again."));
            assert_eq!(told, (!keyed, keyed), "{text}");
        }
    }
}
