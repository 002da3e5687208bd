//! The Model Context Protocol at `POST /mcp`, for assistants that plan trips.
//!
//! The front door has authenticated the caller and read the body. This module parses the message ([`frame`]) and checks
//! rate limit and scope. Tool calls ([`calls`]) run the API's operations in process ([`operations`]);
//! [`protocol`] has the results of everything else.

mod calls;
mod frame;
mod json;
pub(crate) mod operations;
mod protocol;
mod rpc;
mod tools;

use bytes::Bytes;
use dropshot::{Body, RequestContext};
use http::{Response, StatusCode};
use itinerary_api::error::ApiError;
use itinerary_api::policy::LimitKind;
use itinerary_api::request_state::Caller;
use serde_json::Value;

use crate::http::{Counted, Door, InProcess};
use calls::ToolCall;
use frame::{Ask, Message, Request, Spoken, Unframed};
use operations::Operations;
use rpc::RpcError;
use tools::Tool;

/// Answers a message of an admitted caller.
pub(crate) async fn answer(
    context: RequestContext<Door>,
    caller: Caller,
    body: &Bytes,
) -> Result<Response<Body>, ApiError> {
    let message = frame::read(context.request.headers(), body);
    let in_process = InProcess::new(context, caller).ok_or_else(ApiError::internal)?;
    let message = match message {
        Ok(message) => message,
        Err(Unframed { id, error }) => {
            // Parsing an invalid message costs something, so it counts.
            let refused = in_process.admit(None, LimitKind::Read).await.err();
            return Ok(refused.map_or_else(|| error.response(id.as_ref(), in_process.request_id()), |refused| *refused));
        }
    };
    let tool = tool_of(&message);
    // Everything except a call of a known tool counts as a read.
    let (scope, kind) = tool.map_or((None, LimitKind::Read), |tool| (tool.scope, tool.kind));
    let counted = match in_process.admit(scope, kind).await {
        Ok(counted) => counted,
        Err(refused) => return Ok(*refused),
    };
    let mut response = match message {
        Message::Notification => accepted(),
        Message::Request(request) => {
            let operations = Operations::new(in_process);
            let Request { id, spoken, ask } = request;
            let answered = respond(ask, tool, &id, spoken, &operations, counted).await;
            answered.unwrap_or_else(|error| error.response(Some(&id), operations.in_process().request_id()))
        }
    };
    response.extensions_mut().insert(counted);
    Ok(response)
}

fn tool_of(message: &Message) -> Option<&'static Tool> {
    match message {
        Message::Request(Request { ask: Ok(Ask::CallTool { name, .. }), .. }) => tools::find(name),
        _ => None,
    }
}

/// The answer to a notification.
fn accepted() -> Response<Body> {
    let mut response = Response::new(Body::empty());
    *response.status_mut() = StatusCode::ACCEPTED;
    response
}

async fn respond(
    ask: Result<Ask, RpcError>,
    tool: Option<&'static Tool>,
    id: &Value,
    spoken: Spoken,
    operations: &Operations,
    counted: Counted,
) -> Result<Response<Body>, RpcError> {
    match (ask?, tool) {
        (Ask::Protocol(request), _) => Ok(rpc::response(id, &protocol::result(spoken.era, &request))),
        (Ask::CallTool { arguments, .. }, Some(tool)) => {
            ToolCall { tool, arguments, id, era: spoken.era, counted }.answer(operations).await
        }
        (Ask::CallTool { .. }, None) => {
            Err(RpcError::invalid_params("params.name", "Unknown tool. Its name must be one of tools/list."))
        }
    }
}
