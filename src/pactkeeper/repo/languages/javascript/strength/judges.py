"""Who decides about the tests of a file if no package does: an `expect` or an `it` of the repository's own."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from pactkeeper.repo.languages.javascript.claims.imports import NAMESPACE, resolve
from pactkeeper.repo.languages.javascript.claims.jest import MATCHERS
from pactkeeper.repo.languages.javascript.claims.module import Module, names_in, scope_of
from pactkeeper.repo.languages.javascript.claims.project import Project, asserts
from pactkeeper.repo.languages.javascript.claims.syntax import (
    Link,
    arguments_of,
    bare,
    body_of,
    chain,
    children,
    descend,
    is_function,
    parameters_of,
    string_value,
    text,
)
from pactkeeper.repo.languages.javascript.strength.marks import MUTING
from pactkeeper.repo.test_side import is_test_side

if TYPE_CHECKING:
    from tree_sitter import Node

_DEEPEST: Final = 5
_JUDGES: Final = ("expect", "assert")
_FAKING: Final = frozenset({"vi", "jest", "sinon", "mock"})
_FAKE: Final = re.compile(r"(?:.*[/_.-])?(?:fakes?|stubs?|doubles?)(?:[/_.-]|$)")
_READ: Final = frozenset({"call_expression", "member_expression", "identifier"})
_WHOLE: Final = frozenset({"*", NAMESPACE})
_DECIDES: Final = frozenset({"if_statement", "ternary_expression", "switch_statement", "catch_clause", "&&", "||"})
_SETTLES: Final = frozenset({"catch", "then", "allSettled", "race", "any", "exit"})
_HANDED_BACK: Final = frozenset({"await_expression", "return_statement"})
Own = tuple[Module, "Node"]


def judge_of(project: Project, module: Module) -> str:
    """Return the `expect` or `assert` of the repository's own that judges the tests of a file: `expect of test/a.js`.

    A matcher of the runner that the file gives another meaning counts as one; "" if there is none.
    """
    extended = (("expect", module),) if _overwrites(module) else ()
    named = ((name, found[0]) for name in _JUDGES if (found := _own(project, module, name)) is not None)
    return next((f"{name} of {one.path}" for name, one in (*extended, *named)), "")


def inner_judge(project: Project, module: Module, test: Node) -> str:
    """Return what `judge_of` does for a name that only the test, or a suite around it, declares."""
    for name in _JUDGES:
        values = [(one.value, one.within) for one in module.bindings.get(name, ()) if one.value is not None]
        for value, (start, end) in (*values, *((one, scope_of(one)) for one in module.functions.get(name, ()))):
            near = test.start_byte <= start < test.end_byte or module.root.start_byte < start <= test.start_byte < end
            if near and _made(project, module, value, 0) is not None:
                return f"{name} of {module.path}"
    return ""


def _overwrites(module: Module) -> bool:
    """Whether a file gives a matcher of the runner another meaning: `expect.extend({ toBe: … })`."""
    calls = (node for node in descend(module.root) if node.type == "call_expression")
    extending = b"expect.extend" in (module.root.text or b"")
    given = (each for node in calls if extending and text(node.child_by_field_name("function")) == "expect.extend"
             for each in arguments_of(node))  # fmt: skip
    keys = (
        pair.child_by_field_name("key") or pair.child_by_field_name("name") for one in given for pair in children(one)
    )
    return any(text(key) in MATCHERS for key in keys)


def _own(project: Project, module: Module, name: str, depth: int = 0) -> Own | None:
    """Return the function of this name that the repository writes itself; None if it is or extends a package's."""
    if name in module.imports:
        return _imported(project, module, module.imports[name], depth)
    if name in module.functions:
        return module, module.functions[name][0]
    values = [one.value for one in module.bindings.get(name, ()) if one.value is not None]
    return _first(_made(project, module, value, depth) for value in values)


def _first(found: Iterable[Own | None]) -> Own | None:
    return next((one for one in found if one is not None), None)


def _imported(project: Project, module: Module, origin: tuple[str, str], depth: int) -> Own | None:
    source, exported = origin
    found = resolve(module.path, source, project.read) if depth < _DEEPEST else None
    if found is None:
        return None
    other = project.open(*found)
    named = _own(project, other, other.exports.get(exported, exported), depth + 1)
    passed = (_imported(project, other, one, depth + 1) for one in _passed_on(other, exported))
    whole = (_made(project, other, one, depth + 1) for one in _whole(other) if exported in {"default", "*"})
    return named or _first((*passed, *whole))


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


def comes_from(project: Project, module: Module, origin: tuple[str, str], path: str, *, depth: int = 0) -> bool:
    """Whether what a file imports, as a module and a name there, is passed on to it from the file at a path."""
    found = resolve(module.path, origin[0], project.read) if depth < _DEEPEST else None
    if found is None or found[0] == path:
        return found is not None
    other = project.open(*found)
    return any(comes_from(project, other, one, path, depth=depth + 1) for one in _passed_on(other, origin[1]))


def _made(project: Project, module: Module, value: Node, depth: int) -> Own | None:
    """Return the own function that a value is or rests on: `base.extend({…})` rests on `base`."""
    inner = bare(value)
    if inner.type not in _READ or depth >= _DEEPEST:
        return module, inner
    links = chain(inner)
    if links[0].name in _FAKING or not MUTING.isdisjoint(link.name for link in links):
        return module, inner
    return _called(project, module, links, depth + 1)


def _called(project: Project, module: Module, links: Sequence[Link], depth: int = 0) -> Own | None:
    """Return the own function at the head of a chain: `it` of `it.each(…)`, and of `own.it` where `own` is a file."""
    head = links[0].name
    source, there = module.imports.get(head, ("", ""))
    inner = links[1].name if there in _WHOLE and len(links) > 1 else ""
    found = _imported(project, module, (source, inner), depth) if inner else None
    return found or _own(project, module, head, depth)


def own_names(project: Project, module: Module) -> Iterator[str]:
    """Yield the names in a file that belong to the test side: its own classes, and what it imports from there.

    Behind a name comes a space and what it is imported from, if that leads to no file.
    """
    for name, (source, _) in module.imports.items():
        path = posixpath.normpath(posixpath.join(posixpath.dirname(module.path), source))
        if source.startswith(".") and (is_test_side(path) or _FAKE.match(source)):
            found = resolve(module.path, source, project.read)
            yield name if found is not None else f"{name} {source}"
    classes = (node for node in children(module.root) if node.type == "class_declaration")
    yield from (text(node.child_by_field_name("name")) for node in classes)


@dataclass(slots=True)
class Declarers:
    """The functions that declare the tests of one file, where another file of the repository writes them."""

    project: Project
    module: Module
    known: dict[tuple[str, str, int], Own | None] = field(default_factory=dict)

    def of(self, owners: Sequence[Node]) -> tuple[str, str]:
        """Return what may let a test or suite pass, and what only hands it on to a package: `it of test/own.js`."""
        found = [self._of_call(node) for node in owners if node.type == "call_expression"]
        runner = next((one for one, relays in found if one and not relays), "")
        return runner, next((one for one, relays in found if one and relays), "")

    def _of_call(self, call: Node) -> tuple[str, bool]:
        links = chain(call)
        given = [bare(each) for each in arguments_of(call)]
        at = next((at for at, each in enumerate(given) if is_function(each)), None)
        if at is None:
            return "", True
        names = (*(link.name for link in links[:2]), "")
        key = names[0], names[1], at
        if key not in self.known:
            own = _called(self.project, self.module, links)
            self.known[key] = own if own is not None and own[0] is not self.module else None
        found = self.known[key]
        if found is None:
            return "", False
        waits = not _is_done_at_once(given[at])
        return f"{names[0]} of {found[0].path}", is_function(found[1]) and _relays(
            self.project, *found, at, waits=waits
        )


def _is_done_at_once(function: Node) -> bool:
    """Whether a function gives its caller no promise to wait for."""
    body = body_of(function)
    if body is None or body.type != "statement_block" or any(child.type == "async" for child in function.children):
        return False
    return all(node.type != "return_statement" for node in descend(body))


def _relays(project: Project, module: Module, function: Node, at: int, *, waits: bool) -> bool:
    """Whether a function hands the callback at this position of its arguments to a package's, come what may.

    What `waits` is seen to fail only where its caller gets what it returns.
    """
    body, given = body_of(function), parameters_of(function)
    rest = given[-1:] if given and given[-1].type == "rest_pattern" else []
    names = {text(name) for one in given[at : at + 1] or rest for name in names_in(one)}
    nodes = list(descend(body)) if body is not None and len(names) == 1 else []
    calls = [chain(node) for node in nodes if node.type == "call_expression"]
    decides = any(node.type in _DECIDES or text(node.child_by_field_name("operator")) in _DECIDES for node in nodes)
    if decides or any(link.name in MUTING | _SETTLES for links in calls for link in links):
        return False
    foreign = {links[0].name for links in calls if _called(project, module, links) is None} - names
    uses = [node for node in nodes if node.type == "identifier" and text(node) in names]
    return bool(foreign and uses) and all(_is_handed_on(node, foreign, waits=waits) for node in uses)


def _is_handed_on(name: Node, foreign: Collection[str], *, waits: bool) -> bool:
    """Whether a function is an argument of a foreign one, or is called where its caller gets what it returns."""
    parent = name.parent
    if parent is not None and parent.type == "spread_element":
        parent = parent.parent
    above = parent.parent if parent is not None else None
    if parent is None or above is None:
        return False
    if parent.type == "arguments":
        return chain(above)[0].name in foreign
    called = parent.type == "call_expression"
    if called and not waits and above.type == "expression_statement":
        return True
    return called and (above.type in _HANDED_BACK or above.child_by_field_name("body") == parent)


def keeps_quiet(function: Node, at: int) -> bool:
    """Whether a function calls what it is given at this position where a failure is caught, and throws nothing then."""
    body = body_of(function)
    names = {text(name) for one in parameters_of(function)[at : at + 1] for name in names_in(one)}
    nodes = list(descend(body)) if body is not None and names else []
    if any(node.type == "throw_statement" for node in nodes):
        return False
    tried = [node for node in nodes if node.type == "try_statement" and _is_quiet(node.child_by_field_name("handler"))]
    bodies = [inner for node in tried if (inner := node.child_by_field_name("body")) is not None]
    calls = [node for node in nodes if node.type == "call_expression"]
    given = [node for node in calls if text(node.child_by_field_name("function")) in names]
    return any(one.start_byte <= node.start_byte < one.end_byte for node in given for one in bodies)


def _is_quiet(handler: Node | None) -> bool:
    return handler is not None and not asserts(handler)
