"""Tests as values: what discovery extracts from a test, independent of language and framework.

Also which of them a plain run leaves out, by options of pytest in a project's own settings: `--deselect` and `-k`.
https://docs.pytest.org/en/stable/how-to/usage.html#specifying-which-tests-to-run
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import chain
from typing import ClassVar, Final, Literal, get_args

Carrier = Literal["comment", "docstring", "marker", "tag", "sidecar"]
CARRIERS: tuple[str, ...] = get_args(Carrier)
Scope = Literal["test", "suite", "file"]


@dataclass(frozen=True, slots=True)
class Annotation:
    """One `@atom` annotation in code; `line` counts from 1.

    `malformed` holds words in the place of an atom id that are not valid ids.
    """

    atoms: tuple[str, ...]
    carrier: Carrier
    scope: Scope
    line: int
    malformed: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Test:
    """One declared test: a function, method or call, whatever number of cases it runs.

    `line` is the first line of the declaration (decorators included), `name_line` the line of its name, `end_line` its
    last line, all counted from 1. `cases` is 1 for an ordinary test, the number of parameter sets for a parametrised
    one, None if that cannot be read from the source. `dynamic` means the name is source text that is evaluated at run
    time. `annotations` are the test's own, then its suites' from inner to outer, then the file's. `helpers` is the
    digest of the functions in its file that assert for it, `words` that of its docstring, which the body hash leaves
    out; each is empty if there is none. `runs_in` are the other classes and modules that run it, by inheritance or
    import, unless a mark of their own skips it there.
    """

    __test__: ClassVar[bool] = False  # keeps pytest from collecting this class in modules that import it

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
    runs_in: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, order=True)
class Gap:
    """A place that discovery knows it cannot see completely; never evidence of absence.

    `broken` means that the source at its line does not parse, `bare` that the file was read to its end and holds no
    test that is known: one that was there before is gone. `options`, each with its value, leave tests out of a plain
    run, although they are listed. `spans` are the first and last lines of declarations that may be tests.
    """

    file: str
    reason: str
    line: int = 0
    broken: bool = False
    bare: bool = False
    options: tuple[str, ...] = ()
    spans: tuple[tuple[int, int], ...] = ()


def hiding(gaps: Iterable[Gap]) -> frozenset[str]:
    """Return the files in which tests may stand that are not listed although they were once."""
    return frozenset(gap.file for gap in gaps if not gap.bare)


def _unknown_ground(_path: str) -> frozenset[str] | None:
    return None


@dataclass(frozen=True)
class Scan:
    """All tests of one snapshot by file, and what could not be seen; files are sorted, tests by line and id.

    `ground` returns the files, of those that are there, whose content decides which tests a file has; None if any may.
    """

    by_file: Mapping[str, Collection[Test]]
    gaps: tuple[Gap, ...]
    files: int
    ground: Callable[[str], frozenset[str] | None] = field(default=_unknown_ground, repr=False, compare=False)

    @cached_property
    def tests(self) -> tuple[Test, ...]:
        """All tests in the order (file, line, id)."""
        return tuple(chain.from_iterable(self.by_file.values()))

    def within(self, files: Collection[str]) -> Scan:
        """Keep only the tests of some files."""
        return replace(self, by_file={path: tests for path, tests in self.by_file.items() if path in files})

    def differing(self, other: Scan) -> frozenset[str]:
        """Return the files whose tests are not the same in every respect."""
        files = self.by_file.keys() | other.by_file.keys()
        return frozenset(path for path in files if self.by_file.get(path) != other.by_file.get(path))


_LETTERS: Final = {"\n": "n", "\r": "r", "\0": "0"}  # the letter after the backslash in their escapes


def test_id(file: str, suite: tuple[str, ...], name: str) -> str:
    r"""Join a POSIX path and NFC names with `::`, escaping each part as `escape_part` does."""
    return "::".join(escape_part(part) for part in (file, *suite, name))


def escape_part(part: str) -> str:
    r"""Escape one part of a test id: backslash, line ends, NUL, `::`, and a colon at either end; names become NFC.

    A colon at an end would merge with the separator, so that the parts could not be separated again.
    """
    plain = part.isascii() and part.isprintable() and "\\" not in part
    if plain and "::" not in part and part.strip(":") == part:
        return part
    import unicodedata  # noqa: PLC0415 - plain parts don't need it

    return escape_path(unicodedata.normalize("NFC", part))


def escape_path(path: str) -> str:
    """Escape a path for a line of its own, as in a test id but without NFC; `file_of` reverses it."""
    special = r"\\|\n|\r|\0|\A:|:(?=:|\Z)|(?<=:):"
    return re.sub(special, lambda found: "\\" + _LETTERS.get(found[0], found[0]), path)


def file_of(test: str) -> str:
    """Return the unescaped POSIX path of a test id."""
    if "\\" not in test:
        return test.split("::", 1)[0]

    part = re.match(r"(?:\\.|:(?!:)|[^\\:])*", test)
    escaped = part.group() if part else test
    meant = {letter: character for character, letter in _LETTERS.items()}
    return re.sub(r"\\(.)", lambda found: meant.get(found[1], found[1]), escaped)


def within(test: str) -> str:
    """Return a test's suites and name."""
    return test.partition("::")[2]


def leaf(test: str) -> str:
    """Return the name of a test without its file and suites."""
    return test.rpartition("::")[2].partition("#")[0]


def places_of(test: Test) -> tuple[tuple[str, tuple[str, ...]], ...]:
    """Return file and suites of everything that runs a test: its own first, then what inherits or imports it."""
    others = []
    for place in test.runs_in:
        path = file_of(place)
        suites = place[len(escape_part(path)) :].removeprefix("::")
        others.append((path, tuple(suites.split("::")) if suites else ()))
    return ((test.file, test.suite), *others)


def homes(test: Test) -> frozenset[str]:
    """Return the files in which a test is run."""
    return frozenset(file for file, _ in places_of(test))


test_id.__test__ = False  # type: ignore[attr-defined] # keeps pytest from collecting it in modules that import it


def under(path: str, roots: Sequence[str]) -> bool:
    """Whether a POSIX path is one of `roots` or below one; an empty root is the whole repository."""
    return any(root in {"", "."} or path == root or path.startswith(f"{root}/") for root in roots)


_TOKEN: Final = re.compile(r"[()]|[^\s()]{1,300}")
_MOST: Final = 300  # parts of an expression


def left_out(tests: Iterable[Test], gaps: Iterable[Gap]) -> Iterator[tuple[Test, Gap]]:
    """Yield the tests that options in settings leave out, each with the gap that names them.

    Marks and the ids of parameter sets aren't known: an expression is judged by the names alone.
    """
    narrowing = [gap for gap in gaps if gap.options]
    for test in tests if narrowing else ():
        for gap in narrowing:
            if test.framework in {"pytest", "unittest"} and _leaves_out(gap, test):
                yield test, gap
                break


def _leaves_out(gap: Gap, test: Test) -> bool:
    folder = posixpath.dirname(gap.file)
    if folder and not test.file.startswith(f"{folder}/"):
        return False
    name = test.id[len(folder) + 1 if folder else 0 :]
    pairs = list(zip(gap.options[::2], gap.options[1::2], strict=False))
    if any(name.startswith(value) for option, value in pairs if option == "--deselect"):
        return True
    expressions = [value for option, value in pairs if option == "-k"]
    return bool(expressions) and _holds(expressions[-1], name.lower()) is False  # the last one counts


def _holds(expression: str, name: str) -> bool | None:
    """Whether an expression of `-k` matches a name; None if it is broken or too long."""
    tokens = _TOKEN.findall(expression.lower())
    if len(tokens) > _MOST:
        return None
    reading = [*reversed(tokens)]
    found = _either(reading, name)
    return None if reading else found


def _either(reading: list[str], name: str) -> bool | None:
    found = _both(reading, name)
    while reading[-1:] == ["or"]:
        reading.pop()
        other = _both(reading, name)
        found = None if found is None or other is None else found or other
    return found


def _both(reading: list[str], name: str) -> bool | None:
    found = _one(reading, name)
    while reading[-1:] == ["and"]:
        reading.pop()
        other = _one(reading, name)
        found = None if found is None or other is None else found and other
    return found


def _one(reading: list[str], name: str) -> bool | None:
    word = reading.pop() if reading else ""
    if word == "not":
        found = _one(reading, name)
        return None if found is None else not found
    if word == "(":
        found = _either(reading, name)
        return found if reading and reading.pop() == ")" else None
    return None if word in {"", ")", "and", "or"} else word in name
