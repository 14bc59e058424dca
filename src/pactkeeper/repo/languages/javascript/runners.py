"""The vocabulary of test runners: which names declare tests and suites, and which modules export them.

Also where names occur in a file's bytes: each is searched for separately, as compiling one pattern takes longer.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import cache
from typing import TYPE_CHECKING, Literal

from pactkeeper.repo.languages.javascript.syntax import WRAPPERS, arguments_of, literal, text

if TYPE_CHECKING:
    from tree_sitter import Node


Role = Literal["test", "suite", "namespace"]

TESTS = frozenset({"it", "test", "specify", "fit", "xit", "xtest", "xspecify", "ftest"})
SUITES = frozenset({"describe", "suite", "context", "fdescribe", "xdescribe", "xcontext", "fcontext", "xsuite"})
NAMESPACES = frozenset({"QUnit", "Deno"})
GLOBALS = TESTS | SUITES | NAMESPACES

MODIFIERS = frozenset(
    {"only", "skip", "todo", "concurrent", "sequential", "shuffle", "failing", "fails", "fail", "fixme"}
    | {"slow", "ignore", "if", "skipIf", "runIf", "todoIf", "failingIf", "concurrentIf", "each", "for"}
    | {"extend", "override", "scoped", "serial", "parallel", "prop", "effect", "live", "scopedLive", "retries"}
    | {"*"}
)
# members that take arguments of their own before the declaring ones
APPLIED = frozenset(
    {"each", "for", "if", "skipIf", "runIf", "todoIf", "failingIf", "concurrentIf", "extend", "override"}
    | {"scoped", "prop", "layer", "script"}
)
TABLES = frozenset({"each", "for"})
# members that Playwright also accepts as statements about the running test, which declare nothing
STATEMENTS = frozenset({"skip", "fixme", "fail", "slow", "only"})


@dataclass(frozen=True, slots=True)
class Meaning:
    """What a name means to a runner; `framework` is empty for a global name, whose runner is in the settings.

    `assumed` means that only the name suggests it: `test` from a package outside the repository.
    """

    role: Role
    framework: str = ""
    assumed: bool = False


def global_meaning(name: str) -> Meaning | None:
    """Return what a global name means to a runner, or None."""
    if name in TESTS:
        return Meaning("test")
    if name in SUITES:
        return Meaning("suite")
    if name in NAMESPACES:
        return Meaning("namespace", name.lower())
    return None


_MODULES: tuple[tuple[str, str], ...] = (
    (r"vitest|@effect/vitest|@fast-check/vitest|vite-plus/test|vitest/browser", "vitest"),
    (r"@jest/globals|@fast-check/jest|jest-each|@stencil/core/testing", "jest"),
    (r"mocha", "mocha"),
    (r"node:test|test", "node:test"),
    (r"bun:test", "bun"),
    (r"(?:@playwright/test|playwright/test|@playwright/experimental-ct-.*|playwright-bdd|@wdio/.*)", "playwright"),
    (r"qunit|qunitjs|ember-qunit", "qunit"),
    (r"(?:jsr:)?@std/testing(?:@[^/]*)?/bdd|https://deno\.land/(?:x/)?std[^\s]{0,100}/testing/bdd\.ts", "deno"),
    (r"jasmine|jasmine-core", "jasmine"),
    (r"cypress", "cypress"),
    (r"ava", "ava"),
    (r"tape", "tape"),
    (r"tap|@tapjs/core|libtap", "tap"),
    (r"uvu", "uvu"),
    (r"(?:@hapi/)?lab", "lab"),
)
_MODULE = tuple((re.compile(pattern), framework) for pattern, framework in _MODULES)
_DEFAULT_IS_TEST = frozenset({"node:test", "playwright", "ava", "tape", "tap"})


@cache
def runner_of(module: str) -> str | None:
    """Return the runner that a module belongs to; None for any other module."""
    return next((framework for pattern, framework in _MODULE if pattern.fullmatch(module)), None)


def imported_meaning(framework: str, imported: str) -> Meaning | None:
    """Return the meaning of an export of a runner's module; `=` and `*` are the module itself."""
    if imported in TESTS or (framework, imported) in {("playwright", "setup"), ("uvu", "suite"), ("tap", "t")}:
        return Meaning("test", framework)
    if imported in SUITES or (framework, imported) == ("lab", "experiment"):
        return Meaning("suite", framework)
    if framework == "qunit" and imported in {"module", "only", "skip", "todo"}:
        return Meaning("suite" if imported == "module" else "test", framework)
    if framework == "node:test" and imported in {"only", "skip", "todo"}:
        return Meaning("test", framework)
    if imported in {"default", "="} and framework in _DEFAULT_IS_TEST:
        return Meaning("test", framework)
    if imported in {"default", "*", "=", "QUnit"} or (framework, imported) == ("lab", "script"):
        return Meaning("namespace", framework)
    return None


def member_meaning(meaning: Meaning, member: str) -> Meaning | None:
    """Return the meaning of `.member` of a runner's function or module; None if it declares nothing."""
    framework = meaning.framework
    if meaning.role == "namespace":
        return imported_meaning(framework, member)
    if member in MODIFIERS:
        return meaning
    if meaning.role == "test" and member in TESTS | SUITES:
        return imported_meaning(framework, member) if framework else global_meaning(member)
    return None


def walk(meaning: Meaning | None, members: tuple[str, ...]) -> Meaning | None:
    """Follow members one after another."""
    for member in members:
        if meaning is None:
            return None
        meaning = member_meaning(meaning, member)
    return meaning


_INSIDE = frozenset(b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_$.#")
_ENDS = re.compile(rb"(?![\w$])")
# every search includes these short names, so one pass for all of them is faster
_GLOBALS = re.compile(f"(?:{'|'.join(sorted(GLOBALS, key=len, reverse=True))})(?![\\w$])".encode())


def words(source: bytes, names: set[str]) -> Iterator[tuple[int, int]]:
    """Yield the positions of whole names, in order."""
    places: list[tuple[int, int]] = []
    if names >= GLOBALS:
        found = (match.span() for match in _GLOBALS.finditer(source))
        places += [place for place in found if not place[0] or source[place[0] - 1] not in _INSIDE]
        names = names - GLOBALS
    return _apart([*places, *followed(source, names, _ENDS)])


def followed(source: bytes, names: Iterable[str], how: re.Pattern[bytes]) -> Iterator[tuple[int, int]]:
    """Yield positions of words that start with one of the names, in order; `how` must match what follows the name."""
    places: list[tuple[int, int]] = []
    for name in names:
        word = name.encode()
        start = source.find(word)
        while start >= 0:
            end = start + len(word)
            if (not start or source[start - 1] not in _INSIDE) and how.match(source, end):
                places.append((start, end))
            start = source.find(word, start + 1)
    return _apart(places)


def _apart(places: list[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """Yield positions in order, skipping those that start inside another; of two at one start, the longer wins."""
    at = 0
    for start, end in sorted(places, key=lambda place: (place[0], -place[1])):
        if start >= at:
            yield start, end
            at = end


_CHOICES = frozenset({"ternary_expression", "binary_expression"})
_ROLES = TESTS | SUITES


@dataclass(slots=True)
class Chain:
    """A name and what follows it; `call` is the declaring call, or None if the whole chain is the value `value`."""

    root: str
    members: tuple[str, ...]
    value: Node
    call: Node | None = None
    tables: tuple[Node, ...] = ()


@dataclass(slots=True)
class _Walk:
    node: Node
    members: list[str] = field(default_factory=list)
    tables: list[Node] = field(default_factory=list)
    applied: bool = False


def follow(root: Node) -> Chain:
    """Climb from the identifier `root` for as long as the expression still refers to it."""
    walk = _Walk(root)
    while (parent := walk.node.parent) is not None:
        if parent.type == "call_expression" and _is(parent.child_by_field_name("function"), walk.node):
            if not _applied(walk, parent):
                return _chain(root, walk, parent)
            _note_table(walk, parent)
            walk.applied = True
        elif (member := _member(parent, walk.node)) is not None:
            walk.members.append(member)
            walk.applied = False
        elif (call := _typed_table(walk, parent)) is not None:
            return _chain(root, walk, call)
        elif parent.type not in WRAPPERS and not (parent.type in _CHOICES and _chooses(parent, walk.node)):
            break
        walk.node = parent
    return _chain(root, walk, None)


def _chain(root: Node, walk: _Walk, call: Node | None) -> Chain:
    return Chain(text(root), tuple(walk.members), walk.node, call, tuple(walk.tables))


def _is(node: Node | None, other: Node) -> bool:
    return node is not None and node.id == other.id


def _member(parent: Node, node: Node) -> str | None:
    """Return the name of the member that `parent` accesses on `node`; `*` if it is computed."""
    if not _is(parent.child_by_field_name("object"), node):
        return None
    if parent.type == "member_expression":
        name = parent.child_by_field_name("property")
        return text(name) if name is not None else None
    if parent.type == "subscript_expression":
        index = parent.child_by_field_name("index")
        return (literal(index) or "*") if index is not None else None
    return None


def _chooses(parent: Node, node: Node) -> bool:
    """Whether `cond ? a : b` or `a || b` may evaluate to `node`."""
    if parent.type == "ternary_expression":
        return not _is(parent.child_by_field_name("condition"), node)
    operator = parent.child_by_field_name("operator")
    return operator is not None and operator.type in {"||", "??", "&&"}


def _applied(walk: _Walk, call: Node) -> bool:
    """Whether `call` only applies a modifier or maker, so that the declaring call comes later."""
    above = call.parent
    while above is not None and above.type in WRAPPERS:
        call, above = above, above.parent
    called_again = (
        above is not None and above.type == "call_expression" and _is(above.child_by_field_name("function"), call)
    )
    if called_again:
        return True
    if walk.members and walk.members[-1] in APPLIED and not walk.applied:
        return not (walk.members[-1] in TABLES and _names_itself(call))
    return above is not None and (_member(above, call) or "") in _ROLES


def _names_itself(call: Node) -> bool:
    """Whether this is QUnit's form, `test.each("name", table, callback)`."""
    arguments = arguments_of(call)
    return len(arguments) > 2 and arguments[0].type in {"string", "template_string"}  # noqa: PLR2004 - name, table, callback


def _note_table(walk: _Walk, call: Node) -> None:
    if walk.members and walk.members[-1] in TABLES and not walk.applied:
        arguments = call.child_by_field_name("arguments")
        if arguments is not None:
            walk.tables.append(arguments)


def _typed_table(walk: _Walk, parent: Node) -> Node | None:
    """Recognize a typed table of cases, which the grammar parses as comparisons: `it.each < Row > (table("…"))`."""
    if parent.type != "binary_expression" or not walk.members or walk.members[-1] not in TABLES:
        return None
    above = parent.parent
    if above is None or above.type != "binary_expression" or not _is(above.child_by_field_name("left"), parent):
        return None
    call = above.child_by_field_name("right")
    table = call.child_by_field_name("function") if call is not None and call.type == "call_expression" else None
    if table is None or table.type != "template_string":
        return None
    walk.tables.append(table)
    return call
