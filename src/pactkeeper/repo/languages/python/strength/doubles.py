"""Names of the test framework that a test-side file gives to something of its own that never fails a test."""

from __future__ import annotations

import re
from collections.abc import Iterator

from tree_sitter import Node

from pactkeeper.intent.strength.faking import of_the_language
from pactkeeper.repo.languages.python.claims.contexts import HOLDERS, WATCHERS
from pactkeeper.repo.languages.python.claims.expressions import text_of
from pactkeeper.repo.languages.python.claims.helpers import Module

_FAILING = frozenset({"raise_statement", "assert_statement"})
_CAN_FAIL = frozenset({*WATCHERS, "fail"})
FRAMEWORK = frozenset({*WATCHERS, *HOLDERS})
_INNER = re.compile(r"\w+")


def stands_for(name: str, module: Module) -> bool:
    """Whether a file itself defines a name, and nothing in what it defines can fail a test."""
    found = list(_defined(name, module))
    return bool(found) and not any(_can_fail(node, module) for node in found)


def _defined(name: str, module: Module) -> Iterator[Node]:
    """Yield the class and function of a name, and what is assigned to it at top level."""
    yield from (node for node in (module.classes.get(name), module.functions.get(name)) if node is not None)
    for child in module.root.named_children:
        inner = child.named_children[0] if child.type == "expression_statement" and child.named_children else None
        if inner is not None and inner.type == "assignment" and text_of(inner.child_by_field_name("left")) == name:
            yield from filter(None, [inner.child_by_field_name("right")])


def _can_fail(node: Node, module: Module) -> bool:
    """Whether code raises or asserts, or uses anything but the language and its standard library."""
    if node.type in _FAILING:
        return True
    if node.type == "attribute" and text_of(node.child_by_field_name("attribute")) in _CAN_FAIL:
        return True
    called = text_of(node.child_by_field_name("function")) if node.type == "call" else ""
    if called and not _is_known(called, module):
        return True
    return any(_can_fail(child, module) for child in node.named_children)


def _is_known(called: str, module: Module) -> bool:
    """Whether a called name is one of the language or its standard library, and neither fails a test."""
    head = (_INNER.match(called) or [""])[0]
    source = module.imports.get(head, (head, ""))[0]
    return of_the_language(source) and called.rpartition(".")[2] not in _CAN_FAIL
