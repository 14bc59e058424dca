"""Resolve tests named on the command line: by id, file, folder, or `file:line`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from posixpath import join, normpath

from pactkeeper.errors import UsageError
from pactkeeper.intent.links import LinkedTest
from pactkeeper.intent.tests import under
from pactkeeper.reconcile.world import World

CLOSE_ENOUGH = 0.6
MOST_SUGGESTIONS = 3
_CLOSE_LINES = 30  # the number of lines that an unreadable place may span


def named_tests(world: World, names: Sequence[str], *, folder: str = ".") -> tuple[LinkedTest, ...]:
    """Return the tests that the names match, in the world's order; raises UsageError listing every unknown name.

    A name is first read as relative to the root, as commands print it, and otherwise as relative to `folder`.
    """
    found: dict[str, LinkedTest] = {}
    unknown: list[str] = []
    for name in names:
        hits = next(filter(None, (_hits(world, reading) for reading in _readings(name, folder))), [])
        found.update((entry.test.id, entry) for entry in hits)
        if not hits:
            unknown.append(name)
    if unknown:
        raise UsageError(_told(world, unknown, folder))
    return tuple(entry for entry in world.linked if entry.test.id in found)


def _readings(name: str, folder: str) -> Iterator[str]:
    yield name
    file, colons, rest = name.partition("::")
    for start in dict.fromkeys((".", folder)):
        yield f"{normpath(join(start, file))}{colons}{rest}"


def _hits(world: World, name: str) -> list[LinkedTest]:
    exact = world.by_id.get(name)
    if exact is not None:
        return [exact]
    file, _, line = name.rpartition(":")
    if file and line.isdigit():
        number = int(line)
        hits = [e for e in world.linked if e.test.file == file and e.test.line <= number <= e.test.end_line]
        return hits[-1:]
    bare = name.rstrip("/")
    return [e for e in world.linked if e.test.id.startswith(f"{bare}::") or under(e.test.file, (bare,))]


def _told(world: World, unknown: Sequence[str], folder: str) -> str:
    hidden = {name: _hidden(world, name, folder) for name in unknown}
    head = "no test with this name can be read" if any(hidden.values()) else "no test has this name or location"
    return "\n".join((head, *(f"  {name!r}{hidden[name] or _suggestion(world, name, folder)}" for name in unknown)))


def _hidden(world: World, name: str, folder: str) -> str:
    """Return the reason if a name's file could not be read, which may be why the test is missing."""
    paths = {reading.partition("::")[0].rstrip("/") for reading in _readings(name, folder)}
    found = next((gap for gap in world.scan.gaps if gap.file in paths), None)
    return "" if found is None else f": {found.file}:{found.line} {found.reason}; fix the file first"


def _suggestion(world: World, name: str, folder: str) -> str:
    from difflib import get_close_matches  # noqa: PLC0415 - only for an error

    beside = next(filter(None, (_beside(world, reading) for reading in _readings(name, folder))), "")
    if beside:
        return beside
    file = name.partition("::")[0] + "::"
    same_file = [one for one in world.by_id if one.startswith(file)]
    pool, least = (same_file, 0.0) if same_file else (list(world.by_id), CLOSE_ENOUGH)
    close = get_close_matches(name, pool, MOST_SUGGESTIONS, least)
    return f"; did you mean {' or '.join(repr(one) for one in close)}?" if close else ""


def _beside(world: World, name: str) -> str:
    """Describe what is near a line that belongs to no test."""
    file, _, line = name.rpartition(":")
    tests = [entry.test for entry in world.linked if entry.test.file == file]
    if not line.isdigit() or not tests:
        return ""
    number = int(line)
    near = min(tests, key=lambda test: min(abs(test.line - number), abs(test.end_line - number)))
    gaps = [one for one in world.scan.gaps if one.file == file and 0 <= number - one.line <= _CLOSE_LINES]
    gap = max(gaps, key=lambda one: one.line, default=None)
    why = "" if gap is None else f"; line {gap.line}: {gap.reason}"
    return f": that line belongs to no test; the nearest is {near.id!r}, lines {near.line} to {near.end_line}{why}"
