"""Which assertions of a test are found again: in the same test, or once anywhere else."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from operator import itemgetter
from typing import Final

from pactkeeper.intent.claims import Expression
from pactkeeper.intent.strength.change import Paired
from pactkeeper.intent.strength.facts import Fact, Strength, implies, listed, with_words
from pactkeeper.intent.strength.terms import terms_of

_PLACE: Final = itemgetter(0)
WATCHING: Final = frozenset({"raises", "warns", "logs"})


@dataclass(slots=True)
class Match:
    """One pair while its facts are being matched; `repeated` says that another test makes up for a deleted one."""

    pair: Paired
    lost: list[Fact] = field(default_factory=list)
    gained: list[Fact] = field(default_factory=list)
    tightened: list[tuple[Fact, Fact]] = field(default_factory=list)
    repeated: bool = False


def match_of(pair: Paired) -> Match:
    """Match the earlier assertions of one test with those of its later state."""
    old = list(pair.old.facts) if pair.old is not None and pair.old.runs else []
    new = list(pair.new.facts) if pair.new is not None and pair.new.runs else []
    match = Match(pair)
    by_fact: defaultdict[Fact, int] = defaultdict(int)
    for fact in new:
        by_fact[fact] += 1
    rest = []
    for fact in old:
        if by_fact[fact]:
            by_fact[fact] -= 1
        else:
            rest.append(fact)
    match.gained = _left(new, old)
    fresh, every, worded = _by_subject(match.gained), _by_subject(new), _by_subject(with_words(new))
    for fact in rest:
        stronger = _implied_by(fact, fresh) or _implied_by(fact, every) or _implied_by(fact, worded)
        if stronger is None and pair.new is not None and _still_done(fact, pair.new):
            continue
        if stronger is None:
            match.lost.append(fact)
        elif stronger in match.gained and implies(fact, stronger):
            match.gained.remove(stronger)  # the same in other words
        elif stronger in match.gained:
            match.tightened.append((fact, stronger))
    return match


def _left(new: Sequence[Fact], old: Sequence[Fact]) -> list[Fact]:
    counted: defaultdict[Fact, int] = defaultdict(int)
    for fact in old:
        counted[fact] += 1
    left = []
    for fact in new:
        if counted[fact]:
            counted[fact] -= 1
        else:
            left.append(fact)
    return left


def _by_subject(facts: Iterable[Fact]) -> Mapping[Expression | None, list[tuple[int, Fact]]]:
    """Group facts by subject, in order; those about what a body raises are under None."""
    found: defaultdict[Expression | None, list[tuple[int, Fact]]] = defaultdict(list)
    for at, fact in enumerate(facts):
        subject = fact.claim.subject
        found[None if fact.claim.relation in WATCHING else subject].append((at, fact))
        if (whole := listed(subject)) is not None:
            found[whole].append((at, fact))
    return found


def _implied_by(fact: Fact, others: Mapping[Expression | None, list[tuple[int, Fact]]]) -> Fact | None:
    """Return the first fact that says as much about the same value, or about one that contains it."""
    parts = {part for claim in (fact.claim, *fact.claim.alternatives) for part in terms_of(claim.subject)}
    if fact.claim.negated and fact.claim.relation == "raises" and fact.claim.object is not None:
        parts.add(fact.claim.object)  # that it completes is a claim about the call
    candidates = sorted(((at, one) for part in (*parts, None) for at, one in others.get(part, ())), key=_PLACE)
    return next((other for _, other in candidates if implies(other, fact)), None)


def _still_done(fact: Fact, new: Strength) -> bool:
    """Whether a call that must not raise is still made, so that the test fails if it raises."""
    claim = fact.claim
    done = claim.subject if claim.relation == "completes" else claim.object if claim.negated else None
    return claim.relation in {"completes", "raises"} and done in new.acts and new.runs


def credit(matches: Sequence[Match]) -> None:
    """Use new assertions of any test to offset those lost in another one, each once."""
    pool = [(match, fact) for match in matches for fact in match.gained]
    used = {id(fact) for match in matches for _, fact in match.tightened}
    by_subject: defaultdict[Expression, list[tuple[Match, Fact]]] = defaultdict(list)
    for match, fact in pool:
        if id(fact) not in used:
            by_subject[fact.claim.subject].append((match, fact))
    for match in matches:
        match.lost = [fact for fact in match.lost if not _spend(fact, by_subject[fact.claim.subject], match)]


def stand_by_fixture(matches: Sequence[Match], elsewhere: Callable[[Fact], bool]) -> None:
    """Drop losses of deleted tests from a fixture that makes the same assertion for a remaining test.

    `elsewhere` answers for tests that are not among the matches.
    """
    later = (match.pair.new for match in matches if match.pair.new is not None and match.pair.new.runs)
    held = {(fact.fixture, fact) for strength in later for fact in strength.facts if fact.fixture}
    for match in matches:
        if match.pair.new is None:
            match.lost = [
                fact for fact in match.lost if not (fact.fixture and ((fact.fixture, fact) in held or elsewhere(fact)))
            ]


def _spend(fact: Fact, offered: list[tuple[Match, Fact]], own: Match) -> bool:
    for at, (match, other) in enumerate(offered):
        if implies(other, fact):
            del offered[at]
            if match is not own and other in match.gained:
                match.gained.remove(other)
            return True
    return False
