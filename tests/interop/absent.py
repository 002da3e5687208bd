"""Simulates clients that cannot run here: registers and signs in with the known requests of these clients."""

import base64
import hashlib
import json
import secrets
from dataclasses import dataclass
from typing import Any
from urllib.error import HTTPError
from urllib.parse import parse_qs, urlencode, urlsplit
from urllib.request import ProxyHandler, Request, build_opener

from browser import SCOPES, approve
from expectations import TOOLS, expect
from server import PASSWORD, Server


@dataclass
class Absent:
    """A client's registration and its redirect URI."""

    redirect_uris: list[str]
    back: str
    method: str = "none"


CLIENTS = {
    # Not the registered port: the client uses any free one.
    "vscode": Absent(
        [
            "https://insiders.vscode.dev/redirect",
            "https://vscode.dev/redirect",
            "http://127.0.0.1/",
            "http://127.0.0.1:33418/",
        ],
        "http://127.0.0.1:59656/",
    ),
    "claude": Absent(
        ["https://claude.ai/api/mcp/auth_callback"], "https://claude.ai/api/mcp/auth_callback", "client_secret_post"
    ),
    "chatgpt": Absent(
        ["https://chatgpt.com/connector_platform_oauth_redirect"],
        "https://chatgpt.com/connector_platform_oauth_redirect",
    ),
}
# The service rejects other schemes: docs/mcp.md says what to do instead.
CURSOR = [
    "cursor://anysphere.cursor-mcp/oauth/callback",
    "https://www.cursor.com/agents/mcp/oauth/callback",
    "http://localhost:8787/callback",
]


class Http:
    """Sends requests from another address, because registrations are limited by address."""

    def __init__(self, server: Server) -> None:
        self._server = server
        self._opener = build_opener(ProxyHandler({}))

    def post(self, path: str, body: bytes, headers: dict[str, str]) -> tuple[int, dict[str, Any]]:
        headers = headers | {"X-Forwarded-For": "192.0.2.1"}
        try:
            with self._opener.open(Request(f"{self._server.address}{path}", body, headers)) as response:
                return response.status, json.load(response)
        except HTTPError as answer:
            return answer.code, json.load(answer)

    def json(self, path: str, body: dict[str, Any], **headers: str) -> tuple[int, dict[str, Any]]:
        return self.post(path, json.dumps(body).encode(), {"Content-Type": "application/json"} | headers)

    def register(self, name: str, redirect_uris: list[str], method: str) -> tuple[int, dict[str, Any]]:
        client = {"client_name": name, "redirect_uris": redirect_uris, "token_endpoint_auth_method": method}
        client |= {"grant_types": ["authorization_code", "refresh_token"], "response_types": ["code"], "scope": SCOPES}
        return self.json("/oauth/register", client)


def journey(server: Server, username: str, name: str) -> None:
    """Registers, signs in, and lists the tools."""
    absent, http = CLIENTS[name], Http(server)
    status, client = http.register(name, absent.redirect_uris, absent.method)
    expect("the status of registering", status, 201)

    verifier = secrets.token_urlsafe(32)
    challenge = base64.urlsafe_b64encode(hashlib.sha256(verifier.encode()).digest()).rstrip(b"=").decode()
    query = {"response_type": "code", "client_id": client["client_id"], "redirect_uri": absent.back, "scope": SCOPES}
    query |= {"code_challenge": challenge, "code_challenge_method": "S256", "resource": server.mcp, "state": "a b"}
    back = approve(f"{server.address}/oauth/authorise?{urlencode(query)}", username, PASSWORD)
    answer = {key: values[0] for key, values in parse_qs(urlsplit(back).query).items()}
    expect("the state", answer["state"], "a b")
    expect("the issuer", answer["iss"], server.address)

    form = {"grant_type": "authorization_code", "code": answer["code"], "redirect_uri": absent.back}
    form |= {"code_verifier": verifier, "client_id": client["client_id"], "resource": server.mcp}
    if absent.method == "client_secret_post":
        form["client_secret"] = client["client_secret"]
    headers = {"Content-Type": "application/x-www-form-urlencoded"}
    status, tokens = http.post("/oauth/token", urlencode(form).encode(), headers)
    expect("the status of the token request", status, 200)

    bearer = f"Bearer {tokens['access_token']}"
    status, listed = http.json("/mcp", {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}, Authorization=bearer)
    expect("the status of tools/list", status, 200)
    expect("the tools", [tool["name"] for tool in listed["result"]["tools"]], TOOLS)


def check_cursor(server: Server) -> None:
    """Checks that Cursor cannot sign in, so that docs/mcp.md recommends a token."""
    status, answer = Http(server).register("Cursor", CURSOR, "none")
    expect("the status of registering", status, 400)
    expect("the error", answer["error"], "invalid_redirect_uri")
