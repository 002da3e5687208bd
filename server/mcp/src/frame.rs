//! Parses the body of `POST /mcp`: one JSON-RPC message, its protocol era, and whether its headers match it.
//!
//! Pure; does not check access.

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use http::StatusCode;
use http::header::HeaderMap;
use itinerary_api::error::ApiError;
use itinerary_api::read;
use serde_json::{Map, Value, json};

use super::json::Unique;
use super::rpc::{
    HEADER_MISMATCH, INVALID_PARAMS, INVALID_REQUEST, METHOD_NOT_FOUND, PARSE_ERROR, RpcError, UNSUPPORTED_VERSION,
};
use super::tools::lenient;

const VERSION_HEADER: &str = "mcp-protocol-version";
const METHOD_HEADER: &str = "mcp-method";
const NAME_HEADER: &str = "mcp-name";
const VERSION_KEY: &str = "io.modelcontextprotocol/protocolVersion";
const CAPABILITIES_KEY: &str = "io.modelcontextprotocol/clientCapabilities";

/// The supported protocol versions, oldest first.
pub(super) const VERSIONS: [&str; 5] = ["2024-11-05", "2025-03-26", "2025-06-18", LATEST_LEGACY, MODERN];
/// The version from which every request carries what a handshake used to negotiate.
const MODERN: &str = "2026-07-28";
/// The last version with a handshake.
pub(super) const LATEST_LEGACY: &str = "2025-11-25";

/// The era of the protocol that a client uses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ProtocolEra {
    /// With or without a handshake: a request need not carry its version.
    Legacy,
    /// Since 2026-07-28: each request carries its version in its body and its headers.
    Modern,
}

/// The protocol of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct NegotiatedVersion {
    pub era: ProtocolEra,
    /// The protocol version that the request names, if any.
    pub version: Option<&'static str>,
}

/// A well-formed message.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Message {
    /// Needs no answer.
    Notification,
    Request(Request),
}

#[derive(Clone, Debug, PartialEq)]
pub(super) struct Request {
    /// A string or an integer.
    pub id: Value,
    pub protocol: NegotiatedVersion,
    /// The requested action, or the reason why the request is invalid.
    pub rpc_method: Result<RpcMethod, RpcError>,
}

/// The actions that can be requested.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum RpcMethod {
    /// A request of the protocol itself.
    Protocol(ProtocolRequest),
    /// A tool call.
    CallTool {
        /// The tool's name, which may be unknown.
        name: String,
        arguments: Map<String, Value>,
    },
}

/// Requests of the protocol itself.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum ProtocolRequest {
    /// The legacy handshake. Holds the proposed version.
    Initialize(String),
    /// The server's description and capabilities.
    Discover,
    Ping,
    ListTools,
}

/// A framing error, with the id of the request if it could be read.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct FramingError {
    pub id: Option<Value>,
    pub error: RpcError,
}

/// Parses a message.
pub(super) fn read(headers: &HeaderMap, body: &[u8]) -> Result<Message, FramingError> {
    let bare = |error| FramingError { id: None, error };
    let refusal = |error| bare(RpcError::new(PARSE_ERROR, ApiError::from(error).message));
    let message: Unique = read::json(body).map_err(refusal)?;
    let message = match message.0 {
        Value::Object(message) => message,
        Value::Array(_) => {
            return Err(bare(RpcError::new(
                INVALID_REQUEST,
                "Batches are not supported. Send one message per request.",
            )));
        }
        _ => return Err(bare(RpcError::new(INVALID_REQUEST, "A message must be a JSON object."))),
    };
    let id = message.get("id").map(read_id).transpose().map_err(bare)?;
    read_object(headers, message, id.clone()).map_err(|error| FramingError { id, error })
}

/// An integer may be written with a fraction of zero.
fn read_id(id: &Value) -> Result<Value, RpcError> {
    const LARGEST: f64 = 9_007_199_254_740_992.0;
    match id {
        Value::String(_) => Ok(id.clone()),
        Value::Number(number) if number.is_i64() => Ok(id.clone()),
        #[expect(clippy::cast_possible_truncation, reason = "it is an integer that a double holds exactly")]
        Value::Number(number) => {
            match number.as_f64() {
                Some(float) if float.fract() == 0.0 && float.abs() <= LARGEST => Ok(json!(float as i64)),
                _ => Err(RpcError::new(INVALID_REQUEST, "id must be an integer of at most 64 bits, or a string.")
                    .about("id")),
            }
        }
        _ => Err(RpcError::new(INVALID_REQUEST, "id must be a string or an integer.").about("id")),
    }
}

fn read_object(headers: &HeaderMap, mut message: Map<String, Value>, id: Option<Value>) -> Result<Message, RpcError> {
    if message.get("jsonrpc").and_then(Value::as_str) != Some("2.0") {
        return Err(RpcError::new(INVALID_REQUEST, "jsonrpc must be \"2.0\".").about("jsonrpc"));
    }
    let method = match message.remove("method") {
        Some(Value::String(method)) => method,
        None if message.contains_key("result") || message.contains_key("error") => {
            return Err(RpcError::new(
                INVALID_REQUEST,
                "Responses are not accepted, because the server sends no requests.",
            ));
        }
        _ => return Err(RpcError::new(INVALID_REQUEST, "method must be a string.").about("method")),
    };
    let params = match message.remove("params") {
        None | Some(Value::Null) => Ok(Map::new()),
        Some(Value::Object(params)) => Ok(params),
        Some(_) => Err(RpcError::invalid_params("params", "params must be an object.")),
    };
    let fields = VersionFields { headers, method: &method, params: params.as_ref().ok(), is_request: id.is_some() };
    let protocol = fields.protocol()?;
    let Some(id) = id else { return Ok(Message::Notification) };
    let rpc_method = params.and_then(|params| rpc_method(protocol.era, &method, params));
    Ok(Message::Request(Request { id, protocol, rpc_method }))
}

/// The parts of a message that determine its protocol version.
struct VersionFields<'a> {
    headers: &'a HeaderMap,
    method: &'a str,
    params: Option<&'a Map<String, Value>>,
    is_request: bool,
}

impl VersionFields<'_> {
    /// The version in the body takes precedence over the one in the header. A handshake is always legacy, because its
    /// version is only a proposal.
    fn protocol(&self) -> Result<NegotiatedVersion, RpcError> {
        let meta = self.meta(VERSION_KEY);
        if self.method == "initialize" && meta.is_none() {
            return Ok(NegotiatedVersion { era: ProtocolEra::Legacy, version: None });
        }
        let header = self.header(VERSION_HEADER)?;
        if let Some(meta) = meta {
            let Some(meta) = meta.as_str() else { return Err(missing_meta(VERSION_KEY, "a string")) };
            expect_header("MCP-Protocol-Version", header.as_deref(), meta)?;
        }
        let version = header.as_deref().map(supported).transpose()?;
        if version != Some(MODERN) && self.method != "server/discover" {
            return Ok(NegotiatedVersion { era: ProtocolEra::Legacy, version });
        }
        if self.is_request && meta.is_none() {
            return Err(missing_meta(VERSION_KEY, "the protocol version"));
        }
        expect_header("Mcp-Method", self.header(METHOD_HEADER)?.as_deref(), self.method)?;
        if let Some(name) = self.name() {
            let header = self.header(NAME_HEADER)?.map(|header| decoded(&header)).transpose()?;
            expect_header("Mcp-Name", header.as_deref(), name)?;
        }
        if self.is_request && !self.meta(CAPABILITIES_KEY).is_some_and(Value::is_object) {
            return Err(missing_meta(CAPABILITIES_KEY, "an object"));
        }
        Ok(NegotiatedVersion { era: ProtocolEra::Modern, version })
    }

    fn meta(&self, key: &str) -> Option<&Value> {
        self.params?.get("_meta")?.get(key)
    }

    /// The value that `Mcp-Name` must repeat.
    fn name(&self) -> Option<&str> {
        let key = match self.method {
            "tools/call" | "prompts/get" => "name",
            "resources/read" => "uri",
            _ => return None,
        };
        self.params?.get(key)?.as_str()
    }

    /// The value of a header that must not be repeated.
    fn header(&self, name: &str) -> Result<Option<String>, RpcError> {
        let mut values = self.headers.get_all(name).iter();
        let Some(value) = values.next() else { return Ok(None) };
        match value.to_str() {
            Ok(value) if values.next().is_none() => Ok(Some(value.trim().to_owned())),
            _ => {
                let message = format!("The header {name} must appear once, in plain ASCII.");
                Err(RpcError::new(HEADER_MISMATCH, message).about(name))
            }
        }
    }
}

fn expect_header(name: &str, header: Option<&str>, body: &str) -> Result<(), RpcError> {
    let what = match header {
        Some(header) if header == body => return Ok(()),
        Some(_) => "does not match the body",
        None => "is missing",
    };
    let message = format!("The header {name} {what}: it must be {}.", cut(body));
    Err(RpcError::new(HEADER_MISMATCH, message).about(name))
}

/// Shortens a client's text before it is repeated.
fn cut(text: &str) -> String {
    text.chars().take(100).collect()
}

fn missing_meta(key: &str, expected: &str) -> RpcError {
    let message = format!("params._meta[\"{key}\"] must be {expected}.");
    RpcError::new(INVALID_PARAMS, message).about(&format!("params._meta.{key}"))
}

fn supported(version: &str) -> Result<&'static str, RpcError> {
    VERSIONS.into_iter().find(|known| *known == version).ok_or_else(|| {
        let message = format!("The protocol version is not supported. Supported are {}.", VERSIONS.join(", "));
        let mut error = RpcError::new(UNSUPPORTED_VERSION, message).about("MCP-Protocol-Version");
        error.data.insert("supported".to_owned(), json!(VERSIONS));
        error.data.insert("requested".to_owned(), cut(version).into());
        error
    })
}

/// Decodes `=?base64?…?=`, the form of a name that a header cannot carry as it is.
fn decoded(header: &str) -> Result<String, RpcError> {
    let Some(encoded) = header.strip_prefix("=?base64?").and_then(|rest| rest.strip_suffix("?=")) else {
        return Ok(header.to_owned());
    };
    let name = BASE64_STANDARD.decode(encoded).ok().and_then(|bytes| String::from_utf8(bytes).ok());
    name.ok_or_else(|| RpcError::new(HEADER_MISMATCH, "The header Mcp-Name is not valid Base64.").about("Mcp-Name"))
}

fn rpc_method(era: ProtocolEra, method: &str, params: Map<String, Value>) -> Result<RpcMethod, RpcError> {
    match (method, era) {
        ("initialize", ProtocolEra::Legacy) => match params.get("protocolVersion") {
            Some(Value::String(version)) => Ok(RpcMethod::Protocol(ProtocolRequest::Initialize(version.clone()))),
            _ => Err(RpcError::invalid_params("params.protocolVersion", "protocolVersion must be a string.")),
        },
        ("ping", ProtocolEra::Legacy) => Ok(RpcMethod::Protocol(ProtocolRequest::Ping)),
        ("server/discover", ProtocolEra::Modern) => Ok(RpcMethod::Protocol(ProtocolRequest::Discover)),
        ("tools/list", _) => match params.get("cursor") {
            None | Some(Value::Null) => Ok(RpcMethod::Protocol(ProtocolRequest::ListTools)),
            // The list has one page, so no cursor was ever issued.
            Some(_) => {
                Err(RpcError::invalid_params("params.cursor", "cursor must be absent, because the list has one page."))
            }
        },
        ("tools/call", _) => call_tool(params),
        _ => {
            let status = if era == ProtocolEra::Modern { StatusCode::NOT_FOUND } else { StatusCode::OK };
            let message = format!("Unknown method {}.", cut(method));
            Err(RpcError::new(METHOD_NOT_FOUND, message).with_status(status))
        }
    }
}

fn call_tool(mut params: Map<String, Value>) -> Result<RpcMethod, RpcError> {
    let Some(Value::String(name)) = params.remove("name") else {
        return Err(RpcError::invalid_params("params.name", "name must be the name of a tool: see tools/list."));
    };
    let mut arguments = params.remove("arguments");
    arguments.iter_mut().for_each(lenient::parse_object);
    match arguments {
        None | Some(Value::Null) => Ok(RpcMethod::CallTool { name, arguments: Map::new() }),
        Some(Value::Object(arguments)) => Ok(RpcMethod::CallTool { name, arguments }),
        Some(_) => Err(RpcError::invalid_params("params.arguments", "arguments must be an object.")),
    }
}

#[cfg(test)]
mod tests;
