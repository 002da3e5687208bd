// The official TypeScript client, version 1, for protocol versions before 2026-07-28.

import { UnauthorizedError } from "@modelcontextprotocol/sdk/client/auth.js";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { endpoint, fetchAndNote, journey, Memory } from "./journey.mts";

/** This client reacts to a 403 with a refresh, which never adds a scope, so this memory stores no refresh token. */
class MemoryWithoutRefresh extends Memory {
  saveTokens({ refresh_token, ...tokens }: any): void {
    super.saveTokens(tokens);
  }
}

const memory = new MemoryWithoutRefresh("TypeScript SDK");
const client = new Client({ name: "interop", version: "1.0.0" });
let transport = connect();

function connect(): StreamableHTTPClientTransport {
  return new StreamableHTTPClientTransport(endpoint, { authProvider: memory, fetch: fetchAndNote });
}

async function finish(error: unknown): Promise<void> {
  if (!(error instanceof UnauthorizedError)) {
    throw error;
  }
  await transport.finishAuth(memory.back.searchParams.get("code")!);
}

await client.connect(transport).catch(async (error) => {
  await finish(error);
  transport = connect();
  await client.connect(transport);
});
const connected = {
  version: transport.protocolVersion,
  listTools: () => client.listTools(),
  callTool: (call: any) => client.callTool(call),
};
await journey(connected, memory, finish);
await client.close();
