"""Find which file of the repository an import names, without knowing `sys.path`.

A name is searched where Python would find it from the importing file: next to its outermost package; in the folders
that settings name, nearest first; in every folder above it and that folder's usual source folders; and finally anywhere
in the repository, if only one place has it.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from itertools import takewhile
from typing import TYPE_CHECKING, Final

from pactkeeper.repo.languages.adapter import FileImports, Import
from pactkeeper.repo.languages.python.syntax import (
    arguments,
    callee,
    errors,
    keyword,
    language,
    parse,
    read_text,
    string,
    text_of,
)

if TYPE_CHECKING:
    from tree_sitter import Node, Query


_SOURCE_FOLDERS: Final = ("", "src", "lib", "python", "test", "tests")


class Modules:
    """The importable modules among the paths of a snapshot; `roots` are the settings' additions to `sys.path`."""

    def __init__(self, paths: Iterable[str], roots: Sequence[str] = ()) -> None:
        self._files = {path for path in paths if path.endswith(".py")}
        self._folders: set[str] = set()
        self._bases: dict[str, set[str]] = {}
        self._roots = tuple(roots)
        self._found: dict[tuple[str, str], str | None] = {}
        for path in self._files:
            self._add(path)

    def _add(self, path: str) -> None:
        folder, _, name = path.rpartition("/")
        if name != "__init__.py":
            self._bases.setdefault(name[:-3], set()).add(folder)
        while folder and folder not in self._folders:
            self._folders.add(folder)
            folder, _, name = folder.rpartition("/")
            self._bases.setdefault(name, set()).add(folder)

    def module(self, path: str) -> str | None:
        """Return the file or folder that `path`, without suffix, is as a module; None if there is none."""
        if f"{path}.py" in self._files and f"{path}/__init__.py" not in self._files:
            return f"{path}.py"
        if f"{path}/__init__.py" in self._files:
            return f"{path}/__init__.py"
        return path if path in self._folders else None

    def inside(self, module: str, name: str) -> str | None:
        """Return the submodule `name` of a package or folder."""
        folder = module.removesuffix("/__init__.py")
        return self.module(f"{folder}/{name}") if not folder.endswith(".py") else None

    def find(self, importer: str, dotted: str) -> str | None:
        """Return the file (or namespace package's folder) that an import in `importer` names; None if third-party."""
        folder = importer.rpartition("/")[0]
        key = (folder, dotted)
        if key not in self._found:
            self._found[key] = self._relative(folder, dotted) if dotted.startswith(".") else self._find(folder, dotted)
        return self._found[key]

    def _relative(self, folder: str, dotted: str) -> str | None:
        name = dotted.lstrip(".")
        for _ in range(len(dotted) - len(name) - 1):
            if not folder:
                return None
            folder = folder.rpartition("/")[0]
        if name:
            return self.module("/".join(part for part in (folder, *name.split(".")) if part))
        return (self.module(folder) or folder) if folder else None

    def _find(self, folder: str, dotted: str) -> str | None:
        first, *rest = dotted.split(".")
        places = self._bases.get(first, set())
        if not places or (first in sys.stdlib_module_names and first != "test"):
            return None
        tail = "/".join((first, *rest))
        for base in self._search(folder):
            if base in places:
                found = self.module(f"{base}/{tail}" if base else tail)
                if found is not None:
                    return found
        outer = [place for place in places if not self.is_package(place)]
        found_outside = {self.module(f"{place}/{tail}" if place else tail) for place in outer} - {None}
        return found_outside.pop() if len(found_outside) == 1 else None

    def _search(self, folder: str) -> Iterator[str]:
        """Yield the folders that may be on `sys.path` for a file in `folder`, nearest first."""
        while self.is_package(folder):
            folder = folder.rpartition("/")[0]
        yield folder
        yield from sorted(self._roots, key=lambda root: -_shared(root, folder))
        while True:
            for name in _SOURCE_FOLDERS:
                place = "/".join(part for part in (folder, name) if part)
                if not self.is_package(place):
                    yield place
            if not folder:
                return
            folder = folder.rpartition("/")[0]

    def is_package(self, folder: str) -> bool:
        """Whether the folder is a regular package."""
        return bool(folder) and f"{folder}/__init__.py" in self._files


def _shared(one: str, other: str) -> int:
    """Count the leading folders that two paths share."""
    pairs = zip(one.split("/"), other.split("/"), strict=False)
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))


_QUERY: Final = """
(import_statement) @plain
(import_from_statement) @from
(call function: (_) @_callee (#match? @_callee "(^|[.])(import_module|__import__)$")) @call
(assignment left: (identifier) @_name (#eq? @_name "pytest_plugins")) @plugins
"""
_CHECKING: Final = re.compile(rb"\(?\s*(?:\w+\.)?TYPE_CHECKING\s*\)?|False|0")
# The parser takes quadratic time in consecutive comment lines; a comment without a quote can't end a string.
_COMMENT: Final = re.compile(rb"""(?m)^[ \t]*#[^\n"'\\]*$""")
_PACKAGES: Final = frozenset({"__package__", "__name__", "__spec__.parent"})  # what a relative name is resolved against


def read_imports(data: bytes) -> FileImports:
    """Read the imports of one module; broken parts become problems, and the rest is read anyway."""
    from tree_sitter import QueryCursor  # noqa: PLC0415 - heavy: loaded when the first file is parsed

    text = read_text(data)
    source = _COMMENT.sub(b"", text.source)
    tree = parse(source)
    captures = QueryCursor(_query()).captures(tree.root_node)
    found: list[Import] = []
    computed: list[int] = []
    for node in captures.get("plain", ()):
        found += _plain(node, source)
    for node in captures.get("from", ()):
        found.append(_taken(node, source))
    for node in (*captures.get("call", ()), *captures.get("plugins", ())):
        modules = _called(node, source) if node.type == "call" else _plugins(node, source)
        found += [Import(module, _line(node)) for module in modules if module]
        computed += [_line(node)] * (None in modules)
    problems = [(0, text.reason)] if text.reason else []
    if tree.root_node.has_error:
        problems += [(note.line, note.reason) for note in errors(tree, "imports")]
    return FileImports(tuple(sorted(found, key=lambda one: one.line)), tuple(sorted(computed)), tuple(problems))


@cache
def _query() -> Query:
    from tree_sitter import Query  # noqa: PLC0415 - likewise

    return Query(language(), _QUERY)


def _plain(node: Node, source: bytes) -> Iterator[Import]:
    """`import a.b, c as d`."""
    only_types = _only_types(node, source)
    for child in node.children_by_field_name("name"):
        yield Import(_name(child, source), _line(node), only_types=only_types)


def _taken(node: Node, source: bytes) -> Import:
    """`from a import b, c as d`, `from . import b`, `from a import *`."""
    module = node.child_by_field_name("module_name")
    names = [_name(child, source) for child in node.children_by_field_name("name")]
    written = _squeezed(module, source) if module is not None else ""
    return Import(written, _line(node), tuple(names) or ("*",), _only_types(node, source))


def _name(node: Node, source: bytes) -> str:
    inner = node.child_by_field_name("name") if node.type == "aliased_import" else node
    return _squeezed(inner, source) if inner is not None else ""


def _squeezed(node: Node, source: bytes) -> str:
    return "".join(text_of(node, source).replace("\\", "").split())


def _called(call: Node, source: bytes) -> list[str | None]:
    """Return the module named by `import_module("a.b")`, `import_module(".b", __package__)` or `__import__("a")`."""
    given = arguments(call)
    first = given[0] if given else keyword(call, b"name", source)
    module = string(first, source) if first is not None else None
    if module is None or not module.startswith("."):
        return [module]
    anchor = given[1] if len(given) > 1 else keyword(call, b"package", source)
    if anchor is None or callee(call, source).endswith("__import__"):
        return [None]
    package = string(anchor, source)
    if package is not None:
        return [f"{package}{module}"] if not module.startswith("..") else [None]
    return [module] if text_of(anchor, source) in _PACKAGES else [None]


def _plugins(assignment: Node, source: bytes) -> list[str | None]:
    """Return the modules that pytest imports for `pytest_plugins`: one string, or several in a list or tuple."""
    value = assignment.child_by_field_name("right")
    if value is None:
        return []
    members = value.named_children if value.type in {"list", "tuple", "set"} else [value]
    return [string(member, source) for member in members if member.type != "comment"]


def _only_types(node: Node, source: bytes) -> bool:
    """Whether the import is under `if TYPE_CHECKING:`."""
    inner, outer = node, node.parent
    while outer is not None:
        if outer.type == "if_statement" and outer.child_by_field_name("consequence") == inner:
            condition = outer.child_by_field_name("condition")
            if condition is not None and _CHECKING.fullmatch(text_of(condition, source).encode()):
                return True
        inner, outer = outer, outer.parent
    return False


def _line(node: Node) -> int:
    return node.start_point.row + 1
