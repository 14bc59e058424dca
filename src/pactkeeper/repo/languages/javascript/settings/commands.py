"""Test runners on the command lines of package.json scripts, with their file arguments and options."""

from __future__ import annotations

import posixpath
import re
import shlex
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Final

_SEPARATORS: Final = re.compile(r"&&|\|\||[;|&\n]")
_PROGRAMS: Final = {
    "mocha": "mocha",
    "_mocha": "mocha",
    "electron-mocha": "mocha",
    "jest": "jest",
    "vitest": "vitest",
    "playwright": "playwright",
    "cypress": "cypress",
    "jasmine": "jasmine",
    "qunit": "qunit",
    "borp": "node:test",
    "lab": "lab",
    "react-scripts": "jest",
}
_MANAGERS: Final = frozenset({"npm", "pnpm", "yarn", "bun"})
_DEPTH: Final = 5  # bounds scripts that run scripts
_SUBCOMMAND: Final = {"bun": "bun", "deno": "deno", "playwright": "playwright", "react-scripts": "jest"}
_NODE: Final = frozenset({"node", "tsx", "ts-node", "node.exe"})
_MOCHA_VALUED: Final = frozenset(
    ["-r", "--require", "-R", "--reporter", "-u", "--ui", "-t", "--timeout", "--extension", "--spec", "--ignore",
     "--exclude", "--config", "-g", "--grep", "-f", "--fgrep", "--file", "-s", "--slow", "--retries", "-O",
     "--reporter-option", "--reporter-options", "--watch-files", "--watch-ignore", "--opts", "--package", "-j",
     "--jobs", "--import", "--loader", "-n", "--node-option", "--global", "--globals", "-C", "--conditions"]
)  # fmt: skip
_VALUED: Final = frozenset(
    ["-c", "--config", "--project", "--root", "--dir", "--reporter", "--environment", "-r", "--testNamePattern",
     "-t", "--import", "--require", "--loader", "--test-reporter", "--test-name-pattern",
     "--test-reporter-destination", "--coverage", "--pool", "--shard", "--browser", "--timeout",
     "--test-concurrency"]
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Command:
    """One runner as invoked by a script."""

    framework: str
    files: tuple[str, ...]
    options: Mapping[str, tuple[str, ...]]
    program: str = ""


def commands(scripts: Mapping[str, str], recipes: Iterable[str] = ()) -> Iterator[Command]:
    """Yield every runner that a script or a line of the Makefile starts, directly or through another script."""
    for script in (*scripts.values(), *recipes):
        for words in _parts(script, scripts, _DEPTH):
            found = _command(words)
            if found is not None:
                yield found


def recipes(makefile: str) -> list[str]:
    """Return a Makefile's recipe lines, without the prefixes that make interprets."""
    return [line.strip().lstrip("@-+") for line in makefile.splitlines() if line.startswith("\t")]


def _parts(script: str, scripts: Mapping[str, str], depth: int) -> Iterator[list[str]]:
    """Yield the words of each command in a script; `npm run x -- y` expands to the script `x` followed by `y`."""
    for part in _SEPARATORS.split(_protected(script)):
        try:
            words = shlex.split(part.replace("\0", "|"))
        except ValueError:
            words = part.split()
        called = _script_called(words)
        if called is not None and called[0] in scripts and depth:
            yield from _parts(f"{scripts[called[0]]} {shlex.join(called[1])}", scripts, depth - 1)
        else:
            yield words


def _script_called(words: list[str]) -> tuple[str, list[str]] | None:
    """Return the script that a package manager runs, with the arguments passed on to it."""
    at = next((at for at, word in enumerate(words) if word in _MANAGERS), len(words))
    rest = [word for word in words[at + 1 :] if word not in {"-s", "--silent"}]
    if len(rest) < 2 or rest[0] not in {"run", "run-script"}:  # noqa: PLR2004 - `run` and a name
        return None
    return rest[1], [word for word in rest[2:] if word != "--"]


def _protected(script: str) -> str:
    r"""Hide separators inside quotes or behind a backslash: `'test/@(a|b).js'`, `-g a\|b`."""
    return re.sub(r"'[^']*'|\"[^\"]*\"|\\\|", lambda match: match.group().replace("|", "\0"), script)


def _command(words: list[str]) -> Command | None:
    for position, word in enumerate(words):
        name = re.sub(r"\.[cm]?js\Z", "", posixpath.basename(word))
        rest = words[position + 1 :]
        if name in _NODE and "--test" in rest:
            return _read("node:test", rest, _VALUED)
        if name in _SUBCOMMAND:
            if rest[:1] == ["test"]:
                return _read(_SUBCOMMAND[name], rest[1:], _VALUED, program=name)
            continue
        if name in _PROGRAMS:
            valued = _MOCHA_VALUED if _PROGRAMS[name] == "mocha" else _VALUED
            return _read(_PROGRAMS[name], rest, valued, program=name)
    return None


def _read(framework: str, words: list[str], valued: frozenset[str], program: str = "") -> Command:
    files: list[str] = []
    options: dict[str, tuple[str, ...]] = {}
    waiting = ""
    for word in words:
        if waiting:
            options[waiting] = (*options.get(waiting, ()), word)
            waiting = ""
        elif word.startswith("-"):
            name, equals, value = word.partition("=")
            if equals:
                options[name] = (*options.get(name, ()), value)
            elif name in valued:
                waiting = name
            else:
                options.setdefault(name, ())
        elif not re.match(r"\d?[<>]", word):
            files.append(word)
    return Command(framework, tuple(files), options, program)
