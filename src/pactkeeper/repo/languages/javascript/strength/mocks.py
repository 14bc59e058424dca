"""What a test file replaces with fakes: methods, and whole modules."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from pactkeeper.intent.claims import Argument, Call, Name, Value
from pactkeeper.intent.strength.faking import replaced_by
from pactkeeper.intent.strength.program import Act
from pactkeeper.intent.strength.terms import dotted
from pactkeeper.repo.languages.javascript.claims.expressions import Scope
from pactkeeper.repo.languages.javascript.claims.imports import NAMESPACE, resolve
from pactkeeper.repo.languages.javascript.claims.module import Module
from pactkeeper.repo.languages.javascript.claims.project import Project
from pactkeeper.repo.languages.javascript.claims.syntax import (
    Link,
    bare,
    chain,
    descend,
    is_function,
    parameters_of,
    string_value,
    text,
)
from pactkeeper.repo.languages.javascript.strength.judges import comes_from

if TYPE_CHECKING:
    from tree_sitter import Node

_IMPLEMENTING = ("mockImplementation", "mockReturn", "mockResolved", "mockRejected", "returns", "resolves", "callsFake")
_ACTUAL = ("importActual", "requireActual", "importOriginal")
_MODULES = frozenset({"mock", "doMock", "unstable_mockModule", "module"})
_PARTS = 2  # `jest.mock`
_OF_CLASS = ".prototype."
_MAKERS = frozenset({"jest", "vi", "sinon", "mock", "sandbox", "td", "t"})


def replacements(target: Node | None, value: Node, scope: Scope) -> list[Act]:
    """Return the methods to which an expression, or its assignment to a target, gives another implementation."""
    links = chain(value)
    names = [link.name for link in links]
    if target is not None and _OF_CLASS in text(target) and is_function(bare(value)):
        return [_replaced(dotted(scope.read(target)), value)]
    if (
        target is not None
        and target.type == "member_expression"
        and names[0] in _MAKERS
        and len(names) > 1
        and names[1] in {"fn", "stub"}
    ):
        return [_replaced(dotted(scope.read(target)), value)]
    for at, link in enumerate(links):
        if (
            link.name in {"spyOn", "stub", "method", "replace"}
            and link.arguments is not None
            and len(link.arguments) > 1
        ):
            rest = names[at + 1 :]
            if link.name != "spyOn" or any(name.startswith(_IMPLEMENTING) for name in rest):
                return _method(link, scope)
    return []


def replaced_at_once(statements: Iterable[Node], scope: Scope) -> list[Act]:
    """Return what statements outside functions replace: a spy with its own answer, an assignment to a method."""
    found: list[Act] = []
    for node in (bare(each) for each in statements if each.type == "expression_statement"):
        sets = node.type == "assignment_expression"
        value = node.child_by_field_name("right") if sets else node
        if value is not None and (sets or node.type == "call_expression"):
            found += replacements(node.child_by_field_name("left") if sets else None, bare(value), scope)
            assigned = chain(node)[-1].name == "assign" and _OF_CLASS[:-1] in text(node)
            found += [_replaced(target, node) for target in sorted(replaced_by(scope.read(node)))] if assigned else []
    return found


def _method(link: Link, scope: Scope) -> list[Act]:
    owner, name = (link.arguments or ())[:2]
    key = string_value(bare(name))
    return [_replaced(f"{dotted(scope.read(owner))}.{key}", link.node)] if key else []


def mocked_modules(module: Module, project: Project) -> list[Act]:
    """Return mocked modules of a file by the names it imports from them, or from what passes them on."""
    found: list[Act] = []
    mocking = b"ock" in (module.root.text or b"")  # `mock`, `doMock`, `mockModule`
    for node in descend(module.root) if mocking else ():
        links = chain(node) if node.type == "call_expression" else ()
        if [link.name for link in links[2:]] or len(links) < _PARTS:
            continue
        if links[0].name in _MAKERS and links[1].name in _MODULES and links[1].arguments:
            found += _module(node, links[1].arguments, module, project)
    return found


def _module(node: Node, given: tuple[Node, ...], module: Module, project: Project) -> list[Act]:
    path = string_value(bare(given[0]))
    if path is None:
        inner = chain(given[0])
        path = string_value(inner[-1].arguments[0]) if inner[-1].name == "import" and inner[-1].arguments else None
    if path is None:
        return []
    factory = given[1] if len(given) > 1 else None
    partial = factory is not None and (parameters_of(bare(factory)) or any(word in text(factory) for word in _ACTUAL))
    kept = _keys(factory) if factory is not None and partial else None
    mocked = resolve(module.path, path, project.read)
    names = [
        (source, *pair)
        for local, (source, name) in module.imports.items()
        if source == path or (mocked is not None and comes_from(project, module, (source, name), mocked[0]))
        for pair in _taken(module, local, name)
    ]
    whole = [_replaced(f"{source}.{local}", node) for source, name, local in names if kept is None or name in kept]
    return whole + (_methods(factory) if factory is not None and partial else [])


def _methods(factory: Node) -> list[Act]:
    """Return the methods that a factory replaces in classes of the module that it passes on, by their class."""
    body = factory.child_by_field_name("body")
    inner = list(descend(body)) if body is not None and _OF_CLASS[:-1] in text(body) else []
    targets = sorted({one for act in replaced_at_once(inner, Scope()) for one in replaced_by(act.call)})
    pairs = (one.partition(_OF_CLASS)[::2] for one in targets if _OF_CLASS in one)
    return [_replaced(owner.rpartition(".")[2] + _OF_CLASS + name, factory) for owner, name in pairs]


def _taken(module: Module, local: str, name: str) -> list[tuple[str, str]]:
    """Return the names a file uses from one import, as pairs of exported and local name."""
    if name not in {"*", NAMESPACE, "default"}:
        return [(name, local)]
    links = (chain(node) for node in descend(module.root) if node.type == "member_expression")
    return [
        (name, local),
        *dict.fromkeys((each[1].name, each[1].name) for each in links if len(each) > 1 and each[0].name == local),
    ]


def _keys(factory: Node) -> set[str]:
    """Return the property names written in the objects of a factory, or assigned there."""
    inner = list(descend(factory))
    assigned = (node.child_by_field_name("left") for node in inner if node.type == "assignment_expression")
    properties = (left.child_by_field_name("property") for left in assigned if left is not None)
    written = (node for node in inner if node.type in {"pair", "shorthand_property_identifier"})
    keys = {text(node.child_by_field_name("key") or node).strip("\"'") for node in written}
    return keys | {text(one) for one in properties if one is not None}


def _replaced(what: str, node: Node) -> Act:
    call = Call(Name("mock"), (Argument(Value("string", what)),))
    return Act(call, node.start_point[0] + 1, text(node)[:80])
