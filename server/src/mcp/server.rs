//! The MCP server behind `rmcp`: handshake, description and list of tools.
//!
//! Neither calls tools nor checks the caller; both happen before.

use std::borrow::Cow;
use std::sync::{Arc, LazyLock};

use bytes::Bytes;
use dropshot::Body;
use http::header::{self, HeaderValue};
use http::{Method, Response};
use http_body_util::Full;
use rmcp::model::{
    CacheScope, DiscoverResult, ErrorData, Implementation, ListToolsResult, PaginatedRequestParams, ProtocolVersion,
    ServerCapabilities, ServerConfig, Tool, ToolAnnotations,
};
use rmcp::service::RequestContext;
use rmcp::transport::streamable_http_server::session::never::NeverSessionManager;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
use rmcp::{RoleServer, ServerHandler};
use serde_json::{Map, Value, json};

use super::frame::{CAPABILITIES_KEY, Era, METHOD_HEADER, ProtocolRequest, Spoken, VERSION_HEADER, VERSION_KEY};
use super::rpc::RpcError;
use super::tools;

/// How long clients may cache the list of tools and the description, which change only with a release.
const FRESH_MS: u64 = 300_000;

const INSTRUCTIONS: &str = "Plans trips for the signed-in traveller. To make a trip, call plan_itinerary once with \
    everything you know: names of places are enough. To change one, read it with get_itinerary and send its ETag as \
    ifMatch. Days are counted from 1; the first day is startDate. Times are local to the place.";

type Service = StreamableHttpService<Server, NeverSessionManager>;

// The front door checks hosts and origins. There are no sessions and no event streams.
static SERVICE: LazyLock<Service> = LazyLock::new(|| {
    let config = StreamableHttpServerConfig::default()
        .with_legacy_session_mode(false)
        .with_json_response(true)
        .with_sse_keep_alive(None)
        .with_sse_retry(None)
        .disable_allowed_hosts();
    StreamableHttpService::new(|| Ok(Server), Arc::new(NeverSessionManager::default()), config)
});

/// The tools as clients list them.
static TOOLS: LazyLock<Vec<Tool>> = LazyLock::new(|| tools::TOOLS.iter().map(listed).collect());

fn listed(tool: &tools::Tool) -> Tool {
    let hints = ToolAnnotations::new()
        .read_only(tool.annotations.read_only)
        .destructive(tool.annotations.destructive)
        .idempotent(tool.annotations.idempotent)
        .open_world(tool.annotations.open_world);
    Tool::new(tool.name, tool.description, object((tool.input)()))
        .with_title(tool.title)
        .with_raw_output_schema(Arc::new(object((tool.output)())))
        .with_annotations(hints)
}

fn object(schema: Value) -> Map<String, Value> {
    match schema {
        Value::Object(schema) => schema,
        _ => Map::new(),
    }
}

/// Lets `rmcp` answer a request. The message is rebuilt from the parsed one, so that nothing else of the client's text
/// gets through.
pub(super) async fn answer(id: &Value, spoken: Spoken, request: &ProtocolRequest) -> Result<Response<Body>, RpcError> {
    let (method, params) = message(spoken, request);
    let body = json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params });
    let mut message = http::Request::new(Full::new(Bytes::from(body.to_string())));
    *message.method_mut() = Method::POST;
    let headers = message.headers_mut();
    headers.insert(header::HOST, HeaderValue::from_static("localhost"));
    headers.insert(header::ACCEPT, HeaderValue::from_static("application/json, text/event-stream"));
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
    headers.insert(METHOD_HEADER, HeaderValue::from_static(method));
    if let Some(version) = spoken.version {
        headers.insert(VERSION_HEADER, HeaderValue::from_static(version));
    }
    let response = SERVICE.handle(message).await;
    // The library answers its own errors in plain text.
    let is_json =
        response.headers().get(header::CONTENT_TYPE).is_some_and(|media_type| media_type == "application/json");
    if !is_json {
        tracing::error!(status = response.status().as_u16(), "the MCP library's answer is not JSON");
        return Err(RpcError::internal());
    }
    Ok(response.map(Body::wrap))
}

/// The method, and the parameters that `rmcp` needs to answer it.
fn message(spoken: Spoken, request: &ProtocolRequest) -> (&'static str, Value) {
    let (method, mut params) = match request {
        ProtocolRequest::Initialize(version) => {
            let client = json!({ "name": "client", "version": "1" });
            ("initialize", json!({ "protocolVersion": version, "capabilities": {}, "clientInfo": client }))
        }
        ProtocolRequest::Discover => ("server/discover", json!({})),
        ProtocolRequest::Ping => ("ping", json!({})),
        ProtocolRequest::ListTools => ("tools/list", json!({})),
    };
    if spoken.era == Era::Modern {
        params["_meta"] = json!({ VERSION_KEY: spoken.version, CAPABILITIES_KEY: {} });
    }
    (method, params)
}

/// The server as `rmcp` knows it.
struct Server;

impl ServerHandler for Server {
    fn get_info(&self) -> ServerConfig {
        let capabilities = ServerCapabilities::builder().enable_tools().build();
        let name = Implementation::new("itinerary-planning-service", env!("CARGO_PKG_VERSION"));
        let mut info = ServerConfig::new(capabilities).with_instructions(INSTRUCTIONS);
        info.server_info = name.with_title("Itinerary Planning Service");
        info
    }

    fn supported_protocol_versions(&self) -> Cow<'static, [ProtocolVersion]> {
        Cow::Borrowed(ProtocolVersion::known_up_to(&ProtocolVersion::V_2026_07_28))
    }

    async fn discover(&self, _: RequestContext<RoleServer>) -> Result<DiscoverResult, ErrorData> {
        let versions = self.supported_protocol_versions().into_owned();
        let result = DiscoverResult::from_server_info(versions, self.get_info());
        Ok(result.with_ttl_ms(FRESH_MS).with_cache_scope(CacheScope::Public))
    }

    // The list is the same for everyone.
    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let list = ListToolsResult::with_all_items(TOOLS.clone());
        Ok(list.with_ttl_ms(FRESH_MS).with_cache_scope(CacheScope::Public))
    }
}
