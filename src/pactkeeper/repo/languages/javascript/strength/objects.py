"""Page objects and the like: what the fields of an object hold that a test makes from a class of the test side."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pactkeeper.intent.claims import Attribute, Expression, Name
from pactkeeper.intent.strength.terms import substitute
from pactkeeper.repo.languages.javascript.claims.module import Module, names_in
from pactkeeper.repo.languages.javascript.claims.project import Project
from pactkeeper.repo.languages.javascript.claims.syntax import body_of, children, descend, parameters_of, text
from pactkeeper.repo.languages.javascript.strength.values import scope_of_module

if TYPE_CHECKING:
    from tree_sitter import Node

_THIS = Name("this")


@dataclass(frozen=True, slots=True)
class Made:
    """A class with what the fields of an object of it hold, in terms of what it is made with."""

    module: Module
    methods: Mapping[str, Node]
    fields: tuple[tuple[str, Expression], ...]

    def held(self, owner: Expression) -> dict[Expression, Expression]:
        """What `owner.field` holds, for every field in sight."""
        return {Attribute(owner, name): value for name, value in self.fields}


def made(project: Project, module: Module, name: str, given: tuple[Expression, ...]) -> Made | None:
    """The object that `new Name(given)` makes; None where the class does not belong to the test side."""
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
    fields = tuple((key.name, value) for key, value in held.items() if isinstance(key, Attribute))
    return Made(found[0], methods, fields)


def _fields(module: Module, body: Node, constructor: Node | None) -> Iterator[tuple[str, Expression]]:
    """Fields in the order in which they are filled: parameters that are fields, those of the class, assigned ones."""
    scope = scope_of_module(module)
    listed = constructor.child_by_field_name("parameters") if constructor is not None else None
    for parameter in children(listed) if listed is not None else ():
        pattern = parameter.child_by_field_name("pattern")
        if pattern is not None and any(
            child.type in {"accessibility_modifier", "readonly"} for child in parameter.children
        ):
            yield text(pattern), Name(text(pattern))
    for each in children(body):
        value, name = (
            each.child_by_field_name("value"),
            each.child_by_field_name("name") or each.child_by_field_name("property"),
        )
        if each.type.endswith("field_definition") and value is not None and name is not None:
            yield text(name), scope.read(value)
    inside = body_of(constructor) if constructor is not None else None
    for each in descend(inside) if inside is not None else ():
        left, right = each.child_by_field_name("left"), each.child_by_field_name("right")
        if each.type == "assignment_expression" and left is not None and right is not None:
            target = scope.read(left)
            if isinstance(target, Attribute) and target.value == _THIS:
                yield target.name, scope.read(right)
