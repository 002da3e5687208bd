//! Calls a tool and writes its outcome as the result of `tools/call`. An itinerary is copied into it without parsing.

use std::panic::AssertUnwindSafe;

use dropshot::Body;
use futures::FutureExt;
use http::Response;
use itinerary_core::fingerprint;
use itinerary_platform::log::panic_message;
use serde::Serialize;
use serde_json::{Map, Value};
use uuid::Uuid;

use super::ToolContext;
use super::frame::ProtocolEra;
use super::rpc::{self, RpcError};
use super::tools::json::Object;
use super::tools::{Outcome, Tool};

/// A call of a known tool by an admitted caller.
pub(super) struct ToolCall<'c> {
    pub tool: &'static Tool,
    pub arguments: Map<String, Value>,
    /// The JSON-RPC id of the request.
    pub id: &'c Value,
    pub era: ProtocolEra,
}

/// A text for the model.
#[derive(Serialize)]
struct TextBlock<'t> {
    r#type: &'static str,
    text: &'t str,
}

impl ToolCall<'_> {
    /// Runs the call and renders the response.
    pub(super) async fn run(self, context: &ToolContext) -> Result<Response<Body>, RpcError> {
        let Self { tool, arguments, id, era } = self;
        // Hashed only for a key, because the arguments may be a whole trip.
        if arguments.contains_key("idempotencyKey") {
            context.bind_keys_to(keyed_call(tool, &arguments));
        }
        let outcome = AssertUnwindSafe((tool.run)(context, arguments)).catch_unwind().await;
        let outcome = outcome.map_err(|panic| {
            tracing::error!(panic = panic_message(&*panic), tool = tool.name, "a tool panicked");
            RpcError::internal()
        })?;
        // One of the tool's operations may need a scope that the tool itself does not; the client can ask for it.
        if let (Outcome::Refused { .. }, Some(missing)) = (&outcome, context.missing_scope()) {
            return Ok(context.missing_scope_error(missing).response(context.request_id()));
        }
        let mut message = rpc::response_start(id);
        if let Outcome::Done { text, structured } = &outcome {
            // Leaves room for escapes in the text and for the names around it.
            message.reserve(text.len() + text.len() / 8 + structured.len() + 256);
        }
        let mut result = Object::after(message);
        write(&mut result, outcome, context.request_id());
        if era == ProtocolEra::Modern {
            result.field("resultType", "complete");
        }
        Ok(rpc::finish_response(result.finish()))
    }
}

/// The operation and fingerprint for a tool's idempotency key. They cover the call and not the path of its operation,
/// which depends on the itinerary's current state: a retry may have another path.
fn keyed_call(tool: &Tool, arguments: &Map<String, Value>) -> (String, [u8; 32]) {
    let itinerary = arguments.get("itineraryId").and_then(Value::as_str).and_then(|id| Uuid::try_parse(id).ok());
    let operation = format!("mcp {} {}", tool.name, itinerary.unwrap_or_default());
    // The API compares neither.
    let compared =
        arguments.iter().filter(|(name, _)| !["ifMatch", "idempotencyKey", "itineraryId"].contains(&name.as_str()));
    let compared: Map<_, _> = compared.map(|(name, value)| (name.clone(), value.clone())).collect();
    (operation, fingerprint::of(&[], Value::Object(compared).to_string().as_bytes()))
}

fn write(result: &mut Object, outcome: Outcome, request_id: &str) {
    match outcome {
        Outcome::Done { text, structured } => {
            result.field("content", &[TextBlock { r#type: "text", text: &text }]);
            result.json("structuredContent", &structured);
            result.field("isError", &false);
        }
        Outcome::Refused { text, code, details } => {
            let mut meta = Object::default();
            meta.field("code", &code);
            meta.field("requestId", request_id);
            if !details.is_null() {
                meta.field("details", &details);
            }
            result.json("_meta", &meta.finish());
            result.field("content", &[TextBlock { r#type: "text", text: &text }]);
            result.field("isError", &true);
        }
    }
}
