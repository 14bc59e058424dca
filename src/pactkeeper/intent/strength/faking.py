"""Fakes: what a call replaces, and what a fake itself answers."""

from __future__ import annotations

import builtins
import sys
from collections.abc import Container, Iterable, Iterator
from typing import Final

from pactkeeper.intent.claims import (
    Argument,
    Attribute,
    Call,
    Claim,
    Collection,
    Expression,
    Name,
    Opaque,
    Operation,
    Subscript,
    Value,
    children,
)
from pactkeeper.intent.strength.terms import TEST_SIDE, dotted, last_name, operator_of, read_through, rebuilt, terms_of

_ANY: Final = Name("fake·")
_READ: Final = {"each": 2, "member": 0, "any": 0, "last": 0}  # the operand that an operation reads its result from
_SILENT: Final = frozenset({"spec", "spec_set", "name"})  # options of a fake that leave its answers as they are
_RECORDED: Final = frozenset({"call_args", "call_args_list", "mock_calls", "method_calls", "await_args",
                              "await_args_list", "call_count", "calls"})  # fmt: skip
_FAKES: Final = frozenset({"Mock", "MagicMock", "AsyncMock", "NonCallableMock", "create_autospec", "createSpy", "fn",
                           "mocked", "stub"})  # fmt: skip
_MOCKING: Final = frozenset({"patch", "object", "setattr", "replaceProperty", "__setattr__", "mock", "doMock",
                             "setitem", "multiple", "unstable_mockModule", "module"})  # fmt: skip

_REACHING: Final = frozenset({"fetch", "XMLHttpRequest", "WebSocket", "EventSource"})
_LANGUAGE: Final = frozenset(
    {*sys.stdlib_module_names, *dir(builtins), "Date", "Math", "performance", "process", "console", "globalThis"}
)


def replaced_by(made: Expression) -> frozenset[str]:
    """Return the dotted names of what a call replaces with a fake."""
    match made:
        case Call(function=Attribute(value=Name(name="Object"), name="assign"), arguments=(into, taken, *_)):
            keys = taken.value.items[::2] if isinstance(taken.value, Collection) else ()
            holder = dotted(into.value)
            return frozenset(f"{holder}.{key.text}" for key in keys if holder and isinstance(key, Value))
        case Call(function=Attribute(name="stubGlobal"), arguments=(Argument(value=name), *_)):
            return frozenset({f"globalThis.{_target(name)}"})
    if not isinstance(made, Call) or last_name(made.function) not in _MOCKING:
        return frozenset()
    if last_name(made.function) == "__setattr__" and made.arguments:
        return frozenset({_target(made.arguments[0].value)})
    first = made.arguments[0].value if made.arguments else None
    whole = isinstance(first, Value) and "." in first.text  # `setattr("shop.price", fake)`
    words = [_target(argument.value) for argument in made.arguments[: 1 if whole else 2]]
    return frozenset(filter(None, [".".join(filter(None, words))]))


def fixed_by(made: Expression) -> frozenset[str]:
    """Return the dotted name of a constant that a call sets to a value of its own, other than nothing or a fraction.

    A pause is often set to nothing, or to a fraction of a second, so that tests needn't wait.
    """
    target = min(replaced_by(made), default="")
    if not isinstance(made, Call) or not target.rpartition(".")[2].isupper():
        return frozenset()
    placed = [each.value for each in made.arguments if each.name is None]
    named = (each.value for each in made.arguments if each.name in {"new", "value"})
    value = next(named, placed[-1] if len(placed) > 1 else None)
    if value is None:
        return frozenset()
    plain = value.text if isinstance(value, Value) else "set" if _is_written(value) else ""
    small = isinstance(value, Value) and value.kind == "number" and plain.lstrip("-").startswith(("0", "."))
    return frozenset({target} if plain and not small and plain not in {"None", "False"} else ())


def _is_written(one: Expression) -> bool:
    """Whether the source alone says the value: `Decimal("40.00")`, `timedelta(days=3)`, `(1, 2)`."""
    if isinstance(one, Call):
        return bool(one.arguments) and all(isinstance(each.value, Value) for each in one.arguments)
    return isinstance(one, Collection) and bool(one.items) and all(map(_is_literal, one.items))


def _is_literal(one: Expression) -> bool:
    return isinstance(one, Value) or _is_written(one)


def of_the_language(target: str) -> bool:
    """Whether a dotted name is the language's or the browser's, not the product's: a clock, a page that is set up."""
    return target.partition(".")[0] in _LANGUAGE | {"document"}


def is_far_side(target: str) -> bool:
    """Whether a dotted name is a global by which JavaScript reaches other systems: what it answers decides results."""
    owner, _, name = target.rpartition(".")
    return owner in {"globalThis", "global", "window"} and name in _REACHING


def _target(one: Expression) -> str:
    return one.text if isinstance(one, Value) and one.kind == "string" else dotted(one)


def is_fake(one: Expression) -> bool:
    """Whether it contains a fake, or is read from an inline function or something the test side defines.

    A fake among the options of a call only listens; what a fake was called with comes from its caller.
    """
    if any(isinstance(part, Attribute) and part.name in _RECORDED for part in terms_of(one)):
        return False
    if any(last_name(part) in _FAKES for part in _outside_of_options(one) if isinstance(part, Call | Name)):
        return True
    way = tuple(read_through(one))
    origin = way[-1]
    foreign = isinstance(origin, Opaque) and origin.text != "import"
    return origin == TEST_SIDE or foreign or _is_written_here(origin) or any(map(_wraps, way))


def makes_fake(one: Expression) -> bool:
    """Whether it is a call that makes a fake."""
    return isinstance(one, Call) and last_name(one) in _FAKES


def tells_calls(claim: Claim) -> bool:
    """Whether a claim is about how something was called, which only a fake can tell."""
    asked = claim.subject
    if claim.relation.startswith("called") or last_name(asked).startswith("assert_"):
        return True
    return any(isinstance(part, Attribute) and part.name in _RECORDED for part in _way(asked))


def _wraps(one: Expression) -> bool:
    """Whether a call puts functions of the test's own in front of an object: a proxy, or what is assigned to it."""
    wrapping = isinstance(one, Call) and last_name(one) in {"Proxy", "assign"}
    return wrapping and any(isinstance(part, Operation) and part.operator == "=>" for part in terms_of(one))


def _is_written_here(one: Expression) -> bool:
    """Whether it is a class written in place, or a function that mentions nothing but what it is given."""
    if not isinstance(one, Operation) or one.operator not in {"=>", "class"}:
        return False
    names = {part.name for part in terms_of(one) if isinstance(part, Name) and not part.name.isdigit()}
    return one.operator == "class" or names <= _LANGUAGE | {"Error", "TypeError", "RangeError"}


def without_fakes(one: Expression) -> Expression:
    """Return a term without fakes that are passed to calls, return nothing, and so only listen."""
    if isinstance(one, Call):
        given = (each for each in one.arguments if not (last_name(each.value) in _FAKES and _is_bare(each.value)))
        one = Call(one.function, tuple(given))
    return rebuilt(one, without_fakes)


def with_any_fake(one: Expression) -> Expression:
    """Return a term with one and the same name for every fake, and every function that neither throws nor asserts."""
    quiet = isinstance(one, Operation) and one.operator == "=>" and not any(map(_complains, terms_of(one)))
    if quiet or (isinstance(one, Call) and is_fake(one) and answers(one)):
        return _ANY
    return rebuilt(one, with_any_fake)


def with_named(one: Expression, earlier: Expression, imported: Container[str]) -> Expression:
    """Return a term with the name of a test's own function where an earlier term had it and this has its text.

    A name keeps what the function does to itself; what a helper returns in its place shows the fakes in it.
    """
    if operator_of(one) == "=>" and isinstance(earlier, Name):
        return one if earlier.name in _LANGUAGE | _REACHING or earlier.name in imported else earlier
    before = children(earlier)
    if type(one) is not type(earlier) or len(before) != len(children(one)):
        return one
    parts = iter(before)
    return rebuilt(one, lambda part: with_named(part, next(parts), imported))


def refusals(parts: Iterable[Expression]) -> int:
    """Count the functions among terms that throw or assert: what a fake does where it must not be called."""
    functions = (one for one in parts if isinstance(one, Operation) and one.operator == "=>")
    return sum(any(map(_complains, terms_of(one))) for one in functions)


def _complains(one: Expression) -> bool:
    throws = isinstance(one, Operation) and one.operator.startswith(("throw", "raise"))
    return throws or (isinstance(one, Name) and one.name in {"assert", "expect", "fail"})


def _is_bare(one: Expression) -> bool:
    """Whether a fake returns nothing that a test chose."""
    return isinstance(one, Call) and all(
        each.name in _SILENT or (each.name == "return_value" and each.value == Value("none", "None"))
        for each in one.arguments
    )


def answers(one: Expression) -> bool:
    """Whether a fake itself supplies the value; what a call makes of a fake argument is the product's answer.

    So is what is put together of such answers: a text, a list, a sum.
    """
    way = list(_way(one))
    made, origin = way[:-1], way[-1]
    if any((isinstance(part, Call) and last_name(part) in _FAKES) or _wraps(part) for part in made):
        return True
    if isinstance(origin, Name):
        return origin == TEST_SIDE or origin.name in _FAKES
    parts = () if isinstance(origin, Operation) and origin.operator in {"=>", "class"} else children(origin)
    if isinstance(origin, Value):
        parts = tuple(each.value for part in made if isinstance(part, Call) for each in part.arguments)
    return all(answers(part) for part in parts if not isinstance(part, Value))


def _way(one: Expression) -> Iterator[Expression]:
    """Yield a term and what it is read from, also as a member of a loop or of a list taken apart."""
    yield one
    while isinstance(one, Attribute | Subscript | Call) or (isinstance(one, Operation) and one.operator in _READ):
        if isinstance(one, Operation):
            one = one.operands[_READ[one.operator]]
        else:
            one = one.function if isinstance(one, Call) else one.value
        yield one


def _outside_of_options(one: Expression) -> Iterator[Expression]:
    yield one
    if not (isinstance(one, Collection) and one.kind == "mapping"):
        for part in children(one):
            yield from _outside_of_options(part)
