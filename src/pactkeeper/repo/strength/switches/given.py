"""Which files a command is given or discovers, and whether these are fewer than before."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from fnmatch import fnmatchcase
from typing import Final

from pactkeeper.intent.strength.change import Change
from pactkeeper.repo.snapshot import Snapshot
from pactkeeper.repo.strength.switches.commands import SCRIPT, Check, parsed
from pactkeeper.repo.strength.switches.pipelines import all_checks
from pactkeeper.repo.strength.switches.verdicts import TESTS, chosen_files
from pactkeeper.repo.test_side import SCRIPTS, is_test_side

HANDING: Final = frozenset({"tox", "nox", "make", "just", "poe", "task", "invoke", "script"})
BY_NAME: Final = ("npm ", "make ", "just ", "poe ", "task ", "invoke ")
PYTHON: Final = ("pytest", "py.test", "unittest", "nose2", "mypy", "pyright", "ruff", "flake8", "pylint", "doctest")
_BY_WORDS: Final = ("npm", "make", "tox", "nox", "just", "script")  # their words needn't be files
_MODES: Final = {"vitest": ("run", "watch", "dev", "related"), "tap": ("run",)}
_OF_PYTHON: Final[tuple[str, ...]] = (".py", ".pyi")
_SCRIPTS: Final[tuple[str, ...]] = (*SCRIPTS, ".go", ".rs")


def fewer_files(old: Check, all_new: Sequence[Check], new: Check, paths: Sequence[str]) -> bool:
    """Whether checks of one program are given fewer of these files than one that became another."""
    if old.program == PROGRAM:
        files = [path for path in paths if is_test_side(path)]
        ran = [run_files(check.words, files) for check in all_new if check.program == PROGRAM and not check.ignored]
        return bool(run_files(old.words, files) - frozenset().union(*ran))
    one, two = _files_of(old), _files_of(new)
    by_words = old.program.startswith(_BY_WORDS) and not any(re.search(r"[./]", word) for word in two)
    if one == two or not two or by_words:
        return False
    if any("$(" in word or "`" in word for word in (*one, *two)):
        return False  # only running it would tell
    endings = _OF_PYTHON if old.program in {*PYTHON, *HANDING} else _SCRIPTS
    if old.program.startswith(SCRIPT):
        endings = (*_OF_PYTHON, *_SCRIPTS)
    union = [word for check in all_new if check.program == old.program and not check.ignored
             for word in _files_of(check)]  # fmt: skip
    if any(not _files_of(check) for check in all_new if check.program == old.program and not check.ignored):
        return False
    files = [path for path in paths if path.endswith(endings) and (old.aspect != "tests" or is_test_side(path))]
    files = [path for path in files if old.aspect != "tests" or TESTS.search(path)] or files
    covered = chosen_files(union, files, loose=True)
    before = chosen_files(one, files, loose=True) if one else set(files)
    return bool(before - covered) if covered or any("/" in word for word in two) else False


def _files_of(check: Check) -> tuple[str, ...]:
    """Return the files and patterns a check is given; the first word may say how it runs: `vitest run`."""
    words = divided(check.words)[1] if check.program.startswith(_BY_WORDS) and "--" in check.words else check.words
    rest = parsed(words, check.program)[1]
    return rest[1:] if rest[:1] and rest[0] in _MODES.get(check.program, ()) else rest


def takes_files(check: Check, others: Iterable[Check], paths: Sequence[str]) -> bool:
    """Whether other programs are given every file that a check was given."""
    mine = chosen_files(_files_of(check), paths, loose=True)
    given = [word for other in others for word in _files_of(other)]
    return bool(mine) and mine <= chosen_files(given, paths, loose=True)


def with_files(check: Check, paths: Sequence[str]) -> Check:
    """Return a check of unittest as one that is given the files it runs; any other as it is."""
    if check.program != PROGRAM:
        return check
    files = run_files(check.words, [path for path in paths if is_test_side(path)])
    return replace(check, program="pytest", words=tuple(sorted(files)))


def divided(words: tuple[str, ...]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return a command's own words, and those behind `--` for what it runs."""
    at = words.index("--") if "--" in words else len(words)
    return words[:at], tuple(word for word in words[at:] if word != "--")


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
