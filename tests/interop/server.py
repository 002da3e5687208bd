"""A server in its own folder, and its accounts."""

import json
import os
import socket
import subprocess
from pathlib import Path
from typing import Any
from urllib.request import ProxyHandler, Request, build_opener

PASSWORD = "a password for the tests"


class Server:
    """A server that runs until the end of the block."""

    def __init__(self, program: Path, folder: Path, *options: str, listen: str = "") -> None:
        self._options = options
        self._program = program.resolve(strict=True)
        self._folder = folder
        # Ignores settings in the environment of the tests.
        settings = {name: value for name, value in os.environ.items() if not name.startswith("ITINERARY_")}
        self._environment = settings | {"ITINERARY_DATA": str(folder / "data")}
        self._listen = listen
        if not listen:
            with socket.create_server(("127.0.0.1", 0)) as free:
                self._listen = f"127.0.0.1:{free.getsockname()[1]}"
        self.address = f"http://{self._listen}"
        self.mcp = f"{self.address}/mcp"

    def __enter__(self) -> "Server":
        with (self._folder / "server.log").open("wb") as log:
            command = [self._program, "serve", "--listen", self._listen, "--trusted-proxies", "127.0.0.1", *self._options]
            self._process = subprocess.Popen(
                command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=log, env=self._environment
            )
        # The server prints a line when it listens, and nothing before.
        if not self._process.stdout.readline():
            raise SystemExit(f"the server does not start: {(self._folder / 'server.log').read_text()}")
        return self

    def __exit__(self, *_: object) -> None:
        self._process.terminate()
        self._process.communicate(timeout=60)

    def _account(self, *arguments: str, stdin: str = "") -> str:
        command = [self._program, "account", *arguments]
        done = subprocess.run(command, input=stdin, env=self._environment, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise SystemExit(f"account {arguments[0]} failed: {done.stderr}")
        return done.stdout.strip()

    def create_account(self, username: str) -> None:
        self._account("create", username, stdin=PASSWORD)

    def buy_pro(self, username: str) -> None:
        self._account("plan", username, "pro")

    def token(self, username: str, scope: str = "itineraries:read itineraries:write") -> str:
        """A token from `account token`."""
        return self._account("token", username, "--scope", scope)

    def itinerary(self, username: str, itinerary: str) -> tuple[dict[str, Any], str]:
        """The itinerary and its ETag, from the API."""
        headers = {"Authorization": f"Bearer {self.token(username)}"}
        request = Request(f"{self.address}/v1/itineraries/{itinerary}", headers=headers)
        with build_opener(ProxyHandler({})).open(request) as response:
            return json.load(response), response.headers["ETag"]
