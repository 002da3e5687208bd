"""The six hosts of the page, and what Patroni says about them."""

import json
import os
import subprocess
import time
import urllib.request
from collections.abc import Callable
from pathlib import Path

import hosts
from hosts import OUTSIDE, Host, command
from page import Guide

ADDRESSES = {
    "proxy": "10.0.0.10",
    "app1": "10.0.0.21",
    "app2": "10.0.0.22",
    "db1": "10.0.0.31",
    "db2": "10.0.0.32",
    "db3": "10.0.0.33",
}
SERVERS = ("app1", "app2")
DATABASES = ("db1", "db2", "db3")
# Where the page says that the objects are, and where the test's mock of S3 is.
S3 = "https://s3.example"
S3_PORT = 9000
# These do nothing: everything is installed.
SHIMS = ("apt-get", "modprobe")

# Requests do not go through a proxy.
OPENER = urllib.request.build_opener(urllib.request.ProxyHandler({}))


def wait_until(ready: Callable[[], bool], what: str, seconds: float = 90) -> float:
    """Waits, and returns how long it took."""
    began = time.monotonic()
    while not ready():
        if time.monotonic() - began > seconds:
            raise RuntimeError(f"{what}: not within {seconds:.0f} s")
        time.sleep(0.2)
    return time.monotonic() - began


class Cluster:
    """All hosts."""

    def __init__(self, folder: Path, program: Path, guide: Guide) -> None:
        self.folder, self.program, self.guide = folder, program, guide
        self.hosts = {name: Host(name, address, folder / "disks") for name, address in ADDRESSES.items()}

    def __getitem__(self, name: str) -> Host:
        return self.hosts[name]

    def switch_on(self, name: str) -> None:
        """Switches a host on that looks like a machine with a checkout in which the server was built."""
        host = self.hosts[name]
        host.switch_on()
        project = hosts.HERE.parent.parent
        host.run(
            f"""
            mkdir -p /opt/checkout/target/release
            ln -sfn {project}/docs /opt/checkout/docs
            ln -sfn {self.program} /opt/checkout/target/release/itinerary-server
            for shim in {' '.join(SHIMS)}; do
                printf '#!/bin/sh\\nexit 0\\n' > /usr/local/bin/$shim
                chmod 755 /usr/local/bin/$shim
            done
            """
        )

    def switch_off(self) -> None:
        for host in self.hosts.values():
            host.switch_off()

    # Patroni

    def views(self) -> list[list[dict]]:
        """What Patroni says about its members on each host that is on. A host that was cut off says for a while what was."""
        found = []
        for name in DATABASES:
            if self.hosts[name].process is None:
                continue
            try:
                with OPENER.open(f"http://{ADDRESSES[name]}:8008/cluster", timeout=3) as response:
                    found.append(json.load(response)["members"])
            except (OSError, ValueError, KeyError):
                continue
        return found

    def member(self, role: str) -> str | None:
        """The member with this role, if all hosts that answer, and at least two, say the same."""
        views = self.views()
        found = {tuple(member["name"] for member in view if member["role"] == role) for view in views}
        return found.pop()[0] if len(views) > 1 and len(found) == 1 and found != {()} else None

    def primary(self) -> str:
        """The host of the primary."""
        found: list[str | None] = []
        wait_until(lambda: found.append(self.member("leader")) or found[-1] is not None, "a primary")
        return found[-1]

    def is_whole(self) -> bool:
        """One primary, one synchronous replica and another one, which follow it. All hosts say so."""
        views = self.views()
        return len(views) == len(DATABASES) and all(map(self._is_whole, views)) and self.member("leader") is not None

    @staticmethod
    def _is_whole(members: list[dict]) -> bool:
        return (
            sorted(member["role"] for member in members) == ["leader", "replica", "sync_standby"]
            and {member["state"] for member in members} <= {"running", "streaming"}
            and {member.get("lag", 0) for member in members} == {0}
            and len({member.get("timeline") for member in members}) == 1
        )

    def redis(self) -> str:
        """The host of the Redis that Sentinel says to use."""
        ask = "redis-cli -p 26379 --no-auth-warning -a choose-a-password-of-sentinel sentinel get-master-addr-by-name limits"
        return self.hosts["db1"].run(ask).split()[0]

    def shares_limits(self) -> bool:
        """Whether each server that is on reaches Redis."""
        for name in SERVERS:
            try:
                with OPENER.open(f"http://{ADDRESSES[name]}:9464/metrics", timeout=3) as response:
                    if "\nrate_limit_server_up 1" not in response.read().decode():
                        return False
            except OSError:
                # It is starting.
                return False
        return True

    # The server's commands

    def itinerary_server(self, words: str, host: str = "app1", text: str = "") -> str:
        """A command of the server, as the page calls it."""
        script = f"""
            set -a; . /etc/itinerary/secrets.env; set +a
            itinerary-server --quiet --config /etc/itinerary/itinerary.toml --data /var/lib/itinerary {words}
        """
        return self.hosts[host].run(script, input=text).strip()

    def psql(self, host: str, statement: str, database: str = "itinerary") -> str:
        """As PostgreSQL's superuser, on a host itself."""
        words = f"""runuser -u postgres -- psql -qAtX -d {database} -c "{statement}" """
        return self.hosts[host].run(words).strip()


def start_s3(program: str, log: Path) -> None:
    """A mock of S3, outside all hosts, with the page's bucket."""
    with log.open("wb") as output:
        subprocess.Popen([program, "-H", OUTSIDE, "-p", str(S3_PORT)], stdout=output, stderr=output)

    def answers() -> bool:
        try:
            request = urllib.request.Request(f"http://{OUTSIDE}:{S3_PORT}/itinerary", method="PUT")
            return OPENER.open(request, timeout=5).status == 200
        except OSError:
            return False

    wait_until(answers, "S3")


def isolate() -> None:
    """Prepares the namespaces of the test, and forgets settings of whoever runs it."""
    foreign = ("ITINERARY_", "PG", "PATRONI", "ETCD", "AWS_")
    for name in list(os.environ):
        if name.startswith(foreign) or name.lower().endswith("_proxy"):
            del os.environ[name]
    command("mount", "-t", "tmpfs", "tmpfs", "/mnt")
    hosts.build_network()
