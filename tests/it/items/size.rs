//! The size limits of an itinerary and its lists, item by item.

use itinerary_tests::app::{App, Stored, path};
use itinerary_tests::bodies::{on_day, with};
use itinerary_tests::raw::Call;
use itinerary_tests::{World, api_test};
use reqwest::Method;
use serde_json::{Value, json};

use super::{Part, done};

const LIMIT: usize = 262_144;
const FILLERS: usize = 500;
const ADDRESS: usize = 500;
const LIST: usize = 5_000;

/// Hotels whose addresses have this many bytes in total.
fn filler(bytes: usize) -> Value {
    let address = |n: usize| "a".repeat(bytes.saturating_sub(n * ADDRESS).min(ADDRESS));
    let hotel = |n| json!({ "id": format!("f{n}"), "name": "n", "place": { "name": "p", "address": address(n) } });
    (0..FILLERS).map(hotel).collect()
}

/// A list whose items have a text of up to 200 characters.
struct Grown {
    list: &'static str,
    item: fn(&str) -> Value,
    patch: fn(&str) -> Value,
}

/// At least one list of each stored fragment.
const GROWN: [Grown; 6] = [
    Grown {
        list: "days",
        item: |text| json!({ "id": "x", "image": { "url": "https://a.example", "source": text } }),
        patch: |text| json!({ "image": { "source": text } }),
    },
    Grown {
        list: "days/d/stops",
        item: |text| json!({ "id": "x", "name": text, "startTimeSuggested": false }),
        patch: |text| json!({ "name": text }),
    },
    Grown {
        list: "flights",
        item: |text| json!({ "id": "x", "seatNumber": text }),
        patch: |text| json!({ "seatNumber": text }),
    },
    Grown { list: "hotels", item: |text| json!({ "id": "x", "name": text }), patch: |text| json!({ "name": text }) },
    Grown {
        list: "expenses",
        item: |text| json!({ "id": "x", "name": text, "cost": { "amount": 0.5, "currency": "EUR" } }),
        patch: |text| json!({ "name": text }),
    },
    Grown {
        list: "packing",
        item: |text| json!({ "id": "x", "name": text, "quantity": 1, "isPacked": false }),
        patch: |text| json!({ "name": text }),
    },
];

impl Grown {
    fn call(&self, app: &App<'_>, at: &Stored, method: Method, item: &str) -> Call {
        let call = app.call(method, &format!("{}/{}{item}", path(&at.id), self.list));
        call.header("If-Match", &at.etag)
    }

    fn add(&self, app: &App<'_>, at: &Stored, bytes: usize) -> Call {
        self.call(app, at, Method::POST, "").json(&(self.item)(&"b".repeat(bytes)))
    }

    fn update(&self, app: &App<'_>, at: &Stored, text: &str) -> Call {
        self.call(app, at, Method::PATCH, "/x").json(&(self.patch)(text))
    }

    async fn remove(&self, app: &App<'_>, at: &Stored) -> Stored {
        done(&self.call(app, at, Method::DELETE, "/x").send().await)
    }
}

/// Sends a write that exceeds the limit, and checks that nothing has changed.
async fn expect_too_large(app: &App<'_>, at: &Stored, call: Call) {
    let before = app.view(&at.id).await;
    let response = call.send().await;
    assert!(response.expect_error(413, "itineraryTooLarge").is_null());
    assert_eq!(response.header("etag"), "");
    let after = app.view(&at.id).await;
    assert_eq!((after.header("etag"), &after.body), (at.etag.as_str(), &before.body));
}

#[api_test(limits = false)]
async fn the_last_byte_fits_and_one_more_does_not(world: World) {
    let app = App::pro(&world, "ana").await;
    let empty = json!({ "days": [{ "id": "d", "stops": [] }], "hotels": filler(0), "title": "T" });
    let mut at = app.created(&with(on_day(1), empty)).await;
    let without_filler = world.stored_bytes(&at.id).await;
    for grown in GROWN {
        // The size of an item besides its text, then filler that leaves room for a text of a hundred bytes.
        at = done(&grown.add(&app, &at, 1).send().await);
        let item = world.stored_bytes(&at.id).await - without_filler - 1;
        at = grown.remove(&app, &at).await;
        assert_eq!(world.stored_bytes(&at.id).await, without_filler);
        at = app.patched(&at, &json!({ "hotels": filler(LIMIT - without_filler - item - 100) })).await;

        expect_too_large(&app, &at, grown.add(&app, &at, 101)).await;
        at = done(&grown.add(&app, &at, 100).send().await);
        assert_eq!(world.stored_bytes(&at.id).await, LIMIT, "{}", grown.list);
        expect_too_large(&app, &at, grown.update(&app, &at, &"c".repeat(101))).await;
        // Bytes count, not characters.
        expect_too_large(&app, &at, grown.update(&app, &at, &format!("{}\u{e9}", "c".repeat(99)))).await;
        expect_too_large(&app, &at, app.patch_call(&at.id, &json!({ "title": "Tt" })).header("If-Match", &at.etag))
            .await;
        at = done(&grown.update(&app, &at, &format!("{}\u{e9}", "c".repeat(98))).send().await);
        assert_eq!(world.stored_bytes(&at.id).await, LIMIT, "{}", grown.list);
        // A full itinerary can still be made smaller.
        at = grown.remove(&app, &at).await;
        at = app.patched(&at, &json!({ "hotels": filler(0) })).await;
    }
}

// The same limit applies to a create and to a patch of the whole.
#[api_test(limits = false)]
async fn the_last_byte_fits_in_a_create_and_in_a_patch(world: World) {
    let app = App::pro(&world, "ana").await;
    let body = |bytes: usize| {
        let packing: Vec<_> = (0..300).map(|n| json!({ "id": format!("p{n}"), "name": "b".repeat(200) })).collect();
        with(on_day(1), json!({ "title": "T", "hotels": filler(bytes), "packing": packing, "origin": { "name": "O" } }))
    };
    let small = app.created(&body(0)).await;
    let room = LIMIT - world.stored_bytes(&small.id).await;
    let create = |bytes| app.create_call("?allowDuplicate=true", &body(bytes)).send();
    create(room + 1).await.expect_error(413, "itineraryTooLarge");
    let large = Stored::of(&create(room).await);
    assert_eq!(world.stored_bytes(&large.id).await, LIMIT);
    assert_eq!(app.listed("").await.len(), 2);
    let patch = |bytes| app.patch_call(&small.id, &json!({ "hotels": filler(bytes) })).header("If-Match", &small.etag);
    expect_too_large(&app, &small, patch(room + 1)).await;
    assert_eq!(world.stored_bytes(&done(&patch(room).send().await).id).await, LIMIT);
}

/// This many items of one list, as small as possible.
fn many(part: Part, count: usize) -> Value {
    let letters: Vec<char> = ('a'..='z').chain('A'..='Z').chain('0'..='9').chain("-_".chars()).collect();
    let id = |n: usize| match n {
        0..64 => letters[n].to_string(),
        64..4160 => [letters[(n - 64) / 64], letters[(n - 64) % 64]].iter().collect(),
        _ => [letters[(n - 4160) / 64], letters[(n - 4160) % 64], '-'].iter().collect(),
    };
    let item = |n: usize| match part {
        Part::Packing => json!({ "id": id(n), "name": "n", "isPacked": true }),
        Part::Expenses => json!({ "id": id(n), "name": "n", "cost": { "amount": 0 } }),
        Part::Flights | Part::Hotels | Part::Transports | Part::Reservations => {
            json!({ "id": id(n), part.label(): "n" })
        }
    };
    (0..count).map(item).collect()
}

// Small items reach this limit before that of the itinerary.
#[api_test(limits = false)]
async fn a_list_holds_five_thousand(world: World) {
    let app = App::pro(&world, "ana").await;
    for part in Part::ALL {
        // Without a currency, which would be stored with each expense.
        let mut at = app
            .created(&json!({ "destination": { "name": "Sea", "coordinate": { "latitude": -40, "longitude": -120 } } }))
            .await;
        let whole =
            |count| app.patch_call(&at.id, &json!({ part.name(): many(part, count) })).header("If-Match", &at.etag);
        whole(LIST + 1).send().await.expect_invalid(part.name());
        at = done(&whole(LIST).send().await);
        assert_eq!(at.json[part.name()].as_array().map(Vec::len), Some(LIST));
        part.add(&app, &at, &part.item("more")).await.expect_invalid(part.name());
        assert_eq!(app.viewed(&at.id).await.etag, at.etag);
        at = part.updated(&app, &at, "-", &json!({ part.label(): "m" })).await;
        at = part.removed(&app, &at, "-").await;
        at = part.added(&app, &at, &many(part, 63)[62]).await;
        app.delete(&at).await;
    }
}
