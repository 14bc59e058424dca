"""The project's own assertion helpers, followed one level: in the same file, base classes, or imported files."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Final

from tree_sitter import Node

from pactkeeper.intent.claims import Attribute, Call, Claim, Expression, Name
from pactkeeper.repo.languages.adapter import upwards
from pactkeeper.repo.languages.python import syntax
from pactkeeper.repo.languages.python.claims.expressions import Scope, children_of, sorted_out, text_of
from pactkeeper.repo.languages.python.claims.reading import Reading, promises_checks
from pactkeeper.repo.languages.python.claims.statements import read_statement
from pactkeeper.repo.languages.python.ini import settings_of
from pactkeeper.repo.languages.python.syntax import imported_names

MAX_BASES = 12
_MAX_HOPS = 4  # files that re-export a name
_ROOTS = ("src", "lib", "python")
_OWN = (Name("self"), Name("cls"))
_GLOBAL = re.compile(r"(\w++)|globals\(\)\[[\"'](\w++)[\"']\]")
_NAME = re.compile(r"(?<![\w.])[A-Za-z_]\w*+")
_STRICT = ("xfail_strict", "strict_xfail", "strict")  # pytest's names; `strict` turns on every kind of strictness


_TYPING: Final = frozenset({"typing", "typing_extensions"})
parse = lru_cache(maxsize=32)(syntax.parse)  # many tests import the same helpers


@dataclass(slots=True)
class Module:
    """One file: its top-level functions, classes and imports by name.

    Among the `modules` is also how it calls what hands on its second argument: `typing.cast()`.
    """

    path: str
    root: Node
    functions: dict[str, Node] = field(default_factory=dict)
    classes: dict[str, Node] = field(default_factory=dict)
    modules: frozenset[str] = frozenset()
    imports: dict[str, tuple[str, str]] = field(default_factory=dict)

    @classmethod
    def of(cls, path: str, source: bytes) -> Module:
        """Read a file's top level."""
        module = cls(path, parse(source).root_node)
        plain: set[str] = set()
        for node in _top_level(module.root):
            module._enter(node, plain)
        module.modules = frozenset(plain)
        return module

    def _enter(self, node: Node, plain: set[str]) -> None:
        name = text_of(node.child_by_field_name("name"))
        if node.type == "function_definition":
            self.functions[name] = node  # the last definition wins
        elif node.type == "class_definition":
            self.classes.setdefault(name, node)
        elif node.type == "import_statement":
            plain.update(known for known, _ in imported_names(node))
            plain.update(f"{known}.cast()" for known, source in imported_names(node) if source in _TYPING)
        elif node.type == "import_from_statement":
            source = text_of(node.child_by_field_name("module_name"))
            for known, original in imported_names(node):
                self.imports[known] = (source, original)
                plain.update({f"{known}()"} if original == "cast" and source in _TYPING else ())
                self.functions.pop(known, None)
        elif node.type == "expression_statement":
            self._assign(node)

    def _assign(self, node: Node) -> None:
        """Note that a function's name holds something else from here on, unless that is made of the function."""
        inner = node.named_children[0] if node.named_children else node
        left, right = inner.child_by_field_name("left"), inner.child_by_field_name("right")
        held = _GLOBAL.fullmatch(text_of(left)) if inner.type == "assignment" else None
        name = (held[1] or held[2]) if held is not None else ""
        if name not in self.functions or right is None:
            return
        if right.type == "identifier" and text_of(right) in self.functions:
            self.functions[name] = self.functions[text_of(right)]
        elif right.type == "lambda" or name not in _NAME.findall(text_of(right)):
            del self.functions[name]


def _top_level(root: Node) -> Iterator[Node]:
    """Yield the module's definitions and imports, including those under `if` and `try`."""
    for child in root.named_children:
        if child.type in {"if_statement", "try_statement", "else_clause", "except_clause", "block"}:
            yield from _top_level(child)
        elif child.type == "decorated_definition":
            inner = child.child_by_field_name("definition")
            if inner is not None:
                yield inner
        else:
            yield child


def assignments(block: Node) -> Iterator[tuple[Node, Node | None]]:
    """Yield the targets that the statements of a block assign, with the values; None for a mere annotation."""
    for child in block.named_children:
        inner = child.named_children[0] if child.type == "expression_statement" and child.named_children else None
        left = inner.child_by_field_name("left") if inner is not None and inner.type == "assignment" else None
        if inner is not None and left is not None:
            yield left, inner.child_by_field_name("right")


def methods_of(node: Node) -> dict[str, Node]:
    """Return the methods of a class by name."""
    found: dict[str, Node] = {}
    for child in children_of(node, "body"):
        inner = child.child_by_field_name("definition") if child.type == "decorated_definition" else child
        if inner is not None and inner.type == "function_definition":
            found[text_of(inner.child_by_field_name("name"))] = inner
    return found


@lru_cache(maxsize=64)
def _opened(path: str, source: bytes) -> Module:
    """Parse a file that many test files import, once."""
    return Module.of(path, source)


Read = Callable[[str], bytes | None]
Opened = tuple[Node, Module]


@dataclass(slots=True)
class Definitions:
    """Finds what the code of a file names, in that file and in those that it imports, which are opened once."""

    read: Read
    _modules: dict[str, Module | None] = field(default_factory=dict)

    def opens(self, path: str, importer: str) -> bool:  # noqa: ARG002 - what a subclass decides by
        """Whether what a file imports is looked for in the file at a path."""
        return True

    def module(self, path: str) -> Module | None:
        """Return a file by its path; None if there is none."""
        if path not in self._modules:
            source = self.read(path)
            self._modules[path] = _opened(path, source) if source is not None else None
        return self._modules[path]

    def imported(self, module: Module, source: str) -> Iterator[Module]:
        """Yield the files that a file may mean by a module's name."""
        for path in module_candidates(module.path, source):
            opened = self.module(path) if self.opens(path, module.path) else None
            if opened is not None:
                yield opened

    def sources(self, module: Module, name: str) -> list[tuple[str, str]]:
        """Return the modules that a name may come from, each with the name there."""
        return [module.imports[name]] if name in module.imports else []

    def function(self, module: Module, name: str, hops: int = _MAX_HOPS) -> Opened | None:
        """Return the function of a name, also one that other files only pass on."""
        if name in module.functions:
            return module.functions[name], module
        for source, original in self.sources(module, name):
            for opened in self.imported(module, source):
                known = original in opened.functions or (hops and original in opened.imports)
                found = self.function(opened, original, hops - 1) if known else None
                if found is not None:
                    return found
        return None

    def class_named(self, module: Module, name: str, hops: int = _MAX_HOPS) -> Opened | None:
        """Return the class of a name, likewise."""
        if name in module.classes:
            return module.classes[name], module
        source, original = module.imports.get(name, ("", ""))
        places = self.imported(module, source) if source and hops else ()
        return next(filter(None, (self.class_named(one, original, hops - 1) for one in places)), None)

    def method(self, module: Module, owner: Node, name: str, budget: int = MAX_BASES) -> Opened | None:
        """Return a method of a class or one of its bases."""
        found = methods_of(owner).get(name)
        if found is not None or budget == 0:
            return (found, module) if found is not None else None
        inherited = (self.method(place, base, name, budget - 1) for base, place in self.bases(module, owner))
        return next(filter(None, inherited), None)

    def bases(self, module: Module, owner: Node) -> Iterator[Opened]:
        """Yield the base classes that are found."""
        for base in children_of(owner, "superclasses"):
            found = self.class_named(module, text_of(base).rsplit(".", 1)[-1])
            yield from [found] if found is not None else []


class Project:
    """The files that may contain the helpers of one test file, opened when a test calls them."""

    def __init__(self, module: Module, read: Read) -> None:
        self._module = module
        self._read = read
        self._definitions = Definitions(read)
        self._strict: bool | None = None

    @property
    def strict(self) -> bool:
        """Whether the pytest settings nearest to the file make every xfail strict."""
        if self._strict is None:
            self._strict = _strict(self._module.path.rpartition("/")[0], self._read)
        return self._strict

    def following(self, owner: Node | None) -> Callable[[Call, Reading], list[Claim] | None]:
        """Return a function that turns a helper call into its claims, for tests in the class `owner`."""

        def follow(call: Call, reading: Reading) -> list[Claim] | None:
            found = self._definition(call.function, owner)
            return claims_of_helper(found[0], found[1], call, reading) if found else None

        return follow

    def _definition(self, function: Expression, owner: Node | None) -> Opened | None:
        if isinstance(function, Name):
            return self._definitions.function(self._module, function.name)
        if owner is None or not isinstance(function, Attribute) or function.value not in _OWN:
            return None
        return self._definitions.method(self._module, owner, function.name)


def _strict(folder: str, read: Read) -> bool:
    for place in upwards(folder):
        found = settings_of(place, read, lambda path: read(path) is not None)
        if found.file is not None:
            words = [word.lower() for name in _STRICT for word in found.options.get(name, ())[:1]]
            return any(word in {"true", "1", "yes", "on"} for word in words)
    return False


def module_candidates(path: str, source: str) -> list[str]:
    """Return where a module imported in `path` may be: relative, next to or above the file, or under a usual root.

    Python prefers a package to a module of its name.
    """
    folder = path.split("/")[:-1]
    dots = len(source) - len(source.lstrip("."))
    parts = [part for part in source.lstrip(".").split(".") if part]
    beside = [folder[: len(folder) - dots + 1]] if dots <= len(folder) + 1 else []
    above = [folder[:size] for size in range(len(folder), 0, -1)]
    starts = beside if dots else [[], *above, *([root] for root in _ROOTS)]
    names = ["/".join([*start, *parts]) for start in starts]
    return [candidate for name in names for candidate in (f"{name}/__init__.py".lstrip("/"), f"{name}.py")]


def claims_of_helper(node: Node, module: Module, call: Call, reading: Reading) -> list[Claim] | None:
    """Return a helper's claims with its parameters replaced by the call's arguments; None if it makes none."""
    if not _may_assert(node):
        return None
    arguments = _bound(node, call)
    scope = Scope(module.modules, arguments=arguments)
    inner = Reading(scope, None)
    via = text_of(node.child_by_field_name("name"))
    acts_last = _read_body(node, inner)
    if acts_last and not promises_checks(via):
        return None  # its assertions only ensure that it can do its own work
    reading.reasons.extend(inner.reasons)
    plain = {name: value for name, value in inner.bindings.items() if value is not None}
    made = [claim for claim in inner.claims if not (claim.relation == "raises" and claim.negated)]
    return [replace(claim, via=via, line=0, quote="", holds=tuple(sorted(plain.items()))) for claim in made] or None


def _read_body(helper: Node, inner: Reading) -> bool:
    """Read a helper's body; return whether it keeps calling things after its last assertion."""
    acts_last = False
    for statement in children_of(helper, "body"):
        claimed, acted = len(inner.claims), len(inner.actions)
        read_statement(statement, inner)
        if len(inner.claims) > claimed:
            acts_last = False
        elif any(not promises_checks(_called(one)) for one in inner.actions[acted:]) or _gives_call(statement):
            acts_last = bool(inner.claims)
    return acts_last


def _called(call: Call) -> str:
    return call.function.name if isinstance(call.function, Name | Attribute) else ""


def _gives_call(statement: Node) -> bool:
    return statement.type == "return_statement" and any(child.type == "call" for child in statement.named_children)


def _may_assert(node: Node) -> bool:
    text = node.text or b""
    return b"assert" in text or b"raises" in text or b"fail(" in text


def _bound(node: Node, call: Call) -> dict[str, Expression]:
    names = [name for child in children_of(node, "parameters") if (name := _parameter(child))]
    if names and names[0] in {"self", "cls"} and isinstance(call.function, Attribute):
        names = names[1:]
    values, named = sorted_out(call.arguments)
    bound = dict(zip(names, values, strict=False))
    return bound | {name: value for name, value in named.items() if name in names}


def _parameter(node: Node) -> str:
    if node.type == "identifier":
        return text_of(node)
    if node.type in {"default_parameter", "typed_default_parameter"}:
        return text_of(node.child_by_field_name("name"))
    return text_of(node.named_children[0]) if node.type == "typed_parameter" and node.named_children else ""
