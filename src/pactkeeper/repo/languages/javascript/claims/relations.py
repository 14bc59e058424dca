"""Turn "these two are equal" and "this holds" into the claim a reader would make.

`expect(a.length).toBe(3)`, `assert(a.length === 3)` and `expect(a).toHaveLength(3)` become the same claim.
"""

from __future__ import annotations

import re
from dataclasses import replace

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
    Relation,
    Subscript,
    Value,
)

TRUE = Value("boolean", "true")
FALSE = Value("boolean", "false")
NULL = Value("none", "null")
UNDEFINED = Value("undefined", "undefined")
Claims = tuple[Claim, ...]

_COMPARISONS: dict[str, tuple[Relation, bool]] = {
    "==": ("equals", False),
    "!=": ("equals", True),
    "<": ("less", False),
    "<=": ("at_most", False),
    ">": ("greater", False),
    ">=": ("at_least", False),
}
_PREDICATES: dict[str, Relation] = {
    "includes": "contains",
    "startsWith": "starts_with",
    "endsWith": "ends_with",
    "has": "contains",
    "hasOwnProperty": "has_property",
}
_TYPE_TESTS = {"Array.isArray": "Array", "Buffer.isBuffer": "Buffer", "ArrayBuffer.isView": "ArrayBufferView"}
_NUMBER_TESTS = {"isNaN": "NaN", "isInteger": "an integer", "isFinite": "finite", "isSafeInteger": "a safe integer"}
_OBJECT_TESTS = {"isFrozen": "frozen", "isSealed": "sealed", "isExtensible": "extensible"}
# a bare `.called` may be any flag, so sinon's must be on something named like a spy
_SPY_NAME = re.compile(r"(?i)(spy|stub|mock|fake|callback|cb|fn|func|listener|handler)\d*$|^on[A-Z]")
_PREDICATE_NAME = re.compile(r"^(is|has|was)[A-Z_]")
_SPY_COUNTS = {"calledOnce": "1", "calledTwice": "2", "calledThrice": "3"}


def number(text: str) -> Value:
    """Return a number as an expression."""
    return Value("number", text)


def string(text: str) -> Value:
    """Return a string as an expression."""
    return Value("string", text)


def qualified(**extras: Expression | None) -> tuple[Argument, ...]:
    """Return the named qualifiers of a claim, omitting those that are None."""
    return tuple(Argument(value, name) for name, value in extras.items() if value is not None)


def is_constant(expression: Expression) -> bool:
    """Whether the expression is a literal throughout, so that a claim about it says nothing."""
    if isinstance(expression, Value):
        return True
    return isinstance(expression, Collection) and all(is_constant(item) for item in expression.items)


def equate(subject: Expression, wanted: Expression, *, negated: bool = False, relation: Relation = "equals") -> Claims:
    """Return the claims of equality with `wanted`; none if both are constants."""
    if is_constant(subject):
        if is_constant(wanted):
            return ()
        subject, wanted = wanted, subject
    if wanted in {TRUE, FALSE} and _decides(subject):
        return holds(subject, negated=negated is (wanted == TRUE))
    if wanted in {TRUE, FALSE} and _PREDICATE_NAME.match(_asked(subject)):
        return (Claim("truthy", subject, None, negated is not (wanted == FALSE)),)
    special = (
        _length(subject, wanted) or _typeof(subject, wanted) or _nothing(subject, wanted) or _calls(subject, wanted)
    )
    claim = special or Claim("equals" if is_constant(wanted) else relation, subject, wanted)
    return (replace(claim, negated=negated is not claim.negated),)


def _asked(expression: Expression) -> str:
    """Return the name of a property or argument-less method, for comparison with a predicate's name."""
    if isinstance(expression, Call):
        return terminal(expression.function) if not expression.arguments else ""
    return expression.name if isinstance(expression, Attribute) else ""


def _decides(expression: Expression) -> bool:
    """Whether the expression's truth says more than "it is true"."""
    claims = holds(expression)
    return len(claims) != 1 or claims[0].relation != "truthy" or claims[0].subject != expression


def _length(subject: Expression, wanted: Expression) -> Claim | None:
    if not isinstance(subject, Attribute) or subject.name != "length":
        return None
    if not isinstance(wanted, Value):
        return None
    counted = _spy_of(subject.value)
    if counted is not None:
        return called_times(counted, wanted)
    if wanted == number("0"):
        return Claim("empty", subject.value)
    return Claim("length", subject.value, wanted)


def _spy_of(expression: Expression) -> Expression | None:
    """Return the spy in `spy.mock.calls`."""
    if isinstance(expression, Attribute) and expression.name == "calls" and isinstance(expression.value, Attribute):
        return expression.value.value if expression.value.name == "mock" else None
    return None


def called_times(spy: Expression, times: Expression) -> Claim:
    """Claim how often a spy was called; zero times becomes "not called"."""
    if times == number("0"):
        return Claim("called", spy, negated=True)
    return Claim("called_times", spy, times)


def _calls(subject: Expression, wanted: Expression) -> Claim | None:
    if isinstance(subject, Attribute) and subject.name == "callCount":
        return called_times(subject.value, wanted)
    if isinstance(subject, Call) and isinstance(subject.function, Attribute) and subject.function.name == "callCount":
        return called_times(subject.function.value, wanted)
    if isinstance(subject, Subscript) and isinstance(wanted, Collection) and wanted.kind == "list":
        spy = _spy_of(subject.value)
        if spy is not None and isinstance(subject.key, Value):
            given = Call(spy, tuple(Argument(item) for item in wanted.items))
            position = number(str(int(subject.key.text) + 1)) if subject.key.text.isdecimal() else None
            return Claim("called_with", spy, given, qualifiers=qualified(position=position))
    return None


def _typeof(subject: Expression, wanted: Expression) -> Claim | None:
    if isinstance(subject, Operation) and subject.operator == "typeof" and isinstance(wanted, Value):
        if wanted.text == "undefined":
            return Claim("undefined", subject.operands[0])
        return typed(subject.operands[0], wanted.text)
    if isinstance(subject, Attribute) and subject.name == "constructor" and isinstance(wanted, Name):
        return Claim("has_type", subject.value, wanted)
    return None


def _nothing(subject: Expression, wanted: Expression) -> Claim | None:
    if wanted == NULL:
        return Claim("none", subject)
    if wanted == UNDEFINED:
        return Claim("undefined", subject)
    return None


def holds(expression: Expression, *, negated: bool = False) -> Claims:
    """Return the claims implied by an expression's truth, from its operators and well-known predicates."""
    if is_constant(expression):
        return ()
    if isinstance(expression, Operation):
        decided = _operation(expression, negated=negated)
        if decided is not None:
            return decided
    claim = _predicate(expression) or _spy_state(expression) or _truth(expression)
    return (replace(claim, negated=negated is not claim.negated),)


def _truth(expression: Expression) -> Claim:
    if isinstance(expression, (Operation, Opaque)):
        return Claim("satisfies", expression)
    return Claim("truthy", expression)


def _operation(expression: Operation, *, negated: bool) -> Claims | None:
    operator, operands = expression.operator, expression.operands
    if operator == "not":
        return holds(operands[0], negated=not negated)
    if operator in _COMPARISONS:
        relation, turned = _COMPARISONS[operator]
        if relation == "equals":
            return equate(*operands, negated=negated is not turned, relation="same")
        return compare(relation, *operands, negated=negated)
    if operator == "in":
        return (Claim("has_property", operands[1], operands[0], negated),)
    if operator == "instanceof":
        return (Claim("instance_of", operands[0], operands[1], negated),)
    if operator == ("or" if negated else "and"):
        return tuple(claim for operand in operands for claim in holds(operand, negated=negated))
    if operator in {"and", "or"}:
        return _alternatives(operands, negated=negated)
    return None


def _alternatives(operands: tuple[Expression, ...], *, negated: bool) -> Claims | None:
    branches = [holds(operand, negated=negated) for operand in operands]
    if any(len(branch) != 1 for branch in branches):
        return None
    first, *others = (branch[0] for branch in branches)
    nested = tuple(other for each in others for other in (replace(each, alternatives=()), *each.alternatives))
    return (replace(first, alternatives=(*first.alternatives, *nested)),)


def compare(relation: Relation, left: Expression, right: Expression, *, negated: bool = False) -> Claims:
    """Return the claim of an ordering; "a constant is less than x" is flipped so that x is the subject."""
    turned: dict[Relation, Relation] = {
        "less": "greater",
        "greater": "less",
        "at_most": "at_least",
        "at_least": "at_most",
    }
    if is_constant(left):
        if is_constant(right):
            return ()
        left, right, relation = right, left, turned[relation]
    return (Claim(relation, left, right, negated),)


def _predicate(expression: Expression) -> Claim | None:
    if not isinstance(expression, Call) or not isinstance(expression.function, Attribute):
        return None
    target, name = expression.function.value, expression.function.name
    given = [argument.value for argument in expression.arguments]
    if name == "call" and terminal(target) == "hasOwnProperty" and len(given) == 2:  # noqa: PLR2004 - an object and a key
        return Claim("has_property", given[0], given[1])
    if not given or any(isinstance(each, Operation) and each.operator == "spread" for each in given):
        return None
    if isinstance(target, Name) and target.name[:1].isupper():
        return _static(target.name, name, given)
    if name in {"calledWith", "calledWithExactly"}:
        return Claim("called_with", target, Call(target, expression.arguments))
    if name in {"test", "match"}:
        pattern, tested = (target, given[0]) if name == "test" else (given[0], target)
        regex = isinstance(pattern, Value) and pattern.kind == "regex"
        return Claim("matches", tested, pattern) if regex else None
    return Claim(_PREDICATES[name], target, given[0]) if name in _PREDICATES and len(given) == 1 else None


def _static(owner: str, name: str, given: list[Expression]) -> Claim | None:
    """Read `Array.isArray(x)`, `Number.isInteger(x)`, `Object.isFrozen(x)`."""
    if f"{owner}.{name}" in _TYPE_TESTS:
        return Claim("instance_of", given[0], Name(_TYPE_TESTS[f"{owner}.{name}"]))
    if owner == "Number" and name in _NUMBER_TESTS:
        return Claim("state", given[0], string(_NUMBER_TESTS[name]))
    return _object_test(name, given) if owner == "Object" else None


def _object_test(name: str, given: list[Expression]) -> Claim | None:
    if name in _OBJECT_TESTS:
        return Claim("state", given[0], string(_OBJECT_TESTS[name]))
    if name == "hasOwn" and len(given) == 2:  # noqa: PLR2004 - an object and a key
        return Claim("has_property", given[0], given[1])
    if name == "is" and len(given) == 2:  # noqa: PLR2004 - two values
        return Claim("same", given[0], given[1])
    return None


def terminal(expression: Expression) -> str:
    """Return the last name of a member chain."""
    return getattr(expression, "name", "")


def _spy_state(expression: Expression) -> Claim | None:
    if not isinstance(expression, Attribute):
        return None
    if expression.name == "called" and _SPY_NAME.search(terminal(expression.value)):
        return Claim("called", expression.value)
    if expression.name == "notCalled":
        return Claim("called", expression.value, negated=True)
    if expression.name in _SPY_COUNTS:
        return Claim("called_times", expression.value, number(_SPY_COUNTS[expression.name]))
    return None


def typed(subject: Expression, name: str, *, negated: bool = False) -> Claim:
    """Claim a type by its lower-case name, as `typeof` and chai's `a()` use it."""
    if name in {"undefined", "null"}:
        return Claim("undefined" if name == "undefined" else "none", subject, negated=negated)
    return Claim("instance_of", subject, Name(name), negated)


_PRIMITIVES = frozenset({"String", "Number", "Boolean", "Function", "Object", "Symbol", "BigInt"})
_OWNERS = frozenset({"expect", "jasmine"})


def compared(subject: Expression, wanted: Expression | None, *, negated: bool = False) -> Claims | None:
    """Return the claims of deep equality with `wanted`; a top-level asymmetric matcher becomes its own relation."""
    if wanted is None:
        return None
    parts = _parts(wanted)
    if parts is None:
        return equate(subject, wanted, negated=negated)
    name, given, turned = parts
    claims = _asymmetric(subject, name, given)
    if claims is None or not (negated or turned):
        return claims
    first = claims[0]
    turned_claim = Claim(first.relation, first.subject, first.object, first.negated is not (negated is not turned))
    return (turned_claim,) if len(claims) == 1 else None


def entries(wanted: Expression) -> Expression | None:
    """Return the mapping inside `expect.objectContaining({…})`, or None for anything else."""
    parts = _parts(wanted)
    if parts is None or parts[0] != "objectContaining" or parts[2]:
        return None
    return parts[1]


def _parts(wanted: Expression) -> tuple[str, Expression | None, bool] | None:
    """Return the name, argument and negation (`.not`) of an asymmetric matcher."""
    if not isinstance(wanted, Call) or not isinstance(wanted.function, Attribute):
        return None
    owner, turned = wanted.function.value, False
    if isinstance(owner, Attribute) and owner.name == "not":
        owner, turned = owner.value, True
    if not isinstance(owner, Name) or owner.name not in _OWNERS:
        return None
    return wanted.function.name, wanted.arguments[0].value if wanted.arguments else None, turned


def _asymmetric(subject: Expression, name: str, given: Expression | None) -> Claims | None:
    if name == "anything":
        return (Claim("none", subject, negated=True),)
    if given is None:
        return None
    if name == "any":
        return (_any(subject, given),)
    literal = isinstance(given, Value) and given.kind == "string"
    if name in {"objectContaining", "stringContaining"} or (name == "stringMatching" and literal):
        return (Claim("contains", subject, given),)
    if name == "stringMatching":
        return (Claim("matches", subject, given),)
    if name == "closeTo":
        return (Claim("approximately", subject, given),)
    if name == "arrayContaining" and isinstance(given, Collection):
        return tuple(Claim("contains", subject, item) for item in given.items) or None
    return None


def _any(subject: Expression, kind: Expression) -> Claim:
    if isinstance(kind, Name) and kind.name in _PRIMITIVES:
        return typed(subject, kind.name.lower())
    return Claim("instance_of", subject, kind)
