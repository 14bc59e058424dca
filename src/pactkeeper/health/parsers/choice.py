"""Which parser reads the output of a command, by the tool that it runs."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
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
    ("node", r"node(?: [^|;&]*)? --test"),
    ("tap", r"(?:tap|tape|borp)"),
    ("go", r"go (?:test|build|vet)"),
    ("cargo", r"cargo"),
    ("maven", r"mvnw?"),
    ("gradle", r"gradlew?"),
    ("mypy", r"mypy"),
    ("pyright", r"(?:based)?pyright"),
    ("tsc", r"(?:vue-)?tsc"),
    ("eslint", r"eslint"),
    ("javac", r"javac"),
)
# As a word of a command line, with or without the folder that it stands in; `/tmp/pytest-1/x` names no tool.
_WORD: Final = r"(?:\A|[\s;&|(\"'])(?:\S*/)?(?:{})(?=[\s;&|)\"']|\Z)"
_TABLE: Final = tuple((parser, re.compile(_WORD.format(pattern))) for parser, pattern in _TOOLS)
_COMPILERS: Final = frozenset({"mypy", "pyright", "tsc", "eslint", "javac"})
_SCRIPT: Final = re.compile(r"\b(?:npm|pnpm|yarn|bun)(?: -\S+)* (?:run(?:-script)? )?([\w:.-]+)")
_LONGEST: Final = 4_000  # characters of a command line that are looked at
_DEEPEST: Final = 4  # scripts that call scripts


def parser_of(argv: Sequence[str], category: CheckCategory, scripts: Mapping[str, str]) -> str:
    """The parser of the first tool that a command names, itself or by a script of package.json; `plain` for none.

    Of several tools a test runner reads for tests, and a compiler for everything else.
    """
    line = _written_out(" ".join(argv)[:_LONGEST], scripts)
    found = [parser for parser, pattern in _TABLE if pattern.search(line)]
    fitting = [one for one in found if (one in _COMPILERS) != (category == "test")]
    return next(iter([*fitting, *found]), "plain")


def _written_out(line: str, scripts: Mapping[str, str]) -> str:
    """A command line with the scripts that it runs behind it."""
    lines = [line]
    for _ in range(_DEEPEST):
        names = [name for one in lines for name in _SCRIPT.findall(one) if name in scripts]
        more = [text for name in names if (text := scripts[name][:_LONGEST]) not in lines]
        if not more:
            break
        lines += more
    return " ; ".join(lines)
