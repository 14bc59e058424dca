"""Instructions to the runner outside a test's assertions: skipped, exclusive, slow, or expected to fail."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING

from pactkeeper.intent.claims import Expects
from pactkeeper.repo.languages.javascript.claims.syntax import (
    arguments_of,
    bare,
    body_of,
    chain,
    children,
    is_function,
    text,
)

if TYPE_CHECKING:
    from tree_sitter import Node

_MARKS = frozenset({"skip", "only", "todo", "fails", "failing", "fail", "fixme", "slow", "skipIf", "runIf"})
_FAILING = frozenset({"fails", "failing", "fail"})
_STATED = frozenset({"skip", "fixme", "fail", "slow"})
_RUNNERS = frozenset({"test", "it", "this", "t"})
_PREFIXED = {"x": "skip", "f": "only"}  # `xit`, `fdescribe`


def markers(node: Node) -> list[str]:
    """Return the modifiers of a test's own declaration and of the suites around it, innermost first."""
    found: list[str] = []
    inner: Node | None = node
    while inner is not None:
        if inner.type == "call_expression" and (inner == node or _holds(inner, node)):
            links = chain(inner)
            root = links[0].name
            if root[1:] in {"it", "test", "describe", "context", "specify", "suite"}:
                found += [_PREFIXED[root[0]]] if root[0] in _PREFIXED else []
            found += [link.name for link in links[1:] if link.name in _MARKS]
            found += _options(inner)
        inner = inner.parent
    return found


def _options(call: Node) -> list[str]:
    """Return the modifiers enabled by an object among the arguments: `{ fails: true }`."""
    pairs = [pair for one in arguments_of(call) if one.type == "object" for pair in one.named_children]
    named = ((pair.child_by_field_name("key"), pair.child_by_field_name("value")) for pair in pairs)
    on = (text(key) for key, value in named if value is not None and value.type == "true")
    return [name for name in on if name in _MARKS]


def _holds(call: Node, node: Node) -> bool:
    """Whether a node lies inside a function passed to a call."""
    functions = (bare(one) for one in arguments_of(call))
    return any(is_function(one) and one.start_byte <= node.start_byte < one.end_byte for one in functions)


def remarks(function: Node) -> list[tuple[str, bool]]:
    """Return the modifiers set while a test runs, `test.fail()` or `this.skip()`, and whether each is unconditional."""
    body = body_of(function)
    found: list[tuple[str, bool]] = []
    for each in children(body) if body is not None and body.type == "statement_block" else ():
        links = chain(each) if each.type == "expression_statement" else ()
        if len(links) == 2 and links[0].name in _RUNNERS and links[1].name in _STATED:  # noqa: PLR2004 - object and method
            given = links[1].arguments
            if given is not None:
                found.append((links[1].name, not given or given[0].type in {"true", "string"}))
    return found


def expects(marked: Collection[str], stated: Sequence[tuple[str, bool]]) -> Expects:
    """Whether a test with these markers and remarks must pass, must fail, or may do either."""
    if _FAILING & set(marked):
        return "fail"
    return "either" if any(name == "fail" for name, _ in stated) else "pass"
