"""A server process, requests to it, and the processor time that it spends."""

import http.client
import json
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import cycle

# Requests of a burst that are under way at once.
AT_ONCE = 8


@dataclass
class Call:
    method: str
    path: str
    token: str = ""
    json: object = None
    body: bytes = b""
    headers: dict = field(default_factory=dict)
    # Whether the server refuses it, after all the work.
    refused: bool = False

    def parts(self, token):
        headers, body = dict(self.headers), self.body
        if token:
            headers["Authorization"] = f"Bearer {token}"
        if self.json is not None:
            body = json.dumps(self.json).encode()
            headers.setdefault("Content-Type", "application/json")
        if self.method in ("PATCH", "PUT", "DELETE", "POST"):
            headers.setdefault("If-Match", "*")
        return body or None, headers


class Spent:
    seconds = 0.0


class Server:
    def __init__(self, program, folder, *flags):
        self.program, self.folder, self.flags = program, folder, flags
        self.environment = {"PATH": os.environ["PATH"], "RUST_LOG": "warn"}

    def __enter__(self):
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        listen = ["--listen", f"127.0.0.1:{self.port}"]
        self.process = subprocess.Popen(
            [self.program, "serve", "--data", self.folder, *listen, *self.flags],
            env=self.environment, stdout=subprocess.DEVNULL,
        )
        self.connection = self.connect()
        deadline = time.monotonic() + 120
        while time.monotonic() < deadline and self.process.poll() is None:
            try:
                if self.send(Call("GET", "/readyz")).status == 200:
                    return self
            except OSError:
                self.connection.close()
                time.sleep(0.1)
        self.process.kill()
        sys.exit("the server does not start")

    def __exit__(self, *_):
        self.process.send_signal(signal.SIGTERM)
        self.process.wait(timeout=60)

    def connect(self):
        return http.client.HTTPConnection("127.0.0.1", self.port, timeout=120)

    def command(self, *words, input=""):
        run = subprocess.run(
            [self.program, *words, "--data", self.folder],
            env=self.environment, input=input, text=True, capture_output=True, check=True,
        )
        # The server closes connections that are idle for 30 seconds. The next request opens another one.
        self.connection.close()
        return run.stdout.strip()

    def send(self, call, connection=None, token=None):
        connection = connection or self.connection
        body, headers = call.parts(token or call.token)
        connection.request(call.method, call.path, body=body, headers=headers)
        answer = connection.getresponse()
        answer.content = answer.read()
        return answer

    def expect(self, call):
        """The answer to a call that succeeds."""
        answer = self.send(call)
        if answer.status >= 400 and not call.refused or b'"isError":true' in answer.content:
            sys.exit(f"{call.method} {call.path}: {answer.status} {answer.content[:500]}")
        return answer

    def threads(self):
        """The processor time of each thread, in seconds."""
        folder, times = f"/proc/{self.process.pid}/task", {}
        for thread in os.listdir(folder):
            try:
                with open(f"{folder}/{thread}/schedstat") as schedstat:
                    times[thread] = int(schedstat.read().split()[0]) / 1e9
            except OSError:
                pass  # It has just ended.
        return times

    @contextmanager
    def measured(self):
        """The processor time that all threads spend meanwhile."""
        spent, before = Spent(), self.threads()
        yield spent
        after = self.threads()
        spent.seconds = sum(seconds - before.get(thread, 0) for thread, seconds in after.items())

    def burst(self, calls, tokens, most):
        """Sends calls through all apps at once, each until it is refused. Returns the processor time in seconds."""
        # The first call of a new server reads pages and makes what is made once.
        self.send(calls[0], token=tokens[0])
        work, lock, sent = cycle(calls), threading.Lock(), [0]
        refused = set()
        end = time.monotonic() + 55

        def client(number):
            connection = self.connect()
            mine = tokens[number % len(tokens) :: AT_ONCE] or [tokens[number % len(tokens)]]
            for token in cycle(mine):
                with lock:
                    call, is_over = next(work), sent[0] >= most or set(mine) <= refused
                    sent[0] += 1
                if is_over or time.monotonic() > end:
                    return
                if self.send(call, connection, token).status == 429:
                    refused.add(token)

        with self.measured() as spent:
            clients = [threading.Thread(target=client, args=(number,)) for number in range(AT_ONCE)]
            for thread in clients:
                thread.start()
            for thread in clients:
                thread.join()
        return spent.seconds
