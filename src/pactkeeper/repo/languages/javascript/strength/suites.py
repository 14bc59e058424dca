"""Calls that declare tests through a function of another file, whose tests have one name for all of its calls."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, TypeAlias

from pactkeeper.intent.claims import Expression
from pactkeeper.intent.strength.conditions import as_skipped
from pactkeeper.intent.strength.facts import Skipped
from pactkeeper.intent.strength.program import rows_of
from pactkeeper.repo.languages.javascript.claims.imports import resolve
from pactkeeper.repo.languages.javascript.claims.module import Module
from pactkeeper.repo.languages.javascript.claims.project import Project
from pactkeeper.repo.languages.javascript.claims.syntax import (
    Link,
    arguments_of,
    bare,
    chain,
    descend,
    is_function,
    string_value,
    text,
)
from pactkeeper.repo.languages.javascript.grammar import utf8
from pactkeeper.repo.languages.javascript.modules import read_modules
from pactkeeper.repo.languages.javascript.runners import global_meaning, walk
from pactkeeper.repo.languages.javascript.strength.marks import leaving_statements, only_nodes, owners_of, skips_of
from pactkeeper.repo.languages.javascript.strength.tables import Tables
from pactkeeper.repo.languages.javascript.strength.values import scope_of_module

if TYPE_CHECKING:
    from tree_sitter import Node

_DEEPEST: Final = 6  # files that pass a function on
_DEEPEST_PART: Final = 60
_PARTS: Final = 2  # of a callee: a namespace and a function
_LARGEST: Final = 2_000_000
_MAY_DECLARE: Final = re.compile(rb"\b(?:it|test|specify|describe|suite|context)\b|\bexport\s{0,9}[{*]")
_STRINGS: Final = frozenset({"string", "template_string"})
_TYPED: Final = frozenset({"non_null_expression", "as_expression", "satisfies_expression"})
_SILENT: Final = frozenset({"comment", "type_annotation", ","})
_NAMES: Final = frozenset({"identifier", "shorthand_property_identifier"})


Said: TypeAlias = "str | tuple[Said, ...]"  # a token, or those of a part of an argument


@dataclass(frozen=True, slots=True)
class SuiteCall:
    """One call for one row around it: what it calls, with which tokens as arguments, and what may keep it from running.

    `lines` are its first and last, `names` the paths of repository files that the names in it are imported from.
    """

    function: str
    given: tuple[Said, ...]
    row: tuple[tuple[Expression, Expression], ...]
    skips: frozenset[Skipped] = field(compare=False)
    source: str = field(compare=False)
    lines: tuple[int, int] = field(compare=False)
    names: frozenset[str] = field(compare=False)

    def includes(self, other: SuiteCall) -> bool:
        """Whether the lists of this call only have more elements than those of another one."""
        return (self.function, self.row) == (other.function, other.row) and _has_grown(other.given, self.given)


def _has_grown(old: Said, new: Said) -> bool:
    if old == new or isinstance(old, str) or isinstance(new, str):
        return old == new
    if old[:1] == new[:1] == ("[",):
        return not Counter(old) - Counter(new)
    return len(old) == len(new) and all(map(_has_grown, old, new))


def suite_calls(path: str, source: bytes, *, read: Callable[[str], bytes | None]) -> Iterator[SuiteCall]:
    """Yield the calls in a file of functions of other files that declare tests, and the suites that run them."""
    declaring = _Declaring(Project(read))
    module = declaring.project.open(path, source)
    required = {node.id: (name, there) for node, name, there in read_modules(module.root, utf8(source)).immediate}
    tables, only = Tables(module, scope_of_module(module)), bool(only_nodes(module.root))
    for node in descend(module.root):
        if node.type != "call_expression":
            continue
        named = [required[node.id]] if node.id in required else _named(node, module)
        if any(declaring.exported(module.path, *each) for each in named):
            yield from _by_row(node, tables, read, only=only)


def _named(call: Node, module: Module) -> list[tuple[str, str]]:
    """Return what a call takes from which modules: the function that it calls, or those that a suite is given."""
    links, given = chain(call), [bare(each) for each in arguments_of(call)]
    if any(map(is_function, given)):
        return []
    names = [link.name for link in links]
    source, there = module.imports.get(names[0], ("", ""))
    if _meaning(links) == "suite" and not source.startswith("."):
        handed = (text(each) for each in given if each.type == "identifier")
        return [module.imports[name] for name in handed if name in module.imports]
    if not source or len(names) > _PARTS or any(link.arguments is not None for link in links[:-1]):
        return []
    return [(source, names[1] if len(names) > 1 else "=" if there == "*" else there)]


@dataclass(slots=True)
class _Declaring:
    """Which functions declare tests, by the file and the name that it exports them under."""

    project: Project
    known: dict[tuple[str, str], bool] = field(default_factory=dict)

    def exported(self, path: str, module: str, name: str, depth: int = 0) -> bool:
        """Whether what a file imports under a name declares tests, itself or through a function that it calls."""
        found = resolve(path, module, self.project.read) if depth < _DEEPEST else None
        if found is None or len(found[1]) > _LARGEST or _MAY_DECLARE.search(found[1]) is None:
            return False
        key = found[0], "default" if name == "=" else name
        if key not in self.known:
            self.known[key] = False  # while it is read
            self.known[key] = self._read(self.project.open(*found), utf8(found[1]), key[1], depth + 1)
        return self.known[key]

    def _read(self, module: Module, source: bytes, name: str, depth: int) -> bool:
        for one in read_modules(module.root, source).exports:
            if name not in {one.name, "default" if one.name == "=" else one.name}:
                passed = one.name == "*" and self.exported(module.path, one.module, name, depth)
            elif one.module:
                passed = self.exported(module.path, one.module, one.imported, depth)
            elif one.local in module.imports:
                passed = self.exported(module.path, *module.imports[one.local], depth)
            else:
                functions = (one.node,) if one.node is not None else module.functions.get(one.local or name, ())
                passed = any(self._declares(module, function, depth) for function in functions)
            if passed:
                return True
        return False

    def _declares(self, module: Module, function: Node, depth: int) -> bool:
        if _is_declaring(function):
            return True
        called = [node for node in descend(function) if node.type == "call_expression"]
        own = (each for node in called for each in module.functions.get(chain(node)[0].name, ()))
        return any(map(_is_declaring, own)) or any(
            self.exported(module.path, *each, depth) for node in called for each in _named(node, module)
        )


def _by_row(call: Node, tables: Tables, read: Callable[[str], bytes | None], *, only: bool) -> Iterator[SuiteCall]:
    module, owners = tables.module, owners_of(call)
    if any(_role(owner) == "test" for owner in owners):
        return
    words = {text(each) for each in descend(call) if each.type in _NAMES and text(each) in module.imports}
    found = {word: resolve(module.path, module.imports[word][0], read) for word in words}
    paths = {word: one[0] for word, one in found.items() if one is not None}
    spelled = {word: f"{path} {module.imports[word][1]}" for word, path in paths.items()}
    given = tuple(_said(each, spelled) for each in _without_title(arguments_of(call)))
    skips = frozenset(_skips(owners, tables, only=only))
    name = text(call.child_by_field_name("function"))
    source, lines = _source(call), (call.start_point[0] + 1, call.end_point[0] + 1)
    for row in rows_of(tuple(tables.of(owners))):
        yield SuiteCall(name, given, tuple(row.items()), skips, source, lines, frozenset(paths.values()))


def _source(call: Node) -> str:
    """Return a call's source without the members that declare tests."""
    written = text(call)
    for each in descend(call):
        if _is_named_apart(each):
            written = written.replace(text(each), "…")
    return " ".join(written.split())


def _skips(owners: Sequence[Node], tables: Tables, *, only: bool) -> Iterator[Skipped]:
    own = skips_of(owners, tables.module, tables.scope, only=only, leaving=leaving_statements)
    marks = (*own, *tables.skips(owners))
    yield from (made for made in map(as_skipped, marks) if made is not None)


def _without_title(given: Sequence[Node]) -> Sequence[Node]:
    return given[1:] if len(given) > 1 and string_value(given[0]) is not None else given


def _said(node: Node, spelled: Mapping[str, str], depth: int = 0) -> Said:
    """Return an argument's tokens without types and without members that declare tests; `spelled` are imports."""
    if node.type in _TYPED:
        return _said(node.named_children[0], spelled, depth)
    if node.type in _STRINGS and string_value(node) is not None:
        return repr(string_value(node))
    if node.type == "identifier":
        return spelled.get(text(node), text(node))
    if node.type == "shorthand_property_identifier":
        return text(node), ":", spelled.get(text(node), text(node))
    if not node.child_count or depth > _DEEPEST_PART:
        return text(node)
    parts = (each for each in node.children if each.type not in _SILENT and not _is_named_apart(each))
    return tuple(_said(each, spelled, depth + 1) for each in parts)


def _is_named_apart(node: Node) -> bool:
    """Whether a node is a function or a member of an object that declares tests: these have names of their own."""
    value = node.child_by_field_name("value") if node.type == "pair" else node
    return value is not None and is_function(value) and _is_declaring(value)


def _is_declaring(function: Node) -> bool:
    return any(_role(node) for node in descend(function))


def _role(node: Node) -> str:
    """Return whether a call with a function declares a "test" or a "suite"; "" for any other node."""
    links = chain(node) if node.type == "call_expression" else ()
    return _meaning(links) if links and any(is_function(bare(each)) for each in links[-1].arguments or ()) else ""


def _meaning(links: Sequence[Link]) -> str:
    meaning = walk(global_meaning(links[0].name), tuple(link.name for link in links[1:] if link.name))
    return meaning.role if meaning is not None else ""
