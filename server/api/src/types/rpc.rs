//! JSON-RPC messages of the MCP endpoint. The Model Context Protocol defines their contents.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// A JSON-RPC 2.0 message of the Model Context Protocol.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RpcMessage {
    /// The version of JSON-RPC: always `2.0`.
    pub jsonrpc: String,
    /// The other members: `id`, and `method` with `params`, or `result`, or `error`.
    #[serde(flatten)]
    pub rest: Map<String, Value>,
}
