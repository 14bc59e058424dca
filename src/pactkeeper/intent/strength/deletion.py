"""A test that is gone: its assertions stand elsewhere, stand there less firmly, went with their code, or are lost."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final

from pactkeeper.intent.claims import Expression, Name
from pactkeeper.intent.strength.becoming import in_another_library
from pactkeeper.intent.strength.change import Change, Paired, Severity, change_of, facet_change, shown
from pactkeeper.intent.strength.covering import is_answered, keeps
from pactkeeper.intent.strength.doing import calls
from pactkeeper.intent.strength.facts import (
    Fact,
    Strength,
    as_firm,
    compare,
    is_converted,
    loosened,
    no_narrower,
    same_value,
)
from pactkeeper.intent.strength.faking import of_the_language
from pactkeeper.intent.strength.losses import is_gone
from pactkeeper.intent.strength.matching import WATCHING, Match
from pactkeeper.intent.strength.replaced import Around, all_parts, called
from pactkeeper.intent.strength.terms import parts_in
from pactkeeper.intent.tests import leaf

BESIDE: Final = "; code beside what it imports changed along with it"


def deletion(match: Match, around: Around) -> Iterator[Change]:
    """Yield the changes of a test that is gone."""
    pair, old = match.pair, match.pair.was
    if not old.runs:
        yield change_of("deleted", pair, "the test is gone; it did not run", severity="note")
        return
    if match.repeated:
        return
    own = any(not fact.fixture for fact in old.facts)
    beside = around.asserted_beside(pair.before)
    match.lost = [fact for fact in match.lost if not any(keeps(fact, other, near=False) for other in beside)]
    if old.facts and not match.lost and (own or not old.acts):
        return
    changed = around.took_along(old.facts) or around.stirred(old.acts)  # what is captured or logged comes of any of it
    less = list(_say_less(pair, match.lost, around.fresh, "warning" if changed else "error"))
    yield from (change for _, change in less)
    match.lost = [fact for fact in match.lost if not any(fact is one for one, _ in less)]
    if less and not match.lost:
        return
    first = next((fact for fact in match.lost if not fact.fixture), match.lost[0] if match.lost else None)
    shown_first = shown(first) if first is not None else calls(old.acts)
    other = _like(first, beside) if first is not None else None
    message, severity = _why_deleted(match, old, around)
    yield change_of("deleted", pair, message, old=shown_first, new=shown(other) if other else "", severity=severity)


def _why_deleted(match: Match, old: Strength, around: Around) -> tuple[str, Severity]:
    test, lost = match.pair.before, match.lost
    if lost and all(is_gone(fact, around.gone) for fact in lost):
        return "the test is gone, and so is the code it is about", "note"
    explained = _explained(test, lost, old, around)
    if explained:
        return f"the test is gone{explained}", "warning"
    if lost:
        return f"the test is gone: {len(lost)} of {len(old.facts)} assertions stand nowhere else", "error"
    return "the test is gone: it made sure that its calls do not fail", "error"


def _explained(test: str, lost: Sequence[Fact], old: Strength, around: Around) -> str:
    """Return what else in a change may explain a deleted test, or ""."""
    if around.is_about(lost, old):
        return "; the code it is about changed along with it"
    if around.speaks_of_gone(test):
        return ", and so is code that it names"
    if _is_alias((*parts_in(*(fact.claim for fact in lost)), *all_parts(old.acts)), around.elsewhere.facts):
        return "; a new test asserts that what it calls is another function"
    if around.replaced(lost, old):
        return "; new tests assert something like it"
    if leaf(test) in around.tests:
        return "; a new test of its name asserts something else, or cannot be read"
    if around.rewritten(test, lost):
        return "; a new test of its file asserts something else, or cannot be read"
    return BESIDE if any(around.files.moves(one, test) for one in old.sources if not of_the_language(one)) else ""


def _is_alias(lost: Iterable[Expression], facts: Iterable[Fact]) -> bool:
    """Whether a new assertion says that a function which a lost test calls is another one, with tests of its own."""
    same = (one.claim for one in facts if one.claim.relation == "same" and not one.claim.negated)
    names = {one.subject.name for one in same if isinstance(one.subject, Name) and isinstance(one.object, Name)}
    return not names.isdisjoint(called(lost))


_LESS = "a renamed test asserts less"


def _say_less(
    pair: Paired, lost: Sequence[Fact], fresh: Mapping[str, Strength], severity: Severity
) -> Iterator[tuple[Fact, Change]]:
    """Yield lost assertions with the change to the one about the same value that a new test of the file makes.

    A value that any new test of the file pins down as much is left out.
    """
    path = pair.before.partition("::")[0]
    near = {test: one for test, one in fresh.items() if test.partition("::")[0] == path}
    every = [one for strength in near.values() for one in strength.facts]
    for fact in lost:
        if any(_as_firm(fact, one) for one in every):
            continue
        found = ((test, one) for test, strength in near.items() for one in strength.facts if _says_less(fact, one))
        test, other = next(found, ("", None))
        if other is not None:
            told: Severity = "warning" if in_another_library(fact, other) else severity
            yield fact, facet_change("loosened", Paired(pair.before, test, pair.old, near[test]), _LESS, fact, other,
                                     severity=told)  # fmt: skip


def _like(fact: Fact, others: Sequence[Fact]) -> Fact | None:
    """Return the one of other assertions that is about the same value, or None."""
    return next((one for one in others if _about_same(fact, one)), None)


def _about_same(fact: Fact, other: Fact) -> bool:
    one, two = fact.claim, other.claim
    if one.relation in WATCHING or two.relation in WATCHING:
        return one.relation == two.relation and one.object == two.object
    return one.subject == two.subject


def _as_firm(fact: Fact, other: Fact) -> bool:
    firm = as_firm(fact.claim, other.claim) and not is_answered(fact.claim, other.claim)
    firm = firm and compare(fact, other) != "weaker"
    return firm and same_value(fact.claim.subject, other.claim.subject)


def _says_less(fact: Fact, other: Fact) -> bool:
    if not _about_same(fact, other) or is_converted(fact.claim, other.claim):
        return False
    if is_answered(fact.claim, other.claim):
        return True
    return compare(fact, other) == "weaker" or (loosened(fact.claim, other.claim) and no_narrower(fact, other))
