//! Lists of itineraries: entries, filters, pages and `updatedSince` (specification, sections 2.13, 4.2 and 8).

use serde_json::{Value, json};

use crate::call::encoded;
use crate::context::Made;
use crate::operations::whole;
use crate::outcome::{Checked, ensure};
use crate::response::ReceivedResponse;
use crate::row::{Row, row};
use crate::shape::{AUTHOR, SUMMARY};
use crate::travellers::App;

/// More pages than any walk of these rows needs.
const MOST_PAGES: usize = 60;

/// The ids of a page, in order.
pub(super) fn ids(page: &Value) -> Vec<String> {
    let entries = page["data"].as_array().cloned().unwrap_or_default();
    entries.iter().map(|entry| entry["id"].as_str().unwrap_or_default().to_owned()).collect()
}

/// The ids of all pages of a list. `query` has no question mark.
pub(super) async fn walk(app: &App, path: &str, query: &str) -> Checked<Vec<String>> {
    walk_from(app, path, query, None).await
}

/// The ids of the pages from a cursor on.
async fn walk_from(app: &App, path: &str, query: &str, cursor: Option<&str>) -> Checked<Vec<String>> {
    let parameter = |cursor: &str| format!("&cursor={}", encoded(cursor));
    let (mut walked, mut cursor) = (Vec::new(), cursor.map(parameter).unwrap_or_default());
    for _ in 0..MOST_PAGES {
        let response = app.get(&format!("{path}?{query}{cursor}")).send().await?;
        let page = response.json_with(200)?;
        walked.extend(ids(&page));
        match page["nextCursor"].as_str() {
            Some(next) => cursor = parameter(next),
            None => return Ok(walked),
        }
    }
    Ok(walked)
}

/// Itineraries of one traveller, created one after the other.
async fn several(app: &App, count: usize) -> Checked<Vec<Made>> {
    let mut made = Vec::new();
    for _ in 0..count {
        made.push(app.itinerary(json!({})).await?);
    }
    Ok(made)
}

/// A query for what has changed since these itineraries were created.
fn since(made: &Made) -> Checked<String> {
    Ok(format!("updatedSince={}", encoded(&made.text("/updatedAt")?)))
}

/// The entry of an itinerary on the first page of the newest.
async fn entry(made: &Made, query: &str) -> Checked<(ReceivedResponse, usize)> {
    let response = made.app.get(&format!("/v1/itineraries?limit=100{query}")).send().await?;
    let page = response.json_with(200)?;
    let at = ids(&page).iter().position(|id| *id == made.id);
    match at {
        Some(at) => Ok((response, at)),
        None => Err(response.unlike(format!("an entry of the itinerary {}", made.id))),
    }
}

pub(super) fn rows() -> Vec<Row> {
    let mut rows = entries();
    rows.extend(pages());
    rows.extend(parameters());
    rows.extend(filters());
    rows
}

fn entries() -> Vec<Row> {
    vec![
        row("list.entry.shape", "2.13", "A list has summaries in data, and nextCursor.", |t| async move {
            let made = t.itinerary(whole()).await?;
            let (response, at) = entry(&made, "").await?;
            response.shaped(&format!("/data/{at}"), SUMMARY)?.shaped(&format!("/data/{at}/author"), AUTHOR)?;
            response
                .ensure(response.json()?.get("nextCursor").is_some(), "nextCursor, null on the last page")
                .map(|_| ())
        }),
        row("list.entry.counts", "2.13", "A summary counts days and stops.", |t| async move {
            let (response, at) = entry(&t.itinerary(whole()).await?, "").await?;
            response.at(&format!("/data/{at}/daysCount"), 2)?.at(&format!("/data/{at}/stopsCount"), 2).map(|_| ())
        }),
        row(
            "list.entry.fields",
            "2.13",
            "A summary has the itinerary's title, dates, tags and role.",
            |t| async move {
                let fields =
                    json!({ "title": "Listed", "summary": "Short.", "startDate": "2029-05-06", "tags": ["a"] });
                let (response, at) = entry(&t.itinerary(fields.clone()).await?, "").await?;
                let entry = &response.json()?["data"][at];
                for name in ["title", "summary", "startDate", "tags"] {
                    response
                        .ensure(entry[name] == fields[name], format!("{name} {} in the entry {at}", fields[name]))?;
                }
                response
                    .at(&format!("/data/{at}/role"), "owner")?
                    .at(&format!("/data/{at}/visibility"), "private")
                    .map(|_| ())
            },
        ),
        row("list.entry.etag", "2.13", "The next write accepts the etag of a summary.", |t| async move {
            let made = t.itinerary(json!({})).await?;
            let (response, at) = entry(&made, "").await?;
            let tag = response.json()?["data"][at]["etag"].as_str().unwrap_or_default().to_owned();
            let call = made.app.patch(&made.path, &json!({ "title": "Next" })).if_match(&tag);
            call.send().await?.status(200).map(|_| ())
        }),
        row("list.entry.content", "2.13", "A summary leaves out days, flights and hotels.", |t| async move {
            let (response, at) = entry(&t.itinerary(whole()).await?, "").await?;
            let lacks = |field: &str| response.lacks(&format!("/data/{at}/{field}")).map(|_| ());
            lacks("days").and_then(|()| lacks("flights")).and_then(|()| lacks("hotels"))
        }),
        row("list.entry.deleted", "4.2", "A deleted itinerary leaves the list.", |t| async move {
            let made = t.itinerary(json!({})).await?;
            made.delete_at("").send().await?;
            let response = made.app.get("/v1/itineraries?limit=100").send().await?;
            let page = response.json_with(200)?;
            response.ensure(!ids(&page).contains(&made.id), format!("a list without {}", made.id)).map(|_| ())
        }),
    ]
}

fn pages() -> Vec<Row> {
    vec![
        row("list.page.newest-first", "itinerary_list", "A list begins with what has changed last.", |t| async move {
            let app = t.app()?;
            several(&app, 2).await?;
            let response = app.get("/v1/itineraries?filter=owned").send().await?;
            let page = response.json_with(200)?;
            let times: Vec<&str> =
                page["data"].as_array().into_iter().flatten().filter_map(|entry| entry["updatedAt"].as_str()).collect();
            response.ensure(times.len() >= 2 && times.is_sorted_by(|a, b| a >= b), "descending updatedAt").map(|_| ())
        }),
        row("list.page.walk", "4.2", "The pages of a list contain every itinerary once.", |t| async move {
            let app = t.app()?;
            let made = several(&app, 5).await?;
            let walked = walk(&app, "/v1/itineraries", &format!("limit=2&{}", since(&made[0])?)).await?;
            for made in &made {
                let times = walked.iter().filter(|id| **id == made.id).count();
                ensure(times == 1, format!("the itinerary {} once on the pages, not {times} times", made.id))?;
            }
            Ok(())
        }),
        row("list.page.walk-newest", "4.2", "Pages from the newest change on repeat nothing.", |t| async move {
            let app = t.app()?;
            several(&app, 3).await?;
            let first = app.get("/v1/itineraries?limit=2").send().await?;
            let page = first.json_with(200)?;
            let cursor = page["nextCursor"].as_str().unwrap_or_default();
            first.ensure(!cursor.is_empty(), "a nextCursor")?;
            let second = app.get(&format!("/v1/itineraries?limit=2&cursor={}", encoded(cursor))).send().await?;
            let next = ids(&second.json_with(200)?);
            let repeats = ids(&page).iter().any(|id| next.contains(id));
            second.ensure(!repeats && !next.is_empty(), "other itineraries than on the first page").map(|_| ())
        }),
        row("list.page.limit", "8", "A page has at most limit entries.", |t| async move {
            let app = t.app()?;
            several(&app, 2).await?;
            let response = app.get("/v1/itineraries?limit=1").send().await?;
            response.ensure(ids(&response.json_with(200)?).len() == 1, "one entry").map(|_| ())
        }),
        row("list.page.last", "4.2", "The last page has nextCursor null.", |t| async move {
            let app = t.app()?;
            let made = app.itinerary(json!({})).await?;
            let walked = walk(&app, "/v1/itineraries", &format!("limit=100&{}", since(&made)?)).await?;
            ensure(walked.contains(&made.id), "pages that end, with the itinerary on them")
        }),
        row("list.page.cursor-of-others", "itinerary_list", "A cursor belongs to its traveller.", |t| async move {
            let app = t.app()?;
            several(&app, 2).await?;
            let page = app.get("/v1/itineraries?limit=1").send().await?.json_with(200)?;
            let cursor = encoded(page["nextCursor"].as_str().unwrap_or_default());
            let theirs = t.other(&app)?.get(&format!("/v1/itineraries?limit=1&cursor={cursor}"));
            theirs.send().await?.invalid("cursor")
        }),
        row("list.page.cursor-of-another-list", "itinerary_list", "A cursor belongs to its filter.", |t| async move {
            let app = t.app()?;
            several(&app, 2).await?;
            let page = app.get("/v1/itineraries?limit=1&filter=owned").send().await?.json_with(200)?;
            let cursor = encoded(page["nextCursor"].as_str().unwrap_or_default());
            app.get(&format!("/v1/itineraries?limit=1&filter=all&cursor={cursor}")).send().await?.invalid("cursor")
        }),
        row("list.page.cursor-altered", "itinerary_list", "An altered cursor is rejected.", |t| async move {
            let app = t.app()?;
            several(&app, 2).await?;
            let page = app.get("/v1/itineraries?limit=1").send().await?.json_with(200)?;
            let mut cursor = page["nextCursor"].as_str().unwrap_or_default().to_owned();
            let middle = cursor.len() / 2;
            let other = if cursor[middle..].starts_with('A') { "B" } else { "A" };
            cursor.replace_range(middle..=middle, other);
            app.get(&format!("/v1/itineraries?limit=1&cursor={}", encoded(&cursor))).send().await?.invalid("cursor")
        }),
        row("list.page.cursor-made-up", "4.3", "A cursor that the server did not issue is rejected.", |t| async move {
            t.app()?.get("/v1/itineraries?cursor=page2").send().await?.invalid("cursor")
        }),
        row(
            "list.page.stable",
            "itinerary_list",
            "An itinerary that is created between two pages repeats no entry.",
            |t| async move {
                let app = t.app()?;
                let made = several(&app, 3).await?;
                let query = format!("limit=2&{}", since(&made[0])?);
                let first = app.get(&format!("/v1/itineraries?{query}")).send().await?.json_with(200)?;
                app.itinerary(json!({})).await?;
                let cursor = first["nextCursor"].as_str();
                let rest = walk_from(&app, "/v1/itineraries", &query, cursor).await;
                // Other rows may change what else is listed, which moves it.
                let seen: Vec<String> =
                    ids(&first).into_iter().filter(|id| made.iter().any(|made| made.id == *id)).collect();
                ensure(!rest?.iter().any(|id| seen.contains(id)), "further pages without the first page's entries")
            },
        ),
    ]
}

fn parameters() -> Vec<Row> {
    let mut rows: Vec<Row> = [
        ("limit-zero", "8", "A limit is at least 1.", "limit=0", "limit"),
        ("limit-high", "8", "A limit is at most 100.", "limit=101", "limit"),
        ("limit-text", "8", "A limit is a number.", "limit=ten", "limit"),
        ("filter", "4.2", "A filter is a known word.", "filter=mine", "filter"),
        ("updated-since", "4.2", "updatedSince is a date-time.", "updatedSince=yesterday", "updatedSince"),
        ("repeated", "itinerary_list", "A parameter is not repeated.", "limit=1&limit=2", "limit"),
    ]
    .into_iter()
    .map(|(name, section, rule, query, field)| {
        let promise = format!("{rule} Otherwise validationFailed names {field}.");
        row(format!("list.refused.{name}"), section, promise, move |t| async move {
            t.app()?.get(&format!("/v1/itineraries?{query}")).send().await?.invalid(field)
        })
    })
    .collect();
    rows.extend([
        row("list.accepted.limit", "8", "A limit of 100 is accepted.", |t| async move {
            t.app()?.get("/v1/itineraries?limit=100").send().await?.status(200).map(|_| ())
        }),
        row("list.accepted.unknown", "itinerary_list", "Unknown parameters are ignored.", |t| async move {
            t.app()?.get("/v1/itineraries?colour=red").send().await?.status(200).map(|_| ())
        }),
        row("list.updated-since.changed", "4.2", "updatedSince lists what has changed since then.", |t| async move {
            let app = t.app()?;
            let made = several(&app, 2).await?;
            let changed = made[0].patched(&json!({ "title": "Changed" })).await?;
            let walked = walk(&app, "/v1/itineraries", &format!("limit=100&{}", since(&changed)?)).await?;
            ensure(walked.contains(&changed.id), "the changed itinerary")
        }),
        row(
            "list.updated-since.order",
            "itinerary_list",
            "With updatedSince a list begins with the oldest change.",
            |t| async move {
                let app = t.app()?;
                let made = several(&app, 3).await?;
                let response = app.get(&format!("/v1/itineraries?limit=100&{}", since(&made[0])?)).send().await?;
                let page = response.json_with(200)?;
                // What others share is ordered by its arrival, which entries do not tell.
                let entries = page["data"].as_array().into_iter().flatten();
                let own = entries.filter(|entry| made.iter().any(|made| entry["id"] == *made.id));
                let times: Vec<&str> = own.filter_map(|entry| entry["updatedAt"].as_str()).collect();
                response.ensure(times.len() == 3 && times.is_sorted(), "ascending updatedAt").map(|_| ())
            },
        ),
        row(
            "list.updated-since.inclusive",
            "itinerary_list",
            "updatedSince includes its own instant.",
            |t| async move {
                let app = t.app()?;
                let made = app.itinerary(json!({})).await?;
                let walked = walk(&app, "/v1/itineraries", &format!("limit=100&{}", since(&made)?)).await?;
                ensure(walked.contains(&made.id), "the itinerary whose updatedAt was sent")
            },
        ),
        row("list.updated-since.future", "4.2", "updatedSince in the future lists nothing.", |t| async move {
            let response = t.app()?.get("/v1/itineraries?updatedSince=2199-01-01T00:00:00Z").send().await?;
            response.status(200)?.at("/data", json!([]))?.at("/nextCursor", Value::Null).map(|_| ())
        }),
    ]);
    rows
}

fn filters() -> Vec<Row> {
    vec![
        row("list.filter.owned", "4.2", "filter=owned lists what the caller owns.", |t| async move {
            let made = t.itinerary(json!({})).await?;
            let (response, _) = entry(&made, "&filter=owned").await?;
            let page = response.json()?;
            let owned = page["data"].as_array().into_iter().flatten().all(|entry| entry["role"] == "owner");
            response.ensure(owned, "role owner in every entry").map(|_| ())
        }),
        row("list.filter.shared", "4.2", "filter=shared lists what others share with the caller.", |t| async move {
            let made = t.itinerary(json!({})).await?;
            let member = t.other(&made)?;
            made.share(&member, "viewer").await?;
            let response = member.get("/v1/itineraries?filter=shared&limit=100").send().await?;
            let page = response.json_with(200)?;
            response.ensure(ids(&page).contains(&made.id), format!("an entry of {}", made.id))?;
            let others = page["data"].as_array().into_iter().flatten().all(|entry| entry["role"] != "owner");
            response.ensure(others, "no entry with role owner").map(|_| ())
        }),
        row(
            "list.filter.all",
            "4.2",
            "Without a filter, a list has what is owned and what is shared.",
            |t| async move {
                let made = t.itinerary(json!({})).await?;
                let member = t.other(&made)?;
                made.share(&member, "viewer").await?;
                let own = member.itinerary(json!({})).await?;
                let response = member.get("/v1/itineraries?limit=100").send().await?;
                let listed = ids(&response.json_with(200)?);
                response.ensure(listed.contains(&made.id) && listed.contains(&own.id), "both itineraries").map(|_| ())
            },
        ),
        row(
            "list.filter.liked",
            "4.2",
            "filter=liked lists what the caller likes, filter=disliked does not.",
            |t| async move {
                let made = t.itinerary(json!({})).await?;
                made.app.put(&made.at("/like")).send().await?.status(200)?;
                entry(&made, "&filter=liked").await?;
                let response = made.app.get("/v1/itineraries?filter=disliked&limit=100").send().await?;
                let page = response.json_with(200)?;
                response.ensure(!ids(&page).contains(&made.id), "no entry of what is liked").map(|_| ())
            },
        ),
        row("list.filter.disliked", "4.2", "filter=disliked lists what the caller dislikes.", |t| async move {
            let made = t.itinerary(json!({})).await?;
            made.app.put(&made.at("/dislike")).send().await?.status(200)?;
            entry(&made, "&filter=disliked").await.map(|_| ())
        }),
        row(
            "list.filter.saved",
            "4.2",
            "filter=saved lists the caller's copies of others' itineraries.",
            |t| async move {
                let made = t.itinerary(json!({ "tags": ["copied"] })).await?;
                made.patched(&json!({ "visibility": "unlisted" })).await?;
                let reader = t.other(&made)?;
                let copy = reader.call(reqwest::Method::POST, &made.at("/saves")).send().await?;
                let copy = Made::of(&reader, copy.status(201)?)?;
                entry(&copy, "&filter=saved").await?;
                let own = reader.itinerary(json!({})).await?;
                let response = reader.get("/v1/itineraries?filter=saved&limit=100").send().await?;
                let page = response.json_with(200)?;
                response.ensure(!ids(&page).contains(&own.id), "no entry of what is not a copy").map(|_| ())
            },
        ),
    ]
}
