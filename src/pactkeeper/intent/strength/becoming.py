"""The ways in which one assertion becomes another, the most certain explanation first."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Final

from pactkeeper.intent.claims import Argument, Attribute, Call, Claim, Expression, Name, Operation, Raised
from pactkeeper.intent.strength import faking
from pactkeeper.intent.strength.awaiting import is_plan
from pactkeeper.intent.strength.change import DIGEST, Change, Kind, Paired, Severity, facet_change
from pactkeeper.intent.strength.conditions import is_of_the_run, settings_of
from pactkeeper.intent.strength.covering import is_answered, is_computed, keeps
from pactkeeper.intent.strength.expected import is_object
from pactkeeper.intent.strength.facts import (
    Fact,
    Strength,
    as_firm,
    claim_implies,
    compare,
    implies,
    is_converted,
    loosened,
    no_narrower,
    same_value,
)
from pactkeeper.intent.strength.faking import answers, is_fake, refusals, tells_calls, with_any_fake, without_fakes
from pactkeeper.intent.strength.folding import is_constant, number_of
from pactkeeper.intent.strength.identity import only_in_identity
from pactkeeper.intent.strength.inputs import changed_by, compare_draws, grew, other_input, without_draws
from pactkeeper.intent.strength.loops import of_all_rows
from pactkeeper.intent.strength.matching import WATCHING
from pactkeeper.intent.strength.program import without_modules
from pactkeeper.intent.strength.relations import acts_of
from pactkeeper.intent.strength.replaced import BUILTIN, called, is_flag, pins
from pactkeeper.intent.strength.terms import (
    EARLIER,
    RAISE,
    TEST_SIDE,
    is_part,
    last_name,
    negated_term,
    operator_of,
    parts_in,
    rebuilt,
    terms_of,
)
from pactkeeper.intent.strength.unfailing import is_of_language, names_of_language

Finder = Callable[[Fact, Fact, Paired], Change | None]
SOMETHING_ELSE: Final = "the same is asserted of something else"
_EQUAL: Final = frozenset({"equals", "same"})
OF_LIBRARY: Final = "the same line says less with what its file imports now"


def _thrown(fact: Fact, other: Fact, pair: Paired) -> Change | None:
    """Return the change for an expected error that the test itself raises now, whatever the code under test does."""
    one, two = fact.claim, other.claim
    before, after = acts_of(one.object), acts_of(two.object)
    anew = [act for act in after if act not in before]
    if {one.relation, two.relation} != {"raises"} or not anew or not all(operator_of(act) == RAISE for act in anew):
        return None
    return facet_change("loosened", pair, "the test itself raises the error that it expects", fact, other)


def _weaker(fact: Fact, other: Fact, pair: Paired) -> Change | None:
    if compare(fact, other) != "weaker":
        return None
    if fact.awaited and not other.awaited:
        return facet_change("unawaited", pair, "nothing waits for an assertion any more", fact, other)
    if not no_narrower(other, fact):
        return _under(fact, other, pair)
    if _loses_identity(fact, other) and not is_object(fact.claim.object):
        message = "an assertion says less, unless its value is a primitive: equal is not identical"
        return facet_change("loosened", pair, message, fact, other, severity="warning")
    flag = is_flag(fact.claim.subject) and other.claim.relation in {"truthy", "falsy"}
    return _says_less(fact, other, pair, proven=not (flag or in_another_library(fact, other)))


def _loses_identity(fact: Fact, other: Fact) -> bool:
    """Whether an assertion only says less if equal values may be different objects."""
    one, two = (
        replace(each, claim=replace(each.claim, relation="equals")) if each.claim.relation == "same" else each
        for each in (fact, other)
    )
    return fact.claim.relation != other.claim.relation and implies(two, one)


def in_another_library(fact: Fact, other: Fact) -> bool:
    """Whether only the equality of another library is looser: `assert.equal(x, 1)` for `t.is(x, 1)`.

    Jest's `toEqual` overlooks properties that are undefined.
    """
    loose = replace(other.claim, alternatives=()) == fact.claim and len(other.claim.alternatives) == 1
    strict = (extra for extra in fact.claim.qualifiers if extra.name != "strict")
    loose = loose or replace(fact.claim, qualifiers=tuple(strict)) == other.claim
    one, two = (each.quote.partition("(")[0].partition(".")[0] for each in (fact, other))
    return loose and one != two


def _conditional(fact: Fact, other: Fact, pair: Paired) -> Change | None:
    if no_narrower(other, fact) or not claim_implies(other.claim, fact.claim):
        return None
    if not no_narrower(fact, other):
        return facet_change("changed", pair, "an assertion is made under another condition now", fact, other)
    return _under(fact, other, pair)


def _under(fact: Fact, other: Fact, pair: Paired) -> Change:
    """Build the change for an assertion under one more condition.

    Rows that are not literal are unknown, and each truth value is tried where a property draws one.
    """
    unknown = any(operator_of(part) == "row" for one in other.conditions for part in terms_of(one))
    fails = is_constant(fact.claim.subject)  # a branch that should never run: another branch beside it is no loss
    more = [condition for condition in other.conditions if condition not in fact.conditions]
    tried = all(operator_of(one) == "drawn" or operator_of(negated_term(one)) == "drawn" for one in more)
    known = settings_of(pair.was, pair.now)
    tried = tried or all(is_of_the_run(one, known) for one in more)  # the rest is asserted in another run
    severity: Severity = "warning" if fails or unknown or tried or _in_both_arms(fact, other, pair) else "error"
    return facet_change(
        "conditional", pair, "an assertion is made only under a condition now", fact, other, severity=severity
    )


def _in_both_arms(fact: Fact, other: Fact, pair: Paired) -> bool:
    """Whether the other arm of the new condition says the same of another value, or as much of the same one."""
    more = [condition for condition in other.conditions if condition not in fact.conditions]
    against = tuple(negated_term(one) if one in more else one for one in other.conditions)
    arms = [one for one in _fresh(other, pair) if one.conditions == against] if len(more) == 1 else []
    return any(_says_as_much(fact, one) for one in arms)


def _says_as_much(fact: Fact, one: Fact) -> bool:
    """Whether a fact says the same of another value, or as much of the same one."""
    same = replace(one.claim, subject=fact.claim.subject) == fact.claim
    return same or (one.claim.subject == fact.claim.subject and as_firm(fact.claim, one.claim))


def _drawn(fact: Fact, other: Fact, pair: Paired) -> Change | None:
    """Return the change for the same property, tried with values drawn from elsewhere."""
    if fact.claim == other.claim or without_draws(fact.claim) != without_draws(other.claim):
        return None
    width = compare_draws(fact.claim, other.claim)
    if width == "stronger":
        return facet_change("stronger", pair, "a property is tried with more values", fact, other)
    kind: Kind = "loosened" if width == "weaker" else "changed"
    return facet_change(kind, pair, "a property is tried with other values", fact, other)


def _of_fewer(fact: Fact, other: Fact, pair: Paired) -> Change | None:
    """Return the change for a loop that goes through only some of its rows now, or through all of them again."""
    if fact.claim == other.claim or not no_narrower(other, fact):
        return None
    if of_all_rows(other.claim) == fact.claim:
        return facet_change("loosened", pair, "an assertion is made of fewer rows", fact, other)
    if of_all_rows(fact.claim) == other.claim:
        return facet_change("stronger", pair, "an assertion is made of more rows", fact, other)
    if of_all_rows(fact.claim) == of_all_rows(other.claim):
        return facet_change("changed", pair, "an assertion is made of other rows", fact, other)
    return None


def _planned(fact: Fact, other: Fact, pair: Paired) -> Change | None:
    """Return the change for another number of planned assertions: a loss if more of them than before may be missed."""
    match fact.claim.subject, other.claim.subject:
        case Call(one, (Argument(value=old),)), Call(two, (Argument(value=new),)) if is_plan(fact) and one == two:
            was, now = number_of(old) or 0, number_of(new) or 0
        case _:
            return None
    made, makes = (sum(not is_plan(each) for each in side.facts) for side in (pair.was, pair.now))
    covered = now > was or now == makes or now - makes >= was - made
    kind: Kind = "stronger" if covered else "expectation"
    return facet_change(kind, pair, "another number of assertions is expected", fact, other)


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
    if not is_answered(fact.claim, other.claim) or _pinned_anew(fact, other, pair):
        return None
    if operator_of(other.claim.object) == EARLIER:
        message = "what is expected was asked before something was done"
        return facet_change("loosened", pair, message, fact, other, severity="warning")
    return facet_change("loosened", pair, "what is expected comes from the code under test now", fact, other)


def _worded(fact: Fact, other: Fact, pair: Paired) -> Change | None:
    """Return the change for an expected error in the same words by another call."""
    same = fact.claim.qualifiers == other.claim.qualifiers != ()
    return _subject(fact, other, pair) if fact.claim.relation in WATCHING and same else None


def _expectation(fact: Fact, other: Fact, pair: Paired) -> Change | None:
    one, two = fact.claim, other.claim
    watched, same = one.relation in WATCHING, one.subject == two.subject
    another_kind = watched and not same and (one.negated, one.object) == (two.negated, two.object)
    if one.relation != two.relation or not (same or another_kind):
        return None
    if same and watched and one.qualifiers == two.qualifiers:
        return None
    if two.object is not None and is_constant(two.object) and is_computed(one):
        return facet_change("expectation", pair, "what is expected is written out now", fact, other, severity="note")
    return facet_change("expectation", pair, "another result is expected", fact, other)


def _as_exact(fact: Fact, other: Fact, pair: Paired) -> Change | None:
    """Return the change to a different claim about the same value that pins down no less."""
    return _incomparable(fact, other, pair) if as_firm(fact.claim, other.claim) else None


def _loosened(fact: Fact, other: Fact, pair: Paired) -> Change | None:
    crossed = (fact.claim.relation in WATCHING) is not (other.claim.relation in WATCHING)
    if crossed or not loosened(fact.claim, other.claim):
        return None
    if _is_contrary(fact.claim, other.claim):
        return facet_change("expectation", pair, "another result is expected", fact, other)
    return _says_less(fact, other, pair, proven=no_narrower(fact, other))


def _is_contrary(old: Claim, new: Claim) -> bool:
    """Whether nothing was expected of a value, None or undefined, and something is now: neither implies the other."""
    plain = not (old.negated or new.negated or new.alternatives)
    return plain and old.relation == "none" and new.relation not in {"none", "falsy", "contained_in"}


def _says_less(fact: Fact, other: Fact, pair: Paired, *, proven: bool) -> Change:
    sure = proven and not (is_converted(fact.claim, other.claim) or _pinned_anew(fact, other, pair))
    looser = other.claim.alternatives != () == fact.claim.alternatives
    message = OF_LIBRARY if looser and fact.quote == other.quote != "" else "an assertion says less"
    return facet_change("loosened", pair, message, fact, other, severity=None if sure else "warning")


def _pinned_anew(fact: Fact, other: Fact, pair: Paired) -> bool:
    """Whether another new assertion, beside the replacement, pins down as much of the same value."""
    fresh = _fresh(other, pair)
    if fact.claim.relation in WATCHING:
        return any(pins(one) and _is_of_failure(fact.claim, one.claim) for one in fresh)
    firm = (one.claim for one in fresh if as_firm(fact.claim, one.claim))
    return any(same_value(fact.claim.subject, one.subject) for one in firm)


def _fresh(other: Fact, pair: Paired) -> list[Fact]:
    """Return the new assertions of a test besides another one."""
    known = {other, *pair.was.facts}
    return [one for one in pair.now.facts if one not in known]


def _is_of_failure(claim: Claim, other: Claim) -> bool:
    """Whether another claim says something of the error that a claim expects, or of what is read from it."""
    subject = other.subject
    if other.relation == claim.relation and (other.negated, other.object) == (claim.negated, claim.object):
        return subject == claim.subject and other.qualifiers != ()
    read = any(isinstance(part, Raised) and part.error == claim.subject for part in terms_of(subject))
    run = claim.object
    calls = [run, run.function] if isinstance(run, Call) and not run.arguments else [run]
    return read or any(call is not None and is_part(call, subject) for call in calls)


def _incomparable(fact: Fact, other: Fact, pair: Paired) -> Change | None:
    one, two = fact.claim, other.claim
    if (one.relation in WATCHING) is not (two.relation in WATCHING) or not same_value(one.subject, two.subject):
        return None
    if one.relation in WATCHING and two.relation == one.relation and one.qualifiers == two.qualifiers:
        return None
    if only_in_identity(one.subject, two.subject) or (_at_any_time(one) == _at_any_time(two)):
        return None
    computed = one.relation in _EQUAL and one.subject != two.subject and is_part(one.subject, two.subject)
    told: Severity | None = "note" if keeps(fact, other, near=True) and not computed else None
    message = "an assertion about the same value says something else"
    return facet_change("changed", pair, message, fact, other, severity=told)


def _at_any_time(one: Claim) -> Claim:
    """Return a claim as if its values were read before the test's own code changed them."""
    return replace(one, subject=_unchanged(one.subject))


def _unchanged(one: Expression) -> Expression:
    if isinstance(one, Operation) and one.operator == "changed" and one.operands:
        return _unchanged(one.operands[0])
    return rebuilt(one, _unchanged)


def _subject(fact: Fact, other: Fact, pair: Paired) -> Change | None:
    one, two = fact.claim, other.claim
    alike = (one.relation, one.negated, one.object) == (two.relation, two.negated, two.object)
    same = alike and set(one.qualifiers) <= set(two.qualifiers)
    if one.relation in WATCHING and two.relation == one.relation:
        same = one.subject == two.subject
    if not same or only_in_identity(one.subject, two.subject):
        return None
    if _asks_nothing(two, pair.now, script=other.script) and not _asks_nothing(one, pair.was, script=fact.script):
        return facet_change("loosened", pair, "the language is asked now, and not the code under test", fact, other)
    if _is_moved_class(one, two, pair.was):
        return facet_change("subject", pair, SOMETHING_ELSE, fact, other, severity="note")
    two = replace(two, subject=faking.with_named(two.subject, one.subject, pair.was.imported))
    watched = any(is_fake(each.claim.subject) for each in _fresh(other, pair))
    if refusals(parts_in(one)) > refusals(parts_in(two)) and not watched:
        return facet_change("mocked", pair, "a fake refuses less than it did", fact, other, severity="warning")
    about, answering = asked(one), asked(two)
    anew = not is_fake(about) or (answers(answering) and not answers(about))
    anew = anew and not (tells_calls(one) or _is_used(answering, pair.was))
    alone = two.object is None or without_fakes(two.object) == one.object
    listens = alone and without_fakes(two.subject) == one.subject
    if one.relation != "has_type" and is_fake(answering) and anew and not listens:
        told = "what is asserted is a fake's own answer" if answers(answering) else "a fake has a part in the answer"
        severity: Severity = "error" if answers(answering) else "warning"
        if not answers(answering) and with_any_fake(about) == with_any_fake(answering):
            told, severity = "the same is asserted with another fake", "note"
        return facet_change("mocked", pair, told, fact, other, severity=severity)
    if fact.awaited and not other.awaited:
        return facet_change("unawaited", pair, "nothing waits for an assertion any more", fact, other)
    listens = listens and not changed_by(one) - changed_by(two)
    wide = no_narrower(other, fact) and not _hides_more(one, two)
    sure = no_narrower(other, fact) and (listens or not (other_input(one, two) or _hides_more(one, two)))
    if wide and not sure and grew(one.subject, two.subject, names_of_language(pair.now.imported, script=other.script)):
        return facet_change("grown", pair, "it is tried with another input", fact, other)
    return facet_change("subject", pair, SOMETHING_ELSE, fact, other, severity="note" if sure else None)


def _less_of_another(fact: Fact, other: Fact, pair: Paired) -> Change | None:
    """Return the change for an assertion that says less of what would be a mere respelling if it said the same."""
    one, two = fact.claim, other.claim
    less = compare(fact, replace(other, claim=replace(two, subject=one.subject))) == "weaker"
    if not less or one.relation in WATCHING or one.subject == two.subject:
        return None
    lent = without_modules(filter(faking.of_the_language, (*pair.was.sources, *pair.now.sources)))
    alike = _subject(fact, replace(other, claim=replace(one, subject=two.subject)), pair)
    plain = alike is not None and (alike.kind, alike.severity) == ("subject", "note")
    own = (called(parts_in(one)) ^ called(parts_in(two))) - lent
    return facet_change("loosened", pair, "an assertion says less", fact, other) if plain and not own else None


def _is_moved_class(one: Claim, two: Claim, old: Strength) -> bool:
    """Whether all that differs is that a class of the tests is imported now; nothing of its name was before."""
    came = {part.name for part in parts_in(two) if isinstance(part, Attribute) and part.value == TEST_SIDE}
    if not came or not old.sources or came & old.imported:
        return False
    plain = replace(two, subject=_by_name(two.subject), object=two.object and _by_name(two.object))
    return plain == one


def _by_name(one: Expression) -> Expression:
    if isinstance(one, Attribute) and one.value == TEST_SIDE:
        return Name(one.name)
    return rebuilt(one, _by_name)


def _asks_nothing(claim: Claim, strength: Strength, *, script: bool) -> bool:
    """Whether the language alone decides what a claim is about, unless something imported has such a name."""
    return is_of_language(asked(claim), names_of_language(strength.imported, script=script))


def _hides_more(one: Claim, two: Claim) -> bool:
    """Whether a term too large to carry around stands in one of two claims only: nothing says what differs in it."""
    return _cut(one) != _cut(two)


def _cut(claim: Claim) -> set[Expression]:
    return {part for part in parts_in(claim) if isinstance(part, Name) and DIGEST.fullmatch(part.name)}


def asked(claim: Claim) -> Expression:
    """Return what a claim is about, or the call that is to raise an error."""
    return claim.object if claim.relation == "raises" and claim.object is not None else claim.subject


def _is_used(one: Expression, old: Strength) -> bool:
    """Whether something of the test side that a term is read from was already there before."""
    held = {part for part in terms_of(one) if isinstance(part, Attribute) and part.value == TEST_SIDE}
    return bool(held) and held <= parts_in(*(fact.claim for fact in old.facts))


FINDERS: Final[Sequence[Finder]] = (
    _thrown, _weaker, _conditional, _drawn, _of_fewer, _planned, _worded, _wider, _unsaid, _answered, _expectation,
    _as_exact, _loosened, _incomparable, _subject, _less_of_another,
)  # fmt: skip
