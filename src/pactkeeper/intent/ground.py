"""What a review was read from: the test's file, helpers, fixtures and hooks by content, and by which reader."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from pactkeeper.intent.pact import GROUND, LinkRecord
from pactkeeper.intent.tests import file_of

_DIGITS: Final = 12


@dataclass(frozen=True, slots=True)
class Proved:
    """What a review remembers of a test: the lines of what it asserts, and what these were read from, and by whom."""

    asserts: tuple[str, ...] = ()
    rests: tuple[str, ...] = ()


def rests_on(reader: str, paths: Iterable[str], identity: Callable[[str], str]) -> tuple[str, ...]:
    """The reader, then each file with the first digits of its content's id, as a link keeps them."""
    return (reader, *(f"{path} {identity(path)[:_DIGITS]}" for path in paths))


def reader_of(rests: Sequence[str]) -> str:
    """The reader that a link names; empty where it names none."""
    return rests[0] if rests and " " not in rests[0] else ""


def files_of(rests: Iterable[str]) -> Mapping[str, str]:
    """The files that a link names: path → first digits of the content's id."""
    return {path: digits for path, space, digits in (line.rpartition(" ") for line in rests) if space}


def is_same(path: str, digits: str, identity: Callable[[str], str]) -> bool:
    """Whether a file is as it was when its digits were noted."""
    return identity(path)[:_DIGITS] == digits


def ground_line(identity: str) -> str:
    """What a line of debt says of a file that tests rest on."""
    return f"{GROUND}{identity[:_DIGITS]}"


def shaken(grounds: Mapping[str, str], identity: Callable[[str], str]) -> tuple[str, ...]:
    """The files under the debt that are not as they were when it was recorded."""
    found = ((file_of(name), digits) for name, digits in grounds.items())
    return tuple(path for path, digits in found if not is_same(path, digits, identity))


def moved_ground(records: Iterable[LinkRecord], identity: Callable[[str], str]) -> frozenset[str]:
    """The tests whose record names a file that is not as it was at review."""
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
