//! Retries with `Idempotency-Key` (specification, sections 4.2, 7.3 and 9).

use serde_json::json;

use crate::call::Call;
use crate::context::{key, minimal, with};
use crate::outcome::Checked;
use crate::response::ReceivedResponse;
use crate::row::{Row, row};
use crate::travellers::App;

fn create(app: &App, title: &str, key: &str) -> Call {
    app.post("/v1/itineraries?allowDuplicate=true", &with(minimal(), json!({ "title": title }))).key(key)
}

/// Expects the first response once more.
fn replays(again: &ReceivedResponse, first: &ReceivedResponse) -> Checked {
    again.status(first.status)?;
    again.ensure(again.body == first.body, "the body of the first response")?;
    again.has("etag", first.header("etag"))?.has("location", first.header("location"))?;
    again.ensure(again.header("x-request-id") != first.header("x-request-id"), "a request id of its own").map(|_| ())
}

pub(super) fn rows() -> Vec<Row> {
    let mut rows = creates();
    rows.extend(updates());
    rows.extend(keys());
    rows
}

fn creates() -> Vec<Row> {
    vec![
        row(
            "idempotency.create.replay",
            "9",
            "The same key and body replay the first response to a create.",
            |t| async move {
                let (app, key) = (t.app()?, key());
                let first = create(&app, "Once", &key).send().await?;
                first.status(201)?;
                replays(&create(&app, "Once", &key).send().await?, &first)
            },
        ),
        row("idempotency.create.once", "9", "A replayed create creates nothing.", |t| async move {
            let (app, key) = (t.app()?, key());
            let first = create(&app, "Once", &key).send().await?;
            let again = create(&app, "Once", &key).send().await?;
            again.status(201)?.at("/id", first.json()?["id"].clone()).map(|_| ())
        }),
        row(
            "idempotency.create.marked",
            "itinerary_create",
            "A replay carries Idempotency-Replayed: true.",
            |t| async move {
                let (app, key) = (t.app()?, key());
                create(&app, "Once", &key).send().await?.status(201)?.has("idempotency-replayed", "")?;
                create(&app, "Once", &key).send().await?.status(201)?.has("idempotency-replayed", "true").map(|_| ())
            },
        ),
        row(
            "idempotency.create.reused",
            "9",
            "The same key with another body gives idempotencyKeyReused.",
            |t| async move {
                let (app, key) = (t.app()?, key());
                create(&app, "Once", &key).send().await?.status(201)?;
                create(&app, "Twice", &key).send().await?.error(422, "idempotencyKeyReused").map(|_| ())
            },
        ),
        row(
            "idempotency.create.meaning",
            "itinerary_create",
            "The order of a body's fields makes no difference.",
            |t| async move {
                let (app, key) = (t.app()?, key());
                let coordinate = r#""coordinate":{"latitude":1,"longitude":2}"#;
                let bodies = [
                    format!(r#"{{"title":"Once","destination":{{"name":"Lisbon",{coordinate}}}}}"#),
                    format!(r#"{{ "destination": {{{coordinate},"name":"Lisbon"}}, "title":"Once" }}"#),
                ];
                let call = |body: &str| {
                    let call = app.call(reqwest::Method::POST, "/v1/itineraries?allowDuplicate=true").key(&key);
                    call.body("application/json", body)
                };
                let first = call(&bodies[0]).send().await?;
                first.status(201)?;
                replays(&call(&bodies[1]).send().await?, &first)
            },
        ),
        row(
            "idempotency.create.concurrent",
            "9",
            "Concurrent creates with one key create one itinerary.",
            |t| async move {
                let (app, key) = (t.app()?, key());
                let (one, two) = tokio::join!(create(&app, "Once", &key).send(), create(&app, "Once", &key).send());
                let (one, two) = (one?, two?);
                one.status(201)?;
                two.status(201)?.at("/id", one.json()?["id"].clone()).map(|_| ())
            },
        ),
        row(
            "idempotency.create.other-traveller",
            "itinerary_create",
            "A key belongs to its traveller.",
            |t| async move {
                let (app, key) = (t.app()?, key());
                let first = create(&app, "Once", &key).send().await?;
                let theirs = create(&t.other(&app)?, "Twice", &key).send().await?;
                theirs.status(201)?;
                theirs.ensure(theirs.json()?["id"] != first.json()?["id"], "an itinerary of its own").map(|_| ())
            },
        ),
        row("idempotency.create.other-client", "itinerary_create", "A key belongs to its client.", |t| async move {
            let (app, key) = (t.app()?, key());
            let other = t.travellers.another_client(&app)?;
            let first = create(&app, "Once", &key).send().await?;
            let second = create(&other, "Once", &key).send().await?;
            second.status(201)?;
            second.ensure(second.json()?["id"] != first.json()?["id"], "an itinerary of its own").map(|_| ())
        }),
        row(
            "idempotency.create.after-failure",
            "itinerary_create",
            "A key whose request failed may be used again.",
            |t| async move {
                let (app, key) = (t.app()?, key());
                create(&app, "", &key).send().await?.invalid("title")?;
                create(&app, "Corrected", &key).send().await?.status(201).map(|_| ())
            },
        ),
        row("idempotency.create.without-key", "9", "Without a key each create creates an itinerary.", |t| async move {
            let app = t.app()?;
            let (first, second) = (app.itinerary(json!({})).await?, app.itinerary(json!({})).await?);
            crate::outcome::ensure(first.id != second.id, "two itineraries")
        }),
    ]
}

fn updates() -> Vec<Row> {
    vec![
        row(
            "idempotency.update.replay",
            "9",
            "The same key and body replay the first response to an update.",
            |t| async move {
                let (made, key) = (t.itinerary(json!({})).await?, key());
                let first = made.patch(&json!({ "title": "Once" })).key(&key).send().await?;
                first.status(200)?;
                replays(&made.patch(&json!({ "title": "Once" })).key(&key).send().await?, &first)
            },
        ),
        row("idempotency.update.once", "9", "A replayed update changes nothing.", |t| async move {
            let (made, key) = (t.itinerary(json!({})).await?, key());
            let first = made.patch(&json!({ "title": "Once" })).key(&key).send().await?;
            let call = made.app.patch(&made.path, &json!({ "title": "Later" })).if_match(first.etag()?);
            let later = call.send().await?;
            made.patch(&json!({ "title": "Once" })).key(&key).send().await?.status(200)?.at("/title", "Once")?;
            made.view().await?.at("/title", "Later")?.has("etag", later.etag()?).map(|_| ())
        }),
        row(
            "idempotency.update.reused",
            "9",
            "A key of an update with another body gives idempotencyKeyReused.",
            |t| async move {
                let (made, key) = (t.itinerary(json!({})).await?, key());
                made.patch(&json!({ "title": "Once" })).key(&key).send().await?.status(200)?;
                let again =
                    made.app.patch(&made.path, &json!({ "title": "Twice" })).if_match("*").key(&key).send().await?;
                again.error(422, "idempotencyKeyReused").map(|_| ())
            },
        ),
        row(
            "idempotency.update.after-conflict",
            "7.3",
            "After itineraryModified the same key works with the new ETag.",
            |t| async move {
                let (made, key) = (t.itinerary(json!({})).await?, key());
                let changed = made.patched(&json!({ "summary": "Meanwhile" })).await?;
                made.patch(&json!({ "title": "Mine" })).key(&key).send().await?.error(409, "itineraryModified")?;
                let retry = made.app.patch(&made.path, &json!({ "title": "Mine" })).if_match(&changed.etag).key(&key);
                retry.send().await?.status(200)?.at("/title", "Mine").map(|_| ())
            },
        ),
        row(
            "idempotency.update.other-itinerary",
            "itinerary_update",
            "A key belongs to its operation and itinerary.",
            |t| async move {
                let (app, key) = (t.app()?, key());
                for title in ["One", "Two"] {
                    let made = app.itinerary(json!({})).await?;
                    made.patch(&json!({ "title": title })).key(&key).send().await?.status(200)?.at("/title", title)?;
                }
                Ok(())
            },
        ),
        row(
            "idempotency.item.replay",
            "stop_add",
            "A key makes adding an item retryable: it is added once.",
            |t| async move {
                let (made, key) = (t.itinerary(json!({ "days": [{ "id": "day-1" }] })).await?, key());
                let stop =
                    json!({ "name": "Castle", "place": { "coordinate": { "latitude": 38.7, "longitude": -9.1 } } });
                let first = made.post("/days/day-1/stops", &stop).key(&key).send().await?;
                first.status(200)?;
                replays(&made.post("/days/day-1/stops", &stop).key(&key).send().await?, &first)?;
                let stops = made
                    .view()
                    .await?
                    .json()?
                    .pointer("/days/0/stops")
                    .and_then(|stops| stops.as_array().map(Vec::len));
                crate::outcome::ensure(stops == Some(1), "one stop")
            },
        ),
    ]
}

fn keys() -> Vec<Row> {
    vec![
        row("idempotency.key.uuid", "4.2", "An Idempotency-Key is a UUID.", |t| async move {
            create(&t.app()?, "Once", "not-a-uuid").send().await?.invalid("Idempotency-Key")
        }),
        row("idempotency.key.quoted", "itinerary_create", "An Idempotency-Key may be quoted.", |t| async move {
            let (app, key) = (t.app()?, key());
            let first = create(&app, "Once", &format!("\"{key}\"")).send().await?;
            first.status(201)?;
            replays(&create(&app, "Once", &key).send().await?, &first)
        }),
    ]
}
