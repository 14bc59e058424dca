"""Which assertions of a test are found again: in the same test, once anywhere else, or under other names."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import takewhile
from operator import itemgetter
from typing import Final

from pactkeeper.intent.claims import (
    Argument,
    Attribute,
    Call,
    Claim,
    Collection,
    Expression,
    Name,
    Opaque,
    Operation,
    Raised,
    Subscript,
    Value,
    children,
)
from pactkeeper.intent.strength.awaiting import Awaiting, makes_all
from pactkeeper.intent.strength.change import Paired
from pactkeeper.intent.strength.errors import told
from pactkeeper.intent.strength.facts import STORED, Fact, Strength, implies, listed, no_narrower
from pactkeeper.intent.strength.folding import is_constant
from pactkeeper.intent.strength.replaced import BUILTIN, WORD
from pactkeeper.intent.strength.terms import CAUGHT, RAISED, last_name, operator_of, terms_of
from pactkeeper.intent.strength.together import links_two, said_together

_PLACE: Final = itemgetter(0)
BySubject = Mapping[Expression | None, list[tuple[int, Fact]]]
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
    old = pair.was.facts if pair.was.runs else ()
    new = pair.now.facts if pair.now.runs else ()
    match = Match(pair, gained=_left(_each_once(new), old))
    rest = [fact for fact in _left(old, new) if not _is_inline(fact, pair.now)]
    fresh, every, worded = _by_subject(match.gained), _by_subject(new), _by_subject(_told(new))
    fewer = pair.old is not None and pair.new is not None and pair.new.rows < pair.old.rows
    missing = Counter() if fewer else _missing(rest, old, every)  # lost rows are reported as such
    chained = any(map(links_two, (*old, *new)))
    for fact in rest:
        if missing[fact]:
            missing[fact] -= 1
            match.lost.append(fact)
            continue
        stronger = _implied_by(fact, fresh) or _implied_by(fact, every) or _implied_by(fact, worded)
        kept = stronger is not None or (chained and said_together(fact, new, old))
        if not (kept or _still_done(fact, pair.now) or _fails_anyway(fact, pair)):
            match.lost.append(fact)
        elif stronger is not None and stronger in match.gained and implies(fact, stronger):
            match.gained.remove(stronger)  # the same in other words
        elif stronger is not None and stronger in match.gained:
            match.tightened.append((fact, stronger))
    match.gained = [one for one in match.gained if not (chained and said_together(one, old, new))]
    awaiting = Awaiting.of(pair.was, pair.now) if match.lost else None
    match.lost = list(awaiting.unheard(_each_once(match.lost))) if awaiting is not None else []
    return match


def _is_inline(fact: Fact, now: Strength) -> bool:
    """Whether what was stored for a snapshot stands in the test itself now."""
    one = fact.claim
    return one.subject == STORED and isinstance(one.object, Value) and one.object.text in now.inline


def _each_once(facts: Iterable[Fact]) -> list[Fact]:
    """Return the facts without those that repeat another one at the same moment, and so say nothing more."""
    return list({(fact, fact.moment or id(fact)): fact for fact in facts}.values())


def _missing(rest: Sequence[Fact], old: Sequence[Fact], later: BySubject) -> Counter[Fact]:
    """Count at how many moments fewer each assertion is made now, if it was made at several.

    Whatever says as much at another moment stands for it; so does an assertion made an unknown number of times.
    """
    earlier: defaultdict[Fact, set[int]] = defaultdict(set)
    for fact in old:
        earlier[fact].add(fact.moment)
    missing: Counter[Fact] = Counter()
    for fact in dict.fromkeys(rest):
        if len(earlier[fact]) > 1:
            now = {one.moment for one in _implying(fact, later)}
            known = now and 0 not in now | earlier[fact]
            missing[fact] = len(earlier[fact]) - len(now) if known else 0
    return missing


def _left(some: Iterable[Fact], others: Iterable[Fact]) -> list[Fact]:
    """Return the facts that aren't among the others, each of which counts once."""
    counted = Counter(others)
    left = []
    for fact in some:
        if counted[fact] > 0:
            counted[fact] -= 1
        else:
            left.append(fact)
    return left


def _by_subject(facts: Iterable[Fact]) -> BySubject:
    """Group facts by subject, in order; those about what a body raises are under None."""
    found: defaultdict[Expression | None, list[tuple[int, Fact]]] = defaultdict(list)
    for at, fact in enumerate(facts):
        subject = fact.claim.subject
        found[None if fact.claim.relation in WATCHING else subject].append((at, fact))
        if (whole := listed(subject)) is not None:
            found[whole].append((at, fact))
    return found


def _implied_by(fact: Fact, others: BySubject) -> Fact | None:
    return next(_implying(fact, others), None)


def _implying(fact: Fact, others: BySubject) -> Iterator[Fact]:
    """The facts that say as much about the same value, or about one that contains it, in order."""
    parts = {part for claim in (fact.claim, *fact.claim.alternatives) for part in terms_of(claim.subject)}
    if fact.claim.negated and fact.claim.relation == "raises" and fact.claim.object is not None:
        parts.add(fact.claim.object)  # that it completes is a claim about the call
    if fact.claim.relation == "contains" and fact.claim.object is not None:
        parts.add(Subscript(fact.claim.subject, fact.claim.object))
    candidates = sorted(((at, one) for part in (*parts, None) for at, one in others.get(part, ())), key=_PLACE)
    return (other for _, other in candidates if implies(other, fact))


def _told(facts: Sequence[Fact]) -> Iterator[Fact]:
    """Yield expected errors with what the assertions after them, up to the next one, say of the error."""
    for at, fact in enumerate(facts):
        if fact.claim.relation == "raises" and not fact.claim.negated:
            after = takewhile(lambda one: one.claim.relation != "raises", facts[at + 1 :])
            whole = told(fact.claim, (one.claim for one in after if no_narrower(one, fact)))
            yield from [replace(fact, claim=whole)] if whole != fact.claim else []


def _still_done(fact: Fact, new: Strength) -> bool:
    """Whether a call that must not raise is still made, so that the test fails if it raises."""
    claim = fact.claim
    done = claim.subject if claim.relation == "completes" else claim.object if claim.negated else None
    return claim.relation in {"completes", "raises"} and done in new.acts and new.runs


def _fails_anyway(fact: Fact, pair: Paired) -> bool:
    """Whether a test that failed in a handler, whatever was raised, does all that it did and catches nothing now.

    What only the handler did, with the error, needn't be done.
    """
    handles = bool(fact.conditions) and all(operator_of(one) == RAISED for one in fact.conditions)
    if not (handles and is_constant(fact.claim.subject)):
        return False
    done = [one.claim.subject for one in pair.now.facts if one.claim.relation == "completes"]
    called = [one for one in pair.was.acts if last_name(one) not in _CHAINING]
    was = Counter(last_name(one) for one in called if not any(map(_is_raised, terms_of(one))))
    now = Counter(last_name(one) for one in (*pair.now.acts, *done))
    return was <= now and not any(operator_of(step) == CAUGHT for step in pair.now.steps)


def _is_raised(one: Expression) -> bool:
    return isinstance(one, Raised)


def credit(matches: Sequence[Match]) -> None:
    """Use new assertions of any test to offset those lost in another one, each once."""
    pool = [(match, fact) for match in matches for fact in match.gained]
    used = {id(fact) for match in matches for _, fact in match.tightened}
    by_subject: defaultdict[Expression, list[tuple[Match, Fact]]] = defaultdict(list)
    for match, fact in pool:
        if id(fact) not in used:
            by_subject[fact.claim.subject].append((match, fact))
    for match in matches:
        given = [(fact, _spend(fact, by_subject[fact.claim.subject], match)) for fact in match.lost]
        heirs = [heir for _, heir in given if heir is not None]
        match.lost = [fact for fact, heir in given if heir is None and not _ends_in(heirs, fact, match)]


def _ends_in(heirs: Sequence[Match], fact: Fact, own: Match) -> bool:
    """Whether a lost assertion only ended a deleted test (`done()`), and the tests that took it over end by waiting."""
    ends = own.pair.new is None and fact.claim.relation == "satisfies" and last_name(fact.claim.subject) == "done"
    later = [heir.pair.now for heir in heirs] if ends else []
    return bool(later) and all(makes_all(one) or Awaiting.of(own.pair.was, one).waits() for one in later)


def spare(matches: Sequence[Match]) -> Iterator[Fact]:
    """Yield what tests that keep their name and rows and lose nothing assert newly, but for what says more."""
    for match in matches:
        pair = match.pair
        if pair.before == pair.after and not match.lost and pair.now.rows <= pair.was.rows:
            used = [new for _, new in match.tightened]
            yield from (fact for fact in match.gained if not any(fact is one for one in used))


def grown(matches: Sequence[Match]) -> Iterator[tuple[str, Strength]]:
    """Yield the tests that have more rows now, with these rows and what is new in them."""
    for match in matches:
        pair = match.pair
        if pair.old is not None and pair.now.rows > pair.was.rows:
            yield pair.after, replace(pair.now, facts=tuple(match.gained), rows=pair.now.rows - pair.was.rows)


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


def _spend(fact: Fact, offered: list[tuple[Match, Fact]], own: Match) -> Match | None:
    """Take an offered assertion that says as much, and return the test that makes it; None if there is none."""
    for at, (match, other) in enumerate(offered):
        both = match is not own and all(_replaces(each, fact) for each in (match.lost, own.gained))
        if implies(other, fact) and not both:
            del offered[at]
            if match is not own and other in match.gained:
                match.gained.remove(other)
            return match
    return None


def _replaces(some: Iterable[Fact], fact: Fact) -> bool:
    """Whether one of some assertions is like another one but for what is expected: in both tests, it is another now."""
    about = (fact.claim.subject, fact.claim.relation, fact.claim.negated)
    return any((one.claim.subject, one.claim.relation, one.claim.negated) == about for one in some)


_CHAINING: Final = frozenset({"then", "catch", "finally"})  # what handles a promise does nothing itself
_TIGHTER = {"spec": -1, "spec_set": -1}  # arguments that restrict a mock
_SAID = {"match", "message"}
_MOST = 20_000  # pairs of assertions to compare, at most


@dataclass(frozen=True, slots=True)
class Spelling:
    """What changed definitions imply for names: which are `gone`, which are `fresh`, and what calls `need` now.

    `needs` maps each function or class to its new parameters without a default: name and position. `bases` are pairs of
    a class and one of its bases, `moving` the words of the product's changed lines, `kept` what its changed files
    define before and after, `about` the functions that changed and the words that came or went. `alike` says whether
    two terms are the same text, read from files, and `stands` whether a name belongs to the language or to code that
    didn't change.
    """

    gone: frozenset[str] = frozenset()
    fresh: frozenset[str] = frozenset()
    needs: Mapping[str, Mapping[str, int]] = field(default_factory=dict)
    bases: frozenset[tuple[str, str]] = frozenset()
    moving: frozenset[str] = frozenset()
    kept: frozenset[str] = frozenset()
    about: frozenset[str] = frozenset()
    alike: Callable[[Expression, Expression], bool] = field(default=lambda _one, _other: False, compare=False)
    stands: Callable[[str], bool] = field(default=lambda _: False, compare=False)

    def same(self, one: Expression | None, other: Expression | None) -> bool:
        """Whether the later term is the earlier one, reworded by the change."""
        if one is None or other is None or one == other:
            return one == other
        if isinstance(one, Name | Attribute) and isinstance(other, Name | Attribute):
            return self._named(one, other)
        if isinstance(one, Value) and isinstance(other, Value):
            return one.kind == other.kind and self._worded(one.text, other.text)
        if type(one) is not type(other) or isinstance(one, Opaque) or self.alike(one, other):
            return self.alike(one, other)
        if isinstance(one, Call) and isinstance(other, Call):
            return self.same(one.function, other.function) and self._given(one.arguments, self._without(other))
        if isinstance(one, Collection) and one.kind == "mapping":
            return _form(one) == _form(other) and self._entries(one.items, children(other))
        if isinstance(one, Operation | Collection | Raised | Subscript):
            return _form(one) == _form(other) and self._all(children(one), children(other))
        return False

    def _named(self, one: Name | Attribute, other: Name | Attribute) -> bool:
        if one.name != other.name and not self._renamed(one.name, other.name):
            return False
        if isinstance(one, Attribute) and isinstance(other, Attribute):
            return self.same(one.value, other.value)
        return isinstance(one, Name) and isinstance(other, Name)

    def _renamed(self, one: str, other: str) -> bool:
        """Whether the later name may be the earlier one; of a class, an error or a constant it must be the only one."""
        anew = one in self.gone and other in self.fresh
        if one[:1].isupper() or other[:1].isupper():
            return anew and not (self.stands(one) or self.stands(other))
        moved = {one, other} <= self.moving and one not in self.kept
        return (anew or moved) and not (self.stands(one) and self.stands(other))

    def _entries(self, ones: Sequence[Expression], others: Sequence[Expression]) -> bool:
        """Whether the entries are the same, with keys possibly renamed in the changed lines."""
        keys = zip(ones[::2], others[::2], strict=False)
        texts = ((one, other) for one, other in keys if isinstance(one, Value) and isinstance(other, Value))
        renamed = {one for one, other in texts if self._renamed(one.text, other.text)}
        pairs = zip(ones, others, strict=False)
        return len(ones) == len(others) and all(one in renamed or self.same(one, other) for one, other in pairs)

    def _said(self, ones: Sequence[Argument], others: Sequence[Argument]) -> bool:
        """Whether only the message of an error differs, by words of the product's changed lines."""
        said = [[each.value.text for each in one if isinstance(each.value, Value)] for one in (ones, others)]
        old, new = (set(WORD.findall(" ".join(texts))) for texts in said)
        if [each.name for each in ones] != [each.name for each in others] or not {each.name for each in ones} <= _SAID:
            return False
        return bool(old - new) and bool(new - old) and old ^ new <= self.moving | BUILTIN

    def _worded(self, one: str, other: str) -> bool:
        """Whether two texts differ only in words that the code no longer has and those that are new."""
        mine, theirs = (re.split(r"(\w+)", text) for text in (one, other))
        renamed = ((old, new) for old, new in zip(mine, theirs, strict=False) if old != new)
        return len(mine) == len(theirs) and all(old in self.gone and new in self.fresh for old, new in renamed)

    def _all(self, ones: Sequence[Expression], others: Sequence[Expression]) -> bool:
        return len(ones) == len(others) and all(map(self.same, ones, others))

    def _given(self, ones: Sequence[Argument], others: Sequence[Argument]) -> bool:
        """Whether the arguments are the same, even if some changed between named and positional."""
        if len(ones) != len(others):
            return False
        names = {each.name for each in ones if each.name}
        pairs = list(zip(ones, others, strict=True))
        if names and names == {each.name for each in others if each.name}:
            by_name = {each.name: each.value for each in others}
            pairs = [(one, Argument(by_name[one.name], one.name) if one.name else other) for one, other in pairs]
        return all(
            (one.name == other.name or None in {one.name, other.name}) and self.same(one.value, other.value)
            for one, other in pairs
        )

    def _without(self, call: Call) -> Sequence[Argument]:
        """Return the arguments of a call except those its function newly requires."""
        needed = self.needs.get(last_name(call), _TIGHTER if last_name(call).endswith("Mock") else {})
        places = set(needed.values())
        return [
            each
            for at, each in enumerate(call.arguments)
            if not (each.name in needed or (each.name is None and at in places))
        ]

    def same_fact(self, one: Fact, other: Fact) -> bool:
        """Whether two assertions are the same, reworded by the change, under the same conditions."""
        return (
            (one.awaited, len(one.conditions)) == (other.awaited, len(other.conditions))
            and self._same_claim(one.claim, other.claim)
            and self._all(one.conditions, other.conditions)
        )

    def _same_claim(self, one: Claim, other: Claim) -> bool:
        return (
            (one.relation, one.negated, one.each) == (other.relation, other.negated, other.each)
            and (self.same(one.subject, other.subject) or self._is_narrower(one, other))
            and self.same(one.object, other.object)
            and (self._given(one.qualifiers, other.qualifiers) or self._said(one.qualifiers, other.qualifiers))
            and len(one.alternatives) == len(other.alternatives)
            and all(map(self._same_claim, one.alternatives, other.alternatives))
        )

    def _is_narrower(self, one: Claim, other: Claim) -> bool:
        """Whether the expected exception is a subclass of the earlier one."""
        pair = last_name(other.subject), last_name(one.subject)
        return one.relation == "raises" and not one.negated and pair in self.bases


AS_IT_WAS = Spelling()


def _form(one: Expression) -> str:
    return one.operator if isinstance(one, Operation) else one.kind if isinstance(one, Collection) else ""


def respell(matches: Sequence[Match], spelling: Spelling) -> None:
    """Remove assertions that only changed their spelling from those lost and gained, each once."""
    fresh = [(match, fact) for match in matches if match.pair.old is None for fact in match.gained]
    for match in matches:
        own = [(match, fact) for fact in match.gained]
        offered = own or (fresh if match.pair.new is None else [])
        if len(match.lost) * len(offered) <= _MOST:
            match.lost = list(_unclaimed(match.lost, offered, spelling))


def _unclaimed(lost: Iterable[Fact], offered: list[tuple[Match, Fact]], spelling: Spelling) -> Iterator[Fact]:
    for fact in lost:
        at = next((at for at, (_, other) in enumerate(offered) if spelling.same_fact(fact, other)), None)
        if at is None:
            yield fact
        else:
            match, other = offered.pop(at)
            match.gained = [one for one in match.gained if one is not other]
