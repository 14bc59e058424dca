"""The basis of a review: the test's file, helpers, fixtures and hooks by content, and the reader that read them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from pactkeeper.intent.pact import GROUND, LinkRecord
from pactkeeper.intent.tests import file_of

_DIGITS: Final = 12


@dataclass(frozen=True, slots=True)
class Proved:
    """What a review records about a test: the lines it asserts, the files these were read from, and the reader."""

    asserts: tuple[str, ...] = ()
    rests: tuple[str, ...] = ()


def rests_on(reader: str, paths: Iterable[str], identity: Callable[[str], str]) -> tuple[str, ...]:
    """Return the reader, then each file with the first digits of its content's id, as a link stores them."""
    return (reader, *(f"{path} {identity(path)[:_DIGITS]}" for path in paths))


def reader_of(rests: Sequence[str]) -> str:
    """Return the reader that a link names, or "" if it names none."""
    return rests[0] if rests and " " not in rests[0] else ""


def files_of(rests: Iterable[str]) -> Mapping[str, str]:
    """Return the files that a link names, mapped to the first digits of their content's id."""
    return {path: digits for path, space, digits in (line.rpartition(" ") for line in rests) if space}


def is_same(path: str, digits: str, identity: Callable[[str], str]) -> bool:
    """Whether a file is unchanged since its digits were recorded."""
    return identity(path)[:_DIGITS] == digits


def ground_line(identity: str) -> str:
    """Return the text of a debt line for a file that tests rely on."""
    return f"{GROUND}{identity[:_DIGITS]}"


def shaken(grounds: Mapping[str, str], identity: Callable[[str], str]) -> tuple[str, ...]:
    """Return the files under the debt that have changed since it was recorded."""
    found = ((file_of(name), digits) for name, digits in grounds.items())
    return tuple(path for path, digits in found if not is_same(path, digits, identity))


def moved_ground(records: Iterable[LinkRecord], identity: Callable[[str], str]) -> frozenset[str]:
    """Return the tests whose record names a file that has changed since review."""
    known: dict[str, bool] = {}
    found = set()
    for record in records:
        for line in record.rests if record.asserts else ():
            if line not in known:
                path, space, digits = line.rpartition(" ")
                known[line] = not space or is_same(path, digits, identity)
            if not known[line]:
                found.add(record.test)
    return frozenset(found)
