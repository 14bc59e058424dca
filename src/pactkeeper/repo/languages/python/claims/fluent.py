"""assertpy's chains: `assert_that(x).is_not_none().is_equal_to(y)` claims something with every link."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from pactkeeper.intent.claims import Attribute, Call, Claim, Expression, Name, Value
from pactkeeper.repo.languages.python.claims.comparisons import comparison, refine, truth

_START: Final = "assert_that"
_OPERATORS: Final[Mapping[str, str]] = {
    "is_equal_to": "==",
    "is_not_equal_to": "!=",
    "is_same_as": "is",
    "is_not_same_as": "is-not",
    "is_greater_than": ">",
    "is_greater_than_or_equal_to": ">=",
    "is_less_than": "<",
    "is_less_than_or_equal_to": "<=",
}
_ABOUT: Final = frozenset({"described_as"})  # links that claim nothing


def chain(call: Call) -> tuple[Claim, ...]:
    """What each link of a chain claims, in their order; none where it is no such chain."""
    links: list[Call] = []
    one: Expression = call
    while isinstance(one, Call) and isinstance(one.function, Attribute) and one.function.name != _START:
        links.insert(0, one)
        one = one.function.value
    starts = isinstance(one, Call) and isinstance(one.function, Name | Attribute) and one.function.name == _START
    if not links or not isinstance(one, Call) or not starts or len(one.arguments) != 1:
        return ()
    subject = one.arguments[0].value
    return tuple(claim for link in links if (claim := _link(subject, link)) is not None)


def _link(subject: Expression, link: Call) -> Claim | None:
    name = link.function.name if isinstance(link.function, Attribute) else ""
    values = [argument.value for argument in link.arguments]
    if name in _ABOUT:
        return None
    claim = Claim("satisfies", link)
    if name in {"is_true", "is_false"}:
        claim = truth(subject, negated=name == "is_false")
    elif name in {"is_none", "is_not_none"}:
        claim = Claim("none", subject, negated=name == "is_not_none")
    elif name == "is_empty":
        claim = Claim("length", subject, Value("number", "0"))
    elif len(values) == 1 and name in _OPERATORS:
        claim = comparison(subject, _OPERATORS[name], values[0])
    elif len(values) == 1 and name == "is_length":
        claim = Claim("length", subject, values[0])
    elif len(values) == 1 and name in {"contains", "does_not_contain"}:
        claim = Claim("contains", subject, values[0], negated=name == "does_not_contain")
    elif len(values) == 1 and name in {"is_instance_of", "starts_with", "ends_with"}:
        relation = "instance_of" if name == "is_instance_of" else name
        claim = Claim(relation, subject, values[0])  # type: ignore[arg-type]
    return refine(claim)
