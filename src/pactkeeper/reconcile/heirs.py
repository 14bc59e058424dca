"""Which new tests take the place of vanished ones: those that prove what was reviewed, wherever they are now.

They are found by what they assert of the record, never by where they stand: names and order only decide between tests
that assert the same.
"""

from __future__ import annotations

import re
from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from difflib import SequenceMatcher
from typing import TYPE_CHECKING, Final

from pactkeeper.intent.links import LinkedTest
from pactkeeper.intent.pact import LinkRecord, Pact
from pactkeeper.intent.tests import Test, file_of, leaf, within
from pactkeeper.reconcile.weighing import Weigh, compared

if TYPE_CHECKING:  # not needed to check an unchanged repository
    from pactkeeper.intent.strength.facts import Strength
    from pactkeeper.reconcile.weighing import Changes

_CALLED: Final = re.compile(r"\b([a-zA-Z_]\w*+)\(")
_WORDS: Final = re.compile(r"\w+")
_MOST_FAR: Final = 10  # tests elsewhere that are compared with one record: those that share most words with it


@dataclass(frozen=True, slots=True)
class Heirs:
    """Finds the heirs of vanished records among `new` tests; `files` are those that have tests now."""

    pact: Pact
    new: Sequence[LinkedTest]
    files: Container[str]
    weigh: Weigh

    def of(self, gone: Iterable[str]) -> Mapping[str, LinkedTest]:
        """Return new tests that prove all that a vanished test did, each for another one, or together.

        They are in its file, have its name or its body in another one, or assert all of it anywhere; annotations moved
        along with them. One with its body that proves less, because of its helpers or tables, is only unlike it.
        """
        lesser: dict[str, LinkedTest] = {}
        near: dict[str, list[LinkedTest]] = {}
        for record in (self.pact.links[name] for name in gone):
            if not (record.asserts and record.named):
                continue
            around = self._weighed([one for one in self.new if self._may_continue(one, record)], record)
            same = [replace(one, unlike=record.test) for one in around if one.test.body_hash == record.body]
            lesser |= {one.test.id: one for one in same if one.proves_less}
            if not any(one.weaker and not one.proves_less for one in same):  # it moved, with more in its tables
                near[record.test] = around
        found = self._assigned(near)
        far = {name: self._far(self.pact.links[name], found) for name in _without(near, found)}
        found |= self._assigned(far)
        for name in _without(near, found):
            free = [one for one in near[name] if one.test.id not in found]
            found |= {one.test.id: one for one in self._in_part(self.pact.links[name], free)}
        return {**lesser, **found}

    def _weighed(self, entries: Sequence[LinkedTest], record: LinkRecord) -> list[LinkedTest]:
        lost = lost_of([one.test for one in entries], record, self.weigh)
        return [replace(one, weaker=lost[one.test.id]) for one in entries]

    def _may_continue(self, entry: LinkedTest, record: LinkRecord) -> bool:
        path = file_of(record.test)
        same = within(entry.test.id) == within(record.test)
        moved = same or (path not in self.files and leaf(entry.test.id) == leaf(record.test))
        named = {link.atom for link in entry.links}
        near = entry.test.file == path or moved or entry.test.body_hash == record.body
        return near and (not named or named == {*record.named})

    def _far(self, record: LinkRecord, taken: Container[str]) -> list[LinkedTest]:
        """Return unlinked tests anywhere that prove all that a record holds, of those that share most words with it."""
        free = [one for one in self.new if not one.links and one.test.id not in taken]
        said = self._said(free)
        words = _words(record.asserts)
        shared = {name: len(words & _words(lines)) for name, lines in said.items()}
        nearest = sorted((one for one in free if shared[one.test.id]), key=lambda one: -shared[one.test.id])
        return [one for one in self._weighed(nearest[:_MOST_FAR], record) if not one.weaker]

    def _said(self, entries: Iterable[LinkedTest]) -> Mapping[str, tuple[str, ...]]:
        """Return what tests assert, as a review records it, by id."""
        from pactkeeper.intent.strength.review import reviewed  # noqa: PLC0415 - only where a linked test is gone

        now = self.weigh.strengths([one.test for one in entries])
        return {name: reviewed(strength) for name, strength in now.items()}

    def _assigned(self, offered: Mapping[str, Sequence[LinkedTest]]) -> dict[str, LinkedTest]:
        """Give each record the test that asserts it most exactly, of those that assert no less."""
        pairs = [(name, one) for name, tests in offered.items() for one in tests if _is_no_less(one)]
        said = self._said({one.test.id: one for _, one in pairs}.values()) if pairs else {}

        def rank(pair: tuple[str, LinkedTest]) -> tuple[bool, bool, bool, int, float]:
            name, one = pair
            record, unlike = self.pact.links[name], _unlikeness(one, name)
            apart = len({*record.asserts} ^ {*said[one.test.id]})
            return one.test.body_hash != record.body, bool(one.weaker), unlike > 0, apart, unlike

        found: dict[str, LinkedTest] = {}
        for name, one in sorted(pairs, key=rank):
            if one.test.id not in found and name in _without(offered, found):
                found[one.test.id] = replace(one, instead_of=name)
        return found

    def _in_part(self, record: LinkRecord, near: Sequence[LinkedTest]) -> list[LinkedTest]:
        """Return the tests that prove together all that a vanished one did.

        If there are none, return the one that comes closest to a promise and expects something else.
        """
        free = [one for one in near if not one.links]
        parts = [one for one in free if len(one.weaker) < len(record.asserts)]
        if parts:
            held = [*self.weigh.strengths([one.test for one in parts[1:]]).values()]
            first = parts[0].test
            if not compared({first: record}, self.weigh, held, whole=True)[first.id]:
                names = tuple(one.test.id for one in parts)
                return [replace(one, weaker=(), instead_of=record.test, unlinked=names) for one in parts]
        if not any(self.pact.status_of(atom) == "committed" for atom in record.named):
            return []
        others = (one for one in free if one.expects_otherwise)
        closest = sorted(others, key=lambda one: (len(one.weaker), _unlikeness(one, record.test)))
        asking = self._asking_the_same(record, free)
        found = closest[:1] or (asking if len(asking) == 1 else [])
        return [replace(one, unlike=record.test) for one in found]

    def _asking_the_same(self, record: LinkRecord, entries: Sequence[LinkedTest]) -> list[LinkedTest]:
        """Return tests that assert of what a function returns of which a vanished one did."""
        said = self._said(entries) if entries else {}
        called = _called_in(record.asserts)
        return [replace(one, weaker=()) for one in entries if called & _called_in(said[one.test.id])]


def _without(names: Iterable[str], found: Mapping[str, LinkedTest]) -> list[str]:
    """Return the records that none of the found tests takes the place of."""
    taken = {one.instead_of for one in found.values()}
    return [name for name in names if name not in taken]


def _is_no_less(one: LinkedTest) -> bool:
    """Whether a test asserts all that was reviewed; another number of steps is for whoever links it to judge."""
    return not one.weaker or (one.only_given_more and not one.links)


def _unlikeness(one: LinkedTest, name: str) -> float:
    """Return how far the name of a test is from a vanished one's, from 0 for the same to 1."""
    return 1 - SequenceMatcher(None, leaf(one.test.id), leaf(name)).ratio()


def _words(lines: Iterable[str]) -> set[str]:
    return {word for line in lines for word in _WORDS.findall(line)}


def _called_in(lines: Iterable[str]) -> set[str]:
    """Return what assertions call, each written as its relation with what it is about, as a review records them."""
    return {name for line in lines for name in _CALLED.findall(line.partition("(")[2])}


def lost_of(
    tests: Sequence[Test],
    record: LinkRecord,
    weigh: Weigh,
    beside: Sequence[Strength] = (),
    *,
    known: Container[str] = (),
) -> Changes:
    """Return what each test doesn't prove of a review; of one with another name, or `known`, the whole is asked."""
    moved = [test for test in tests if within(test.id) == within(record.test) and test.id not in known]
    own = {test: record for test in tests if test in moved or test.id == record.test}
    others = {test: record for test in tests if test not in own}
    return {**compared(own, weigh, beside), **compared(others, weigh, beside, whole=True)}
