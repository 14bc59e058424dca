"""Assertion calls as claims: unittest's methods, numpy's and pandas' functions, mock and snapshot assertions.

The tables are complete for `unittest.TestCase` and `unittest.mock` of Python 3.14 and `numpy.testing` 2; a name in none
of them belongs to the project.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Final

from pactkeeper.intent.claims import (
    Argument,
    Attribute,
    Call,
    Claim,
    Collection,
    Expression,
    Name,
    Operation,
    Relation,
    Value,
)
from pactkeeper.repo.languages.python.claims.comparisons import (
    comparison,
    error_match,
    pattern,
    refine,
    tolerances,
    truth,
)
from pactkeeper.repo.languages.python.claims.expressions import sorted_out

_Rule = Callable[[Sequence[Expression], Mapping[str, Expression]], "Claim | None"]


def _compare(operator: str) -> _Rule:
    def rule(values: Sequence[Expression], _named: Mapping[str, Expression]) -> Claim | None:
        return comparison(values[0], operator, values[1]) if len(values) > 1 else None

    return rule


def _truth(*, negated: bool) -> _Rule:
    def rule(values: Sequence[Expression], _named: Mapping[str, Expression]) -> Claim | None:
        return _stated(values[0], negated=negated) if values else None

    return rule


def _stated(one: Expression, *, negated: bool) -> Claim:
    if isinstance(one, Operation) and one.operator == "not":
        return _stated(one.operands[0], negated=not negated)
    if isinstance(one, Operation) and one.operator not in {"not", "text", "each"} and len(one.operands) > 1:
        found = comparison(one.operands[0], one.operator, one.operands[1], negated=negated)
        if found.relation != "satisfies":
            return found
    return truth(one, negated=negated)


def _pair(relation: Relation, *, negated: bool = False, swapped: bool = False) -> _Rule:
    def rule(values: Sequence[Expression], _named: Mapping[str, Expression]) -> Claim | None:
        if len(values) <= 1:
            return None
        subject, other = (values[1], values[0]) if swapped else (values[0], values[1])
        return Claim(relation, subject, pattern(other) if relation == "matches" else other, negated=negated)

    return rule


def _near(*, negated: bool = False, places: int = 2, third: str = "places") -> _Rule:
    def rule(values: Sequence[Expression], named: Mapping[str, Expression]) -> Claim | None:
        if len(values) <= 1:
            return None
        extras = tolerances(named.items())
        if places and len(values) > places:
            extras.insert(0, Argument(values[places], third))
        subject, other = values[0], values[1]
        if isinstance(subject, Value) and not isinstance(other, Value):
            subject, other = other, subject
        return Claim("approximately", subject, other, negated=negated, qualifiers=tuple(extras))

    return rule


def _one(relation: Relation, *, negated: bool = False) -> _Rule:
    def rule(values: Sequence[Expression], _named: Mapping[str, Expression]) -> Claim | None:
        return Claim(relation, values[0], negated=negated) if values else None

    return rule


def _unordered(values: Sequence[Expression], _named: Mapping[str, Expression]) -> Claim | None:
    """`assertCountEqual` compares the members in sorted order, so that their own order is not asserted."""
    return comparison(_in_order(values[0]), "==", _in_order(values[1])) if len(values) > 1 else None


def _in_order(value: Expression) -> Expression:
    if isinstance(value, Collection) and all(isinstance(item, Value) and item.kind == "string" for item in value.items):
        return replace(value, items=tuple(sorted(value.items, key=repr)))
    return Call(Name("sorted"), (Argument(value),))


def _length(values: Sequence[Expression], _named: Mapping[str, Expression]) -> Claim | None:
    return Claim("length", values[0], values[1]) if len(values) > 1 else None


def _matched(values: Sequence[Expression], named: Mapping[str, Expression]) -> Claim | None:
    """Read PyHamcrest's `assert_that(x, matcher)`; without a matcher, the argument must be true."""
    match values[1:2]:
        case [Call(function=Name("equal_to"), arguments=(Argument(value=other, name=None),))]:
            return refine(comparison(values[0], "==", other))
        case [matcher]:
            return Claim("satisfies", Call(Name("assert_that"), (Argument(values[0]), Argument(matcher))))
    return _truth(negated=False)(values, named)


_EQUAL, _DIFFERENT = _compare("=="), _compare("!=")
UNITTEST: Mapping[str, _Rule] = {
    "assertEqual": _EQUAL,
    "assertEquals": _EQUAL,
    "failUnlessEqual": _EQUAL,
    "assertNotEqual": _DIFFERENT,
    "assertNotEquals": _DIFFERENT,
    "assertTrue": _truth(negated=False),
    "assert_": _truth(negated=False),
    "failUnless": _truth(negated=False),
    "assertFalse": _truth(negated=True),
    "failIf": _truth(negated=True),
    "assertIs": _compare("is"),
    "assertIsNot": _compare("is-not"),
    "assertIsNone": _one("none"),
    "assertIsNotNone": _one("none", negated=True),
    "assertIn": _compare("in"),
    "assertNotIn": _compare("not-in"),
    "assertIsInstance": _pair("instance_of"),
    "assertNotIsInstance": _pair("instance_of", negated=True),
    "assertGreater": _compare(">"),
    "assertGreaterEqual": _compare(">="),
    "assertLess": _compare("<"),
    "assertLessEqual": _compare("<="),
    "assertAlmostEqual": _near(),
    "assertAlmostEquals": _near(),
    "assertNotAlmostEqual": _near(negated=True),
    "assertRegex": _pair("matches"),
    "assertRegexpMatches": _pair("matches"),
    "assertNotRegex": _pair("matches", negated=True),
    "assertNotRegexpMatches": _pair("matches", negated=True),
    "assertCountEqual": _unordered,
    "assertItemsEqual": _unordered,
    "assertMultiLineEqual": _EQUAL,
    "assertSequenceEqual": _EQUAL,
    "assertListEqual": _EQUAL,
    "assertTupleEqual": _EQUAL,
    "assertSetEqual": _EQUAL,
    "assertDictEqual": _EQUAL,
    "assertDictContainsSubset": _pair("contains", swapped=True),
    "assertHasAttr": _pair("has_attribute"),
    "assertNotHasAttr": _pair("has_attribute", negated=True),
    "assertStartsWith": _pair("starts_with"),
    "assertNotStartsWith": _pair("starts_with", negated=True),
    "assertEndsWith": _pair("ends_with"),
    "assertNotEndsWith": _pair("ends_with", negated=True),
    "assertHTMLEqual": _EQUAL,
    "assertJSONEqual": _EQUAL,
    "assertXMLEqual": _EQUAL,
    "assertQuerySetEqual": _EQUAL,
    "assertQuerysetEqual": _EQUAL,
}

FUNCTIONS: Mapping[str, _Rule] = {
    "assert_equal": _EQUAL,
    "assert_array_equal": _EQUAL,
    "assert_string_equal": _EQUAL,
    "assert_frame_equal": _EQUAL,
    "assert_series_equal": _EQUAL,
    "assert_index_equal": _EQUAL,
    "assert_extension_array_equal": _EQUAL,
    "assert_not_equal": _DIFFERENT,
    "assert_allclose": _near(places=0),
    "assert_close": _near(places=0),
    "assert_identical": _EQUAL,
    "assert_almost_equal": _near(),
    "assert_approx_equal": _near(places=0),
    "assert_array_almost_equal": _near(),
    "assert_array_almost_equal_nulp": _near(places=0),
    "assert_array_max_ulp": _near(places=0),
    "assert_array_less": _compare("<"),
    "assert_true": _truth(negated=False),
    "assert_false": _truth(negated=True),
    "assert_is": _compare("is"),
    "assert_is_not": _compare("is-not"),
    "assert_in": _compare("in"),
    "assert_not_in": _compare("not-in"),
    "assert_is_none": _one("none"),
    "assert_is_instance": _pair("instance_of"),
    "assert_length": _length,
    "assert_that": _matched,
}

# Methods of the result of pytest's `pytester`: each fails the test unless the output is as stated.
_PYTESTER = frozenset({"fnmatch_lines", "fnmatch_lines_random", "re_match_lines", "re_match_lines_random"}) | {
    "no_fnmatch_line",
    "no_re_match_line",
    "assertoutcome",
    "assert_outcomes",
}
_SNAPSHOT_CALLS = frozenset(
    {"assert_match", "assert_match_snapshot", "assertMatchSnapshot", "assert_match_dir", "check"}
)
_APPROVALS = frozenset({"verify_as_json", "verify_as_html", "verify_xml", "verify_all"})


def assertion_calls(call: Call) -> tuple[Claim, ...]:
    """Return the claims of a call that asserts, several for a chain; empty if it isn't an assertion."""
    claim = None if (found := chain(call)) else assertion_call(call)
    return found or ((claim,) if claim is not None else ())


def assertion_call(call: Call) -> Claim | None:
    """Return the claim of a call that a test library defines as an assertion; None for any other call."""
    values, named = sorted_out(call.arguments)
    if isinstance(call.function, Name):
        rule = FUNCTIONS.get(call.function.name) or UNITTEST.get(call.function.name)
        claim = rule(_filled(values, named), named) if rule else None
        return refine(claim) if claim else _approval(call.function.name, values)
    if not isinstance(call.function, Attribute):
        return None
    base, name = call.function.value, call.function.name
    rule = UNITTEST.get(name) or (FUNCTIONS.get(name) if isinstance(base, Name) and base.name != "self" else None)
    if rule is not None:
        claim = rule(_filled(values, named), named)
        return refine(claim) if claim else None
    if name in _PYTESTER:
        return Claim("satisfies", call)
    return error_match(call) or _mock(base, name, call) or _snapshot(base, name, values)


_OPERANDS = ("first", "second", "actual", "desired", "expected", "expr", "obj", "member", "container", "left", "right")


def _filled(values: list[Expression], named: Mapping[str, Expression]) -> list[Expression]:
    """Return positional values, followed by operands passed by the names that unittest and numpy use."""
    filled = list(values)
    filled.extend(named[name] for name in _OPERANDS if name in named)
    return filled


def _approval(name: str, values: list[Expression]) -> Claim | None:
    return Claim("snapshot", values[0]) if name in _APPROVALS and len(values) == 1 else None


def _snapshot(base: Expression, name: str, values: list[Expression]) -> Claim | None:
    stored = isinstance(base, Name) and (
        "snapshot" in base.name or base.name.endswith("_regression") or base.name == "self"
    )
    if not stored or name not in _SNAPSHOT_CALLS or not values:
        return None
    if isinstance(base, Name) and base.name == "self" and name == "check":
        return None
    return Claim("snapshot", values[0])


def _mock(spy: Expression, name: str, call: Call) -> Claim | None:
    plain = (
        name.replace("_awaited", "_called").replace("_await", "_call").replace("assert_any_await", "assert_any_call")
    )
    if plain in {"assert_called", "assert_not_called"}:
        return Claim("called", spy, negated=plain == "assert_not_called")
    if plain == "assert_called_once":
        return Claim("called_times", spy, Value("number", "1"))
    extras = _MOCK_ARGUMENTS.get(plain)
    if extras is not None:
        return Claim("called_with", spy, Call(spy, call.arguments), qualifiers=extras)
    if plain == "assert_has_calls" and call.arguments and isinstance(call.arguments[0].value, Collection):
        return _several_calls(spy, call.arguments[0].value)
    return None


_MOCK_ARGUMENTS: Mapping[str, tuple[Argument, ...]] = {
    "assert_called_with": (Argument(Value("string", "last"), "position"),),
    "assert_called_once_with": (Argument(Value("number", "1"), "times"),),
    "assert_any_call": (Argument(Value("string", "any"), "position"),),
}


def _several_calls(spy: Expression, expected: Collection) -> Claim | None:
    calls = [one for one in expected.items if isinstance(one, Call)]
    if len(calls) != 1 or len(expected.items) != 1:
        return Claim("called_with", spy, None)
    return Claim("called_with", spy, replace(calls[0], function=spy), qualifiers=_MOCK_ARGUMENTS["assert_any_call"])


_START: Final = "assert_that"
_LINKS: Final[Mapping[str, _Rule]] = {
    "is_true": _truth(negated=False),
    "is_false": _truth(negated=True),
    "is_none": _one("none"),
    "is_not_none": _one("none", negated=True),
    "is_empty": lambda values, _named: Claim("length", values[0], Value("number", "0")),
    "is_equal_to": _EQUAL,
    "is_not_equal_to": _DIFFERENT,
    "is_same_as": _compare("is"),
    "is_not_same_as": _compare("is-not"),
    "is_greater_than": _compare(">"),
    "is_greater_than_or_equal_to": _compare(">="),
    "is_less_than": _compare("<"),
    "is_less_than_or_equal_to": _compare("<="),
    "is_close_to": _near(third="tolerance"),
    "is_length": _length,
    "contains": _pair("contains"),
    "does_not_contain": _pair("contains", negated=True),
    "is_instance_of": _pair("instance_of"),
    "starts_with": _pair("starts_with"),
    "ends_with": _pair("ends_with"),
}
_MOST_GIVEN: Final = 2  # to assertpy's `assert_that`: the value, and a description of it
_ABOUT: Final = frozenset({"described_as"})  # links that claim nothing


def chain(call: Call) -> tuple[Claim, ...]:
    """Return what each link of a chain claims, in order; empty if it isn't such a chain."""
    links: list[Call] = []
    one: Expression = call
    while isinstance(one, Call) and isinstance(one.function, Attribute) and one.function.name != _START:
        links.insert(0, one)
        one = one.function.value
    starts = isinstance(one, Call) and isinstance(one.function, Name | Attribute) and one.function.name == _START
    if not links or not isinstance(one, Call) or not starts or not 1 <= len(one.arguments) <= _MOST_GIVEN:
        return ()
    subject = one.arguments[0].value
    return tuple(claim for link in links if (claim := _link(subject, link)) is not None)


def _link(subject: Expression, link: Call) -> Claim | None:
    name = link.function.name if isinstance(link.function, Attribute) else ""
    if name in _ABOUT:
        return None
    values = [subject, *(argument.value for argument in link.arguments)]
    one = len(values) <= 2 or name == "is_close_to"  # noqa: PLR2004 - `contains(1, 2)` asserts several things
    claim = _LINKS[name](values, {}) if one and name in _LINKS else None
    return refine(claim or Claim("satisfies", link))
