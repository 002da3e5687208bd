//! Days and their stops: listing, adding, changing, moving, removing, retries and races.
//!
//! Requests go through the SDK by a [`Trip`], or are raw calls if the SDK cannot send them, or if JSON or headers
//! matter. Other areas test what all operations share.

mod body_syntax;
mod day_list;
mod day_move;
mod day_optimise;
mod day_update;
mod idempotency;
mod ids;
mod legs;
mod links;
mod order;
mod races;
mod stop_move;
mod stop_update;
mod versions;

use itinerary_sdk::types::{self, Itinerary};
use itinerary_sdk::{ApiError, Client, ErrorExt, Versioned, builder, code};
use itinerary_tests::World;
use itinerary_tests::app::{App, path};
use itinerary_tests::bodies::{minimal, with};
use itinerary_tests::raw::Call;
use reqwest::Method;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

type Answered = Result<Versioned<Itinerary>, ApiError>;

/// An itinerary in its owner's app, as of the last response.
struct Trip {
    client: Client,
    now: Versioned<Itinerary>,
}

impl Trip {
    /// A new itinerary with these days.
    async fn start(world: &World, days: Value) -> Self {
        Self::with(world, json!({ "days": days })).await
    }

    /// A new itinerary with these fields.
    async fn with(world: &World, fields: Value) -> Self {
        let client = world.client("ana").await;
        let trip: types::ItineraryCreate = typed(with(minimal(), fields));
        let now = client.itinerary_create(trip).send().await.expect("created");
        Self { client, now }
    }

    fn day_add(&self, body: impl Into<types::DayInput>) -> builder::DayAddRequest<'_> {
        self.client.day_add(self.now.id, &self.now, body)
    }

    fn day_update(&self, day: &str, body: impl Into<types::DayPatch>) -> builder::DayUpdateRequest<'_> {
        self.client.day_update(self.now.id, day, &self.now, body)
    }

    fn day_remove(&self, day: &str) -> builder::DayRemoveRequest<'_> {
        self.client.day_remove(self.now.id, day, &self.now)
    }

    fn stop_add(&self, day: &str, body: impl Into<types::StopInput>) -> builder::StopAddRequest<'_> {
        self.client.stop_add(self.now.id, day, &self.now, body)
    }

    fn stop_update(&self, day: &str, stop: &str, body: impl Into<types::StopPatch>) -> builder::StopUpdateRequest<'_> {
        self.client.stop_update(self.now.id, day, stop, &self.now, body)
    }

    fn stop_remove(&self, day: &str, stop: &str) -> builder::StopRemoveRequest<'_> {
        self.client.stop_remove(self.now.id, day, stop, &self.now)
    }

    fn stop_move(&self, day: &str, stop: &str, body: impl Into<types::StopMove>) -> builder::StopMoveRequest<'_> {
        self.client.stop_move(self.now.id, day, stop, &self.now, body)
    }

    async fn read(&self) -> Versioned<Itinerary> {
        self.client.itinerary_view(self.now.id).send().await.expect("it is there")
    }

    /// Takes the response to a write: the whole itinerary, which is also what is read from now on; in its next version
    /// if anything has changed.
    async fn wrote(&mut self, response: Answered) {
        let written = response.expect("a good write");
        let mut as_read = (*written).clone();
        assert!(as_read.needs_attention.take().is_some(), "an answer to a write has it");
        let changes = as_read != Itinerary { needs_attention: None, ..(*self.now).clone() };
        assert_eq!(version(written.etag()), version(self.now.etag()) + u64::from(changes));
        assert_eq!(self.read().await, Versioned::new(as_read, written.etag()));
        self.now = written;
    }

    /// Takes the error of a write with this invalid field. Nothing has changed.
    async fn refused(&self, response: Answered, field: &str) {
        let error = response.expect_err(field);
        let status = error.status().map(|status| status.as_u16());
        assert_eq!((status, error.code(), error.field()), (Some(422), code::VALIDATION_FAILED, Some(field)));
        self.unchanged().await;
    }

    /// Takes the error of a write whose target does not exist. Nothing has changed.
    async fn not_found(&self, response: Answered) {
        let error = response.expect_err("not found");
        assert_eq!((error.code(), error.details()), (code::NOT_FOUND, None));
        self.unchanged().await;
    }

    /// Checks that nothing was written since the last response.
    async fn unchanged(&self) {
        assert_eq!(version(self.read().await.etag()), version(self.now.etag()), "nothing is changed");
    }

    /// The ids of the days.
    fn days(&self) -> Vec<&str> {
        self.now.days.iter().map(|day| day.id.as_str()).collect()
    }

    fn day(&self, id: &str) -> &types::Day {
        self.now.days.iter().find(|day| day.id == id).expect("the day is there")
    }

    /// The ids of a day's stops.
    fn stops(&self, day: &str) -> Vec<&str> {
        self.day(day).stops.iter().map(|stop| stop.id.as_str()).collect()
    }

    /// A stop of a day.
    fn stop(&self, day: &str, id: &str) -> &types::Stop {
        self.day(day).stops.iter().find(|stop| stop.id == id).expect("the stop is there")
    }

    /// The legs of a day that were sent, by the marks that [`leg`] gave them.
    fn legs(&self, day: &str) -> Vec<&str> {
        let marks = self.day(day).legs.iter().map(|leg| leg.source.as_deref().expect("every leg is marked"));
        marks.filter(|mark| *mark != "estimate").collect()
    }

    /// The fields that need attention, all of which lack a coordinate.
    fn not_placed(&self) -> Vec<&str> {
        let attention = self.now.needs_attention.as_deref().expect("the answer to a write has it");
        assert!(attention.iter().all(|entry| entry.code.to_string() == "notPlaced"), "{attention:?}");
        attention.iter().map(|entry| &*entry.field).collect()
    }
}

/// A change of days and stops, for tests that make many: its target, and what is sent.
#[derive(Debug)]
enum Change {
    DayUpdate(&'static str, Value),
    DayRemove(&'static str),
    StopAdd(&'static str, Option<i32>, Value),
    StopUpdate(&'static str, &'static str, Value),
    StopRemove(&'static str, &'static str),
    StopMove(&'static str, &'static str, types::StopMove),
}

impl Trip {
    /// Makes a change that must succeed.
    async fn make(&mut self, change: Change) {
        let response = match change {
            Change::DayUpdate(day, patch) => self.day_update(day, typed::<types::DayPatch>(patch)).send().await,
            Change::DayRemove(day) => self.day_remove(day).send().await,
            Change::StopAdd(day, position, stop) => {
                let call = self.stop_add(day, typed::<types::StopInput>(stop));
                if let Some(position) = position { call.position(position) } else { call }.send().await
            }
            Change::StopUpdate(day, stop, patch) => {
                self.stop_update(day, stop, typed::<types::StopPatch>(patch)).send().await
            }
            Change::StopRemove(day, stop) => self.stop_remove(day, stop).send().await,
            Change::StopMove(day, stop, to) => self.stop_move(day, stop, to).send().await,
        };
        self.wrote(response).await;
    }
}

/// The target of a move.
fn to(day: Option<&str>, position: Option<i32>) -> types::StopMove {
    types::StopMove { day_id: day.map(str::to_owned), position }
}

/// The SDK's type with this JSON.
fn typed<T: DeserializeOwned>(json: Value) -> T {
    serde_json::from_value(json).expect("the SDK has fields for it")
}

/// A day or a stop as answers have it: with the defaults filled in.
fn answered<T: DeserializeOwned>(mut json: Value) -> T {
    let fill = |stop: &mut Value| {
        stop.as_object_mut().expect("a stop").entry("startTimeSuggested").or_insert(json!(false));
    };
    match json.get_mut("stops").and_then(Value::as_array_mut) {
        Some(stops) => stops.iter_mut().for_each(fill),
        None => fill(&mut json),
    }
    typed(json)
}

/// The version in an ETag.
fn version(etag: &str) -> u64 {
    let number =
        etag.strip_prefix("\"v").and_then(|rest| rest.split_once('.')).and_then(|(number, _)| number.parse().ok());
    number.expect("a tag with a number")
}

/// A full day, a short one, and an empty one.
fn three_days() -> Value {
    json!([
        {
            "id": "d1",
            "image": { "url": "https://images.example/d1", "source": "A photographer" },
            "stops": [stop("a"), stop("b"), stop("c"), stop("d")],
            "legs": [leg("a", "b"), leg("b", "c"), leg("c", "d")],
        },
        { "id": "d2", "stops": [stop("x"), stop("y")], "legs": [leg("x", "y")] },
        { "id": "d3" },
    ])
}

/// A stop with a coordinate.
fn stop(id: &str) -> Value {
    let place = json!({ "coordinate": { "latitude": 38.7, "longitude": -9.1 } });
    json!({ "id": id, "name": format!("Stop {id}"), "place": place })
}

/// Stops with coordinates.
fn stops<const N: usize>(ids: [&str; N]) -> Value {
    ids.map(stop).into()
}

/// A leg, marked with its ends.
fn leg(from: &str, to: &str) -> Value {
    json!({ "from": from, "to": to, "mode": "walk", "minutes": 7.5, "metres": 600, "source": format!("{from}-{to}") })
}

/// A raw call at an itinerary.
fn at(app: &App<'_>, method: Method, itinerary: &str, rest: &str) -> Call {
    app.call(method, &format!("{}{rest}", path(itinerary)))
}

/// The seven writes, each valid for an itinerary of [`three_days`]: method, address, body.
fn writes() -> [(Method, &'static str, Option<Value>); 7] {
    [
        (Method::POST, "/days", Some(json!({ "id": "new" }))),
        (Method::PATCH, "/days/d1", Some(json!({ "image": null }))),
        (Method::POST, "/days/d1/stops", Some(json!({ "name": "New" }))),
        (Method::PATCH, "/days/d1/stops/a", Some(json!({ "name": "Renamed" }))),
        (Method::POST, "/days/d1/stops/a/move", Some(json!({ "dayId": "d2" }))),
        (Method::DELETE, "/days/d1/stops/b", None),
        (Method::DELETE, "/days/d3", None),
    ]
}

/// One of [`writes`] as a call, without its `If-Match`.
fn write_call(app: &App<'_>, itinerary: &str, (method, rest, body): &(Method, &str, Option<Value>)) -> Call {
    let call = at(app, method.clone(), itinerary, rest);
    if let Some(body) = body { call.json(body) } else { call }
}
