//! Pages and documents of the service for people and tools.

use reqwest::Method;
use serde_json::json;

use crate::browser::{Browser, Page};
use crate::context::{Context, word};
use crate::operations::NOTHING;
use crate::outcome::{Checked, Stop};
use crate::row::{Row, row};
use crate::sign_in::Traveller;

const TRIP: &str = "Page /trips/{id}";

pub(super) fn rows() -> Vec<Row> {
    vec![
        row("pages.trip.public", TRIP, "Anyone may see the page of a public itinerary without signing in.", public),
        row(
            "pages.trip.signed-out",
            TRIP,
            "Signed out, a private and an unknown itinerary alike lead to the sign-in.",
            signed_out,
        ),
        row(
            "pages.trip.signed-in",
            TRIP,
            "Signed in, a private and an unknown itinerary alike are not found.",
            signed_in,
        ),
        row("pages.trip.escaped", TRIP, "Text of the itinerary is shown as text, not as markup.", escaped),
        row("service.health", "health_live", "The service says that it is up.", health),
        row("service.ready", "health_ready", "The service says that it can serve requests.", ready),
        row("service.document", "openapi_document", "The service publishes its OpenAPI document.", document),
    ]
}

async fn open(context: &Context, id: &str) -> Checked<Page> {
    Browser::new(&context.service)?.open(&format!("/trips/{id}")).await
}

async fn public(context: Context) -> Checked {
    let title = format!("Seen by anyone {}", word());
    let made = context.itinerary(json!({ "title": title })).await?;
    made.patched(&json!({ "visibility": "public" })).await?;
    let page = open(&context, &made.id).await?;
    let response = page.response.status(200)?;
    response.ensure(response.header("content-type").starts_with("text/html"), "an HTML page")?;
    response.ensure(response.text().contains(&title), "a page with the title").map(drop)
}

async fn signed_out(context: Context) -> Checked {
    let made = context.itinerary(json!({})).await?;
    for id in [&*made.id, NOTHING] {
        let page = open(&context, id).await?;
        page.form("/sign-in")?;
        page.response.status(200)?;
    }
    Ok(())
}

async fn signed_in(context: Context) -> Checked {
    let made = context.itinerary(json!({})).await?;
    let is_other = |traveller: &&Traveller| traveller.username != made.username;
    let Some(Traveller { browser, .. }) = context.travellers.signed_up.iter().find(is_other) else {
        return Err(Stop::skipped("needs a traveller who is signed in on the pages; run without --token"));
    };
    let hidden = browser.open(&format!("/trips/{}", made.id)).await?.response;
    let unknown = browser.open(&format!("/trips/{NOTHING}")).await?.response;
    unknown.status(404)?;
    hidden.status(404)?.ensure(hidden.body.len() == unknown.body.len(), "the page of an unknown itinerary").map(drop)
}

async fn escaped(context: Context) -> Checked {
    let title = "<script>alert(1)</script><img src=x onerror=alert(1)>";
    let made = context.itinerary(json!({ "title": title })).await?;
    made.patched(&json!({ "visibility": "public" })).await?;
    let response = open(&context, &made.id).await?.response;
    let text = response.status(200)?.text();
    let expected = "a page without the title's markup";
    response.ensure(!text.contains("<script>alert(1)") && !text.contains("<img src=x"), expected).map(drop)
}

async fn health(context: Context) -> Checked {
    context.call(Method::GET, "/healthz").send().await?.status(200).map(drop)
}

async fn ready(context: Context) -> Checked {
    context.call(Method::GET, "/readyz").send().await?.status(200).map(drop)
}

async fn document(context: Context) -> Checked {
    let response = context.call(Method::GET, "/openapi.json").send().await?;
    let document = response.json_with(200)?;
    let version = document["openapi"].as_str().is_some_and(|version| version.starts_with("3."));
    response.ensure(version, "OpenAPI 3")?;
    response.ensure(document["paths"]["/v1/itineraries"]["post"].is_object(), "POST /v1/itineraries").map(drop)
}
