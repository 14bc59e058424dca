"""The supported tools, and which of them a command runs."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from pactkeeper.health.parsers.cargo import read as read_cargo
from pactkeeper.health.parsers.go import read as read_go
from pactkeeper.health.parsers.java import read_javac
from pactkeeper.health.parsers.java_builds import read_gradle, read_maven
from pactkeeper.health.parsers.junit import read as read_junit
from pactkeeper.health.parsers.lint import read_eslint, read_ruff, read_tsc
from pactkeeper.health.parsers.names import Family
from pactkeeper.health.parsers.pytest import read as read_pytest
from pactkeeper.health.parsers.python_types import read_mypy, read_pyright
from pactkeeper.health.parsers.runtimes import read as read_tap
from pactkeeper.health.parsers.runtimes import read_ava, read_bun, read_deno
from pactkeeper.health.parsers.scripts import read_jest, read_mocha, read_vitest
from pactkeeper.health.parsers.seen import Parser
from pactkeeper.health.parsers.tracebacks import read_unittest
from pactkeeper.intent.health import CheckCategory

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
