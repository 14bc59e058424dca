"""Tests as values: what discovery sees of a test, independent of language and framework."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Final, Literal, get_args

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
    `helpers` is the digest of the functions of its file that assert for it, `words` that of its docstring, which the
    hash of the body leaves out; each is empty where there is none.
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
    words: str = ""


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


_LETTERS: Final = {"\n": "n", "\r": "r", "\0": "0"}  # what stands behind a backslash for them


def test_id(file: str, suite: tuple[str, ...], name: str) -> str:
    r"""Join a POSIX path and NFC names with `::`; what `escape_part` names inside a part is escaped."""
    return "::".join(escape_part(part) for part in (file, *suite, name))


def escape_part(part: str) -> str:
    r"""Escape one part of a test id: backslash, line ends, NUL, `::`, and a colon at either end; names become NFC.

    A colon at an end would run together with the separator, so that the parts could not be told apart again.
    """
    plain = part.isascii() and part.isprintable() and "\\" not in part
    if plain and "::" not in part and part.strip(":") == part:
        return part
    import unicodedata  # noqa: PLC0415 - likewise

    return escape_path(unicodedata.normalize("NFC", part))


def escape_path(path: str) -> str:
    """A path on a line of its own, as in a test id but with its letters as they are; `file_of` reads it back."""
    special = r"\\|\n|\r|\0|\A:|:(?=:|\Z)|(?<=:):"
    return re.sub(special, lambda found: "\\" + _LETTERS.get(found[0], found[0]), path)


def file_of(test: str) -> str:
    """The POSIX path in a test id, unescaped."""
    if "\\" not in test:
        return test.split("::", 1)[0]

    part = re.match(r"(?:\\.|:(?!:)|[^\\:])*", test)
    escaped = part.group() if part else test
    meant = {letter: character for character, letter in _LETTERS.items()}
    return re.sub(r"\\(.)", lambda found: meant.get(found[1], found[1]), escaped)


test_id.__test__ = False  # type: ignore[attr-defined]  # keeps pytest from collecting it where a test imports it


def under(path: str, roots: Sequence[str]) -> bool:
    """Whether a POSIX path is one of `roots` or lies below one; an empty root is the whole repository."""
    return any(root in {"", "."} or path == root or path.startswith(f"{root}/") for root in roots)
