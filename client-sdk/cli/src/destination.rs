//! Where a destination is that has only a name.
//!
//! The API's `POST /v1/itineraries` needs a coordinate. The server's MCP tool `plan_itinerary` does not: it knows towns by
//! name. A dry run of the tool says which town a name means, and stores nothing.

use futures::TryStreamExt as _;
use itinerary_sdk::types::{Coordinate, Destination, ListFilter};
use itinerary_sdk::{ClientInfo as _, Paged as _};
use reqwest::StatusCode;
use serde::Deserialize;
use serde_json::json;

use crate::failure::{Exit, Failure};
use crate::output::Output;
use crate::service::{LARGEST_PAGE, Service, bytes};
use crate::text;

/// A destination's name and coordinate.
pub(crate) struct Located {
    pub(crate) name: String,
    pub(crate) latitude: f64,
    pub(crate) longitude: f64,
}

/// The response of the MCP endpoint to a call of a tool.
#[derive(Deserialize)]
struct Response {
    result: ToolResult,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct ToolResult {
    #[serde(default)]
    is_error: bool,
    #[serde(rename = "_meta")]
    meta: Option<Meta>,
    #[serde(default)]
    content: Vec<Text>,
    structured_content: Option<Plan>,
}

#[derive(Deserialize)]
struct Meta {
    #[serde(default)]
    code: String,
    details: Option<Details>,
}

#[derive(Deserialize)]
struct Details {
    field: Option<String>,
}

#[derive(Deserialize)]
struct Text {
    #[serde(default)]
    text: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Plan {
    itinerary: Planned,
    #[serde(default)]
    needs_attention: Vec<Attention>,
}

#[derive(Deserialize)]
struct Planned {
    destination: Destination,
}

#[derive(Deserialize)]
struct Attention {
    field: String,
    message: String,
}

/// Finds a destination: as in one of the caller's own trips to it, otherwise the town that the server knows by the name.
pub(crate) async fn locate(service: &Service, output: Output, name: &str) -> Result<Located, Failure> {
    let mut mine = service.client.itinerary_list().filter(ListFilter::Owned).limit(i32::from(LARGEST_PAGE)).stream();
    while let Some(trip) = mine.try_next().await? {
        if trip.destination.name.to_lowercase() == name.trim().to_lowercase() {
            let Coordinate { latitude, longitude, .. } = trip.destination.coordinate;
            return Ok(Located { name: trip.destination.name, latitude, longitude });
        }
    }
    let found = ask(service, name).await?;
    let Some(plan) = found.structured_content.filter(|_| !found.is_error) else {
        return Err(unclear(name, found.meta.as_ref(), &found.content));
    };
    if let Some(assumed) = plan.needs_attention.iter().find(|entry| entry.field == "destination.coordinate") {
        let message = assumed.message.trim_end_matches('.');
        output.warn(&format!("{name}: {message}. For another, add its country: --destination \"{name}, COUNTRY\""));
    }
    let Destination { coordinate: Coordinate { latitude, longitude, .. }, .. } = plan.itinerary.destination;
    // A country says which town it is, and is not part of its name.
    let town = name.split([',', '(']).next().unwrap_or(name).trim();
    Ok(Located { name: town.to_owned(), latitude, longitude })
}

/// Calls the tool. The SDK sends tokens to the API only, so this request gets its token here.
async fn ask(service: &Service, name: &str) -> Result<ToolResult, Failure> {
    let arguments = json!({ "destination": { "name": name }, "dryRun": true, "allowDuplicate": true });
    let call = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call",
        "params": { "name": "plan_itinerary", "arguments": arguments } });
    let mut request = service.client.client().post(format!("{}/mcp", service.base_url())).json(&call);
    request = request.header("accept", "application/json, text/event-stream");
    if let Some(token) = service.client.access_token().await? {
        request = request.bearer_auth(token);
    }
    let answer = request.send().await?;
    match answer.status() {
        StatusCode::OK => {}
        StatusCode::UNAUTHORIZED => {
            return Err(
                Failure::new(Exit::SignIn, "the server rejected the token").and("sign in with `itinerary login`")
            );
        }
        StatusCode::FORBIDDEN => {
            let failure = Failure::new(Exit::Forbidden, "creating a trip needs the scope itineraries:write");
            return Err(failure.and("sign in again with `itinerary login`"));
        }
        StatusCode::TOO_MANY_REQUESTS | StatusCode::SERVICE_UNAVAILABLE => {
            return Err(Failure::new(Exit::Unavailable, "the server is busy or paused: retry later"));
        }
        status => return Err(cannot(name, &format!("the server responded with status {}", status.as_u16()))),
    }
    let body = bytes(Box::pin(answer.bytes_stream())).await?;
    let response: Response = serde_json::from_slice(&body).map_err(|error| cannot(name, &error.to_string()))?;
    Ok(response.result)
}

fn cannot(name: &str, why: &str) -> Failure {
    Failure::new(Exit::Failure, format!("cannot look for “{name}” ({why}): pass --at LATITUDE,LONGITUDE"))
}

/// The failure for a name that means no town, or several. The tool lists them on lines that begin with `- `.
fn unclear(name: &str, meta: Option<&Meta>, content: &[Text]) -> Failure {
    let field = meta.and_then(|meta| meta.details.as_ref()?.field.clone());
    let text = content.first().map(|content| content.text.as_str()).unwrap_or_default();
    if field.as_deref() != Some("destination.coordinate") {
        let message = text::clean(text.lines().next().unwrap_or_default());
        let exit = match meta.map(|meta| meta.code.as_str()) {
            Some("forbidden") => Exit::Forbidden,
            Some("rateLimited" | "upstreamFailed" | "featureUnavailable") => Exit::Unavailable,
            Some("validationFailed") => {
                return Failure::new(Exit::Invalid, message.replace("`destination.name`", "--destination"));
            }
            _ => Exit::Failure,
        };
        return Failure::new(exit, message);
    }
    let towns: Vec<_> = text.lines().filter_map(|line| line.strip_prefix("- ")).collect();
    // Without the coordinate after it, a town is a destination as it is.
    let short = |town: &str| town.split(" (").next().unwrap_or(town).to_owned();
    match &towns[..] {
        [] => Failure::usage(format!(
            "where is “{name}”? The server knows no town of this name: pass --at LATITUDE,LONGITUDE"
        )),
        [first, rest @ ..] => {
            let named: Vec<_> = towns.iter().map(|town| short(town)).collect();
            if rest.iter().any(|town| short(town) == short(first)) {
                return Failure::usage(format!(
                    "where is “{name}”? It may be {}: pass its state, as in --destination \"Portland, Oregon\", or --at \
                     LATITUDE,LONGITUDE",
                    towns.join("; "),
                ));
            }
            Failure::usage(format!(
                "where is “{name}”? It may be {}: pass --destination \"{}\" or the like, or --at LATITUDE,LONGITUDE",
                named.join("; "),
                short(first),
            ))
        }
    }
}
