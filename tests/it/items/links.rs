//! Links of expenses and packing items: the target must exist with that kind, and removing it clears the link.

use itinerary_tests::app::{App, Stored};
use itinerary_tests::bodies::{full, on_day, with};
use itinerary_tests::{World, api_test};
use serde_json::{Value, json};

use super::{Part, item, set_pro, start};

/// The lists whose items can have links, with an existing item.
const LINKED: [(Part, &str); 2] = [(Part::Expenses, "expense-1"), (Part::Packing, "packing-1")];

/// The targets.
const TARGETS: [(&str, &str); 7] = [
    ("flight", "flight-1"),
    ("hotel", "hotel-1"),
    ("transport", "transport-1"),
    ("reservation", "reservation-1"),
    ("day", "day-1"),
    ("stop", "stop-1"),
    ("stop", "stop-2"),
];

fn link(kind: &str, id: &str) -> Value {
    json!({ "kind": kind, "id": id })
}

fn belonging(kind: &str, id: &str) -> Value {
    json!({ "belongsTo": link(kind, id) })
}

#[api_test(limits = false)]
async fn belongs_to_target_must_exist_with_its_kind(world: World) {
    let (app, mut at) = start(&world).await;
    let kinds = ["flight", "hotel", "transport", "reservation", "day", "stop", "itinerary"];
    for (part, own) in LINKED {
        let least = part.least("n");
        for (kind, id) in TARGETS {
            at = part.updated(&app, &at, own, &belonging(kind, id)).await;
            assert_eq!(item(&at, part, own)["belongsTo"], link(kind, id));
            at = part.added(&app, &at, &with(least.clone(), belonging(kind, id))).await;
            for wrong in kinds.into_iter().filter(|wrong| *wrong != kind) {
                let wrong = belonging(wrong, id);
                part.update(&app, &at, own, &wrong).await.expect_invalid("belongsTo.id");
                part.add(&app, &at, &with(least.clone(), wrong)).await.expect_invalid("belongsTo.id");
            }
            // In a merge, half a link is enough, and is checked together with the other half.
            for half in [
                json!({ "id": "nothing" }),
                json!({ "id": id.to_uppercase() }),
                json!({ "id": "expense-1" }),
                json!({ "id": own }),
            ] {
                part.update(&app, &at, own, &json!({ "belongsTo": half })).await.expect_invalid("belongsTo.id");
            }
            let other = kinds.into_iter().find(|other| *other != kind).expect("there are seven");
            part.update(&app, &at, own, &json!({ "belongsTo": { "kind": other } }))
                .await
                .expect_invalid("belongsTo.id");
            at = part.updated(&app, &at, own, &json!({ "belongsTo": { "kind": kind } })).await;
        }
    }
}

#[api_test(limits = false)]
async fn itinerary_link_must_have_the_id_of_its_own_itinerary(world: World) {
    let (app, mut at) = start(&world).await;
    let other = app.created(&on_day(1)).await;
    for (part, own) in LINKED {
        let itself = belonging("itinerary", &at.id);
        at = part.updated(&app, &at, own, &itself).await;
        assert_eq!(item(&at, part, own)["belongsTo"], link("itinerary", &at.id));
        at = part.added(&app, &at, &with(part.least("n"), itself)).await;
        for wrong in [other.id.as_str(), "day-1", "itinerary", "01890000-0000-7000-8000-000000000000"] {
            part.update(&app, &at, own, &belonging("itinerary", wrong)).await.expect_invalid("belongsTo.id");
            let add = with(part.least("n"), belonging("itinerary", wrong));
            part.add(&app, &at, &add).await.expect_invalid("belongsTo.id");
        }
    }
    // The itinerary itself exists, so the link stays.
    at = Part::Flights.removed(&app, &at, "flight-1").await;
    at = Part::Hotels.removed(&app, &at, "hotel-1").await;
    for (part, own) in LINKED {
        assert_eq!(item(&at, part, own)["belongsTo"], link("itinerary", &at.id));
    }
}

/// An itinerary with an expense and a packing item for each target, and one of each without a link. Their ids contain
/// the target's.
async fn linked<'w>(world: &'w World, name: &str) -> (App<'w>, Stored) {
    let app = App::pro(world, name).await;
    let items = |part: Part| {
        let linked = TARGETS.map(|(kind, id)| with(part.item(&format!("{}-{id}", part.name())), belonging(kind, id)));
        Value::from([&linked[..], &[part.item(&format!("{}-free", part.name()))]].concat())
    };
    let sections = json!({ "expenses": items(Part::Expenses), "packing": items(Part::Packing) });
    let stored = app.created(&with(full(), sections)).await;
    (app, stored)
}

/// The section without the links to one target.
fn without(section: &Value, target: &str) -> Value {
    let unlinked = |item: &Value| {
        let mut item = item.clone();
        if item["belongsTo"]["id"] == target {
            item.as_object_mut().expect("an object").remove("belongsTo");
        }
        item
    };
    section.as_array().expect("a list").iter().map(unlinked).collect()
}

#[api_test(limits = false)]
async fn removing_a_link_target_keeps_the_item_without_its_link(world: World) {
    let (app, mut at) = linked(&world, "ana").await;
    for (part, gone) in [(Part::Flights, "flight-1"), (Part::Hotels, "hotel-1")] {
        let before = at.clone();
        // Changing the target, or removing another entry, clears nothing.
        at = part.updated(&app, &at, gone, &json!({ part.label(): "changed" })).await;
        at = part.added(&app, &at, &part.item("neighbour")).await;
        at = part.removed(&app, &at, "neighbour").await;
        for (linked, _) in LINKED {
            assert_eq!(at.json[linked.name()], before.json[linked.name()]);
        }
        at = part.removed(&app, &at, gone).await;
        for (linked, _) in LINKED {
            let expected = without(&before.json[linked.name()], gone);
            assert_ne!(expected, before.json[linked.name()]);
            assert_eq!(at.json[linked.name()], expected, "{gone}: the other links stay");
            assert_eq!(linked.list(&app, &at.id).await.json()["data"], expected);
            // A removed target cannot be linked again, even if its id returns with another kind of entry.
            let id = format!("{}-{gone}", linked.name());
            let kind = if part == Part::Flights { "flight" } else { "hotel" };
            linked.update(&app, &at, &id, &belonging(kind, gone)).await.expect_invalid("belongsTo.id");
        }
    }
    at = Part::Hotels.added(&app, &at, &Part::Hotels.item("flight-1")).await;
    for (linked, _) in LINKED {
        let id = format!("{}-flight-1", linked.name());
        assert_eq!(item(&at, linked, &id).get("belongsTo"), None, "a removal is for good");
        linked.update(&app, &at, &id, &belonging("flight", "flight-1")).await.expect_invalid("belongsTo.id");
        at = linked.updated(&app, &at, &id, &belonging("hotel", "flight-1")).await;
    }
}

// A caller without Pro can remove targets, which clears links in sections that they are not shown.
#[api_test(limits = false)]
async fn without_pro_a_removal_takes_the_hidden_links_with_it(world: World) {
    let (app, at) = linked(&world, "ana").await;
    let before = at.clone();
    set_pro(&world, "ana", false).await;
    let at = Part::Flights.removed(&app, &at, "flight-1").await;
    assert_eq!((at.json.get("expenses"), at.json.get("packing")), (None, None));
    Part::Hotels.removed(&app, &at, "hotel-1").await;
    set_pro(&world, "ana", true).await;
    let read = app.viewed(&before.id).await;
    for (part, _) in LINKED {
        let expected = without(&without(&before.json[part.name()], "flight-1"), "hotel-1");
        assert_eq!(read.json[part.name()], expected);
    }
}

// The same for documents, which are stored by a statement here.
#[api_test(limits = false)]
async fn a_document_loses_its_link_too(world: World) {
    let (app, at) = linked(&world, "ana").await;
    let document = |id: &str, kind: &str, target: &str| {
        let file = json!({ "path": "p", "name": "n", "size": 1 });
        json!({ "id": id, "name": "Pass", "file": file, "belongsTo": { "kind": kind, "id": target } })
    };
    let documents = json!({ "documents": [document("d1", "flight", "flight-1"), document("d2", "hotel", "hotel-1")] });
    world.sql(&format!("UPDATE itineraries SET documents = '{documents}'")).await;
    let at = Part::Flights.removed(&app, &at, "flight-1").await;
    let told = at.json["documents"].as_array().expect("the scope shows them").clone();
    assert_eq!((told[0].get("belongsTo"), &told[1]), (None, &documents["documents"][1]));
    assert_eq!(told[0]["file"], documents["documents"][0]["file"]);
}
