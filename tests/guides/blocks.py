"""Runs the code blocks of a page in one shell, in order, and compares what they print with what the page says.

The code blocks of a page, by language:
    sh      Run in one shell, in order.
    python  Saved under the name in the first line, a comment.
    text    What the `sh` block before it prints. `…` stands for any text within a line.
Other languages, and blocks without one, are errors.
"""

import re
import shlex
import socket
import subprocess
from pathlib import Path

BLOCK = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
FILE_NAME = re.compile(r"# (\w+\.py)\n")
# Follows each block's output.
MARKER = "end of block"
# Requests to this machine are not sent to a proxy.
NO_PROXIES = {"NO_PROXY": "127.0.0.1", "no_proxy": "127.0.0.1"}
# The sockets of free ports, until the end of the program.
HELD: list[socket.socket] = []


class Page:
    """A page's commands, each with what it should print, and its files."""

    def __init__(self, page: str) -> None:
        self.commands: list[str] = []
        self.printed: dict[int, str] = {}
        self.files: dict[str, str] = {}
        for language, text in BLOCK.findall(page):
            match language:
                case "sh":
                    self.commands.append(text)
                case "text":
                    self.printed[len(self.commands) - 1] = text
                case "python" if name := FILE_NAME.match(text):
                    self.files[name[1]] = text
                case _:
                    raise SystemExit(f"unexpected code block ({language or 'no language'}):\n{text}")
        if not self.commands or not self.printed:
            raise SystemExit("the page runs nothing, or does not say what is printed")

    def script(self, replace: dict[str, str]) -> str:
        """One script with all commands."""
        ending = f"\nprintf '%s\\n' {shlex.quote(MARKER)}\n"
        return replaced("".join(command + ending for command in self.commands), replace)


def replaced(text: str, replace: dict[str, str]) -> str:
    """The text with every name replaced at once, so that no replacement is replaced again."""
    names = re.compile("|".join(re.escape(name) for name in replace))
    return names.sub(lambda found: replace[found[0]], text)


def free_port() -> str:
    """A port for a program of a page. It stays bound without listening, so that no connection gets it before the program."""
    held = socket.socket()
    held.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    held.bind(("127.0.0.1", 0))
    HELD.append(held)
    return str(held.getsockname()[1])


def expect(command: str, printed: str, expected: str) -> None:
    """Compares what a block prints with what the page says."""
    pattern = ".*".join(re.escape(part) for part in expected.strip().split("…"))
    if not re.fullmatch(pattern, printed.strip()):
        raise SystemExit(f"the block\n\n{command}\nprints\n\n{printed}\nand not\n\n{expected}")


def run(page: Page, folder: Path, environment: dict[str, str], replace: dict[str, str], timeout: int = 120) -> None:
    """Runs the page's commands in the folder, with other names in place of the page's."""
    with (folder / "printed").open("w+") as output:
        done = subprocess.run(
            ["bash", "-euo", "pipefail", "-c", page.script(replace)],
            cwd=folder,
            env=environment,
            stdin=subprocess.DEVNULL,
            # A file: programs that a block leaves in the background may hold the output open.
            stdout=output,
            stderr=subprocess.STDOUT,
            timeout=timeout,
            check=False,
        )
        output.seek(0)
        printed = replaced(output.read(), {new: old for old, new in replace.items()}).split(f"{MARKER}\n")
    if done.returncode != 0:
        raise SystemExit(f"the block\n\n{page.commands[len(printed) - 1]}\nfails:\n\n{printed[-1]}")
    for index, expected in page.printed.items():
        expect(page.commands[index], printed[index], expected)
