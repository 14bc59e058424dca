"""Kill every writing command at every change of the disk: `python -m bench.hostile.killing [--most N] [COMMAND …]`.

After each kill the command is given again, as a person would, and the pact must be what it is without the kill.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

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
    "settle": (("init",), ("settle",)),
    "debt add": (("init",), ("debt", "prune"), ("debt", "add", "tests/test_a.py", "--reason", "Old.")),
    "molecule": (("init",), ACCEPT, ("molecule", "create", "Shop")),
    "agents": (("init",), ("agents", "install", "--yes")),
    "knowledge": (("init",), ("knowledge", "add", "Shop", "The shop closes at 8.")),
    "invariant": (("init",), ("invariant", "disable", "INV-003")),
}


@dataclass(frozen=True)
class Place:
    """A repository with its own home."""

    folder: Path

    @property
    def repository(self) -> Path:
        """Where commands are run."""
        return self.folder / "repository"

    def run(self, command: Sequence[str], *, die_at: int = 0) -> subprocess.CompletedProcess[str]:
        """Run `pk`; it dies at its n-th change of the disk where a number is given."""
        environment = {**os.environ, "HOME": str(self.folder), "PYTHONPATH": str(HOOK), "NO_COLOR": "1"}
        environment |= {f"XDG_{name}_HOME": str(self.folder / name) for name in ("STATE", "CONFIG", "DATA", "CACHE")}
        environment |= {"PACT_DIE_AT": str(die_at), "PACT_DIE_BELOW": str(self.folder)}
        program = [sys.executable, "-m", "pactkeeper", *command]
        return subprocess.run(
            program, cwd=self.repository, env=environment, capture_output=True, text=True, check=False, timeout=120
        )

    def pact(self) -> dict[str, bytes]:
        """The pact's files, without the moments in them."""
        found = (self.repository / "pact").rglob("*") if (self.repository / "pact").is_dir() else ()
        return {str(one.relative_to(self.repository)): one.read_bytes() for one in found if one.is_file()}


def made(folder: Path) -> Place:
    """A small repository with one commit."""
    place = Place(folder)
    (place.repository / "tests").mkdir(parents=True)
    (place.repository / "tests" / "test_a.py").write_text(TEST.format("price") + TEST.format("name"), encoding="utf-8")
    for command in (
        ["init", "-q"],
        ["add", "-A"],
        ["-c", "user.name=A", "-c", "user.email=a@b.c", "commit", "-qm", "x"],
    ):
        subprocess.run(["git", *command], cwd=place.repository, check=True)
    for name, value in (("user.name", "A"), ("user.email", "a@b.c")):
        subprocess.run(["git", "config", name, value], cwd=place.repository, check=True)
    return place


def problems(name: str, *, most: int) -> Iterator[str]:
    """Kill one command at one change after the other; what does not end as it should, and at last how often it died."""
    *before, command = COMMANDS[name]
    with TemporaryDirectory() as scratch:
        ready = made(Path(scratch) / "ready")
        for one in before:
            ready.run(one)
        sound = Place(Path(shutil.copytree(ready.folder, Path(scratch) / "sound")))
        wanted = sound.run(command)
        if wanted.returncode not in DONE:
            yield f"{name}: without a kill it ends with {wanted.returncode}: {wanted.stderr[-300:]}"
            return
        kills = 0
        for number in range(1, most + 1):
            place = Place(Path(shutil.copytree(ready.folder, Path(scratch) / "killed")))
            if place.run(command, die_at=number).returncode != KILLED:
                break
            kills += 1
            yield from _judged(place, command, f"{name} killed at change {number}", sound)
            shutil.rmtree(place.folder)
        print(f"{name:>12} {kills:>5} kills", flush=True)


def _judged(place: Place, command: Sequence[str], what: str, sound: Place) -> Iterator[str]:
    seen = place.run(["check"])
    if seen.returncode not in PLAIN or "Traceback" in seen.stderr:
        yield f"{what}: check ends with {seen.returncode}: {seen.stderr[-300:]}"
    again = place.run(command)
    if again.returncode not in PLAIN or "Traceback" in again.stderr:
        yield f"{what}: again it ends with {again.returncode}: {again.stderr[-300:]}"
    if place.pact().keys() != sound.pact().keys():
        differ = sorted(place.pact().keys() ^ sound.pact().keys())
        yield f"{what}: the pact differs in {', '.join(differ)}; again said {(again.stderr or again.stdout)[:200]!r}"


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(prog="bench.hostile.killing")
    parser.add_argument("commands", nargs="*", metavar="COMMAND", help=f"default: all of {', '.join(COMMANDS)}")
    parser.add_argument("--most", type=int, default=500, help="kills of one command")
    asked = parser.parse_args(arguments)
    found = [one for name in asked.commands or COMMANDS for one in problems(name, most=asked.most)]
    for one in found:
        print(one)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
