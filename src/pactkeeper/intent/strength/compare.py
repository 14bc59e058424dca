"""What became of the strength of tests between two states of the code.

Every assertion of the earlier state must be found again: as it was or stronger in the same test, or, with credit spent
once, among what is new anywhere. What is not found is matched with what stands in its place, to say how it changed.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from operator import itemgetter
from typing import Final, Literal

from pactkeeper.intent.claims import (
    Attribute,
    Call,
    Claim,
    Collection,
    Expression,
    Item,
    Name,
    Opaque,
    Operation,
    Value,
    children,
    names_in,
)
from pactkeeper.intent.strength.draws import compare_draws, without_draws
from pactkeeper.intent.strength.facts import Fact, Skipped, Strength
from pactkeeper.intent.strength.order import (
    claim_implies,
    compare,
    implies,
    is_converted,
    listed,
    loosened,
    no_narrower,
    rank,
    same_value,
)
from pactkeeper.intent.strength.render import shown, shown_skip
from pactkeeper.intent.strength.replaced import Around, Offers, pins, still_stand
from pactkeeper.intent.strength.terms import TEST_SIDE, last_name, terms_of

Kind = Literal[
    "deleted",
    "skipped",
    "hollow",
    "removed",
    "loosened",
    "conditional",
    "unawaited",
    "mocked",
    "expectation",
    "subject",
    "changed",
    "unread",
    "switched_off",
    "stronger",
]
Severity = Literal["error", "warning", "note"]
SEVERITIES: Final[Mapping[Kind, Severity]] = {
    "deleted": "error",
    "skipped": "error",
    "hollow": "error",
    "removed": "error",
    "loosened": "error",
    "conditional": "error",
    "unawaited": "error",
    "mocked": "error",
    "expectation": "warning",
    "subject": "warning",
    "changed": "warning",
    "unread": "note",
    "switched_off": "error",
    "stronger": "note",
}
_REWRITTEN: Final = "the test asserts nothing that it asserted, but something else"
_PLACE: Final = itemgetter(0)
_MOST_PAIRS: Final = 2_000  # of lost and new assertions of one test; beyond, each is compared with few
_FEW: Final = 20
_WATCHING: Final = frozenset({"raises", "warns", "logs"})
_FAKES: Final = frozenset(
    {"Mock", "MagicMock", "AsyncMock", "NonCallableMock", "create_autospec", "fn", "mocked", "stub"}
)


@dataclass(frozen=True, slots=True)
class Paired:
    """One test in both states; None on the side where it is not. `before` and `after` are its ids."""

    before: str
    after: str
    old: Strength | None
    new: Strength | None


@dataclass(frozen=True, slots=True)
class Change:
    """One thing that happened to what a test notices: the facet before and after, and where the later one stands."""

    kind: Kind
    test: str
    message: str
    old: str = ""
    new: str = ""
    line: int = 0
    severity: Severity = "error"
    before: str = ""


@dataclass(slots=True)
class _Match:
    """One pair while its facts are being matched."""

    pair: Paired
    lost: list[Fact] = field(default_factory=list)
    gained: list[Fact] = field(default_factory=list)
    tightened: list[tuple[Fact, Fact]] = field(default_factory=list)


def changes(
    pairs: Sequence[Paired], *, gone: frozenset[str] = frozenset(), touched: frozenset[str] = frozenset()
) -> tuple[Change, ...]:
    """Everything that happened to the strength of these tests.

    `gone` are names that the product no longer defines, `touched` those that its changed lines speak of.
    """
    matches = [_matched(pair) for pair in pairs]
    _credit(matches)
    new = [(one.pair.after, one.pair.new, one.gained) for one in matches if one.pair.old is None]
    fresh = [(test, replace(strength, facts=tuple(gained))) for test, strength, gained in new if strength is not None]
    around = Around.of(gone, touched, fresh)
    found = [change for match in matches for change in _told(match, around)]
    return tuple(sorted(found, key=lambda one: (one.test, one.line, one.kind)))


def _matched(pair: Paired) -> _Match:
    old = list(pair.old.facts) if pair.old is not None and pair.old.runs else []
    new = list(pair.new.facts) if pair.new is not None and pair.new.runs else []
    match = _Match(pair)
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
    fresh, every = _by_subject(match.gained), _by_subject(new)
    for fact in rest:
        stronger = _implied_by(fact, fresh) or _implied_by(fact, every)
        if stronger is None:
            match.lost.append(fact)
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
    """Facts in their order by what they are about; those about what a body raises stand under None."""
    found: defaultdict[Expression | None, list[tuple[int, Fact]]] = defaultdict(list)
    for at, fact in enumerate(facts):
        subject = fact.claim.subject
        found[None if fact.claim.relation in _WATCHING else subject].append((at, fact))
        if (whole := listed(subject)) is not None:
            found[whole].append((at, fact))
    return found


def _implied_by(fact: Fact, others: Mapping[Expression | None, list[tuple[int, Fact]]]) -> Fact | None:
    """The first fact that says as much: it is about the same value, or about one that this value is made of."""
    parts = {part for claim in (fact.claim, *fact.claim.alternatives) for part in terms_of(claim.subject)}
    candidates = sorted(((at, one) for part in (*parts, None) for at, one in others.get(part, ())), key=_PLACE)
    return next((other for _, other in candidates if implies(other, fact)), None)


def _credit(matches: Sequence[_Match]) -> None:
    """Spend what is new in any test on what was lost in another one, each assertion once."""
    pool = [(match, fact) for match in matches for fact in match.gained]
    used = {id(fact) for match in matches for _, fact in match.tightened}
    by_subject: defaultdict[Expression, list[tuple[_Match, Fact]]] = defaultdict(list)
    for match, fact in pool:
        if id(fact) not in used:
            by_subject[fact.claim.subject].append((match, fact))
    for match in matches:
        match.lost = [fact for fact in match.lost if not _spend(fact, by_subject[fact.claim.subject], match)]


def _spend(fact: Fact, offered: list[tuple[_Match, Fact]], own: _Match) -> bool:
    for at, (match, other) in enumerate(offered):
        if implies(other, fact):
            del offered[at]
            if match is not own and other in match.gained:
                match.gained.remove(other)
            return True
    return False


def _told(match: _Match, around: Around) -> Iterator[Change]:
    pair = match.pair
    if pair.old is None:
        return
    if pair.new is None:
        yield from _deleted(match, around)
        return
    yield from _skips(pair, pair.old, pair.new)
    if not pair.new.runs:
        return
    if _became_hollow(pair.old, pair.new, match) and not (
        pair.new.acts and (around.took_along(match.lost) or around.stirred(pair.old.acts))
    ):
        dead = pair.new.dead[0] if pair.new.dead else None
        why = f": {dead.why}" if dead else ""
        old = shown(pair.old.facts[0]) if pair.old.facts else "calls " + _names(pair.old.acts)
        line = dead.line if dead else 0
        yield _change(
            "hollow", pair, f"nothing is left that can fail{why}", old=old, new=dead.quote if dead else "", line=line
        )
        return
    yield from _losses(match, around)
    yield from _tries(pair, pair.old, pair.new)
    yield from _mocks(pair, pair.old, pair.new)
    yield from _gains(match)
    yield from _unread(pair, pair.old, pair.new)


def _became_hollow(old: Strength, new: Strength, match: _Match) -> bool:
    if old.facts:
        return not new.facts and not new.unread and bool(match.lost)
    return bool(old.acts) and not old.unread and new.hollow


def _names(acts: Iterable[Expression]) -> str:
    return ", ".join(dict.fromkeys(last_name(one) or "…" for one in acts))


def _change(kind: Kind, pair: Paired, message: str, *, old: str = "", new: str = "", line: int = 0,  # noqa: PLR0913
            severity: Severity | None = None) -> Change:  # fmt: skip
    return Change(kind, pair.after or pair.before, message, old, new, line, severity or SEVERITIES[kind], pair.before)


def _deleted(match: _Match, around: Around) -> Iterator[Change]:
    pair, old = match.pair, match.pair.old
    if old is None or not old.runs:
        yield _change("deleted", pair, "the test is gone; it did not run", severity="note")
        return
    if old.facts and not match.lost:
        return
    shown_first = shown(match.lost[0]) if match.lost else "calls " + _names(old.acts)
    message, severity = _why_deleted(match, old, around)
    yield _change("deleted", pair, message, old=shown_first, severity=severity)


def _why_deleted(match: _Match, old: Strength, around: Around) -> tuple[str, Severity]:
    if match.lost and all(_is_gone(fact, around.gone) for fact in match.lost):
        return "the test is gone, and so is the code it is about", "note"
    if around.took_along(match.lost) or around.stirred(old.acts):
        return "the test is gone; the code it is about changed along with it", "warning"
    if around.replaced(match.lost, old, file=match.pair.before.partition("::")[0]):
        return "the test is gone; new tests assert something like it", "warning"
    if old.facts:
        return f"the test is gone: {len(match.lost)} of {len(old.facts)} assertions stand nowhere else", "error"
    return "the test is gone: it made sure that its calls do not fail", "error"


def _is_gone(fact: Fact, gone: frozenset[str]) -> bool:
    claim = fact.claim
    terms = [claim.subject, *([claim.object] if claim.object is not None else [])]
    return bool(gone & {last_name(part) for term in terms for part in terms_of(term)})


def _skips(pair: Paired, old: Strength, new: Strength) -> Iterator[Change]:
    known = set(old.skips)
    already = not old.runs
    for skip in new.skips:
        if (
            skip in known
            or already
            or _is_known(skip, old.skips)
            or (skip.kind == "xfail" and skip.strict and old.facts == new.facts and not skip.always)
        ):
            continue
        verb = {"skip": "it is skipped", "xfail": "it may fail", "todo": "it counts as to do"}[skip.kind]
        where = "" if skip.always else " under a condition"
        yield _change("skipped", pair, f"{verb}{where} now", old="runs", new=shown_skip(skip), line=skip.line,
                      severity="error" if skip.always else "warning")  # fmt: skip


def _is_known(skip: Skipped, skips: Sequence[Skipped]) -> bool:
    return any(one.kind == skip.kind and one.condition == skip.condition and one.always == skip.always for one in skips)


def _losses(match: _Match, around: Around) -> Iterator[Change]:
    """What each lost assertion became, the surest reading first."""
    pair = match.pair
    assert pair.new is not None  # noqa: S101 - the caller looked
    free = [fact for fact in match.gained if not any(fact is new for _, new in match.tightened)]
    told: set[tuple[str, str, str]] = set()
    many = len(match.lost) * len(free) > _MOST_PAIRS
    own = [_loss(fact, free, pair, around, many=many) for fact in match.lost]
    offers, standing = Offers(free), still_stand(pair.old or Strength(), pair.new)
    moved = pair.old is not None and around.stirred(pair.old.acts)
    anew = pair.old is not None and len(match.lost) == len(pair.old.facts) and any(map(pins, match.gained))
    for fact, change in zip(match.lost, own, strict=True):
        one = change or _removed(fact, offers, around, pair, moved=moved)
        if one.kind == "removed" and one.severity == "error" and (anew or fact.quote in standing):
            message = _REWRITTEN if anew else "the same line is about something else now"
            one = replace(one, kind="changed", message=message, severity="warning")
        key = (one.kind, one.old, one.new)
        if key not in told:
            told.add(key)
            yield one


def _removed(fact: Fact, offers: Offers, around: Around, pair: Paired, *, moved: bool) -> Change:
    if _is_gone(fact, around.gone):
        message = "an assertion is gone, and so is the code it is about"
        return _change("removed", pair, message, old=shown(fact), severity="note")
    if moved or around.took_along([fact]):
        message = "an assertion is gone; the code it is about changed along with it"
        return _change("removed", pair, message, old=shown(fact), severity="warning")
    other = offers.stand_in(fact, alike=False) or around.elsewhere.stand_in(fact, alike=True)
    if other is not None:
        return _facets("changed", pair, "another assertion stands in its place", fact, other)
    return _change("removed", pair, "an assertion is gone", old=shown(fact), line=0)


def _loss(fact: Fact, free: list[Fact], pair: Paired, around: Around, *, many: bool) -> Change | None:
    near = [other for other in free if other.quote == fact.quote][:_FEW] if many else free
    for finder in (_weaker, _conditional, _drawn, _expectation, _as_exact, _loosened, _incomparable, _subject):
        for other in near:
            change = finder(fact, other, pair)
            if change is not None:
                if change.kind != "loosened":
                    free.remove(other)
                elif (_read_anew(fact, other) or not implies(fact, other)) and around.took_along([fact]):
                    return replace(change, severity="warning")  # the product gives something else now
                return change
    return _dead_now(fact, pair)


def _read_anew(fact: Fact, other: Fact) -> bool:
    """Whether a value is pinned down as before, and only how it is read from what the product gives has changed."""
    return fact.claim.subject != other.claim.subject and fact.claim.relation == other.claim.relation == "equals"


def _as_firm(fact: Fact, other: Fact) -> bool:
    return rank(other.claim) >= rank(fact.claim)


def _dead_now(fact: Fact, pair: Paired) -> Change | None:
    """An assertion that still stands in the source and can no longer fail."""
    if pair.new is None or any(other.quote == fact.quote for other in pair.new.facts):
        return None  # another row reaches it
    words = " ".join(fact.quote.split())
    dead = next((one for one in pair.new.dead if one.quote and " ".join(one.quote.split()) == words), None)
    if dead is None:
        return None
    return _change(
        "removed", pair, f"an assertion can no longer fail: {dead.why}", old=shown(fact), new=dead.quote, line=dead.line
    )


def _weaker(fact: Fact, other: Fact, pair: Paired) -> Change | None:
    if compare(fact, other) != "weaker":
        return None
    if fact.awaited and not other.awaited:
        return _facets("unawaited", pair, "nothing waits for an assertion any more", fact, other)
    if not no_narrower(other, fact):
        return _under(fact, other, pair)
    proven = not (is_converted(fact.claim, other.claim) or _pinned_anew(fact, other, pair))
    return _facets("loosened", pair, "an assertion says less", fact, other, severity=None if proven else "warning")


def _conditional(fact: Fact, other: Fact, pair: Paired) -> Change | None:
    if no_narrower(other, fact) or not claim_implies(other.claim, fact.claim):
        return None
    if not no_narrower(fact, other):
        return _facets("changed", pair, "an assertion is made under another condition now", fact, other)
    return _under(fact, other, pair)


def _under(fact: Fact, other: Fact, pair: Paired) -> Change:
    """An assertion under one more condition; what rows hold that are not written out, nobody knows."""
    unknown = any(
        isinstance(part, Operation) and part.operator == "row" for one in other.conditions for part in terms_of(one)
    )
    severity: Severity = "warning" if unknown else "error"
    return _facets(
        "conditional", pair, "an assertion is made only under a condition now", fact, other, severity=severity
    )


def _as_exact(fact: Fact, other: Fact, pair: Paired) -> Change | None:
    """Something else about the same value that pins down no less."""
    return _incomparable(fact, other, pair) if _as_firm(fact, other) else None


def _loosened(fact: Fact, other: Fact, pair: Paired) -> Change | None:
    crossed = (fact.claim.relation in _WATCHING) is not (other.claim.relation in _WATCHING)
    if crossed or not loosened(fact.claim, other.claim):
        return None
    proven = no_narrower(fact, other) and not _pinned_anew(fact, other, pair)
    return _facets("loosened", pair, "an assertion says less", fact, other, severity=None if proven else "warning")


def _pinned_anew(fact: Fact, other: Fact, pair: Paired) -> bool:
    """Whether, beside what it became, another new assertion pins down as much of the same value."""
    known = {other, *(pair.old.facts if pair.old is not None else ())}
    fresh = (one.claim for one in (pair.new.facts if pair.new is not None else ()) if one not in known)
    return any(same_value(fact.claim.subject, one.subject) and rank(one) >= rank(fact.claim) for one in fresh)


def _drawn(fact: Fact, other: Fact, pair: Paired) -> Change | None:
    """The same property, tried with values drawn from elsewhere."""
    if fact.claim == other.claim or without_draws(fact.claim) != without_draws(other.claim):
        return None
    width = compare_draws(fact.claim, other.claim)
    if width == "stronger":
        return _facets("stronger", pair, "a property is tried with more values", fact, other)
    kind: Kind = "loosened" if width == "weaker" else "changed"
    return _facets(kind, pair, "a property is tried with other values", fact, other)


def _expectation(fact: Fact, other: Fact, pair: Paired) -> Change | None:
    one, two = fact.claim, other.claim
    if one.subject != two.subject or one.relation != two.relation:
        return None
    if one.relation in _WATCHING and one.qualifiers == two.qualifiers:
        return None
    return _facets("expectation", pair, "another result is expected", fact, other)


def _incomparable(fact: Fact, other: Fact, pair: Paired) -> Change | None:
    one, two = fact.claim, other.claim
    if (one.relation in _WATCHING) is not (two.relation in _WATCHING) or not same_value(one.subject, two.subject):
        return None
    if one.relation in _WATCHING and two.relation == one.relation and one.qualifiers == two.qualifiers:
        return None
    return _facets("changed", pair, "an assertion about the same value says something else", fact, other)


def _subject(fact: Fact, other: Fact, pair: Paired) -> Change | None:
    one, two = fact.claim, other.claim
    alike = (one.relation, one.negated, one.object) == (two.relation, two.negated, two.object)
    same = alike and set(one.qualifiers) <= set(two.qualifiers)
    if one.relation in _WATCHING and two.relation == one.relation:
        same = one.subject == two.subject
    if not same:
        return None
    if _is_fake(two.subject) and not _is_fake(one.subject):
        return _facets("mocked", pair, "what is asserted is a fake's own answer", fact, other)
    message = "the same is asserted of something else"
    if fact.awaited and not other.awaited:
        return _facets("unawaited", pair, "nothing waits for an assertion any more", fact, other)
    sure = no_narrower(other, fact) and not _other_input(one, two)
    return _facets("subject", pair, message, fact, other, severity="note" if sure else None)


def _is_fake(one: Expression) -> bool:
    """Whether a fake is part of it, or it is read from a function on the spot or from what the test side defines.

    A fake among the options of a call only listens.
    """
    if any(last_name(part) in _FAKES for part in _outside_of_options(one) if isinstance(part, Call | Name)):
        return True
    while isinstance(one, Attribute | Item | Call):
        one = one.function if isinstance(one, Call) else one.value
    return one == TEST_SIDE or (isinstance(one, Opaque) and one.text != "import")


def _outside_of_options(one: Expression) -> Iterator[Expression]:
    yield one
    if not (isinstance(one, Collection) and one.kind == "mapping"):
        for part in children(one):
            yield from _outside_of_options(part)


def _other_input(one: Claim, two: Claim) -> bool:
    """Whether what both claims call is given other literals, or, where they share nothing, all that they call."""
    mine, theirs = _inputs(one), _inputs(two)
    if not mine.keys() & theirs.keys():
        return sorted(map(sorted, mine.values())) != sorted(map(sorted, theirs.values()))
    return any(mine[name] != theirs[name] for name in mine.keys() & theirs.keys())


def _inputs(claim: Claim) -> dict[str, list[tuple[str, ...]]]:
    """The literals that every call of a claim is given itself, in their order, by the last name of what is called."""
    found: defaultdict[str, list[tuple[str, ...]]] = defaultdict(list)
    for term in (claim.subject, claim.object):
        for part in terms_of(term) if term is not None else ():
            if isinstance(part, Call):
                given = (text for argument in part.arguments for text in _literals(argument.value))
                found[last_name(part)].append(tuple(given))
    return {name: sorted(calls) for name, calls in found.items()}


def _literals(one: Expression) -> Iterator[str]:
    if isinstance(one, Value):
        yield repr(one)
    elif isinstance(one, Collection):
        for item in one.items:
            yield from _literals(item)


def _facets(  # noqa: PLR0913, PLR0917 - what happened, where, and both facets
    kind: Kind, pair: Paired, message: str, fact: Fact, other: Fact, *, severity: Severity | None = None
) -> Change:
    return _change(kind, pair, message, old=shown(fact), new=shown(other), line=other.line, severity=severity)


def _tries(pair: Paired, old: Strength, new: Strength) -> Iterator[Change]:
    if old.tries is not None and new.tries is not None and new.tries < old.tries:
        severity: Severity = "error" if new.tries * 2 < old.tries else "warning"
        yield _change("loosened", pair, "it is tried with fewer examples", old=f"{old.tries} examples",
                      new=f"{new.tries} examples", severity=severity)  # fmt: skip


def _mocks(pair: Paired, old: Strength, new: Strength) -> Iterator[Change]:
    """Something that the assertions are about is replaced by the test itself."""
    subjects = {
        name.rpartition(".")[2]
        for fact in old.facts
        for name in (*names_in([fact.claim.subject, fact.claim.object]), *_called(fact))
    }
    for target in new.mocks:
        if target not in old.mocks and target.rpartition(".")[2] in subjects:
            yield _change("mocked", pair, f"it replaces {target!r}, which its assertions are about", old="", new=target)


def _called(fact: Fact) -> set[str]:
    terms = [term for term in (fact.claim.subject, fact.claim.object) if term is not None]
    return {last_name(part) for term in terms for part in terms_of(term) if isinstance(part, Call | Attribute)}


def _gains(match: _Match) -> Iterator[Change]:
    pair = match.pair
    for old, new in match.tightened[:1]:
        yield _facets("stronger", pair, "an assertion says more", old, new)
    if match.pair.old is not None and not match.lost and not match.tightened and match.gained:
        number = len(match.gained)
        words = "an assertion is new" if number == 1 else f"{number} assertions are new"
        yield _change("stronger", pair, words, new=shown(match.gained[0]), line=match.gained[0].line)
    for skip in match.pair.old.skips if match.pair.old is not None else ():
        if skip.always and pair.new is not None and pair.new.runs:
            yield _change("stronger", pair, "it runs again", old=shown_skip(skip), new="runs")


def _unread(pair: Paired, old: Strength, new: Strength) -> Iterator[Change]:
    fresh = [reason for reason in new.unread if reason not in old.unread]
    if fresh and len(new.unread) > len(old.unread):
        yield _change("unread", pair, f"something could not be read: {fresh[0]}")
