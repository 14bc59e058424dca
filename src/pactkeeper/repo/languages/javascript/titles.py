"""Titles of declaring calls, and the tests that a file exports as functions."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

import msgspec

from pactkeeper.repo.languages.javascript import normal
from pactkeeper.repo.languages.javascript.facts import Call, Facts, Target, TitleKind
from pactkeeper.repo.languages.javascript.syntax import CALLBACKS, arguments_of, bare, literal, squeezed, text, unescape

if TYPE_CHECKING:
    from tree_sitter import Node, Tree

    from pactkeeper.repo.languages.normal_form import Prepared

ANONYMOUS = "<anonymous>"
_DECLARING: Final = frozenset({"lexical_declaration", "variable_declaration"})


@dataclass(frozen=True, slots=True)
class Title:
    """A name and its node; `callback` is the function that runs, `callback_name` one passed by name."""

    name: str
    kind: TitleKind
    node: Node | None
    arguments: int
    callback: Node | None
    callback_name: str = ""
    runs: bool = False


_GIVING: Final = frozenset({"identifier", "member_expression", "subscript_expression", "call_expression"})


def title_of(call: Node) -> Title:
    """Read the arguments of a declaring call."""
    arguments = arguments_of(call)
    if not arguments:
        return Title("", "none", None, 0, None)
    first, last = arguments[0], arguments[-1]
    if first.type == "string" and last.type in CALLBACKS:
        return Title(unescape(text(first)[1:-1]), "text", first, len(arguments), last, runs=True)
    callback = next((a for a in reversed(arguments) if bare(a).type in CALLBACKS), None)
    callback = bare(callback) if callback is not None else None
    described = next((a for a in arguments[:2] if a.type == "object"), None)
    if callback is None and described is not None:
        callback = _entry(described, "fn")
    if first.type == "object":
        return _described(first, callback, len(arguments))
    rest = [bare(argument) for argument in arguments[1:]]
    runs = callback is not None or any(node.type in _GIVING for node in rest)
    handed = next((text(node) for node in rest if node.type == "identifier"), "") if callback is None else ""
    if callback is not None and bare(first).id == callback.id:
        return Title(_function_name(callback), "function", first, len(arguments), callback, runs=True)
    name, kind = written(first)
    whole = first.type == "spread_element"  # title and function, spread from elsewhere
    return Title(name, kind, first, len(arguments), callback, handed, runs or whole)


def rows_of(call: Node) -> tuple[tuple[int, int], ...]:
    """Return the first and last lines of the literals that a declaring call gets after its title and function.

    They may stand in a variable at the top of its file.
    """
    rows = (_held(bare(one)) for one in arguments_of(call)[2:])
    return tuple((one.start_point.row + 1, one.end_point.row + 1) for one in rows if one.type in {"array", "object"})


def _held(node: Node) -> Node:
    """Return what a variable at the top of its file holds, by its name; any other node as it is."""
    top = node if node.type == "identifier" else None
    while top is not None and top.parent is not None:
        top = top.parent
    stated = (one for each in top.named_children for one in (each, *each.named_children)) if top is not None else ()
    declared = (one for each in stated if each.type in _DECLARING for one in each.named_children)
    for one in declared:
        name, value = one.child_by_field_name("name"), one.child_by_field_name("value")
        if name is not None and value is not None and text(name) == text(node):
            return bare(value)
    return node


def written(node: Node) -> tuple[str, TitleKind]:
    """Return a literal title as the runner shows it, else its source on one line; a template without backticks."""
    value = literal(node)
    if value is not None:
        return value, "text"
    inner = bare(node)
    source = squeezed(inner)
    return (source[1:-1] if inner.type == "template_string" else source), "computed"


def _described(entries: Node, callback: Node | None, count: int) -> Title:
    """Read `Deno.test({ name: "…", fn() {} })`."""
    named = _entry(entries, "name")
    if named is None:
        name = _function_name(callback) if callback is not None else ""
        return Title(
            name, "function" if callback is not None else "none", entries, count, callback, runs=callback is not None
        )
    name, kind = written(named)
    return Title(name, kind, named, count, callback, runs=callback is not None or _entry(entries, "fn") is not None)


def _entry(entries: Node, key: str) -> Node | None:
    return next((value for name, value, _ in _pairs(entries) if text(name).strip("'\"") == key), None)


def _function_name(function: Node) -> str:
    name = function.child_by_field_name("name")
    return text(name) if name is not None and function.type != "method_definition" else ANONYMOUS


_HOOKS: Final = frozenset({"before", "after", "beforeEach", "afterEach"})
ROOTS: Final = {"suite": Target("describe", -1, ()), "test": Target("it", -1, ())}


def exported_tests(tree: Tree, source: bytes, facts: Facts) -> Facts:
    """Add the tests that the file exports as functions."""
    reader = _Reader(normal.prepare(tree, source), len(facts.calls))
    for statement in tree.root_node.named_children:
        assignment = statement.named_children[0] if statement.type == "expression_statement" else None
        if assignment is None or assignment.type != "assignment_expression":
            continue
        left, right = assignment.child_by_field_name("left"), assignment.child_by_field_name("right")
        if left is None or right is None or left.type not in {"member_expression", "subscript_expression"}:
            continue
        owner = left.child_by_field_name("object")
        key = left.child_by_field_name("property" if left.type == "member_expression" else "index")
        if key is None or owner is None:
            continue
        if text(left) == "module.exports" and right.type == "object":
            reader.entries(right)
        elif text(owner) in {"exports", "module.exports"}:
            reader.entry(key, right, assignment)
    return msgspec.structs.replace(facts, calls=facts.calls + tuple(reader.calls))


@dataclass(slots=True)
class _Reader:
    prepared: Prepared
    offset: int
    calls: list[Call] = field(default_factory=list)

    def entries(self, exported: Node, parent: int = -1) -> None:
        """Read an object of suites and tests iteratively, so that nesting doesn't use the stack."""
        waiting = [(exported, parent)]
        while waiting:
            entries, above = waiting.pop(0)
            for key, value, pair in _pairs(entries):
                waiting += self.entry(key, value, pair, above)

    def entry(self, key: Node, value: Node, whole: Node, parent: int = -1) -> list[tuple[Node, int]]:
        """Add one property; a suite is returned with its number so that its own properties are read next."""
        name = literal(key)
        title = text(key) if name is None else name
        value = bare(value)
        runs = value.type in CALLBACKS or value.type in {"method_definition", "identifier"}
        if title in _HOOKS or not (runs or value.type == "object"):
            return []
        role = "test" if runs else "suite"
        line, end = whole.start_point.row + 1, whole.end_point.row + 1
        body_hash = self.prepared.body_hash(*whole.byte_range, name=key.byte_range) if runs else ""
        number = self.offset + len(self.calls)
        self.calls.append(
            Call(ROOTS[role], title, "text", line, line, end, 2, callback=True, parent=parent, body_hash=body_hash)
        )
        if runs:
            return []
        if parent < 0 and whole.type == "assignment_expression":
            self.entries(value, number)
            return []
        return [(value, number)]


def _pairs(entries: Node) -> list[tuple[Node, Node, Node]]:
    """Return the entries of an object: key, value and the whole; a method is its own value."""
    pairs = []
    for pair in entries.named_children:
        key = pair.child_by_field_name("name" if pair.type == "method_definition" else "key")
        value = pair if pair.type == "method_definition" else pair.child_by_field_name("value")
        if key is not None and value is not None:
            pairs.append((key, value, pair))
    return pairs
