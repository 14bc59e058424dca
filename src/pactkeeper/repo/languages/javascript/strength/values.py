"""Expressions read faithfully: functions and markup part by part, so that only what they do tells two of them apart."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pactkeeper.intent.claims import Expression, Name, Opaque, Operation, Value
from pactkeeper.intent.strength.program import Bind
from pactkeeper.repo.languages.javascript.claims.expressions import Scope, along
from pactkeeper.repo.languages.javascript.claims.imports import NAMESPACE
from pactkeeper.repo.languages.javascript.claims.module import Module, names_in, pattern_paths
from pactkeeper.repo.languages.javascript.claims.syntax import (
    arguments_of,
    bare,
    body_of,
    chain,
    children,
    is_function,
    parameters_of,
    text,
)

if TYPE_CHECKING:
    from tree_sitter import Node

_TYPES = frozenset({"type_annotation", "type_parameters", "type_arguments", "predefined_type", "type_identifier"})
_SPOKEN = frozenset({"operator", "kind"})


def scope_of_module(module: Module) -> Scope:
    """The scope of code in a file, in which nothing is left out."""

    def function(node: Node) -> Node | None:
        return module.function(text(node), node.start_byte) if node.type == "identifier" else None

    def type_alias(node: Node) -> Node | None:
        return module.type_alias(text(node), node.start_byte) if node.type == "type_identifier" else None

    spaces = frozenset(local for local, (source, name) in module.imports.items() if is_space(source, local, name))
    return Scope({}, function, type_alias, namespaces=spaces, other=in_parts)


def is_space(source: str, local: str, name: str) -> bool:
    """Whether an import stands for a file of the project, so that `file.name` and an imported `name` are the same."""
    whole = name in {"*", NAMESPACE} or (name == "default" and local[:1].islower())
    return whole and source.startswith((".", "@/", "~", "#"))


def in_parts(node: Node, scope: Scope) -> Expression:
    """A node that no expression says: its kind and its parts; parameters have the same names everywhere."""
    if is_function(node):
        return _function(node, scope)
    parts = [child for child in children(node) if child.type not in _TYPES]
    if not parts:
        return _leaf(node)
    spoken = "".join(text(node.child_by_field_name(name)) for name in _SPOKEN)
    return Operation(f"{node.type}{spoken}", tuple(scope.read(part) for part in parts))


def _leaf(node: Node) -> Expression:
    if node.type == "property_identifier":
        return Value("string", text(node))
    return Name(text(node)) if node.type.endswith("identifier") else Opaque(text(node))


def _function(node: Node, scope: Scope) -> Expression:
    depth = sum(1 for held in scope.bindings.values() if isinstance(held, Name) and held.name.startswith("given·"))
    names = [text(name) for parameter in parameters_of(node) for name in names_in(parameter)]
    inner = scope.with_bindings({name: Name(f"given·{depth + at}") for at, name in enumerate(names)})
    body = body_of(node)
    if body is None:
        return Opaque(text(node))
    statements = children(body) if body.type == "statement_block" else [body]
    if len(statements) == 1 and statements[0].type in {"return_statement", "expression_statement"}:
        statements = [bare(statements[0])]
    return Operation("=>", (Operation("given", (Name(str(len(names))),)), *(inner.read(each) for each in statements)))


def bindings_of(pattern: Node, value: Expression) -> list[Bind]:
    """What a declaration or a parameter gives the names of its pattern."""
    if pattern.type in {"identifier", "member_expression", "subscript_expression"}:
        return [Bind(Scope().read(pattern), value)]
    plain = pattern_paths(pattern)
    rest = Operation("rest of", (value,))
    return [Bind(Name(text(name)), rest if path is None else along(value, path)) for name, path in plain]


def settled(node: Node, scope: Scope) -> Expression:
    """The value that an expression has once it is waited for: `p.then((x) => x.id)` is the `id` of `p`."""
    links = chain(node)
    last = links[-1]
    receiver = receiver_of(last.node)
    if last.name != "then" or not last.arguments or receiver is None:
        return scope.read(node)
    callback = bare(last.arguments[0])
    result = _result(callback) if is_function(callback) else None
    if result is None:
        return scope.read(node)
    held = settled(receiver, scope)
    given = {
        one.target.name: one.value
        for parameter in parameters_of(callback)[:1]
        for one in bindings_of(parameter, held)
        if isinstance(one.target, Name) and one.value is not None
    }
    return settled(result, scope.with_bindings(given))


def _result(function: Node) -> Node | None:
    """The expression that a function gives back, where it does nothing else."""
    body = body_of(function)
    if body is None or body.type != "statement_block":
        return body
    statements = children(body)
    returns = [each for each in statements if each.type == "return_statement"]
    return bare(returns[0]) if len(returns) == len(statements) == 1 else None


def receiver_of(call: Node) -> Node | None:
    """What a method is called on."""
    target = call.child_by_field_name("function")
    return target.child_by_field_name("object") if target is not None and target.type == "member_expression" else None


def called_arguments(call: Node) -> list[Node]:
    """The arguments of a call without parentheses and casts."""
    return [bare(each) for each in arguments_of(call)]
