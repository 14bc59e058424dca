"""Whose names a test uses: an `expect` of a runner or the repository's own, classes of the product or the tests."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from pactkeeper.repo.languages.javascript.claims.imports import resolve
from pactkeeper.repo.languages.javascript.claims.jest_matchers import MATCHERS
from pactkeeper.repo.languages.javascript.claims.module import Module
from pactkeeper.repo.languages.javascript.claims.project import Project
from pactkeeper.repo.languages.javascript.claims.syntax import (
    arguments_of,
    bare,
    chain,
    children,
    descend,
    string_value,
    text,
)
from pactkeeper.repo.test_side import is_test_side

if TYPE_CHECKING:
    from tree_sitter import Node

_DEEPEST: Final = 5
_FAKING: Final = frozenset({"vi", "jest", "sinon", "mock"})
_FAKE: Final = re.compile(r"(?:.*[/_.-])?(?:fakes?|stubs?|doubles?)(?:[/_.-]|$)")
_READ: Final = frozenset({"call_expression", "member_expression", "identifier"})


def own_file(project: Project, module: Module, name: str = "expect", depth: int = 0) -> str:
    """Return the file that writes the function of this name itself; "" if it passes on or extends a package's."""
    if name in module.imports:
        return _imported(project, module, module.imports[name], depth)
    if name in module.functions:
        return module.path
    values = [one.value for one in module.bindings.get(name, ()) if one.value is not None]
    return next((own for value in values if (own := _made(project, module, value, depth))), "")


def overwrites(module: Module) -> bool:
    """Whether a file gives a matcher of the runner another meaning: `expect.extend({ toBe: … })`."""
    calls = (node for node in descend(module.root) if node.type == "call_expression")
    extending = b"expect.extend" in (module.root.text or b"")
    given = (each for node in calls if extending and text(node.child_by_field_name("function")) == "expect.extend"
             for each in arguments_of(node))  # fmt: skip
    keys = (
        pair.child_by_field_name("key") or pair.child_by_field_name("name") for one in given for pair in children(one)
    )
    return any(text(key) in MATCHERS for key in keys)


def _imported(project: Project, module: Module, origin: tuple[str, str], depth: int) -> str:
    source, exported = origin
    found = resolve(module.path, source, project.read) if depth < _DEEPEST else None
    if found is None:
        return ""
    other = project.open(*found)
    passed = (_imported(project, other, one, depth + 1) for one in _passed_on(other, exported))
    whole = (_made(project, other, one, depth + 1) for one in _whole(other) if exported in {"default", "*"})
    named = own_file(project, other, other.exports.get(exported, exported), depth + 1)
    return named or next(filter(None, (*passed, *whole)), "")


def _whole(module: Module) -> Iterator[Node]:
    """Yield what `export default …` or `module.exports = …` exports."""
    for node in children(module.root):
        assigned = bare(node)
        common = text(assigned.child_by_field_name("left")) == "module.exports"
        value = assigned.child_by_field_name("right") if common else node.child_by_field_name("value")
        if value is not None and (common or node.type == "export_statement"):
            yield value


def _passed_on(module: Module, exported: str) -> Iterator[tuple[str, str]]:
    """Yield where a file takes a name that it exports without importing it: the module, and the name there."""
    for node in children(module.root):
        source = node.child_by_field_name("source") if node.type == "export_statement" else None
        origin = string_value(source) if source is not None else None
        clause = next((one for one in children(node) if one.type == "export_clause"), None)
        if origin is None:
            continue
        if clause is None:
            yield origin, exported
        for one in children(clause) if clause is not None else ():
            name, alias = one.child_by_field_name("name"), one.child_by_field_name("alias")
            if text(alias or name) == exported:
                yield origin, text(name)


def _made(project: Project, module: Module, value: Node, depth: int) -> str:
    """Return the file whose own function a value is or rests on: `base.extend({…})` rests on `base`."""
    inner = bare(value)
    if inner.type not in _READ or depth >= _DEEPEST:
        return module.path
    head = chain(inner)[0].name
    return module.path if head in _FAKING else own_file(project, module, head, depth + 1)


def own_names(module: Module) -> Iterator[str]:
    """Yield the names in a file that belong to the test side: its own classes, and what it imports from there."""
    for name, (source, _) in module.imports.items():
        path = posixpath.normpath(posixpath.join(posixpath.dirname(module.path), source))
        if source.startswith(".") and (is_test_side(path) or _FAKE.match(source)):
            yield name
    classes = (node for node in children(module.root) if node.type == "class_declaration")
    yield from (text(node.child_by_field_name("name")) for node in classes)
