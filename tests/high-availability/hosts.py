"""Hosts in namespaces of their own, on one bridge.

A host has its own network, processes, host name, and file system: `/etc`, `/var`, `/usr/local` and `/opt` are those of the
machine with changes of the host's own, in memory, `/run` and `/dev/shm` are empty. What a host writes survives its power cuts.
All of it is inside the namespaces of the test, and ends with them.
"""

import os
import shutil
import signal
import subprocess
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
BRIDGES = ("lan", "island")
# The test's own address, outside all hosts.
OUTSIDE = "10.0.0.1"
OWN_FOLDERS = ("/etc", "/var", "/usr/local", "/opt")

# Process 1 of a host. It only reaps.
INIT = """
import os, signal, time
signal.signal(signal.SIGCHLD, lambda *_: None)
print("up", flush=True)
while True:
    try:
        os.wait()
    except ChildProcessError:
        time.sleep(0.05)
"""


def command(*words: str | Path, **more) -> str:
    """Runs a command, and returns what it prints."""
    done = subprocess.run([str(word) for word in words], capture_output=True, text=True, check=False, **more)
    if done.returncode != 0:
        raise RuntimeError(f"{' '.join(map(str, words))}: {done.stderr.strip() or done.stdout.strip()}")
    return done.stdout


def build_network() -> None:
    """The bridges. The second one is for hosts that are cut off together."""
    command("ip", "link", "set", "lo", "up")
    for bridge in BRIDGES:
        command("ip", "link", "add", bridge, "type", "bridge")
        command("ip", "link", "set", bridge, "up")
    command("ip", "address", "add", f"{OUTSIDE}/24", "dev", BRIDGES[0])


class Host:
    """A host, which can be switched off and cut off."""

    def __init__(self, name: str, address: str, disks: Path) -> None:
        self.name = name
        self.address = address
        self.disk = disks / name
        self.process: subprocess.Popen | None = None

    # Power

    def switch_on(self) -> None:
        """Starts the host, and the units that are enabled on it."""
        for folder in OWN_FOLDERS:
            for layer in ("upper", "work"):
                (self.disk / folder.strip("/") / layer).mkdir(parents=True, exist_ok=True)
        mounts = [
            f"mount -t overlay -o lowerdir={folder},upperdir={layers}/upper,workdir={layers}/work overlay {folder}"
            for folder in OWN_FOLDERS
            for layers in [self.disk / folder.strip("/")]
        ]
        mounts += ["mount -t tmpfs tmpfs /run", "mount -t tmpfs -o mode=1777 tmpfs /dev/shm"]
        mounts += [f"hostname {self.name}", "install -d -o postgres -g postgres -m 2775 /run/postgresql"]
        script = " && ".join([*mounts, 'exec python3 -c "$0"'])
        isolate = ["unshare", "--net", "--mount", "--pid", "--uts", "--ipc", "--fork", "--kill-child", "--mount-proc"]
        log = self.disk / "start.log"
        with log.open("wb") as errors:
            words = [*isolate, "sh", "-c", script, INIT]
            self.process = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=errors, start_new_session=True)
        if self.process.stdout.readline() != b"up\n":
            raise RuntimeError(f"{self.name} does not start: {log.read_text()}")
        self._connect()
        self._install_systemctl()
        self.run("for unit in $(ls /etc/enabled-units 2>/dev/null); do systemctl start $unit; done")

    def switch_off(self) -> None:
        """Ends all processes of the host at once, as a power cut does. The disk stays."""
        if self.process is None:
            return
        os.kill(self._init(), signal.SIGKILL)
        self.process.wait()
        self.process = None
        # Its namespace, and with it its end of the link, is removed in the background.
        while self.port in command("ip", "-brief", "link"):
            time.sleep(0.02)

    def replace_disk(self) -> None:
        """An empty disk, as a new host has."""
        shutil.rmtree(self.disk)

    def _install_systemctl(self) -> None:
        self.run(f"install -m 755 {HERE}/systemctl /usr/local/bin/systemctl")

    def _init(self) -> int:
        """The process id of the host's process 1, as the test sees it."""
        children = Path(f"/proc/{self.process.pid}/task/{self.process.pid}/children").read_text().split()
        return int(children[0])

    # Network

    @property
    def port(self) -> str:
        """The host's port of the bridge."""
        return f"port-{self.name}"

    def _connect(self) -> None:
        init = str(self._init())
        command("ip", "link", "add", self.port, "type", "veth", "peer", "name", "eth0", "netns", init)
        command("ip", "link", "set", self.port, "master", BRIDGES[0])
        command("ip", "link", "set", self.port, "up")
        for words in (f"address add {self.address}/24 dev eth0", "link set lo up", "link set eth0 up"):
            command("nsenter", "--target", init, "--net", "ip", *words.split())

    def cut(self, direction: str = "both") -> None:
        """Cuts the host off: takes the link down, or loses all packets that the host sends (`out`) or gets (`in`)."""
        match direction:
            case "both":
                command("ip", "link", "set", self.port, "down")
            case "in":
                command("tc", "qdisc", "add", "dev", self.port, "root", "pfifo", "limit", "0")
            case "out":
                self.nsenter("tc", "qdisc", "add", "dev", "eth0", "root", "pfifo", "limit", "0")

    def move_to_island(self) -> None:
        """Only hosts that were moved, too, reach this one."""
        command("ip", "link", "set", self.port, "master", BRIDGES[1])

    def mend(self) -> None:
        """Undoes all cuts."""
        command("ip", "link", "set", self.port, "master", BRIDGES[0])
        command("ip", "link", "set", self.port, "up")
        for delete in (
            lambda: command("tc", "qdisc", "del", "dev", self.port, "root"),
            lambda: self.nsenter("tc", "qdisc", "del", "dev", "eth0", "root"),
        ):
            try:
                delete()
            except RuntimeError:
                # There was none.
                pass

    # Processes

    def nsenter(self, *words: str, **more) -> str:
        return command("nsenter", "--target", self._init(), "--all", "--", *words, **more)

    def run(self, script: str, timeout: float = 120, **more) -> str:
        """Runs a script as root, and returns what it prints."""
        return self.nsenter("bash", "-euo", "pipefail", "-c", script, timeout=timeout, cwd="/", **more)

    def kill(self, unit: str) -> None:
        """`kill -9` of a unit's main process."""
        self.run(f"kill -9 $(cat /run/units/{unit}.main)")

    def kill_postgres(self) -> None:
        """`kill -9` of PostgreSQL, all processes at once."""
        self.run("pkill -9 -u postgres -x postgres || true")

    def freeze(self) -> None:
        """Stops all processes but the first, as a paused virtual machine does."""
        self.run("kill -STOP -1")

    def thaw(self) -> None:
        self.run("kill -CONT -1")

    def log(self, unit: str) -> str:
        try:
            return self.run(f"cat /var/log/units/{unit}.log")
        except RuntimeError as error:
            return str(error)
