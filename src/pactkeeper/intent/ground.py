"""The files that a test rests on: its own, helpers, fixtures and hooks, each with its content's id at review."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Final

from pactkeeper.intent.pact import GROUND, LinkRecord
from pactkeeper.intent.tests import file_of

_DIGITS: Final = 12


@dataclass(frozen=True, slots=True)
class Proved:
    """What a review remembers of a test: the lines of what it asserts, and the files that these came from."""

    asserts: tuple[str, ...] = ()
    rests: tuple[str, ...] = ()


def rests_on(paths: Iterable[str], identity: Callable[[str], str]) -> tuple[str, ...]:
    """Each file with the first digits of its content's id, as a link keeps them."""
    return tuple(f"{path} {identity(path)[:_DIGITS]}" for path in paths)


def ground_line(identity: str) -> str:
    """What a line of debt says of a file that tests rest on."""
    return f"{GROUND}{identity[:_DIGITS]}"


def shaken(grounds: Mapping[str, str], identity: Callable[[str], str]) -> tuple[str, ...]:
    """The files under the debt that are not as they were when it was recorded."""
    found = ((file_of(name), digits) for name, digits in grounds.items())
    return tuple(path for path, digits in found if identity(path)[:_DIGITS] != digits)


def moved_ground(records: Iterable[LinkRecord], identity: Callable[[str], str]) -> frozenset[str]:
    """The tests whose record names a file that is not as it was at review."""
    known: dict[str, bool] = {}
    found = set()
    for record in records:
        for line in record.rests if record.asserts else ():
            if line not in known:
                path, _, digits = line.rpartition(" ")
                known[line] = identity(path)[:_DIGITS] == digits
            if not known[line]:
                found.add(record.test)
    return frozenset(found)
