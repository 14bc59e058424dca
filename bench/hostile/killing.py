"""Kill every writing command at changes of the disk and of the database: `python -m bench.hostile.killing`.

After each kill `pk check` must not end as a bug, and the command is given again, as a person would: the pact must be
what it is without the kill. `--postgres` keeps the history there, in a copy of the database for each kill.
"""

# mypy: disable-error-code="no-untyped-call,no-any-return"
# The process that commands are forked from and the server of Postgres are those of the tests, which have no types.

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

from tests.doors.forking import SERVER
from tests.postgres import start_server

HOOK: Final = Path(__file__).parent / "hook"
TEST: Final = 'def test_{0}():\n    """The {0} is shown."""\n    assert {0}() == 1\n\n\n'
PLAIN: Final = (0, 1, 2)
DONE: Final = (0, 1)
KILLED: Final = -9

# A command with what has to be done before it.
Plan = tuple[Sequence[str], ...]
ACCEPT: Final = ("accept", "tests/test_a.py::test_price", "--intent", "The price is shown.")
COMMANDS: Final[Mapping[str, Plan]] = {
    "init": (("init",),),
    "accept": (("init",), ACCEPT),
    "undo": (("init",), ACCEPT, ("undo",)),
    "debt": (("init",), ("debt", "prune")),
    "reconcile": (("init",), ("reconcile", "tests")),
    "apply": (("init",), ("reconcile", "tests"), ("apply", "--all")),
    "thread": (("init",), ("thread", "new", "Title: Export orders")),
    "recover": (("init",), ("recover",)),
    "debt add": (("init",), ("debt", "prune"), ("debt", "add", "tests/test_a.py", "--reason", "Old.")),
    "molecule": (("init",), ACCEPT, ("molecule", "create", "Shop")),
    "agents": (("init",), ("agents", "install", "--yes")),
    "knowledge": (("init",), ("knowledge", "add", "Shop", "The shop closes at 8.")),
    "invariant": (("init",), ("invariant", "disable", "INV-003")),
    "atom new": (("init",), ("atom", "new", "The name is shown in capitals.")),
    "intake": (("init",), ("intake", "note.md")),
    "annotate": (("init",), ACCEPT, ("annotate", "--to", "comment")),
    "evidence": (("init",), ("evidence", "import", "report.xml")),
    "ingest": (("init",), ("transcripts", "ingest", "session.jsonl", "--no-wait")),
    "standup": (("init",), ("transcripts", "ingest", "session.jsonl", "--no-wait"), ("transcripts", "reconcile")),
    "review": (("init",), ("reconcile", "tests"), ("recommendations", "accept", "--all")),
    "trust": (("init",), ("health", "trust")),
    "agents remove": (("init",), ("agents", "install", "--yes"), ("agents", "remove")),
    "tick": (("init",), ("thread", "new", "Title: Export orders"), ("tick",)),
}
# What is given after a kill where the same again would be another act.
AGAIN: Final[Mapping[str, Sequence[str]]] = {"undo": ("recover",)}
FILES: Final[Mapping[str, str]] = {
    "tests/test_a.py": TEST.format("price") + TEST.format("name"),
    "note.md": "# Shop\n\nAcceptance criteria:\n- The total is shown.\n",
    "report.xml": '<testsuite><testcase classname="tests.test_a" name="test_price"/></testsuite>',
    "session.jsonl": '{"role":"user","content":"Pay the rent by 2026-03-01."}\n',
}


@dataclass(frozen=True)
class Place:
    """A repository with its own home."""

    folder: Path
    url: str = ""

    @property
    def repository(self) -> Path:
        """Where commands are run."""
        return self.folder / "repository"

    def run(self, command: Sequence[str], *, die_at: int | None = None) -> tuple[int, str]:
        """Run `pk`: its exit code and what it said; it dies at its n-th change where a number is given."""
        environment = {**os.environ, "HOME": str(self.folder), "NO_COLOR": "1"}
        environment |= {f"XDG_{name}_HOME": str(self.folder / name) for name in ("STATE", "CONFIG", "DATA", "CACHE")}
        environment |= {"PACTKEEPER_DATABASE_URL": self.url} if self.url else {}
        if die_at is not None:
            environment |= {"PACT_DIE_AT": str(die_at), "PACT_DIE_BELOW": str(self.folder)}
            environment |= {"PACT_DIE_COUNT": str(self.folder.parent / "count")}
        code, out, err = SERVER.run(command, cwd=self.repository, feed="", env=environment)
        return code, out + err

    def pact(self) -> dict[str, bytes]:
        """The pact's files, without the moments in them."""
        found = (self.repository / "pact").rglob("*") if (self.repository / "pact").is_dir() else ()
        return {str(one.relative_to(self.repository)): one.read_bytes() for one in found if one.is_file()}


def made(folder: Path, url: str = "") -> Place:
    """A small repository with one commit."""
    place = Place(folder, url)
    for path, text in FILES.items():
        (place.repository / path).parent.mkdir(parents=True, exist_ok=True)
        (place.repository / path).write_text(text, encoding="utf-8")
    person = (("config", "user.name", "A"), ("config", "user.email", "a@b.c"))
    for command in (("init", "-q"), *person, ("add", "-A"), ("commit", "-qm", "x")):
        subprocess.run(["git", *command], cwd=place.repository, check=True)
    return place


@contextmanager
def copied(ready: Place, folder: Path, server: Any) -> Iterator[Place]:  # noqa: ANN401 - of the tests
    """A copy of a place, its database included."""
    shutil.copytree(ready.folder, folder, symlinks=True)
    try:
        if server is None:
            yield Place(folder)
        else:
            template = ready.url.partition("?")[0].rsplit("/", 1)[1]
            with server.database(f"TEMPLATE {template}") as url:
                yield Place(folder, url)
    finally:
        shutil.rmtree(folder)


def problems(name: str, *, most: int, server: Any = None) -> Iterator[str]:  # noqa: ANN401 - of the tests
    """Kill one command at changes spread over all that it makes; what does not end as it should."""
    *before, command = COMMANDS[name]
    with TemporaryDirectory() as scratch, _database(server) as url:
        folder = Path(scratch)
        ready = made(folder / "ready", url)
        for one in before:
            ready.run(one)
        with copied(ready, folder / "sound", server) as sound:
            code, said = sound.run(command, die_at=0)
            if code not in DONE:
                yield f"{name}: without a kill it ends with {code}: {said[-300:]}"
                return
            wanted, changes = sound.pact().keys(), _counted(folder / "count")
        spread = sorted({1 + at * changes // most for at in range(most)}) if changes > most else range(1, changes + 1)
        kills = 0
        for number in spread:
            with copied(ready, folder / "killed", server) as place:
                if place.run(command, die_at=number)[0] == KILLED:
                    kills += 1
                    again = AGAIN.get(name, command)
                    allowed = (wanted, ready.pact().keys()) if name in AGAIN else (wanted,)
                    yield from _judged(place, again, f"{name} killed at change {number}", allowed)
        print(f"{name:>14} {changes:>5} changes {kills:>5} kills", flush=True)


@contextmanager
def _database(server: Any) -> Iterator[str]:  # noqa: ANN401 - of the tests
    if server is None:
        yield ""
    else:
        with server.database() as url:
            yield url


def _counted(file: Path) -> int:
    return int(file.read_text(encoding="utf-8")) if file.exists() else 0


def _judged(place: Place, command: Sequence[str], what: str, allowed: Iterable[Iterable[str]]) -> Iterator[str]:
    code, said = place.run(["check"])
    if code not in PLAIN or "Traceback" in said:
        yield f"{what}: check ends with {code}: {said[-300:]}"
    code, said = place.run(command)
    if code not in PLAIN or "Traceback" in said:
        yield f"{what}: again it ends with {code}: {said[-300:]}"
    differences = [sorted(place.pact().keys() ^ set(wanted)) for wanted in allowed]
    if differ := min(differences, key=len):
        yield f"{what}: the pact differs in {', '.join(differ)}; again said {said[:200]!r}"


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(prog="bench.hostile.killing")
    parser.add_argument("commands", nargs="*", metavar="COMMAND", help=f"default: all of {', '.join(COMMANDS)}")
    parser.add_argument("--most", type=int, default=30, help="kills of one command, spread over its changes")
    parser.add_argument("--postgres", action="store_true", help="keep the history in Postgres")
    asked = parser.parse_args(arguments)
    os.environ |= {"PYTHONPATH": os.pathsep.join((str(HOOK), *sys.path)), "PACT_MAY_DIE": "1"}
    server = start_server() if asked.postgres else None
    found = 0
    try:
        for name in asked.commands or COMMANDS:
            for one in problems(name, most=asked.most, server=server):
                found += 1
                print(one, flush=True)
    finally:
        if server is not None:
            server.stop()
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
