"""What a call replaces with a fake."""

from __future__ import annotations

import builtins
import sys
from typing import Final

from pactkeeper.intent.claims import Call, Expression, Value
from pactkeeper.intent.strength.terms import dotted, last_name

_MOCKING: Final = frozenset(
    {
        "patch",
        "object",
        "setattr",
        "__setattr__",
        "mock",
        "doMock",
        "setitem",
        "multiple",
        "unstable_mockModule",
        "module",
    }
)


_LANGUAGE: Final = frozenset(
    {*sys.stdlib_module_names, *dir(builtins), "Date", "Math", "performance", "process", "console", "globalThis"}
)


def replaced_by(made: Expression) -> frozenset[str]:
    """The dotted name of what a call puts a fake in the place of."""
    if not isinstance(made, Call) or last_name(made.function) not in _MOCKING:
        return frozenset()
    if last_name(made.function) == "__setattr__" and made.arguments:
        return frozenset({_target(made.arguments[0].value)})
    words = [_target(argument.value) for argument in made.arguments[:2]]
    return frozenset(filter(None, [".".join(filter(None, words))]))


def of_the_language(target: str) -> bool:
    """Whether a dotted name belongs to the language rather than to a product: a clock, a source of random numbers."""
    return target.partition(".")[0] in _LANGUAGE


def _target(one: Expression) -> str:
    if isinstance(one, Value) and one.kind == "string":
        return one.text
    return dotted(one)
