//! Time zones, countries and currencies in hard cases, through HTTP: destinations, start dates, flights and nights
//! across zones and clock changes, times of an optimised day. Other areas test the simple cases.

mod aliases;
mod day_orders;
mod day_times;
mod destinations;
mod flights;
mod spans;
mod starts;

use itinerary_sdk::{ApiError, Client, Created, types};
use itinerary_tests::World;
use itinerary_tests::bodies::{minimal, to, with};
use serde_json::{Value, json};

/// A coordinate far from any country.
const HIGH_SEA: (f64, f64) = (-48.8767, -123.3933);

/// The body of a create in the SDK's type.
fn body(json: Value) -> types::ItineraryCreate {
    serde_json::from_value(json).expect("the SDK has fields for it")
}

/// Creates an itinerary, even a duplicate.
async fn create(client: &Client, fields: Value) -> Result<types::Itinerary, ApiError> {
    let response = client.itinerary_create(body(fields)).allow_duplicate(true).send_raw().await?;
    Ok(Created::try_from(response)?.itinerary.into_inner())
}

/// A body whose destination has this zone; without a zone it is at sea.
fn destination_in(zone: &str) -> Value {
    if zone.is_empty() {
        return to("The sea", HIGH_SEA.0, HIGH_SEA.1);
    }
    let mut body = minimal();
    body["destination"]["timeZone"] = json!(zone);
    body
}

/// A day to be optimised.
#[derive(Clone, Copy)]
struct Timetable {
    /// The destination's zone; empty at sea.
    zone: &'static str,
    date: &'static str,
    /// The body of the request.
    request: &'static str,
    /// Id, start time, minutes and zone of each stop; `-` for none. A time with `?` is a suggested one.
    stops: &'static [&'static str],
}

impl Timetable {
    const fn new(zone: &'static str, date: &'static str, stops: &'static [&'static str]) -> Self {
        Self { zone, date, request: "{}", stops }
    }

    const fn with_request(self, request: &'static str) -> Self {
        Self { request, ..self }
    }

    /// The day with its stops at one place, or without places, in which case they keep their order.
    fn day(&self, spot: Option<(f64, f64)>) -> Value {
        let stops: Vec<_> = self.stops.iter().map(|text| stop(text, spot)).collect();
        json!({ "id": "day", "stops": stops })
    }

    /// Optimises the day. Returns the stops in order, each with its time, and `?` if it is a suggested one.
    async fn optimised(&self, world: &World, spot: Option<(f64, f64)>, fields: Value) -> Vec<String> {
        let client = world.client("ana").await;
        let sent = with(destination_in(self.zone), json!({ "startDate": self.date, "days": [self.day(spot)] }));
        let made =
            client.itinerary_create(body(with(sent, fields))).allow_duplicate(true).send().await.expect("created");
        let request: types::OptimiseRequest = serde_json::from_str(self.request).expect("a request");
        let call = client.day_optimise(made.id, "day", made.etag()).body(request);
        let response = call.send().await.expect("optimised");
        let read = client.itinerary_view(made.id).send().await.expect("it is there");
        assert_eq!(read.days, response.itinerary.days, "what was answered is stored");
        read.days[0].stops.iter().map(line).collect()
    }
}

fn stop(text: &str, spot: Option<(f64, f64)>) -> Value {
    let [id, time, minutes, zone] = text.split(' ').collect::<Vec<_>>()[..] else { panic!("four words: {text}") };
    let mut stop = json!({
        "id": id, "name": id, "durationMinutes": minutes.parse::<u32>().expect("minutes"),
        "startTimeSuggested": time.ends_with('?'), "place": { "name": id },
    });
    if time != "-" {
        stop["startTime"] = json!(time.trim_end_matches('?'));
    }
    if zone != "-" {
        stop["place"]["timeZone"] = json!(zone);
    }
    if let Some((latitude, longitude)) = spot {
        stop["place"]["coordinate"] = json!({ "latitude": latitude, "longitude": longitude });
    }
    stop
}

fn line(stop: &types::Stop) -> String {
    let time = stop.start_time.as_deref().unwrap_or("-");
    let mark = if stop.start_time_suggested { "?" } else { "" };
    format!("{} {time}{mark}", stop.id)
}
