//! Responses to the requests of the protocol itself: the handshake, the server's description, ping, the list of tools.
//!
//! They are the same for every caller. Neither calls tools nor checks the caller.

use std::sync::LazyLock;

use serde::Serialize;
use serde_json::value::RawValue;
use serde_json::{Value, json};

use super::frame::{LATEST_LEGACY, ProtocolEra, ProtocolRequest, VERSIONS};
use super::tools::{self, Annotations, Tool};

/// How long clients may cache the list of tools and the description, in milliseconds. Both change only with a release.
const TTL_MS: u32 = 300_000;

const INSTRUCTIONS: &str = "Plans trips for the signed-in traveller. To make a trip, call plan_itinerary once with \
    everything you know: names of places are enough. To change one, read it with get_itinerary and send its ETag as \
    ifMatch. Days are counted from 1; the first day is startDate. Times are local to the place.";

/// The key of the server's name in a description's `_meta`.
const SERVER_KEY: &str = "io.modelcontextprotocol/serverInfo";

const COMPLETE: &str = "complete";

#[derive(Serialize)]
struct Capabilities {
    tools: Empty,
}

#[derive(Serialize)]
struct Empty {}

#[derive(Serialize)]
struct ServerInfo {
    name: &'static str,
    title: &'static str,
    version: &'static str,
}

/// The result of `initialize`.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Initialized {
    protocol_version: &'static str,
    capabilities: Capabilities,
    server_info: ServerInfo,
    instructions: &'static str,
}

/// The result of `server/discover`.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Discovered {
    supported_versions: &'static [&'static str],
    capabilities: Capabilities,
    instructions: &'static str,
    #[serde(flatten)]
    cacheable: Cacheable,
    #[serde(rename = "_meta")]
    meta: Value,
}

/// The result of `tools/list`, which has one page.
#[derive(Serialize)]
struct ToolList<'a> {
    tools: &'a RawValue,
    #[serde(flatten)]
    cacheable: Cacheable,
}

/// The fields of a result that clients may cache.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Cacheable {
    /// Since 2026-07-28.
    #[serde(skip_serializing_if = "Option::is_none")]
    result_type: Option<&'static str>,
    ttl_ms: u32,
    /// The same result for everyone.
    cache_scope: &'static str,
}

impl Cacheable {
    fn of(era: ProtocolEra) -> Self {
        Self { result_type: (era == ProtocolEra::Modern).then_some(COMPLETE), ttl_ms: TTL_MS, cache_scope: "public" }
    }
}

/// A tool as clients list it.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct ListedTool {
    name: &'static str,
    title: &'static str,
    description: &'static str,
    input_schema: &'static Value,
    output_schema: Value,
    annotations: Annotations,
}

impl From<&Tool> for ListedTool {
    fn from(tool: &Tool) -> Self {
        let Tool { name, title, description, annotations, input, output, .. } = *tool;
        Self { name, title, description, input_schema: input, output_schema: output(), annotations }
    }
}

static TOOLS: LazyLock<Box<RawValue>> = LazyLock::new(|| {
    let tools: Vec<_> = tools::TOOLS.iter().map(ListedTool::from).collect();
    serde_json::value::to_raw_value(&tools).expect("schemas are plain data")
});

const SERVER: ServerInfo = ServerInfo {
    name: "itinerary-planning-service",
    title: "Itinerary Planning Service",
    version: env!("CARGO_PKG_VERSION"),
};

const CAPABILITIES: Capabilities = Capabilities { tools: Empty {} };

/// The result of a request, as JSON.
pub(super) fn result(era: ProtocolEra, request: &ProtocolRequest) -> Vec<u8> {
    match request {
        ProtocolRequest::Initialize(version) => json(&Initialized {
            protocol_version: negotiated(version),
            capabilities: CAPABILITIES,
            server_info: SERVER,
            instructions: INSTRUCTIONS,
        }),
        ProtocolRequest::Discover => json(&Discovered {
            supported_versions: &VERSIONS,
            capabilities: CAPABILITIES,
            instructions: INSTRUCTIONS,
            cacheable: Cacheable::of(era),
            meta: json!({ SERVER_KEY: SERVER }),
        }),
        ProtocolRequest::Ping => json(&Empty {}),
        ProtocolRequest::ListTools => json(&ToolList { tools: &TOOLS, cacheable: Cacheable::of(era) }),
    }
}

fn json(result: &impl Serialize) -> Vec<u8> {
    serde_json::to_vec(result).expect("a result is plain data")
}

/// The proposed version if a handshake can agree on it, otherwise the latest that has a handshake.
fn negotiated(proposed: &str) -> &'static str {
    let mut legacy = VERSIONS.into_iter().filter(|version| *version <= LATEST_LEGACY);
    legacy.find(|version| *version == proposed).unwrap_or(LATEST_LEGACY)
}
