"""Calls that declare tests through a function of another file, whose tests have one name for all of its calls."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from pactkeeper.intent.claims import Expression
from pactkeeper.intent.strength.conditions import as_skipped
from pactkeeper.intent.strength.facts import Skipped
from pactkeeper.intent.strength.program import rows_of
from pactkeeper.repo.languages.javascript.claims.expressions import Scope
from pactkeeper.repo.languages.javascript.claims.imports import resolve
from pactkeeper.repo.languages.javascript.claims.module import Module
from pactkeeper.repo.languages.javascript.claims.project import Helper, Project
from pactkeeper.repo.languages.javascript.claims.syntax import (
    arguments_of,
    bare,
    chain,
    descend,
    is_function,
    string_value,
    text,
)
from pactkeeper.repo.languages.javascript.runners import global_meaning, walk
from pactkeeper.repo.languages.javascript.strength.marks import leaving_statements, only_nodes, owners_of, skips_of
from pactkeeper.repo.languages.javascript.strength.tables import Tables
from pactkeeper.repo.languages.javascript.strength.values import scope_of_module

if TYPE_CHECKING:
    from tree_sitter import Node

_STRINGS: Final = frozenset({"string", "template_string"})
_TYPED: Final = frozenset({"non_null_expression", "as_expression", "satisfies_expression"})
_NAMES: Final = frozenset({"identifier", "shorthand_property_identifier"})


@dataclass(frozen=True, slots=True)
class SuiteCall:
    """One call for one row around it: what it calls, with which tokens as arguments, and what may keep it from running.

    `lines` are its first and last, `names` the paths of repository files that the names in it are imported from.
    """

    function: str
    given: tuple[str, ...]
    row: tuple[tuple[Expression, Expression], ...]
    skips: frozenset[Skipped] = field(compare=False)
    source: str = field(compare=False)
    lines: tuple[int, int] = field(compare=False)
    names: frozenset[str] = field(compare=False)


def suite_calls(path: str, source: bytes, *, read: Callable[[str], bytes | None]) -> Iterator[SuiteCall]:
    """Yield the calls in a file of imported functions of the test side that declare tests."""
    project = Project(read)
    module = project.open(path, source)
    declaring: dict[str, bool] = {}
    for node in descend(module.root):
        links = chain(node) if node.type == "call_expression" else ()
        if not links or links[0].name not in module.imports:
            continue
        name = text(node.child_by_field_name("function"))
        if name not in declaring:
            helper = project.helper(module, links)
            declaring[name] = helper is not None and helper.module is not module and _declares(project, helper)
        if declaring[name] and not any(map(is_function, map(bare, arguments_of(node)))):
            yield from _by_row(node, name, module, read)


def _by_row(call: Node, name: str, module: Module, read: Callable[[str], bytes | None]) -> Iterator[SuiteCall]:
    owners = owners_of(call)
    if any(_role(owner) == "test" for owner in owners):
        return
    scope = scope_of_module(module)
    words = {text(each) for each in descend(call) if each.type in _NAMES and text(each) in module.imports}
    found = {word: resolve(module.path, module.imports[word][0], read) for word in words}
    paths = {word: one[0] for word, one in found.items() if one is not None}
    spelled = {word: f"{path} {module.imports[word][1]}" for word, path in paths.items()}
    given = [one for each in _without_title(arguments_of(call)) for one in (*_tokens(each, spelled), ",")]
    tables = Tables(module, scope)
    skips = frozenset(_skips(owners, module, scope, tables))
    source, lines = _source(call), (call.start_point[0] + 1, call.end_point[0] + 1)
    for row in rows_of(tuple(tables.of(owners))):
        yield SuiteCall(name, tuple(given), tuple(row.items()), skips, source, lines, frozenset(paths.values()))


def _source(call: Node) -> str:
    """Return a call's source without the members that declare tests."""
    written = text(call)
    for each in descend(call):
        if _is_named_apart(each):
            written = written.replace(text(each), "…")
    return " ".join(written.split())


def _skips(owners: Sequence[Node], module: Module, scope: Scope, tables: Tables) -> Iterator[Skipped]:
    only = bool(only_nodes(module.root))
    marks = (*skips_of(owners, module, scope, only=only, leaving=leaving_statements), *tables.skips(owners))
    yield from (made for made in map(as_skipped, marks) if made is not None)


def _without_title(given: Sequence[Node]) -> Sequence[Node]:
    return given[1:] if len(given) > 1 and string_value(given[0]) is not None else given


def _tokens(argument: Node, spelled: Mapping[str, str]) -> Iterator[str]:
    """Yield the tokens of an argument without types and without members that declare tests; `spelled` are imports."""
    pending = [argument]
    while pending:
        node = pending.pop()
        if node.type in {"comment", "type_annotation", ","} or _is_named_apart(node):
            continue
        if node.type in _TYPED:
            pending += node.named_children[:1]
        elif node.type in _STRINGS and string_value(node) is not None:
            yield repr(string_value(node))
        elif node.child_count:
            pending += reversed(node.children)
        elif node.type in _NAMES:
            key = (text(node), ":") if node.type != "identifier" else ()
            yield from (*key, spelled.get(text(node), text(node)))
        else:
            yield text(node)


def _is_named_apart(node: Node) -> bool:
    """Whether a node is a function or a member of an object that declares tests: these have names of their own."""
    value = node.child_by_field_name("value") if node.type == "pair" else node
    return value is not None and is_function(value) and _is_declaring(value)


def _declares(project: Project, helper: Helper) -> bool:
    """Whether a function declares tests, itself or through a function that it calls."""
    if _is_declaring(helper.function):
        return True
    calls = (chain(node) for node in descend(helper.function) if node.type == "call_expression")
    called = (project.helper(helper.module, links) for links in calls)
    return any(_is_declaring(one.function) for one in called if one is not None)


def _is_declaring(function: Node) -> bool:
    return any(_role(node) for node in descend(function))


def _role(node: Node) -> str:
    """Return whether a call with a function declares a "test" or a "suite"; "" for any other node."""
    links = chain(node) if node.type == "call_expression" else ()
    if not links or not any(is_function(bare(each)) for each in links[-1].arguments or ()):
        return ""
    meaning = walk(global_meaning(links[0].name), tuple(link.name for link in links[1:] if link.name))
    return meaning.role if meaning is not None else ""
