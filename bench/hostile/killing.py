"""Kill every writing command at changes of the disk and of the database: `python -m bench.hostile.killing`.

After each kill `pk check` must not end as a bug, and the command is given again, as a person would: the pact must be
what it is without the kill. `--postgres` keeps the history there, in a copy of the database for each kill.
"""

# mypy: disable-error-code="no-untyped-call,no-any-return"
# The process that commands are forked from and the server of Postgres are those of the tests, which have no types.

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

from bench.hostile.origin import Origin
from bench.hostile.plans import ABROAD, AGAIN, FEEDS, FILES, NAMED, PLANS, SHARED
from bench.hostile.readers import memory
from bench.hostile.remains import Remains, remains
from tests.doors.forking import PLACE, Server
from tests.postgres import start_server

HOOK: Final = Path(__file__).parent / "hook"
# What a kill may leave behind beyond what was wanted: a file that was about to get its name, which the next write of it
# replaces, and a decision that was given twice, which is recorded twice.
INTERRUPTED: Final = re.compile(r"state (?:\.repository\.|\.new)|row decisions ")
# Commands are forked from a process that has loaded the hook.
SURROUNDINGS: Final = {"PYTHONPATH": os.pathsep.join((str(HOOK), *sys.path)), "PACT_MAY_DIE": "1"}
SERVER: Final = Server(SURROUNDINGS, place=f"{PLACE}-killed")
PLAIN: Final = (0, 1, 2)
DONE: Final = (0, 1)
KILLED: Final = -9
_ASIDE: Final = frozenset({"copy", "git", "killed", "ask"})


@dataclass(frozen=True)
class Place:
    """A repository with its own home."""

    folder: Path
    url: str = ""
    origin: Origin | None = None

    @property
    def repository(self) -> Path:
        """Where commands are run."""
        return self.folder / "repository"

    def run(self, command: Sequence[str], *, die_at: int | None = None) -> tuple[int, str]:
        """Run `pk`: its exit code and what it said; it dies at its n-th change where a number is given."""
        if command[0] in _ASIDE:
            return self._aside(*command)
        environment = {**os.environ, "HOME": str(self.folder), "NO_COLOR": "1"}
        environment |= {f"XDG_{name}_HOME": str(self.folder / name) for name in ("STATE", "CONFIG", "DATA", "CACHE")}
        environment |= {"PACTKEEPER_DATABASE_URL": self.url} if self.url else {}
        environment |= self.origin.environment if self.origin else {}
        if die_at is not None:
            environment |= {"PACT_DIE_AT": str(die_at), "PACT_DIE_BELOW": str(self.folder)}
            environment |= {"PACT_DIE_COUNT": str(self.folder.parent / "count")}
            environment |= {"PACT_DIE_ABROAD": "1"} if self.origin else {}
        feed = FEEDS.get(" ".join(command[:2]), "")
        code, out, err = SERVER.run(command, cwd=self.repository, feed=feed, env=environment)
        return code, out + err

    def _aside(self, what: str, *given: str) -> tuple[int, str]:
        """What other people and programs do before a command; raises CalledProcessError where git cannot."""
        if what == "copy":
            shutil.copy(*(self.repository / one for one in given))
        elif what == "git":
            subprocess.run(["git", *given], cwd=self.repository, check=True, capture_output=True)
        elif what == "killed":
            return 0 if self.run(given[1:], die_at=int(given[0]))[0] == KILLED else 2, "it was not killed"
        elif self.origin is not None:
            self.origin.ask()
        return 0, ""

    def words(self, command: Sequence[str]) -> Sequence[str]:
        """The command with the names that things have here."""
        known = {"ORIGIN": self.origin.place} if self.origin else {}
        return [self._named(word) if word in NAMED else known.get(word, word) for word in command]

    def _named(self, word: str) -> str:
        question, begins = NAMED[word]
        found = re.search(re.escape(begins) + r"[\w-]+", self.run(question)[1])
        return found.group() if found else word

    def remains(self) -> Remains:
        """What is there now."""
        return remains(self.folder, self.url, self.origin.remains() if self.origin else ())


def made(folder: Path, url: str = "", origin: Origin | None = None) -> Place:
    """A small repository with one commit."""
    place = Place(folder, url, origin)
    for path, text in FILES.items():
        (place.repository / path).parent.mkdir(parents=True, exist_ok=True)
        (place.repository / path).write_text(text, encoding="utf-8")
    person = (("config", "user.name", "A"), ("config", "user.email", "a@b.c"))
    key = folder / "key"
    subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", str(key)], check=True)
    (folder / "signers").write_text(f"a@b.c {key.with_suffix('.pub').read_text()}", encoding="utf-8")
    for command in (("init", "-q", "-b", "main"), *person, ("add", "-A"), ("commit", "-qm", "x")):
        subprocess.run(["git", *command], cwd=place.repository, check=True)
    return place


@contextmanager
def afresh(ready: Place, server: Any, kept: Mapping[str, Any] | None = None) -> Iterator[Place]:  # noqa: ANN401 - of the tests
    """The place as it was made ready, at the path that its rows name, with a database of its own."""
    saved = ready.folder.with_name("saved")
    if not saved.exists():
        shutil.copytree(ready.folder, saved, symlinks=True)
    shutil.rmtree(ready.folder)
    shutil.copytree(saved, ready.folder, symlinks=True)
    if ready.origin is not None:
        ready.origin.put_back(kept or {})
    if server is None:
        yield ready
    else:
        template = ready.url.partition("?")[0].rsplit("/", 1)[1]
        with server.database(f"TEMPLATE {template}") as url:
            yield Place(ready.folder, url, ready.origin)


@dataclass(frozen=True)
class Wanted:
    """What a place may hold in the end: at least all of one state, and of every line as many as some state has."""

    states: Sequence[Remains]

    def differences(self, found: Remains) -> list[str]:
        """What was lost and what is there beyond it."""
        lost = min(((state - found) for state in self.states), key=Counter.total)
        most = Counter[str]()
        for state in self.states:
            most |= state
        extra = Counter({line: times for line, times in (found - most).items() if not INTERRUPTED.match(line)})
        return [*(f"lost: {_from(line, extra)}" for line in lost), *(f"extra: {_from(line, lost)}" for line in extra)]


def _from(line: str, others: Iterable[str]) -> str:
    """Where it begins to be another than the others."""
    same = max((len(os.path.commonprefix([line, other])) for other in others), default=0)  # noqa: RUF071 - characters are meant
    return f"{line[:60]} … {line[max(60, same - 60) : same + 120]}" if same else line[:240]


def problems(name: str, *, most: int, server: Any = None) -> Iterator[str]:  # noqa: ANN401 - of the tests
    """Kill one command at changes spread over all that it makes; what does not end as it should."""
    *before, command = PLANS[name]
    again = AGAIN.get(name, command)
    with TemporaryDirectory(dir=memory()) as scratch, _database(server) as url, _origin(name, Path(scratch)) as origin:
        folder = Path(scratch)
        ready = made(folder / "ready", url, origin)
        for one in before:
            code, said = ready.run(ready.words(one))
            if code not in DONE:
                yield f"{name}: {' '.join(one)} before it ends with {code}: {said[-300:]}"
                return
        command, again = ready.words(command), ready.words(again)
        states = [ready.remains()] if name in AGAIN else []
        kept = origin.saved() if origin else None
        with afresh(ready, server, kept) as sound:
            code, said = sound.run(command, die_at=0)
            if code not in DONE:
                yield f"{name}: without a kill it ends with {code}: {said[-300:]}"
                return
            changes = _counted(folder / "count")
            states.append(sound.remains())
            sound.run(again)
            sound.run(["recover"])
            wanted = Wanted([*states, sound.remains()])
        spread = sorted({1 + at * changes // most for at in range(most)}) if changes > most else range(1, changes + 1)
        kills = 0
        for number in spread:
            with afresh(ready, server, kept) as place:
                if place.run(command, die_at=number)[0] == KILLED:
                    kills += 1
                    yield from _judged(place, again, f"{name} killed at change {number}", wanted)
        print(f"{name:>22} {changes:>5} changes {kills:>5} kills", flush=True)


@contextmanager
def _database(server: Any) -> Iterator[str]:  # noqa: ANN401 - of the tests
    if server is None:
        yield ""
    else:
        with server.database() as url:
            yield url


@contextmanager
def _origin(name: str, scratch: Path) -> Iterator[Origin | None]:
    if not name.startswith(ABROAD):
        yield None
        return
    origin = Origin(scratch / "ready" / "srv" / "shop.git")
    try:
        yield origin
    finally:
        origin.close()


def _counted(file: Path) -> int:
    return int(file.read_text(encoding="utf-8")) if file.exists() else 0


def _judged(place: Place, command: Sequence[str], what: str, wanted: Wanted) -> Iterator[str]:
    code, said = place.run(["check"])
    if code not in PLAIN or "Traceback" in said:
        yield f"{what}: check ends with {code}: {said[-300:]}"
    code, said = place.run(command)
    if code not in PLAIN or "Traceback" in said:
        yield f"{what}: again it ends with {code}: {said[-300:]}"
    place.run(["recover"])
    if differences := wanted.differences(place.remains()):
        yield f"{what}: again said {said[:80]!r}\n  " + "\n  ".join(differences)


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(prog="bench.hostile.killing")
    parser.add_argument("commands", nargs="*", metavar="COMMAND", help=f"default: all of {', '.join(PLANS)}")
    parser.add_argument("--most", type=int, default=30, help="kills of one command, spread over its changes")
    parser.add_argument("--postgres", action="store_true", help="keep the history in Postgres")
    asked = parser.parse_args(arguments)
    server = start_server() if asked.postgres else None
    found = 0
    try:
        for name in asked.commands or (PLANS if server else [one for one in PLANS if one not in SHARED]):
            for one in problems(name, most=asked.most, server=server):
                found += 1
                print(one, flush=True)
    finally:
        if server is not None:
            server.stop()
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
