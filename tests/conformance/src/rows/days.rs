//! Days, stops and legs (specification, sections 2.4 to 2.6, 4.4 and 4.8).

use serde_json::{Value, json};

use crate::context::{Context, Made};
use crate::operations::whole;
use crate::outcome::{Checked, Stop, ensure};
use crate::row::{Row, row};
use crate::shape::{ITINERARY, LEG};

/// The ids of the stops of a day.
fn stops(itinerary: &Value, day: usize) -> Vec<&str> {
    let stops = itinerary["days"][day]["stops"].as_array().into_iter().flatten();
    stops.filter_map(|stop| stop["id"].as_str()).collect()
}

fn days(itinerary: &Value) -> Vec<&str> {
    itinerary["days"].as_array().into_iter().flatten().filter_map(|day| day["id"].as_str()).collect()
}

fn stop(id: &str, hundredths: u32) -> Value {
    let longitude = -9.2 + f64::from(hundredths) / 100.0;
    json!({ "id": id, "name": id, "place": { "coordinate": { "latitude": 38.7, "longitude": longitude } } })
}

/// An itinerary with the stops a, b, c and an empty day.
async fn three_stops(t: &Context) -> Checked<Made> {
    let stops = [stop("a", 0), stop("b", 2), stop("c", 4)];
    let legs = [("a", "b"), ("b", "c")].map(|(from, to)| json!({ "from": from, "to": to, "mode": "walk" }));
    t.itinerary(json!({ "days": [{ "id": "d1", "stops": stops, "legs": legs }, { "id": "d2" }] })).await
}

pub(super) fn rows() -> Vec<Row> {
    let mut rows = of_days();
    rows.extend(of_stops());
    rows.extend(of_legs());
    rows.extend(optimising());
    rows
}

fn of_days() -> Vec<Row> {
    vec![
        row("day.add.end", "day_add", "A day is added at the end, and gets an id.", |t| async move {
            let made = t.itinerary(whole()).await?;
            let response = made.post("/days", &json!({})).send().await?;
            let itinerary = response.json_with(200)?;
            let ids = days(&itinerary);
            response
                .ensure(ids.len() == 3 && ids[..2] == ["day-1", "day-2"] && !ids[2].is_empty(), "a third day")
                .map(|_| ())
        }),
        row("day.add.position", "day_add", "A day is added at the position in the query.", |t| async move {
            let made = t.itinerary(whole()).await?;
            let response = made.post("/days?position=1", &json!({ "id": "new" })).send().await?;
            let itinerary = response.json_with(200)?;
            response.ensure(days(&itinerary) == ["day-1", "new", "day-2"], "the days day-1, new, day-2").map(|_| ())
        }),
        row("day.add.position-refused", "day_add", "A position beyond the end is rejected.", |t| async move {
            let made = t.itinerary(whole()).await?;
            made.post("/days?position=9", &json!({})).send().await?.invalid("position")
        }),
        row(
            "day.update.merge",
            "4.4",
            "PATCH merges the fields of a day and answers with the itinerary.",
            |t| async move {
                let made = t.itinerary(whole()).await?;
                let image = json!({ "image": { "url": "https://images.example/day.jpg", "source": "Own" } });
                let response = made.patch_at("/days/day-1", &image).send().await?;
                response.status(200)?.shaped("", ITINERARY)?.at("/days/0/image", image["image"].clone())?;
                response.at("/days/0/stops/0/id", "stop-1").map(|_| ())
            },
        ),
        row("day.update.stops", "2.15", "Stops that are sent with a day replace its stops.", |t| async move {
            let made = t.itinerary(whole()).await?;
            let response = made.patch_at("/days/day-1", &json!({ "stops": [stop("only", 1)] })).send().await?;
            let itinerary = response.json_with(200)?;
            response.ensure(stops(&itinerary, 0) == ["only"], "the one stop that was sent").map(|_| ())
        }),
        row("day.update.unknown", "7.1", "A day that does not exist answers notFound.", |t| async move {
            let made = t.itinerary(whole()).await?;
            made.patch_at("/days/nowhere", &json!({ "stops": [] })).send().await?.error(404, "notFound").map(|_| ())
        }),
        row("day.update.refused", "day_update", "The error names the rejected field.", |t| async move {
            let made = t.itinerary(whole()).await?;
            made.patch_at("/days/day-1", &json!({ "stops": [{ "id": "a" }] })).send().await?.invalid("stops[0].name")
        }),
        row("day.remove.answer", "day_remove", "Removing a day answers 200 with the other days.", |t| async move {
            let made = t.itinerary(whole()).await?;
            let response = made.delete_at("/days/day-1").send().await?;
            let itinerary = response.json_with(200)?;
            response.ensure(days(&itinerary) == ["day-2"], "the day day-2 alone").map(|_| ())
        }),
    ]
}

fn of_stops() -> Vec<Row> {
    vec![
        row("stop.add.end", "stop_add", "A stop is added at the end of the day.", |t| async move {
            let made = three_stops(&t).await?;
            let response = made.post("/days/d1/stops", &stop("d", 6)).send().await?;
            let itinerary = response.json_with(200)?;
            response.ensure(stops(&itinerary, 0) == ["a", "b", "c", "d"], "the stops a, b, c, d")?;
            response.ensure(itinerary["needsAttention"].is_array(), "needsAttention").map(|_| ())
        }),
        row("stop.add.position", "stop_add", "A stop is added at the position in the query.", |t| async move {
            let made = three_stops(&t).await?;
            let response = made.post("/days/d1/stops?position=0", &stop("d", 6)).send().await?;
            let itinerary = response.json_with(200)?;
            response.ensure(stops(&itinerary, 0) == ["d", "a", "b", "c"], "the stops d, a, b, c").map(|_| ())
        }),
        row("stop.add.id", "2.15", "An added stop gets an id if none is sent.", |t| async move {
            let made = three_stops(&t).await?;
            let response = made.post("/days/d2/stops", &json!({ "name": "Castle" })).send().await?;
            let itinerary = response.json_with(200)?;
            response.ensure(stops(&itinerary, 1).first().is_some_and(|id| !id.is_empty()), "an id").map(|_| ())
        }),
        row("stop.add.id-taken", "stop_add", "An id that exists in the itinerary is rejected.", |t| async move {
            let made = three_stops(&t).await?;
            made.post("/days/d2/stops", &stop("a", 1)).send().await?.invalid("id")
        }),
        row("stop.add.name", "stop_add", "A stop needs a name.", |t| async move {
            let made = three_stops(&t).await?;
            made.post("/days/d1/stops", &json!({ "category": "beach" })).send().await?.invalid("name")
        }),
        row("stop.add.fields", "2.5", "Every field of a stop comes back as it was sent.", |t| async move {
            let made = three_stops(&t).await?;
            let sent = json!({
                "id": "market", "name": "Mercado", "category": "beach", "startTime": "09:30", "durationMinutes": 75,
                "startTimeSuggested": true, "phoneNumber": "+351 291 214 080",
                "place": {
                    "name": "Mercado", "address": "Rua 1", "coordinate": { "latitude": 38.7, "longitude": -9.1 },
                    "placeId": "id:1", "countryCode": "PT", "timeZone": "Europe/Lisbon",
                },
                "activity": {
                    "provider": "local", "productCode": "MKT-1", "rating": 4.5, "reviewCount": 1203,
                    "bookingUrl": "https://book.example/mkt-1", "lastCheckedAt": "2027-01-09T08:00:00+01:00",
                },
            });
            let response = made.post("/days/d2/stops", &sent).send().await?;
            response.status(200)?.holds(&json!({ "days": [{}, { "stops": [sent] }] })).map(|_| ())
        }),
        row("stop.update.merge", "2.15", "PATCH merges the fields of a stop.", |t| async move {
            let made = three_stops(&t).await?;
            let response = made.patch_at("/days/d1/stops/b", &json!({ "startTime": "10:15" })).send().await?;
            response.status(200)?.at("/days/0/stops/1/startTime", "10:15")?.at("/days/0/stops/1/name", "b").map(|_| ())
        }),
        row("stop.update.clear", "stop_update", "null clears a field of a stop.", |t| async move {
            let made = three_stops(&t).await?;
            let made = made.changed(made.patch_at("/days/d1/stops/b", &json!({ "startTime": "10:15" }))).await?;
            let response = made.patch_at("/days/d1/stops/b", &json!({ "startTime": null })).send().await?;
            response.status(200)?.lacks("/days/0/stops/1/startTime").map(|_| ())
        }),
        row("stop.update.unknown", "7.1", "A stop that does not exist answers notFound.", |t| async move {
            let made = three_stops(&t).await?;
            made.patch_at("/days/d1/stops/z", &json!({ "name": "Z" })).send().await?.error(404, "notFound")?;
            made.patch_at("/days/d2/stops/a", &json!({ "name": "Z" })).send().await?.error(404, "notFound").map(|_| ())
        }),
        row(
            "stop.remove.answer",
            "stop_remove",
            "Removing a stop answers 200 with the others in their order.",
            |t| async move {
                let made = three_stops(&t).await?;
                let response = made.delete_at("/days/d1/stops/b").send().await?;
                let itinerary = response.json_with(200)?;
                response.ensure(stops(&itinerary, 0) == ["a", "c"], "the stops a, c").map(|_| ())
            },
        ),
        row("stop.move.within", "stop_move", "A stop moves within its day.", |t| async move {
            let made = three_stops(&t).await?;
            let response = made.post("/days/d1/stops/c/move", &json!({ "position": 0 })).send().await?;
            let itinerary = response.json_with(200)?;
            response.ensure(stops(&itinerary, 0) == ["c", "a", "b"], "the stops c, a, b").map(|_| ())
        }),
        row("stop.move.to-day", "stop_move", "A stop moves to another day with all its fields.", |t| async move {
            let made = three_stops(&t).await?;
            let response = made.post("/days/d1/stops/a/move", &json!({ "dayId": "d2", "position": 0 })).send().await?;
            let itinerary = response.json_with(200)?;
            response.ensure(stops(&itinerary, 0) == ["b", "c"] && stops(&itinerary, 1) == ["a"], "a on the day d2")?;
            response.holds(&json!({ "days": [{}, { "stops": [stop("a", 0)] }] })).map(|_| ())
        }),
        row("stop.move.unknown-day", "stop_move", "Moving to a day that does not exist is rejected.", |t| async move {
            let made = three_stops(&t).await?;
            let response =
                made.post("/days/d1/stops/a/move", &json!({ "dayId": "nowhere", "position": 0 })).send().await?;
            response.invalid("dayId")
        }),
        row("stop.move.position", "stop_move", "Moving to a position beyond the end is rejected.", |t| async move {
            let made = three_stops(&t).await?;
            made.post("/days/d1/stops/a/move", &json!({ "position": 9 })).send().await?.invalid("position")
        }),
        row(
            "stop.activities.answer",
            "stop_activity_list",
            "Activities are suggested as stops that can be added.",
            |t| async move {
                let made = three_stops(&t).await?;
                let response = made.app.get(&made.at("/days/d1/stops/a/activities")).send().await?;
                if response.status == 502 {
                    return Err(Stop::skipped("the provider of activities does not answer"));
                }
                let list = response.json_with(200)?;
                response.ensure(list["data"].is_array(), "an array data")?;
                let Some(suggestion) = list["data"].get(0) else { return Ok(()) };
                response.ensure(suggestion["name"].is_string() && suggestion["id"].is_null(), "stops without ids")?;
                made.post("/days/d1/stops", suggestion).send().await?.status(200).map(|_| ())
            },
        ),
        row("stop.activities.limit", "8", "Activities count as a search: 30 a minute.", |t| async move {
            let made = three_stops(&t).await?;
            let response = made.app.get(&made.at("/days/d1/stops/a/activities")).send().await?;
            response.has("ratelimit-limit", "30").map(|_| ())
        }),
    ]
}

fn of_legs() -> Vec<Row> {
    vec![
        row("leg.kept", "day_add", "Legs between stops that stay adjacent are kept.", |t| async move {
            let made = three_stops(&t).await?;
            let response = made.post("/days/d1/stops", &stop("d", 6)).send().await?;
            response.status(200)?.at("/days/0/legs/0/from", "a")?.at("/days/0/legs/1/to", "c").map(|_| ())
        }),
        row(
            "leg.removed",
            "stop_remove",
            "Legs between stops that are no longer adjacent are removed, and the missing one is computed.",
            |t| async move {
                let made = three_stops(&t).await?;
                let response = made.delete_at("/days/d1/stops/b").send().await?;
                let response = response.status(200)?.at("/days/0/legs/0/from", "a")?.at("/days/0/legs/0/to", "c")?;
                response.at("/days/0/legs/1", Value::Null).map(|_| ())
            },
        ),
        row("leg.computed", "itinerary_create", "A write computes the legs that its days lack.", |t| async move {
            let stops = [stop("a", 0), stop("b", 2), stop("c", 4)];
            let days = json!([{ "stops": stops }, { "stops": [stop("d", 0), stop("e", 1)] }]);
            let made = t.itinerary(json!({ "days": days })).await?;
            let response = made.app.get(&made.at("/days")).send().await?;
            let response = response.status(200)?.at("/data/0/legs/1/from", "b")?.at("/data/0/legs/1/to", "c")?;
            let response = response.at("/data/1/legs/0/from", "d")?;
            let minutes = response.json()?["data"][0]["legs"][1]["minutes"].is_number();
            response.ensure(minutes, "minutes").map(|_| ())
        }),
        row("leg.of-nothing", "itinerary_create", "A leg joins stops of its day.", |t| async move {
            let legs = json!([{ "from": "a", "to": "nowhere", "mode": "walk" }]);
            let body = json!({ "days": [{ "stops": [stop("a", 0), stop("b", 1)], "legs": legs }] });
            let app = t.app()?;
            let body = crate::context::with(crate::context::minimal(), body);
            let response = app.post("/v1/itineraries?allowDuplicate=true&dryRun=true", &body).send().await?;
            response.error(422, "validationFailed").map(|_| ())
        }),
        row("places.refresh.legs", "2.1", "Refreshing places fills missing travel legs.", |t| async move {
            let made = t.itinerary(json!({ "days": [{ "stops": [stop("a", 0), stop("b", 2)] }] })).await?;
            let response = made.app.call(reqwest::Method::POST, &made.at("/places/refresh")).if_match(&made.etag);
            let response = response.send().await?;
            response.status(200)?.shaped("", ITINERARY)?.shaped("/days/0/legs/0", LEG)?;
            response.at("/days/0/legs/0/from", "a")?.at("/days/0/legs/0/to", "b").map(|_| ())
        }),
        row(
            "places.refresh.version",
            "itinerary_places_refresh",
            "Refreshing what is complete keeps the version.",
            |t| async move {
                let made = t.itinerary(json!({})).await?;
                let refresh = |made: &Made| {
                    made.app.call(reqwest::Method::POST, &made.at("/places/refresh")).if_match(&made.etag)
                };
                let once = made.changed(refresh(&made)).await?;
                let twice = once.changed(refresh(&once)).await?;
                ensure(once.etag == twice.etag, "the same ETag after the second refresh")
            },
        ),
    ]
}

fn optimising() -> Vec<Row> {
    vec![
        row(
            "day.optimise.order",
            "day_optimise",
            "Optimising orders a day's stops by the shortest way.",
            |t| async move {
                let line = [stop("a", 0), stop("c", 4), stop("b", 2), stop("d", 6)];
                let made = t.itinerary(json!({ "days": [{ "id": "d1", "stops": line }] })).await?;
                let response = made.post("/days/d1/optimise", &json!({ "mode": "walk" })).send().await?;
                let result = response.json_with(200)?;
                response.ensure(stops(&result["itinerary"], 0) == ["a", "b", "c", "d"], "the stops a, b, c, d")?;
                let (before, after) = (result["minutesBefore"].as_u64(), result["minutesAfter"].as_u64());
                response.ensure(before.is_some() && after < before, "a minutesAfter below minutesBefore").map(|_| ())
            },
        ),
        row(
            "day.optimise.stored",
            "day_optimise",
            "An optimised day is stored, and the answer has its ETag.",
            |t| async move {
                let line = [stop("a", 0), stop("c", 4), stop("b", 2), stop("d", 6)];
                let made = t.itinerary(json!({ "days": [{ "id": "d1", "stops": line }] })).await?;
                let response = made.post("/days/d1/optimise", &json!({ "mode": "walk" })).send().await?;
                let seen = made.view().await?;
                response.has("etag", seen.etag()?)?;
                seen.ensure(stops(&seen.json()?, 0) == ["a", "b", "c", "d"], "the stops a, b, c, d").map(|_| ())
            },
        ),
        row("day.optimise.dry-run", "day_optimise", "With dryRun an optimised day is not stored.", |t| async move {
            let line = [stop("a", 0), stop("c", 4), stop("b", 2), stop("d", 6)];
            let made = t.itinerary(json!({ "days": [{ "id": "d1", "stops": line }] })).await?;
            let response = made.post("/days/d1/optimise", &json!({ "mode": "walk", "dryRun": true })).send().await?;
            response.status(200)?.has("etag", "")?;
            made.view().await?.has("etag", &made.etag)?.at("/days/0/stops/1/id", "c").map(|_| ())
        }),
        row("day.optimise.mode", "day_optimise", "A mode is a known value.", |t| async move {
            let made = three_stops(&t).await?;
            made.post("/days/d1/optimise", &json!({ "mode": "teleport" })).send().await?.invalid("mode")
        }),
        row("day.optimise.limit", "8", "Optimising a day counts as a search: 30 a minute.", |t| async move {
            let made = three_stops(&t).await?;
            made.post("/days/d1/optimise", &json!({})).send().await?.has("ratelimit-limit", "30").map(|_| ())
        }),
    ]
}
