//! `If-Match` (specification, sections 4 and 9).

use serde_json::json;

use crate::context::{Context, Made};
use crate::operations::{ON_ITINERARIES, Operation, whole, whole_pro};
use crate::outcome::Checked;
use crate::row::{Row, row};

pub(super) fn rows() -> Vec<Row> {
    // Documents have rows of their own, because they must be uploaded first.
    let conditional = ON_ITINERARIES.iter().filter(|operation| operation.conditional && operation.area() != "document");
    let mut rows: Vec<Row> = conditional
        .map(|operation| {
            let (method, path) = (operation.method, operation.path.trim_start_matches("/v1/itineraries/{id}"));
            let promise = format!("{method} …{path} needs If-Match, and the current ETag in it.");
            let name = operation.id.replace('_', "-");
            row(format!("if-match.operation.{name}"), "9", promise, |t| needs_current(t, operation))
        })
        .collect();
    rows.extend(values());
    rows
}

async fn needs_current(t: Context, operation: &'static Operation) -> Checked {
    let app = if operation.pro { t.pro()? } else { t.app()? };
    let made = app.itinerary(if operation.pro { whole_pro() } else { whole() }).await?;
    let changed = made.patched(&json!({ "title": "Meanwhile" })).await?;
    operation.call(&app, &made.id).send().await?.error(428, "preconditionRequired")?;
    let response = operation.call(&app, &made.id).if_match(&made.etag).send().await?;
    response.error(409, "itineraryModified")?;
    response.has("etag", &changed.etag)?;
    let response = operation.call(&app, &made.id).if_match(&changed.etag).send().await?;
    response.ensure((200..300).contains(&response.status), "a success").map(|_| ())
}

/// An itinerary that has changed since its ETag.
async fn outdated(t: &Context) -> Checked<(Made, Made)> {
    let made = t.itinerary(json!({})).await?;
    let changed = made.patched(&json!({ "title": "Meanwhile" })).await?;
    Ok((made, changed))
}

fn values() -> Vec<Row> {
    vec![
        row(
            "if-match.value.lost-update",
            "9",
            "Of two writes with the same ETag, the second is rejected.",
            |t| async move {
                let made = t.itinerary(json!({})).await?;
                made.patch(&json!({ "title": "First" })).send().await?.status(200)?;
                made.patch(&json!({ "title": "Second" })).send().await?.error(409, "itineraryModified")?;
                made.view().await?.at("/title", "First").map(|_| ())
            },
        ),
        row(
            "if-match.value.concurrent",
            "9",
            "Of concurrent writes with the same ETag, one succeeds.",
            |t| async move {
                let made = t.itinerary(json!({})).await?;
                let (one, two) = (json!({ "title": "One" }), json!({ "title": "Two" }));
                let (one, two) = tokio::join!(made.patch(&one).send(), made.patch(&two).send());
                let (one, two) = (one?, two?);
                let (won, lost) = if one.status == 200 { (one, two) } else { (two, one) };
                won.status(200)?;
                lost.error(409, "itineraryModified")?;
                made.view().await?.at("/title", won.json()?["title"].clone()).map(|_| ())
            },
        ),
        row(
            "if-match.value.current-etag",
            "7.1",
            "itineraryModified carries the current ETag, ready for the retry.",
            |t| async move {
                let (made, _) = outdated(&t).await?;
                let response = made.patch(&json!({ "title": "Mine" })).send().await?;
                response.error(409, "itineraryModified")?;
                let retry =
                    made.app.patch(&made.path, &json!({ "title": "Mine" })).if_match(response.etag()?).send().await?;
                retry.status(200)?.at("/title", "Mine").map(|_| ())
            },
        ),
        row(
            "if-match.value.refused-changes-nothing",
            "9",
            "A write with an outdated ETag changes nothing.",
            |t| async move {
                let (made, changed) = outdated(&t).await?;
                made.patch(&json!({ "title": "Mine" })).send().await?.error(409, "itineraryModified")?;
                changed.view().await?.at("/title", "Meanwhile")?.has("etag", &changed.etag).map(|_| ())
            },
        ),
        row(
            "if-match.value.list",
            "RFC 9110, section 13.1.1",
            "If-Match may be a list of ETags, of which one is current.",
            |t| async move {
                let (made, changed) = outdated(&t).await?;
                let list = format!("{}, {}", made.etag, changed.etag);
                made.app
                    .patch(&made.path, &json!({ "title": "Mine" }))
                    .if_match(&list)
                    .send()
                    .await?
                    .status(200)
                    .map(|_| ())
            },
        ),
        row("if-match.value.any", "RFC 9110, section 13.1.1", "If-Match: * matches any version.", |t| async move {
            let (made, _) = outdated(&t).await?;
            made.app.patch(&made.path, &json!({ "title": "Mine" })).if_match("*").send().await?.status(200).map(|_| ())
        }),
        row(
            "if-match.value.weak",
            "RFC 9110, section 13.1.1",
            "If-Match compares strongly: a weak ETag never matches.",
            |t| async move {
                let made = t.itinerary(json!({})).await?;
                let call =
                    made.app.patch(&made.path, &json!({ "title": "Mine" })).if_match(&format!("W/{}", made.etag));
                call.send().await?.error(409, "itineraryModified").map(|_| ())
            },
        ),
        row("if-match.value.unquoted", "itinerary_update", "An unquoted If-Match is rejected.", |t| async move {
            let made = t.itinerary(json!({})).await?;
            let call = made.app.patch(&made.path, &json!({ "title": "Mine" })).if_match("version-1");
            call.send().await?.invalid("If-Match")
        }),
        row(
            "if-match.value.of-another",
            "9",
            "An ETag from another itinerary's older version does not match.",
            |t| async move {
                let (made, _) = outdated(&t).await?;
                let other = t.itinerary(json!({})).await?;
                let call = made.app.patch(&made.path, &json!({ "title": "Mine" })).if_match(&other.etag);
                call.send().await?.error(409, "itineraryModified").map(|_| ())
            },
        ),
        row("if-match.value.next-write", "9", "The next write accepts the ETag of each write.", |t| async move {
            let mut made = t.itinerary(json!({})).await?;
            for title in ["One", "Two", "Three"] {
                made = made.patched(&json!({ "title": title })).await?;
            }
            made.view().await?.at("/title", "Three").map(|_| ())
        }),
    ]
}
