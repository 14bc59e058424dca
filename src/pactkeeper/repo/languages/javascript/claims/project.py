"""Follow a test's assertion helpers, in its own file and in the repository files it imports."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from pactkeeper.repo.languages.javascript.claims.asserts import FUNCTIONS
from pactkeeper.repo.languages.javascript.claims.imports import resolve
from pactkeeper.repo.languages.javascript.claims.module import Module, read_module
from pactkeeper.repo.languages.javascript.claims.syntax import Link, bare, body_of, children, is_function, parse, text

if TYPE_CHECKING:
    from tree_sitter import Node

_TEST_PLACE = re.compile(r"(^|[/._-])(e2e|spec|specs|tests?|__tests__|testing|fixtures?|mocks?)([/._-]|$)")
_SHARED_PLACE = re.compile(r"(^|[/._-])(support|helpers?|utils?)([/._-]|$)")  # of the product just as well
_ASSERTING = re.compile(rb"\bexpect\s*+[.(<]|\.should\b|['\"](?:node:)?assert['\"/]")
_OF_T = "|".join(sorted(name for name in FUNCTIONS - {"fail"} if name.isalpha()))  # of tap, tape and AVA
_ASSERTS = re.compile(rf"\b(?:expect|assert\w*|should)\s*[.(<]|\.should\b|\.expect\(|(?<![\w$.])t\.(?:{_OF_T})\(")
ASSERTION_LIKE = re.compile(r"^(?:assert|expect|should|verify)(?:[A-Z_]\w*)?$")
_CHECKS = re.compile(r"_*(?:assert|expect|should|verify|check|ensure|validate|compare)", re.IGNORECASE)
_RUNNING = frozenset({"expression_statement", "return_statement", "lexical_declaration", "variable_declaration"})
_CALLS = re.compile(r"(?<![\w$])([\w$]++)\s*+\(")
_LARGEST = 2_000_000
_JSON = ".json"


@dataclass(frozen=True, slots=True)
class Helper:
    """A function of the project and the file that defines it."""

    module: Module
    function: Node
    name: str


@dataclass(slots=True)
class Project:
    """The files opened so far while reading one file's tests."""

    read: Callable[[str], bytes | None]
    modules: dict[str, Module | None] = field(default_factory=dict)
    resolved: dict[tuple[str, str], tuple[str, bytes] | None] = field(default_factory=dict)

    def open(self, path: str, source: bytes) -> Module:
        """Parse a file, once."""
        found = self.modules.get(path)
        if found is None:
            written = b"(%s)" % source if path.endswith(_JSON) else source  # an expression of JavaScript
            found = read_module(path, parse(path, written))
            self.modules[path] = found
        return found

    def helper(self, module: Module, links: tuple[Link, ...]) -> Helper | None:
        """Return the project function that a chain calls; only test code is followed, not product code."""
        names = [link.name for link in links]
        if names[:1] == ["this"] or not names[-1] or any(link.arguments is not None for link in links[:-1]):
            return None
        return self.named(module, tuple(names), links[0].node.start_byte)

    def named(self, module: Module, names: tuple[str, ...], at: int) -> Helper | None:
        """Return the function that `name` or `namespace.name` refers to at byte `at` of a file."""
        if len(names) == 1:
            local = module.function(names[0], at)
            if local is not None:
                return Helper(module, local, names[0])
        if len(names) > 2 or names[0] not in module.imports:  # noqa: PLR2004 - a namespace and a function
            return None
        source, exported = module.imports[names[0]]
        return self._imported(module, source, exported if len(names) == 1 else names[1], names[-1])

    def class_named(self, module: Module, name: str) -> tuple[Module, Node] | None:
        """Find a class by name in a file, or in the test-side file it is imported from."""
        found = _class(module, name)
        if found is not None or name not in module.imports:
            return (module, found) if found is not None else None
        source, exported = module.imports[name]
        other = self._opened(module, source, name)
        found = _class(other, other.exports.get(exported, exported)) if other is not None else None
        return (other, found) if other is not None and found is not None else None

    def value_named(self, module: Module, name: str) -> tuple[Module, Node] | None:
        """Find the only value that a test-side file gives to the name imported from it as `name`."""
        source, exported = module.imports[name]
        other = self._opened(module, source, name)
        if other is not None and other.path.endswith(_JSON) and exported in {"default", "*"}:
            return next(((other, bare(each)) for each in children(other.root)), None)
        local = other.exports.get(exported) if other is not None else None
        found = other.bindings.get(local, ()) if other is not None and local is not None else ()
        value = found[0].value if len(found) == 1 and not found[0].path else None
        return (other, value) if other is not None and value is not None else None

    def _opened(self, module: Module, source: str, name: str) -> Module | None:
        """Return the imported file if it belongs to the test side."""
        key = module.path, source
        if key not in self.resolved:
            self.resolved[key] = resolve(*key, self.read)
        found = self.resolved[key]
        if found is None or len(found[1]) > _LARGEST:
            return None
        path, contents = found
        return self.open(path, contents) if _of_tests(path, contents) or ASSERTION_LIKE.match(name) else None

    def _imported(self, module: Module, source: str, exported: str, name: str) -> Helper | None:
        other = self._opened(module, source, name)
        if other is None:
            return None
        local = other.exports.get(exported)
        function = other.functions.get(local, ()) if local is not None else ()
        return Helper(other, function[0], name) if len(function) == 1 else None


def _of_tests(path: str, contents: bytes) -> bool:
    """Whether a file belongs to the tests by its place; one among shared helpers does if it asserts something."""
    if _TEST_PLACE.search(path):
        return True
    return _SHARED_PLACE.search(path) is not None and _ASSERTING.search(contents) is not None


def _class(module: Module, name: str) -> Node | None:
    for statement in children(module.root):
        node = statement.child_by_field_name("declaration") or statement
        if node.type == "class_declaration" and text(node.child_by_field_name("name")) == name:
            return node
    return None


def asserts(function: Node) -> bool:
    """Whether a function's text contains something that looks like an assertion."""
    return _ASSERTS.search(text(function)) is not None


def may_assert(function: Node) -> bool:
    """Whether a function asserts, or calls something that is named as if it did."""
    return asserts(function) or any(_CHECKS.match(found[1]) for found in _CALLS.finditer(text(function)))


def prepares(helper: Helper) -> bool:
    """Whether a helper keeps calling things after its last assertion, so that it only asserts preconditions."""
    body = body_of(helper.function)
    if _CHECKS.match(helper.name) or body is None or body.type != "statement_block":
        return False
    statements = [each for each in children(body) if each.type != "comment"]
    last = max((at for at, each in enumerate(statements) if asserts(each)), default=len(statements))
    after = [text(each) for each in statements[last + 1 :] if each.type in _RUNNING]
    called = {found[1] for each in after for found in _CALLS.finditer(each)}
    return any(name != helper.name and not _CHECKS.match(name) for name in called)


def returned_function(function: Node) -> Node | None:
    """Return the function that a function returns, for helpers such as `shouldHaveBody(text)`."""
    body = body_of(function)
    if body is None:
        return None
    if is_function(bare(body)):
        return bare(body)
    for statement in children(body):
        if statement.type == "return_statement" and is_function(bare(statement)):
            return bare(statement)
    return None
