"""Convert single statements: imports, assignments and deletions to bindings, compound statements to their arms."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Final

from pactkeeper.repo.languages.python.facts import MAKERS, Binding, Function
from pactkeeper.repo.languages.python.syntax import (
    arguments,
    base_name,
    callee,
    condition,
    count,
    dotted,
    imported_names,
    string,
    text_of,
)

if TYPE_CHECKING:
    from tree_sitter import Node

Branch = tuple[int, ...]
_DISPLAYS: Final = frozenset({"list", "tuple", "set", "dictionary"})
_CONSTANTS: Final = frozenset({"true", "false", "none", "integer", "float", "string", "concatenated_string"})


def imports(node: Node, branch: Branch) -> Iterator[Binding]:
    """Yield the names an import binds."""
    line = node.start_point.row + 1
    module = node.child_by_field_name("module_name")
    target = "".join(text_of(module).split()) if module is not None else ""
    if any(child.type == "wildcard_import" for child in node.named_children):
        yield Binding("*", "star", line, branch, target)
        return
    for bound, imported in imported_names(node):
        if module is not None:
            yield Binding(bound, "import", line, branch, target, imported)
        elif bound != imported:
            yield Binding(bound, "import", line, branch, imported)
        else:
            first = imported.partition(".")[0]
            yield Binding(first, "import", line, branch, first)


def deletion(node: Node, branch: Branch) -> Iterator[Binding]:
    """Yield the names a `del` unbinds, attributes as dotted names."""
    for child in node.named_children:
        for target in child.named_children if child.type == "expression_list" else (child,):
            if name := dotted(target):
                yield Binding(name, "deleted", node.start_point.row + 1, branch)


def assignment(node: Node, branch: Branch) -> Iterator[tuple[Binding, Node]]:
    """Yield the names an assignment binds, with the value's node; chained targets are bound separately."""
    targets: list[Node] = []
    value: Node | None = node
    while value is not None and value.type == "assignment":
        left = value.child_by_field_name("left")
        if left is not None:
            targets.append(left)
        value = value.child_by_field_name("right")
    if value is None:
        return
    for target in targets:
        if name := dotted(target):
            yield _bind(Binding(name, "other", target.start_point.row + 1, branch), target, value), value
        elif target.type in {"pattern_list", "tuple_pattern"}:
            for child in target.named_children:
                if child.type == "identifier":
                    yield Binding(text_of(child), "other", child.start_point.row + 1, branch), value


def _bind(binding: Binding, target: Node, value: Node) -> Binding:
    """Complete a binding with details of its value."""
    while value.type == "parenthesized_expression" and value.named_child_count == 1:
        value = value.named_children[0]
    if value.type in {"identifier", "attribute"}:
        binding.target = dotted(value)
        binding.kind = "alias" if binding.target else "other"
    elif value.type == "call":
        binding.kind, binding.target = "call", callee(value)
        binding.arguments = _call_arguments(value)
        binding.count = count(value)
    elif value.type == "lambda":
        binding.kind, binding.function = "lambda", _lambda(target, value)
    elif value.type in _DISPLAYS:
        binding.kind, binding.count = "literal", count(value)
        if binding.name == "__all__":
            words = [string(child) for child in value.named_children if child.type != "comment"]
            binding.arguments = tuple(word for word in words if word is not None)
        elif binding.name == "pytestmark":
            binding.arguments = tuple(callee(child) for child in value.named_children)
    elif value.type in _CONSTANTS:
        binding.kind = "literal"
        if value.type in {"true", "false", "none", "integer"}:
            binding.target = text_of(value)
    return binding


def _call_arguments(call: Node) -> tuple[str, ...]:
    """Return dotted positional arguments; for `type(name, bases, body)`, return the bases."""
    given = arguments(call)
    if callee(call).rpartition(".")[2] in MAKERS and len(given) >= 2 and given[1].type == "tuple":  # noqa: PLR2004 - name, bases
        return tuple(dotted(child) for child in given[1].named_children)
    return tuple(dotted(child) for child in given)


def _lambda(target: Node, value: Node) -> Function:
    parameters = value.child_by_field_name("parameters")
    return Function(
        target.start_point.row + 1,
        target.start_point.row + 1,
        value.end_point.row + 1,
        target.start_byte,
        value.end_byte,
        takes=parameters is not None,
    )


def bases_of(node: Node) -> tuple[tuple[str, ...], str]:
    """Return the dotted names of a class's bases ("" for a computed one) and of its metaclass."""
    inside = node.child_by_field_name("superclasses")
    found: list[str] = []
    metaclass = ""
    for child in inside.named_children if inside is not None else ():
        if child.type == "keyword_argument":
            key = child.child_by_field_name("name")
            if key is not None and key.text == b"metaclass":
                metaclass = dotted(child.child_by_field_name("value"))
        elif child.type == "call" and callee(child).endswith("with_metaclass"):
            given = arguments(child)
            metaclass = dotted(given[0]) if given else ""
            found.extend(base_name(base) for base in given[1:])
        elif child.type not in {"comment", "dictionary_splat"}:
            found.append(base_name(child))
    return tuple(found), metaclass


Arm = tuple[int, ...]


def _choice(node: Node) -> Iterator[tuple[Node, Arm]]:
    """Yield the arms of an `if`: one that never runs at import is left out; one that always does is no alternative."""
    open_arms = 0
    for number, clause in enumerate([node, *node.children_by_field_name("alternative")]):
        test = clause.child_by_field_name("condition")
        outcome = condition(test) if clause.type != "else_clause" else "sure"
        if outcome == "dead":
            continue
        body = clause.child_by_field_name("consequence") or clause.child_by_field_name("body")
        if body is not None:
            yield body, () if outcome == "sure" and not open_arms else (node.start_byte, number)
        if outcome == "sure":
            return
        open_arms += 1


def _attempt(node: Node) -> Iterator[tuple[Node, Arm]]:
    """Yield the arms of a `try`: handlers exclude the body, `else` continues it, `finally` always runs."""
    handlers = 0
    for child in node.named_children:
        arm: Arm = (node.start_byte, 0)
        if child.type in {"except_clause", "except_group_clause"}:
            handlers += 1
            arm = (node.start_byte, handlers)
        elif child.type == "finally_clause":
            arm = ()
        for body in (child,) if child.type == "block" else child.named_children:
            if body.type == "block":
                yield body, arm


def _match(node: Node) -> Iterator[tuple[Node, Arm]]:
    """Yield the cases of a `match`, which exclude one another."""
    body = node.child_by_field_name("body")
    cases = [child for child in body.named_children if child.type == "case_clause"] if body is not None else []
    for number, case in enumerate(cases):
        inside = case.child_by_field_name("consequence")
        if inside is not None:
            yield inside, (node.start_byte, number)


def _through(node: Node) -> Iterator[tuple[Node, Arm]]:
    """Yield the body of a loop or `with`, which counts as running."""
    yield from ((child, ()) for child in node.named_children if child.type == "block")


ARMS: Mapping[str, Callable[[Node], Iterator[tuple[Node, Arm]]]] = {
    "if_statement": _choice,
    "try_statement": _attempt,
    "match_statement": _match,
    "with_statement": _through,
    "for_statement": _through,
    "while_statement": _through,
}
