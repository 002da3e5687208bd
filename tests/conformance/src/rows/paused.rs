//! Conditions that only the server's operator can cause (specification, sections 5 and 7.1).

use reqwest::Method;
use serde_json::json;

use crate::context::Context;
use crate::outcome::{Checked, Stop};
use crate::response::ReceivedResponse;
use crate::row::{Row, row};

fn needs_a_pause(t: &Context) -> Checked {
    if t.paused {
        return Ok(());
    }
    Err(Stop::skipped("needs integrations to be paused: pause them and run with --paused and --token"))
}

fn is_paused(response: &ReceivedResponse) -> Checked {
    response.error(503, "featureUnavailable")?;
    let seconds = response.with_header("retry-after")?.parse::<u64>();
    response.ensure(seconds.is_ok(), "seconds in Retry-After").map(|_| ())
}

pub(super) fn rows() -> Vec<Row> {
    vec![
        row("paused.read", "5", "While integrations are paused, reads answer 503 with Retry-After.", |t| async move {
            needs_a_pause(&t)?;
            let app = t.app()?;
            for path in ["/v1/itineraries", "/v1/explore", "/v1/account"] {
                is_paused(&app.get(path).send().await?)?;
            }
            Ok(())
        }),
        row("paused.write", "5", "While integrations are paused, writes answer 503 and do nothing.", |t| async move {
            needs_a_pause(&t)?;
            is_paused(&t.app()?.post("/v1/itineraries", &json!({})).send().await?)
        }),
        row("paused.mcp", "5", "While integrations are paused, /mcp answers 503.", |t| async move {
            needs_a_pause(&t)?;
            let request = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/list" });
            is_paused(&t.app()?.post("/mcp", &request).send().await?)
        }),
        row(
            "paused.register",
            "5",
            "While integrations are paused, registration is temporarily_unavailable with Retry-After.",
            |t| async move {
                needs_a_pause(&t)?;
                let body = json!({ "redirect_uris": ["https://app.example/back"] });
                let response = t.call(Method::POST, "/oauth/register").json(&body).send().await?;
                response.status(503)?.at("/error", "temporarily_unavailable")?.with_header("retry-after").map(|_| ())
            },
        ),
        row("paused.revoke", "5", "While integrations are paused, tokens can be revoked.", |t| async move {
            needs_a_pause(&t)?;
            let form = [("token", "unknown"), ("client_id", "unknown")];
            let response = t.call(Method::POST, "/oauth/revoke").form(&form).send().await?;
            response.ensure(response.status == 401, "status 401 for an unknown client, as without a pause").map(|_| ())
        }),
        row("paused.token", "itinerary_list", "The token is checked before the pause.", |t| async move {
            needs_a_pause(&t)?;
            t.call(Method::GET, "/v1/itineraries").send().await?.error(401, "unauthenticated").map(|_| ())
        }),
        row(
            "upstream.failed",
            "7.1",
            "A provider that fails or does not respond answers upstreamFailed.",
            |t| async move {
                let made = t.itinerary(json!({})).await?;
                let call = made.app.put(&made.at("/cover-image")).if_match(&made.etag);
                let response = call.json(&json!({ "query": "Lisbon" })).send().await?;
                if response.status == 200 {
                    return Err(Stop::skipped("needs a provider of images that does not answer"));
                }
                response.error(502, "upstreamFailed").map(|_| ())
            },
        ),
    ]
}
