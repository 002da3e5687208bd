"""Clients that write through the proxy for as long as the test runs, and a record of what was acknowledged.

Writers create itineraries, each with an idempotency key, and repeat a request until its outcome is certain. Some share
a counter, the title of one itinerary: they read it with its ETag, and write the next number with `If-Match`. Watchers ask each
server itself whether revoked tokens are refused.
"""

import http.client
import json
import random
import ssl
import threading
import time
import uuid
from dataclasses import dataclass, field

# How long a client waits for a response, and between two writes, in seconds: fewer than the 60 writes a minute that it may send.
PATIENCE = 15.0
PAUSE = 1.0
LISBON = {"name": "Lisbon", "coordinate": {"latitude": 38.72, "longitude": -9.14}}


@dataclass(frozen=True)
class Attempt:
    """A request of a writer: when it was sent and answered, and whether it was acknowledged."""

    client: str
    sent: float
    ended: float
    acknowledged: bool
    outcome: str


class Connection:
    """Requests to one address, with a token."""

    def __init__(self, address: str, port: int, tls: bool = False) -> None:
        self.address, self.port, self.tls = address, port, tls
        self.open: http.client.HTTPConnection | None = None

    def send(self, method: str, path: str, token: str, body: object = None, **headers: str) -> tuple[int, dict, dict]:
        """Status, headers and body of the response. OSError or HTTPException if there is none."""
        if self.open is None:
            if self.tls:
                # The certificate is the test's own.
                context = ssl._create_unverified_context()
                self.open = http.client.HTTPSConnection(self.address, self.port, timeout=PATIENCE, context=context)
            else:
                self.open = http.client.HTTPConnection(self.address, self.port, timeout=PATIENCE)
        fields = {"Authorization": f"Bearer {token}", **{name.replace("_", "-"): value for name, value in headers.items()}}
        try:
            data = None if body is None else json.dumps(body)
            self.open.request(method, path, data, fields | ({"Content-Type": "application/json"} if data else {}))
            response = self.open.getresponse()
            text = response.read()
        except BaseException:
            self.close()
            raise
        found = {name.lower(): value for name, value in response.getheaders()}
        if found.get("connection") == "close":
            self.close()
        try:
            return response.status, found, json.loads(text) if text else {}
        except ValueError:
            return response.status, found, {}

    def close(self) -> None:
        if self.open is not None:
            self.open.close()
            self.open = None


@dataclass
class Ledger:
    """What clients know. One lock guards all of it."""

    lock: threading.Lock = field(default_factory=threading.Lock)
    attempts: list[Attempt] = field(default_factory=list)
    # Titles of created itineraries, by the client's token: acknowledged, and without a response when the test ended.
    created: dict[str, set[str]] = field(default_factory=dict)
    uncertain: dict[str, set[str]] = field(default_factory=dict)
    # Acknowledged increments of each counter.
    counted: dict[str, int] = field(default_factory=dict)
    # What must never happen.
    violations: list[str] = field(default_factory=list)
    # For each server and revoked token, how often it was refused.
    refused: dict[tuple[str, str], int] = field(default_factory=dict)

    def violation(self, text: str) -> None:
        with self.lock:
            self.violations.append(text)


class Client(threading.Thread):
    """A client app with its own connection to the proxy."""

    def __init__(self, name: str, token: str, proxy: str, ledger: Ledger, stop: threading.Event) -> None:
        super().__init__(name=name, daemon=True)
        self.token, self.ledger, self.stop = token, ledger, stop
        self.connection = Connection(proxy, 443, tls=True)
        # Set while everything that this client has sent is certain.
        self.idle = threading.Event()

    def run(self) -> None:
        try:
            while not self.stop.is_set():
                self.idle.clear()
                self.work()
                self.idle.set()
                self.stop.wait(random.uniform(PAUSE, 1.4 * PAUSE))
        except Exception as error:
            self.ledger.violation(f"{self.name} fails: {error!r}")
        finally:
            self.idle.set()

    def work(self) -> None:
        raise NotImplementedError

    def write(self, method: str, path: str, body: object, **headers: str) -> bool:
        """Sends a write with its key until its outcome is certain. Returns whether it was acknowledged."""
        key = str(uuid.uuid4())
        while True:
            sent = time.monotonic()
            try:
                status, found, answer = self.connection.send(
                    method, path, self.token, body, Idempotency_Key=key, **headers
                )
                outcome = str(status)
            except (OSError, http.client.HTTPException) as error:
                status, found, answer, outcome = 0, {}, {}, type(error).__name__
            lost_race = answer.get("error", {}).get("code") == "itineraryModified"
            # That somebody else was faster is as certain as an acknowledgement.
            certain = 200 <= status < 300 or lost_race
            with self.ledger.lock:
                self.ledger.attempts.append(Attempt(self.name, sent, time.monotonic(), certain, outcome))
            if certain:
                return not lost_race
            if status not in (0, 429, 502, 503, 504):
                raise RuntimeError(f"{method} {path}: {status} {answer}")
            time.sleep(float(found["retry-after"]) if status == 429 else random.uniform(0.7, 1.0))

    def read(self, path: str) -> tuple[dict, dict] | None:
        """A read, or nothing if it failed."""
        try:
            status, found, answer = self.connection.send("GET", path, self.token)
        except (OSError, http.client.HTTPException):
            return None
        if status in (429, 502, 503, 504):
            return None
        if status != 200:
            raise RuntimeError(f"GET {path}: {status} {answer}")
        return found, answer


class Creator(Client):
    """Creates one itinerary after the other."""

    def work(self) -> None:
        title = f"{self.name} {uuid.uuid4()}"
        with self.ledger.lock:
            self.ledger.uncertain.setdefault(self.token, set()).add(title)
        self.write("POST", "/v1/itineraries?allowDuplicate=true", {"title": title, "destination": LISBON})
        with self.ledger.lock:
            self.ledger.uncertain[self.token].discard(title)
            self.ledger.created.setdefault(self.token, set()).add(title)


class Counter(Client):
    """Increments a counter that other clients increment, too."""

    def __init__(self, itinerary: str, *more: object) -> None:
        super().__init__(*more)
        self.itinerary = itinerary

    def work(self) -> None:
        path = f"/v1/itineraries/{self.itinerary}"
        while not self.stop.is_set():
            with self.ledger.lock:
                at_least = self.ledger.counted[self.itinerary]
            found = self.read(path)
            if found is None:
                time.sleep(random.uniform(0.7, 1.0))
                continue
            headers, body = found
            value = int(body["title"].removeprefix("Counter "))
            if value < at_least:
                self.ledger.violation(f"{self.name} reads {value} after {at_least} was acknowledged")
            if self.write("PATCH", path, {"title": f"Counter {value + 1}"}, If_Match=headers["etag"]):
                with self.ledger.lock:
                    self.ledger.counted[self.itinerary] += 1
                return


class Watcher(threading.Thread):
    """Sends revoked tokens to one server, which must refuse them."""

    def __init__(self, server: str, address: str, ledger: Ledger, stop: threading.Event) -> None:
        super().__init__(name=f"watcher of {server}", daemon=True)
        self.server, self.ledger, self.stop = server, ledger, stop
        self.connection = Connection(address, 8080)
        self.revoked: list[str] = []

    def run(self) -> None:
        while not self.stop.wait(0.5):
            for token in self.revoked[-1:]:
                try:
                    status, _, _ = self.connection.send("GET", "/v1/account", token)
                except (OSError, http.client.HTTPException):
                    continue
                with self.ledger.lock:
                    if status == 401:
                        pair = (self.server, token)
                        self.ledger.refused[pair] = self.ledger.refused.get(pair, 0) + 1
                    elif status < 400:
                        self.ledger.violations.append(f"{self.server} accepts a token that was revoked: {status}")


class Load:
    """All clients and watchers."""

    def __init__(self, proxy: str, servers: dict[str, str]) -> None:
        self.proxy = proxy
        self.ledger = Ledger()
        self.stop = threading.Event()
        self.clients: list[Client] = []
        self.watchers = [Watcher(name, address, self.ledger, self.stop) for name, address in servers.items()]

    def add_creator(self, name: str, token: str) -> None:
        self.clients.append(Creator(name, token, self.proxy, self.ledger, self.stop))

    def add_counters(self, name: str, tokens: list[str]) -> None:
        """Clients that share a counter, each with a token of the same account."""
        connection = Connection(self.proxy, 443, tls=True)
        body = {"title": "Counter 0", "destination": LISBON}
        status, _, created = connection.send("POST", "/v1/itineraries", tokens[0], body)
        if status != 201:
            raise RuntimeError(f"the counter is not created: {status} {created}")
        self.ledger.counted[created["id"]] = 0
        for index, token in enumerate(tokens):
            self.clients.append(
                Counter(created["id"], f"{name} {index}", token, self.proxy, self.ledger, self.stop)
            )

    def start(self) -> None:
        for thread in [*self.clients, *self.watchers]:
            thread.start()

    def revoked(self, token: str) -> None:
        """From now on, no server may accept this token."""
        for watcher in self.watchers:
            watcher.revoked.append(token)

    def failures(self, since: float) -> list[Attempt]:
        """The failed attempts that ended since a moment, in order."""
        with self.ledger.lock:
            found = [attempt for attempt in self.ledger.attempts if attempt.ended >= since and not attempt.acknowledged]
        return sorted(found, key=lambda attempt: attempt.ended)

    def back_after(self, moment: float) -> float | None:
        """Seconds from a moment until each client's first acknowledgement after the failures that follow the moment.

        Nothing if a client still waits for one. Failures after a pause of PATIENCE belong to something else, such as the return of
        a host.
        """
        last = moment
        for failure in self.failures(moment):
            if failure.sent > last + PATIENCE:
                break
            last = max(last, failure.ended)
        with self.ledger.lock:
            attempts = [attempt for attempt in self.ledger.attempts if moment <= attempt.ended]
        back = 0.0
        for client in self.clients:
            own = [attempt for attempt in attempts if attempt.client == client.name]
            failed = max((a.sent for a in own if not a.acknowledged and a.ended <= last), default=moment)
            later = [attempt.ended for attempt in own if attempt.acknowledged and attempt.sent >= failed]
            if not later:
                return None
            if failed > moment or min(later) > moment + PATIENCE:
                back = max(back, min(later) - moment)
        return back

    def longest_gap(self, since: float, until: float) -> float:
        """The longest time without an acknowledgement."""
        with self.ledger.lock:
            times = [attempt.ended for attempt in self.ledger.attempts if attempt.acknowledged]
        times = sorted([since, until, *[ended for ended in times if since <= ended <= until]])
        return max(later - earlier for earlier, later in zip(times, times[1:]))

    def outcomes(self, since: float, until: float) -> dict[str, int]:
        """How often each outcome occurred, failures only."""
        with self.ledger.lock:
            found = [a.outcome for a in self.ledger.attempts if since <= a.sent <= until and not a.acknowledged]
        return {outcome: found.count(outcome) for outcome in sorted(set(found))}

    def finish(self, patience: float = 90) -> None:
        """Ends the clients once the outcome of each of their requests is certain."""
        self.stop.set()
        deadline = time.monotonic() + patience
        for client in self.clients:
            if not client.idle.wait(max(0, deadline - time.monotonic())):
                self.ledger.violation(f"{client.name} got no certain outcome within {patience:.0f} s")

    def check(self) -> tuple[int, int]:
        """Compares what is stored with what was acknowledged. Returns the numbers of creates and increments."""
        connection = Connection(self.proxy, 443, tls=True)
        ledger = self.ledger
        for token, titles in ledger.created.items():
            stored: list[str] = []
            cursor = ""
            while cursor is not None:
                path = f"/v1/itineraries?limit=100{cursor and '&cursor=' + cursor}"
                status, _, page = connection.send("GET", path, token)
                if status != 200:
                    raise RuntimeError(f"the list cannot be read: {status} {page}")
                stored += [entry["title"] for entry in page["data"]]
                cursor = page.get("nextCursor")
            for title in titles:
                if stored.count(title) != 1:
                    ledger.violation(f"acknowledged, and stored {stored.count(title)} times: {title}")
            ledger.violations += [f"stored twice: {title}" for title in set(stored) if stored.count(title) > 1]
        for client in self.clients:
            if isinstance(client, Counter):
                status, _, body = connection.send("GET", f"/v1/itineraries/{client.itinerary}", client.token)
                expected = f"Counter {ledger.counted[client.itinerary]}"
                if status != 200 or body["title"] != expected:
                    ledger.violation(f"lost update: {body.get('title')} is stored, {expected} was acknowledged")
        return sum(map(len, ledger.created.values())), sum(ledger.counted.values())
