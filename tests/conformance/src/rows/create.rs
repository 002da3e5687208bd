//! Creating an itinerary (specification, sections 2.3 and 4.2).

use serde_json::json;

use crate::context::{Made, minimal, with};
use crate::outcome::ensure;
use crate::row::{Row, row};
use crate::shape::{AUTHOR, ITINERARY};

pub(super) fn rows() -> Vec<Row> {
    vec![
        row(
            "itinerary.create.minimal",
            "4.2",
            "A create with a destination's name and coordinate answers 201 with the itinerary.",
            |t| async move {
                let app = t.app()?;
                let answer = app.post("/v1/itineraries?allowDuplicate=true", &minimal()).send().await?;
                answer.status(201)?.shaped("", ITINERARY)?.shaped("/author", AUTHOR)?.holds(&minimal())?;
                Ok(())
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
                let answer = app.post("/v1/itineraries?allowDuplicate=true", &minimal()).send().await?;
                let made = Made::of(&app, &answer)?;
                answer.ensure(
                    answer.header("location").ends_with(&made.path),
                    format!("a Location that ends with {}", made.path),
                )?;
                Ok(())
            },
        ),
        row("itinerary.create.private", "3", "A created itinerary is private.", |t| async move {
            let made = t.itinerary(json!({})).await?;
            ensure(
                made.json["visibility"] == "private" && made.json["role"] == "owner",
                "visibility private and role owner",
            )
        }),
        row(
            "itinerary.create.needs-attention",
            "4.2",
            "A create lists what could not be placed or filled in needsAttention.",
            |t| async move {
                let app = t.app()?;
                let body = with(minimal(), json!({ "days": [{ "stops": [{ "name": "Qxzzy Nowhere Wharf" }] }] }));
                let answer = app.post("/v1/itineraries?allowDuplicate=true", &body).send().await?;
                let itinerary = answer.json_with(201)?;
                let entries = itinerary["needsAttention"].as_array().cloned().unwrap_or_default();
                let names_stop = entries
                    .iter()
                    .any(|entry| entry["field"].as_str().is_some_and(|field| field.starts_with("days[0].stops[0]")));
                answer.ensure(names_stop, "an entry of needsAttention for days[0].stops[0]")?;
                Ok(())
            },
        ),
    ]
}
