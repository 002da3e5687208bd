//! Routes, methods, bodies, headers and the order of checks (specification, sections 4, 7.1 and 8).

use reqwest::Method;
use serde_json::{Value, json};

use crate::context::{Context, key, minimal};
use crate::operations::{NOTHING, ON_ACCOUNTS, ON_ITINERARIES};
use crate::outcome::Checked;
use crate::response::ReceivedResponse;
use crate::row::{Row, row};

const CREATE: &str = "/v1/itineraries?allowDuplicate=true&dryRun=true";

pub(super) fn rows() -> Vec<Row> {
    let mut rows = routes();
    rows.extend(bodies());
    rows.extend(headers());
    rows.extend(order());
    rows
}

fn routes() -> Vec<Row> {
    vec![
        row("protocol.route.unknown", "7.1", "A path that does not exist answers notFound.", |t| async move {
            t.app()?.get("/v1/nowhere").send().await?.error(404, "notFound").map(|_| ())
        }),
        row(
            "protocol.route.method",
            "RFC 9110, section 15.5.6",
            "A method that a path does not have answers 405 with Allow.",
            |t| async move {
                let response = t.app()?.call(Method::PUT, "/v1/itineraries").send().await?;
                response.error(405, "methodNotAllowed")?;
                let allow = response.with_header("allow")?;
                let named = ["GET", "POST"].iter().all(|method| allow.split(", ").any(|allowed| allowed == *method));
                response.ensure(named, "Allow with GET and POST").map(|_| ())
            },
        ),
        row("protocol.route.mcp-get", "4.7", "/mcp takes POST only.", |t| async move {
            t.app()?.get("/mcp").send().await?.status(405).map(|_| ())
        }),
        row("protocol.route.every", "4", "Every operation of the specification has its route.", |t| async move {
            for operation in ON_ITINERARIES.iter().chain(ON_ACCOUNTS) {
                let path = operation.path_for(NOTHING, NOTHING);
                let response = t.call(operation.method(), &path).send().await?;
                response.ensure(!matches!(response.status, 404 | 405), format!("the route of {}", operation.id))?;
            }
            Ok(())
        }),
        row(
            "protocol.route.head",
            "RFC 9110, section 9.3.2",
            "HEAD answers like GET without a body.",
            |t| async move {
                let made = t.itinerary(json!({})).await?;
                let response = made.app.call(Method::HEAD, &made.path).send().await?;
                response.status(200)?.empty()?.has("etag", made.view().await?.header("etag")).map(|_| ())
            },
        ),
    ]
}

async fn post(t: &Context, content_type: &str, body: impl Into<Vec<u8>>) -> Checked<ReceivedResponse> {
    t.app()?.call(Method::POST, CREATE).body(content_type, body).send().await
}

fn bodies() -> Vec<Row> {
    vec![
        row("protocol.body.syntax", "7.1", "A body that is not JSON answers validationFailed.", |t| async move {
            post(&t, "application/json", "{\"title\":").await?.error(422, "validationFailed").map(|_| ())
        }),
        row("protocol.body.empty", "7.1", "A missing body answers validationFailed.", |t| async move {
            post(&t, "application/json", "").await?.error(422, "validationFailed").map(|_| ())
        }),
        row("protocol.body.array", "4", "A body that is not an object answers validationFailed.", |t| async move {
            post(&t, "application/json", "[]").await?.error(422, "validationFailed").map(|_| ())
        }),
        row("protocol.body.type", "4", "Bodies are JSON: another Content-Type answers 415.", |t| async move {
            let response = post(&t, "text/plain", minimal().to_string()).await?;
            response.error(415, "unsupportedMediaType").map(|_| ())
        }),
        row("protocol.body.coding", "4", "A body with a Content-Encoding answers 415.", |t| async move {
            let call = t.app()?.call(Method::POST, CREATE).header("content-encoding", "gzip");
            call.json(&minimal()).send().await?.error(415, "unsupportedMediaType").map(|_| ())
        }),
        row("protocol.body.charset", "4", "application/json with a charset is JSON.", |t| async move {
            let response = post(&t, "application/json; charset=utf-8", minimal().to_string()).await?;
            response.status(200).map(|_| ())
        }),
        row("protocol.body.utf8", "4", "JSON that is not UTF-8 answers validationFailed.", |t| async move {
            let body = [b"{\"title\":\"".as_slice(), &[0xff, 0xfe], b"\"}"].concat();
            post(&t, "application/json", body).await?.error(422, "validationFailed").map(|_| ())
        }),
        row("protocol.body.nesting", "7.1", "Deep nesting answers validationFailed.", |t| async move {
            let body = format!("{{\"title\":{}1{}}}", "[".repeat(5_000), "]".repeat(5_000));
            post(&t, "application/json", body).await?.error(422, "validationFailed").map(|_| ())
        }),
        row("protocol.body.repeated-field", "itinerary_create", "A repeated field is rejected.", |t| async move {
            let body = minimal().to_string().replacen('{', "{\"title\":\"A\",\"title\":\"B\",", 1);
            post(&t, "application/json", body).await?.error(422, "validationFailed").map(|_| ())
        }),
        row("protocol.body.size-create", "7.1", "A create over 256 KB answers itineraryTooLarge.", |t| async move {
            post(&t, "application/json", large(300).to_string()).await?.error(413, "itineraryTooLarge").map(|_| ())
        }),
        row("protocol.body.size-update", "7.1", "A change to over 256 KB answers itineraryTooLarge.", |t| async move {
            let made = t.itinerary(json!({})).await?;
            let days = json!({ "days": large(300)["days"] });
            made.patch(&days).send().await?.error(413, "itineraryTooLarge")?;
            made.view().await?.has("etag", &made.etag).map(|_| ())
        }),
        row("protocol.body.size-accepted", "8", "An itinerary of 200 KB is accepted.", |t| async move {
            post(&t, "application/json", large(200).to_string()).await?.status(200).map(|_| ())
        }),
        row("protocol.body.size-body", "7.1", "A body far over the limit answers itineraryTooLarge.", |t| async move {
            let response = post(&t, "application/json", large(1_000).to_string()).await?;
            response.error(413, "itineraryTooLarge").map(|_| ())
        }),
    ]
}

/// A create of about this size.
fn large(kilobytes: usize) -> Value {
    let place = json!({ "coordinate": { "latitude": 38.7, "longitude": -9.1 }, "address": "x".repeat(500) });
    let stop = json!({ "name": "y".repeat(200), "place": place });
    let size = stop.to_string().len();
    let stops = kilobytes * 1_024 / size;
    let days: Vec<Value> =
        (0..stops.div_ceil(100)).map(|day| json!({ "stops": vec![&stop; (stops - day * 100).min(100)] })).collect();
    crate::context::with(minimal(), json!({ "days": days }))
}

fn headers() -> Vec<Row> {
    vec![
        row("protocol.header.request-id", "7.1", "Every answer has an X-Request-Id of its own.", |t| async move {
            let app = t.app()?;
            let (first, second) = (app.get("/v1/account").send().await?, app.get("/v1/account").send().await?);
            let id = first.with_header("x-request-id")?;
            second.ensure(second.with_header("x-request-id")? != id, "another X-Request-Id").map(|_| ())
        }),
        row(
            "protocol.header.cache",
            "itinerary_view",
            "Answers of /v1 are private, and revalidated before each use.",
            |t| async move {
                let response = t.itinerary(json!({})).await?.view().await?;
                let cache = response.header("cache-control");
                response
                    .ensure(cache.contains("private") && cache.contains("no-cache"), "Cache-Control: private, no-cache")
                    .map(|_| ())
            },
        ),
        row("protocol.header.vary", "9", "Vary names Authorization and Service-Itinerary-Shape.", |t| async move {
            let response = t.itinerary(json!({})).await?.view().await?;
            let vary = response.header("vary").to_ascii_lowercase();
            let named = vary.contains("authorization") && vary.contains("service-itinerary-shape");
            response.ensure(named, "Vary with Authorization and Service-Itinerary-Shape").map(|_| ())
        }),
        row("protocol.header.coding", "9", "Content codings share the ETag, and Vary names them.", |t| async move {
            let made = t.itinerary(json!({ "summary": "Lisbon and the sea. ".repeat(200) })).await?;
            let response = made.app.get(&made.path).header("accept-encoding", "gzip").send().await?;
            response.status(200)?.has("etag", &made.etag)?;
            let vary = response.header("vary").to_ascii_lowercase();
            response.ensure(vary.contains("accept-encoding"), "Vary with Accept-Encoding").map(|_| ())
        }),
        row(
            "protocol.header.limit-oauth",
            "8",
            "Answers of OAuth's routes have RateLimit-Limit and RateLimit-Policy.",
            |t| async move {
                for path in ["/oauth/register", "/oauth/token", "/oauth/revoke"] {
                    let response = t.call(Method::POST, path).body("application/json", "{").send().await?;
                    let limit = response.with_header("ratelimit-limit")?;
                    let named = response.header("ratelimit-policy").starts_with(&format!("{limit};w="));
                    response.ensure(named, "a RateLimit-Policy of this limit with its window")?;
                }
                Ok(())
            },
        ),
        row(
            "protocol.header.limit-read",
            "8",
            "A read's answer has RateLimit-Limit 120 and RateLimit-Policy 120;w=60.",
            |t| limited(t, Method::GET, "/v1/itineraries", "120"),
        ),
        row(
            "protocol.header.limit-write",
            "8",
            "A write's answer has RateLimit-Limit 60 and RateLimit-Policy 60;w=60.",
            |t| limited(t, Method::POST, CREATE, "60"),
        ),
        row(
            "protocol.header.limit-search",
            "8",
            "Explore's answer has RateLimit-Limit 30 and RateLimit-Policy 30;w=60.",
            |t| limited(t, Method::GET, "/v1/explore", "30"),
        ),
        row(
            "protocol.header.limit-image",
            "8",
            "An image's answer has RateLimit-Limit 20 and RateLimit-Policy 20;w=60.",
            |t| limited(t, Method::PUT, "/v1/itineraries/01890000-0000-7000-8000-00000000dead/cover-image", "20"),
        ),
        row(
            "protocol.header.limit-document",
            "8",
            "An upload's answer has RateLimit-Limit 10 and RateLimit-Policy 10;w=60.",
            |t| limited(t, Method::POST, "/v1/itineraries/01890000-0000-7000-8000-00000000dead/documents", "10"),
        ),
        row("protocol.header.limit-error", "8", "Errors have the RateLimit headers too.", |t| async move {
            let response = t.call(Method::GET, "/v1/itineraries").send().await?;
            response.status(401)?.has("ratelimit-limit", "120")?.has("ratelimit-policy", "120;w=60").map(|_| ())
        }),
        row(
            "protocol.header.limit-remaining",
            "itinerary_list",
            "RateLimit-Remaining counts down to 0, RateLimit-Reset gives seconds.",
            |t| async move {
                let response = t.app()?.get("/v1/account").send().await?;
                if response.header("ratelimit-remaining").is_empty() && !t.limits {
                    return Err(crate::outcome::Stop::skipped("rate limits are off"));
                }
                let remaining = response.header("ratelimit-remaining").parse::<u64>();
                let reset = response.header("ratelimit-reset").parse::<u64>();
                response.ensure(remaining.is_ok_and(|left| left < 120), "RateLimit-Remaining below 120")?;
                response.ensure(reset.is_ok_and(|seconds| seconds <= 60), "RateLimit-Reset of at most 60").map(|_| ())
            },
        ),
        row(
            "protocol.header.shape-echo",
            "itinerary_view",
            "An answer with an itinerary names its shape.",
            |t| async move {
                let response = t.itinerary(json!({})).await?.view().await?;
                response.has("service-itinerary-shape", "clean").map(|_| ())
            },
        ),
        row("protocol.header.content-type", "4", "Bodies are application/json.", |t| async move {
            t.app()?.get("/v1/account").send().await?.json_with(200).map(|_| ())
        }),
    ]
}

async fn limited(t: Context, method: Method, path: &'static str, limit: &'static str) -> Checked {
    let response = t.app()?.call(method, path).send().await?;
    response.has("ratelimit-limit", limit)?.has("ratelimit-policy", &format!("{limit};w=60")).map(|_| ())
}

/// Each row has a request with two errors, and names the one that comes first.
fn order() -> Vec<Row> {
    vec![
        row(
            "protocol.order.route-token",
            "itinerary_view",
            "An unknown route is answered before the token is checked.",
            |t| async move { t.call(Method::GET, "/v1/nowhere").send().await?.error(404, "notFound").map(|_| ()) },
        ),
        row(
            "protocol.order.token-scope",
            "itinerary_create",
            "The token is checked before the body.",
            |t| async move {
                let call = t.call(Method::POST, CREATE).body("text/plain", "{");
                call.send().await?.error(401, "unauthenticated").map(|_| ())
            },
        ),
        row("protocol.order.scope-body", "itinerary_create", "The scope is checked before the body.", |t| async move {
            let (limited, _) = t.travellers.scoped("documents:read").await?;
            limited.call(Method::POST, CREATE).body("text/plain", "{").send().await?.error(403, "forbidden").map(|_| ())
        }),
        row(
            "protocol.order.size-type",
            "itinerary_create",
            "A body's size is checked before its type.",
            |t| async move {
                let call = t.app()?.call(Method::POST, CREATE).body("text/plain", vec![b' '; 600_000]);
                call.send().await?.error(413, "itineraryTooLarge").map(|_| ())
            },
        ),
        row(
            "protocol.order.type-key",
            "itinerary_create",
            "A body's type is checked before Idempotency-Key.",
            |t| async move {
                let call = t.app()?.call(Method::POST, CREATE).key("no").body("text/plain", "{");
                call.send().await?.error(415, "unsupportedMediaType").map(|_| ())
            },
        ),
        row(
            "protocol.order.key-syntax",
            "itinerary_create",
            "Idempotency-Key is checked before the body's syntax.",
            |t| async move {
                let call = t.app()?.call(Method::POST, CREATE).key("no").body("application/json", "{");
                call.send().await?.invalid("Idempotency-Key")
            },
        ),
        row(
            "protocol.order.syntax-visible",
            "itinerary_update",
            "A body's syntax is checked before the itinerary is looked up.",
            |t| async move {
                let path = format!("/v1/itineraries/{NOTHING}");
                t.app()?.patch(&path, &json!({ "hotels": [{}] })).send().await?.invalid("hotels[0].name")
            },
        ),
        row(
            "protocol.order.visible-condition",
            "itinerary_update",
            "Visibility is checked before If-Match.",
            |t| async move {
                let path = format!("/v1/itineraries/{NOTHING}");
                t.app()?.patch(&path, &json!({ "title": "A" })).send().await?.error(404, "notFound").map(|_| ())
            },
        ),
        row(
            "protocol.order.role-condition",
            "itinerary_update",
            "The role is checked before If-Match.",
            |t| async move {
                let made = t.itinerary(json!({})).await?;
                let viewer = t.other(&made)?;
                made.share(&viewer, "viewer").await?;
                viewer.patch(&made.path, &json!({ "title": "A" })).send().await?.error(403, "forbidden").map(|_| ())
            },
        ),
        row(
            "protocol.order.plan-condition",
            "itinerary_update",
            "The plan is checked before If-Match.",
            |t| async move {
                let made = t.itinerary(json!({})).await?;
                let packing = json!({ "packing": [{ "name": "Hat" }] });
                let response = made.app.patch(&made.path, &packing).send().await?;
                response.error(403, "subscriptionRequired").map(|_| ())
            },
        ),
        row("protocol.order.replay-condition", "9", "A replay comes before If-Match is looked at.", |t| async move {
            let (made, key) = (t.itinerary(json!({})).await?, key());
            made.patch(&json!({ "title": "Once" })).key(&key).send().await?.status(200)?;
            let again = made.app.patch(&made.path, &json!({ "title": "Once" })).key(&key).send().await?;
            again.status(200)?.at("/title", "Once").map(|_| ())
        }),
        row(
            "protocol.order.condition-meaning",
            "itinerary_update",
            "If-Match is checked before the meaning of the body.",
            |t| async move {
                let made = t.itinerary(json!({})).await?;
                let twice = json!({ "hotels": [{ "id": "a", "name": "A" }, { "id": "a", "name": "B" }] });
                made.app.patch(&made.path, &twice).send().await?.error(428, "preconditionRequired")?;
                made.patch(&twice).send().await?.invalid("hotels[1].id")
            },
        ),
        row(
            "protocol.order.meaning-duplicate",
            "itinerary_create",
            "A duplicate is reported when nothing else is wrong.",
            |t| async move {
                let made = t.itinerary(json!({ "startDate": "2033-01-01" })).await?;
                let body = json!({
                    "destination": made.json["destination"], "startDate": "2033-01-01",
                    "hotels": [{ "id": "a", "name": "A" }, { "id": "a", "name": "B" }],
                });
                made.app.post("/v1/itineraries", &body).send().await?.invalid("hotels[1].id")
            },
        ),
    ]
}
