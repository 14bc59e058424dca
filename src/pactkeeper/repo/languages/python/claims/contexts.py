"""What a context manager, or a call that takes a callable, asserts: that something is raised, warned or logged."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from tree_sitter import Node

from pactkeeper.intent.claims import Argument, Attribute, Call, Claim, Expression, Name, Relation, Value
from pactkeeper.repo.languages.python.claims.comparisons import pattern
from pactkeeper.repo.languages.python.claims.expressions import sorted_out, text_of


@dataclass(frozen=True, slots=True)
class _Watcher:
    """How one watching call is written.

    `fixed` is the type if the call itself implies it; `matched` means that the second positional argument is a pattern.
    """

    relation: Relation
    fixed: str = ""
    matched: bool = False
    negated: bool = False


WATCHERS: Mapping[str, _Watcher] = {
    "raises": _Watcher("raises"),
    "RaisesGroup": _Watcher("raises"),
    "assertRaises": _Watcher("raises"),
    "failUnlessRaises": _Watcher("raises"),
    "assert_raises": _Watcher("raises"),
    "assertRaisesRegex": _Watcher("raises", matched=True),
    "assertRaisesRegexp": _Watcher("raises", matched=True),
    "assertRaisesMessage": _Watcher("raises", matched=True),
    "assert_raises_regex": _Watcher("raises", matched=True),
    "warns": _Watcher("warns"),
    "assertWarns": _Watcher("warns"),
    "assert_warns": _Watcher("warns"),
    "assert_produces_warning": _Watcher("warns"),
    "assertWarnsRegex": _Watcher("warns", matched=True),
    "deprecated_call": _Watcher("warns", fixed="DeprecationWarning"),
    "assertLogs": _Watcher("logs"),
    "assertNoLogs": _Watcher("logs", negated=True),
    "assert_no_warnings": _Watcher("warns", fixed="Warning", negated=True),
    "does_not_raise": _Watcher("completes"),
    "not_raises": _Watcher("completes"),
}
HOLDERS = frozenset({"pytest", "self", "cls", "testing", "np.testing", "tm", "case", "t"})


def managers(node: Node) -> Iterator[tuple[Node, Node, str]]:
    """Yield the items of a `with`, each with what makes its manager and the name for what it gives, "" for none."""
    clauses = (clause for clause in node.named_children if clause.type == "with_clause")
    for item in (item for clause in clauses for item in clause.named_children):
        value = item.child_by_field_name("value")
        if value is not None:
            yield item, *_aliased(value)


def handled(node: Node) -> tuple[Node | None, str]:
    """Return the types that an `except` clause takes, None for all, and the name for the error, "" for none."""
    value, alias = node.child_by_field_name("value"), text_of(node.child_by_field_name("alias"))
    if value is None:
        value = next((child for child in node.named_children if child.type not in {"block", "comment"}), None)
    return _aliased(value) if value is not None and value.type == "as_pattern" else (value, alias)


def _aliased(value: Node) -> tuple[Node, str]:
    if value.type != "as_pattern" or not value.named_children:
        return value, ""
    alias = text_of(value.child_by_field_name("alias"))
    return value.named_children[0], alias if alias.isidentifier() else ""


def watcher_of(call: Expression) -> str | None:
    """Return the name of the watching call, if the expression is one."""
    if not isinstance(call, Call):
        return None
    function = call.function
    if isinstance(function, Name) and function.name in WATCHERS:
        return function.name
    if isinstance(function, Attribute) and function.name in WATCHERS:
        holder = function.value
        return function.name if isinstance(holder, Name) and holder.name in HOLDERS else None
    return None


def watched(call: Call, body: Expression | None) -> Claim | None:
    """Return the claim of a watching call, with `body` as the call made under it; None if nothing is watched."""
    name = watcher_of(call)
    if name is None:
        return None
    kind = WATCHERS[name]
    values, named = sorted_out(call.arguments)
    if kind.relation == "completes":
        return Claim("completes", body) if body is not None else None
    if kind.relation == "logs":
        return _logs(kind, values, named)
    return _raised(kind, values, named, body)


def with_callable(call: Call) -> Claim | None:
    """Return the claim of a watching call that takes a callable: `raises(Error, f)`, with or without `.match(…)`."""
    if isinstance(call.function, Attribute) and call.function.name == "match" and len(call.arguments) == 1:
        raised = with_callable(call.function.value) if isinstance(call.function.value, Call) else None
        shape = Argument(pattern(call.arguments[0].value), "match")
        return replace(raised, qualifiers=(shape,)) if raised is not None else None
    name = watcher_of(call)
    values = [argument for argument in call.arguments if argument.name is None]
    if name is None or WATCHERS[name].relation == "logs":
        return None
    first = 0 if WATCHERS[name].fixed else 2 if WATCHERS[name].matched else 1
    if len(values) <= first:
        return None
    rest = tuple(argument for argument in call.arguments if argument not in values[: first + 1])
    rest = tuple(argument for argument in rest if argument.name not in {"match", "msg"})
    return watched(Call(call.function, tuple(values[:first])), Call(values[first].value, rest))


def caught(value: Expression) -> Expression | None:
    """Return the error that `info = pytest.raises(Error, f)` captures; None if the value isn't such a call."""
    claim = with_callable(value) if isinstance(value, Call) and watcher_of(value) == "raises" else None
    return claim.subject if claim is not None else None


def quieted(call: Call) -> Claim | None:
    """Return the claim of `warnings.simplefilter("error")`: nothing that runs after it warns."""
    name = call.function.name if isinstance(call.function, Attribute | Name) else ""
    given = [argument.value for argument in call.arguments]
    if name not in {"simplefilter", "filterwarnings"} or given[:1] != [Value("string", "error")]:
        return None
    category = next((one.value for one in call.arguments if one.name == "category"), Name("Warning"))
    return Claim("warns", category, negated=True)


def _raised(
    kind: _Watcher, values: list[Expression], named: Mapping[str, Expression], body: Expression | None
) -> Claim | None:
    types = [
        *values[:1],
        *(named[key] for key in ("expected_exception", "expected_warning", "exception") if key in named),
    ]
    if kind.fixed:
        types = [Name(kind.fixed)]
    subject = types[0] if types else Name("Warning" if kind.relation == "warns" else "Exception")
    shape = values[1] if kind.matched and len(values) > 1 else named.get("match", named.get("expected_regex"))
    extras = (Argument(pattern(shape), "match"),) if shape is not None else ()
    return Claim(kind.relation, subject, body, negated=kind.negated, qualifiers=extras)


def _logs(kind: _Watcher, values: list[Expression], named: Mapping[str, Expression]) -> Claim:
    logger = values[0] if values else named.get("logger")
    level = values[1] if len(values) > 1 else named.get("level")
    extras = (Argument(level, "level"),) if level is not None else ()
    subject = logger if isinstance(logger, Value) and logger.kind == "string" else Name("log")
    return Claim("logs", subject, negated=kind.negated, qualifiers=extras)
