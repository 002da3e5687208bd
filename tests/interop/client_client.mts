// The official TypeScript client, version 2.

import { Client, StreamableHTTPClientTransport, UnauthorizedError } from "@modelcontextprotocol/client";
import { endpoint, fetchAndNote, journey, Memory, mode } from "./journey.mts";

const memory = new Memory(`TypeScript client, ${mode}`);
const versionNegotiation = { mode: mode === "legacy" || mode === "auto" ? mode : { pin: mode } };
const client = new Client({ name: "interop", version: "1.0.0" }, { versionNegotiation });
let transport = connect();

function connect(): StreamableHTTPClientTransport {
  return new StreamableHTTPClientTransport(endpoint, { authProvider: memory, fetch: fetchAndNote });
}

async function finish(error: unknown): Promise<void> {
  if (!(error instanceof UnauthorizedError)) {
    throw error;
  }
  await transport.finishAuth(memory.back.searchParams);
}

await client.connect(transport).catch(async (error) => {
  await finish(error);
  transport = connect();
  await client.connect(transport);
});
const connected = {
  version: client.getNegotiatedProtocolVersion(),
  listTools: () => client.listTools(),
  callTool: (call: any) => client.callTool(call),
};
await journey(connected, memory, finish);
await client.close();
