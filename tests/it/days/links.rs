//! Links to a day or a stop are cleared when it is removed, even if the caller is not shown the linked items.

use itinerary_model::Plan;
use itinerary_tests::app::App;
use itinerary_tests::{World, api_test};
use serde_json::json;

use super::Change::{DayRemove, DayUpdate, StopAdd, StopMove, StopRemove, StopUpdate};
use super::{Trip, stop, stops, three_days, to};

/// Expenses and packing items, and what each links to.
const EXPENSES: [(&str, &str, &str); 5] =
    [("e1", "stop", "b"), ("e2", "day", "d1"), ("e3", "stop", "c"), ("e4", "stop", "x"), ("e5", "hotel", "h")];
const PACKING: [(&str, &str, &str); 2] = [("p1", "stop", "b"), ("p2", "day", "d2")];

async fn start(world: &World, start_date: &str) -> Trip {
    let item =
        |(id, kind, to): (&str, &str, &str)| json!({ "id": id, "name": "n", "belongsTo": { "kind": kind, "id": to } });
    let expense = |linked| {
        let mut expense = item(linked);
        expense["cost"] = json!({ "amount": 1, "currency": "EUR" });
        expense
    };
    let fields = json!({
        "days": three_days(), "hotels": [{ "id": "h", "name": "n" }], "startDate": start_date,
        "expenses": EXPENSES.map(expense), "packing": PACKING.map(item),
    });
    Trip::with(world, fields).await
}

/// The ids of the items with a link, as a reader with Pro sees them. All items exist, and their links are unchanged or
/// cleared.
async fn linked(world: &World, trip: &Trip) -> Vec<String> {
    world.set_plan("ana", Plan::Pro).await;
    let read = App::of(world, "ana").await.viewed(&trip.now.id.to_string()).await.json;
    let items = |section: &str| read[section].as_array().expect("it is shown").clone();
    let items: Vec<_> = items("expenses").into_iter().chain(items("packing")).collect();
    assert_eq!(items.len(), EXPENSES.len() + PACKING.len());
    let mut linked = Vec::new();
    for (item, (id, kind, to)) in items.iter().zip(EXPENSES.into_iter().chain(PACKING)) {
        assert_eq!((&item["id"], &item["name"]), (&json!(id), &json!("n")));
        if let Some(link) = item.get("belongsTo") {
            assert_eq!(*link, json!({ "kind": kind, "id": to }));
            linked.push(id.to_owned());
        }
    }
    linked
}

#[api_test(limits = false)]
async fn links_are_cleared_only_when_their_day_or_stop_is_removed(world: World) {
    world.pro_account("ana").await;
    for (plan, start_date) in [(Plan::Free, "2027-05-01"), (Plan::Pro, "2027-06-01")] {
        world.set_plan("ana", Plan::Pro).await;
        let mut trip = start(&world, start_date).await;
        for (change, kept) in [
            // A stop keeps its links when it moves, changes, or is sent again.
            (StopMove("d1", "b", to(Some("d2"), Some(0))), "e1 e2 e3 e4 e5 p1 p2"),
            (StopUpdate("d2", "b", json!({ "name": "Renamed" })), "e1 e2 e3 e4 e5 p1 p2"),
            (DayUpdate("d2", json!({ "stops": stops(["y", "x", "b"]) })), "e1 e2 e3 e4 e5 p1 p2"),
            // Removed by itself, by a new list of stops, and with its day.
            (StopRemove("d2", "b"), "e2 e3 e4 e5 p2"),
            (DayUpdate("d2", json!({ "stops": stops(["y"]) })), "e2 e3 e5 p2"),
            (DayRemove("d2"), "e2 e3 e5"),
            (DayRemove("d1"), "e5"),
            // A new entry with an old id is another entry.
            (StopAdd("d3", None, stop("b")), "e5"),
        ] {
            let name = format!("{change:?}");
            world.set_plan("ana", plan).await;
            trip.now = trip.read().await;
            trip.make(change).await;
            assert_eq!(trip.now.expenses.is_some(), plan == Plan::Pro, "the answer shows what its reader may see");
            assert_eq!(linked(&world, &trip).await.join(" "), kept, "{name}");
        }
    }
}
