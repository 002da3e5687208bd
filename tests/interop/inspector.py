"""The MCP inspector's command line, with tokens that `account token` has printed."""

import json
import os
import subprocess
from pathlib import Path
from typing import Any

from server import Server

# Its exit codes.
DONE, FAILED, NO_TOKEN, TOOL_REFUSED = 0, 1, 3, 5
LAUNCHER = "node_modules/@modelcontextprotocol/inspector/clients/launcher/build/index.js"


class Inspector:
    """Runs the inspector with one version of the protocol."""

    def __init__(self, mcp: str, era: str, token: str, work: Path) -> None:
        self._command = ["node", str(work / LAUNCHER), "--cli", "--server-url", mcp, "--transport", "http"]
        self._command += ["--protocol-era", era, "--stored-auth-only", "--quiet", "--format", "json"]
        if token:
            self._command += ["--header", f"Authorization: Bearer {token}"]
        # It stores files in the home folder.
        self._environment = {"HOME": str(work), "PATH": os.environ["PATH"]}

    def run(self, *arguments: str, expect: int = DONE) -> dict[str, Any]:
        """The result; without one, the error."""
        command = [*self._command, *arguments]
        done = subprocess.run(
            command, env=self._environment, capture_output=True, text=True, timeout=60, check=False
        )
        if done.returncode != expect:
            raise SystemExit(f"the inspector ends with {done.returncode}: {arguments}\n{done.stdout}{done.stderr}")
        return json.loads(done.stdout)["result"] if done.stdout else json.loads(done.stderr)["error"]

    def call(self, tool: str, arguments: dict[str, Any], expect: int = DONE) -> dict[str, Any]:
        """A tool's result."""
        method = ["--method", "tools/call", "--tool-name", tool, "--tool-args-json", json.dumps(arguments)]
        return self.run(*method, expect=expect)


def journey(server: Server, username: str, era: str, trip: dict[str, Any], work: Path) -> dict[str, Any]:
    """Does the same as the other clients. Returns the results."""

    def inspector(token: str) -> Inspector:
        return Inspector(server.mcp, era, token, work)

    refused = inspector("").run("--method", "tools/list", expect=NO_TOKEN)
    if refused["code"] != "auth_required":
        raise SystemExit(f"without a token the inspector says: {refused}")
    refused = inspector(server.token(username, "itineraries:read")).call("plan_itinerary", trip, expect=FAILED)
    if "itineraries:read itineraries:write" not in refused["message"]:
        raise SystemExit(f"with a token that can only read the inspector says: {refused}")

    whole = inspector(server.token(username))
    # Strict: it fails if a tool's schema is wrong.
    tools = [tool["name"] for tool in whole.run("--method", "tools/list", "--strict")["tools"]]
    planned = whole.call("plan_itinerary", trip)["structuredContent"]
    itinerary = planned["itinerary"]["id"]
    read = whole.call("get_itinerary", {"itineraryId": itinerary})["structuredContent"]
    first, *_, last = [stop["id"] for stop in read["itinerary"]["days"][0]["stops"]]
    move = {"itineraryId": itinerary, "stopId": last, "beforeStopId": first, "ifMatch": read["etag"]}
    moved = whole.call("move_stop", move)["structuredContent"]
    stale = whole.call("move_stop", move, expect=TOOL_REFUSED)
    stale = {"isError": stale["isError"], "text": stale["content"][0]["text"]}
    return {"tools": tools, "planned": planned, "read": read, "moved": moved, "stale": stale}
