"""Values that a property is tried with: whether one strategy draws from more than another."""

from __future__ import annotations

from dataclasses import replace

from pactkeeper.intent.claims import Call, Claim, Expression, Name, Operation, Value
from pactkeeper.intent.strength.facts import Order
from pactkeeper.intent.strength.folding import number_of
from pactkeeper.intent.strength.terms import parts_in, rebuilt, terms_of

_DRAWN = Name("drawn·")


def without_draws(claim: Claim) -> Claim:
    """Return the claim with every drawn value given the same name."""
    return replace(
        claim, subject=_undrawn(claim.subject), object=None if claim.object is None else _undrawn(claim.object)
    )


def _undrawn(one: Expression) -> Expression:
    return _DRAWN if _is_draw(one) else rebuilt(one, _undrawn)


def _is_draw(one: Expression) -> bool:
    return isinstance(one, Operation) and one.operator == "drawn"


def compare_draws(old: Claim, new: Claim) -> Order:
    """Compare whether the new claim is tried with more values: wider bounds, larger alphabets, no other change."""
    answers = {_compared(one, two) for one, two in zip(_draws(old), _draws(new), strict=False)}
    answers.discard("equal")
    if len(answers) > 1:
        return "incomparable"
    return answers.pop() if answers else "equal"


def _draws(claim: Claim) -> list[Expression]:
    return sorted(filter(_is_draw, parts_in(claim)), key=repr)


def _compared(old: Expression, new: Expression) -> Order:
    if old == new:
        return "equal"
    if _bare(old) != _bare(new):
        return "incomparable"
    mine, theirs = _bounds(old), _bounds(new)
    wider = all(_covers(name, theirs.get(name), mine[name]) for name in mine)
    narrower = all(_covers(name, mine.get(name), theirs[name]) for name in theirs)
    if wider:
        return "stronger"
    return "weaker" if narrower else "incomparable"


def _bounds(one: Expression) -> dict[str, Value]:
    calls = [part for part in terms_of(one) if isinstance(part, Call)]
    return {
        argument.name: argument.value
        for call in calls
        for argument in call.arguments
        if argument.name and isinstance(argument.value, Value)
    }


def _covers(name: str, wide: Value | None, narrow: Value) -> bool:
    """Whether a bound admits at least as much; no bound admits everything."""
    if wide is None:
        return True
    one, two = number_of(wide), number_of(narrow)
    if one is None or two is None:
        return set(narrow.text) <= set(wide.text)
    return one <= two if name.startswith("min") else one >= two


def _bare(one: Expression) -> Expression:
    """The strategy without its bounds."""
    if isinstance(one, Call):
        kept = tuple(each for each in one.arguments if not (each.name and isinstance(each.value, Value)))
        return rebuilt(Call(one.function, kept), _bare)
    return rebuilt(one, _bare)
