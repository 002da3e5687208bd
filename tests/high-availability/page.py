"""The blocks of docs/operating/high-availability.md, and where each is to be run.

    sh      Run as root on the hosts that its first line, a comment, names: `# On db1, db2 and db3`.
    text    What the `sh` block before it prints, on each of its hosts. `…` stands for any text within a line.

Blocks of other languages are not run.
"""

import re
import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

HERE = Path(__file__).resolve().parent
PAGE = HERE.parent.parent / "docs" / "operating" / "high-availability.md"

sys.path.append(str(HERE.parent / "guides"))
from blocks import BLOCK, expect  # noqa: E402

WHERE = re.compile(r"# On ([\w, ]+)\n")


@dataclass
class Step:
    """A block of commands."""

    hosts: list[str]
    commands: str
    prints: str | None = None
    # The heading above it.
    section: str = field(default="")


def steps(text: str, names: set[str]) -> list[Step]:
    """The page's steps, in order."""
    found: list[Step] = []
    for section in re.split(r"^(?=## )", text, flags=re.MULTILINE):
        for language, block in BLOCK.findall(section):
            match language:
                case "sh":
                    where = WHERE.match(block)
                    hosts = re.findall(r"\w+", where[1].replace(" and ", " ")) if where else []
                    if not hosts or not names.issuperset(hosts):
                        raise SystemExit(f"the block does not say on which hosts it runs:\n{block}")
                    found.append(Step(hosts, block, section=section.partition("\n")[0].removeprefix("## ")))
                case "text" if found:
                    found[-1].prints = block
    if not found:
        raise SystemExit(f"{PAGE.name} runs nothing")
    return found


class Guide:
    """The page: the sections that build the cluster, and those that operate it."""

    BUILDING = ("1", "2", "3", "4", "5", "6")

    def __init__(self, names: set[str], replace: dict[str, str]) -> None:
        self.steps = steps(PAGE.read_text(), names)
        self.replace = replace

    def build(self, hosts: dict) -> None:
        for step in self.steps:
            if step.section.startswith(self.BUILDING):
                run(step, hosts, self.replace)

    @staticmethod
    def database_proxy() -> str:
        """HAProxy's configuration in front of the databases."""
        return next(block for language, block in BLOCK.findall(PAGE.read_text()) if language == "haproxy")

    def section(self, title: str) -> list[Step]:
        """The steps of a section, whose title is without its number."""
        found = [step for step in self.steps if step.section.partition(". ")[2] == title]
        if not found:
            raise SystemExit(f"{PAGE.name} has no section {title} with commands")
        return found

    def follow(self, title: str, hosts: dict) -> None:
        for step in self.section(title):
            run(step, hosts, self.replace)

    def build_database_host(self, name: str, hosts: dict) -> None:
        """What the page says about a host that joins the others."""
        replace = self.replace | {"ETCD_INITIAL_CLUSTER_STATE=new": "ETCD_INITIAL_CLUSTER_STATE=existing"}
        for step in self.steps:
            if step.section.startswith(("1", "2", "3", "4")) and name in step.hosts:
                run(Step([name], step.commands), hosts, replace)


def run(step: Step, hosts: dict, replace: dict[str, str]) -> None:
    """Runs a step on its hosts, at the same time, and compares what it prints with what the page says."""
    commands = step.commands
    for name, value in replace.items():
        commands = commands.replace(name, value)

    def run_on(name: str) -> None:
        try:
            printed = hosts[name].run(f"cd /opt/checkout\n{commands}", timeout=180)
        except RuntimeError as error:
            raise SystemExit(f"the block\n\n{step.commands}\nfails on {name}:\n\n{error}") from error
        if step.prints is not None:
            expect(step.commands, printed, step.prints)

    with ThreadPoolExecutor() as threads:
        list(threads.map(run_on, step.hosts))
