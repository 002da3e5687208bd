//! The MCP server behind `rmcp`: what it says of itself, its tools, and how a tool is called.
//!
//! Who may call a tool, and how often, was decided before a request comes here.

use std::borrow::Cow;
use std::convert::Infallible;
use std::panic::AssertUnwindSafe;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, LazyLock, Mutex, PoisonError};

use bytes::Bytes;
use futures::FutureExt;
use http::header::{self, HeaderValue};
use http::request::Parts;
use http::{Method, Response};
use http_body_util::Full;
use itinerary_api::policy::Scope;
use rmcp::model::{
    CacheScope, CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, DiscoverResult, ErrorCode,
    ErrorData, Implementation, ListToolsResult, MetaObject, PaginatedRequestParams, ProtocolVersion,
    ServerCapabilities, ServerConfig, Tool, ToolAnnotations,
};
use rmcp::service::RequestContext;
use rmcp::transport::streamable_http_server::session::never::NeverSessionManager;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
use rmcp::{RoleServer, ServerHandler};
use serde_json::{Map, Value, json};

use super::frame::{Ask, CAPABILITIES_KEY, Era, METHOD_HEADER, NAME_HEADER, Request, VERSION_HEADER, VERSION_KEY};
use super::operations::Operations;
use super::rpc::{INVALID_PARAMS, RpcError};
use super::tools::{self, Outcome};
use crate::http::panic_message;

type BoxBody = http_body_util::combinators::BoxBody<Bytes, Infallible>;

/// How long clients may keep the list of tools and the description of the server: they change with a release.
const FRESH_MS: u64 = 300_000;

const INSTRUCTIONS: &str = "Plans trips for the signed-in traveller. To make a trip, call plan_itinerary once with \
    everything you know: names of places are enough. To change one, read it with get_itinerary and send its ETag as \
    ifMatch. Days are counted from 1; the first day is startDate. Times are local to the place.";

type Service = StreamableHttpService<Server, NeverSessionManager>;

/// Hosts and origins are checked by the front door; there are no sessions and no event streams.
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

/// What a tool is called with, beside the message that `rmcp` sees.
#[derive(Clone)]
pub(super) struct Invocation(Arc<Inner>);

struct Inner {
    operations: Operations,
    /// Taken by the call.
    arguments: Mutex<Map<String, Value>>,
    request_id: String,
    refused: AtomicBool,
}

impl Invocation {
    pub(super) fn new(operations: Operations, arguments: Map<String, Value>) -> Self {
        let (arguments, request_id) = (Mutex::new(arguments), operations.in_process().request_id().to_owned());
        Self(Arc::new(Inner { operations, arguments, request_id, refused: AtomicBool::new(false) }))
    }

    /// The scope that an operation lacked, if the tool has refused.
    pub(super) fn missing_scope(&self) -> Option<Scope> {
        self.0.operations.in_process().missing_scope().filter(|_| self.0.refused.load(Ordering::Acquire))
    }

    pub(super) fn operations(&self) -> &Operations {
        &self.0.operations
    }

    async fn call(&self, tool: &tools::Tool) -> Result<CallToolResult, ErrorData> {
        let arguments = std::mem::take(&mut *self.0.arguments.lock().unwrap_or_else(PoisonError::into_inner));
        let outcome = AssertUnwindSafe((tool.run)(&self.0.operations, arguments)).catch_unwind().await;
        match outcome {
            Ok(Outcome::Done { text, structured }) => {
                let mut result = CallToolResult::structured(structured);
                result.content = vec![ContentBlock::text(text)];
                Ok(result)
            }
            Ok(Outcome::Refused { text, code, request_id, details }) => {
                self.0.refused.store(true, Ordering::Release);
                let request_id = if request_id.is_empty() { self.0.request_id.clone() } else { request_id };
                let mut result = CallToolResult::error(vec![ContentBlock::text(text)]);
                result.meta = Some(refusal_meta(code, request_id, details));
                Ok(result)
            }
            Err(panic) => {
                tracing::error!(panic = panic_message(&*panic), tool = tool.name, "a tool panicked");
                Err(self.internal())
            }
        }
    }

    fn internal(&self) -> ErrorData {
        let error = RpcError::internal();
        let data = error.data(&self.0.request_id);
        ErrorData::new(ErrorCode(error.code), error.message, Some(data))
    }
}

fn refusal_meta(code: String, request_id: String, details: Value) -> MetaObject {
    let mut meta = Map::new();
    meta.insert("code".to_owned(), code.into());
    meta.insert("requestId".to_owned(), request_id.into());
    if !details.is_null() {
        meta.insert("details".to_owned(), details);
    }
    MetaObject(meta)
}

/// Has `rmcp` answer a request. The message that it gets is written anew from what was read of the client's: whatever
/// else the client has sent ends here.
pub(super) async fn answer(request: &Request, invocation: Option<Invocation>) -> Result<Response<BoxBody>, RpcError> {
    let (method, params) = message(request, request.ask.as_ref().map_err(Clone::clone)?);
    let body = json!({ "jsonrpc": "2.0", "id": request.id, "method": method, "params": params });
    let mut message = http::Request::new(Full::new(Bytes::from(body.to_string())));
    *message.method_mut() = Method::POST;
    let headers = message.headers_mut();
    headers.insert(header::HOST, HeaderValue::from_static("localhost"));
    headers.insert(header::ACCEPT, HeaderValue::from_static("application/json, text/event-stream"));
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
    headers.insert(METHOD_HEADER, HeaderValue::from_static(method));
    if let Some(version) = request.version {
        headers.insert(VERSION_HEADER, HeaderValue::from_static(version));
    }
    // The name of a tool that is known is plain ASCII.
    if let Some(name) = params["name"].as_str().and_then(|name| HeaderValue::from_str(name).ok()) {
        headers.insert(NAME_HEADER, name);
    }
    if let Some(invocation) = invocation {
        message.extensions_mut().insert(invocation);
    }
    Ok(SERVICE.handle(message).await)
}

/// The method, and the parameters that `rmcp` needs to answer it.
fn message(request: &Request, ask: &Ask) -> (&'static str, Value) {
    let (method, mut params) = match ask {
        Ask::Initialize(version) => {
            let client = json!({ "name": "client", "version": "1" });
            ("initialize", json!({ "protocolVersion": version, "capabilities": {}, "clientInfo": client }))
        }
        Ask::Discover => ("server/discover", json!({})),
        Ask::Ping => ("ping", json!({})),
        Ask::ListTools => ("tools/list", json!({})),
        Ask::CallTool { name, .. } => ("tools/call", json!({ "name": name })),
    };
    if request.era == Era::Modern {
        params["_meta"] = json!({ VERSION_KEY: request.version, CAPABILITIES_KEY: {} });
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

    /// The list is the same for everyone.
    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let list = ListToolsResult::with_all_items(TOOLS.clone());
        Ok(list.with_ttl_ms(FRESH_MS).with_cache_scope(CacheScope::Public))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let parts = context.extensions.get::<Parts>();
        let invocation = parts.and_then(|parts| parts.extensions.get::<Invocation>().cloned());
        let tool = tools::find(&request.name);
        // Both were looked up before the request was handed over.
        let Some((invocation, tool)) = invocation.zip(tool) else {
            return Err(ErrorData::new(ErrorCode(INVALID_PARAMS), "Unknown tool.", None));
        };
        Ok(invocation.call(tool).await?.into())
    }
}
