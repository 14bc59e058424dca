"""Read the strength of tests and their support code from a snapshot's files.

A cache keeps strengths as rows of plain values for as long as no file they were read from changes. Each row is the
number of a form and its parts. A part is a plain value or, in brackets, the number of an earlier row, so that a term
that occurs often is one row.
"""

from __future__ import annotations

import hashlib
import re
from collections import defaultdict
from collections.abc import Callable, Collection, Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final

from pactkeeper.intent import claims
from pactkeeper.intent.claims import Expression
from pactkeeper.intent.strength.change import baseline
from pactkeeper.intent.strength.effect import strength_of
from pactkeeper.intent.strength.facts import Dead, Fact, Pace, Skipped, Strength
from pactkeeper.intent.tests import Scan, Test, escape_path, file_of, under
from pactkeeper.repo.cache import Cache, Reads, program_stamp, reads_of, recall, store
from pactkeeper.repo.languages import owner
from pactkeeper.repo.snapshot import Snapshot
from pactkeeper.repo.strength.entries import with_stored
from pactkeeper.repo.strength.product import imported_as
from pactkeeper.repo.test_side import SCRIPTS, is_test_side, is_type_test

_NONE: Final[Mapping[Expression, Expression]] = MappingProxyType({})
_EXPORTS: Final = re.compile(rb"\bexports?\b")
_LAST_OF_PATH: Final = re.compile(rb"/([^/'\"`\s]{1,200}+)['\"`]")
_DIGITS: Final = 8
_SPACE: Final = "strengths/1"
_REVIEWED: Final = "strengths-reviewed/1"  # a file that is the same now may have rested on others then
_MOST_KEPT: Final = 4_000  # files, each with the tests that were asked for

Note = Callable[[str, Iterable[str] | None], None]
"""Called with a file of tests and the other files that a reading of them depends on; None if any may matter."""


def _unnoted(_path: str, _others: Iterable[str] | None) -> None:
    """Note nothing."""


@dataclass(frozen=True, slots=True)
class StrengthReading:
    """What a test can detect, and the test-side files this was read from, including its own."""

    strength: Strength
    rests: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class _Way:
    """How tests are read: under other names, with what runners have stored for their snapshots, kept in which space."""

    same: Mapping[Expression, Expression] = field(default_factory=dict)
    stored: bool = True
    space: str = _SPACE
    note: Note = field(default=_unnoted, repr=False)


def strengths(
    snapshot: Snapshot,
    tests: Iterable[Test],
    *,
    same: Mapping[Expression, Expression] = _NONE,
    cache: Cache | None = None,
) -> Mapping[str, Strength]:
    """Return what every given test asserts in code, by id; a test whose file can't be read is unread.

    `same` maps names to the names they are read as. `cache` keeps what was read, once for each file.
    """
    return _kept(snapshot, tests, _Way(same, stored=False), cache)


def proofs(
    snapshot: Snapshot,
    tests: Iterable[Test],
    cache: Cache | None = None,
    *,
    space: str = _SPACE,
    note: Note = _unnoted,
) -> Mapping[str, Strength]:
    """Return the effective strength of every given test, by id: with what its runner has stored for its snapshots."""
    return _kept(snapshot, tests, _Way(space=space, note=note), cache)


def _kept(snapshot: Snapshot, tests: Iterable[Test], way: _Way, cache: Cache | None) -> Mapping[str, Strength]:
    work = {_key(snapshot, path, members, way): (path, members) for path, members in _by_file(tests).items()}
    kept = recall(cache, snapshot, space=way.space, keys=list(work), shape=KeptStrengths) if cache is not None else {}
    read = {key: _of_file(snapshot, *work[key], way) for key in work if key not in kept}
    if cache is not None and read and not snapshot.unstable:
        results = [(key, packed(one.strengths, reads_of(snapshot, one.opened))) for key, one in read.items()]
        store(cache, results, space=way.space, keep=_MOST_KEPT)
    found: dict[str, Strength] = {}
    for key, (path, _) in work.items():
        found.update(read[key].strengths if key in read else unpacked(kept[key]))
        way.note(path, read[key].opened if key in read else [other for other, _ in kept[key].reads])
    return found


def _key(snapshot: Snapshot, path: str, tests: Sequence[Test], way: _Way) -> str:
    """Return what the strengths of these tests depend on besides the files that are read for them."""
    said = f"{program_stamp()}\0{path}\0{snapshot.identity(path)}\0{tests!r}\0{way!r}"
    return hashlib.sha256(said.encode("utf-8", "surrogatepass")).hexdigest()


def readings(snapshot: Snapshot, tests: Iterable[Test]) -> Mapping[str, StrengthReading]:
    """Return the effective strength of every given test with the files it rests on: all that its file's tests read."""
    found: dict[str, StrengthReading] = {}
    for path, members in _by_file(tests).items():
        one = _of_file(snapshot, path, members, _Way())
        opened = sorted(other for other in one.opened if other in snapshot and is_test_side(other))
        rests = (path, *opened) if one.readable else ()
        found.update((name, StrengthReading(strength, rests)) for name, strength in one.strengths.items())
    return found


def _by_file(tests: Iterable[Test]) -> Mapping[str, list[Test]]:
    found: defaultdict[str, list[Test]] = defaultdict(list)
    for test in tests:
        found[test.file].append(test)
    return found


def debt_lines(snapshot: Snapshot, tests: Iterable[Test], *, known: Container[str] = ()) -> Mapping[str, str]:
    """Return each test's debt line by id (its body and strength), and a line for every file they rest on.

    A file in `known` keeps its line: other debt is still compared with that state of it.
    """
    from pactkeeper.intent.pact import debt_line, ground_line  # noqa: PLC0415 - strengths are read without a pact

    listed = list(tests)
    found = readings(snapshot, listed)
    paths = {path for one in found.values() for path in one.rests}
    return {
        **{test.id: debt_line(test.body_hash, baseline(found[test.id].strength), reader()) for test in listed},
        **{
            name: ground_line(snapshot.identity(path))
            for path in sorted(paths)
            if (name := escape_path(path)) not in known
        },
    }


@cache
def reader() -> str:
    """Return a digest of the code that extracts facts from tests, so that it differs whenever facts may."""
    package = Path(__file__).parents[2]
    folders = (package / "intent" / "strength", package / "repo" / "languages")
    files = (package / "intent" / "claims.py", Path(__file__), *(one for each in folders for one in each.rglob("*.py")))
    found = hashlib.sha256()
    for file in sorted(files):
        found.update(file.read_bytes())
    return f"r1:{found.hexdigest()[:_DIGITS]}"


@dataclass(frozen=True, slots=True)
class Hindsight:
    """Reads earlier states of a snapshot's files: `scan` finds their tests, `cache` keeps what was read.

    `note` is called with the files of the snapshot that the result depends on.
    """

    snapshot: Snapshot
    scan: Callable[[Snapshot], Scan]
    cache: Cache | None = None
    note: Note = _unnoted


def as_reviewed(
    sight: Hindsight, wanted: Mapping[str, Mapping[str, str]], *, renamed: bool = False
) -> Mapping[str, tuple[str, Strength]]:
    """Return tests as they were when their files matched `wanted` (id → path → digits): body and strength, by id.

    A file with no digits did not exist. A test is left out if git lacks the content of one of its files, or if that
    content has no such test. If `renamed`, they are read as if they had used the names that the product has now, and
    left out if it renamed nothing since.
    """
    found: dict[str, tuple[str, Strength]] = {}
    for past, names in past_states(sight.snapshot, wanted):
        read_as = _under_names_of_now(past, sight.snapshot) if renamed else past
        if read_as is None:
            continue
        files = set(map(file_of, names))
        then = sight.scan(past)
        for path in files:
            sight.note(path, then.ground(path))
        tests = then.within(files).tests
        same = tests if read_as is past else sight.scan(read_as).within(files).tests  # a name may be part of a title
        pairs = [pair for pair in zip(tests, same, strict=False) if pair[0].id in names]
        read = proofs(read_as, [test for _, test in pairs], sight.cache, space=_REVIEWED, note=sight.note)
        found.update((test.id, (test.body_hash, read[other.id])) for test, other in pairs)
    return found


def _under_names_of_now(past: Snapshot, now: Snapshot) -> Snapshot | None:
    """Return a past state of tests under the names that the product has now; None if it renamed nothing since."""
    from pactkeeper.repo.strength.renames import renames_since, under_names  # noqa: PLC0415 - only where a test changed

    changed = (path for path in past.paths if owner(path) is not None and past.identity(path) != now.identity(path))
    names = renames_since(now, {path: past.identity(path) for path in changed})
    return under_names(past, names) if names else None


def past_states(
    snapshot: Snapshot, wanted: Mapping[str, Mapping[str, str]]
) -> Iterator[tuple[Snapshot, Collection[str]]]:
    """Yield snapshots in which tests' files match `wanted` (id → path → digits), each with the ids of such tests.

    A test is left out if git lacks the content of one of its files.
    """
    from pactkeeper.intent.pact import is_same  # noqa: PLC0415 - likewise

    moved = {one for files in wanted.values() for one in files.items() if not is_same(*one, snapshot.identity)}
    sought = sorted({digits for _, digits in moved if digits})
    blobs = snapshot.repository.full_ids(sought) if sought else {}
    there = {
        name: files
        for name, files in wanted.items()
        if all(not d or d in blobs for p, d in files.items() if (p, d) in moved)
    }
    for files, names in _states(there):
        known = {path: blobs[digits] for path, digits in files.items() if digits and (path, digits) in moved}
        yield snapshot.with_blobs(known).without([path for path, digits in files.items() if not digits]), names


def _states(wanted: Mapping[str, Mapping[str, str]]) -> list[tuple[dict[str, str], set[str]]]:
    """Group tests whose files don't contradict each other, so that few states are read for many tests."""
    states: list[tuple[dict[str, str], set[str]]] = []
    for name, files in wanted.items():
        fitting = (one for one in states if all(one[0].get(path, digits) == digits for path, digits in files.items()))
        known, names = next(fitting, (None, None))
        if known is None or names is None:
            states.append((dict(files), {name}))
        else:
            known.update(files)
            names.add(name)
    return states


def resting_on(snapshot: Snapshot, changed: Collection[str], files: Collection[str]) -> frozenset[str]:
    """Return those of `files` that may rest on a changed file: they mention its name, or it is a conftest above them.

    Mentions are followed through the other test-side files. A file that nothing mentions may be named by a setting, and
    therefore affects them all; a script that exports nothing does so only if a setting does name it.
    """
    support = filter(is_test_side, snapshot.paths)
    texts = {path: snapshot.read(path) or b"" for path in {*files, *support} if owner(path) is not None}
    reached: set[str] = set()
    pending = list(changed)
    while pending:
        path = pending.pop()
        alone = _exports_nothing(snapshot, path)
        mentions = imports if alone else mentions_of
        found = {one for one in texts if one == path or mentions(one, texts[one], path)}
        if found <= {path} and path not in files and (not alone or is_set(snapshot, path)):
            return frozenset(files)
        pending += found - reached - {path}
        reached |= found
    return frozenset(reached & set(files))


def _exports_nothing(snapshot: Snapshot, path: str) -> bool:
    source = snapshot.read(path) if path.endswith(SCRIPTS) else None
    return source is not None and _EXPORTS.search(source) is None


def imports(_path: str, text: bytes, other: str) -> bool:
    """Whether a text has a path that ends in a file's name, as an import does."""
    word = imported_as(other)
    return word in text and any((found + b".").startswith(word + b".") for found in _LAST_OF_PATH.findall(text))


def is_set(snapshot: Snapshot, path: str) -> bool:
    """Whether a settings file mentions a file."""
    names = ((one, one.rpartition("/")[2]) for one in snapshot.paths)
    settings = (one for one, name in names if name == "package.json" or ".config." in name or name.startswith("."))
    return any(mentions_of(one, text or b"", path) for one, text in snapshot.read_many(settings))


def mentions_of(path: str, text: bytes, other: str) -> bool:
    """Whether a text has another file's name, or that is a conftest.py above."""
    folder, _, name = other.rpartition("/")
    if name == "conftest.py":
        return under(path, (folder or ".",))
    return imported_as(other) in text


@dataclass(frozen=True, slots=True)
class _FileReading:
    """The strengths of a file's tests by id, and the paths of other files that were asked for."""

    strengths: Mapping[str, Strength]
    opened: Collection[str] = ()
    readable: bool = True


def _of_file(snapshot: Snapshot, path: str, tests: Sequence[Test], way: _Way) -> _FileReading:
    language, source = owner(path), snapshot.read(path)
    if language is None or source is None:
        unread = Strength(unread=(f"{path} cannot be read",))
        return _FileReading({test.id: unread for test in tests}, readable=False)
    opened: dict[str, bytes | None] = {}
    read = _once(snapshot, opened)
    programs = language.programs(path, source, tests=tests, read=read)
    if way.same:
        programs = {name: replace(one, constants={**way.same, **one.constants}) for name, one in programs.items()}
    found = {name: strength_of(program) for name, program in programs.items()}
    if way.stored:
        found |= {test.id: with_stored(found[test.id], test, read) for test in tests if test.id in found}
    return _FileReading(found, opened.keys() - {path})


def _once(snapshot: Snapshot, opened: dict[str, bytes | None]) -> Callable[[str], bytes | None]:
    """Return a reader that reads every path once: a program asks for the same import at every call to what it names."""

    def read(path: str) -> bytes | None:
        if path not in opened:
            opened[path] = snapshot.read(path)
        return opened[path]

    return read


def support_strengths(snapshot: Snapshot, path: str) -> Mapping[str, Strength]:
    """Return the strength of every function of a support file, by name."""
    language, source = owner(path), snapshot.read(path)
    if language is None or source is None:
        return {}
    programs = language.support(path, source, read=_once(snapshot, {}))
    return {name: strength_of(program) for name, program in programs.items()}


def type_strength(snapshot: Snapshot, path: str, tests: Collection[Test]) -> Strength | None:
    """Return what a type-test file states outside of `tests`; None for any other file, or if it doesn't exist."""
    source = snapshot.read(path) if is_type_test(path) and path in snapshot else None
    if source is None:
        return None
    from pactkeeper.repo.languages.javascript.strength.types import types_of  # noqa: PLC0415 - most changes don't need it

    return strength_of(types_of(path, source, tests=tests))


def setup_strength(snapshot: Snapshot, path: str) -> Strength:
    """Return what a setup file of a JavaScript runner does around every test; nothing if it doesn't exist."""
    source = snapshot.read(path)
    if source is None:
        return Strength()
    from pactkeeper.repo.languages.javascript.strength.programs import hooks  # noqa: PLC0415 - most changes don't need it

    return strength_of(hooks(path, source, read=_once(snapshot, {})))


_FORMS: Final[tuple[Any, ...]] = (
    tuple, Strength, Fact, Dead, Skipped, claims.Claim, claims.Each, claims.Argument, claims.Name, claims.Attribute,
    claims.Subscript, claims.Call, claims.Value, claims.Operation, claims.Collection, claims.Opaque, claims.Raised,
    claims.Captured, Pace,
)  # fmt: skip
_NUMBERS: Final = {form: number for number, form in enumerate(_FORMS)}
_TUPLE: Final = 0


@dataclass(frozen=True, slots=True)
class KeptStrengths:
    """The strengths of some tests of a file: `tests` names their rows; `reads` are the other files they rest on."""

    reads: Reads
    rows: tuple[tuple[Any, ...], ...]
    tests: Mapping[str, int]


def packed(strengths: Mapping[str, Strength], reads: Reads) -> KeptStrengths:
    """Turn strengths into rows."""
    rows: dict[tuple[Any, ...], int] = {}
    tests = {name: _pack(strength, rows)[0] for name, strength in strengths.items()}
    return KeptStrengths(reads, tuple(rows), tests)


def _pack(one: Any, rows: dict[tuple[Any, ...], int]) -> Any:  # noqa: ANN401 - any part of a strength
    if one is None or isinstance(one, str | int):
        return one
    parts = one if isinstance(one, tuple) else map(one.__getattribute__, one.__match_args__)
    row = (_NUMBERS[type(one)], *[_pack(part, rows) for part in parts])
    return (rows.setdefault(row, len(rows)),)


def unpacked(kept: KeptStrengths) -> Mapping[str, Strength]:
    """Turn rows back into strengths."""
    made: list[Any] = []
    for number, *parts in kept.rows:
        values = [made[part[0]] if isinstance(part, list | tuple) else part for part in parts]
        made.append(tuple(values) if number == _TUPLE else _FORMS[number](*values))
    return {name: made[at] for name, at in kept.tests.items()}
