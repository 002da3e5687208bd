//! Packing items: quantity, and whether they are packed.

use itinerary_sdk::types::{Itinerary, PackingCategory, PackingItemPatch};
use itinerary_sdk::{ErrorExt, Nullable, Versioned, code};
use itinerary_tests::bodies::{full, with};
use itinerary_tests::{World, api_test};
use serde_json::{Value, json};

use super::{Part, item, start};

const PACKING: Part = Part::Packing;

#[api_test]
async fn the_sdk_changes_a_packing_item_field_by_field(world: World) {
    world.pro_account("ana").await;
    let client = world.client("ana").await;
    let trip: itinerary_sdk::types::ItineraryCreate = serde_json::from_value(full()).expect("typed");
    let created = client.itinerary_create(trip).send().await.expect("created");
    let update = |at: &Versioned<Itinerary>, patch: PackingItemPatch| {
        client.packing_update(at.id, "packing-1", at.etag(), patch).send()
    };
    let patch = PackingItemPatch {
        category: Some(PackingCategory::Gear.into()),
        is_packed: Some(Nullable::Value(false)),
        quantity: Some(Nullable::Null),
        belongs_to: Some(Nullable::Null),
        ..Default::default()
    };
    let changed = update(&created, patch).await.expect("changed");
    let packed = &changed.packing.as_ref().expect("Pro sees it")[0];
    assert_eq!((packed.name.as_str(), packed.quantity, packed.is_packed), ("Boots", 1, false));
    assert_eq!((packed.category.clone(), packed.belongs_to.as_ref()), (Some(PackingCategory::Gear.into()), None));

    let patch = PackingItemPatch { quantity: Some(Nullable::Value(1000)), ..Default::default() };
    let error = update(&changed, patch).await.expect_err("a thousand is too many");
    assert_eq!((error.is(code::VALIDATION_FAILED), error.field()), (true, Some("quantity")));
}

// The defaults are one, and not packed.
#[api_test(limits = false)]
async fn quantity_and_is_packed_have_defaults(world: World) {
    let (app, mut at) = start(&world).await;
    let plain = json!({ "id": "a", "name": "Hat", "quantity": 1, "isPacked": false });
    at = PACKING.added(&app, &at, &json!({ "id": "a", "name": "Hat" })).await;
    assert_eq!(item(&at, PACKING, "a"), &plain);
    at = PACKING.updated(&app, &at, "a", &json!({ "quantity": 3, "isPacked": true })).await;
    assert_eq!(item(&at, PACKING, "a"), &with(plain.clone(), json!({ "quantity": 3, "isPacked": true })));
    at = PACKING.updated(&app, &at, "a", &json!({ "quantity": null })).await;
    assert_eq!(item(&at, PACKING, "a"), &with(plain.clone(), json!({ "isPacked": true })));
    at = PACKING.updated(&app, &at, "a", &json!({ "isPacked": null })).await;
    assert_eq!(item(&at, PACKING, "a"), &plain);
}

#[api_test(limits = false)]
async fn its_quantity_is_a_whole_number_from_1_to_999(world: World) {
    let (app, mut at) = start(&world).await;
    for wrong in [
        json!(0),
        json!(-1),
        json!(1000),
        json!(1.5),
        json!("2"),
        json!(true),
        json!(1e20),
        json!(u64::MAX),
        json!([1]),
    ] {
        PACKING.update(&app, &at, "packing-1", &json!({ "quantity": wrong })).await.expect_invalid("quantity");
        PACKING.add(&app, &at, &json!({ "name": "n", "quantity": wrong })).await.expect_invalid("quantity");
    }
    for (good, told) in [(json!(1), 1), (json!(999), 999), (json!(3.0), 3)] {
        at = PACKING.updated(&app, &at, "packing-1", &json!({ "quantity": good })).await;
        assert_eq!(item(&at, PACKING, "packing-1")["quantity"], told);
    }
    for wrong in [json!(0), json!("true"), json!([]), json!({})] {
        PACKING.update(&app, &at, "packing-1", &json!({ "isPacked": wrong })).await.expect_invalid("isPacked");
    }
}

#[api_test(limits = false)]
async fn its_category_is_one_of_ten_and_its_name_has_a_length(world: World) {
    let (app, mut at) = start(&world).await;
    for category in [
        "accessories",
        "clothing",
        "footwear",
        "toiletries",
        "health",
        "electronics",
        "documents",
        "gear",
        "food",
        "other",
    ] {
        at = PACKING.updated(&app, &at, "packing-1", &json!({ "category": category })).await;
        assert_eq!(item(&at, PACKING, "packing-1")["category"], category);
    }
    for wrong in [json!("Gear"), json!(""), json!("visa"), json!(1)] {
        PACKING.update(&app, &at, "packing-1", &json!({ "category": wrong })).await.expect_invalid("category");
    }
    for wrong in [json!(""), json!("n".repeat(201)), json!("a\rb"), Value::Null, json!({})] {
        PACKING.update(&app, &at, "packing-1", &json!({ "name": wrong })).await.expect_invalid("name");
    }
    at = PACKING.updated(&app, &at, "packing-1", &json!({ "name": "\u{1f9e6}".repeat(200) })).await;
    assert_eq!(item(&at, PACKING, "packing-1")["quantity"], 2, "the rest stays");
}
