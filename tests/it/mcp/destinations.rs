//! Which town `plan_itinerary` takes for a destination by name, with the whole gazetteer.

use itinerary_tests::{World, api_test};
use serde_json::{Value, json};

use super::Assistant;
use super::tools::{done, planned, refused};

/// Destinations as people write them, each with the country that is right, or `?` where only the traveller knows.
const DESTINATIONS: &str = include_str!("destinations.tsv");

/// The town's country; `?` if the tool asks back.
async fn country(assistant: &Assistant<'_>, name: &str) -> String {
    let arguments = json!({ "destination": { "name": name }, "dryRun": true, "allowDuplicate": true });
    let result = assistant.tool("plan_itinerary", &arguments).await;
    if let Some(country) = result["structuredContent"]["itinerary"]["destination"]["countryCode"].as_str() {
        return country.to_owned();
    }
    let (_, field) = refused(&result, "validationFailed");
    assert_eq!(field, "destination.coordinate", "{name}");
    "?".to_owned()
}

#[api_test(limits = false, gazetteer = true)]
async fn destinations_are_those_that_people_mean(world: World) {
    let assistant = Assistant::of(&world, "ana").await;
    let rows: Vec<_> = DESTINATIONS.lines().filter(|row| !row.starts_with('#')).collect();
    assert!(rows.len() >= 200);
    let mut wrong = Vec::new();
    for row in rows {
        let (name, expected) = row.split_once('\t').expect("a name and a country");
        let found = country(&assistant, name).await;
        if found != expected {
            wrong.push(format!("{name}: {found}, not {expected}"));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[api_test(gazetteer = true)]
async fn other_towns_of_the_name_are_told(world: World) {
    let assistant = Assistant::of(&world, "ana").await;
    let plan = async |name: &str| {
        let arguments = json!({ "destination": { "name": name }, "dryRun": true });
        assistant.tool("plan_itinerary", &arguments).await
    };
    let assumed = |structured: &Value| {
        let entries = structured["needsAttention"].as_array().expect("entries").clone();
        entries.into_iter().find(|entry| entry["field"] == "destination.coordinate")
    };
    let spain = done(&plan("San Sebastián").await);
    assert_eq!(spain.structured["itinerary"]["destination"]["countryCode"], "ES");
    let entry = assumed(&spain.structured).expect("an entry");
    assert_eq!(entry["code"], "assumed");
    let message = entry["message"].as_str().expect("a message");
    assert!(message.contains("GT (14.5") && spain.text.contains(message), "{message}");
    assert_eq!(assumed(&done(&plan("Lisbon").await).structured), None, "there is no other one");
    assert_eq!(assumed(&done(&plan("San Sebastián, Spain").await).structured), None, "the country says which");
    let (text, _) = refused(&plan("Valencia").await, "validationFailed");
    assert!(text.contains("Valencia, VE (10.") && text.contains("ES (39."), "{text}");

    let trip = planned(&assistant).await;
    let change = json!({
        "itineraryId": trip.id(), "ifMatch": trip.etag(), "destination": { "name": "San Sebastian" },
    });
    let moved = done(&assistant.tool("update_itinerary", &change).await);
    assert_eq!(moved.structured["itinerary"]["destination"]["countryCode"], "ES");
    assert_eq!(assumed(&moved.structured).expect("an entry")["code"], "assumed");
}
