//! Changes: what has changed after a cursor is listed, and repeated by no later cursor.

use std::time::Duration;

use serde_json::{Value, json};

use crate::context::Made;
use crate::operations::whole;
use crate::outcome::{Checked, Stop};
use crate::row::{Row, row};
use crate::travellers::App;

/// How often changes are asked for until one is there.
const ATTEMPTS: usize = 30;
const PAUSE: Duration = Duration::from_millis(200);

/// A cursor for the changes from now on.
async fn begun(app: &App) -> Checked<String> {
    let response = app.get("/v1/changes").send().await?;
    response.status(200)?.at("/data", json!([]))?.at("/hasMore", false)?;
    cursor(&response.json()?)
}

fn cursor(page: &Value) -> Checked<String> {
    let cursor = page["nextCursor"].as_str();
    cursor.map(str::to_owned).ok_or_else(|| Stop::failed(format!("a nextCursor in {page}")))
}

/// The first change of this type of an itinerary after the cursor, which is moved behind its page.
async fn change_of(app: &App, made: &Made, kind: &str, after: &mut String) -> Checked<Value> {
    for _ in 0..ATTEMPTS {
        let page = app.get(&format!("/v1/changes?limit=100&cursor={after}")).send().await?.json_with(200)?;
        *after = cursor(&page)?;
        let changes = page["data"].as_array().into_iter().flatten();
        let mut found = changes.filter(|change| change["itineraryId"] == made.id.as_str() && change["type"] == kind);
        if let Some(change) = found.next() {
            return Ok(change.clone());
        }
        tokio::time::sleep(PAUSE).await;
    }
    Err(Stop::failed(format!("{kind} of {} within {:?}", made.id, PAUSE * 30)))
}

pub(super) fn rows() -> Vec<Row> {
    vec![
        row("change.list.update", "change_list", "A new version is a change with its ETag.", |t| async move {
            let made = t.itinerary(whole()).await?;
            let mut after = begun(&made.app).await?;
            let made = made.patched(&json!({ "title": "Changed" })).await?;
            let change = change_of(&made.app, &made, "itinerary.updated", &mut after).await?;
            let view = made.view().await?;
            view.ensure(change["etag"] == view.etag()?, format!("the tag of the itinerary in {change}")).map(|_| ())
        }),
        row("change.list.delete", "change_list", "A deletion is a change without an ETag.", |t| async move {
            let made = t.itinerary(whole()).await?;
            let mut after = begun(&made.app).await?;
            let deleted = made.app.delete(&made.path).if_match(&made.etag).send().await?;
            deleted.status(204)?;
            let change = change_of(&made.app, &made, "itinerary.deleted", &mut after).await?;
            deleted.ensure(change.get("etag").is_none(), format!("no tag in {change}")).map(|_| ())
        }),
        row("change.list.cursor", "change_list", "A cursor that was made up is invalid.", |t| async move {
            let made = t.itinerary(whole()).await?;
            made.app.get("/v1/changes?cursor=AAAA").send().await?.invalid("cursor")
        }),
    ]
}
