"""Claims that something fails: with which error and message, and raised by which call."""

from __future__ import annotations

from typing import TYPE_CHECKING

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
    Raised,
    Value,
)
from pactkeeper.intent.strength.errors import ANY_ERROR
from pactkeeper.repo.languages.javascript.claims.expressions import Scope
from pactkeeper.repo.languages.javascript.claims.relations import equate, qualified
from pactkeeper.repo.languages.javascript.claims.syntax import bare, body_of, children, is_function, parameters_of

if TYPE_CHECKING:
    from tree_sitter import Node


def thrower(node: Node, scope: Scope) -> Expression | None:
    """Return the call expected to fail when `node`, a function, a bound function or a promise, is run."""
    node = bare(node)
    function = node if is_function(node) else scope.function(node)
    if function is not None and not (function is not node and parameters_of(function)):
        body = body_of(function)
        return _last_call(body, scope) if body is not None else None
    made = called(scope.read(node))
    return made if isinstance(made, Call) else None


def called(one: Expression) -> Expression:
    """Return the call that running a function makes, which may be bound to arguments; any other term as it is."""
    match one:
        case Call(Attribute(value, "bind"), (_, *given)):
            return Call(value, tuple(given))
        case Name() | Attribute():
            return Call(one)
    return one


def _last_call(body: Node, scope: Scope) -> Expression | None:
    """Return the call of a function's last statement; None if the function does several things."""
    if body.type != "statement_block":
        return _call(body, scope)
    statements = children(body)
    if not statements or any(child.type.endswith("_declaration") for child in statements[:-1]):
        return _call(statements[-1], scope) if statements else None
    return _call(statements[-1], scope) if len(statements) == 1 else None


def _call(node: Node, scope: Scope) -> Expression | None:
    inner = bare(node)
    if inner.type in {"lexical_declaration", "variable_declaration"}:
        value = next((child.child_by_field_name("value") for child in children(inner)), None)
        inner = bare(value) if value is not None else inner
    expression = scope.read(inner)
    return None if isinstance(expression, Opaque) or inner.type.endswith("_statement") else expression


def raises(call: Expression | None, wanted: Expression | None, *, negated: bool = False) -> tuple[Claim, ...] | None:
    """Return the claim of `toThrow(wanted)` in any of its forms; None if `wanted` can't be read."""
    if wanted is None:
        return (_any(call, negated=negated),)
    if isinstance(wanted, Value) and wanted.kind in {"string", "regex"}:
        return (Claim("raises", ANY_ERROR, call, negated, qualified(match=wanted)),)
    if isinstance(wanted, Operation) and (wanted.operator in {"text", "+"} or _is_either_text(wanted)):
        return (Claim("raises", ANY_ERROR, call, negated, qualified(match=wanted)),)
    if isinstance(wanted, (Name, Attribute)):
        return (named(call, wanted, negated=negated),)
    if isinstance(wanted, Call):
        return (_instance(call, wanted, negated=negated),)
    if isinstance(wanted, Collection) and wanted.kind == "mapping":
        return _described(call, wanted, negated=negated)
    return None


def _is_either_text(wanted: Operation) -> bool:
    """Whether it is one text or another: `isProd ? "short" : `long ${name}``."""
    return wanted.operator == "if-else" and all(
        (isinstance(one, Value) and one.kind in {"string", "regex"})
        or (isinstance(one, Operation) and one.operator in {"text", "+"})
        for one in (wanted.operands[0], wanted.operands[-1])
    )


def named(call: Expression | None, error: Expression, *, negated: bool = False) -> Claim:
    """Claim that an error of a class, or a particular error value, is raised."""
    name = error.name if isinstance(error, (Name, Attribute)) else ""
    if name[:1].isupper():
        return Claim("raises", error, call, negated)
    return Claim("raises", ANY_ERROR, call, negated, (Argument(error, "match"),))


def _any(call: Expression | None, *, negated: bool) -> Claim:
    if negated and call is not None:
        return Claim("completes", call)
    return Claim("raises", ANY_ERROR, call, negated)


def _instance(call: Expression | None, wanted: Call, *, negated: bool) -> Claim:
    """Read `toThrow(new TypeError("text"))`, whose message Jest and Vitest compare."""
    text = wanted.arguments[0].value if wanted.arguments else None
    made = wanted.function.name if isinstance(wanted.function, (Name, Attribute)) else ""
    if not made[:1].isupper():
        return Claim("raises", ANY_ERROR, call, negated, qualified(match=wanted))
    return Claim("raises", wanted.function, call, negated, qualified(message=text))


def _described(call: Expression | None, wanted: Collection, *, negated: bool) -> tuple[Claim, ...]:
    """Read `assert.throws(fn, {name, message, code})`: the error's type and message, then its other properties.

    AVA names the type `instanceOf`.
    """
    pairs = list(zip(wanted.items[::2], wanted.items[1::2], strict=True))
    known = {key.text: value for key, value in pairs if isinstance(key, Value)}
    name, kind, message = known.get("name"), known.get("instanceOf"), known.get("message")
    error: Expression = Name(name.text) if isinstance(name, Value) and name.text.isidentifier() else ANY_ERROR
    if isinstance(kind, Name | Attribute):
        error = kind
    pattern = isinstance(message, Value) and message.kind == "regex"
    extras = qualified(match=message if pattern else None, message=None if pattern else message, code=known.get("code"))
    first = Claim("raises", error, call, negated, extras)
    if negated:
        return (first,)
    rest = [
        claim
        for key, value in known.items()
        if key not in {"message", "code", "name" if error is not kind else "instanceOf"}
        for claim in equate(Attribute(Raised(error), key), value)
    ]
    return (first, *rest)


def run_by(statement: Node, scope: Scope) -> Expression | None:
    """Return the call that a statement makes, even if it assigns the result."""
    expression = _call(statement, scope)
    return expression if isinstance(expression, Call) else None
