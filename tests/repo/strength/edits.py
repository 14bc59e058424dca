"""An edit of a test file, judged from its two sources alone."""

import re
from textwrap import dedent

from pactkeeper.intent.strength.change import Change, Paired
from pactkeeper.intent.strength.effect import strength_of
from pactkeeper.intent.strength.facts import Strength
from pactkeeper.intent.strength.review import changes
from pactkeeper.intent.tests import Test
from pactkeeper.repo.languages.python.strength.programs import programs

FILE = "tests/test_shop.py"
_DECLARED = re.compile(r"\s*(?:async )?def (test\w*)")


def strengths(source: str, **files: str) -> dict[str, Strength]:
    """The strength of every test of a source, by its name; `files` are other files, `_` for the dot and the slash."""
    text = dedent(source)
    others = {f"tests/{name}.py": dedent(other).encode() for name, other in files.items()}
    found = programs(FILE, text.encode(), tests=_tests(text), read=others.get)
    return {name.rpartition("::")[2]: strength_of(program) for name, program in found.items()}


def _tests(text: str) -> list[Test]:
    found = []
    for line, source in enumerate(text.splitlines(), start=1):
        declared = _DECLARED.match(source)
        if declared:
            name = f"{FILE}::{declared[1]}"
            found.append(Test(name, FILE, (), declared[1], line, line, line, "python", "pytest", source))
    return found


def judged(before: str, after: str, **files: str) -> list[Change]:
    """What an edit did, notes left out."""
    return [one for one in changes(paired(before, after, **files)) if one.severity != "note"]


def paired(before: str, after: str, **files: str) -> list[Paired]:
    old, new = strengths(before, **files), strengths(after, **files)
    return [
        Paired(name if name in old else "", name if name in new else "", old.get(name), new.get(name))
        for name in sorted({*old, *new})
    ]


def body(text: str) -> str:
    """A test with these lines."""
    return "def test_it():\n" + "".join(f"    {line}\n" for line in dedent(text).strip().splitlines())
