//! Rate limits (specification, sections 7.1 and 8).

use crate::context::Context;
use crate::outcome::{Checked, Stop};
use crate::response::ReceivedResponse;
use crate::row::{Row, row};
use crate::travellers::App;

pub(super) fn rows() -> Vec<Row> {
    vec![
        row(
            "limits.search.exceeded",
            "8",
            "The 31st search within a minute answers rateLimited with Retry-After.",
            |t| async move {
                let (_, response) = exhausted(&t).await?;
                response.error(429, "rateLimited")?;
                let seconds = response.with_header("retry-after")?.parse::<u64>();
                response
                    .ensure(seconds.is_ok_and(|seconds| (1..=60).contains(&seconds)), "a Retry-After of 1 to 60")
                    .map(|_| ())
            },
        ),
        row(
            "limits.search.other-kinds",
            "8",
            "Requests are counted by kind: an exhausted kind leaves the others.",
            |t| async move {
                let (app, response) = exhausted(&t).await?;
                response.error(429, "rateLimited")?;
                app.get("/v1/account").send().await?.status(200).map(|_| ())
            },
        ),
        row("limits.scope", "8", "A request without the scope that it needs is counted.", |t| async move {
            if !t.limits {
                return Err(Stop::skipped("rate limits are off (--limits-off)"));
            }
            let (app, _) = t.travellers.scoped("documents:read").await?;
            let left = async || {
                let response = app.get("/v1/account").send().await?;
                response.error(403, "forbidden")?;
                let left = response.with_header("ratelimit-remaining")?.parse::<u64>();
                Ok::<_, Stop>((left, response))
            };
            let ((first, _), (second, response)) = (left().await?, left().await?);
            // A window may have ended in between.
            let counts = first.is_ok_and(|first| second.is_ok_and(|second| second < first || second == 119));
            response.ensure(counts, "a lower RateLimit-Remaining than before").map(|_| ())
        }),
        row("limits.search.other-travellers", "8", "Requests are counted for each traveller.", |t| async move {
            let (app, response) = exhausted(&t).await?;
            response.error(429, "rateLimited")?;
            t.other(&app)?.get("/v1/explore?limit=1").without_waiting().send().await?.status(200).map(|_| ())
        }),
        row("limits.search.other-clients", "8", "Requests are counted for each app.", |t| async move {
            let (app, response) = exhausted(&t).await?;
            response.error(429, "rateLimited")?;
            let other = t.travellers.another_client(&app)?;
            other.get("/v1/explore?limit=1").without_waiting().send().await?.status(200).map(|_| ())
        }),
    ]
}

/// An app that has used up its searches, and the response to the last one.
async fn exhausted(t: &Context) -> Checked<(App, ReceivedResponse)> {
    if !t.limits {
        return Err(Stop::skipped("rate limits are off (--limits-off)"));
    }
    let app = t.travellers.for_limits()?;
    let mut response = app.get("/v1/explore?limit=1").without_waiting().send().await?;
    // A window may end meanwhile, once.
    for _ in 0..62 {
        if response.status == 429 {
            break;
        }
        response = app.get("/v1/explore?limit=1").without_waiting().send().await?;
    }
    Ok((app, response))
}
