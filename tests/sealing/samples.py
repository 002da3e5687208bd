"""The folder of samples, and the plaintext that is sealed."""

import random
import subprocess
from pathlib import Path


# In bytes: more than one chunk of age.
ORDINARY = 70_000


def boarding_pass(size: int = ORDINARY) -> bytes:
    """A PDF file of this size, at least 200 bytes. Most of it looks random, like compressed pictures."""
    head = b"%PDF-1.7\n1 0 obj\n<< /Type /Catalog /Pages 2 0 R >>\nendobj\n"
    head += b"2 0 obj\n<< /Type /Pages /Count 0 /Kids [] >>\nendobj\n"
    tail = b"\nendstream\nendobj\ntrailer\n<< /Root 1 0 R >>\n%%EOF\n"
    stream = b"3 0 obj\n<< /Length %d >>\nstream\n" % size
    filling = size - len(head) - len(stream) - len(tail)
    return head + stream + random.Random(1).randbytes(max(filling, 0)) + tail


class Samples:
    """Writes files whose names give the expected result."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        # Sealed files by name.
        self.sealed: dict[str, bytes] = {}

    def add_sealed(self, name: str, data: bytes) -> None:
        """A file that a tool has sealed and opened again."""
        self.sealed[name] = data
        self.accept(name, data)

    def accept(self, name: str, data: bytes) -> None:
        self._write(f"accepted-{name}", data)

    def refuse(self, name: str, data: bytes) -> None:
        self._write(f"refused-{name}", data)

    def _write(self, name: str, data: bytes) -> None:
        with (self.folder / name).open("xb") as file:
            file.write(data)


def call(work: Path, *command: str | Path, stdin: bytes | None = None) -> bytes:
    """Runs a tool in a folder. Returns its output."""
    done = subprocess.run(command, cwd=work, input=stdin, capture_output=True, check=False)
    if done.returncode != 0:
        raise SystemExit(f"{' '.join(map(str, command))}\nfailed: {done.stderr.decode(errors='replace')}")
    return done.stdout


def expect_same(name: str, opened: bytes, plain: bytes) -> None:
    """Checks that the opened file equals the sealed one."""
    if opened != plain:
        raise SystemExit(f"{name}: what was opened is not what was sealed")
