//! Reading an itinerary (specification, sections 2.3, 4.2 and 9).

use serde_json::json;

use crate::operations::{NOTHING, whole, whole_pro};
use crate::row::{Row, row};
use crate::shape::{AUTHOR, ITINERARY};

/// Lists inside an itinerary that need no Pro.
const LISTS: [&str; 3] = ["days", "flights", "hotels"];

pub(super) fn rows() -> Vec<Row> {
    let mut rows = itinerary();
    rows.extend(tags());
    rows.extend(lists());
    rows
}

fn itinerary() -> Vec<Row> {
    vec![
        row("itinerary.view.whole", "4.2", "A read answers 200 with the full itinerary.", |t| async move {
            let made = t.itinerary(whole()).await?;
            let response = made.view().await?;
            response.status(200)?.shaped("", ITINERARY)?.shaped("/author", AUTHOR)?.holds(&whole()).map(|_| ())
        }),
        row("itinerary.view.etag", "4.2", "A read's ETag is the version to send back.", |t| async move {
            let made = t.itinerary(json!({})).await?;
            let response = made.view().await?;
            let tag = response.status(200)?.etag()?.to_owned();
            made.app.patch(&made.path, &json!({ "title": "Next" })).if_match(&tag).send().await?.status(200).map(|_| ())
        }),
        row("itinerary.view.unknown", "7.1", "An itinerary that does not exist answers notFound.", |t| async move {
            t.app()?.get(&format!("/v1/itineraries/{NOTHING}")).send().await?.error(404, "notFound").map(|_| ())
        }),
        row("itinerary.view.id", "4.2", "An id that is not a UUID answers validationFailed for id.", |t| async move {
            t.app()?.get("/v1/itineraries/lisbon").send().await?.invalid("id")
        }),
        row(
            "itinerary.view.free",
            "2.3",
            "Expenses and packing are only included for Pro subscribers.",
            |t| async move {
                let response = t.itinerary(json!({})).await?.view().await?;
                response.status(200)?.lacks("/expenses")?.lacks("/packing").map(|_| ())
            },
        ),
        row("itinerary.view.pro", "2.3", "A read by a Pro subscriber includes expenses and packing.", |t| async move {
            let made = t.pro_itinerary(whole_pro()).await?;
            let response = made.view().await?;
            let wanted = json!({ "expenses": whole_pro()["expenses"], "packing": whole_pro()["packing"] });
            response.status(200)?.holds(&wanted).map(|_| ())
        }),
        row("itinerary.view.shape", "9", "The header Service-Itinerary-Shape takes the value clean.", |t| async move {
            let made = t.itinerary(json!({})).await?;
            let call = made.app.get(&made.path).header("Service-Itinerary-Shape", "clean");
            call.send().await?.status(200)?.shaped("", ITINERARY).map(|_| ())
        }),
        row("itinerary.view.other-shape", "9", "clean is the only value of Service-Itinerary-Shape.", |t| async move {
            let made = t.itinerary(json!({})).await?;
            let call = made.app.get(&made.path).header("Service-Itinerary-Shape", "raw");
            call.send().await?.invalid("Service-Itinerary-Shape")
        }),
        row("itinerary.view.created-at", "2.3", "createdAt stays, updatedAt follows each change.", |t| async move {
            let made = t.itinerary(json!({})).await?;
            let changed = made.patched(&json!({ "title": "Later" })).await?;
            let response = changed.view().await?;
            response.at("/createdAt", made.json["createdAt"].clone())?;
            let updated = response.json()?["updatedAt"].as_str().unwrap_or_default().to_owned();
            response.ensure(*updated >= *made.text("/updatedAt")?, "an updatedAt that is not earlier").map(|_| ())
        }),
        row(
            "itinerary.view.twice",
            "9",
            "Two reads without a change between them have the same ETag.",
            |t| async move {
                let made = t.itinerary(json!({})).await?;
                let tag = made.view().await?.etag()?.to_owned();
                made.view().await?.has("etag", &tag).map(|_| ())
            },
        ),
    ]
}

fn tags() -> Vec<Row> {
    vec![
        row(
            "itinerary.view.not-modified",
            "RFC 9110, section 13.1.2",
            "If-None-Match with the current ETag answers 304.",
            |t| async move {
                let made = t.itinerary(json!({})).await?;
                let tag = made.view().await?.etag()?.to_owned();
                let response = made.app.get(&made.path).header("If-None-Match", &tag).send().await?;
                response.status(304)?.empty()?.has("etag", &tag).map(|_| ())
            },
        ),
        row(
            "itinerary.view.none-match-list",
            "RFC 9110, section 13.1.2",
            "If-None-Match may be a list of ETags.",
            |t| async move {
                let made = t.itinerary(json!({})).await?;
                let tag = made.view().await?.etag()?.to_owned();
                let list = format!("\"other\", {tag}");
                made.app.get(&made.path).header("If-None-Match", &list).send().await?.status(304).map(|_| ())
            },
        ),
        row(
            "itinerary.view.none-match-any",
            "RFC 9110, section 13.1.2",
            "If-None-Match: * answers 304 to a read.",
            |t| async move {
                let made = t.itinerary(json!({})).await?;
                made.app.get(&made.path).header("If-None-Match", "*").send().await?.status(304).map(|_| ())
            },
        ),
        row(
            "itinerary.view.none-match-weak",
            "RFC 9110, section 13.1.2",
            "If-None-Match compares weakly.",
            |t| async move {
                let made = t.itinerary(json!({})).await?;
                let weak = format!("W/{}", made.view().await?.etag()?);
                made.app.get(&made.path).header("If-None-Match", &weak).send().await?.status(304).map(|_| ())
            },
        ),
        row(
            "itinerary.view.modified",
            "RFC 9110, section 13.1.2",
            "If-None-Match with an older ETag answers 200.",
            |t| async move {
                let made = t.itinerary(json!({})).await?;
                let tag = made.view().await?.etag()?.to_owned();
                made.patched(&json!({ "title": "Changed" })).await?;
                let response = made.app.get(&made.path).header("If-None-Match", &tag).send().await?;
                response.status(200)?.at("/title", "Changed").map(|_| ())
            },
        ),
        row("itinerary.view.etag-changes", "9", "A change gives the itinerary another ETag.", |t| async move {
            let made = t.itinerary(json!({})).await?;
            let changed = made.patched(&json!({ "title": "Changed" })).await?;
            let response = changed.view().await?;
            response.ensure(response.etag()? != made.etag, "another ETag than before the change").map(|_| ())
        }),
    ]
}

fn lists() -> Vec<Row> {
    let mut rows: Vec<Row> = LISTS
        .into_iter()
        .flat_map(|list| {
            let wanted = whole()[list].clone();
            let operation = format!("{}_list", list.trim_end_matches('s'));
            let section = if list == "days" { operation.clone() } else { "4.4".to_owned() };
            let promise = format!("GET …/{list} answers 200 with the itinerary's {list} in data, in their order.");
            let cached = format!("GET …/{list} with If-None-Match and the list's ETag answers 304.");
            [
                row(format!("{}.list.data", list.trim_end_matches('s')), section, promise, move |t| {
                    let wanted = json!({ "data": wanted });
                    async move {
                        let made = t.itinerary(whole()).await?;
                        made.app
                            .get(&made.at(&format!("/{list}")))
                            .send()
                            .await?
                            .status(200)?
                            .holds(&wanted)
                            .map(|_| ())
                    }
                }),
                row(
                    format!("{}.list.not-modified", list.trim_end_matches('s')),
                    operation,
                    cached,
                    move |t| async move {
                        let made = t.itinerary(whole()).await?;
                        let path = made.at(&format!("/{list}"));
                        let tag = made.app.get(&path).send().await?.etag()?.to_owned();
                        made.app.get(&path).header("If-None-Match", &tag).send().await?.status(304)?.empty().map(|_| ())
                    },
                ),
            ]
        })
        .collect();
    rows.push(row("flight.list.empty", "4.4", "A list without entries answers 200 with empty data.", |t| async move {
        let made = t.itinerary(json!({})).await?;
        made.app.get(&made.at("/flights")).send().await?.status(200)?.at("/data", json!([])).map(|_| ())
    }));
    rows
}
