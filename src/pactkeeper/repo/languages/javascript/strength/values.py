"""Read expressions faithfully: functions and markup part by part, so that only behavior distinguishes them.

Also page objects and similar: the fields of an object that a test creates from a class of the test side.

Also where lowered code runs, its line, and its quote.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from pactkeeper.intent.claims import Attribute, Collection, Expression, Name, Opaque, Operation, Value
from pactkeeper.intent.strength.program import Bind
from pactkeeper.intent.strength.substitution import substitute
from pactkeeper.repo.languages.javascript.claims.branches import scope_in
from pactkeeper.repo.languages.javascript.claims.expressions import Scope, along
from pactkeeper.repo.languages.javascript.claims.imports import NAMESPACE
from pactkeeper.repo.languages.javascript.claims.module import Module, names_in, pattern_paths
from pactkeeper.repo.languages.javascript.claims.project import Project
from pactkeeper.repo.languages.javascript.claims.syntax import (
    arguments_of,
    bare,
    body_of,
    chain,
    children,
    descend,
    is_function,
    parameters_of,
    squeezed,
    text,
)
from pactkeeper.repo.languages.javascript.claims.types import typing

if TYPE_CHECKING:
    from tree_sitter import Node


_TYPES = frozenset({"type_annotation", "type_parameters", "type_arguments", "predefined_type", "type_identifier"})
NOT_RUN = frozenset({"mock", "doMock", "unstable_mockModule"})
_CALLING = ("call_expression", "new_expression")
HOLDING = frozenset(  # where the functions that a call is handed stand
    {"array", "object", "pair", "spread_element", "class", "class_body", "field_definition", "public_field_definition"}
)
_SPOKEN = frozenset({"operator", "kind"})
_INNER = re.compile(rb"=>|\bfunction\b|\)\s{0,9}\{")
_ADDED = re.compile(rb"(?<![\w$.])([\w$]++)\.(?:add|push|set|unshift)\(")
_ASSIGNING = frozenset({"assignment_expression", "augmented_assignment_expression", "update_expression"})


def scope_of_module(module: Module) -> Scope:
    """Return the scope for code in a file, in which nothing is left out."""
    spaces = frozenset(local for local, (source, name) in module.imports.items() if is_space(source, local, name))
    return replace(scope_in(module), namespaces=spaces, stepwise=True, other=in_parts)


def is_space(source: str, local: str, name: str) -> bool:
    """Whether an import is a namespace of a project file, so that `file.name` equals an imported `name`."""
    whole = name in {"*", NAMESPACE} or (name == "default" and local[:1].islower())
    return whole and source.startswith((".", "@/", "~", "#"))


def in_parts(node: Node, scope: Scope) -> Expression:
    """Read a node without an equivalent expression as its kind and parts; parameters get canonical names."""
    if is_function(node):
        return _function(node, scope)
    parts = [child for child in children(node) if child.type not in _TYPES]
    if node.type == "object":
        return Operation("object", tuple(_entry(part, scope) for part in parts))
    if not parts and node.type != "statement_block":
        return _leaf(node)
    spoken = "".join(text(node.child_by_field_name(name)) for name in _SPOKEN)
    return Operation(f"{node.type}{spoken}", tuple(scope.read(part) for part in parts if not _is_own(part)))


def _entry(node: Node, scope: Scope) -> Expression:
    """Read an entry of an object; `name` alone is `name: name`."""
    read = scope.read(node)
    return Operation("pair", (Value("string", text(node)), read)) if node.type.startswith("shorthand") else read


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
    statements = [each for each in statements if typing(chain(each), inner) is None]  # no effect at run time
    statements = [each for each in statements if not _is_own(each)]
    if len(statements) == 1 and statements[0].type in {"return_statement", "expression_statement"}:
        statements = [bare(statements[0])]
    return Operation("=>", (Operation("given", (Name(str(len(names))),)), *(inner.read(each) for each in statements)))


def _is_own(statement: Node) -> bool:
    """Whether a statement of a callback is an assertion, which is the test's own wherever the callback may be run."""
    around = statement.parent
    stated = statement.type == "expression_statement" or (around is not None and around.type == "arrow_function")
    return stated and any(link.name in {"expect", "assert"} for link in chain(statement)[:2]) and _is_run(statement)


def _is_run(node: Node | None) -> bool:
    """Whether every function around a node is declared, or handed to a call that may run it."""
    while node is not None:
        holder, declared = node.parent, node.type.endswith("_declaration")
        if is_function(node) and not declared and holder is not None and holder.type != "variable_declarator":
            while holder is not None and holder.type in HOLDING | {"arguments"}:
                holder = holder.parent
            if holder is None or not holder.type.endswith(_CALLING) or chain(holder)[-1].name in NOT_RUN:
                return False
        node = holder
    return True


def bindings_of(pattern: Node, value: Expression) -> list[Bind]:
    """Return the bindings that a declaration or parameter makes for the names in its pattern."""
    if pattern.type in {"identifier", "member_expression", "subscript_expression"}:
        return [Bind(Scope().read(pattern), value)]
    plain = pattern_paths(pattern)
    rest = Operation("rest of", (value,))
    return [Bind(Name(text(name)), rest if path is None else along(value, path)) for name, path in plain]


def settled(node: Node, scope: Scope) -> Expression:
    """Return an expression's value once awaited: `p.then((x) => x.id)` is the `id` of `p`."""
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


def kept_error(node: Node) -> tuple[Name, Node] | None:
    """Return the name and the promise of `const error = await promise.catch((e) => e)`; None for anything else."""
    one = children(node)[0] if node.type == "lexical_declaration" and len(children(node)) == 1 else None
    target, value = (one.child_by_field_name(each) if one is not None else None for each in ("name", "value"))
    if target is None or value is None or (target.type, value.type) != ("identifier", "await_expression"):
        return None
    last = chain(bare(value))[-1]
    receiver = receiver_of(last.node)
    function = bare(last.arguments[0]) if last.name == "catch" and last.arguments and not last.arguments[1:] else None
    if receiver is None or function is None or not is_function(function):
        return None
    given, result = parameters_of(function), _result(function)
    same = result is not None and [text(name) for each in given for name in names_in(each)] == [text(bare(result))]
    return (Name(text(target)), receiver) if same else None


def _result(function: Node) -> Node | None:
    """Return the expression that a function returns, if it does nothing else."""
    body = body_of(function)
    if body is None or body.type != "statement_block":
        return body
    statements = children(body)
    returns = [each for each in statements if each.type == "return_statement"]
    return bare(returns[0]) if len(returns) == len(statements) == 1 else None


def stirred(body: Node) -> frozenset[str]:
    """The variables of a function that functions inside of it assign or add to, so that what they hold is unknown."""
    source = body.text or b""
    if not _INNER.search(source):
        return frozenset()
    inner = [node for node in descend(body) if is_function(node)]
    added = (name.decode("utf-8", "replace") for node in inner for name in _ADDED.findall(node.text or b""))
    return frozenset(name for node in inner for name in _assigned_outside(node)).union(added)


def stirred_outside(body: Node, names: frozenset[str]) -> frozenset[str]:
    """Return those of a function's stirred variables that functions inside of it assign, and none of them declares."""
    nodes = list(descend(body)) if names else []
    assigned = {name for node in nodes if is_function(node) for name in _assigned_outside(node)}
    declared = (node.child_by_field_name("name") for node in nodes if node.type == "variable_declarator")
    own = {text(name) for pattern in declared if pattern is not None for name in names_in(pattern)}
    return names.intersection(assigned) - own


def _assigned_outside(function: Node) -> set[str]:
    """Return the names that a function assigns to but doesn't declare."""
    inside = list(descend(function))
    targets = (node.named_children[0] for node in inside if node.type in _ASSIGNING and node.named_children)
    assigned = {text(target) for target in targets if target.type == "identifier"}
    return assigned - {text(node.child_by_field_name("name")) for node in inside if node.type == "variable_declarator"}


def receiver_of(call: Node) -> Node | None:
    """Return the object that a method is called on."""
    target = call.child_by_field_name("function")
    return target.child_by_field_name("object") if target is not None and target.type == "member_expression" else None


def called_arguments(call: Node) -> list[Node]:
    """Return the arguments of a call without parentheses and casts."""
    return [bare(each) for each in arguments_of(call)]


_THIS = Name("this")


@dataclass(frozen=True, slots=True)
class Made:
    """A class with the values of an instance's fields, in terms of its constructor's arguments.

    A field that holds a function is a method, and known by its name alone.
    """

    module: Module
    methods: Mapping[str, Node]
    fields: tuple[tuple[str, Expression], ...]

    def held(self, owner: Expression) -> dict[Expression, Expression]:
        """Return what `owner.field` holds, for every known field."""
        return {Attribute(owner, name): value for name, value in self.fields}


def made(project: Project, module: Module, name: str, given: tuple[Expression, ...]) -> Made | None:
    """Return the object that `new Name(given)` creates; None if the class isn't on the test side."""
    found = project.class_named(module, name)
    body = found[1].child_by_field_name("body") if found is not None else None
    if found is None or body is None:
        return None
    methods = {
        text(each.child_by_field_name("name")): each for each in children(body) if each.type == "method_definition"
    }
    constructor = methods.get("constructor")
    held: dict[Expression, Expression] = {}
    if constructor is not None:
        for parameter, value in zip(parameters_of(constructor), given, strict=False):
            held.update(
                {Name(text(name)): value for name in names_in(parameter)} if parameter.type == "identifier" else {}
            )
    for field, value in _fields(found[0], body, constructor):
        held[Attribute(_THIS, field)] = substitute(value, held)
    plain = {key: value for key, value in held.items() if not _is_function(value)}
    fields = tuple((key.name, value) for key, value in plain.items() if isinstance(key, Attribute))
    return Made(found[0], methods, fields)


def _is_function(value: Expression) -> bool:
    return isinstance(value, Operation) and value.operator == "=>"


def _fields(module: Module, body: Node, constructor: Node | None) -> Iterator[tuple[str, Expression]]:
    """Yield fields in initialization order: parameter properties, class fields, then assignments."""
    scope = scope_of_module(module)
    if constructor is not None:
        yield from _parameter_properties(constructor)
    for each in children(body):
        name, value = each.child_by_field_name("name"), each.child_by_field_name("value")
        name = name or each.child_by_field_name("property")
        if each.type.endswith("field_definition") and value is not None and name is not None:
            yield text(name), scope.read(value)
    if constructor is not None:
        yield from _assigned_fields(constructor, scope)


def _parameter_properties(constructor: Node) -> Iterator[tuple[str, Expression]]:
    listed = constructor.child_by_field_name("parameters")
    for parameter in children(listed) if listed is not None else ():
        pattern = parameter.child_by_field_name("pattern")
        kinds = {child.type for child in parameter.children}
        if pattern is not None and not kinds.isdisjoint(("accessibility_modifier", "readonly")):
            yield text(pattern), Name(text(pattern))


def _assigned_fields(constructor: Node, scope: Scope) -> Iterator[tuple[str, Expression]]:
    inside = body_of(constructor)
    for each in descend(inside) if inside is not None else ():
        left, right = each.child_by_field_name("left"), each.child_by_field_name("right")
        if each.type == "assignment_expression" and left is not None and right is not None:
            target = scope.read(left)
            if isinstance(target, Attribute) and target.value == _THIS:
                yield target.name, scope.read(right)


_QUOTE = 200


@dataclass(frozen=True, slots=True)
class Place:
    """How the code at one place runs: in a callback, in one that isn't awaited, or where the test waits anyway.

    `done` are names of the callback that ends the test; in an `ending` block the test waits for no callback.
    """

    callback: bool = False
    floating: bool = False
    waited: bool = False
    done: frozenset[str] = frozenset()
    ending: bool = False


def line_of(node: Node) -> int:
    """Return the 1-based line on which a node starts."""
    return node.start_point[0] + 1


def quote_of(node: Node) -> str:
    """Return the source of a node on one line, truncated if it is long."""
    return squeezed(node)[:_QUOTE]


def taken(pattern: Node, name: str) -> tuple[Expression, list[Bind]]:
    """Return the variable of a loop or callback, and the bindings of its destructuring."""
    if pattern.type == "identifier":
        return Name(text(pattern)), []
    if pattern.type == "array_pattern" and all(child.type == "identifier" for child in children(pattern)):
        return Collection("list", tuple(Name(text(child)) for child in children(pattern))), []
    return Name(name), bindings_of(pattern, Name(name))
