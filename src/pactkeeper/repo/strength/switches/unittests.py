"""Which files a command of unittest runs: those that it discovers by a pattern, or the modules that it names."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from fnmatch import fnmatchcase
from typing import Final

from pactkeeper.intent.strength.change import Change
from pactkeeper.repo.snapshot import Snapshot
from pactkeeper.repo.strength.switches.commands import parsed
from pactkeeper.repo.strength.switches.pipelines import all_checks

PROGRAM: Final = "unittest"
_PATTERN: Final = "test*.py"
_DISCOVER: Final = "discover"


def run_files(words: Sequence[str], paths: Iterable[str]) -> frozenset[str]:
    """Return those of the paths that `python -m unittest` runs when it is given these words."""
    given = list(words)
    start = _taken(given, "-s", "--start-directory")
    pattern = _taken(given, "-p", "--pattern")
    _taken(given, "-t", "--top-level-directory")
    rest = [word for word in parsed(given, PROGRAM)[1] if not word.startswith("$")]
    if rest and rest[0] != _DISCOVER:
        return frozenset(path for path in paths if any(_is_of(path, name) for name in rest))
    placed = dict(zip(("start", "pattern"), rest[1:], strict=False))
    folder = (start or placed.get("start", ".")).removeprefix("./").strip("/")
    named = pattern or placed.get("pattern", _PATTERN)
    below = (path for path in paths if folder in {"", "."} or path.startswith(f"{folder.replace('.', '/')}/"))
    return frozenset(path for path in below if path.endswith(".py") and fnmatchcase(path.rpartition("/")[2], named))


def renamed_away(moved: Mapping[str, str], before: Snapshot, after: Snapshot) -> Iterator[Change]:
    """Report moved files of tests (old path to new) that no command runs any more, if all commands run unittest."""
    named = {old: new for old, new in moved.items() if new.endswith(".py") and old in before and new not in before}
    commands = [check for check in all_checks(after) if check.aspect == "tests" and " " not in check.program]
    if not commands or any(check.program != PROGRAM for check in commands):
        return
    for old, new in sorted(named.items()):
        ran, runs = (any(run_files(check.words, [path]) for check in commands) for path in (old, new))
        if ran and not runs:
            yield Change("switched_off", new, "no command runs the tests in it any more", old, new, 0, "error", new)


def _taken(words: list[str], *names: str) -> str:
    """Take an option out of the words and return its value; "" if it isn't there."""
    for at, word in enumerate(words):
        name, equals, value = word.partition("=")
        if name in names:
            found = value if equals else "".join(words[at + 1 : at + 2])
            del words[at : at + (1 if equals else 2)]
            return found
    return ""


def _is_of(path: str, name: str) -> bool:
    """Whether a dotted name, or a path, is a module or something in it."""
    module = path.removesuffix(".py").replace("/", ".")
    return path == name or f"{name}.".startswith(f"{module}.")
