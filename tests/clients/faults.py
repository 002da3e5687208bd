"""A proxy that fails before it lets a request through, and counts what a client does about it.

The first time that it sees a request it answers 503 with `Retry-After: 0` without passing it on. If the request may be repeated
without knowing what became of it, it is passed on the second time, and the connection breaks before the response. The third
time everything is well. A request is the same if method, address, idempotency key, `If-Match` and body are.

Before the first PATCH, the proxy itself makes another change of the same itinerary, so that the client comes second.
"""

import threading
from collections import Counter
from http.client import HTTPConnection
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import urlsplit
from uuid import uuid4

# Headers that belong to one connection.
OWN = {"connection", "transfer-encoding", "keep-alive", "content-length", "host"}


class Faults:
    """The proxy in front of the server at `address`, until the end of the block."""

    def __init__(self, address: str) -> None:
        self._server_address = urlsplit(address).netloc
        self._seen: Counter[tuple[str, ...]] = Counter()
        self._lock = threading.Lock()
        self.broken = self.without_key = self.conflicts = 0
        self._raced = False
        faults = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def handle_any(self) -> None:
                faults.handle(self)

            do_GET = do_POST = do_PATCH = do_PUT = do_DELETE = handle_any

            def log_message(self, *_: object) -> None:
                pass

        self._proxy = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.address = f"http://127.0.0.1:{self._proxy.server_port}"

    def __enter__(self) -> "Faults":
        threading.Thread(target=self._proxy.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._proxy.shutdown()
        self._proxy.server_close()

    def handle(self, request: BaseHTTPRequestHandler) -> None:
        body = request.rfile.read(int(request.headers.get("Content-Length") or 0))
        key = request.headers.get("Idempotency-Key", "")
        same = (request.command, request.path, key, request.headers.get("If-Match", ""), body.decode())
        # Two clients that read the same at once are each told so.
        with self._lock:
            self._seen[same] += 1
            time = self._seen[same]
            if request.command in ("POST", "PATCH") and not key:
                self.without_key += 1
        if time == 1:
            request.send_response(503)
            request.send_header("Retry-After", "0")
            request.send_header("Content-Length", "0")
            request.end_headers()
            return
        if request.command == "PATCH" and not self._raced:
            self._raced = True
            faster, _, text = self.forward(
                request, b'{"summary": "Somebody else was faster"}', {"idempotency-key": str(uuid4())}
            )
            assert faster == 200, text
        status, headers, answer = self.forward(request, body)
        if time == 2 and request.command != "DELETE":
            with self._lock:
                self.broken += 1
            request.close_connection = True
            return
        with self._lock:
            self.conflicts += status == 409
        request.send_response(status)
        for name, value in headers:
            if name.lower() not in OWN:
                request.send_header(name, value)
        request.send_header("Content-Length", str(len(answer)))
        request.end_headers()
        request.wfile.write(answer)

    def forward(
        self, request: BaseHTTPRequestHandler, body: bytes, more: dict[str, str] | None = None
    ) -> tuple[int, list[tuple[str, str]], bytes]:
        server = HTTPConnection(self._server_address, timeout=60)
        try:
            headers = {name.lower(): value for name, value in request.headers.items() if name.lower() not in OWN}
            server.request(request.command, request.path, body, headers | (more or {}))
            response = server.getresponse()
            return response.status, response.getheaders(), response.read()
        finally:
            server.close()
