"""Runs the samples of the document (`x-codeSamples`) in curl, TypeScript and Python.

A recording server keeps what each sample sends: the three languages must send the same request, with the recorded example as
its body. Then curl's samples run against a server of the project. The samples in Rust are documentation tests of the SDK.
"""

import json
import os
import re
import subprocess
import tempfile
import uuid
from collections.abc import Iterator
from email.message import EmailMessage
from email.parser import BytesParser
from email.policy import HTTP
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from threading import Thread
from typing import Any
from urllib.parse import parse_qsl, urlsplit

ADDRESS = "http://127.0.0.1:8080"
# One variable of curl's samples: $DAY_ID.
VARIABLE = re.compile(r"\$([A-Z_]+)")
# Debian's uuidgen is in a package of its own.
UUIDGEN = "uuidgen() { cat /proc/sys/kernel/random/uuid; }\n"


class Sample:
    """One operation with its samples, by language."""

    def __init__(self, method: str, path: str, operation: dict[str, Any]) -> None:
        self.id: str = operation["operationId"]
        self.method = method.upper()
        self.path = path
        self.needs_token = bool(operation["security"])
        self.sources: dict[str, str] = {sample["label"]: sample["source"] for sample in operation["x-codeSamples"]}
        content = operation.get("requestBody", {}).get("content", {})
        self.example: Any = next((part["example"] for part in content.values() if "example" in part), None)

    def variables(self) -> list[str]:
        """The names of curl's variables, without the token."""
        return sorted({name for name in VARIABLE.findall(self.sources["curl"]) if name != "TOKEN"})


def samples(document: Path) -> list[Sample]:
    paths = json.loads(document.read_text(encoding="utf-8"))["paths"]
    operations = [(method, path, value) for path, item in paths.items() for method, value in item.items()]
    return [Sample(*operation) for operation in operations if "x-codeSamples" in operation[2]]


class Recorder:
    """A server that keeps requests, and responds to each with an empty object."""

    def __init__(self) -> None:
        self.requests: list[dict[str, Any]] = []
        recorder = self

        class Handler(BaseHTTPRequestHandler):
            def handle_any(self) -> None:
                recorder.requests.append(recorded(self))
                self.send_response(200)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", "2")
                self.end_headers()
                self.wfile.write(b"{}")

            do_GET = do_POST = do_PUT = do_PATCH = do_DELETE = handle_any

            def log_message(self, *_: object) -> None:
                pass

        self._server = HTTPServer(("127.0.0.1", 0), Handler)
        self.address = f"http://127.0.0.1:{self._server.server_port}"

    def __enter__(self) -> "Recorder":
        Thread(target=self._server.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()

    def taken(self) -> list[dict[str, Any]]:
        requests, self.requests = self.requests, []
        return requests


def recorded(request: BaseHTTPRequestHandler) -> dict[str, Any]:
    """What matters of a request."""
    target = urlsplit(request.path)
    key = request.headers.get("Idempotency-Key")
    if key is not None:
        # A new one for each request.
        uuid.UUID(key)
    return {
        "method": request.command,
        "path": target.path,
        "query": sorted(parse_qsl(target.query, strict_parsing=True)) if target.query else [],
        "token": request.headers.get("Authorization"),
        "version": request.headers.get("If-Match"),
        "has key": key is not None,
        "body": body(request),
    }


def body(request: BaseHTTPRequestHandler) -> Any:
    media = request.headers.get_content_type()
    if request.headers.get("Transfer-Encoding") == "chunked":
        content = b"".join(chunks(request))
    else:
        content = request.rfile.read(int(request.headers.get("Content-Length", "0")))
    if not content:
        return None
    match media:
        case "application/json":
            return json.loads(content)
        case "application/x-www-form-urlencoded":
            return dict(parse_qsl(content.decode(), strict_parsing=True))
        case "multipart/form-data":
            head = f"Content-Type: {request.headers['Content-Type']}\r\n\r\n".encode()
            form = BytesParser(EmailMessage, policy=HTTP).parsebytes(head + content)
            return {part.get_param("name", header="Content-Disposition"): part.get_content() for part in form.iter_parts()}
    raise ValueError(f"a body of {media}")


def chunks(request: BaseHTTPRequestHandler) -> Iterator[bytes]:
    while size := int(request.rfile.readline(), 16):
        yield request.rfile.read(size)
        request.rfile.readline()
    request.rfile.readline()


def value(name: str, sealed: Path) -> str:
    """A value of a variable of curl."""
    match name:
        case "ETAG":
            return '"v1.m"'
        case "FILE":
            return str(sealed)
        case "ID" | "ACCOUNT_ID" | "DELIVERY_ID" | "DOCUMENT_ID" | "LINK_ID" | "WEBHOOK_ID":
            return "01a2ff78-3e00-7a42-b6c0-91e84d07f3a5"
        case "VERSION":
            return "1"
        case _:
            return f"{name.lower().removesuffix('_id')}-1"


def camel(name: str) -> str:
    first, *others = name.lower().split("_")
    return first + "".join(other.title() for other in others)


def shell(sample: Sample, address: str, variables: dict[str, str], folder: Path, *options: str) -> str:
    """Runs a sample of curl. Gives what it prints."""
    source = sample.sources["curl"].replace(ADDRESS, address)
    if '-o "$FILE"' in source:
        variables = variables | {"FILE": str(folder / "downloaded")}
    curl = " ".join(["curl", "--silent", "--show-error", *options])
    done = subprocess.run(
        ["bash", "-euo", "pipefail", "-c", UUIDGEN + source.replace("curl", curl, 1)],
        env=os.environ | variables,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode != 0:
        raise SystemExit(f"{sample.id}: curl ends with {done.returncode}: {done.stderr}\n{source}")
    return done.stdout


def python(sample: Sample, address: str, variables: dict[str, str]) -> None:
    names = {("itinerary_id" if name == "ID" else name.lower()): text for name, text in variables.items()}
    code = compile(sample.sources["Python"].replace(ADDRESS, address), f"{sample.id}.py", "exec")
    exec(code, names | {"print": lambda *_: None})  # noqa: S102


def program(all_samples: list[Sample], variables: dict[str, str]) -> str:
    """A program with all samples in TypeScript. Only the strings of the samples are theirs."""
    constants = [
        f"const {camel(name)} = {text if text.isdecimal() else json.dumps(text)};"
        for name, text in variables.items()
        if name not in ("FILE", "TOKEN")
    ]
    functions = [f"async function {it.id}() {{\n{it.sources['TypeScript']}\n}}" for it in all_samples]
    return "\n".join(
        [
            'import { openAsBlob } from "node:fs";',
            'import createClient from "openapi-fetch";',
            'import type { paths } from "./schema";',
            "const [address, token, sealed] = process.argv.slice(2) as [string, string, string];",
            "const api = createClient<paths>({ baseUrl: address, headers: { Authorization: `Bearer ${token}` } });",
            *constants,
            "let file: Blob;",
            *functions,
            "async function all() {",
            "file = await openAsBlob(sealed);",
            *(f"await {it.id}();" for it in all_samples),
            "}",
            "void all();",
            "",
        ]
    )


def expected(sample: Sample, variables: dict[str, str], sealed: Path) -> dict[str, Any]:
    """What a sample must send, from the document; the rest is compared between languages."""
    sent = sample.example
    if "FILE" in sample.variables() and sample.method == "POST":
        sent = {"file": sealed.read_bytes()}
    path = re.sub(r"\{(\w+)\}", lambda found: variables.get(shouted(found[1]), "flight"), sample.path)
    return {"method": sample.method, "path": path, "body": sent}


def shouted(name: str) -> str:
    return re.sub("[A-Z]", lambda found: f"_{found[0]}", name).upper()


def compare(all_samples: list[Sample], languages: dict[str, list[dict[str, Any]]], variables: dict[str, str], sealed: Path) -> None:
    for language, requests in languages.items():
        if len(requests) != len(all_samples):
            raise SystemExit(f"{len(all_samples)} samples of {language} sent {len(requests)} requests")
    for index, sample in enumerate(all_samples):
        sent = {language: requests[index] for language, requests in languages.items()}
        for request in sent.values():
            if not sample.needs_token:
                # The client of TypeScript's samples always sends it.
                request["token"] = None
        first = sent["curl"]
        if any(request != first for request in sent.values()):
            raise SystemExit(f"{sample.id}: the languages send different requests:\n{json.dumps(sent, indent=2, default=str)}")
        wanted = expected(sample, variables, sealed)
        if {name: first[name] for name in wanted} != wanted:
            raise SystemExit(f"{sample.id} sends {first}, and the document says {wanted}")
        if sample.needs_token and first["token"] != f"Bearer {variables['TOKEN']}":
            raise SystemExit(f"{sample.id} sends no token")


# Samples that name what does not exist, with the status of the response.
REJECTED = {
    "follower_remove": "404",
    # The file of the samples is a sealed document, which has no bookings.
    "import_read": "422",
    "invitation_accept": "404",
    "invitation_decline": "404",
    "link_delete": "404",
    "member_remove": "404",
    "oauth_revoke": "401",
    "oauth_token": "401",
    "wallet_pass_view": "404",
}


def create(address: str, token: str) -> dict[str, str]:
    """An itinerary with every part that the samples are about."""
    import httpx

    whole = json.loads((Path(__file__).parent.parent / "it" / "http" / "samples" / "whole.json").read_text(encoding="utf-8"))
    porto = {"name": "Porto", "coordinate": {"latitude": 41.15, "longitude": -8.61}}
    trip = whole | {"destination": porto, "startDate": "2027-05-15"}
    response = httpx.post(
        f"{address}/v1/itineraries?allowDuplicate=true", headers={"Authorization": f"Bearer {token}"}, json=trip
    )
    response.raise_for_status()
    return {"ID": response.json()["id"], "ETAG": response.headers["ETag"]}


def upload(address: str, token: str, itinerary: str, sealed: Path) -> dict[str, str]:
    import httpx

    headers = {"Authorization": f"Bearer {token}"}
    url = f"{address}/v1/itineraries/{itinerary}/documents"
    response = httpx.post(url, headers=headers, files={"file": sealed.open("rb")})
    response.raise_for_status()
    return {"DOCUMENT_ID": response.json()["id"], "ETAG": response.headers["ETag"]}


def watch(address: str, token: str) -> dict[str, str]:
    """A webhook with a delivery. Nothing receives it: names that end in .invalid lead nowhere."""
    import httpx

    with httpx.Client(base_url=f"{address}/v1", headers={"Authorization": f"Bearer {token}"}) as api:
        new = {"url": "https://hooks.invalid/itineraries", "types": ["itinerary.updated"]}
        webhook = api.post("/webhooks", json=new).raise_for_status().json()["id"]
        delivery = api.post(f"/webhooks/{webhook}/test").raise_for_status().json()["id"]
    return {"WEBHOOK_ID": webhook, "DELIVERY_ID": delivery}


def send(all_samples: list[Sample], address: str, token: str, sealed: Path) -> None:
    """Sends curl's samples to a server, each about an itinerary of its own, and about the account ben."""
    import httpx

    found = httpx.get(f"{address}/v1/accounts?username=ben", headers={"Authorization": f"Bearer {token}"})
    companion = found.raise_for_status().json()["accountId"]
    with tempfile.TemporaryDirectory() as name:
        # A block ends what other samples need.
        for sample in sorted(all_samples, key=lambda sample: sample.id == "block_set"):
            variables = {variable: value(variable, sealed) for variable in sample.variables()}
            if "ID" in variables:
                variables |= create(address, token)
            if "DOCUMENT_ID" in variables:
                variables |= upload(address, token, variables["ID"], sealed)
            if "WEBHOOK_ID" in variables:
                variables |= watch(address, token)
            variables |= {"ACCOUNT_ID": companion, "USERNAME": "ben", "TOKEN": token}
            printed = shell(sample, address, variables, Path(name), "--write-out", r"'\n%{http_code}'")
            status = printed.rsplit("\n", 1)[1]
            wanted = REJECTED.get(sample.id, "2")
            if not status.startswith(wanted):
                raise SystemExit(f"{sample.id}: the server responds to curl with {printed}\n{sample.sources['curl']}")
