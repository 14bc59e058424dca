"""What names and attributes hold that a file or a class body of the test side assigns, and which stand for others."""

from __future__ import annotations

import re
from collections.abc import Iterator

from tree_sitter import Node

from pactkeeper.intent.claims import Attribute, Collection, Expression, Name, Value
from pactkeeper.intent.strength.faking import of_the_language
from pactkeeper.intent.strength.program import Bind, Block, Leave, Parameter, Routine
from pactkeeper.repo.languages.python.claims.contexts import HOLDERS, WATCHERS
from pactkeeper.repo.languages.python.claims.expressions import Scope, children_of, expression, text_of
from pactkeeper.repo.languages.python.claims.helpers import Module, assignments, methods_of

_RECORD = re.compile(r"@(?:dataclasses\.)?dataclass\b|\bclass \w+\((?:typing\.)?NamedTuple\)")
_SHORTENED = re.compile(r"(\w++)\.(clear|pop|popitem|remove)\(|del[ \t]++(\w++)\[")


def module_values(module: Module) -> Block:
    """Return the values of names that a file assigns at top level: constants, tables, aliases."""
    return tuple(Bind(Name(name), value) for name, value in _assigned(module.root, Scope(module.modules)))


def plugins_of(module: Module) -> tuple[str, ...]:
    """Return the modules that a conftest.py has pytest load: `pytest_plugins = ["tests.fixtures"]`."""
    values = dict(_assigned(module.root, Scope(module.modules)))
    named = values.get("pytest_plugins")
    listed = named.items if isinstance(named, Collection) else (named,)
    return tuple(one.text for one in listed if isinstance(one, Value))


def shortened(root: Node) -> Iterator[tuple[str, bool]]:
    """Yield the names whose value a top-level statement shortens, with whether anything may be left of it."""
    for child in root.named_children:
        held = _SHORTENED.match(text_of(child)) if child.type in {"expression_statement", "delete_statement"} else None
        if held is not None:
            yield held[1] or held[3], held[2] != "clear"


def class_values(module: Module, owner: Node) -> Block:
    """Return the values of attributes that a class body assigns, as its methods see them."""
    body, scope = owner.child_by_field_name("body"), Scope(module.modules)
    own = Name(text_of(owner.child_by_field_name("name")))
    holders = (Name("self"), Name("cls"), own)
    found: list[Bind] = [Bind(own, own)]
    for name, value in _assigned(body, scope) if body is not None else ():
        if isinstance(value, Value) and value.kind == "none":
            continue  # a subclass or the set-up fills it in
        found += [Bind(Attribute(holder, name), value) for holder in holders]
    return tuple(found)


def _assigned(node: Node, scope: Scope) -> Iterator[tuple[str, Expression]]:
    for left, right in assignments(node):
        if right is None:
            continue
        value = expression(right, scope)
        if left.type == "identifier":
            yield text_of(left), value
        elif left.type == "pattern_list" and isinstance(value, Collection):
            names = [each for each in left.named_children if each.type == "identifier"]
            if len(names) == len(left.named_children) == len(value.items):
                yield from zip(map(text_of, names), value.items, strict=True)


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
    yield from (right for left, right in assignments(module.root) if right is not None and text_of(left) == name)


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


def record_of(module: Module, function: Expression) -> Routine | None:
    """Return a method-less dataclass or named tuple of the file as a routine that returns its fields."""
    node = module.classes.get(function.name) if isinstance(function, Name) else None
    if node is None or methods_of(node) or not _RECORD.search(text_of(node.parent).partition("\n    ")[0]):
        return None
    fields: list[Parameter] = []
    for line in (child.named_children[0] for child in children_of(node, "body") if child.named_children):
        left, value = line.child_by_field_name("left"), line.child_by_field_name("right")
        if line.type == "assignment" and left is not None and line.child_by_field_name("type") is not None:
            default = expression(value, Scope(module.modules)) if value is not None else None
            fields.append(Parameter(text_of(left), default))
    entries = tuple(part for one in fields for part in (Value("string", one.name), Name(one.name)))
    return Routine(node.type, tuple(fields), (Leave("return", Collection("mapping", entries)),))
