"""Mocha's `exports` interface: suites and tests are the properties of the exported objects."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

import msgspec

from pactkeeper.repo.languages.javascript import normal
from pactkeeper.repo.languages.javascript.facts import Call, Facts, Target
from pactkeeper.repo.languages.javascript.syntax import CALLBACKS, bare, literal, text

if TYPE_CHECKING:
    from tree_sitter import Node, Tree

    from pactkeeper.repo.languages.normal_form import Prepared

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

    def entries(self, exported: Node) -> None:
        """Read an object of suites and tests iteratively, so that nesting doesn't use the stack."""
        waiting = [(exported, -1)]
        while waiting:
            entries, parent = waiting.pop(0)
            for pair in entries.named_children:
                key = pair.child_by_field_name("name" if pair.type == "method_definition" else "key")
                value = pair if pair.type == "method_definition" else pair.child_by_field_name("value")
                if key is not None and value is not None:
                    waiting += self.entry(key, value, pair, parent)

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
            for nested in _pairs(value):
                self._nested(nested, number)
            return []
        return [(value, number)]

    def _nested(self, pair: tuple[Node, Node, Node], parent: int) -> None:
        waiting = self.entry(*pair, parent)
        while waiting:
            entries, number = waiting.pop(0)
            for nested in _pairs(entries):
                waiting += self.entry(*nested, number)


def _pairs(entries: Node) -> list[tuple[Node, Node, Node]]:
    pairs = []
    for pair in entries.named_children:
        key = pair.child_by_field_name("name" if pair.type == "method_definition" else "key")
        value = pair if pair.type == "method_definition" else pair.child_by_field_name("value")
        if key is not None and value is not None:
            pairs.append((key, value, pair))
    return pairs
