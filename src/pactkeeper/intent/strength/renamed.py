"""Which new test a lost one became, told by the assertions that stand in it word for word."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from pactkeeper.intent.strength.change import Paired
from pactkeeper.intent.strength.facts import Fact
from pactkeeper.intent.tests import file_of

_FEWEST: Final = 2


def with_renamed(pairs: Sequence[Paired]) -> list[Paired]:
    """Pair each lost test with the new one of its file that has at least half of its assertions, and more than others.

    One assertion alone may stand in any test, so at least two have to be the same. A new test that several lost ones
    may have become is left alone, and so is one with another number of rows: tests were merged or split.
    """
    fresh: defaultdict[str, list[_New]] = defaultdict(list)
    for one in pairs:
        if one.old is None and one.new is not None and one.new.runs:
            fresh[file_of(one.after)].append(_New(one, _made(one.new.facts)))
    lost = [one for one in pairs if one.new is None and one.was.runs] if fresh else []
    became = {one.before: _became(one, fresh[file_of(one.before)]) for one in lost}
    taken = Counter(one.after for one in became.values() if one is not None)
    sure = {name: one for name, one in became.items() if one is not None and taken[one.after] == 1}
    paired = {one.after for one in sure.values()}
    return [_told(one, sure) for one in pairs if one.old is not None or one.after not in paired]


@dataclass(frozen=True, slots=True)
class _New:
    """A new test with the assertions that it makes itself."""

    pair: Paired
    made: Counter[Fact]


def _told(one: Paired, sure: Mapping[str, Paired]) -> Paired:
    new = sure.get(one.before) if one.new is None else None
    return one if new is None else replace(one, after=new.after, new=new.new)


def _became(lost: Paired, fresh: Sequence[_New]) -> Paired | None:
    own = _made(lost.was.facts)
    shared = sorted(((own & one.made).total(), at) for at, one in enumerate(fresh))
    most = shared[-1][0] if shared else 0
    if most < max(_FEWEST, own.total() / 2) or (len(shared) > 1 and shared[-2][0] == most):
        return None
    best = fresh[shared[-1][1]].pair
    return best if best.now.rows == lost.was.rows else None


def _made(facts: Iterable[Fact]) -> Counter[Fact]:
    return Counter(one for one in facts if not one.fixture)
