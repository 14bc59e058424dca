"""Faults written for open work, each swept once and then three times more: `python -m bench.health.open_lab TOOLS`.

TOOLS holds `node_modules` with TypeScript, Vitest and Jest; go, cargo and javac are on the PATH. The last table is in
`open_lab.md`. A fault is a commit on top of a green one, or a change of the machine, beside a harmless change.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from socket import AF_INET, SOCK_STREAM, create_server, socket

from pactkeeper.intent.health import FixTask
from pactkeeper.operators.fix_tasks import list_fix_tasks
from pactkeeper.operators.sweep import SweepRequest, Swept, sweep
from pactkeeper.workspace import open_workspace

DATA = tomllib.loads(Path(__file__).with_name("open_faults.toml").read_text())
PROJECTS: Mapping[str, Mapping[str, str]] = DATA["projects"]
AGAIN = int(os.environ.get("LAB_AGAIN", "3"))
RED = ("fail", "timed out")


@dataclass(frozen=True, slots=True)
class Fault:
    """`edits` are (path, old text, new text): an empty old text appends or makes the file.

    The edited files are the cause, of which one must be in the scope of a task.
    """

    name: str
    project: str
    edits: Sequence[tuple[str, str, str]]
    kind: str
    triage: str = "commit"
    verdict: str = "red"
    tasks: int = 1
    surroundings: Mapping[str, str] = field(default_factory=dict)
    stops_server: bool = False

    @property
    def cause(self) -> frozenset[str]:
        """The files that a fix has to change, or could."""
        return frozenset(path for path, _, _ in self.edits)


@dataclass(frozen=True, slots=True)
class Seen:
    """What the sweeps of one fault came to; `doubled` counts tasks that the repeated ones made."""

    verdict: str
    triage: str
    kinds: frozenset[str]
    scopes: tuple[frozenset[str], ...]
    doubled: int

    def judged(self, fault: Fault) -> dict[str, bool]:
        """What is as expected."""
        return {
            "verdict": self.verdict == fault.verdict,
            "triage": self.triage == fault.triage,
            "kind": fault.kind in self.kinds,
            "scope": fault.triage != "commit" or any(fault.cause & one for one in self.scopes),
            "tasks": len(self.scopes) == (fault.tasks if fault.triage == "commit" else 0),
            "doubled": not self.doubled,
        }


def main(tools: Path, only: list[str]) -> int:
    """Sweep every fault, or those named, and print a row of each."""
    totals: dict[str, int] = {}
    chosen = [one for one in (Fault(**each) for each in DATA["fault"]) if not only or one.name in only]
    for fault in chosen:
        seen = experiment(fault, tools)
        judged = seen.judged(fault)
        missed = [name for name, good in judged.items() if not good]
        told = f"{seen.verdict}, {seen.triage}, {sorted(seen.kinds)}, {[sorted(one) for one in seen.scopes]}"
        print(f"| {fault.name} | {fault.project} | {', '.join(missed) or 'as expected'} | {told} |", flush=True)
        for name, good in judged.items():
            totals[name] = totals.get(name, 0) + good
    print("; ".join(f"{name} {count} of {len(chosen)}" for name, count in totals.items()))
    return 0


def experiment(fault: Fault, tools: Path) -> Seen:
    """Build a project, sweep it green, break it or its machine, and sweep it again."""
    with tempfile.TemporaryDirectory() as folder, machine(Path(folder), tools) as server:
        root = Path(folder, "project")
        write(root, PROJECTS[fault.project], tools)
        git(root, "init", "-q", "-b", "main")
        commit(root, "Start")
        first = swept(root)
        bad = [(one.check, one.reason, one.output.text[-800:]) for one in first.sweep.results if one.verdict != "pass"]
        assert not bad, bad
        change(root, fault)
        os.environ.update(fault.surroundings)
        if fault.stops_server:
            server.close()
        found = swept(root)
        with open_workspace(root, notice=lambda _: None) as workspace:
            tasks = list_fix_tasks(workspace)
        doubled = sum(len(swept(root).tasks) for _ in range(AGAIN))
    return Seen(verdict(found), triage(found, tasks), kinds(found, tasks), scopes(tasks), doubled)


def change(root: Path, fault: Fault) -> None:
    """Commit a fault beside a harmless change."""
    for path, old, new in fault.edits:
        place = root / path
        text = place.read_text() if place.exists() else ""
        assert old in text, (path, old)
        place.write_text(text.replace(old, new, 1) if old else text + new)
    (root / "NOTES.md").write_text("Prices are in cents.\n")
    commit(root, "Change")


def verdict(found: Swept) -> str:
    """Green, red, or that it cannot be told."""
    if any(one.verdict in RED for one in found.sweep.results):
        return "red"
    return "green" if found.sweep.green else "cannot tell"


def triage(found: Swept, tasks: tuple[FixTask, ...]) -> str:
    """Whose business the failure is."""
    if tasks:
        return "commit"
    machine_ = found.sweep.infrastructure or any(one.verdict == "could not run" for one in found.sweep.results)
    return "machine" if machine_ or any(one.surroundings for one in found.findings) else "nobody's"


def kinds(found: Swept, tasks: tuple[FixTask, ...]) -> frozenset[str]:
    """The kinds of all tasks, or of what was found."""
    unable = any(one.verdict == "could not run" for one in found.sweep.results)
    told = {one.kind for one in tasks} or {one.kind for one in found.findings}
    return frozenset({*told, *(["environment"] if unable and not tasks else [])})


def scopes(tasks: tuple[FixTask, ...]) -> tuple[frozenset[str], ...]:
    """The files of every task."""
    return tuple(frozenset(one.scope) for one in tasks)


def swept(root: Path) -> Swept:
    """A sweep of HEAD."""
    with open_workspace(root, notice=lambda _: None) as workspace:
        return sweep(workspace, SweepRequest(trust="any"))


def write(root: Path, files: Mapping[str, str], tools: Path) -> None:
    """Write the files of a project."""
    for path, text in files.items():
        place = root / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text.replace("{tools}", str(tools)).replace("{python}", sys.executable))


def git(root: Path, *arguments: str) -> None:
    """Run git in a project."""
    who = ("-c", "user.name=Ada", "-c", "user.email=ada@example.org")
    subprocess.run(["git", *who, *arguments], cwd=root, check=True, capture_output=True)


def commit(root: Path, message: str) -> None:
    """Commit everything."""
    git(root, "add", "--all")
    git(root, "commit", "-q", "-m", message)


@contextmanager
def machine(folder: Path, tools: Path) -> Iterator[socket]:
    """A machine with a server that accepts connections, a program `stamp`, and folders of its own."""
    programs = folder / "programs"
    programs.mkdir()
    (programs / "stamp").write_text("#!/bin/sh\necho stamped\n")
    (programs / "stamp").chmod(0o755)
    before = dict(os.environ)
    with create_server(("127.0.0.1", 0), family=AF_INET, backlog=64) as server:
        assert server.type is SOCK_STREAM
        os.environ.update(
            XDG_CACHE_HOME=f"{folder}/cache",
            XDG_DATA_HOME=f"{folder}/data",
            LAB_PORT=str(server.getsockname()[1]),
            LAB_HOST="127.0.0.1",
            LAB_DISK=str(folder / "disk"),
            PATH=f"{programs}{os.pathsep}{before['PATH']}",
            NODE_PATH=str(tools / "node_modules"),
            GOFLAGS="-mod=mod",
            GOPROXY="off",
        )
        try:
            yield server
        finally:
            os.environ.clear()
            os.environ.update(before)
            with suppress(OSError):
                shutil.rmtree(folder / "cache")


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]).resolve(), sys.argv[2:]))
