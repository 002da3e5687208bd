"""The code blocks of docs/sealing.md: runs them, and collects the sealed files.

A block that is run names its file in a comment in its first line. It seals `boarding-pass.pdf` into a file whose name
starts with that, and opens it to `opened.pdf`. The blocks of upload and download need a server: tests/it runs them.
"""

import re
import sys
from pathlib import Path

from samples import Samples, call, expect_same

PLAIN = "boarding-pass.pdf"
OPENED = "opened.pdf"
NEED_A_SERVER = {"upload.sh", "download.sh"}
EXPECTED = {"age.sh", "age.mts", "age.py", "cms.sh", "cms-cbc.sh", "jwe.py"}

BLOCK = re.compile(r"^```(?:sh|ts|python)\n((?:#|//) (\S+)\n.*?)^```$", re.MULTILINE | re.DOTALL)
COMMANDS = {".sh": ["bash", "-euo", "pipefail"], ".py": [sys.executable], ".mts": ["node"]}


def run_all(page: str, work: Path, samples: Samples) -> None:
    """Runs the blocks of the page in their order."""
    blocks = {name: text for text, name in BLOCK.findall(page)}
    if blocks.keys() != EXPECTED | NEED_A_SERVER:
        raise SystemExit(f"docs/sealing.md has other code blocks than expected: {sorted(blocks)}")
    for name, text in blocks.items():
        if name not in NEED_A_SERVER:
            run(name, text, work, samples)


def run(name: str, text: str, work: Path, samples: Samples) -> None:
    """Runs a block."""
    for left in [*work.glob(f"{PLAIN}.*"), work / OPENED]:
        left.unlink(missing_ok=True)
    (work / name).write_text(text)
    call(work, *COMMANDS[Path(name).suffix], name)
    expect_same(name, (work / OPENED).read_bytes(), (work / PLAIN).read_bytes())
    [sealed] = work.glob(f"{PLAIN}.*")
    samples.add_sealed(f"page-{name}{sealed.suffix}", sealed.read_bytes())
