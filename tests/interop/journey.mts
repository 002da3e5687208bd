// The steps of both TypeScript clients, with the traveller and the memory that they need.

import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";

// Arguments from `run`: the address of /mcp, the account, the client's mode, the trip, and the command of the browser.
const [address, username, password, mode, trip, ...browser] = process.argv.slice(2);
export { mode };
export const endpoint = new URL(address);

const READ = "itineraries:read";
const READ_AND_WRITE = "itineraries:read itineraries:write";

/** Stores what an app stores between runs, and follows links. Approves read access only for the first one. */
export class Memory {
  readonly redirectUrl = "http://127.0.0.1:51004/callback";
  readonly clientMetadata;
  readonly granted: string[] = [];
  /** The final redirect of the browser. */
  back = new URL(this.redirectUrl);
  #client: any;
  #discovery: any;
  #tokens: any;
  #verifier = "";
  #state = "";

  constructor(name: string) {
    this.clientMetadata = { client_name: name, redirect_uris: [this.redirectUrl], token_endpoint_auth_method: "none" };
  }

  state(): string {
    return (this.#state = crypto.randomUUID());
  }

  clientInformation(): any {
    return this.#client;
  }

  saveClientInformation(client: any): void {
    this.#client = client;
  }

  discoveryState(): any {
    return this.#discovery;
  }

  saveDiscoveryState(discovery: any): void {
    this.#discovery = discovery;
  }

  tokens(): any {
    return this.#tokens;
  }

  saveTokens(tokens: any): void {
    this.#tokens = tokens;
  }

  codeVerifier(): string {
    return this.#verifier;
  }

  saveCodeVerifier(verifier: string): void {
    this.#verifier = verifier;
  }

  redirectToAuthorization(link: URL): void {
    const scope = this.granted.length === 0 ? READ : READ_AND_WRITE;
    const [command, ...first] = browser;
    const step = [...first, link.href, username, password, scope, String(this.granted.length)];
    const back = execFileSync(command, step, { encoding: "utf8", stdio: ["ignore", "pipe", "inherit"] });
    this.back = new URL(back.trim());
    if (this.back.searchParams.get("state") !== this.#state) {
      throw new Error(`the state has changed: ${this.back}`);
    }
    this.granted.push(scope);
  }
}

/** Errors of /mcp by status. */
export const refusals: number[] = [];

export async function fetchAndNote(input: string | URL, init?: RequestInit): Promise<Response> {
  const response = await fetch(input, init);
  if (new URL(input).href === endpoint.href && init?.method === "POST" && !response.ok) {
    refusals.push(response.status);
  }
  return response;
}

/** A connected client. */
export interface Connected {
  version: string | undefined;
  listTools(): Promise<{ tools: { name: string }[] }>;
  callTool(call: { name: string; arguments: object }): Promise<any>;
}

/** Plans a trip and changes it. Calls `signIn` when a call got a 403 and the traveller has approved more scopes. */
export async function journey(
  client: Connected,
  memory: Memory,
  signIn: (error: unknown) => Promise<void>,
): Promise<void> {
  async function call(name: string, args: object): Promise<any> {
    const result = await client.callTool({ name, arguments: args });
    if (result.isError) {
      throw new Error(`${name}: ${result.content[0].text}`);
    }
    return result.structuredContent;
  }

  const tools = (await client.listTools()).tools.map((tool) => tool.name);
  const plan = JSON.parse(readFileSync(trip, "utf8"));
  // The token cannot write yet.
  const planned = await call("plan_itinerary", plan).catch(async (error) => {
    await signIn(error);
    return await call("plan_itinerary", plan);
  });
  const itineraryId = planned.itinerary.id;
  const read = await call("get_itinerary", { itineraryId });
  const stops = read.itinerary.days[0].stops;
  const move = { itineraryId, stopId: stops.at(-1).id, beforeStopId: stops[0].id, ifMatch: read.etag };
  const moved = await call("move_stop", move);
  const refused = await client.callTool({ name: "move_stop", arguments: move });
  const stale = { isError: refused.isError, text: refused.content[0].text };
  const { version } = client;
  const { granted } = memory;
  const { scope } = memory.tokens();
  console.log(JSON.stringify({ version, tools, planned, read, moved, stale, granted, scope, refusals }));
}
