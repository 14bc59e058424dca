"""What became of each assertion that was not found again, the most certain explanation first."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Final

from pactkeeper.intent.claims import (
    Attribute,
    Call,
    Claim,
    Expression,
    Operation,
    Raised,
    Subscript,
)
from pactkeeper.intent.strength.change import Change, Kind, Paired, Severity, change_of, facet_change, shown
from pactkeeper.intent.strength.covering import keeps
from pactkeeper.intent.strength.expected import is_object
from pactkeeper.intent.strength.facts import (
    MORE_ROWS,
    TOO_MANY,
    Fact,
    Strength,
    claim_implies,
    compare,
    implies,
    is_converted,
    loosened,
    no_narrower,
    rank,
    same_value,
)
from pactkeeper.intent.strength.faking import answers, is_fake, without_fakes
from pactkeeper.intent.strength.folding import is_constant
from pactkeeper.intent.strength.identity import only_in_identity
from pactkeeper.intent.strength.inputs import changed_by, compare_draws, other_input, without_draws
from pactkeeper.intent.strength.matching import WATCHING, Match
from pactkeeper.intent.strength.relations import acts_of
from pactkeeper.intent.strength.replaced import BUILTIN, WORD, Around, Offers, called, names_of, pins, still_stand
from pactkeeper.intent.strength.terms import (
    RAISE,
    TEST_SIDE,
    is_part,
    last_name,
    negated_term,
    parts_in,
    root,
    terms_of,
)

_REWRITTEN: Final = "the test asserts nothing that it asserted, but something else"
_MOST_PAIRS: Final = 2_000  # of lost and new assertions in one test; beyond it, each is compared with only a few
_FEW: Final = 20
_NEXT_TO_NOTHING: Final = 2  # the rank of mere existence
_EQUAL: Final = frozenset({"equals", "same"})
_PLANS: Final = frozenset({"assertions", "plan"})
_SEVERAL: Final = frozenset({"each", "given", "member"})
_OWN: Final = frozenset({"touched", "changed"})


def is_gone(fact: Fact, gone: frozenset[str]) -> bool:
    """Whether an assertion refers to a name that the product no longer defines."""
    return bool(gone & set(map(last_name, parts_in(fact.claim))))


def losses_of(match: Match, around: Around) -> Iterator[Change]:
    """Yield what each lost assertion became, the most certain explanation first."""
    pair = match.pair
    assert pair.new is not None  # noqa: S101 - the caller checked
    free = [fact for fact in match.gained if not any(fact is new for _, new in match.tightened)]
    told: set[tuple[str, str, str]] = set()
    many = len(match.lost) * len(free) > _MOST_PAIRS
    offers = Offers(list(free))
    own = _became(match.lost, free, pair, around, offers=offers, many=many)
    standing = still_stand(pair.old or Strength(), pair.new)
    moved = pair.old is not None and around.stirred(pair.old.acts)
    unread = _unread_anew(pair)
    anew = pair.old is not None and len(match.lost) == len(pair.old.facts) and any(map(pins, match.gained))
    for fact, change in zip(match.lost, own, strict=True):
        one = change or _removed(fact, offers, around, pair, moved=moved) or _unlike(fact, match)
        stands_dead = change is not None and change.kind == "removed"
        if one.kind == "removed" and one.severity == "error" and not stands_dead and (anew or fact.quote in standing):
            message = _REWRITTEN if anew else "the same line is about something else now"
            one = replace(one, kind="changed", message=message, severity="warning")
        why = next((line for line in unread if _may_stand(fact, line, pair.new)), "")
        if why and one.severity == "error":
            one = replace(
                one, severity="warning", message=f"{one.message}; what may stand for it cannot be read: {why}"
            )
        key = (one.kind, one.old, one.new)
        if key not in told:
            told.add(key)
            yield one


def _unread_anew(pair: Paired) -> list[str]:
    """Return the unreadable source lines of the later test, except those it had before."""
    old, new = ([line.partition(": ")[2] or line for line in one.unread] if one else [] for one in (pair.old, pair.new))
    return [line for line in new if line in {TOO_MANY, MORE_ROWS} or line not in old]


def _may_stand(fact: Fact, unread: str, new: Strength) -> bool:
    """Whether an assertion may be among what is unread: a later row makes it, or a line names what it is about."""
    if unread == MORE_ROWS:
        return any(other.quote == fact.quote for other in new.facts)
    return unread == TOO_MANY or bool(names_of(fact) & set(WORD.findall(unread)))


def _removed(fact: Fact, offers: Offers, around: Around, pair: Paired, *, moved: bool) -> Change | None:
    """Return the change that explains a removed assertion; None if nothing does."""
    if is_gone(fact, around.gone):
        message = "an assertion is gone, and so is the code it is about"
        return change_of("removed", pair, message, old=shown(fact), severity="note")
    kept = next((other for other in offers.facts if keeps(fact, other, near=True)), None)
    if kept is not None:
        return facet_change("changed", pair, "another assertion expects as much", fact, kept, severity="note")
    if moved or around.took_along([fact]):
        message = "an assertion is gone; the code it is about changed along with it"
        return change_of("removed", pair, message, old=shown(fact), severity="warning")
    other = offers.stand_in(fact, alike=False) or around.elsewhere.stand_in(fact, alike=True)
    if other is not None:
        return facet_change("changed", pair, "another assertion stands in its place", fact, other)
    return None


def _unlike(fact: Fact, match: Match) -> Change:
    """Build the change for a removed assertion; it is no proven loss if its kind can be written in many ways."""
    if _is_plan(fact) and _make_all(match.pair.new):
        return change_of(
            "removed", match.pair, "all its assertions are made in any case", old=shown(fact), severity="note"
        )
    wide = next((new for _, new in match.tightened if _says_instead(fact, new)), None)
    if wide is not None:
        message = "a case of its own is like the others now"
        return facet_change("changed", match.pair, message, fact, wide)
    like = next((one for one in match.gained if _says_alike(fact, one)), None)
    if like is not None:
        return facet_change("changed", match.pair, "the test asserts something else of its own values", fact, like)
    return change_of("removed", match.pair, "an assertion is gone", old=shown(fact), line=0)


def _says_instead(fact: Fact, one: Fact) -> bool:
    """Whether what another case expected of a value is expected in every case now, at least as firmly."""
    return (
        bool(fact.conditions) and not one.conditions and one.claim.subject == fact.claim.subject and _as_firm(fact, one)
    )


def _says_alike(fact: Fact, one: Fact) -> bool:
    """Whether both are about types, compared as text, or the new one pins something down in a rewritten test.

    The latter applies if the old one said next to nothing, or was about something the test itself fills.
    """
    if fact.claim.relation == one.claim.relation == "has_type":
        return True
    own = any(isinstance(part, Operation) and part.operator in _OWN for part in terms_of(fact.claim.subject))
    return pins(one) and (own or rank(fact.claim) <= _NEXT_TO_NOTHING)


def _is_plan(fact: Fact) -> bool:
    """Whether it states how many assertions a test must make."""
    return fact.claim.relation == "satisfies" and last_name(fact.claim.subject) in _PLANS


def _make_all(now: Strength | None) -> bool:
    facts = now.facts if now is not None else ()
    return bool(facts) and all(one.awaited and not one.conditions and not _in_a_loop(one) for one in facts)


def _in_a_loop(fact: Fact) -> bool:
    """Whether it is made once per loop iteration or callback."""
    several = any(isinstance(part, Operation) and part.operator in _SEVERAL for part in parts_in(fact.claim))
    return fact.claim.each is not None or several


def _became(  # noqa: PLR0913 - what is lost, and all that may explain it
    lost: Sequence[Fact], free: list[Fact], pair: Paired, around: Around, *, offers: Offers, many: bool
) -> list[Change | None]:
    """Return what each lost assertion became: the most certain explanation of any of them is found first."""
    found: list[Change | None] = [None] * len(lost)
    for finder in _FINDERS:
        for at, fact in enumerate(lost):
            if found[at] is None:
                near = [other for other in free if other.quote == fact.quote][:_FEW] if many else free
                found[at] = _explained(fact, near, free, finder, pair, around, offers)
    return [change or _dead_now(fact, pair) for fact, change in zip(lost, found, strict=True)]


def _explained(  # noqa: PLR0913, PLR0917 - what is lost, and all that may explain it
    fact: Fact, near: Sequence[Fact], free: list[Fact], finder: Finder, pair: Paired, around: Around, offers: Offers
) -> Change | None:
    for other in near:
        change = finder(fact, other, pair)
        if change is None:
            continue
        if change.kind != "loosened":
            free.remove(other)
            offers.take(other, fact)
            if change.kind in {"subject", "mocked"} and around.exchanged(fact, other):
                return replace(change, message="the same is asserted with another fake", severity="note")
            if change.kind == "subject" and _is_of_another_class(fact, other, around):
                return replace(change, message="the same is asserted of another class", severity="warning")
            moved = change.kind == "subject" and _has_moved(fact, other, around)
            return replace(change, severity="note") if moved else change
        excused = (_read_anew(fact, other) or not implies(fact, other)) and around.took_along([fact])
        return replace(change, severity="warning") if excused else change  # the product returns something else now
    return None


def _read_anew(fact: Fact, other: Fact) -> bool:
    """Whether a value is pinned down as before, and only the way it is read from the product has changed."""
    return fact.claim.subject != other.claim.subject and fact.claim.relation == other.claim.relation == "equals"


def _as_firm(fact: Fact, other: Fact) -> bool:
    return rank(other.claim) >= rank(fact.claim)


def _dead_now(fact: Fact, pair: Paired) -> Change | None:
    """Return the change for an assertion that is still in the source but can no longer fail."""
    if pair.new is None or any(other.quote == fact.quote for other in pair.new.facts):
        return None  # another row reaches it
    words = " ".join(fact.quote.split())
    dead = next((one for one in pair.new.dead if one.quote and " ".join(one.quote.split()) == words), None)
    if dead is None:
        return None
    return change_of(
        "removed", pair, f"an assertion can no longer fail: {dead.why}", old=shown(fact), new=dead.quote, line=dead.line
    )


def _weaker(fact: Fact, other: Fact, pair: Paired) -> Change | None:
    if compare(fact, other) != "weaker":
        return None
    if fact.awaited and not other.awaited:
        return facet_change("unawaited", pair, "nothing waits for an assertion any more", fact, other)
    if not no_narrower(other, fact):
        return _under(fact, other, pair)
    converted = is_converted(fact.claim, other.claim) or _in_another_library(fact, other)
    if _loses_identity(fact, other) and not is_object(fact.claim.object):
        message = "an assertion says less, unless its value is a primitive: equal is not identical"
        return facet_change("loosened", pair, message, fact, other, severity="warning")
    proven = not (converted or _pinned_anew(fact, other, pair))
    return facet_change("loosened", pair, "an assertion says less", fact, other, severity=None if proven else "warning")


def _loses_identity(fact: Fact, other: Fact) -> bool:
    """Whether an assertion only says less if equal values may be different objects."""
    one, two = (
        replace(each, claim=replace(each.claim, relation="equals")) if each.claim.relation == "same" else each
        for each in (fact, other)
    )
    return fact.claim.relation != other.claim.relation and implies(two, one)


def _in_another_library(fact: Fact, other: Fact) -> bool:
    """Whether only the equality of another library is looser: `assert.equal(x, 1)` for `t.is(x, 1)`."""
    loose = replace(other.claim, alternatives=()) == fact.claim and len(other.claim.alternatives) == 1
    return loose and fact.quote.partition(".")[0] != other.quote.partition(".")[0]


def _conditional(fact: Fact, other: Fact, pair: Paired) -> Change | None:
    if no_narrower(other, fact) or not claim_implies(other.claim, fact.claim):
        return None
    if not no_narrower(fact, other):
        return facet_change("changed", pair, "an assertion is made under another condition now", fact, other)
    return _under(fact, other, pair)


def _under(fact: Fact, other: Fact, pair: Paired) -> Change:
    """Build the change for an assertion under one more condition; rows that are not literal are unknown."""
    unknown = any(
        isinstance(part, Operation) and part.operator == "row" for one in other.conditions for part in terms_of(one)
    )
    fails = is_constant(fact.claim.subject)  # a branch that should never run: another branch beside it is no loss
    severity: Severity = "warning" if fails or unknown or _in_both_arms(fact, other, pair) else "error"
    return facet_change(
        "conditional", pair, "an assertion is made only under a condition now", fact, other, severity=severity
    )


def _in_both_arms(fact: Fact, other: Fact, pair: Paired) -> bool:
    """Whether the other arm of the new condition says the same of another value, or as much of the same one."""
    known = {*(pair.old.facts if pair.old is not None else ()), other}
    more = [condition for condition in other.conditions if condition not in fact.conditions]
    against = tuple(negated_term(one) if one in more else one for one in other.conditions)
    return len(more) == 1 and any(
        one.conditions == against
        and (
            replace(one.claim, subject=fact.claim.subject) == fact.claim
            or (one.claim.subject == fact.claim.subject and _as_firm(fact, one))
        )
        for one in (pair.new.facts if pair.new is not None else ())
        if one not in known
    )


def _as_exact(fact: Fact, other: Fact, pair: Paired) -> Change | None:
    """Return the change to a different claim about the same value that pins down no less."""
    return _incomparable(fact, other, pair) if _as_firm(fact, other) else None


def _loosened(fact: Fact, other: Fact, pair: Paired) -> Change | None:
    crossed = (fact.claim.relation in WATCHING) is not (other.claim.relation in WATCHING)
    if crossed or not loosened(fact.claim, other.claim):
        return None
    proven = no_narrower(fact, other) and not (is_converted(fact.claim, other.claim) or _pinned_anew(fact, other, pair))
    return facet_change("loosened", pair, "an assertion says less", fact, other, severity=None if proven else "warning")


def _pinned_anew(fact: Fact, other: Fact, pair: Paired) -> bool:
    """Whether another new assertion, beside the replacement, pins down as much of the same value."""
    known = {other, *(pair.old.facts if pair.old is not None else ())}
    fresh = [one for one in (pair.new.facts if pair.new is not None else ()) if one not in known]
    if fact.claim.relation in WATCHING:
        return any(pins(one) and _is_of_failure(fact.claim, one.claim.subject) for one in fresh)
    firm = (one.claim for one in fresh if rank(one.claim) >= rank(fact.claim))
    return any(same_value(fact.claim.subject, one.subject) for one in firm)


def _is_of_failure(claim: Claim, subject: Expression) -> bool:
    """Whether a subject is read from the error that a claim expects: `error.message`, or the same call's error."""
    read = any(isinstance(part, Raised) and part.error == claim.subject for part in terms_of(subject))
    run = claim.object
    calls = [run, run.function] if isinstance(run, Call) and not run.arguments else [run]
    return read or any(call is not None and is_part(call, subject) for call in calls)


def _drawn(fact: Fact, other: Fact, pair: Paired) -> Change | None:
    """Return the change for the same property, tried with values drawn from elsewhere."""
    if fact.claim == other.claim or without_draws(fact.claim) != without_draws(other.claim):
        return None
    width = compare_draws(fact.claim, other.claim)
    if width == "stronger":
        return facet_change("stronger", pair, "a property is tried with more values", fact, other)
    kind: Kind = "loosened" if width == "weaker" else "changed"
    return facet_change(kind, pair, "a property is tried with other values", fact, other)


def _thrown(fact: Fact, other: Fact, pair: Paired) -> Change | None:
    """Return the change for an expected error that the test itself raises now, whatever the code under test does."""
    one, two = fact.claim, other.claim
    before, after = acts_of(one.object), acts_of(two.object)
    anew = [act for act in after if act not in before]
    if {one.relation, two.relation} != {"raises"} or not anew or not all(map(_throws, anew)):
        return None
    return facet_change("loosened", pair, "the test itself raises the error that it expects", fact, other)


def _throws(act: Expression) -> bool:
    return isinstance(act, Operation) and act.operator == RAISE


def _planned(fact: Fact, other: Fact, pair: Paired) -> Change | None:
    """Return the change for another number of planned assertions; the actual number is counted from the assertions."""
    one, two = fact.claim.subject, other.claim.subject
    both = isinstance(one, Call) and isinstance(two, Call) and one.function == two.function
    if not (both and _is_plan(fact)):
        return None
    return facet_change("expectation", pair, "another number of assertions is expected", fact, other)


def _wider(fact: Fact, other: Fact, pair: Paired) -> Change | None:
    """Return the change for a builtin exception in place of the product's own: its base, if both tests pass."""
    one, two = fact.claim, other.claim
    raising = (one.relation, two.relation) == ("raises", "raises") and not (one.negated or two.negated)
    builtin = last_name(two.subject) in BUILTIN and last_name(one.subject) not in BUILTIN
    if not raising or not builtin or one.object != two.object or _pinned_anew(fact, other, pair):
        return None
    return facet_change("loosened", pair, "any error of a wider kind is expected now", fact, other)


def _unsaid(fact: Fact, other: Fact, pair: Paired) -> Change | None:
    """Return the change for an error of which nothing but its kind is expected any more."""
    one, two = fact.claim, other.claim
    if one.relation != "raises" or (two.relation, two.subject, two.negated) != (one.relation, one.subject, one.negated):
        return None
    if not one.qualifiers or two.qualifiers or _pinned_anew(fact, other, pair):
        return None
    return facet_change("loosened", pair, "nothing is expected of the error but its kind", fact, other)


def _answered(fact: Fact, other: Fact, pair: Paired) -> Change | None:
    """Return the change for a written expectation that the code under test now computes itself."""
    one, two = fact.claim, other.claim
    if one.subject != two.subject or not {one.relation, two.relation} <= _EQUAL or one.negated or two.negated:
        return None
    if one.object is None or two.object is None or not is_constant(one.object):
        return None
    if not _is_computed(two) or _pinned_anew(fact, other, pair):
        return None
    return facet_change("loosened", pair, "what is expected comes from the code under test now", fact, other)


def _expectation(fact: Fact, other: Fact, pair: Paired) -> Change | None:
    one, two = fact.claim, other.claim
    if one.subject != two.subject or one.relation != two.relation:
        return None
    if one.relation in WATCHING and one.qualifiers == two.qualifiers:
        return None
    if two.object is not None and is_constant(two.object) and _is_computed(one):
        return facet_change("expectation", pair, "what is expected is written out now", fact, other, severity="note")
    return facet_change("expectation", pair, "another result is expected", fact, other)


def _is_computed(claim: Claim) -> bool:
    """Whether the code under test computes what a claim expects of it."""
    asked = called(terms_of(root(claim.subject)))
    return claim.object is not None and bool(asked) and asked <= called(terms_of(claim.object))


def _incomparable(fact: Fact, other: Fact, pair: Paired) -> Change | None:
    one, two = fact.claim, other.claim
    if (one.relation in WATCHING) is not (two.relation in WATCHING) or not same_value(one.subject, two.subject):
        return None
    if one.relation in WATCHING and two.relation == one.relation and one.qualifiers == two.qualifiers:
        return None
    if only_in_identity(one.subject, two.subject):
        return None
    computed = one.relation in _EQUAL and one.subject != two.subject and is_part(one.subject, two.subject)
    told: Severity | None = "note" if keeps(fact, other, near=True) and not computed else None
    message = "an assertion about the same value says something else"
    return facet_change("changed", pair, message, fact, other, severity=told)


def _subject(fact: Fact, other: Fact, pair: Paired) -> Change | None:
    one, two = fact.claim, other.claim
    alike = (one.relation, one.negated, one.object) == (two.relation, two.negated, two.object)
    same = alike and set(one.qualifiers) <= set(two.qualifiers)
    if one.relation in WATCHING and two.relation == one.relation:
        same = one.subject == two.subject
    if not same or only_in_identity(one.subject, two.subject):
        return None
    anew = not is_fake(one.subject) or (answers(two.subject) and not answers(one.subject))
    anew = anew and not _is_used(two.subject, pair.old)
    listens = without_fakes(two.subject) == one.subject
    if one.relation != "has_type" and is_fake(two.subject) and anew and not listens:
        told = "what is asserted is a fake's own answer" if answers(two.subject) else "a fake has a part in the answer"
        severity: Severity = "error" if answers(two.subject) else "warning"
        return facet_change("mocked", pair, told, fact, other, severity=severity)
    message = "the same is asserted of something else"
    if fact.awaited and not other.awaited:
        return facet_change("unawaited", pair, "nothing waits for an assertion any more", fact, other)
    listens = listens and not changed_by(one) - changed_by(two)
    sure = no_narrower(other, fact) and (listens or not other_input(one, two))
    return facet_change("subject", pair, message, fact, other, severity="note" if sure else None)


def _is_used(one: Expression, old: Strength | None) -> bool:
    """Whether something of the test side that a term is read from was already there before."""
    held = {part for part in terms_of(one) if isinstance(part, Attribute) and part.value == TEST_SIDE}
    before = {part for fact in old.facts for part in parts_in(fact.claim)} if old is not None else set[Expression]()
    return bool(held) and held <= before


def _has_moved(fact: Fact, other: Fact, around: Around) -> bool:
    """Whether only names in the product's changed lines differ, as when an option moves into a group."""
    return no_narrower(other, fact) and not other_input(fact.claim, other.claim, around.moving)


def _is_of_another_class(fact: Fact, other: Fact, around: Around) -> bool:
    """Whether the object that is asked is of another class, although its earlier class is still there."""
    one, two = _class_of(fact.claim.subject), _class_of(other.claim.subject)
    return "" not in {one, two} and one != two and one not in around.gone | around.doubles


def _class_of(one: Expression) -> str:
    """Return the class of the object that a value is read from or asked of; "" if it isn't made there."""
    while isinstance(one, Attribute | Subscript | Call):
        if isinstance(one, Call) and last_name(one)[:1].isupper():
            return last_name(one)
        one = one.function if isinstance(one, Call) else one.value
    return ""


def _worded(fact: Fact, other: Fact, pair: Paired) -> Change | None:
    """Return the change for an expected error in the same words by another call."""
    same = fact.claim.qualifiers == other.claim.qualifiers != ()
    return _subject(fact, other, pair) if fact.claim.relation in WATCHING and same else None


Finder = Callable[[Fact, Fact, Paired], Change | None]
_FINDERS: Final[Sequence[Finder]] = (
    _thrown, _weaker, _conditional, _drawn, _planned, _wider, _unsaid, _answered, _worded, _expectation, _as_exact,
    _loosened, _incomparable, _subject,
)  # fmt: skip
