//! Changing and deleting an itinerary (specification, sections 2.15, 4.2 and 9).

use serde_json::json;

use crate::context::minimal;
use crate::operations::{whole, whole_pro};
use crate::outcome::ensure;
use crate::row::{Row, row};
use crate::shape::ITINERARY;

pub(super) fn rows() -> Vec<Row> {
    let mut rows = merges();
    rows.extend(refusals());
    rows.extend(deletes());
    rows
}

fn merges() -> Vec<Row> {
    vec![
        row(
            "itinerary.update.answer",
            "4.2",
            "PATCH answers 200 with the updated itinerary and its ETag.",
            |t| async move {
                let made = t.itinerary(whole()).await?;
                let response = made.patch(&json!({ "title": "Changed" })).send().await?;
                response.status(200)?.shaped("", ITINERARY)?.at("/title", "Changed")?;
                let tag = response.etag()?;
                response.ensure(tag != made.etag, "another ETag")?;
                made.view().await?.has("etag", tag)?.at("/title", "Changed").map(|_| ())
            },
        ),
        row("itinerary.update.keeps", "2.15", "PATCH keeps what is not sent.", |t| async move {
            let made = t.itinerary(whole()).await?;
            let response = made.patch(&json!({ "summary": "Short." })).send().await?;
            response.status(200)?.holds(&whole())?.at("/title", made.json["title"].clone()).map(|_| ())
        }),
        row("itinerary.update.clears", "itinerary_update", "null clears a field.", |t| async move {
            let made = t.itinerary(json!({ "summary": "Short." })).await?;
            let response = made.patch(&json!({ "summary": null })).send().await?;
            response.status(200)?.lacks("/summary")?;
            made.view().await?.lacks("/summary").map(|_| ())
        }),
        row("itinerary.update.required", "itinerary_update", "A required field cannot be cleared.", |t| async move {
            let made = t.itinerary(json!({})).await?;
            made.patch(&json!({ "destination": null })).send().await?.invalid("destination")
        }),
        row(
            "itinerary.update.merges-objects",
            "2.15",
            "PATCH merges an object into the existing one.",
            |t| async move {
                let made = t.itinerary(json!({})).await?;
                let response = made.patch(&json!({ "destination": { "address": "Rua 1" } })).send().await?;
                let merged = json!({ "name": "Lisbon", "address": "Rua 1", "coordinate": { "latitude": 38.7223 } });
                response.status(200)?.holds(&json!({ "destination": merged })).map(|_| ())
            },
        ),
        row(
            "itinerary.update.replaces-arrays",
            "2.15",
            "An array that is sent replaces the whole array.",
            |t| async move {
                let made = t.itinerary(json!({ "tags": ["a", "b", "c"] })).await?;
                made.patch(&json!({ "tags": ["d"] })).send().await?.status(200)?.at("/tags", json!(["d"])).map(|_| ())
            },
        ),
        row("itinerary.update.replaces-days", "2.15", "Days that are sent replace all days.", |t| async move {
            let made = t.itinerary(whole()).await?;
            let days = json!({ "days": [{ "id": "day-9", "stops": [] }] });
            let response = made.patch(&days).send().await?;
            response.status(200)?.holds(&days)?.holds(&json!({ "flights": whole()["flights"] })).map(|_| ())
        }),
        row(
            "itinerary.update.merge-patch-type",
            "itinerary_update",
            "application/merge-patch+json is accepted.",
            |t| async move {
                let made = t.itinerary(json!({})).await?;
                let call = made.app.call(reqwest::Method::PATCH, &made.path).if_match(&made.etag);
                let response = call.body("application/merge-patch+json", r#"{"title":"Merged"}"#).send().await?;
                response.status(200)?.at("/title", "Merged").map(|_| ())
            },
        ),
        row(
            "itinerary.update.sent-back",
            "itinerary_update",
            "What was read can be sent back unchanged.",
            |t| async move {
                let made = t.itinerary(whole()).await?;
                let seen = made.view().await?.json()?;
                made.patch(&seen).send().await?.status(200)?.holds(&whole()).map(|_| ())
            },
        ),
        row(
            "itinerary.update.hidden-sections",
            "itinerary_update",
            "null and [] for a section that the caller is not shown are no change.",
            |t| async move {
                let made = t.itinerary(json!({})).await?;
                for nothing in [json!(null), json!([])] {
                    let body = json!({ "expenses": nothing, "packing": nothing });
                    made.patch(&body).send().await?.status(200)?.has("etag", &made.etag)?;
                }
                made.view().await?.has("etag", &made.etag).map(|_| ())
            },
        ),
        row("itinerary.update.read-only", "itinerary_update", "Read-only fields do not change.", |t| async move {
            let made = t.itinerary(json!({})).await?;
            let response =
                made.patch(&json!({ "role": "viewer", "viewsCount": 99, "title": "Changed" })).send().await?;
            response.status(200)?.at("/role", "owner")?.at("/viewsCount", 0)?.at("/title", "Changed").map(|_| ())
        }),
        row(
            "itinerary.update.attention",
            "itinerary_update",
            "An answer to a change has needsAttention.",
            |t| async move {
                let made = t.itinerary(json!({})).await?;
                let changed = made.patched(&json!({ "title": "Changed" })).await?;
                ensure(changed.json["needsAttention"].is_array(), "an array needsAttention")
            },
        ),
        row("itinerary.update.pro", "2.3", "A Pro subscriber changes expenses and packing.", |t| async move {
            let made = t.pro_itinerary(whole_pro()).await?;
            let packing = json!({ "packing": [{ "id": "packing-2", "name": "Hat", "quantity": 2 }] });
            made.patch(&packing).send().await?.status(200)?.holds(&packing).map(|_| ())
        }),
    ]
}

fn refusals() -> Vec<Row> {
    vec![
        row(
            "itinerary.update.other-shape",
            "9",
            "A write with another Service-Itinerary-Shape than clean is rejected and changes nothing.",
            |t| async move {
                let made = t.itinerary(json!({})).await?;
                let create = made.app.post("/v1/itineraries?allowDuplicate=true", &minimal());
                let writes = [made.patch(&json!({ "title": "Changed" })), made.post("/days", &json!({})), create];
                for write in writes {
                    write.header("Service-Itinerary-Shape", "raw").send().await?.invalid("Service-Itinerary-Shape")?;
                }
                made.view().await?.has("etag", &made.etag).map(|_| ())
            },
        ),
        row(
            "itinerary.update.unknown-field",
            "itinerary_update",
            "An unknown field is rejected by name.",
            |t| async move {
                let made = t.itinerary(json!({})).await?;
                made.patch(&json!({ "colour": "red" })).send().await?.invalid("colour")
            },
        ),
        row("itinerary.update.atomic", "itinerary_update", "A rejected change changes nothing.", |t| async move {
            let made = t.itinerary(json!({})).await?;
            made.patch(&json!({ "title": "Changed", "travellers": 0 })).send().await?.invalid("travellers")?;
            made.view().await?.at("/title", made.json["title"].clone())?.has("etag", &made.etag).map(|_| ())
        }),
        row("itinerary.update.documents", "2.11", "Documents cannot be changed through the update.", |t| async move {
            let made = t.itinerary(json!({})).await?;
            let file = json!({ "path": "a", "name": "a", "size": 1 });
            let documents = json!({ "documents": [{ "id": "a", "name": "Pass", "file": file }] });
            made.patch(&documents).send().await?.invalid("documents")
        }),
        row("itinerary.update.packing-needs-pro", "4.2", "A change that includes packing needs Pro.", |t| async move {
            let made = t.itinerary(json!({})).await?;
            let response = made.patch(&json!({ "packing": [{ "name": "Hat" }] })).send().await?;
            let details = response.error(403, "subscriptionRequired")?;
            response.ensure(details["section"] == "packing", "error.details.section packing").map(|_| ())
        }),
        row(
            "itinerary.update.expenses-need-pro",
            "4.2",
            "A change that includes expenses needs Pro.",
            |t| async move {
                let made = t.itinerary(json!({})).await?;
                let expenses = json!({ "expenses": [{ "name": "Tram", "cost": { "amount": 3 } }] });
                let response = made.patch(&expenses).send().await?;
                let details = response.error(403, "subscriptionRequired")?;
                response.ensure(details["section"] == "expenses", "error.details.section expenses").map(|_| ())
            },
        ),
    ]
}

fn deletes() -> Vec<Row> {
    vec![
        row("itinerary.delete.answer", "4.2", "DELETE answers with an empty body.", |t| async move {
            let made = t.itinerary(json!({})).await?;
            let response = made.delete_at("").send().await?;
            response.ensure((200..300).contains(&response.status), "a success")?.empty().map(|_| ())
        }),
        row(
            "itinerary.delete.gone",
            "4.2",
            "A deleted itinerary is gone: reads and writes answer notFound.",
            |t| async move {
                let made = t.itinerary(json!({})).await?;
                let response = made.delete_at("").send().await?;
                response.ensure((200..300).contains(&response.status), "a success")?;
                made.view().await?.error(404, "notFound")?;
                made.patch(&json!({ "title": "Changed" })).send().await?.error(404, "notFound")?;
                made.delete_at("").send().await?.error(404, "notFound").map(|_| ())
            },
        ),
        row(
            "itinerary.delete.for-members",
            "4.2",
            "Deleting an itinerary deletes it for its members, too.",
            |t| async move {
                let made = t.itinerary(json!({})).await?;
                let member = t.other(&made)?;
                made.share(&member, "editor").await?;
                member.get(&made.path).send().await?.status(200)?;
                let response = made.delete_at("").send().await?;
                response.ensure((200..300).contains(&response.status), "a success")?;
                member.get(&made.path).send().await?.error(404, "notFound").map(|_| ())
            },
        ),
        row("itinerary.delete.status", "itinerary_delete", "DELETE of an itinerary answers 204.", |t| async move {
            let made = t.itinerary(json!({})).await?;
            made.delete_at("").send().await?.status(204).map(|_| ())
        }),
    ]
}
