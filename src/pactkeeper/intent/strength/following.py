"""What follows from an equality by the language alone: parts, length, members, keys, type of a literal.

What the product computes from an equal value doesn't follow: `f(1) == 2` says nothing of `f(f(1))`.
"""

from __future__ import annotations

import builtins
from dataclasses import dataclass
from typing import Final

from pactkeeper.intent.claims import (
    Attribute,
    Call,
    Claim,
    Collection,
    Expression,
    Name,
    Opaque,
    Operation,
    Raised,
    Value,
    children,
)
from pactkeeper.intent.strength.folding import is_spread
from pactkeeper.intent.strength.substitution import simplified
from pactkeeper.intent.strength.terms import dotted, is_part, rebuilt

_BUILTINS: Final = frozenset(
    {*dir(builtins), "Object", "Array", "Number", "String", "Boolean", "JSON", "Math", "json", "undefined", "NaN"}
)
_OF_MAPPINGS: Final = frozenset({"keys", "values", "items"})
_OF_TEXTS: Final = frozenset(dir(str)) | {"includes", "startsWith", "endsWith", "trim", "toLowerCase", "toUpperCase"}
_ANOTHER_TIME: Final = frozenset({"touched", "changed"})


def follows(one: Claim, other: Claim) -> bool:
    """Whether a claim is about a value that the language makes of one whose literal value another claim expects."""
    if one.object is None or other.subject == one.subject:
        return False
    made = _Made(one.subject, one.object)
    if is_part(one.subject, other.subject) and made.of_value(other.subject) == other.object:
        return True  # the same is made of both sides
    expected = [each for each in (other.object, *(extra.value for extra in other.qualifiers)) if each is not None]
    sure = (is_part(each, one.object) or made.is_known(each) for each in expected)
    return is_part(one.subject, other.subject) and made.is_known(other.subject) and all(sure)


@dataclass(frozen=True, slots=True)
class _Made:
    """What is made of a `whole`, and of the `value` that is expected of it."""

    whole: Expression
    value: Expression

    def is_known(self, one: Expression) -> bool:
        """Whether the expected value and the language determine a term."""
        if one == self.whole:
            return True
        match one:
            case Value() | Opaque():
                return isinstance(one, Value)
            case Name(name=name):
                return name in _BUILTINS or "·" in name
            case Attribute():
                return self.is_known(one.value) and self._has(one)
            case Call():
                return self._is_of_language(one) and all(self.is_known(each.value) for each in one.arguments)
            case Operation(operator=operator) if operator in _ANOTHER_TIME:
                return False
            case Raised():
                return False
        return all(map(self.is_known, children(one)))

    def of_value(self, one: Expression) -> Expression:
        """Return a term with the expected value in the place of what it is made of."""
        if one == self.whole:
            return self.value
        return simplified(rebuilt(one, self.of_value))

    def _has(self, one: Attribute) -> bool:
        """Whether a literal has the attribute, which is not a property that the product computes."""
        whole = self.of_value(one.value)
        if not isinstance(whole, Collection) or whole.kind != "mapping" or any(map(is_spread, whole.items)):
            return isinstance(whole, Value | Collection)
        return Value("string", one.name) in whole.items[::2]

    def _is_of_language(self, call: Call) -> bool:
        function = call.function
        if dotted(function).partition(".")[0] in _BUILTINS:
            return True
        if not isinstance(function, Attribute) or not self.is_known(function.value):
            return False
        whole = self.of_value(function.value)
        if isinstance(whole, Collection):
            return whole.kind != "mapping" or function.name in _OF_MAPPINGS
        if isinstance(whole, Call):
            return function.name in _OF_TEXTS and self.is_known(whole)
        return isinstance(whole, Value) and (whole.kind != "string" or function.name in _OF_TEXTS)
