//! Creating an itinerary (specification, sections 2.3 and 4.2).

use serde_json::{Value, json};

use crate::context::{Context, Made, minimal, to, with, word};
use crate::operations::{whole, whole_pro};
use crate::outcome::{Checked, ensure};
use crate::response::ReceivedResponse;
use crate::row::{Row, row};
use crate::shape::{AUTHOR, ITINERARY, is_date};
use crate::travellers::App;

/// Creates an itinerary with further fields.
async fn create(app: &App, fields: Value) -> Checked<ReceivedResponse> {
    app.post("/v1/itineraries?allowDuplicate=true", &with(minimal(), fields)).send().await
}

/// The entries of `needsAttention` for a field.
fn attention(itinerary: &Value, field: &str) -> Vec<String> {
    let entries = itinerary["needsAttention"].as_array().cloned().unwrap_or_default();
    let of_field = entries.iter().filter(|entry| entry["field"].as_str().is_some_and(|name| name.starts_with(field)));
    of_field.map(|entry| entry["code"].as_str().unwrap_or_default().to_owned()).collect()
}

pub(super) fn rows() -> Vec<Row> {
    let mut rows = responses();
    rows.extend(filling());
    rows.extend(duplicates());
    rows
}

fn responses() -> Vec<Row> {
    vec![
        row(
            "itinerary.create.minimal",
            "4.2",
            "A destination's name and coordinate are enough for a create, which answers 201 with the itinerary.",
            |t| async move {
                let response = create(&t.app()?, json!({})).await?;
                response.status(201)?.shaped("", ITINERARY)?.shaped("/author", AUTHOR)?.holds(&minimal()).map(|_| ())
            },
        ),
        row(
            "itinerary.create.etag",
            "4.2",
            "A create answers with an ETag that the next write accepts.",
            |t| async move {
                let made = t.itinerary(json!({})).await?;
                made.patched(&json!({ "title": "Next" })).await.map(|_| ())
            },
        ),
        row(
            "itinerary.create.location",
            "4.2",
            "A create answers with the itinerary's address in Location.",
            |t| async move {
                let app = t.app()?;
                let response = create(&app, json!({})).await?;
                let made = Made::of(&app, &response)?;
                let location = response.with_header("location")?.split('?').next().unwrap_or_default();
                response.ensure(location.ends_with(&made.path), format!("a Location that ends with {}", made.path))?;
                Ok(())
            },
        ),
        row(
            "itinerary.create.private",
            "3",
            "A created itinerary is private, and the caller its owner.",
            |t| async move {
                let response = create(&t.app()?, json!({})).await?;
                response.at("/visibility", "private")?.at("/role", "owner").map(|_| ())
            },
        ),
        row("itinerary.create.author", "2.3", "The author of a created itinerary is the caller.", |t| async move {
            let app = t.app()?;
            let response = create(&app, json!({})).await?;
            response.at("/author/accountId", &*app.account_id)?.at("/author/username", &*app.username).map(|_| ())
        }),
        row("itinerary.create.counts", "2.3", "A created itinerary has no likes and no views.", |t| async move {
            let response = create(&t.app()?, json!({})).await?;
            response.at("/likesCount", 0)?.at("/viewsCount", 0).map(|_| ())
        }),
        row(
            "itinerary.create.whole",
            "2.3",
            "Every field that is sent on create comes back as it was sent.",
            |t| async move {
                let fields = with(
                    whole(),
                    json!({
                        "title": "A week in Lisbon",
                        "summary": "Tiles,\nmarkets\tand the river.", "startDate": "2027-09-01",
                        "travellers": 3, "tags": ["tiles", "caf\u{e9}", "\u{1f30a}"], "currency": "EUR",
                        "coverImage": { "url": "https://images.example/a.jpg?w=1&h=2", "source": "Ana" },
                        "origin": { "name": "Porto", "coordinate": { "latitude": 41.1579, "longitude": -8.6291 } },
                    }),
                );
                let made = t.itinerary(fields.clone()).await?;
                made.view().await?.holds(&fields).map(|_| ())
            },
        ),
        row(
            "itinerary.create.whole-pro",
            "2.3",
            "Expenses and packing that are sent on create come back as they were sent.",
            |t| async move {
                let made = t.pro_itinerary(whole_pro()).await?;
                made.view().await?.holds(&whole_pro()).map(|_| ())
            },
        ),
        row(
            "itinerary.create.ids",
            "2.15",
            "Days, stops, flights and hotels get an id if none is sent.",
            |t| async move {
                let fields = json!({
                    "days": [{ "stops": [{ "name": "Castle" }] }],
                    "flights": [{ "flightNumber": "TP1" }], "hotels": [{ "name": "Inn" }],
                });
                let response = create(&t.app()?, fields).await?;
                let itinerary = response.json_with(201)?;
                for at in ["/days/0/id", "/days/0/stops/0/id", "/flights/0/id", "/hotels/0/id"] {
                    let id = itinerary.pointer(at).and_then(Value::as_str).unwrap_or_default();
                    response.ensure(!id.is_empty(), format!("an id at {at}"))?;
                }
                Ok(())
            },
        ),
        row(
            "itinerary.create.read-only",
            "itinerary_create",
            "Read-only fields are accepted and ignored, so that what was read can be sent back.",
            |t| async move {
                let made = t.itinerary(json!({})).await?;
                let mut copy = made.json.clone();
                copy["likesCount"] = json!(9);
                copy["role"] = json!("viewer");
                let response = made.app.post("/v1/itineraries?allowDuplicate=true", &copy).send().await?;
                response.status(201)?.at("/likesCount", 0)?.at("/role", "owner")?;
                response.ensure(response.json()?["id"] != made.json["id"], "an id of its own").map(|_| ())
            },
        ),
        row(
            "itinerary.create.dry-run",
            "itinerary_create",
            "With dryRun=true a create answers 200 with the itinerary as it would be, and stores nothing.",
            |t| async move {
                let app = t.app()?;
                let response = app.post("/v1/itineraries?allowDuplicate=true&dryRun=true", &minimal()).send().await?;
                let itinerary = response.json_with(200)?;
                response.ensure(response.header("etag").is_empty(), "no ETag")?;
                if let Some(id) = itinerary["id"].as_str() {
                    app.get(&format!("/v1/itineraries/{id}")).send().await?.error(404, "notFound")?;
                }
                Ok(())
            },
        ),
        row("itinerary.create.packing-needs-pro", "4.2", "A create that includes packing needs Pro.", |t| {
            needs_pro(t, "packing")
        }),
        row("itinerary.create.expenses-need-pro", "4.2", "A create that includes expenses needs Pro.", |t| {
            needs_pro(t, "expenses")
        }),
    ]
}

async fn needs_pro(t: Context, section: &str) -> Checked {
    let response = create(&t.app()?, json!({ section: [] })).await?;
    let details = response.error(403, "subscriptionRequired")?;
    response.ensure(details["section"] == section, format!("error.details.section {section}")).map(|_| ())
}

fn filling() -> Vec<Row> {
    vec![
        row(
            "itinerary.create.filled",
            "2.3",
            "Main details that are not given on create are filled, or listed in needsAttention.",
            |t| async move {
                let response = create(&t.app()?, json!({})).await?;
                let itinerary = response.json_with(201)?;
                for field in ["origin", "startDate", "travellers", "coverImage"] {
                    let known = !itinerary[field].is_null() || !attention(&itinerary, field).is_empty();
                    response.ensure(known, format!("{field}, or an entry of needsAttention for it"))?;
                }
                let start = itinerary["startDate"].as_str().unwrap_or_default();
                response.ensure(is_date(start), "a startDate").map(|_| ())
            },
        ),
        row(
            "itinerary.create.filled-title",
            "itinerary_create",
            "Without a title, an itinerary is named after its destination; travellers default to 1.",
            |t| async move {
                let response = create(&t.app()?, json!({})).await?;
                let title = response.json_with(201)?["title"].as_str().unwrap_or_default().to_owned();
                response
                    .ensure(title.contains("Lisbon"), "a title that contains Lisbon")?
                    .at("/travellers", 1)
                    .map(|_| ())
            },
        ),
        row(
            "itinerary.create.filled-start",
            "itinerary_create",
            "Without a startDate, the earliest flight or check-in gives it.",
            |t| async move {
                let response = create(&t.app()?, whole()).await?;
                response.status(201)?.at("/startDate", "2027-09-01").map(|_| ())
            },
        ),
        row(
            "itinerary.create.assumed-start",
            "itinerary_create",
            "A startDate that the server chose is listed in needsAttention.",
            |t| async move {
                let response = create(&t.app()?, json!({})).await?;
                let codes = attention(&response.json_with(201)?, "startDate");
                response.ensure(!codes.is_empty(), "an entry of needsAttention for startDate").map(|_| ())
            },
        ),
        row(
            "itinerary.create.attention-of-reads",
            "itinerary_create",
            "needsAttention is part of the answers to writes and not of reads.",
            |t| async move {
                let made = t.itinerary(json!({})).await?;
                ensure(made.json["needsAttention"].is_array(), "needsAttention in the answer to a create")?;
                made.view().await?.lacks("/needsAttention").map(|_| ())
            },
        ),
        row(
            "itinerary.create.not-placed",
            "4.2",
            "A stop that could not be placed by its name is listed in needsAttention.",
            |t| async move {
                let name = format!("Qxz {}", word());
                let response = create(&t.app()?, json!({ "days": [{ "stops": [{ "name": name }] }] })).await?;
                let codes = attention(&response.json_with(201)?, "days[0].stops[0]");
                response.ensure(!codes.is_empty(), "an entry of needsAttention for days[0].stops[0]").map(|_| ())
            },
        ),
        row(
            "itinerary.create.placed",
            "2.1",
            "A stop without a coordinate is placed from its name, or listed in needsAttention.",
            |t| async move {
                let stop = json!({ "name": "Lisbon Airport" });
                let response = create(&t.app()?, json!({ "days": [{ "stops": [stop] }] })).await?;
                let itinerary = response.json_with(201)?;
                let is_placed = itinerary.pointer("/days/0/stops/0/place/coordinate").is_some();
                let is_listed = !attention(&itinerary, "days[0].stops[0]").is_empty();
                response.ensure(is_placed != is_listed, "a coordinate, or an entry of needsAttention").map(|_| ())
            },
        ),
        row(
            "itinerary.create.keeps-coordinates",
            "2.1",
            "A stop that is sent with a coordinate keeps it.",
            |t| async move {
                let response = create(&t.app()?, whole()).await?;
                response.status(201)?.holds(&json!({ "days": whole()["days"] })).map(|_| ())
            },
        ),
    ]
}

/// A destination that no other row uses, with a start date.
fn on_a_date() -> Value {
    with(to("Funchal", 32.6669, -16.9241), json!({ "startDate": "2031-03-01", "title": word() }))
}

fn duplicates() -> Vec<Row> {
    vec![
        row(
            "itinerary.create.duplicate",
            "4.2",
            "A create with the destination and start date of an itinerary of the caller is rejected, and the error names it.",
            |t| async move {
                let app = t.app()?;
                let first = app.post("/v1/itineraries?allowDuplicate=true", &on_a_date()).send().await?;
                first.status(201)?;
                let again = app.post("/v1/itineraries", &on_a_date()).send().await?;
                let details = again.error(409, "duplicateItinerary")?;
                let named = details["itineraryId"].as_str().unwrap_or_default();
                let there = app.get(&format!("/v1/itineraries/{named}")).send().await?;
                there.status(200)?.at("/destination/name", "Funchal")?.at("/startDate", "2031-03-01").map(|_| ())
            },
        ),
        row(
            "itinerary.create.allow-duplicate",
            "4.2",
            "With allowDuplicate=true a duplicate is created.",
            |t| async move {
                let app = t.app()?;
                for _ in 0..2 {
                    let made = app.post("/v1/itineraries?allowDuplicate=true", &on_a_date()).send().await?;
                    made.status(201)?;
                }
                Ok(())
            },
        ),
        row(
            "itinerary.create.duplicate-of-others",
            "4.2",
            "Somebody else's itinerary does not count as a duplicate.",
            |t| async move {
                let app = t.app()?;
                let body = with(to("Horta", 38.5347, -28.6300), json!({ "startDate": "2032-04-02" }));
                let theirs = t.other(&app)?.post("/v1/itineraries?allowDuplicate=true", &body).send().await?;
                theirs.status(201)?;
                let own = app.post("/v1/itineraries", &body).send().await?;
                // The traveller may have such an itinerary from an earlier run.
                let names_theirs = own.status == 409
                    && own.json()?.pointer("/error/details/itineraryId") == theirs.json()?.pointer("/id");
                own.ensure(matches!(own.status, 201 | 409) && !names_theirs, "status 201").map(|_| ())
            },
        ),
        row(
            "itinerary.create.other-date",
            "4.2",
            "The same destination on another date is not a duplicate.",
            |t| async move {
                let app = t.app()?;
                app.post("/v1/itineraries?allowDuplicate=true", &on_a_date()).send().await?.status(201)?;
                let later = with(on_a_date(), json!({ "startDate": "2031-03-02" }));
                app.post("/v1/itineraries", &later).send().await?.status(201).map(|_| ())
            },
        ),
    ]
}
