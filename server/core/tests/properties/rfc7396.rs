//! The examples of RFC 7396, appendix A: all of them with the model, and those that fit our types with the service.

use itinerary_api::types::ItineraryPatch;
use itinerary_api::values::ItemId;
use itinerary_core::content::Content;
use itinerary_core::edit::{Edit, ItemEdit};
use itinerary_core::fill::{self, CreateFacts, PlaceFacts};
use serde_json::{Value, json};

use crate::model::merge_patch;
use crate::strategies::content::smallest;
use crate::support::{try_typed, typed, whole};

#[test]
fn the_model_keeps_every_example() {
    for (n, (original, patch, result)) in [
        (json!({"a": "b"}), json!({"a": "c"}), json!({"a": "c"})),
        (json!({"a": "b"}), json!({"b": "c"}), json!({"a": "b", "b": "c"})),
        (json!({"a": "b"}), json!({"a": null}), json!({})),
        (json!({"a": "b", "b": "c"}), json!({"a": null}), json!({"b": "c"})),
        (json!({"a": ["b"]}), json!({"a": "c"}), json!({"a": "c"})),
        (json!({"a": "c"}), json!({"a": ["b"]}), json!({"a": ["b"]})),
        (json!({"a": {"b": "c"}}), json!({"a": {"b": "d", "c": null}}), json!({"a": {"b": "d"}})),
        (json!({"a": [{"b": "c"}]}), json!({"a": [1]}), json!({"a": [1]})),
        (json!(["a", "b"]), json!(["c", "d"]), json!(["c", "d"])),
        (json!({"a": "b"}), json!(["c"]), json!(["c"])),
        (json!({"a": "foo"}), json!(null), json!(null)),
        (json!({"a": "foo"}), json!("bar"), json!("bar")),
        (json!({"e": null}), json!({"a": 1}), json!({"e": null, "a": 1})),
        (json!([1, 2]), json!({"a": "b", "c": null}), json!({"a": "b"})),
        (json!({}), json!({"a": {"bb": {"ccc": null}}}), json!({"a": {"bb": {}}})),
    ]
    .into_iter()
    .enumerate()
    {
        assert_eq!(merge_patch(original, patch), result, "example {}", n + 1);
    }
}

/// A content with these fields besides the required ones.
fn content_with(fields: &Value) -> Content {
    let facts = CreateFacts {
        now: chrono::DateTime::UNIX_EPOCH,
        destination: PlaceFacts::default(),
        currency_of: |_| None,
        time_zone_at: |_| None,
        origin: None,
    };
    let mut content = fill::create(smallest(), &facts).expect("the smallest body").content;
    Edit::Itinerary(Box::new(typed(fields))).apply(&mut content).expect("fields that fit");
    content
}

#[test]
fn the_whole_keeps_the_examples_that_have_types() {
    for (example, original, patch, result) in [
        (1, json!({"summary": "b"}), json!({"summary": "c"}), json!({"summary": "c"})),
        (2, json!({"summary": "b"}), json!({"currency": "EUR"}), json!({"summary": "b", "currency": "EUR"})),
        (3, json!({"summary": "b"}), json!({"summary": null}), json!({})),
        (4, json!({"summary": "b", "currency": "EUR"}), json!({"summary": null}), json!({"currency": "EUR"})),
        (
            7,
            json!({"origin": {"name": "b"}}),
            json!({"origin": {"name": "d", "address": null}}),
            json!({"origin": {"name": "d"}}),
        ),
        (
            8,
            json!({"flights": [{"seatNumber": "b"}, {"seatNumber": "c"}]}),
            json!({"flights": [{"gateNumber": "1"}]}),
            json!({"flights": [{"gateNumber": "1"}]}),
        ),
        (9, json!({"tags": ["a", "b"]}), json!({"tags": ["c", "d"]}), json!({"tags": ["c", "d"]})),
        (15, json!({}), json!({"origin": {"name": null}}), json!({"origin": {}})),
    ] {
        let mut content = content_with(&original);
        Edit::Itinerary(Box::new(typed(&patch))).apply(&mut content).expect("a patch that fits");
        assert_eq!(whole(&(&content).into()), whole(&(&content_with(&result)).into()), "example {example}");
    }
}

#[test]
fn an_item_keeps_the_examples_that_are_two_objects_deep() {
    let merged = |hotel: Value, patch: Value| {
        let mut content = content_with(&json!({"hotels": [hotel]}));
        let id = ItemId::new("h").expect("an id");
        let edit = Edit::Hotel(ItemEdit::Update { id, patch: typed(&patch) });
        edit.apply(&mut content).map(|_| whole(&(&content).into())["hotels"][0].clone()).expect("a patch that fits")
    };
    let coordinate = json!({"latitude": 1.5, "longitude": 2.5});
    assert_eq!(
        merged(json!({"id": "h", "name": "b"}), json!({"place": {"coordinate": null}})),
        json!({"id": "h", "name": "b", "place": {}}),
        "example 15"
    );
    assert_eq!(
        merged(
            json!({"id": "h", "name": "b", "place": {"code": "LIS", "coordinate": coordinate}}),
            json!({"place": {"code": null, "coordinate": {"latitude": 3.5}}}),
        ),
        json!({"id": "h", "name": "b", "place": {"coordinate": {"latitude": 3.5, "longitude": 2.5}}}),
        "example 7"
    );
}

// The others change the type of a value, which our types reject.
#[test]
fn the_other_examples_are_refused() {
    for (example, patch, field) in [
        (5, json!({"tags": "c"}), "tags"),
        (6, json!({"summary": ["b"]}), "summary"),
        (8, json!({"flights": [1]}), "flights[0]"),
        (10, json!(["c"]), ""),
        (11, json!(null), ""),
        (12, json!("bar"), ""),
        (13, json!({"e": 1}), "e"),
    ] {
        assert_eq!(try_typed::<ItineraryPatch>(&patch).expect_err("no patch"), field, "example {example}");
    }
}
