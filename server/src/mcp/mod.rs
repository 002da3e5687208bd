//! The Model Context Protocol at `POST /mcp`: for assistants that plan trips.
//!
//! The front door has admitted the caller and read the body. Here the message is read ([`frame`]), the scope and the limit
//! of what it asks for are checked, and `rmcp` answers it ([`server`]); a tool calls the API's operations in process
//! ([`operations`]).

mod frame;
pub(crate) mod operations;
mod rpc;
mod server;
mod tools;

use bytes::Bytes;
use dropshot::{Body, RequestContext};
use http::{Response, StatusCode, header};
use itinerary_api::error::ApiError;
use itinerary_api::policy::LimitKind;
use itinerary_api::scope::Caller;

use crate::http::{Counted, Door, InProcess};
use frame::{Ask, Message, Request, Unframed};
use operations::Operations;
use rpc::RpcError;
use server::Invocation;
use tools::Tool;

/// Answers a message of a caller who was admitted.
pub(crate) async fn answer(
    context: RequestContext<Door>,
    caller: Caller,
    body: &Bytes,
) -> Result<Response<Body>, ApiError> {
    let message = frame::read(context.request.headers(), body);
    let in_process = InProcess::new(context, caller).ok_or_else(ApiError::internal)?;
    let message = match message {
        Ok(message) => message,
        Err(Unframed { id, error }) => return Ok(error.response(id.as_ref(), in_process.request_id())),
    };
    let tool = tool_of(&message);
    // Everything but a call of a known tool counts as reading.
    let (scope, kind) = tool.map_or((None, LimitKind::Read), |tool| (tool.scope, tool.kind));
    let counted = match in_process.admit(scope, kind) {
        Ok(counted) => counted,
        Err(refused) => return Ok(*refused),
    };
    let mut response = match message {
        Message::Notification => accepted(),
        Message::Request(mut request) => {
            let request_id = in_process.request_id().to_owned();
            let answered = respond(&mut request, tool, in_process, counted).await;
            answered.unwrap_or_else(|error| error.response(Some(&request.id), &request_id))
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

/// What a notification is answered.
fn accepted() -> Response<Body> {
    let mut response = Response::new(Body::empty());
    *response.status_mut() = StatusCode::ACCEPTED;
    response
}

async fn respond(
    request: &mut Request,
    tool: Option<&'static Tool>,
    in_process: InProcess,
    counted: Counted,
) -> Result<Response<Body>, RpcError> {
    let ask = request.ask.as_mut().map_err(|error| error.clone())?;
    let invocation = match ask {
        Ask::CallTool { arguments, .. } if tool.is_some() => {
            Some(Invocation::new(Operations::new(in_process), std::mem::take(arguments)))
        }
        Ask::CallTool { .. } => {
            return Err(RpcError::invalid_params("params.name", "There is no tool of this name: see tools/list."));
        }
        _ => None,
    };
    let response = server::answer(request, invocation.clone()).await?;
    // A tool that was refused for a scope that only one of its operations needs: the client can ask for that one too.
    if let Some((missing, invocation)) = invocation.as_ref().and_then(|it| Some((it.missing_scope()?, it))) {
        return Ok(invocation.operations().in_process().scope_refused(missing, counted));
    }
    // What went wrong in the library, it answers in plain text.
    let is_json =
        response.headers().get(header::CONTENT_TYPE).is_some_and(|media_type| media_type == "application/json");
    if !is_json {
        tracing::error!(status = response.status().as_u16(), "the MCP library has not answered in JSON");
        return Err(RpcError::internal());
    }
    Ok(response.map(Body::wrap))
}
