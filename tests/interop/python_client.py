"""The official Python client: signs in with the address of /mcp only, plans a trip and changes it.

    python_client.py MCP_ADDRESS USERNAME PASSWORD MODE TRIP

MODE is the client's: `legacy`, `auto` or a protocol version. Prints its results as JSON.
"""

import asyncio
import json
import sys
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import httpx2
from mcp import Client
from mcp.client.auth import AuthorizationCodeResult, OAuthClientProvider
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.auth import OAuthClientInformationFull, OAuthClientMetadata, OAuthToken

from browser import SCOPES, approve


class Storage:
    """Stores what an app stores between runs."""

    def __init__(self) -> None:
        self.tokens: OAuthToken | None = None
        self.client: OAuthClientInformationFull | None = None

    async def get_tokens(self) -> OAuthToken | None:
        return self.tokens

    async def set_tokens(self, tokens: OAuthToken) -> None:
        self.tokens = tokens

    async def get_client_info(self) -> OAuthClientInformationFull | None:
        return self.client

    async def set_client_info(self, client_info: OAuthClientInformationFull) -> None:
        self.client = client_info


class Traveller:
    """Follows the app's links. Approves read access only for the first one."""

    def __init__(self, username: str, password: str) -> None:
        self._credentials = (username, password)
        self._back = ""
        self.granted: list[str] = []

    async def follow(self, link: str) -> None:
        scope = SCOPES if self.granted else "itineraries:read"
        self._back = await asyncio.to_thread(approve, link, *self._credentials, scope, len(self.granted))
        self.granted.append(scope)

    async def come_back(self) -> AuthorizationCodeResult:
        query = {name: values[0] for name, values in parse_qs(urlsplit(self._back).query).items()}
        return AuthorizationCodeResult(**query)


async def journey(client: Client, trip: dict[str, Any], seen: dict[str, Any]) -> None:
    async def call(tool: str, **arguments: Any) -> dict[str, Any]:
        result = await client.call_tool(tool, arguments)
        if result.is_error:
            raise RuntimeError(f"{tool}: {result.content}")
        return result.structured_content

    seen["version"] = client.protocol_version
    tools = (await client.list_tools()).tools
    seen["tools"] = [tool.name for tool in tools]
    seen["schemas"] = {tool.name: tool.input_schema for tool in tools}
    # The token cannot write yet: the client steps up and repeats the call.
    planned = await call("plan_itinerary", **trip)
    itinerary = planned["itinerary"]["id"]
    read = await call("get_itinerary", itineraryId=itinerary)
    first, *_, last = [stop["id"] for stop in read["itinerary"]["days"][0]["stops"]]
    move = {"itineraryId": itinerary, "stopId": last, "beforeStopId": first}
    moved = await call("move_stop", **move, ifMatch=read["etag"])
    stale = await client.call_tool("move_stop", {**move, "ifMatch": read["etag"]})
    seen |= {"planned": planned, "read": read, "moved": moved}
    seen["stale"] = {"isError": stale.is_error, "text": stale.content[0].text}


async def main(address: str, username: str, password: str, mode: str, trip: str, *_: str) -> None:
    traveller, storage = Traveller(username, password), Storage()
    metadata = OAuthClientMetadata(client_name=f"Python, {mode}", redirect_uris=["http://127.0.0.1:51004/callback"])
    provider = OAuthClientProvider(address, metadata, storage, traveller.follow, traveller.come_back)
    seen: dict[str, Any] = {"refusals": []}

    async def note(response: httpx2.Response) -> None:
        if str(response.url) == address and response.request.method == "POST" and response.is_error:
            seen["refusals"].append(response.status_code)

    async with httpx2.AsyncClient(auth=provider, event_hooks={"response": [note]}, trust_env=False) as http:
        async with Client(streamable_http_client(address, http_client=http), mode=mode) as client:
            await journey(client, json.loads(Path(trip).read_text()), seen)
    seen["granted"] = traveller.granted
    seen["scope"] = storage.tokens.scope if storage.tokens else None
    print(json.dumps(seen))


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
