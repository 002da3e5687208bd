//! The Model Context Protocol at `POST /mcp`, for assistants that plan trips.
//!
//! The request pipeline has authenticated the caller and read the body. This crate parses the message (`frame`) and
//! checks rate limit and scope. `protocol` has the results of the protocol's own requests. Tool calls (`calls`) run
//! the use cases of `itinerary-app` through a `ToolContext`, which makes the checks of each operation.

mod calls;
pub mod challenge;
mod context;
mod frame;
mod json;
mod protocol;
mod rpc;
mod tools;

use std::sync::Arc;

use bytes::Bytes;
use dropshot::Body;
use http::{HeaderMap, Response, StatusCode};
use itinerary_api::error::ApiError;
use itinerary_api::policy::LimitKind;
use itinerary_api::request_state::{self, Caller};
use itinerary_app::admission::Counted;
use itinerary_platform::context::Service;

use calls::ToolCall;
pub(crate) use context::ToolContext;
use frame::{FramingError, Message, NegotiatedVersion, Request, RpcMethod};
use rpc::RpcError;
use tools::Tool;

/// Responds to a message of an admitted caller.
pub async fn respond(service: Arc<Service>, caller: Caller, headers: &HeaderMap, body: &Bytes) -> Response<Body> {
    let request_id = request_state::with(|state| state.request_id().to_owned()).unwrap_or_default();
    let context = ToolContext::new(service, caller, request_id);
    let message = match frame::read(headers, body) {
        Ok(message) => message,
        Err(FramingError { id, error }) => {
            // Parsing an invalid message costs something, so it counts.
            return match context.admit(None, LimitKind::Read).await {
                Ok(_) => error.response(id.as_ref(), context.request_id()),
                Err((error, counted)) => rejected(&context, &error, counted),
            };
        }
    };
    let tool = tool_of(&message);
    // Everything except a call of a known tool counts as a read.
    let (scope, kind) = tool.map_or((None, LimitKind::Read), |tool| (tool.scope, tool.kind));
    let counted = match context.admit(scope, kind).await {
        Ok(counted) => counted,
        Err((error, counted)) => return rejected(&context, &error, counted),
    };
    let mut response = match message {
        Message::Notification => accepted(),
        Message::Request(request) => respond_to(request, tool, &context).await,
    };
    response.extensions_mut().insert(counted);
    response
}

/// The response to a request that a check rejected.
fn rejected(context: &ToolContext, error: &ApiError, counted: Counted) -> Response<Body> {
    let mut response = error.response(context.request_id());
    response.extensions_mut().insert(counted);
    response
}

fn tool_of(message: &Message) -> Option<&'static Tool> {
    match message {
        Message::Request(Request { rpc_method: Ok(RpcMethod::CallTool { name, .. }), .. }) => tools::find(name),
        _ => None,
    }
}

/// The response to a notification.
fn accepted() -> Response<Body> {
    let mut response = Response::new(Body::empty());
    *response.status_mut() = StatusCode::ACCEPTED;
    response
}

async fn respond_to(request: Request, tool: Option<&'static Tool>, context: &ToolContext) -> Response<Body> {
    let Request { id, protocol: NegotiatedVersion { era, .. }, rpc_method } = request;
    let response = match (rpc_method, tool) {
        (Ok(RpcMethod::Protocol(request)), _) => Ok(rpc::response(&id, &protocol::result(era, &request))),
        (Ok(RpcMethod::CallTool { arguments, .. }), Some(tool)) => {
            ToolCall { tool, arguments, id: &id, era }.run(context).await
        }
        (Ok(RpcMethod::CallTool { .. }), None) => {
            Err(RpcError::invalid_params("params.name", "Unknown tool. Its name must be one of tools/list."))
        }
        (Err(error), _) => Err(error),
    };
    response.unwrap_or_else(|error| error.response(Some(&id), context.request_id()))
}
