"""The code blocks of docs/mcp.md: runs blocks whose first line names a file; blocks of settings must be JSON."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

from server import Server

PAGE = Path(__file__).resolve().parents[2] / "docs" / "mcp.md"
EXPECTED = {"inspector.sh", "connect.py", "connect.mts"}
BLOCK = re.compile(r"^```(?:sh|ts|python)\n((?:#|//) (\S+)\n.*?)^```$", re.MULTILINE | re.DOTALL)
SETTINGS = re.compile(r"^```json\n(.*?)^```$", re.MULTILINE | re.DOTALL)
COMMANDS = {".sh": ["bash", "-euo", "pipefail"], ".py": [sys.executable], ".mts": ["node"]}


def run_all(server: Server, username: str, itinerary_title: str, work: Path) -> None:
    """Each block must print the title of the traveller's itinerary."""
    page = PAGE.read_text()
    for settings in SETTINGS.findall(page):
        json.loads(settings)
    blocks = {name: text for text, name in BLOCK.findall(page)}
    if blocks.keys() != EXPECTED:
        raise SystemExit(f"docs/mcp.md has other code blocks than expected: {sorted(blocks)}")
    # npx runs the package in node_modules and must not download it.
    settings = {"MCP": server.mcp, "TOKEN": server.token(username), "HOME": str(work), "npm_config_offline": "true"}
    environment = os.environ | settings
    for name, text in blocks.items():
        (work / name).write_text(text)
        command = [*COMMANDS[Path(name).suffix], name]
        done = subprocess.run(
            command, cwd=work, env=environment, capture_output=True, text=True, timeout=60, check=False
        )
        if done.returncode != 0 or itinerary_title not in done.stdout:
            raise SystemExit(f"{name} of docs/mcp.md ends with {done.returncode}:\n{done.stdout}{done.stderr}")
