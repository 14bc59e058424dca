"""Tests that are debt because they say what debt tests did: rewritten ones, and new ones that continue vanished ones.

Merged, split, renamed or moved ones are debt as long as they only assert what vanished debt tests of their file, or of
their name, did; the product's names may have changed. One that was committed with a vanished test's body has changed
since, and so has one that left its class.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import islice
from typing import TYPE_CHECKING, Final

from pactkeeper.intent.links import LinkedTest, TestState
from pactkeeper.intent.pact import Pact
from pactkeeper.intent.tests import file_of, leaf, within
from pactkeeper.ledger.canonical import by_key

if TYPE_CHECKING:  # not needed to check an unchanged repository
    from pactkeeper.intent.claims import Claim, Expression
    from pactkeeper.intent.strength.change import Change
    from pactkeeper.intent.strength.facts import Strength
    from pactkeeper.reconcile.weighing import Weigh

    Said = Counter[Claim | tuple[Expression, ...]]
    Strengths = Mapping[str, Strength]

_MOST_PAIRS: Final = 2_000  # of new and vanished tests that are compared one by one; the rest need words


def in_place_of_debt(linked: Sequence[LinkedTest], pact: Pact, weigh: Weigh) -> Mapping[str, LinkedTest]:
    """Return tests that are debt, in that state and with what got weaker in them, by id: new and rewritten ones."""
    return {**_as_recorded(linked, pact, weigh), **_continuing(linked, pact, weigh)}


def _as_recorded(linked: Sequence[LinkedTest], pact: Pact, weigh: Weigh) -> Mapping[str, LinkedTest]:
    """Return changed debt tests that prove what they did when they were recorded, no more and no less."""
    changed = {one.test.id: one for one in linked if one.state == "changed_debt" and not one.weaker}
    if not changed:
        return {}
    now = weigh.strengths([one.test for one in changed.values()])
    readings = _readings({name: pact.debt.by_test[name] for name in changed}, pact, weigh)
    equal = {name for then in readings for name, past in then.items() if _equal(past, now[name])}
    return {name: replace(changed[name], state="debt", debt_of=name) for name in equal}


def _continuing(linked: Sequence[LinkedTest], pact: Pact, weigh: Weigh) -> Mapping[str, LinkedTest]:
    """Return the new tests that continue vanished ones."""
    new = {one.test.id: one for one in linked if one.state == "orphan" and one.record is None}
    known = {one.test.id for one in linked} | {one.test.body_hash for one in linked} if new else set()
    vanished = {name: body for name, body in pact.debt.by_test.items() if known.isdisjoint((name, body))}
    if not new or not vanished:
        return {}
    now = weigh.strengths([one.test for one in new.values()])
    homes = {key: file_of(name) for name in vanished for key in (leaf(name), within(name))}
    names = {within(name): name for name in vanished}
    found: dict[str, LinkedTest] = {}
    left: list[Strengths] = []
    for then in _readings(vanished, pact, weigh):
        taken, untouched = _taking(_without(new, found), now, then, homes)
        found |= {name: replace(new[name], state="debt", debt_of=names.get(within(name), "")) for name in taken}
        left.append(untouched)
    found |= _changed_since_committed(_without(new, found), vanished, now, weigh)
    found |= _out_of_class(_without(new, found), vanished, now, pact)
    files = {one.test.file for one in linked}
    for then in left:
        found |= _alike(_without(new, found), now, then, files)
    return found


def _without(new: Mapping[str, LinkedTest], found: Collection[str]) -> Mapping[str, LinkedTest]:
    return {name: one for name, one in new.items() if name not in found}


def _readings(vanished: Mapping[str, str], pact: Pact, weigh: Weigh) -> Iterator[Strengths]:
    """Yield what the vanished tests proved when they were recorded, then the same under the product's present names."""
    grounds = {name: pact.debt.grounds.get(file_of(name), "") for name in vanished}
    files = {name: {file_of(name): digits} for name, digits in grounds.items() if digits}
    for past in (weigh.then, weigh.renamed) if files else ():
        yield {name: strength for name, (body, strength) in past(files).items() if body == vanished[name]}


def _taking(
    new: Mapping[str, LinkedTest], now: Strengths, then: Strengths, homes: Mapping[str, str]
) -> tuple[Collection[str], Strengths]:
    """Return new tests that only assert what vanished ones did, and those of the latter from which none took anything.

    `homes` are the files of vanished tests, by their names.
    """
    offered: defaultdict[str, Said] = defaultdict(Counter)
    for name, strength in then.items():
        offered[file_of(name)].update(_said(strength))
    places = {name: (homes.get(within(name)), homes.get(leaf(name)), one.test.file) for name, one in new.items()}
    taken = [name for name in new if any(_taken(now[name], offered[place]) for place in places[name] if place)]
    return taken, {name: one for name, one in then.items() if _said(one) <= offered[file_of(name)]}


def _said(strength: Strength) -> Said:
    """Count the assertions of a test; if it has none, all its calls together count as one."""
    from pactkeeper.intent.strength.expected import plainly_same  # noqa: PLC0415 - most checks find none

    claims = [fact.claim for fact in strength.facts]  # a number or text is a value or equals it, which is the same
    plain = (replace(one, relation="equals") if one.relation == "same" and plainly_same(one) else one for one in claims)
    return Counter(plain) or Counter([strength.acts] if strength.acts else ())


def _taken(strength: Strength, offered: Said) -> bool:
    """Take all assertions of a test from those offered; False if there are others, or none."""
    own = _said(strength)
    if not own or not strength.runs or not own <= offered:
        return False
    offered.subtract(own)
    return True


def _changed_since_committed(
    new: Mapping[str, LinkedTest], vanished: Mapping[str, str], now: Strengths, weigh: Weigh
) -> Mapping[str, LinkedTest]:
    """Return the tests that were committed with a vanished test's body."""
    from pactkeeper.intent.strength.change import baseline, since_baseline  # noqa: PLC0415 - most checks find none

    files = {name: {one.test.file: weigh.committed(one.test.file)} for name, one in new.items()}
    then = weigh.then(files) if files else {}
    bodies = set(vanished.values())
    return {
        name: _changed(new[name], since_baseline(baseline(old), now[name], test=name))
        for name, (body, old) in then.items()
        if body in bodies
    }


def _out_of_class(
    new: Mapping[str, LinkedTest], vanished: Iterable[str], now: Strengths, pact: Pact
) -> Mapping[str, LinkedTest]:
    """Return the tests with the name of the one vanished test in another class of their file, or in none."""
    from pactkeeper.intent.strength.change import since_baseline  # noqa: PLC0415 - likewise

    old = by_key(((file_of(name), leaf(name)), name) for name in vanished)
    alike = by_key(((one.test.file, leaf(name)), name) for name, one in new.items())
    pairs = [(names[0], old[key][0]) for key, names in alike.items() if len(names) == len(old.get(key, ())) == 1]
    marks = pact.debt.baselines
    return {
        name: _changed(new[name], since_baseline(marks.get(before, ""), now[name], test=name), before)
        for name, before in pairs
    }


def _alike(
    new: Mapping[str, LinkedTest], now: Strengths, then: Strengths, files: Container[str]
) -> Mapping[str, LinkedTest]:
    """Return the tests that prove what a vanished test did, no more and no less, one for each of these.

    That one was in their file, or in one that isn't among the `files` with tests any more.
    Where it couldn't be read what that one asserted, this can't be certain: they count as changed.
    """
    found: dict[str, LinkedTest] = {}
    heirs: set[str] = set()
    pairs = list(islice(_near(new, now, then, files), _MOST_PAIRS))
    for alike in (_equal, _may_be_equal):
        for name, before in pairs:
            if name not in found and before not in heirs and alike(then[before], now[name]):
                state: TestState = "debt" if alike is _equal else "changed_debt"
                found[name] = replace(new[name], state=state, debt_of=before)
                heirs.add(before)
    return found


def _near(
    new: Mapping[str, LinkedTest], now: Strengths, then: Strengths, files: Container[str]
) -> Iterator[tuple[str, str]]:
    """Yield each new test with each vanished one of its file, or of a gone file, that asserted of the same value."""
    by_value: defaultdict[tuple[str, Expression | None], list[str]] = defaultdict(list)
    for name, one in new.items():
        for value in _values(now[name]):
            by_value[one.test.file, value].append(name)
            by_value["", value].append(name)
    for before, strength in then.items():
        place = file_of(before) if file_of(before) in files else ""
        near = [name for value in _values(strength) for name in by_value.get((place, value), ())]
        yield from ((name, before) for name in dict.fromkeys(near))


def _values(strength: Strength) -> Collection[Expression | None]:
    """Return what a test asserts something of; of an expected error that is the call that raises it."""
    from pactkeeper.intent.strength.matching import WATCHING  # noqa: PLC0415 - likewise

    claims = (fact.claim for fact in strength.facts)
    return {one.object if one.relation in WATCHING else one.subject for one in claims}


def _equal(old: Strength, now: Strength) -> bool:
    from pactkeeper.intent.strength.review import since  # noqa: PLC0415 - likewise

    return not since(old, now, test="", whole=True) and not since(now, old, test="", whole=True)


def _may_be_equal(old: Strength, now: Strength) -> bool:
    """Whether they have something in common, the earlier one couldn't be read, and nothing certainly differs."""
    from pactkeeper.intent.strength.review import since  # noqa: PLC0415 - likewise

    if not old.unread or not _said(old) & _said(now):
        return False
    return all(one.severity != "error" for one in (*since(old, now, test=""), *since(now, old, test="")))


def _changed(entry: LinkedTest, less: tuple[Change, ...], before: str = "") -> LinkedTest:
    return replace(entry, state="changed_debt", weaker=less, debt_of=before)
