"""What a test is tried with: the literals that calls get, and the values that a property draws."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Container, Iterator, Mapping
from dataclasses import replace
from itertools import chain
from typing import Final

from pactkeeper.intent.claims import (
    Call,
    Claim,
    Collection,
    Expression,
    Name,
    Operation,
    Subscript,
    Value,
    children,
)
from pactkeeper.intent.strength.facts import Order
from pactkeeper.intent.strength.folding import is_constant, number_of, range_of
from pactkeeper.intent.strength.joining import is_path
from pactkeeper.intent.strength.terms import (
    TAKING,
    changing,
    entries_of,
    last_name,
    parts_in,
    read_through,
    rebuilt,
    root,
    terms_of,
)

_DRAWN = Name("drawn·")
_MOST_COUNTED = 10_000
# After these, the order or the number of values no longer counts.
_LOOSELY: Final = frozenset({"sorted", "sort", "toSorted", "set", "frozenset", "Set", "Counter", "zip"})


def without_draws(claim: Claim) -> Claim:
    """Return the claim with every drawn value given the same name."""
    each = None if claim.each is None else replace(claim.each, over=_undrawn(claim.each.over))
    expected = None if claim.object is None else _undrawn(claim.object)
    return replace(claim, subject=_undrawn(claim.subject), object=expected, each=each)


def _undrawn(one: Expression) -> Expression:
    return _DRAWN if _is_draw(one) else rebuilt(one, _undrawn)


def _is_draw(one: Expression) -> bool:
    return range_of(one) is not None or (isinstance(one, Operation) and one.operator == "drawn")


def _counted(old: range, new: range) -> Order:
    if len(old) > _MOST_COUNTED or len(new) > _MOST_COUNTED:
        return "incomparable"
    if set(old) == set(new):
        return "equal"
    return "stronger" if set(old) < set(new) else "weaker" if set(new) < set(old) else "incomparable"


def compare_draws(old: Claim, new: Claim) -> Order:
    """Compare whether the new claim is tried with more values: wider bounds, larger alphabets, no other change."""
    answers = {_compared(one, two) for one, two in zip(_draws(old), _draws(new), strict=False)} - {"equal"}
    return "incomparable" if len(answers) > 1 else next(iter(answers), "equal")


def _draws(claim: Claim) -> list[Expression]:
    over = frozenset() if claim.each is None else frozenset(terms_of(claim.each.over))
    return sorted(filter(_is_draw, parts_in(claim) | over), key=repr)


def _compared(old: Expression, new: Expression) -> Order:
    if old == new:
        return "equal"
    counts = range_of(old), range_of(new)
    if counts[0] is not None and counts[1] is not None:
        return _counted(counts[0], counts[1])
    if _bare(old) != _bare(new):
        return "incomparable"
    mine, theirs = _bounds(old), _bounds(new)
    wider = all(_covers(name, theirs.get(name), mine[name]) for name in mine)
    narrower = all(_covers(name, mine.get(name), theirs[name]) for name in theirs)
    if wider:
        return "stronger"
    return "weaker" if narrower else "incomparable"


def _bounds(one: Expression) -> dict[str, Value]:
    given = (each for part in terms_of(one) if isinstance(part, Call) for each in part.arguments)
    return {each.name: each.value for each in given if each.name and isinstance(each.value, Value)}


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


def changed_by(claim: Claim) -> Counter[str]:
    """Count the updates, augmented assignments and deletions in a claim by their operator."""
    return Counter(filter(None, map(changing, parts_in(claim))))


def _starts(claim: Claim) -> frozenset[Expression]:
    """Return what variables hold at first that something sets while the test runs."""
    changed = (part for part in parts_in(claim) if isinstance(part, Operation) and part.operator == "changed")
    return frozenset(held for part in changed for held in part.operands if isinstance(held, Value))


def loosely(claim: Claim) -> frozenset[str]:
    """Return what a claim puts values through before it compares them, so that order or number no longer counts."""
    asked = {last_name(part) for part in parts_in(claim) if isinstance(part, Call)}
    if isinstance(claim.object, Collection) and claim.object.kind == "set":
        asked.add("set")
    return frozenset(asked) & _LOOSELY


def other_input(one: Claim, two: Claim, known: frozenset[str] = frozenset()) -> bool:
    """Whether the calls of two claims get different literals, or functions that change what they get differently.

    Without calls in common, all calls are compared; an error that another call raises is another one.

    An option whose lower-case name is among those `known` counts by its value alone.
    """
    if loosely(two) - loosely(one):
        return True
    if _starts(one) - _starts(two) and _starts(two) - _starts(one):
        return True
    before, after = changed_by(one), changed_by(two)
    if before - after or any(sign.removesuffix("=") in TAKING for sign in after - before):
        return True
    mine, theirs = _inputs(one, known), _inputs(two, known)
    if not mine.keys() & theirs.keys():
        given, kept = (Counter(chain(*chain(*one.values()))) for one in (mine, theirs))
        foreign = one.relation == "raises" and bool(mine) and not any(name.casefold() in known for name in mine)
        return foreign or bool(given - kept)
    return any(mine[name] != theirs[name] for name in mine.keys() & theirs.keys()) or _is_led_through(two, mine, theirs)


def grew(old: Expression, new: Expression, language: Container[str]) -> bool:
    """Whether two terms differ only in tables of literals that calls get, and all earlier entries are still there.

    What a name of the `language` is called with may be put into the result itself.
    """
    return old != new and _grew(old, new, language, given=False)


def _grew(old: Expression, new: Expression, language: Container[str], *, given: bool) -> bool:
    if old == new or (given and _keeps_entries(old, new)):
        return True
    parts = tuple(zip(children(old), children(new), strict=False))
    if not parts or rebuilt(old, _hidden) != rebuilt(new, _hidden):
        return False
    if isinstance(old, Call):
        callee = root(old.function)
        given = given or (isinstance(callee, Name) and callee.name not in language)
        return old.function == parts[0][1] and all(_grew(*pair, language, given=given) for pair in parts[1:])
    return all(_grew(*pair, language, given=given) for pair in parts)


def _keeps_entries(old: Expression, new: Expression) -> bool:
    """Whether a mapping or list of literals holds all that another one does, in its order."""
    if not (isinstance(old, Collection) and isinstance(new, Collection) and old.kind == new.kind):
        return False
    if old.kind not in {"mapping", "list"} or not (is_constant(old) and is_constant(new)):
        return False
    if old.kind == "list":
        left = iter(new.items)
        return all(item in left for item in old.items)
    entries = iter(entries_of(new.items))
    kept = ((value, next((two for one, two in entries if one == key), None)) for key, value in entries_of(old.items))
    return all(found is not None and (value == found or _keeps_entries(value, found)) for value, found in kept)


def _hidden(_: Expression) -> Expression:
    return _DRAWN


def _is_led_through(claim: Claim, mine: Mapping[str, object], theirs: Mapping[str, list[tuple[str, ...]]]) -> bool:
    """Whether all calls are still made, and one more with a literal of its own stands in what is read from them."""
    more = {last_name(part) for part in read_through(claim.subject) if isinstance(part, Call)} - mine.keys()
    return mine.keys() <= theirs.keys() and any(any(theirs.get(name, ())) for name in more)


def _inputs(claim: Claim, known: frozenset[str]) -> dict[str, list[tuple[str, ...]]]:
    """Return the literals that every call of a claim gets directly, in order, by the last name of the callee.

    What a path is joined of is under "/", however it is joined.
    """
    found: defaultdict[str, list[tuple[str, ...]]] = defaultdict(list)
    for part in parts_in(claim):
        if is_path(part):
            found["/"].append(tuple(_literals(children(part)[-1], known)))
        elif isinstance(part, Subscript) and isinstance(part.key, Value):
            found["[]"].append((repr(part.key),))
        elif isinstance(part, Call) and last_name(part) == "join":
            found["/"] += [(text,) for each in part.arguments for text in _literals(each.value, known)]
        elif isinstance(part, Call):
            given = (text for argument in part.arguments for text in _literals(argument.value, known))
            found[last_name(part)].append(tuple(given))
    return {name: sorted(calls) for name, calls in found.items()}


def _literals(one: Expression, known: frozenset[str]) -> Iterator[str]:
    if isinstance(one, Value):
        yield repr(one)
    elif isinstance(one, Collection | Operation) and not is_path(one):
        options = isinstance(one, Collection) and one.kind == "mapping"
        for at, item in enumerate(children(one)):
            if not (options and at % 2 == 0 and isinstance(item, Value) and item.text.casefold() in known):
                yield from _literals(item, known)
