"""What a test proves less than at its review if the other reviewed tests of its atoms are counted with it.

So a test may be split: what it asserted is then asserted by several tests of the same atom.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from pactkeeper.intent.links import FIRM_LINKS, LinkedTest
from pactkeeper.intent.strength.change import Change
from pactkeeper.intent.strength.facts import Strength
from pactkeeper.intent.strength.review import still_held
from pactkeeper.intent.tests import Test

Weaker = Mapping[str, tuple[Change, ...]]
Strengths = Callable[[Sequence[Test]], Mapping[str, Strength]]
Compare = Callable[[LinkedTest, Sequence[Strength]], tuple[Change, ...]]


@dataclass(frozen=True, slots=True)
class Together:
    """What each test proves less even so, and the unlinked tests of its file by which it would prove as much."""

    weaker: Weaker
    unlinked: Mapping[str, tuple[str, ...]]


def together(linked: Sequence[LinkedTest], weaker: Weaker, strengths: Strengths, compare: Compare) -> Together:
    """Judge each weaker test anew; `compare` leaves out what one of the given tests proves in its place."""
    found: dict[str, tuple[Change, ...]] = {}
    unlinked: dict[str, tuple[str, ...]] = {}
    new = [one.test for one in linked if one.state == "orphan"]
    for entry in (one for one in linked if weaker.get(one.test.id)):
        name = entry.test.id
        held = _held(entry, linked, weaker, strengths)
        found[name] = compare(entry, held) if held else weaker[name]
        near = [test for test in new if test.file == entry.test.file] if found[name] else []
        unlinked[name] = _missing(entry, held, strengths(near), compare) if near else ()
    return Together(found, unlinked)


def _held(entry: LinkedTest, linked: Sequence[LinkedTest], weaker: Weaker, strengths: Strengths) -> list[Strength]:
    """Return what other tests of the same atoms were reviewed with and still assert."""
    atoms = {link.atom for link in entry.links if link.state == "suspect"}
    records = {
        one.test: one.record.asserts
        for one in linked
        if one.record is not None and not weaker.get(one.test.id) and atoms.intersection(one.record.named) == atoms
        if atoms <= {link.atom for link in one.links if link.state in FIRM_LINKS}
    }
    now = strengths(list(records)) if records else {}
    return [still_held(lines, now[test.id]) for test, lines in records.items() if test.id in now]


def _missing(
    entry: LinkedTest, held: Sequence[Strength], new: Mapping[str, Strength], compare: Compare
) -> tuple[str, ...]:
    """Return those of the new tests that together assert all that is lost; empty if they don't."""
    lost = compare(entry, held)
    helping = {name: one for name, one in new.items() if compare(entry, [*held, one]) != lost}
    return tuple(helping) if helping and not compare(entry, [*held, *helping.values()]) else ()
