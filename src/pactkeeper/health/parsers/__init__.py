"""Turns the output and reports of tools into diagnostics: one module per tool or tool family, and a table of all.

Translates a tool's terms into the project's: paths relative to the root, bounded messages, no duplicates.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from pactkeeper.errors import InputError
from pactkeeper.health.parsers import declared, junit, lint
from pactkeeper.health.parsers.cargo import read as read_cargo
from pactkeeper.health.parsers.go import read as read_go
from pactkeeper.health.parsers.junit import read as read_junit
from pactkeeper.health.parsers.junit import read_gradle, read_javac, read_maven
from pactkeeper.health.parsers.lint import read_eslint, read_ruff, read_tsc
from pactkeeper.health.parsers.names import Family, named
from pactkeeper.health.parsers.python import read as read_pytest
from pactkeeper.health.parsers.python import read_mypy, read_pyright
from pactkeeper.health.parsers.runtimes import read as read_tap
from pactkeeper.health.parsers.runtimes import read_ava, read_bun, read_deno
from pactkeeper.health.parsers.scripts import read_jest, read_mocha, read_vitest
from pactkeeper.health.parsers.seen import (
    NO_TESTS,
    CheckOutput,
    Found,
    Hint,
    Parsed,
    Parser,
    Places,
    Raw,
    ReadableOutput,
    bounded,
    clean,
    lines_of,
)
from pactkeeper.health.parsers.surroundings import surroundings
from pactkeeper.health.parsers.tracebacks import read_unittest
from pactkeeper.intent.health import UNREAD, CheckCategory, Diagnostic, HealthCheck

AUTO: Final = "auto"


@dataclass(frozen=True, slots=True)
class Tool:
    """A supported tool: the function that parses its output, and the words of a command line that run it.

    `family` says how its errors refer to code. A tool that `counts` always reports how many tests ran. One that
    `compiles` is preferred for every category but tests.
    """

    name: str
    read: Parser
    words: str
    family: Family | None = None
    counts: bool = False
    compiles: bool = False


TOOLS: Final = (  # test runners first: a test script often compiles beforehand
    Tool("pytest", read_pytest, r"(?:pytest|py\.test)", "python run", counts=True),
    Tool("unittest", read_unittest, r"-m unittest|manage\.py test", "python run", counts=True),
    Tool("vitest", read_vitest, r"vitest", "script run", counts=True),
    Tool("jest", read_jest, r"jest|react-scripts test", "script run", counts=True),
    Tool("mocha", read_mocha, r"mocha", "script run", counts=True),
    Tool("ava", read_ava, r"ava", "script run", counts=True),
    Tool("bun", read_bun, r"bun test", "script run", counts=True),
    Tool("deno", read_deno, r"deno test", "script run", counts=True),
    Tool("node", read_tap, r"node(?: [^|;&]{0,200})? --test", "script run", counts=True),
    Tool("tap", read_tap, r"(?:tap|tape|borp)", "script run", counts=True),
    Tool("go", read_go, r"go (?:test|build|vet)", "go", counts=True),
    Tool("cargo", read_cargo, r"cargo", "rust", counts=True),
    Tool("maven", read_maven, r"mvnw?", "java"),  # it and Gradle may print nothing on success
    Tool("gradle", read_gradle, r"gradlew?", "java"),
    Tool("junit", read_junit, r"org\.junit\.[\w.]+|junit-platform-console[\w.-]{0,60}\.jar", counts=True),
    Tool("mypy", read_mypy, r"mypy", "python", compiles=True),
    Tool("pyright", read_pyright, r"(?:based)?pyright", "python", compiles=True),
    Tool("tsc", read_tsc, r"(?:vue-)?tsc", "typescript", compiles=True),
    Tool("eslint", read_eslint, r"eslint", compiles=True),
    Tool("ruff", read_ruff, r"ruff check", compiles=True),
    Tool("flake8", read_ruff, r"flake8", compiles=True),
    Tool("pylint", read_ruff, r"pylint", compiles=True),
    Tool("yamllint", read_eslint, r"yamllint", compiles=True),
    Tool("javac", read_javac, r"javac", "java", compiles=True),
)
# As a word of a command line, with or without its folder; `/tmp/pytest-1/x` names no tool.
_WORD: Final = r"(?:\A|[\s;&|(\"'])(?:\S{{0,200}}/)?(?:{})(?=[\s;&|)\"']|\Z)"
_TABLE: Final = tuple((tool, re.compile(_WORD.format(tool.words))) for tool in TOOLS)
_SCRIPT: Final = re.compile(r"\b(?:npm|pnpm|yarn|bun)(?: -\S+)* (?:run(?:-script)? )?([\w:.-]+)")
_INSTALLING: Final = frozenset({"ci", "install", "i"})
_ON_INSTALL: Final = ("preinstall", "install", "postinstall", "prepublish", "preprepare", "prepare", "postprepare")
_LONGEST: Final = 4_000  # characters of a command line that are read
_DEEPEST: Final = 4  # nesting of scripts that call scripts


def parser_of(argv: Sequence[str], category: CheckCategory, scripts: Mapping[str, str]) -> str:
    """Return the parser of the first tool a command runs, directly or via a package.json script; else `plain`.

    If it runs several, a test runner is preferred for tests, and a compiler for everything else.
    """
    line = " ".join(argv)[:_LONGEST]
    line = " ; ".join([line, *scripts_behind(line, scripts).values()])
    found = [tool for tool, pattern in _TABLE if pattern.search(line)]
    fitting = [tool for tool in found if tool.compiles != (category == "test")]
    return next((tool.name for tool in (*fitting, *found)), "plain")


def scripts_behind(line: str, scripts: Mapping[str, str]) -> dict[str, str]:
    """Return the package.json scripts that a command line runs, directly or transitively, by name.

    Package managers run `pretest` and `posttest` around `test`, and certain scripts on install.
    """
    found: dict[str, str] = {}
    lines = [line[:_LONGEST]]
    for _ in range(_DEEPEST):
        called = [name for one in lines for name in _called(one) if name in scripts and name not in found]
        found.update((name, scripts[name]) for name in called)
        lines = [scripts[name][:_LONGEST] for name in called]
    return found


def _called(line: str) -> Iterator[str]:
    for name in _SCRIPT.findall(line):
        yield from (f"pre{name}", name, f"post{name}")
        if name in _INSTALLING:
            yield from _ON_INSTALL


def _unknown(_: ReadableOutput) -> Found:
    """Return nothing: only the exit code says whether it failed."""
    return Found()


PARSERS: Final[Mapping[str, Parser]] = {
    AUTO: _unknown,  # of a command not inspected yet
    "plain": _unknown,
    "regex": declared.read,
    **{tool.name: tool.read for tool in TOOLS},
}
COUNTING: Final = frozenset(tool.name for tool in TOOLS if tool.counts)
_FAMILIES: Final = {tool.name: tool.family for tool in TOOLS}


def parse(name: str, check: HealthCheck, seen: CheckOutput) -> Parsed:
    """Parse a check's output into diagnostics, in order and deduplicated.

    A failed check always yields one: if its parser finds neither an error nor a reason outside the commit, its last
    lines become the only diagnostic, without file and rule. Raises InputError for an unknown parser.
    """
    reader = PARSERS.get(name)
    if reader is None:
        raise InputError(
            f"there is no parser {name!r}; use one of {', '.join(PARSERS)} as the parser of {check.name!r}"
        )
    view, family = _view_of(check, seen), _FAMILIES.get(name)
    found = reader(view)
    if found.tests == 0 and not found.raw and family in {"script run", "python run"}:
        found.hint = found.hint or Hint("could not tell", NO_TESTS)
    for raw in found.raw:
        _name(raw, family)
    errors = [raw for raw in found.raw if raw.severity == "error"]
    if not seen.failed and found.failed == 0:  # a passing test printed something that looks like a failure
        found.raw = [raw for raw in found.raw if raw.severity != "error"]
    elif seen.failed and not errors:
        found = _unread(found, view)
    elif errors and not any(raw.test for raw in errors):
        found.hint = found.hint or _common(raw.message for raw in errors)
    return _finished(found, check, view.places)


def _name(raw: Raw, family: Family | None) -> None:
    """Fill in the subject of an error if its parser didn't."""
    family = raw.family or family
    if family and not raw.symbol:
        raw.symbol, raw.modules = named(raw.message, family)


def _common(messages: Iterable[str]) -> Hint | None:
    """Return the reason outside the commit that every error gives if not even a test was reached."""
    hints = [surroundings(message) for message in messages]
    return hints[0] if all(hints) else None


def _unread(found: Found, view: ReadableOutput) -> Found:
    """Explain a failure without parsed errors: by the environment, or by the last lines."""
    hint = found.hint or surroundings(view.text)
    if hint is not None:
        return Found(found.raw, found.tests, hint)
    read = [*lint.read_lines(view.lines), *junit.read_lines(view.lines)]  # compilation precedes the tests
    compiled = [raw for raw in read if raw.severity == "error"]
    return Found([*found.raw, *(compiled or [_last_lines(view)])], found.tests)


def _view_of(check: HealthCheck, seen: CheckOutput) -> ReadableOutput:
    """Prepare an output for parsers."""
    text = clean(seen.text)
    places = Places(seen.roots, check.directory, seen.files)
    return ReadableOutput(text, lines_of(text), seen.report, places, check.pattern)


def _finished(found: Found, check: HealthCheck, places: Places) -> Parsed:
    """Return diagnostics in order, deduplicated."""
    once = dict.fromkeys(_diagnostic(raw, check, places) for raw in found.raw)
    return Parsed(tuple(once), found.tests, found.hint)


def _diagnostic(raw: Raw, check: HealthCheck, places: Places) -> Diagnostic:
    file, line, column = places.file(raw.file) if raw.file else "", raw.line, raw.column
    others: list[str] = []
    if raw.frames:
        own = [(path, one) for one in raw.frames if (path := places.own(one.file))]
        if own:
            deepest = own[0][1]
            others = [path for path, _ in reversed(own[1:])] + ([file] if file else [])
            file, line, column = own[0][0], deepest.line, deepest.column
    related = _related(raw, [*others, *(places.module(one, file) for one in raw.modules)], places, file)
    return Diagnostic(
        check.name,
        "compile" if raw.compiled and check.category == "test" else raw.category or check.category,
        raw.severity,
        places.plain(bounded(raw.message)),
        raw.rule,
        raw.test,
        file,
        line,
        column,
        places.plain(raw.symbol),
        related,
    )


def _related(raw: Raw, others: Iterable[str], places: Places, file: str) -> tuple[str, ...]:
    paths = dict.fromkeys([*others, *(places.file(one) for one in raw.related)])
    return tuple(path for path in paths if path and path != file)


_FIRST: Final = 5  # lines above the last ones
_LAST: Final = 20  # non-empty lines
_MOST_FILES: Final = 5
_LOOK: Final = 500  # characters of a line
_WRONG: Final = re.compile(r"\b(?:error|ERR!|fatal|failed|missing|cannot|invalid)\b", re.IGNORECASE)
# Linker and driver messages, by program name: `/usr/bin/ld: …`, `collect2: …`, `rust-lld: …`.
_LINKER: Final = re.compile(r"(?:\S*[/\\-])?(?:ld(?:\.\w{1,8})?|lld|collect2|LINK)(?:\.exe)? ?: ")
_PATH: Final = re.compile(r"[\w@+./\\-]++")


def _last_lines(view: ReadableOutput) -> Raw:
    """Report an unparsed failure: its last `_LAST` lines, preceded by earlier ones that mention an error.

    Package managers end with advice and usage, and the cause comes earlier. Project files named in these lines are
    related.
    """
    full = [line.rstrip() for line in view.lines if line.strip()]
    first = [line for line in full[:-_LAST] if _WRONG.search(line[:_LOOK])][:_FIRST]
    lines = [*first, *full[-_LAST:]]
    named = (view.places.listed(word) for line in lines for word in _PATH.findall(line[:_LOOK]))
    related = tuple(dict.fromkeys(filter(None, named)))[:_MOST_FILES]
    linked = any(_LINKER.match(line[:_LOOK]) for line in lines)
    return Raw("\n".join(lines) or "it printed nothing", rule=UNREAD, related=related, compiled=linked)
