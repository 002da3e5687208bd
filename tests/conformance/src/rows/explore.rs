//! Explore (specification, sections 4.3 and 8).

use std::collections::BTreeSet;

use reqwest::Method;
use serde_json::{Value, json};

use super::lists::{ids, walk};
use crate::call::encoded;
use crate::context::{Context, Made, to, with, word};
use crate::outcome::{Checked, Stop};
use crate::row::{Row, row};
use crate::shape::{AUTHOR, SUMMARY};
use crate::travellers::App;

/// More pages than the rows read of a feed that others fill.
const PAGES: usize = 5;

pub(super) fn rows() -> Vec<Row> {
    let mut rows = feed();
    rows.extend(search());
    rows.extend(following());
    rows.extend(parameters());
    rows
}

/// A published itinerary with a word that occurs nowhere else.
async fn published(app: &App, fields: Value) -> Checked<(Made, String)> {
    let word = word();
    let title = json!({ "title": format!("Conformance {word}") });
    let made = app.itinerary(with(title, fields)).await?;
    Ok((made.patched(&json!({ "visibility": "public" })).await?, word))
}

/// The ids that a search finds.
async fn found(app: &App, query: &str) -> Checked<Vec<String>> {
    let response = app.get(&format!("/v1/explore?limit=100&{query}")).send().await?;
    Ok(ids(&response.json_with(200)?))
}

/// Expects a search to find an itinerary, or not.
async fn finds(app: &App, query: &str, made: &Made, wanted: bool) -> Checked {
    let response = app.get(&format!("/v1/explore?limit=100&{query}")).send().await?;
    let page = response.json_with(200)?;
    let word = if wanted { "an entry" } else { "no entry" };
    response.ensure(ids(&page).contains(&made.id) == wanted, format!("{word} of {}", made.id)).map(|_| ())
}

fn feed() -> Vec<Row> {
    vec![
        row("explore.feed.shape", "4.3", "Explore has summaries in data, and nextCursor.", |t| async move {
            let app = t.app()?;
            published(&app, json!({})).await?;
            let response = app.get("/v1/explore").send().await?;
            response.status(200)?.shaped("/data/0", SUMMARY)?.shaped("/data/0/author", AUTHOR)?;
            response.at("/data/0/visibility", "public")?;
            response
                .ensure(response.json()?.get("nextCursor").is_some(), "nextCursor, null on the last page")
                .map(|_| ())
        }),
        row("explore.feed.published-at", "2.13", "Summaries in Explore have publishedAt.", |t| async move {
            let app = t.app()?;
            let (_, word) = published(&app, json!({})).await?;
            let response = app.get(&format!("/v1/explore?q={word}")).send().await?;
            response.ensure(response.json_with(200)?["data"][0]["publishedAt"].is_string(), "publishedAt").map(|_| ())
        }),
        row(
            "explore.feed.no-repeats",
            "4.3",
            "The cursor keeps the order: later pages repeat nothing.",
            |t| async move {
                let app = t.app()?;
                for _ in 0..4 {
                    published(&app, json!({})).await?;
                }
                let (mut seen, mut cursor) = (BTreeSet::new(), String::new());
                for _ in 0..PAGES {
                    let response = app.get(&format!("/v1/explore?limit=2{cursor}")).send().await?;
                    let page = response.json_with(200)?;
                    for id in ids(&page) {
                        response.ensure(seen.insert(id.clone()), format!("no second entry of {id}"))?;
                    }
                    match page["nextCursor"].as_str() {
                        Some(next) => cursor = format!("&cursor={}", encoded(next)),
                        None => break,
                    }
                }
                crate::outcome::ensure(seen.len() >= 4, "at least four entries on the pages")
            },
        ),
        row("explore.feed.same-page", "4.3", "The same cursor gives the same page.", |t| async move {
            let app = t.app()?;
            for _ in 0..3 {
                published(&app, json!({})).await?;
            }
            let first = app.get("/v1/explore?limit=1").send().await?.json_with(200)?;
            let cursor = encoded(first["nextCursor"].as_str().unwrap_or_default());
            let path = format!("/v1/explore?limit=1&cursor={cursor}");
            let (once, twice) = (app.get(&path).send().await?, app.get(&path).send().await?);
            let page = ids(&once.json_with(200)?);
            // Something that is published between the two may come before the entry.
            let again = ids(&twice.json_with(200)?);
            twice
                .ensure(page.len() == again.len() && !again.contains(&ids(&first).concat()), "a page of the same order")
                .map(|_| ())
        }),
        row("explore.feed.private", "4.3", "Private and unlisted itineraries are not in Explore.", |t| async move {
            let app = t.app()?;
            let (made, word) = published(&app, json!({})).await?;
            finds(&app, &format!("q={word}"), &made, true).await?;
            let made = made.patched(&json!({ "visibility": "unlisted" })).await?;
            finds(&app, &format!("q={word}"), &made, false).await?;
            let made = made.patched(&json!({ "visibility": "private" })).await?;
            finds(&app, &format!("q={word}"), &made, false).await
        }),
        row("explore.feed.deleted", "4.2", "A deleted itinerary leaves Explore.", |t| async move {
            let app = t.app()?;
            let (made, word) = published(&app, json!({})).await?;
            made.delete_at("").send().await?;
            finds(&app, &format!("q={word}"), &made, false).await
        }),
        row("explore.feed.region", "4.3", "A published itinerary is in the feed of its region.", |t| async move {
            let app = t.app()?;
            let (made, _) = published(&app, to("Yaren", -0.5477, 166.9209)).await?;
            let walked = walk(&app, "/v1/explore", "limit=100&regions=Nauru").await?;
            crate::outcome::ensure(walked.contains(&made.id), "an entry in the feed of the region Nauru")
        }),
        row(
            "explore.feed.disliked",
            "explore_list",
            "What the caller dislikes is left out of the feed.",
            |t| async move {
                let app = t.app()?;
                let (made, _) = published(&app, to("Funafuti", -8.5211, 179.1983)).await?;
                let reader = t.other(&app)?;
                reader.put(&made.at("/dislike")).send().await?.status(200)?;
                let walked = walk(&reader, "/v1/explore", "limit=100&regions=Tuvalu").await?;
                crate::outcome::ensure(!walked.contains(&made.id), "no entry of what is disliked")
            },
        ),
    ]
}

fn search() -> Vec<Row> {
    let mut rows: Vec<Row> =
        [("summary", "summary"), ("tag", "tags"), ("stop", "the names of stops"), ("destination", "the destination")]
            .into_iter()
            .map(|(name, place)| {
                let promise = format!("A search looks for words in {place}.");
                row(format!("explore.search.{name}"), "explore_list", promise, move |t| async move {
                    let (app, word) = (t.app()?, word());
                    let place = json!({ "coordinate": { "latitude": 38.7, "longitude": -9.1 } });
                    let fields = match name {
                        "summary" => json!({ "summary": format!("About {word}.") }),
                        "tag" => json!({ "tags": [word] }),
                        "stop" => json!({ "days": [{ "stops": [{ "name": word, "place": place }] }] }),
                        _ => to(&word, 38.7223, -9.1393),
                    };
                    let (made, _) = published(&app, fields).await?;
                    finds(&app, &format!("q={word}"), &made, true).await
                })
            })
            .collect();
    rows.extend([
        row(
            "explore.search.title",
            "4.3",
            "A text search finds a published itinerary by a word of its title.",
            |t| async move {
                let app = t.app()?;
                let (made, word) = published(&app, json!({})).await?;
                let listed = found(&t.other(&app)?, &format!("q={word}")).await?;
                crate::outcome::ensure(listed == [made.id], "the one itinerary with this word")
            },
        ),
        row(
            "explore.search.all-words",
            "explore_list",
            "A search finds itineraries that contain all the words.",
            |t| async move {
                let app = t.app()?;
                let (made, first) = published(&app, json!({})).await?;
                finds(&app, &format!("q=conformance%20{first}"), &made, true).await?;
                finds(&app, &format!("q={first}%20{}", word()), &made, false).await
            },
        ),
        row(
            "explore.search.prefix",
            "explore_list",
            "The last word of a search may be the beginning of a word.",
            |t| async move {
                let app = t.app()?;
                let (made, word) = published(&app, json!({})).await?;
                finds(&app, &format!("q={}", &word[..12]), &made, true).await
            },
        ),
        row("explore.search.case", "explore_list", "A search ignores case and accents.", |t| async move {
            let (app, word) = (t.app()?, word());
            let (made, _) = published(&app, json!({ "title": format!("É{word}") })).await?;
            finds(&app, &format!("q=e{}", word.to_ascii_uppercase()), &made, true).await
        }),
        row("explore.search.changed", "explore_list", "A search finds the current words alone.", |t| async move {
            let app = t.app()?;
            let (made, old) = published(&app, json!({})).await?;
            let new = word();
            let made = made.patched(&json!({ "title": new })).await?;
            finds(&app, &format!("q={new}"), &made, true).await?;
            finds(&app, &format!("q={old}"), &made, false).await
        }),
        row("explore.search.nothing", "4.3", "A search without a match answers 200 with no entries.", |t| async move {
            let response = t.app()?.get(&format!("/v1/explore?q={}", word())).send().await?;
            response.status(200)?.at("/data", json!([]))?.at("/nextCursor", Value::Null).map(|_| ())
        }),
        row("explore.search.pages", "4.3", "The pages of a search contain every match once.", |t| async move {
            let (app, word) = (t.app()?, word());
            let mut made = BTreeSet::new();
            for _ in 0..3 {
                made.insert(published(&app, json!({ "summary": word })).await?.0.id);
            }
            let walked = walk(&app, "/v1/explore", &format!("limit=2&q={word}")).await?;
            let once = walked.len() == 3 && walked.into_iter().collect::<BTreeSet<_>>() == made;
            crate::outcome::ensure(once, "the three matches once each")
        }),
    ]);
    rows
}

/// A traveller who follows the owner of a published itinerary while the check runs.
async fn follow(t: &Context, app: &App, method: Method) -> Checked<App> {
    let reader = t.other(app)?;
    reader.call(method, &format!("/v1/accounts/{}/follow", app.account_id)).send().await?.status(204)?;
    Ok(reader)
}

fn following() -> Vec<Row> {
    let mut rows: Vec<Row> = [("true", "following=true"), ("filter", "filter=following")]
        .into_iter()
        .map(|(name, query)| {
            let promise = format!("{query} gives itineraries of people followed, and of nobody else.");
            row(format!("explore.following.{name}"), "4.3", promise, move |t| async move {
                let _alone = t.travellers.follows().await;
                let app = t.app()?;
                let (made, _) = published(&app, json!({})).await?;
                let reader = follow(&t, &app, Method::DELETE).await?;
                let path = format!("/v1/explore?limit=100&{query}");
                let before = reader.get(&path).send().await?;
                let follow = format!("/v1/accounts/{}/follow", app.account_id);
                reader.call(Method::PUT, &follow).send().await?.status(204)?;
                let after = reader.get(&path).send().await?;
                reader.delete(&follow).send().await?.status(204)?;
                before.ensure(!ids(&before.json_with(200)?).contains(&made.id), "no entry before following")?;
                after.ensure(ids(&after.json_with(200)?).contains(&made.id), "an entry after following").map(|_| ())
            })
        })
        .collect();
    rows.extend([
        row(
            "explore.following.order",
            "explore_list",
            "following lists what was published last first.",
            |t| async move {
                let _alone = t.travellers.follows().await;
                let app = t.app()?;
                let reader = follow(&t, &app, Method::PUT).await?;
                for _ in 0..3 {
                    published(&app, json!({})).await?;
                }
                let response = reader.get("/v1/explore?following=true&limit=100").send().await?;
                reader.delete(&format!("/v1/accounts/{}/follow", app.account_id)).send().await?.status(204)?;
                let page = response.json_with(200)?;
                let times: Vec<&str> = page["data"]
                    .as_array()
                    .into_iter()
                    .flatten()
                    .filter_map(|entry| entry["publishedAt"].as_str())
                    .collect();
                response
                    .ensure(times.len() >= 3 && times.is_sorted_by(|a, b| a >= b), "descending publishedAt")
                    .map(|_| ())
            },
        ),
        row(
            "explore.following.followers-only",
            "explore_list",
            "following includes followers-only itineraries.",
            |t| async move {
                let _alone = t.travellers.follows().await;
                let app = t.app()?;
                let made = app.itinerary(json!({})).await?.patched(&json!({ "visibility": "followers" })).await?;
                let reader = follow(&t, &app, Method::PUT).await?;
                let response = reader.get("/v1/explore?following=true&limit=100").send().await?;
                reader.delete(&format!("/v1/accounts/{}/follow", app.account_id)).send().await?.status(204)?;
                response
                    .ensure(ids(&response.json_with(200)?).contains(&made.id), format!("an entry of {}", made.id))
                    .map(|_| ())
            },
        ),
        row("explore.following.false", "explore_list", "following=false is as if absent.", |t| async move {
            let app = t.app()?;
            let (made, word) = published(&app, json!({})).await?;
            finds(&app, &format!("following=false&q={word}"), &made, true).await
        }),
    ]);
    rows
}

fn parameters() -> Vec<Row> {
    let nine = "Portugal,Spain,France,Italy,Greece,Japan,Chile,Peru,Iceland";
    let mut rows: Vec<Row> = [
        ("limit-zero", "8", "A limit is at least 1.", "limit=0".to_owned(), "limit"),
        ("limit-high", "8", "A limit is at most 100.", "limit=101".to_owned(), "limit"),
        ("filter", "4.3", "The only filter is following.", "filter=owned".to_owned(), "filter"),
        ("following", "4.3", "following is true or false.", "following=maybe".to_owned(), "following"),
        ("regions-many", "8", "There are up to eight regions.", format!("regions={nine}"), "regions"),
        (
            "regions-characters",
            "4.3",
            "Regions have letters and spaces only.",
            "regions=Portugal1".to_owned(),
            "regions",
        ),
        (
            "regions-unknown",
            "explore_list",
            "A region is the name of a country, a sub-region or a continent.",
            "regions=Atlantis".to_owned(),
            "regions",
        ),
        ("q-long", "explore_list", "A search has at most 200 characters.", format!("q={}", "x".repeat(201)), "q"),
        ("cursor", "4.3", "A cursor comes from the server.", "cursor=2".to_owned(), "cursor"),
    ]
    .into_iter()
    .map(|(name, section, rule, query, field)| {
        let promise = format!("{rule} Otherwise validationFailed names {field}.");
        row(format!("explore.refused.{name}"), section, promise, move |t| {
            let path = format!("/v1/explore?{query}");
            async move { t.app()?.get(&path).send().await?.invalid(field) }
        })
    })
    .collect();
    rows.extend([
        row("explore.regions.filter", "4.3", "regions limits a search to itineraries there.", |t| async move {
            let app = t.app()?;
            let (made, word) = published(&app, to("Reykjavik", 64.1466, -21.9426)).await?;
            finds(&app, &format!("q={word}&regions=Iceland"), &made, true).await?;
            finds(&app, &format!("q={word}&regions=Portugal"), &made, false).await
        }),
        row(
            "explore.regions.several",
            "4.3",
            "Several regions are separated by commas; one of them is enough.",
            |t| async move {
                let app = t.app()?;
                let (made, word) = published(&app, to("Reykjavik", 64.1466, -21.9426)).await?;
                finds(&app, &format!("q={word}&regions=Portugal,Iceland"), &made, true).await
            },
        ),
        row("explore.regions.eight", "8", "Eight regions are accepted.", |t| async move {
            let eight = "Portugal,Spain,France,Italy,Greece,Japan,Chile,Peru";
            t.app()?.get(&format!("/v1/explore?regions={eight}")).send().await?.status(200).map(|_| ())
        }),
        row("explore.cursor.filter", "explore_list", "A cursor belongs to its search.", |t| async move {
            let app = t.app()?;
            for _ in 0..2 {
                published(&app, json!({})).await?;
            }
            let page = app.get("/v1/explore?limit=1").send().await?.json_with(200)?;
            let Some(cursor) = page["nextCursor"].as_str() else { return Err(Stop::failed("a nextCursor")) };
            let cursor = encoded(cursor);
            app.get(&format!("/v1/explore?limit=1&q=conformance&cursor={cursor}")).send().await?.invalid("cursor")
        }),
    ]);
    rows
}
