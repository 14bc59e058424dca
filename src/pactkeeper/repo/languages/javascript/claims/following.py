"""Entering functions: what their parameters stand for when a test calls them or hands them over."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from pactkeeper.intent.claims import Expression
from pactkeeper.repo.languages.javascript.claims.expressions import LEFT_OUT, Scope, along
from pactkeeper.repo.languages.javascript.claims.module import Module, names_in, pattern_paths
from pactkeeper.repo.languages.javascript.claims.place import Place
from pactkeeper.repo.languages.javascript.claims.project import Helper
from pactkeeper.repo.languages.javascript.claims.syntax import parameters_of, text

if TYPE_CHECKING:
    from tree_sitter import Node


def scope_in(module: Module, bindings: dict[str, Expression] | None = None) -> Scope:
    """The scope of code in a file."""

    def function(node: Node) -> Node | None:
        return module.function(text(node), node.start_byte) if node.type == "identifier" else None

    def type_alias(node: Node) -> Node | None:
        return module.type_alias(text(node), node.start_byte) if node.type == "type_identifier" else None

    return Scope(bindings or {}, function, type_alias, namespaces=module.namespaces)


def bound(pattern: Node, value: Expression) -> dict[str, Expression]:
    """What the names of a parameter stand for when the parameter is `value`."""
    return {text(name): along(value, path) for name, path in pattern_paths(pattern) if path is not None}


def inside(helper: Helper, given: tuple[Node, ...], call: Node, place: Place) -> Place:
    """The place inside a helper, its parameters bound to what the call gives; evidence stays the call."""
    hidden, settled = _locals(helper.module, helper.function)
    return replace(
        place,
        module=helper.module,
        scope=replace(
            scope_in(helper.module, _parameters(helper.function, given, place.scope)),
            hidden=hidden,
            settled=settled,
        ),
        via=helper.name if place.via is None else place.via,
        line=place.line or call.start_point[0] + 1,
        quote=place.quote or text(call),
        depth=place.depth + 1,
        quiet=True,
    )


def _locals(module: Module, function: Node) -> tuple[frozenset[str], frozenset[str]]:
    """The names a function declares, and those of them that get one value only."""
    declared, settled = set(), set()
    for name, bindings in module.bindings.items():
        inside = [each for each in bindings if function.start_byte <= each.start < function.end_byte]
        if any(each.kind in {"const", "let"} for each in inside):
            declared.add(name)
            if sum(each.value is not None or each.kind == "changed" for each in inside) == 1:
                settled.add(name)
    return frozenset(declared), frozenset(settled)


def _parameters(function: Node, given: tuple[Node, ...], scope: Scope) -> dict[str, Expression]:
    bindings: dict[str, Expression] = {}
    if any(each.type == "spread_element" for each in given):
        return bindings
    for index, parameter in enumerate(parameters_of(function)):
        if parameter.type == "rest_pattern":
            break
        target, default = _default(parameter)
        missing = Scope(bindings).read(default) if default is not None else LEFT_OUT
        value = scope.read(given[index]) if index < len(given) else missing
        bindings.update(bound(target, value))
    return bindings


def _default(parameter: Node) -> tuple[Node, Node | None]:
    """A parameter's pattern and its default value, which TypeScript keeps beside the pattern."""
    left, right = parameter.child_by_field_name("left"), parameter.child_by_field_name("right")
    if parameter.type == "assignment_pattern" and left is not None:
        return left, right
    outer = parameter.parent
    value = outer.child_by_field_name("value") if outer is not None and outer.type.endswith("_parameter") else None
    return parameter, value


def entered(function: Node, value: Expression | None, place: Place) -> Place:
    """The place inside a callback whose first parameter holds `value`."""
    parameters = parameters_of(function)
    names = tuple(text(name) for each in parameters for name in names_in(each))
    held = bound(parameters[0], value) if value is not None and parameters else {}
    return replace(place.aside(), scope=place.scope.without(names).with_bindings(held))
