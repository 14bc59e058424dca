"""Which parser reads the output of a command, by the tool that it runs."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from pactkeeper.intent.health import CheckCategory

AUTO: Final = "auto"
_TOOLS: Final = (  # test runners first: a test script often compiles before
    ("pytest", r"(?:pytest|py\.test)"),
    ("unittest", r"-m unittest|manage\.py test"),
    ("vitest", r"vitest"),
    ("jest", r"jest|react-scripts test"),
    ("mocha", r"mocha"),
    ("ava", r"ava"),
    ("bun", r"bun test"),
    ("deno", r"deno test"),
    ("node", r"node(?: [^|;&]{0,200})? --test"),
    ("tap", r"(?:tap|tape|borp)"),
    ("go", r"go (?:test|build|vet)"),
    ("cargo", r"cargo"),
    ("maven", r"mvnw?"),
    ("gradle", r"gradlew?"),
    ("junit", r"org\.junit\.[\w.]+|junit-platform-console[\w.-]{0,60}\.jar"),
    ("mypy", r"mypy"),
    ("pyright", r"(?:based)?pyright"),
    ("tsc", r"(?:vue-)?tsc"),
    ("eslint", r"eslint"),
    ("javac", r"javac"),
)
# As a word of a command line, with or without the folder that it stands in; `/tmp/pytest-1/x` names no tool.
_WORD: Final = r"(?:\A|[\s;&|(\"'])(?:\S{{0,200}}/)?(?:{})(?=[\s;&|)\"']|\Z)"
_TABLE: Final = tuple((parser, re.compile(_WORD.format(pattern))) for parser, pattern in _TOOLS)
_COMPILERS: Final = frozenset({"mypy", "pyright", "tsc", "eslint", "javac"})
_SCRIPT: Final = re.compile(r"\b(?:npm|pnpm|yarn|bun)(?: -\S+)* (?:run(?:-script)? )?([\w:.-]+)")
_INSTALLING: Final = frozenset({"ci", "install", "i"})
_ON_INSTALL: Final = ("preinstall", "install", "postinstall", "prepublish", "preprepare", "prepare", "postprepare")
_LONGEST: Final = 4_000  # characters of a command line that are looked at
_DEEPEST: Final = 4  # scripts that call scripts


def parser_of(argv: Sequence[str], category: CheckCategory, scripts: Mapping[str, str]) -> str:
    """The parser of the first tool that a command names, itself or by a script of package.json; `plain` for none.

    Of several tools a test runner reads for tests, and a compiler for everything else.
    """
    line = " ".join(argv)[:_LONGEST]
    line = " ; ".join([line, *scripts_behind(line, scripts).values()])
    found = [parser for parser, pattern in _TABLE if pattern.search(line)]
    fitting = [one for one in found if (one in _COMPILERS) != (category == "test")]
    return next(iter([*fitting, *found]), "plain")


def scripts_behind(line: str, scripts: Mapping[str, str]) -> dict[str, str]:
    """The scripts of package.json that a command line runs, directly or through others, by name.

    Package managers run `pretest` and `posttest` around `test`, and some scripts when they install.
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
