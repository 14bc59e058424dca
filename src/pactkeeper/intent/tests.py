"""Tests as values: what discovery sees of a test, independent of language and framework.

Whose record is whose among tests of one name: `#2` counts positions, so an insertion above shifts every id below.

A record says which body was reviewed. Where that body stands under another number of the same name now, the record
belongs there, and the test that took over its number has none.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal, get_args

from pactkeeper.intent.pact import LinkRecord, Pact

Carrier = Literal["comment", "docstring", "marker", "tag", "sidecar"]
CARRIERS: tuple[str, ...] = get_args(Carrier)
Scope = Literal["test", "suite", "file"]


@dataclass(frozen=True, slots=True)
class Annotation:
    """One `@atom` annotation in code; `line` is where it stands, counted from 1.

    `malformed` holds the words that stand where an atom id is expected but are none.
    """

    atoms: tuple[str, ...]
    carrier: Carrier
    scope: Scope
    line: int
    malformed: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Test:
    """One declared test: a function, method or call, whatever number of cases it runs.

    `line` is the first line of the declaration (decorators included), `name_line` the line of its name, `end_line`
    its last line, all counted from 1. `cases` is 1 for an ordinary test, the number of parameter sets for a
    parametrised one, None where that cannot be read from the source. `dynamic` means the name is source text that is
    computed at run time. `annotations` are the test's own, then its suites' from inner to outer, then the file's.
    `helpers` is the digest of the functions of its file that assert for it, empty where there are none.
    """

    __test__: ClassVar[bool] = False  # keeps pytest from taking this class for a suite where a test imports it

    id: str
    file: str
    suite: tuple[str, ...]
    name: str
    line: int
    name_line: int
    end_line: int
    language: str
    framework: str
    body_hash: str
    cases: int | None = 1
    dynamic: bool = False
    annotations: tuple[Annotation, ...] = ()
    helpers: str = ""


@dataclass(frozen=True, slots=True, order=True)
class Gap:
    """A place where discovery knows that it cannot see everything; never evidence of absence.

    `broken` means that the source at its line does not parse.
    """

    file: str
    reason: str
    line: int = 0
    broken: bool = False


@dataclass(frozen=True, slots=True)
class Scan:
    """All tests of one snapshot in the order (file, line, id), and what could not be seen."""

    tests: tuple[Test, ...]
    gaps: tuple[Gap, ...]
    files: int


def test_id(file: str, suite: tuple[str, ...], name: str) -> str:
    r"""Join a POSIX path and NFC names with `::`; what `escape_part` names inside a part is escaped."""
    return "::".join(escape_part(part) for part in (file, *suite, name))


def escape_part(part: str) -> str:
    r"""Escape one part of a test id: backslash, line ends, `::`, and a colon at either end; names are NFC-normalised.

    A colon at an end would run together with the separator, so that the parts could not be told apart again.
    """
    if part.isascii() and "\\" not in part and "\n" not in part and "::" not in part and part.strip(":") == part:
        return part
    import unicodedata  # noqa: PLC0415 - likewise

    special = r"\\|\n|\r|\A:|:(?=:|\Z)|(?<=:):"
    letters = {"\n": "n", "\r": "r"}
    return re.sub(special, lambda found: "\\" + letters.get(found[0], found[0]), unicodedata.normalize("NFC", part))


def file_of(test: str) -> str:
    """The POSIX path in a test id, unescaped."""
    if "\\" not in test:
        return test.split("::", 1)[0]

    part = re.match(r"(?:\\.|:(?!:)|[^\\:])*", test)
    escaped = part.group() if part else test
    return re.sub(r"\\(.)", lambda found: {"n": "\n", "r": "\r"}.get(found[1], found[1]), escaped)


test_id.__test__ = False  # type: ignore[attr-defined]  # keeps pytest from collecting it where a test imports it


def under(path: str, roots: Sequence[str]) -> bool:
    """Whether a POSIX path is one of `roots` or lies below one; an empty root is the whole repository."""
    return any(root in {"", "."} or path == root or path.startswith(f"{root}/") for root in roots)


_NUMBER = re.compile(r"#([2-9]|[1-9]\d+)\Z")


def shifted_records(tests: Iterable[Test], pact: Pact) -> Mapping[str, LinkRecord | None]:
    """By test id, the record of each test whose record is not the one under its own id; None where it has none."""
    if not any("#" in name for name in pact.links) and not any("#" in test.id for test in tests):
        return {}
    families: dict[str, list[Test]] = {}
    for test in tests:
        families.setdefault(_NUMBER.sub("", test.id), []).append(test)
    records: dict[str, list[LinkRecord]] = {}
    for name, record in pact.links.items():
        records.setdefault(_NUMBER.sub("", name), []).append(record)
    found: dict[str, LinkRecord | None] = {}
    for name, members in families.items():
        if len({test.id for test in members} | {record.test for record in records.get(name, ())}) > 1:
            found.update(_shifts(members, records.get(name, ())))
    return found


def _shifts(members: Sequence[Test], records: Sequence[LinkRecord]) -> Mapping[str, LinkRecord | None]:
    """Give every record that left its number to the one sibling with its body that has no better record."""
    bodies = {test.id: test.body_hash for test in members}
    settled = {record.test for record in records if bodies.get(record.test) == record.body}
    found: dict[str, LinkRecord] = {}
    for record in records:
        if record.test in settled or record.body is None:
            continue
        takers = [
            test.id for test in members if test.body_hash == record.body and test.id not in settled | found.keys()
        ]
        if len(takers) == 1:
            found[takers[0]] = record
    left = {record.test: None for record in found.values() if record.test in bodies}
    return {**left, **found}
