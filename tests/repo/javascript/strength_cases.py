"""Two states of a JavaScript test file, and what the change between them did to its tests."""

from __future__ import annotations

from collections.abc import Mapping

from pactkeeper.intent.strength.change import Change, Paired
from pactkeeper.intent.strength.effect import strength_of
from pactkeeper.intent.strength.facts import Strength
from pactkeeper.intent.strength.review import changes
from pactkeeper.repo.languages.javascript.adapter import JAVASCRIPT
from tests.repo.javascript.project import VITEST, discover

_RANKS = ("silent", "note", "warning", "error")
HEAD = "import { cart, price, load, save } from '../src/shop';\n"


def strengths(files: Mapping[str, str]) -> dict[str, Strength]:
    """The strength of every test of a project."""
    found: dict[str, Strength] = {}
    tests, _ = discover(dict(files))
    for path in sorted({test.file for test in tests}):
        own = [test for test in tests if test.file == path]
        programs = JAVASCRIPT.programs(path, files[path].encode(), tests=own, read=reader(files))
        found.update({name: strength_of(program) for name, program in programs.items()})
    return found


def reader(files: Mapping[str, str]):
    return lambda path: files[path].encode() if path in files else None


def between(before: Mapping[str, str], after: Mapping[str, str]) -> tuple[Change, ...]:
    """What changed between two projects; tests are the same where their ids are."""
    old, new = strengths(before), strengths(after)
    pairs = [Paired(name, name if name in new else "", old[name], new.get(name)) for name in old]
    pairs += [Paired("", name, None, new[name]) for name in new if name not in old]
    return changes(pairs)


def became(
    before: str, after: str, *, runner: Mapping[str, str] = VITEST, others: Mapping[str, str] | None = None
) -> str:
    """The loudest thing that is said of a change of one file: its severity and kind."""
    common = {**runner, **(others or {})}
    return loudest(between({**common, "test/a.test.ts": before}, {**common, "test/a.test.ts": after}))


def loudest(found: tuple[Change, ...]) -> str:
    worst = max(found, key=lambda one: _RANKS.index(one.severity), default=None)
    return "silent" if worst is None or worst.severity == "note" else f"{worst.severity} {worst.kind}"


def body(statements: str, *, before: str = "", kind: str = "async () =>", head: str = HEAD) -> str:
    """A file with one test."""
    return f"{head}{before}\nit('works', {kind} {{\n{statements}\n}});\n"
