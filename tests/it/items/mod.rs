//! Flights, hotels, transports, reservations, expenses and packing items, each changed on its own.
//!
//! Tests for all lists use [`Part::ALL`]; other files test what is special to one. Other areas test days and
//! stops, and what all operations share.

mod bodies;
mod bookings;
mod conditions;
mod expenses;
mod flights;
mod hotels;
mod links;
mod lists;
mod merges;
mod money;
mod packing;
mod plans;
mod retries;
mod roles;
mod sdk;
mod size;
mod views;

use itinerary_model::Plan;
use itinerary_tests::app::{App, Stored, path};
use itinerary_tests::bodies::{full, on_day, with};
use itinerary_tests::raw::Call;
use itinerary_tests::{RawResponse, World};
use reqwest::Method;
use serde_json::{Value, json};

/// Invalid or out-of-range times for flights and hotels.
const NO_TIMES: [&str; 16] = [
    "",
    "2027-05-01",
    "2027-05-01T10:00:00",
    "2027-05-01T10:00Z",
    "2027-05-01 10:00:00Z",
    "2027-02-29T10:00:00Z",
    "2027-13-01T10:00:00Z",
    "2027-05-01T24:00:00Z",
    "2027-05-01T10:60:00Z",
    "2027-05-01T10:00:00+25:00",
    "20270501T100000Z",
    "1899-12-31T23:59:59Z",
    "2201-01-01T00:00:00Z",
    "0000-01-01T00:00:00Z",
    "+2027-05-01T10:00:00Z",
    "tomorrow",
];

/// One of the lists.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Part {
    Flights,
    Hotels,
    Transports,
    Reservations,
    Expenses,
    Packing,
}

impl Part {
    const ALL: [Self; 6] =
        [Self::Flights, Self::Hotels, Self::Transports, Self::Reservations, Self::Expenses, Self::Packing];

    /// The name in the itinerary and in addresses.
    fn name(self) -> &'static str {
        match self {
            Self::Flights => "flights",
            Self::Hotels => "hotels",
            Self::Transports => "transports",
            Self::Reservations => "reservations",
            Self::Expenses => "expenses",
            Self::Packing => "packing",
        }
    }

    /// The name of the path parameter for an item's id.
    fn id_parameter(self) -> &'static str {
        match self {
            Self::Flights => "flightId",
            Self::Hotels => "hotelId",
            Self::Transports => "transportId",
            Self::Reservations => "reservationId",
            Self::Expenses => "expenseId",
            Self::Packing => "packingId",
        }
    }

    fn needs_pro(self) -> bool {
        matches!(self, Self::Expenses | Self::Packing)
    }

    /// A text field that the [`least`](Self::least) item has.
    fn label(self) -> &'static str {
        match self {
            Self::Flights => "seatNumber",
            Self::Transports => "number",
            Self::Hotels | Self::Reservations | Self::Expenses | Self::Packing => "name",
        }
    }

    /// The smallest valid item, with this text.
    fn least(self, text: &str) -> Value {
        let item = json!({ self.label(): text });
        if self == Self::Expenses { with(item, json!({ "cost": { "amount": 1 } })) } else { item }
    }

    /// The smallest item with an id, which is also its text.
    fn item(self, id: &str) -> Value {
        with(self.least(id), json!({ "id": id }))
    }

    /// An item with every field.
    fn full(self) -> Value {
        full()[self.name()][0].clone()
    }

    fn add_call(self, app: &App<'_>, itinerary: &str, body: &Value) -> Call {
        app.call(Method::POST, &self.path(itinerary)).json(body)
    }

    fn update_call(self, app: &App<'_>, itinerary: &str, item: &str, body: &Value) -> Call {
        app.call(Method::PATCH, &self.item_path(itinerary, item)).json(body)
    }

    fn remove_call(self, app: &App<'_>, itinerary: &str, item: &str) -> Call {
        app.call(Method::DELETE, &self.item_path(itinerary, item))
    }

    fn path(self, itinerary: &str) -> String {
        format!("{}/{}", path(itinerary), self.name())
    }

    fn item_path(self, itinerary: &str, item: &str) -> String {
        format!("{}/{item}", self.path(itinerary))
    }

    async fn list(self, app: &App<'_>, itinerary: &str) -> RawResponse {
        app.call(Method::GET, &self.path(itinerary)).send().await
    }

    async fn add(self, app: &App<'_>, at: &Stored, body: &Value) -> RawResponse {
        self.add_call(app, &at.id, body).header("If-Match", &at.etag).send().await
    }

    async fn update(self, app: &App<'_>, at: &Stored, item: &str, body: &Value) -> RawResponse {
        self.update_call(app, &at.id, item, body).header("If-Match", &at.etag).send().await
    }

    async fn remove(self, app: &App<'_>, at: &Stored, item: &str) -> RawResponse {
        self.remove_call(app, &at.id, item).header("If-Match", &at.etag).send().await
    }

    /// Adds an item, which must succeed.
    async fn added(self, app: &App<'_>, at: &Stored, body: &Value) -> Stored {
        done(&self.add(app, at, body).await)
    }

    /// Changes an item, which must succeed.
    async fn updated(self, app: &App<'_>, at: &Stored, item: &str, body: &Value) -> Stored {
        done(&self.update(app, at, item, body).await)
    }

    /// Removes an item, which must succeed.
    async fn removed(self, app: &App<'_>, at: &Stored, item: &str) -> Stored {
        done(&self.remove(app, at, item).await)
    }

    /// The three writes without `If-Match`: an addition, a change, a removal.
    fn writes(self, app: &App<'_>, itinerary: &str, item: &str) -> [Call; 3] {
        [
            self.add_call(app, itinerary, &self.least("new")),
            self.update_call(app, itinerary, item, &json!({ self.label(): "changed" })),
            self.remove_call(app, itinerary, item),
        ]
    }
}

/// The call with this `If-Match`, or without one.
fn if_match(call: Call, tag: Option<&str>) -> Call {
    match tag {
        Some(tag) => call.header("If-Match", tag),
        None => call,
    }
}

/// The version in an ETag, without its view.
fn version(stored: &Stored) -> &str {
    stored.etag.trim_matches('"').split_once('.').expect("a version and a view").0
}

/// The itinerary in the response to a change, with status 200.
#[track_caller]
fn done(response: &RawResponse) -> Stored {
    assert_eq!(response.status, 200, "{}", response.text());
    Stored::of(response)
}

/// The item of a list with this id.
#[track_caller]
fn item<'j>(stored: &'j Stored, part: Part, id: &str) -> &'j Value {
    let items = stored.json[part.name()].as_array().expect("the section is shown");
    items.iter().find(|item| item["id"] == id).expect("it is there")
}

/// The ids of a list, in order.
#[track_caller]
fn ids_of(stored: &Stored, part: Part) -> Vec<&str> {
    let items = match stored.json.get(part.name()) {
        // They are left out while there are none.
        None if matches!(part, Part::Transports | Part::Reservations) => &[][..],
        section => section.and_then(Value::as_array).expect("the section is shown"),
    };
    items.iter().map(|item| item["id"].as_str().expect("an id")).collect()
}

/// An itinerary with everything, and the app of its owner, who has Pro.
async fn start(world: &World) -> (App<'_>, Stored) {
    let app = App::pro(world, "ana").await;
    let stored = app.created(&full()).await;
    (app, stored)
}

/// An itinerary with one item of each kind, whose id is the name of its list.
fn one_of_each() -> Value {
    let lists = Part::ALL.map(|part| (part.name().to_owned(), json!([part.item(part.name())])));
    with(on_day(1), Value::Object(lists.into_iter().collect()))
}

async fn set_pro(world: &World, name: &str, pro: bool) {
    world.set_plan(name, if pro { Plan::Pro } else { Plan::Free }).await;
}
