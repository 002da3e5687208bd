//! Tokens, scopes, and what may not be seen (specification, sections 5 and 7).

use std::collections::BTreeSet;

use serde_json::json;

use crate::context::Context;
use crate::operations::{NOTHING, ON_ACCOUNTS, ON_ITINERARIES, Operation, whole};
use crate::outcome::{Checked, ensure};
use crate::row::{Row, row};

fn every() -> impl Iterator<Item = &'static Operation> {
    ON_ITINERARIES.iter().chain(ON_ACCOUNTS)
}

/// The areas of the operations.
fn areas<'a>(operations: impl Iterator<Item = &'a Operation>) -> BTreeSet<&'static str> {
    operations.map(Operation::area).collect()
}

pub(super) fn rows() -> Vec<Row> {
    let unauthenticated = areas(every()).into_iter().map(|area| {
        let promise = format!("Without a token, the operations of {area} answer unauthenticated.");
        row(format!("access.token.{area}"), "7.1", promise, move |t| needs_a_token(t, area))
    });
    let hidden = areas(ON_ITINERARIES.iter()).into_iter().map(|area| {
        let promise = format!("The operations of {area} answer notFound for a private itinerary of somebody else.");
        row(format!("access.hidden.{area}"), "7.1", promise, move |t| hides(t, area))
    });
    let mut rows: Vec<Row> = unauthenticated.chain(hidden).collect();
    rows.extend(scopes());
    rows.extend(tokens());
    rows
}

async fn needs_a_token(t: Context, area: &'static str) -> Checked {
    for operation in every().filter(|operation| operation.area() == area) {
        let call = operation.finished(t.call(operation.method(), &operation.path_for(NOTHING, NOTHING)));
        call.send().await?.error(401, "unauthenticated")?;
    }
    Ok(())
}

async fn hides(t: Context, area: &'static str) -> Checked {
    let made = t.itinerary(whole()).await?;
    let stranger = t.other(&made)?;
    for operation in ON_ITINERARIES.iter().filter(|operation| operation.area() == area) {
        let response = operation.call(&stranger, &made.id).send().await?;
        response.error(404, "notFound")?;
        response.has("etag", "")?;
    }
    Ok(())
}

fn scopes() -> Vec<Row> {
    const SCOPES: [(&str, &str, &str); 4] = [
        ("itineraries-read", "itineraries:read", "itineraries:write documents:read documents:write"),
        ("itineraries-write", "itineraries:write", "itineraries:read documents:read documents:write"),
        ("documents-read", "documents:read", "itineraries:read itineraries:write documents:write"),
        ("documents-write", "documents:write", "itineraries:read itineraries:write documents:read"),
    ];
    let mut rows: Vec<Row> = SCOPES
        .into_iter()
        .map(|(name, scope, others)| {
            let promise = format!("Without the scope {scope}, its operations answer forbidden, and name the scope.");
            row(format!("access.scope.{name}"), "5", promise, move |t| async move {
                let (limited, _) = t.travellers.scoped(others).await?;
                for operation in every().filter(|operation| operation.scope == scope) {
                    let response = operation.call(&limited, NOTHING).send().await?;
                    let details = response.error(403, "forbidden")?;
                    response.ensure(details["required"] == scope, format!("error.details.required {scope}"))?;
                }
                Ok(())
            })
        })
        .collect();
    rows.extend([
        row("access.scope.explore", "4.3", "Explore needs a token and no scope.", |t| async move {
            let (limited, _) = t.travellers.scoped("documents:read").await?;
            limited.get("/v1/explore").send().await?.status(200).map(|_| ())
        }),
        row(
            "access.scope.challenge",
            "RFC 6750, section 3",
            "A missing scope is named in WWW-Authenticate.",
            |t| async move {
                let (limited, _) = t.travellers.scoped("documents:read").await?;
                let response = limited.get("/v1/itineraries").send().await?;
                response.error(403, "forbidden")?;
                let challenge = response.with_header("www-authenticate")?;
                let named = challenge.contains("insufficient_scope") && challenge.contains("itineraries:read");
                response.ensure(named, "error=\"insufficient_scope\" and the scope in WWW-Authenticate").map(|_| ())
            },
        ),
        row(
            "access.scope.documents",
            "itinerary_view",
            "Without documents:read a read leaves documents out.",
            |t| async move {
                let (limited, full) = t.travellers.scoped("itineraries:read itineraries:write").await?;
                let made = full.itinerary(json!({})).await?;
                full.get(&made.path).send().await?.status(200)?.at("/documents", json!([]))?;
                limited.get(&made.path).send().await?.status(200)?.lacks("/documents").map(|_| ())
            },
        ),
    ]);
    rows
}

fn tokens() -> Vec<Row> {
    vec![
        row("access.token.invalid", "7.1", "An invalid token answers unauthenticated.", |t| async move {
            let call = t.call(reqwest::Method::GET, "/v1/itineraries").token("made-up");
            call.send().await?.error(401, "unauthenticated").map(|_| ())
        }),
        row(
            "access.token.challenge",
            "RFC 6750, section 3",
            "A 401 has a WWW-Authenticate header with the scheme Bearer.",
            |t| async move {
                let response = t.call(reqwest::Method::GET, "/v1/itineraries").send().await?;
                response.error(401, "unauthenticated")?;
                response
                    .ensure(response.header("www-authenticate").starts_with("Bearer"), "WWW-Authenticate: Bearer …")
                    .map(|_| ())
            },
        ),
        row(
            "access.token.challenge-invalid",
            "RFC 6750, section 3",
            "A 401 for an invalid token says invalid_token.",
            |t| async move {
                let response = t.call(reqwest::Method::GET, "/v1/itineraries").token("made-up").send().await?;
                let says = response.header("www-authenticate").contains("error=\"invalid_token\"");
                response.ensure(says, "error=\"invalid_token\" in WWW-Authenticate").map(|_| ())
            },
        ),
        row(
            "access.token.scheme",
            "4",
            "A token is sent with the scheme Bearer; others are not accepted.",
            |t| async move {
                let token = t.app()?.token;
                for value in [token.clone(), format!("Basic {token}"), format!("Token {token}")] {
                    let call = t.call(reqwest::Method::GET, "/v1/itineraries").header("authorization", &value);
                    call.send().await?.error(401, "unauthenticated")?;
                }
                Ok(())
            },
        ),
        row("access.token.in-query", "4", "A token in the query is not accepted.", |t| async move {
            let path = format!("/v1/itineraries?access_token={}", t.app()?.token);
            t.call(reqwest::Method::GET, &path).send().await?.error(401, "unauthenticated").map(|_| ())
        }),
        row(
            "access.hidden.same-answer",
            "7.1",
            "An itinerary that the caller may not see is answered like one that does not exist.",
            |t| async move {
                let made = t.itinerary(json!({})).await?;
                let stranger = t.other(&made)?;
                let hidden = stranger.get(&made.path).send().await?;
                let absent = stranger.get(&format!("/v1/itineraries/{NOTHING}")).send().await?;
                hidden.error(404, "notFound")?;
                absent.error(404, "notFound")?;
                let message = |response: &crate::response::ReceivedResponse| {
                    response.json().map(|body| body["error"]["message"].clone())
                };
                hidden.ensure(message(&hidden)? == message(&absent)?, "the same message")?;
                let names = |response: &crate::response::ReceivedResponse| -> BTreeSet<String> {
                    response.headers.keys().map(ToString::to_string).collect()
                };
                ensure(names(&hidden) == names(&absent), "the same headers")
            },
        ),
        row(
            "access.hidden.conditions",
            "7.1",
            "If-Match and If-None-Match reveal nothing of a hidden itinerary.",
            |t| async move {
                let made = t.itinerary(json!({})).await?;
                let stranger = t.other(&made)?;
                for tag in ["*", &*made.etag] {
                    let read = stranger.get(&made.path).header("If-None-Match", tag).send().await?;
                    read.error(404, "notFound")?;
                    let write = stranger.patch(&made.path, &json!({ "title": "Mine" })).if_match(tag).send().await?;
                    write.error(404, "notFound")?;
                }
                Ok(())
            },
        ),
    ]
}
