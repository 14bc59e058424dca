"""Which new tests take the place of vanished ones: those that prove what was reviewed, wherever they are now.

They are found by what they assert of the record, never by where they stand: names and order only decide between tests
that assert the same.
"""

from __future__ import annotations

import re
from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from difflib import SequenceMatcher
from heapq import nlargest
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
_NEAREST: Final = 10  # tests that are compared with a record first: those that share most with it


def heirs_of(  # noqa: PLR0913 - all named where it is called
    gone: Iterable[str],
    new: Sequence[LinkedTest],
    pact: Pact,
    *,
    firm: Sequence[LinkedTest],
    files: Container[str],
    weigh: Weigh,
) -> Mapping[str, LinkedTest]:
    """Return new tests that prove all that a vanished test did, each for another one, or together.

    They are in its file, have its name or its body in another one, or assert all of it anywhere; annotations moved
    along with them. One with its body that proves less, because of its helpers or tables, is only unlike it. What none
    of them continues alone may be proven by one that continues another, or by a `firm` test of the file. `files` are
    those that have tests now.
    """
    from pactkeeper.intent.strength.review import reviewed  # noqa: PLC0415 - only where a linked test is gone

    records = [one for one in map(pact.links.__getitem__, gone) if one.asserts and one.named]
    if not records:
        return {}
    now = weigh.strengths([one.test for one in new])
    said = {name: reviewed(strength) for name, strength in now.items()}
    words = {name: _words(lines) for name, lines in said.items()}
    return _Heirs(pact, new, firm, files, weigh, said, words).of(records)


@dataclass(frozen=True, slots=True)
class _Heirs:
    """Finds the heirs of vanished tests among `new` ones; `said` is what these assert, as a review records it."""

    pact: Pact
    new: Sequence[LinkedTest]
    firm: Sequence[LinkedTest]
    files: Container[str]
    weigh: Weigh
    said: Mapping[str, tuple[str, ...]]
    words: Mapping[str, set[str]]

    def of(self, records: Iterable[LinkRecord]) -> Mapping[str, LinkedTest]:
        lesser: dict[str, LinkedTest] = {}
        offered: dict[str, list[LinkedTest]] = {}
        for record in records:
            nearest = self._weighed(self._nearest(record), record)
            same = [replace(one, unlike=record.test) for one in nearest if one.test.body_hash == record.body]
            lesser |= {one.test.id: one for one in same if one.proves_less}
            if not any(one.weaker and not one.proves_less for one in same):  # it moved, with more in its tables
                offered[record.test] = nearest
        nearest_of = {**offered}
        found = self._assigned(offered)
        for record in self._left(offered, found):
            near = [one for one in self.new if one.test.id not in found and self._may_continue(one, record)]
            offered[record.test] = self._weighed(near, record)
        found |= self._assigned({one.test: offered[one.test] for one in self._left(offered, found)})
        for record in self._left(offered, found):
            other = self._proving(record, nearest_of[record.test], found)
            free = [one for one in offered[record.test] if one.test.id not in found and not one.links]
            own = self._in_part(record, free) if other is None else [other]
            found |= {one.test.id: one for one in own}
        return {**lesser, **found}

    def _proving(
        self, record: LinkRecord, nearest: Iterable[LinkedTest], found: Mapping[str, LinkedTest]
    ) -> LinkedTest | None:
        """Return a test with a place of its own that proves all that a vanished one did, too; None if there is none."""
        firm = [found.get(one.test.id, one) for one in self.firm if one.test.file == file_of(record.test)]
        taken = [one for one in nearest if one.test.id in found and not found[one.test.id].unlinked]
        other = next((one for one in (*taken, *self._weighed(firm, record)) if not one.weaker), None)
        if other is None:
            return None
        known = found.get(other.test.id, other)
        return replace(known, also=(*known.also, record.test))

    def _left(self, names: Iterable[str], found: Mapping[str, LinkedTest]) -> list[LinkRecord]:
        """Return the records that none of the found tests takes the place of."""
        taken = {name for one in found.values() for name in (one.instead_of, *one.also)}
        return [self.pact.links[name] for name in names if name not in taken]

    def _nearest(self, record: LinkRecord) -> list[LinkedTest]:
        """Return the tests anywhere that share most with a record: its body, its name, words of what it holds."""
        words, name = _words(record.asserts), leaf(record.test)

        def shared(one: LinkedTest) -> tuple[bool, bool, int]:
            own = one.test
            return own.body_hash == record.body, leaf(own.id) == name, len(words & self.words[own.id])

        return nlargest(_NEAREST, (x for x in self.new if not x.links or self._may_continue(x, record)), key=shared)

    def _weighed(self, entries: Sequence[LinkedTest], record: LinkRecord) -> list[LinkedTest]:
        lost = lost_of([one.test for one in entries], record, self.weigh)
        return [replace(one, weaker=lost[one.test.id]) for one in entries]

    def _may_continue(self, entry: LinkedTest, record: LinkRecord) -> bool:
        path = file_of(record.test)
        same = within(entry.test.id) == within(record.test)
        moved = same or (path not in self.files and leaf(entry.test.id) == leaf(record.test))
        named = {*entry.atoms()}
        near = entry.test.file == path or moved or entry.test.body_hash == record.body
        return near and (not named or named == {*record.named})

    def _assigned(self, offered: Mapping[str, Sequence[LinkedTest]]) -> dict[str, LinkedTest]:
        """Give each record the test that asserts it most exactly, of those that assert no less, in any steps."""
        every = ((name, one) for name, tests in offered.items() for one in tests)
        pairs = [(name, one) for name, one in every if not one.weaker or (one.only_given_more and not one.links)]

        def rank(pair: tuple[str, LinkedTest]) -> tuple[bool, bool, bool, int, bool, float]:
            name, one = pair
            record, unlike = self.pact.links[name], _unlikeness(one, name)
            apart = len({*record.asserts} ^ {*self.said[one.test.id]})
            far = one.test.file != file_of(name)
            return one.test.body_hash != record.body, bool(one.weaker), unlike > 0, apart, far, unlike

        found: dict[str, LinkedTest] = {}
        taken: set[str] = set()
        for name, one in sorted(pairs, key=rank):
            if one.test.id not in found and name not in taken:
                found[one.test.id] = replace(one, instead_of=name)
                taken.add(name)
        return found

    def _in_part(self, record: LinkRecord, free: Sequence[LinkedTest]) -> list[LinkedTest]:
        """Return the tests that prove together all that a vanished one did.

        If there are none, return the one that comes closest to a promise and expects something else.
        """
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
        called = _called_in(record.asserts)
        asking = [replace(one, weaker=()) for one in free if called & _called_in(self.said[one.test.id])]
        found = closest[:1] or (asking if len(asking) == 1 else [])
        return [replace(one, unlike=record.test) for one in found]


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
    same = within(record.test)
    own = {one: record for one in tests if one.id == record.test or (within(one.id) == same and one.id not in known)}
    others = {test: record for test in tests if test not in own}
    return {**compared(own, weigh, beside), **compared(others, weigh, beside, whole=True)}
