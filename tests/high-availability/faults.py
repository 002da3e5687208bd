"""What is done to the cluster while clients write.

A fault is a generator: it does something, yields how many seconds this lasts, and undoes it. What starts again by itself, such as a
killed program, is not started by the fault.
"""

import json
import subprocess
import threading
import uuid
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from cluster import Cluster
from load import LISBON, Load

# Within how many seconds everything is back: after a kill or a switchover, and after the loss of a host or of its network,
# which nobody notices before Patroni's `ttl` (20 s) is over.
AFTER_KILL, AFTER_CUT = 10, 40


@dataclass(frozen=True)
class Roles:
    """Who was what before the fault."""

    primary: str
    synchronous: str
    other: str


Run = Callable[[Cluster, Roles], Iterator[float]]


@dataclass(frozen=True)
class Fault:
    name: str
    limit: int
    run: Run
    # Whether the primary should be another one afterwards; nothing if both are right.
    fails_over: bool | None = None
    # Whether the old primary may still believe that it is the primary meanwhile, so that writes to it are tried.
    splits: bool = False
    # A server that is cut off together with the primary.
    island: str | None = None


# The primary


def kill_postgresql(cluster: Cluster, roles: Roles) -> Iterator[float]:
    cluster[roles.primary].kill_postgres()
    yield 0


def kill_patroni(cluster: Cluster, roles: Roles) -> Iterator[float]:
    cluster[roles.primary].kill("patroni")
    yield 0


def power_cut(host: Callable[[Roles], str], seconds: float) -> Run:
    def run(cluster: Cluster, roles: Roles) -> Iterator[float]:
        cluster[host(roles)].switch_off()
        yield seconds
        cluster.switch_on(host(roles))

    return run


def cut(host: Callable[[Roles], str], seconds: float, direction: str = "both") -> Run:
    def run(cluster: Cluster, roles: Roles) -> Iterator[float]:
        cluster[host(roles)].cut(direction)
        yield seconds
        cluster[host(roles)].mend()

    return run


def freeze(host: Callable[[Roles], str], seconds: float) -> Run:
    def run(cluster: Cluster, roles: Roles) -> Iterator[float]:
        cluster[host(roles)].freeze()
        yield seconds
        cluster[host(roles)].thaw()

    return run


def island(server: str, seconds: float) -> Run:
    def run(cluster: Cluster, roles: Roles) -> Iterator[float]:
        for name in (roles.primary, server):
            cluster[name].move_to_island()
        yield seconds
        for name in (roles.primary, server):
            cluster[name].mend()

    return run


# What the page says


def follow(section: str) -> Run:
    def run(cluster: Cluster, _: Roles) -> Iterator[float]:
        cluster.guide.follow(section, cluster.hosts)
        yield 0

    return run


def replace_host(cluster: Cluster, _: Roles) -> Iterator[float]:
    """The host that the page replaces, with an empty disk."""
    host = cluster["db3"]
    host.switch_off()
    # Until etcd has a leader again, if this host was it.
    yield 10
    cluster.guide.follow("Replacing a host", cluster.hosts)
    host.replace_disk()
    cluster.switch_on(host.name)
    cluster.guide.build_database_host(host.name, cluster.hosts)


# Others


def kill(host: Callable[[Roles], str], unit: str) -> Run:
    def run(cluster: Cluster, roles: Roles) -> Iterator[float]:
        cluster[host(roles)].kill(unit)
        yield 0

    return run


def kill_replica(cluster: Cluster, roles: Roles) -> Iterator[float]:
    cluster[roles.synchronous].kill_postgres()
    yield 0


def kill_redis(cluster: Cluster, roles: Roles) -> Iterator[float]:
    """Both are down for longer than Sentinel waits."""
    host = cluster[cluster.redis()]
    host.run("systemctl stop redis-sentinel; kill -9 $(cat /run/units/redis-server.main); systemctl stop redis-server")
    yield 20
    host.run("systemctl start redis-server redis-sentinel")


def stop_etcd(cluster: Cluster, roles: Roles) -> Iterator[float]:
    """Two of three members: no quorum."""
    for name in (roles.synchronous, roles.other):
        cluster[name].run("systemctl stop etcd")
    yield 40
    for name in (roles.synchronous, roles.other):
        cluster[name].run("systemctl start etcd")


def primary(roles: Roles) -> str:
    return roles.primary


def synchronous(roles: Roles) -> str:
    return roles.synchronous


def server(_: Roles) -> str:
    return "app1"


SWITCHOVER = Fault("switchover", AFTER_KILL, follow("Switchover"), fails_over=True)
MAINTENANCE = Fault("maintenance of a database host", AFTER_KILL, follow("Maintenance"))
REPLACEMENT = Fault("a database host replaced", AFTER_CUT, replace_host)
KILL = Fault("kill -9 of PostgreSQL, primary", AFTER_KILL, kill_postgresql)
KILL_PATRONI = Fault("kill -9 of Patroni, primary", AFTER_KILL, kill_patroni)
POWER_CUT = Fault("power cut, primary", AFTER_CUT, power_cut(primary, 45), fails_over=True)
CUT = Fault("network cut 60 s, primary", AFTER_CUT, cut(primary, 60), fails_over=True, splits=True)
CUT_IN = Fault("network cut 60 s, to the primary", AFTER_CUT, cut(primary, 60, "in"), fails_over=True, splits=True)
CUT_OUT = Fault("network cut 60 s, from the primary", AFTER_CUT, cut(primary, 60, "out"), fails_over=True, splits=True)
SHORT_CUT = Fault("network cut 5 s, primary", AFTER_CUT, cut(primary, 5), splits=True)
SHORT_CUT_IN = Fault("network cut 5 s, to the primary", AFTER_CUT, cut(primary, 5, "in"), splits=True)
SHORT_CUT_OUT = Fault("network cut 5 s, from the primary", AFTER_CUT, cut(primary, 5, "out"), splits=True)
FREEZE = Fault("host frozen 40 s, primary", AFTER_CUT, freeze(primary, 40), fails_over=True)
ISLAND = Fault("primary and app1 cut off together 60 s", AFTER_CUT, island("app1", 60), True, splits=True, island="app1")

OTHERS = [
    Fault("kill -9 of a server", AFTER_KILL, kill(server, "itinerary-server")),
    Fault("power cut, server", AFTER_KILL, power_cut(server, 20)),
    Fault("network cut 5 s, server", AFTER_CUT, cut(server, 5)),
    Fault("network cut 60 s, server", AFTER_CUT, cut(server, 60)),
    Fault("kill -9 of PostgreSQL, synchronous replica", AFTER_KILL, kill_replica, fails_over=False),
    Fault("power cut, synchronous replica", AFTER_CUT, power_cut(synchronous, 30), fails_over=False),
    Fault("network cut 5 s, synchronous replica", AFTER_CUT, cut(synchronous, 5), fails_over=False),
    Fault("network cut 60 s, synchronous replica", AFTER_CUT, cut(synchronous, 60), fails_over=False),
    Fault("kill -9 of etcd on the primary's host", AFTER_KILL, kill(primary, "etcd"), fails_over=False),
    Fault("kill -9 of the Redis that is used, and of its Sentinel", AFTER_KILL, kill_redis, fails_over=False),
    Fault("two of three etcd stopped 40 s", AFTER_CUT, stop_etcd),
]

# One of each kind of failover that is over soon.
SHORT = [SWITCHOVER, KILL, SHORT_CUT]
# Twenty failovers, and what else can happen.
FULL = [
    *[KILL, SWITCHOVER, CUT] * 3,
    *[KILL_PATRONI, SWITCHOVER, CUT_IN, POWER_CUT, CUT_OUT, FREEZE, ISLAND, KILL],
    *[SHORT_CUT, SHORT_CUT_IN, SHORT_CUT_OUT],
    *[KILL, SWITCHOVER, POWER_CUT],
    MAINTENANCE,
    REPLACEMENT,
    *OTHERS,
]


class OldPrimary(threading.Thread):
    """Writes to the old primary, on its own host and through a server that was cut off with it."""

    def __init__(self, cluster: Cluster, load: Load, fault: Fault, host: str) -> None:
        super().__init__(daemon=True)
        self.cluster, self.load, self.fault, self.host = cluster, load, fault, host
        self.over = threading.Event()
        self.tried = 0
        # The rows that PostgreSQL acknowledged.
        self.acknowledged: list[str] = []

    def run(self) -> None:
        while not self.over.is_set():
            row = str(uuid.uuid4())
            # Killed, not interrupted: an interrupt would end the wait for the replica, and the commit would be acknowledged.
            insert = f"INSERT INTO probe VALUES ('{row}')"
            words = f'timeout -s KILL 4 runuser -u postgres -- psql -qAtX -d probe -c "{insert}"'
            self.tried += 1
            try:
                self.cluster[self.host].run(words, timeout=20)
                self.acknowledged.append(row)
            except (RuntimeError, subprocess.TimeoutExpired):
                pass
            if self.fault.island:
                self._ask_server()
            self.over.wait(0.5)

    def _ask_server(self) -> None:
        title = f"island {uuid.uuid4()}"
        client = next(client for client in self.load.clients if client.name.startswith("creator"))
        body = json.dumps({"title": title, "destination": LISBON})
        self.tried += 1
        try:
            status = self.cluster[self.fault.island].run(
                f"curl -s -o /dev/null -w '%{{http_code}}' -m 8 'http://127.0.0.1:8080/v1/itineraries?allowDuplicate=true'"
                f" -H 'Authorization: Bearer {client.token}' -H 'Content-Type: application/json' --data @- || true",
                timeout=20,
                input=body,
            )
        except (RuntimeError, subprocess.TimeoutExpired):
            return
        if status.startswith("2"):
            with self.load.ledger.lock:
                self.load.ledger.created.setdefault(client.token, set()).add(title)

    def check(self) -> None:
        """What the old primary acknowledged must be on the new one."""
        self.over.set()
        self.join(60)
        stored = self.cluster.psql(self.cluster.primary(), "SELECT id FROM probe", "probe").split()
        for row in self.acknowledged:
            if row not in stored:
                self.load.ledger.violation(f"{self.fault.name}: the old primary acknowledged a row that is lost")
